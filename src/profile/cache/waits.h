/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Bounds of the time spent waiting for data, from samples of time alone (doc/design/waits.md): they
 * follow from the lines to which the window's samples return, and the number of lines. For one
 * snapshot, after window_count(). Private to src/profile.
 */
#ifndef MISSTOP_PROFILE_CACHE_WAITS_H
#define MISSTOP_PROFILE_CACHE_WAITS_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/cache/window.h"

enum {
    WAITS_SETS = 64, /* sets of an L1d: the index is within a 4 KiB page */
    WAITS_CLASSES = 32
};

/*
 * One cache set, or a whole level if its index is not known. Its lines are in classes by their
 * number of samples; lines of several threads are in the first class, which does not count as held.
 */
struct waits_set {
    uint32_t lines[WAITS_CLASSES];
    double samples[WAITS_CLASSES];
    unsigned held_from_class; /* lines from this class on are held until evicted */
    double eviction_samples;  /* samples on each held line that may have waited for an eviction */
};

struct waits {
    const struct window *window;
    uint64_t lines[WAIT_LEVELS]; /* lines of L1d, L2, L3; 0: not known */
    struct waits_set first[WAITS_SETS];
    struct waits_set of_levels[WAIT_LEVELS]; /* L2, L3 */
    struct hash volatile_lines; /* lines that can disappear at any time, by entry index */
    struct hash threads;        /* tid */
};

/* Sums of one group of samples: an object, a function, or everything. Initialised to zero. */
struct waits_sums {
    double samples;
    double may_have_waited[WAIT_LEVELS]; /* may have waited, without those in `pass_starts` */
    double pass_starts[WAIT_LEVELS]; /* first accesses of a pass to a line, which may have waited */
    double pass_start_hits[WAIT_LEVELS]; /* estimated number of `pass_starts` that did not wait */
    double chases;                       /* samples at an address that the same loop loaded */
    double chases_hot;                   /* chases on lines with at least three samples */
    double chases_twice;                 /* chases on lines with two samples */
    double page_starts;                  /* chases on the first lines of a page */
    /* forward steps between consecutive chases of a thread that are close in time */
    double steps_forward;
    double steps_backward; /* backward steps */
    double step_ns;        /* total time of these steps */
    uint64_t lowest;       /* addresses of the chases */
    uint64_t highest;
    uint64_t last;
    uint64_t last_ns;
    uint32_t last_tid;
};

/* `elsewhere`: samples outside the window that may have waited for other lines. `objects`: those
 * with lines that can disappear. False: out of memory; call waits_fini() in any case. */
bool waits_init(struct waits *waits, const struct window *window, const uint64_t lines[WAIT_LEVELS],
                double elsewhere, const struct hash *objects);
void waits_fini(struct waits *waits);

void waits_take(const struct waits *waits, const struct window_entry *entry,
                struct waits_sums *const *sums, size_t count);

/* Returns a lower bound of the samples that waited, from the chases of an object. */
double waits_chased(const struct waits *waits, const struct waits_sums *sums,
                    enum wait_level level);

/* Returns the bounds of the share of `sums` that waited. `chased`: from waits_chased(). */
struct snapshot_wait waits_bounds(const struct waits *waits, const struct waits_sums *sums,
                                  const double chased[WAIT_LEVELS]);
/* Sets uninformative bounds, from 0 to nearly all, to NAN. */
void waits_drop_uninformative(struct snapshot_wait *wait);

#endif
