/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Part of struct snapshot (see snapshot.h for its rules): causes of misses and evictors of the
 * missed lines, for the ranking event; simulation only (--sim). */
#ifndef MISSTOP_SNAPSHOT_CAUSES_H
#define MISSTOP_SNAPSHOT_CAUSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "access.h"
#include "snapshot_share.h"

enum {
    SNAPSHOT_EVICTORS = 8,
    SNAPSHOT_EVICTOR_THREADS = 4,
    SNAPSHOT_CAUSES_ROWS = 64,
    SNAPSHOT_EVICTION_BINS = 16
};

/* Figures of an object, a function, a thread, a field, a cell of the matrix, or of all misses. */
struct snapshot_causes_figures {
    double samples;
    double misses;             /* misses represented */
    double share[CAUSE_COUNT]; /* fractions of the misses; share[CAUSE_NOT_KNOWN] is 0 */
    double evicted;            /* misses with a known evictor */
    double self_evicted; /* fraction of `evicted` due to the row itself; NAN: not known, or none */
    /* Fractions of the misses: evicted before reuse, by the same or another object (DTrack 3.5). */
    double early_same;
    double early_other;
};

struct snapshot_evictor {
    const char *function; /* "unknown" if not known */
    const char *object;   /* NULL: not known */
    uint32_t object_id;
    uint32_t function_id;
    double share; /* fraction of the misses with a known evictor */
};

struct snapshot_evictor_thread {
    const char *name; /* "worker (123)" */
    uint32_t tid;     /* 0: all threads that are not counted individually */
    double share;     /* fraction of the misses with a known evictor */
};

struct snapshot_causes_row {
    uint32_t index; /* index into objects or code; UINT32_MAX: not listed there, or a thread */
    /* Id of the object or function; thread id; 0: all threads that are not counted individually. */
    uint32_t id;
    const char *name;
    struct snapshot_causes_figures figures;
    double unlisted; /* fraction of figures.evicted without a free entry in the table; NAN */
    /* Largest share first; empty for threads. */
    struct snapshot_evictor evictors[SNAPSHOT_EVICTORS];
    size_t evictor_count;
    struct snapshot_evictor_thread threads[SNAPSHOT_EVICTOR_THREADS]; /* largest share first */
    size_t thread_count;
};

enum causes_of { CAUSES_OBJECTS, CAUSES_FUNCTIONS, CAUSES_THREADS, CAUSES_KINDS };

struct snapshot_eviction_line {
    const char *name; /* NULL: all others, and those not known */
    uint32_t id;
    double misses;
};

/*
 * Rows: objects or threads that missed; columns: their evictors. Most misses first; the last row
 * and column contain all others, including all below 0.1 % and evictors that the bounded table
 * dropped. The cells add up to the rows, and the rows to `misses`: all misses with a known evictor.
 */
struct snapshot_evictions {
    size_t row_count; /* without the row of others; 0: nothing is known */
    size_t column_count;
    struct snapshot_eviction_line rows[SNAPSHOT_EVICTION_BINS + 1];
    struct snapshot_eviction_line columns[SNAPSHOT_EVICTION_BINS + 1];
    double cells[SNAPSHOT_EVICTION_BINS + 1][SNAPSHOT_EVICTION_BINS + 1];
    double misses;
};

struct snapshot_causes_list {
    struct snapshot_causes_row *rows; /* most misses first, SNAPSHOT_CAUSES_ROWS at most */
    size_t count;
    size_t left_out;
    struct snapshot_evictions evictions;
};

struct snapshot_causes {
    bool known; /* known for misses of the ranking event; otherwise the rest is empty */
    struct snapshot_causes_figures all; /* self_evicted: evicted by the object itself */
    struct snapshot_causes_list by_kind[CAUSES_KINDS];
};

/* Miss-ratio curves of a fully associative LRU cache, from the reuse distances sampled by a
 * simulation. From 1 KiB to 1 GiB, two points per power of two. */
enum { REUSE_POINTS = 41, REUSE_MARKS = 8 };

/* Returns the cache size of a point in bytes. */
double snapshot_reuse_size(unsigned point);

struct snapshot_reuse_mark {
    char name[12]; /* "L1"; "own L1" for this machine's cache if another one is simulated */
    uint64_t size_bytes;
    bool simulated;
};

struct snapshot_reuse_row {
    uint32_t object; /* index into objects; UINT32_MAX: not listed there, or a source line */
    uint32_t code;   /* index into code of the function of a source line; UINT32_MAX: none */
    uint64_t id;     /* stays the same in later snapshots */
    const char *name;
    uint32_t line;
    const char *function; /* function of a source line; NULL: the row is an object */
    double uses;          /* number of intervals that the figures are computed from */
    double share;         /* fraction of all accesses */
    double first;         /* fraction of its accesses that miss in any cache: first use of a line */
    /* Miss ratio of a cache of each size, with its 95 % interval. */
    struct snapshot_share miss[REUSE_POINTS];
    struct snapshot_share at[REUSE_MARKS]; /* miss ratio at the marks */
};

struct snapshot_reuse {
    bool known;                                    /* otherwise the other members are empty */
    struct snapshot_reuse_mark marks[REUSE_MARKS]; /* simulated caches first */
    size_t mark_count;
    struct snapshot_reuse_row all;
    struct snapshot_reuse_row *objects; /* most accesses first */
    size_t object_count;
    struct snapshot_reuse_row *lines; /* source lines, or functions if lines are not known */
    size_t line_count;
};

#endif
