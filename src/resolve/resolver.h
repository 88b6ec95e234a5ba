/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The process: its mappings, and the names of addresses (doc/design/heap.md). Records keep it
 * current; /proc is read at the start and after lost records. Everything read from the target or
 * its files is hostile input. Single-threaded.
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

enum allocation_path {
    ALLOCATION_PATH_UNKNOWN, /* no allocation yet, or not grouped yet */
    ALLOCATION_PATH_OTHER,
    ALLOCATION_PATH_MATCHES
};

struct feed;
struct files_client;
struct resolver;

struct resolver_options {
    pid_t pid;                  /* process to name things in */
    bool live;                  /* /proc/PID may be read; false: a recording, only records */
    bool simulated;             /* many samples, starting with the program's first instruction */
    const char *symfs;          /* folder with a recording's binaries, or NULL */
    struct files_client *files; /* users that files are opened for; NULL: our own; outlives it */
    bool is_from_other_host;    /* recorded on another machine: paths of files here prove nothing */
    bool host_unknown;          /* the machine of the recording is not known */
    bool debuginfod;            /* the user permits queries to debuginfod servers */
    struct feed *feed;          /* the agent's records; NULL: no agent; not owned */
    bool walk;                  /* read the allocator's heap if no agent reports it */
    const char *heap_note;      /* why there is no agent, for the user; NULL */
};

/* Checks a process before attaching: it exists, is no kernel thread or zombie, is 64-bit, and may
 * be profiled by us. Returns 0, or a negative errno with cause and remedy in `error`. */
int resolver_check(pid_t pid, struct error *error);

int resolver_open(struct resolver **resolver, const struct resolver_options *options,
                  struct error *error);
void resolver_close(struct resolver *resolver);

/* Handles a mapping, comm, fork, exit or exec record, in time order with the samples. */
void resolver_record(struct resolver *resolver, const struct record *record);

/* Announces samples of code at an address of a recording: its file is opened. */
void resolver_expect(struct resolver *resolver, uint64_t address);

/* Notes that records were lost and maps may be stale; /proc is read again at the next refresh. */
void resolver_mark_maps_stale(struct resolver *resolver);

/* Does slow work that must not delay samples (symbol files, threads). Called once per refresh. */
void resolver_tick(struct resolver *resolver, uint64_t now_ns);

/* Names an access. Sets place->access.reason to REASON_BAD_ADDRESS if the address is not mapped;
 * object is then 0. `regs`: the sample's registers, for objects on its stack; NULL: none. */
void resolver_resolve(struct resolver *resolver, const struct access *access, const uint64_t *regs,
                      struct place *place);

/* Sets access->caller; called before the access is resolved. `regs` as above. */
void resolver_note_caller(struct resolver *resolver, const struct sample *sample,
                          const uint64_t *regs, struct access *access);

/*
 * Returns the node of the outermost caller of a sample with a resolved place; its callees are the
 * node's parents (struct caller_desc). 0: no stack, it cannot be followed, or the budget for
 * walking is spent. `regs`: the registers at which the copy of the stack begins.
 */
uint32_t resolver_callers(struct resolver *resolver, const struct sample *sample,
                          const uint64_t *regs, const struct place *place);

/* Returns the objects that turned out to be others since resolver_renamed(), in order. */
const struct object_rename *resolver_renames(const struct resolver *resolver, size_t *count);
void resolver_renamed(struct resolver *resolver);

/* Lists the programs and libraries with samples of a recording, most first, at most `most`. */
size_t resolver_binaries(const struct resolver *resolver, struct binary_desc *out, size_t most);

/* Returns the number of samples in code outside the mappings of the recording. */
uint64_t resolver_unmapped(const struct resolver *resolver);

/* Returns true if only mappings of code were recorded. */
bool resolver_code_only(const struct resolver *resolver);

/* Returns true if the process executed a program with other rights than its user's. The kernel then
 * ends sampling without notice, even for root (begin_new_exec() in fs/exec.c). */
bool resolver_sampling_ended(const struct resolver *resolver);

struct resolver_target resolver_target(const struct resolver *resolver);

/* Applies the agent's events up to a time to the block index; called before samples of that time.
 * Returns the number of events. */
long resolver_follow(struct resolver *resolver, uint64_t until_ns);

/* Sets how long to wait for debug information in a recording from now on. */
void resolver_set_patience(struct resolver *resolver, uint64_t patience_ns);

/* Does background work; called between refreshes while no sample waits. */
void resolver_settle(struct resolver *resolver, uint64_t now_ns);

/* Heap bins: set the mark of growth; rename a bin ("": back to its own name); combine bins into
 * bins[0]; undo the last rename or combination. 0 or a negative errno. */
void resolver_heap_mark(struct resolver *resolver, uint64_t now_ns);
int resolver_bin_rename(struct resolver *resolver, uint32_t bin, const char *name);
int resolver_bin_combine(struct resolver *resolver, const uint32_t *bins, uint32_t count);
int resolver_bin_undo(struct resolver *resolver);

/* Calls back for each current block of an object: a variable, or the blocks of a heap bin.
 * *follows: blocks are added and removed by call path. -ENOTSUP with the reason: not known. */
typedef void resolver_block(void *context, uint64_t start, uint64_t bytes);
int resolver_blocks(struct resolver *resolver, uint32_t object, resolver_block *sink, void *context,
                    bool *follows, struct error *error);
/* Checks whether the agent's call path `path` allocates blocks of an object. */
enum allocation_path resolver_path(const struct resolver *resolver, uint32_t object, uint32_t path);

struct place_names resolver_names(struct resolver *resolver);
/* Returns the debug information being loaded; valid until the next tick. */
struct loading_state resolver_loading(const struct resolver *resolver);

/* Functions for the decoder (the same as in struct decode_target). context: the resolver. */
size_t resolver_code(void *context, uint64_t address, void *out, size_t size);
bool resolver_function_bounds(void *context, uint64_t ip, uint64_t *start, uint64_t *end);
bool resolver_memory(void *context, uint64_t address, void *out, size_t size);
bool resolver_segment(void *context, uint32_t tid, bool gs, uint64_t *base);
bool resolver_mapped(void *context, uint64_t address);

/* Returns the next executable range that changed; false: no more. */
bool resolver_code_changed(struct resolver *resolver, uint64_t *start, uint64_t *end);

/* Finds an object by exact name ("htab", "libc.so.6:main_arena"), or by a unique part of a name. */
bool resolver_find(struct resolver *resolver, const char *name, struct object_extent *extent);

/* The processes of this user, for the selection list; by CPU use, then PID, both descending. */
struct resolver_process {
    pid_t pid;
    uint32_t threads;
    double cpu_percent; /* since the last call with the same list; NAN on the first */
    uint64_t resident_bytes;
    char state;
    char user[32];
    char command[256]; /* sanitised command line */
};
struct resolver_process_list;
struct resolver_process_list *resolver_process_list_new(void);
void resolver_process_list_free(struct resolver_process_list *list);
/* Rereads /proc. Returns the number of entries and sets *entries (valid until the next call). */
size_t resolver_process_list_read(struct resolver_process_list *list,
                                  const struct resolver_process **entries);

#endif
