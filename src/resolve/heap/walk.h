/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the heap of glibc's malloc, jemalloc or Go's runtime in a running process without writing
 * to it. Arenas are found by their structure in libc's data (or in the program's own data if it is
 * static), so versions 2.31 to today need no table of offsets. All input is untrusted: every loop
 * ends, and every call reads a bounded amount.
 *
 * Owned by the follower of a process. It accesses the process only through `struct walk_target` and
 * the mappings given to it. Not thread-safe.
 *
 * A lookup chains from a boundary seen earlier. If boundaries were seen to change, it trusts the
 * chain only after a free chunk that is in its list (walk.c). One error remains possible in a heap
 * that did not change so far: a block that replaced many others, and was not written to for
 * kilobytes around the address, still shows their old headers until the first lookup that meets a
 * difference. A periodic walk_all() reduces this.
 */
#ifndef MISSTOP_RESOLVE_HEAP_WALK_H
#define MISSTOP_RESOLVE_HEAP_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "resolve/process/maps.h"

struct walk;

/* Access to the process's memory. read(): all of it, or false. read_some(): number of bytes read
 * from the start; called for up to 1 MiB at once, so it should not read page by page. */
struct walk_target {
    void *context;
    bool (*read)(void *context, uint64_t address, void *out, size_t size);
    size_t (*read_some)(void *context, uint64_t address, void *out, size_t size);
};

enum walk_state { WALK_IN_USE, WALK_FREE, WALK_TOP, WALK_OWN_DATA /* of the allocator */ };

struct walk_block {
    uint64_t start;        /* the address that malloc returned */
    uint64_t usable_bytes; /* as malloc_usable_size() returns it */
    enum walk_state state;
    uint32_t arena; /* 0: main arena; also 0 for mmapped blocks, which belong to none */
    bool mmapped;   /* a mapping of its own */
    bool go;        /* of Go's runtime */
    uint32_t count; /* walk_all(): blocks of this size from `start` on, some of them free */
};

enum walk_failure {
    WALK_FAIL_NONE,
    WALK_FAIL_NO_HEAP,    /* walk_status() has the reason */
    WALK_FAIL_UNMAPPED,   /* in no known mapping: call walk_update() */
    WALK_FAIL_FOREIGN,    /* not glibc's memory */
    WALK_FAIL_UNREADABLE, /* unmapped while it was read */
    WALK_FAIL_BROKEN,     /* no valid chain of chunks leads there: corrupt, or changing too fast */
    WALK_FAIL_CHANGED,    /* the block had changed each time it was checked */
    WALK_FAIL_UNSURE,     /* not known whether it is in use or in a thread's cache */
    WALK_FAIL_BUDGET,     /* too much to read for one call; the next call continues */
    WALK_FAILURES
};

struct walk_stats {
    uint64_t find_count;
    uint64_t failures[WALK_FAILURES]; /* finds by result; [WALK_FAIL_NONE]: successful */
    uint64_t retries;                 /* chains read again, from further back */
    uint64_t reads;                   /* reads of the process's memory */
    uint64_t bytes_read;
    uint64_t broken_spans; /* parts of the heap that walk_all() had to skip */
    uint32_t arenas;
    uint32_t thread_caches;
};

/* Makes a walk; copies the target. Returns 0 or -ENOMEM. */
int walk_new(struct walk **walk, const struct walk_target *target);
void walk_free(struct walk *walk);

/* Sets the mappings (copied). 0 or -ENOMEM. Call when they changed, and periodically while
 * walk_status() reports no heap: malloc may be unused so far, or was active during the search. */
int walk_update(struct walk *walk, const struct maps *maps);

/* Sets the known fs bases of threads (copied), from which their caches are found. The ends of
 * mappings are searched only for other threads. 0 or -ENOMEM. */
int walk_threads(struct walk *walk, const uint64_t *bases, size_t count);

/* Returns NULL if the heap can be walked, otherwise the reason why not. The text may contain names
 * chosen by the process, sanitised. */
const char *walk_status(const struct walk *walk);

/* Returns the allocator: "glibc malloc in libc.so.6", "static program with glibc malloc". */
const char *walk_source(struct walk *walk);

/* Finds the block at an address, with its header and the 8 bytes borrowed from the next block.
 * False: failed, counted by reason. Reads at most about 256 MiB per attempt, usually 5 KiB. */
bool walk_find(struct walk *walk, uint64_t address, struct walk_block *block);

/* Makes walk_find() fail with WALK_FAIL_BUDGET if a chain is longer than this many bytes. */
void walk_limit_chain(struct walk *walk, uint64_t reach_bytes);

/* Requires more proof wherever `before` saw boundaries change, and continues its count of finds. */
void walk_continue_from(struct walk *walk, const struct walk *before);

/* Visits every block in use (`count` blocks per visit), and corrects the boundaries that
 * walk_find() trusts. The visitor returns false to stop. Returns the number of blocks visited,
 * -ENODATA if there is no heap to walk, or -ENOMEM. Exact only while the process is stopped. */
typedef bool (*walk_visit)(void *context, const struct walk_block *block);
long walk_all(struct walk *walk, walk_visit visit, void *context);

const struct walk_stats *walk_stats(struct walk *walk);

/* Returns the size class of a block: its largest usable size. Up to 1032 bytes one chunk size of
 * glibc (16 n + 8) or block size of jemalloc (8, 16 n); above, a quarter of a power of two. */
uint64_t walk_size_class(uint64_t usable_bytes, bool go);

bool walk_class_is_go(uint64_t size_class);

/* Formats a size class by the requests that fall into it: "malloc(57..72)", or "malloc(1.3K..1.5K)"
 * for large ones. Classes of Go show the block size: "new(64)". */
const char *walk_class_name(char out[32], uint64_t size_class);

#endif
