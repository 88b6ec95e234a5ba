/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Bounds of the time that waits for data, from samples of time alone (doc/design/waits.md): which
 * lines the window's samples come back to, and how many lines there are. For one snapshot, after
 * window_count(). Private to src/profile.
 */
#ifndef MISSTOP_PROFILE_CACHE_WAITS_H
#define MISSTOP_PROFILE_CACHE_WAITS_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/cache/window.h"

enum {
    WAITS_SETS = 64, /* of an L1d: the index is within a page of 4 KiB */
    WAITS_CLASSES = 32
};

/* One cache set, or all of a level if its index is not known. Its lines by the samples on them,
 * in classes; lines of several threads are in the first, which is not taken to be held. */
struct waits_set {
    uint32_t lines[WAITS_CLASSES];
    double samples[WAITS_CLASSES];
    unsigned held_from; /* lines from this class on are held until they are evicted, */
    double evicted;     /* for which so many samples on each may have waited */
};

struct waits {
    const struct window *window;
    uint64_t lines[WAIT_LEVELS]; /* of L1d, L2, L3; 0: not known */
    struct waits_set first[WAITS_SETS];
    struct waits_set whole[WAIT_LEVELS]; /* L2, L3 */
    struct hash taken;   /* lines that may be gone at any time, by index of their entry */
    struct hash threads; /* tid */
};

/* Sums of one group of samples: of an object, a function, everything. Starts as zeros. */
struct waits_sums {
    double samples;
    double most[WAIT_LEVELS];       /* that may have waited, without those of `passes` */
    double passes[WAIT_LEVELS];     /* at the first access of a pass to a line: may have waited */
    double passes_hit[WAIT_LEVELS]; /* of these, as many as did not, by the later accesses */
    double chases;                  /* at an address that the same loop loaded, */
    double chases_hot;              /* ... on lines with three samples or more */
    double chases_twice;            /* ... on lines with two */
    double page_starts;             /* ... on the first lines of a page */
    double up;   /* steps from one of these to the next of the thread, if it came soon: forward, */
    double down; /* ... backward, */
    double step_ns;  /* ... and their time */
    uint64_t lowest; /* addresses of these */
    uint64_t highest;
    uint64_t last;
    uint64_t last_ns;
    uint32_t last_tid;
};

/* `elsewhere`: samples beside the window's that may have waited for other lines. `objects`: those
 * with lines that may be gone at any time. False: out of memory; waits_fini() in any case. */
bool waits_init(struct waits *waits, const struct window *window, const uint64_t lines[WAIT_LEVELS],
                double elsewhere, const struct hash *objects);
void waits_fini(struct waits *waits);

/* Adds a sample to the sums of `count` groups. */
void waits_take(const struct waits *waits, const struct window_entry *entry,
                struct waits_sums *const *sums, size_t count);

/* Samples that waited at the least by the chases of an object. */
double waits_chased(const struct waits *waits, const struct waits_sums *sums,
                    enum wait_level level);

/* The bounds of the part of `sums`, `chased` from waits_chased(). */
struct snapshot_wait waits_bounds(const struct waits *waits, const struct waits_sums *sums,
                                  const double chased[WAIT_LEVELS]);
/* Makes blank what says nothing: from 0 to nearly all. */
void waits_blank(struct snapshot_wait *wait);

#endif
