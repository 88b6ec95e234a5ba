/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Keeps what comes by the million a second to a rate that a recording can hold: some are left out
 * by chance, and those that stay stand for them, so that sums stay right on average. A plain value,
 * begun with zeros; the clock is passed in. For src/engine/recorder.c.
 */
#ifndef MISSTOP_STORE_THINNING_H
#define MISSTOP_STORE_THINNING_H

#include "base/hash.h"

#include <stdbool.h>

enum { THINNING_PER_S = 20000 };

struct thinning {
    struct prng prng;
    uint64_t from_ns; /* when it began to count those that stay */
    unsigned kept;    /* since then */
    unsigned shift;   /* one in so many powers of two stays */
};

/* Whether this one stays; then its weight has grown by what it stands for. Times that go back count
 * as the same moment. */
bool thinning_keeps(struct thinning *thinning, uint64_t now_ns, uint64_t *weight);

#endif
