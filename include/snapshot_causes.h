/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Part of struct snapshot (its rules are in snapshot.h): causes of misses and evictors of the
 * missed lines, of the ranking event; simulation only (--sim). */
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

/* Of an object, a function, a thread, a field, a cell of the matrix, or everything. */
struct snapshot_causes_figures {
    double samples;
    double misses;             /* misses represented */
    double share[CAUSE_COUNT]; /* of the misses; [CAUSE_NOT_KNOWN]: 0 */
    double evicted;            /* misses with a known evictor */
    double by_itself; /* part of these evicted by the row itself; NAN: none, or not known */
    /* Parts of the misses: lines evicted before they were reused (DTrack 3.5), by the object
     * itself, or by another. */
    double early_same;
    double early_other;
};

/* A function's accesses to an object that needed the room. */
struct snapshot_evictor {
    const char *function; /* "unknown" where it is */
    const char *object;   /* NULL: not known */
    uint32_t object_id;
    uint32_t function_id;
    double share; /* of the misses with a known evictor */
};

/* The objects or functions that evicted it. */
struct snapshot_evictor_thread {
    const char *name; /* "worker (123)" */
    uint32_t tid;     /* 0: one of the threads that are not counted one by one */
    double share;     /* of the misses with a known evictor */
};

struct snapshot_causes_row {
    uint32_t index; /* into objects, or code; UINT32_MAX: not listed there, or a thread */
    uint32_t id; /* of the object or function; thread id, 0: the threads that are not counted one by
                    one */
    const char *name;
    struct snapshot_causes_figures figures;
    double unlisted; /* part of figures.evicted that found no room in the table; NAN */
    struct snapshot_evictor evictors[SNAPSHOT_EVICTORS]; /* largest share first; none of threads */
    size_t evictor_count;
    struct snapshot_evictor_thread threads[SNAPSHOT_EVICTOR_THREADS]; /* the same, of threads too */
    size_t thread_count;
};

enum causes_of { CAUSES_OBJECTS, CAUSES_FUNCTIONS, CAUSES_THREADS, CAUSES_KINDS };

/* A line of the matrix of who evicts whom. */
struct snapshot_eviction_line {
    const char *name; /* NULL: the others, and those not known */
    uint32_t id;
    double misses;
};

/*
 * Rows: objects or threads that missed. Columns: those that had evicted the lines. Most misses
 * first; the others last on both sides, with all below 0.1 %. Cells add up to the rows, and these
 * to `misses`: all misses with a known evictor. Evictors that the bounded table forgot are in the
 * others.
 */
struct snapshot_evictions {
    size_t row_count; /* without the others; 0: nothing is known */
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
    bool known; /* causes of misses of the ranking event came in; else the rest is empty */
    struct snapshot_causes_figures all; /* by_itself: by the object itself */
    struct snapshot_causes_list of[CAUSES_KINDS];
};

/* Miss-ratio curves of a fully associative LRU cache, by reuse distances that a simulation samples:
 * from 1 KiB to 1 GiB, two steps to a factor of two. */
enum { REUSE_POINTS = 41, REUSE_MARKS = 8 };

/* Size of the cache of a point, bytes. */
double snapshot_reuse_size(unsigned point);

/* A cache to be found on the curve. */
struct snapshot_reuse_mark {
    char name[12]; /* "L1"; of this machine, where another is simulated: "own L1" */
    uint64_t size_bytes;
    bool simulated;
};

struct snapshot_reuse_row {
    uint32_t object; /* index into objects; UINT32_MAX: not listed there, or a source line */
    uint32_t code;   /* index into code of the function that a source line is of; UINT32_MAX */
    uint64_t id;     /* stays the same for the same thing */
    const char *name;
    uint32_t line;        /* of a source line: its number, 0: not known; and its */
    const char *function; /* function. NULL: an object */
    double uses;          /* intervals the figures are computed from */
    double share;         /* of all accesses */
    double first;         /* part of its accesses that no cache has: lines not used before */
    /* Miss ratio of a cache of that size, with its 95 % interval. */
    struct snapshot_share miss[REUSE_POINTS];
    struct snapshot_share at[REUSE_MARKS]; /* the same at the marks */
};

struct snapshot_reuse {
    bool known;                                    /* else the rest is empty */
    struct snapshot_reuse_mark marks[REUSE_MARKS]; /* the simulated ones first */
    size_t mark_count;
    struct snapshot_reuse_row all;
    struct snapshot_reuse_row *objects; /* most accesses first */
    size_t object_count;
    struct snapshot_reuse_row *lines; /* source lines, or functions where lines are not known */
    size_t line_count;
};

#endif
