/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Lines and objects that miss together (PMPT 3.1): candidates for being placed together.
 * Two misses are together when they are of one thread and at most COMISS_NEAR samples
 * apart. A pair is reported when it is seen clearly more often than if misses came in
 * random order: at least COMISS_SUPPORT times and with a lift of COMISS_LIFT.
 * Works on the window, after window_count(); nothing is kept from sample to sample.
 */
#ifndef MISSTOP_PROFILE_COMISS_H
#define MISSTOP_PROFILE_COMISS_H

#include "base/hash.h"
#include "profile/window.h"

#include <stddef.h>

enum { COMISS_NEAR = 4, COMISS_SUPPORT = 8, COMISS_PAIRS_MAX = 64, COMISS_THREADS = 256 };
#define COMISS_LIFT 2.0

struct comiss_pair {
    uint64_t line_a; /* 0 in pairs of objects */
    uint64_t line_b;
    uint32_t object_a;
    uint32_t object_b;
    uint32_t together;
    double lift;
};

struct comiss {
    struct hash pairs;               /* (id, id) -> times seen */
    struct hash objects;             /* object -> samples in the window */
    uint32_t (*recent)[COMISS_NEAR]; /* [COMISS_THREADS]: window entries, newest first */
    struct comiss_pair found[COMISS_PAIRS_MAX];
    size_t found_count;
};

/* -ENOMEM. */
int comiss_init(struct comiss *comiss);
void comiss_fini(struct comiss *comiss);

/* Fills `found`: lines first, then objects, highest `together` first in each. */
void comiss_find(struct comiss *comiss, const struct window *window);

#endif
