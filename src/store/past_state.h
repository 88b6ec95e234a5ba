/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What past.c fills, past_thin.c thins and past_read.c reads. For store/past*.c only. */
#ifndef MISSTOP_STORE_PAST_STATE_H
#define MISSTOP_STORE_PAST_STATE_H

#include "base/hash.h"
#include "store/past.h"
#include "store/past_segment.h"

struct past_reading {
    const struct stretch *stretches;
    size_t count;
    size_t segment; /* that is read now; coder stands in it */
    bool goes_on;
    struct coder coder;
};

struct past {
    unsigned char *bytes;     /* of all segments */
    struct segment *segments; /* [room], in the order of time; the last one is being written */
    size_t count;
    size_t room;
    unsigned char *spare; /* bytes of one more: thinning writes there */
    struct coder writing;
    struct past_reading reading;
    struct coder thinned; /* scratch of past_thin() */
    struct coder thinning;
    struct prng prng;
    uint64_t seen;
    uint64_t kept;
};

/* Two segments become one, so that there is room for another: past->count goes down by one. */
void past_thin(struct past *past);

#endif
