/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The process: its mappings, and the name of an address (doc/design/heap.md). Kept current by
 * records; /proc is read at the start and when records were lost. Everything read from the target
 * or its files is hostile input. One thread only.
 */
#ifndef MISSTOP_RESOLVE_RESOLVER_H
#define MISSTOP_RESOLVE_RESOLVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "place.h"
#include "sample.h"

/* Whether allocations by one of the agent's call paths are those of a bin; for resolver.h and what
 * it asks. */
enum allocation_path {
    ALLOCATION_PATH_UNKNOWN, /* none came yet, or it is not grouped yet */
    ALLOCATION_PATH_OTHER,
    ALLOCATION_PATH_ITS
};

struct feed;
struct files_client;
struct resolver;

struct resolver_options {
    pid_t pid;                  /* process to name things in */
    bool live;                  /* /proc/PID may be read; false: a recording, records only */
    bool simulated;             /* samples are many, from the program's first instruction on */
    const char *symfs;          /* folder with the binaries of a recording, or NULL */
    struct files_client *files; /* the users that files are opened for; NULL: ours; outlives it */
    bool elsewhere;             /* recorded on another machine: no file here is of it by its path */
    bool host_unknown;          /* recorded on a machine that is not known */
    bool debuginfod;            /* the user lets us ask servers for debugging information */
    struct feed *feed;          /* the agent's records; NULL: no agent. Not owned */
    bool walk;                  /* read the allocator's heap where no agent reports it */
    const char *heap_note;      /* why there is no agent, for the user; NULL */
};

/*
 * Checks a process before attaching: exists, no kernel thread, no zombie, 64-bit, may be
 * profiled by us. 0 or a negative errno with cause and remedy in error.
 */
int resolver_check(pid_t pid, struct error *error);

int resolver_open(struct resolver **resolver, const struct resolver_options *options,
                  struct error *error);
void resolver_close(struct resolver *resolver);

/* A mapping, comm, fork, exit or exec record, in time order with the samples. */
void resolver_record(struct resolver *resolver, const struct record *record);

/* Code at an address of a recording will be sampled: its file is opened. */
void resolver_expect(struct resolver *resolver, uint64_t address);

/* Records were lost: maps may be stale; reads /proc again at the next refresh. */
void resolver_distrust(struct resolver *resolver);

/* Once per refresh: slow work that no sample may wait for (symbol files, thread list). */
void resolver_tick(struct resolver *resolver, uint64_t now_ns);

/*
 * Names an access. May set access->reason to REASON_BAD_ADDRESS in place->access where the address
 * is not mapped; object is then 0. `regs`: the sample's registers, for objects on its stack; NULL:
 * there are none.
 */
void resolver_resolve(struct resolver *resolver, const struct access *access, const uint64_t *regs,
                      struct place *place);

/* Fills access->caller, before the access is resolved. `regs` as below. */
void resolver_note_caller(struct resolver *resolver, const struct sample *sample,
                          const uint64_t *regs, struct access *access);

/*
 * The stack of a sample with a resolved place: the node of its outermost caller; the others are its
 * parents (struct caller_desc). 0: it has none, cannot be followed, or is not walked for what it
 * costs. `regs` as above: those that the copy of the stack begins at.
 */
uint32_t resolver_callers(struct resolver *resolver, const struct sample *sample,
                          const uint64_t *regs, const struct place *place);

/* Objects that turned out to be others since resolver_renamed() was called, in this order. */
const struct object_rename *resolver_renames(const struct resolver *resolver, size_t *count);
void resolver_renamed(struct resolver *resolver);

/* The programs and libraries that samples of a recording fell on, most first, at most `most`. */
size_t resolver_binaries(const struct resolver *resolver, struct binary_desc *out, size_t most);

/* How many fell on code that no mapping of the recording holds. */
uint64_t resolver_unmapped(const struct resolver *resolver);

/* Whether only mappings of code were recorded. */
bool resolver_code_only(const struct resolver *resolver);

/* It has started a program with other rights than its user's: the kernel ends sampling there, for
 * root as well (begin_new_exec() in fs/exec.c), and nothing says so. */
bool resolver_shut_off(const struct resolver *resolver);

struct resolver_target resolver_target(const struct resolver *resolver);

/* The agent's events up to a time go into the index of blocks: before samples of that time. Number
 * of events. */
long resolver_follow(struct resolver *resolver, uint64_t until_ns);

/* For a recording: how long from now on debug information may be waited for. */
void resolver_be_patient(struct resolver *resolver, uint64_t patience_ns);

/* Between refreshes, where no sample waits. */
void resolver_settle(struct resolver *resolver, uint64_t now_ns);

/* Bins of the heap: growth counts from now; a name of one's own ("": back to its own), bins
 * that go into bins[0]; the last of these taken back. 0 or a negative errno. */
void resolver_heap_mark(struct resolver *resolver, uint64_t now_ns);
int resolver_bin_rename(struct resolver *resolver, uint32_t bin, const char *name);
int resolver_bin_combine(struct resolver *resolver, const uint32_t *bins, uint32_t count);
int resolver_bin_undo(struct resolver *resolver);

/*
 * Each block that an object consists of now: a variable, or the blocks of a heap bin; *follows:
 * others come and go, by call paths. -ENOTSUP with the reason: they are not known.
 */
typedef void resolver_block(void *context, uint64_t start, uint64_t bytes);
int resolver_blocks(struct resolver *resolver, uint32_t object, resolver_block *sink, void *context,
                    bool *follows, struct error *error);
/* Whether the agent's call path `path` makes blocks of an object. */
enum allocation_path resolver_path(const struct resolver *resolver, uint32_t object, uint32_t path);

/* struct place_names over this resolver. */
struct place_names resolver_names(struct resolver *resolver);
/* Debug information that is being read; valid until the next tick. */
struct loading_state resolver_loading(const struct resolver *resolver);

/* Answers to the decoder (struct decode_target has the same functions). context: the resolver. */
size_t resolver_code(void *context, uint64_t address, void *out, size_t size);
bool resolver_function_bounds(void *context, uint64_t ip, uint64_t *start, uint64_t *end);
bool resolver_memory(void *context, uint64_t address, void *out, size_t size);
bool resolver_segment(void *context, uint32_t tid, bool gs, uint64_t *base);
bool resolver_mapped(void *context, uint64_t address);

/* Executable ranges that changed since the last call; false when there are none left. */
bool resolver_code_changed(struct resolver *resolver, uint64_t *start, uint64_t *end);

/* An object by exact name ("htab", "libc.so.6:main_arena"), or else by a unique part of one. */
bool resolver_find(struct resolver *resolver, const char *name, struct object_extent *extent);

/* The processes of this user, for the list to choose from; entries as CPU use, then pid. */
struct resolver_process {
    pid_t pid;
    uint32_t threads;
    double cpu_percent; /* since the last call with the same list; NAN at first */
    uint64_t resident_bytes;
    char state;
    char user[32];
    char command[256]; /* sanitised command line */
};
struct resolver_process_list;
struct resolver_process_list *resolver_process_list_new(void);
void resolver_process_list_free(struct resolver_process_list *list);
/* Reads /proc again. Returns the number, sets *entries (valid until the next call). */
size_t resolver_process_list_read(struct resolver_process_list *list,
                                  const struct resolver_process **entries);

#endif
