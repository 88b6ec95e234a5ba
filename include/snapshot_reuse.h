/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Part of struct snapshot (snapshot.h, where its rules stand): what a cache of any size would miss,
 * by reuse distances that a simulation samples (--sim): miss-ratio curves of a fully associative
 * LRU cache, of everything, of objects and of source lines.
 */
#ifndef MISSTOP_SNAPSHOT_REUSE_H
#define MISSTOP_SNAPSHOT_REUSE_H

#include "snapshot_share.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* From 1 KiB to 1 GiB, two steps to a factor of two. */
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
    double uses;          /* that were told: what the figures rest on */
    double share;         /* of all accesses */
    double first;         /* part of its accesses that no cache has: lines not used before */
    /* Part of its accesses that a cache of that size misses, and between what it is: 95 %. */
    struct snapshot_share miss[REUSE_POINTS];
    struct snapshot_share at[REUSE_MARKS]; /* the same at the marks */
};

struct snapshot_reuse {
    bool told;                                     /* else the rest is empty */
    struct snapshot_reuse_mark marks[REUSE_MARKS]; /* the simulated ones first */
    size_t mark_count;
    struct snapshot_reuse_row all;
    struct snapshot_reuse_row *objects; /* most accesses first */
    size_t object_count;
    struct snapshot_reuse_row *lines; /* source lines, or functions where lines are not known */
    size_t line_count;
};

#endif
