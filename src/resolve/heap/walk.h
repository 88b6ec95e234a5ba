/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The heap of glibc's malloc, jemalloc or Go's runtime read from outside a process that goes on
 * running: which block holds an address, and every block in use. The process is only ever read.
 * Arenas are found by their structure in libc's data (or, in a static program, in the program's
 * own), so versions 2.31 to today need no table of offsets. Everything read is untrusted: every
 * loop ends, every call reads a bounded amount.
 *
 * Owned by the follower of a process; it sees samples, maps and processes only through `struct
 * walk_target` and the mappings given. Not thread-safe.
 *
 * A lookup chains from a boundary seen earlier. Where boundaries were seen to change it believes
 * the chain only after a free chunk that is in its list (walk.c). What can be wrong: in a heap that
 * was at rest so far, a block that took the place of many others and was not written to for
 * kilobytes around the address still shows their old headers, until the first lookup that meets a
 * difference. walk_all() now and then narrows that.
 */
#ifndef MISSTOP_RESOLVE_HEAP_WALK_H
#define MISSTOP_RESOLVE_HEAP_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "resolve/process/maps.h"

struct walk;

/* Memory of the process. read: all of it or false. read_some: bytes read from the start;
 * asked for up to 1 MiB at once, so it should not go page by page. */
struct walk_target {
    void *context;
    bool (*read)(void *context, uint64_t address, void *out, size_t size);
    size_t (*read_some)(void *context, uint64_t address, void *out, size_t size);
};

enum walk_state { WALK_IN_USE, WALK_FREE, WALK_TOP, WALK_OWN_DATA /* of the allocator */ };

struct walk_block {
    uint64_t start;        /* the address that malloc returned */
    uint64_t usable_bytes; /* malloc_usable_size() of it */
    enum walk_state state;
    uint32_t arena; /* 0: main; 0 for mmapped blocks, which belong to none */
    bool mmapped;   /* a mapping of its own */
    bool go;        /* of Go's runtime */
    uint32_t count; /* walk_all(): blocks of this size from `start` on, some of them free */
};

/* Why walk_find() gave no answer. */
enum walk_failure {
    WALK_FAIL_NONE,
    WALK_FAIL_NO_HEAP,    /* walk_status() says why */
    WALK_FAIL_UNMAPPED,   /* in no mapping known: call walk_update() */
    WALK_FAIL_FOREIGN,    /* not glibc's memory */
    WALK_FAIL_UNREADABLE, /* gone while it was read */
    WALK_FAIL_BROKEN,     /* no sound chain of chunks leads there: corrupt, or changes too fast */
    WALK_FAIL_CHANGED,    /* the block was another one each time it was looked at again */
    WALK_FAIL_UNSURE,     /* in use or in a thread's cache: is not known */
    WALK_FAIL_BUDGET,     /* too much to read for one call; the next one goes on from there */
    WALK_FAILURES
};

struct walk_stats {
    uint64_t finds;
    uint64_t failures[WALK_FAILURES]; /* finds that ended so; [WALK_FAIL_NONE]: answered */
    uint64_t retries;                 /* chains read again, from further back */
    uint64_t reads;                   /* of the process's memory */
    uint64_t bytes_read;
    uint64_t broken_spans; /* parts of the heap walk_all() had to give up */
    uint32_t arenas;
    uint32_t thread_caches;
};

/* 0 or -ENOMEM. The target is copied. */
int walk_new(struct walk **walk, const struct walk_target *target);
void walk_free(struct walk *walk);

/* The mappings as they are now. 0 or -ENOMEM. Copied. To be called when
 * they changed, and now and then as long as walk_status() says that there is no heap: malloc
 * may not have been used yet, or was just at work. */
int walk_update(struct walk *walk, const struct maps *maps);

/* The fs bases of threads, where they are known: their caches are found from there, and searched
 * for in the mappings' ends only for the others. 0 or -ENOMEM. Copied. */
int walk_threads(struct walk *walk, const uint64_t *bases, size_t count);

/* NULL: the heap can be walked. Else why not; the text holds names the process chose, sanitised. */
const char *walk_status(const struct walk *walk);

/* The allocator walked, as "glibc malloc in libc.so.6" or "static program with glibc malloc". */
const char *walk_source(struct walk *walk);

/* The block that holds the address (its header and the 8 bytes it borrows from the next one
 * included). False: counted by reason. Bounded: reads some 256 MiB at most an attempt, as a
 * rule 5 KiB in all. */
bool walk_find(struct walk *walk, uint64_t address, struct walk_block *block);

/* From now on walk_find() fails with WALK_FAIL_BUDGET where it would have to follow a chain over
 * more than this. */
void walk_reach(struct walk *walk, uint64_t reach_bytes);

/* The walk takes the place of another one of the same process: where that one saw boundaries
 * change, this one wants more proof, too; it counts finds on from there. */
void walk_succeed(struct walk *walk, const struct walk *before);

/* Visits every block in use (`count` in one visit), and corrects the boundaries that walk_find()
 * trusts; false from the visitor ends it. Blocks visited, or -ENODATA where there is no heap to
 * walk, or -ENOMEM. Exact while the process is stopped. */
typedef bool (*walk_visit)(void *context, const struct walk_block *block);
long walk_all(struct walk *walk, walk_visit visit, void *context);

const struct walk_stats *walk_stats(struct walk *walk);

/* Bin of a block by size: the largest usable size of its class. Up to 1032 bytes a class is one
 * size of chunk of glibc's (16 n + 8) or of block of jemalloc's (8, 16 n), beyond it a quarter of a
 * power of two. */
uint64_t walk_size_class(uint64_t usable_bytes, bool go);

bool walk_class_is_go(uint64_t size_class);

/* "malloc(57..72)": the requests that land in the class; "malloc(1.3K..1.5K)" for large ones. Of Go
 * the size of the blocks, "new(64)". */
const char *walk_class_name(char out[32], uint64_t size_class);

#endif
