/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Levels of several parts together, as if they had been one: for cells of the matrix that the user
 * combined, and for its totals. */
#ifndef MISSTOP_VIEW_LEVELS_SUM_H
#define MISSTOP_VIEW_LEVELS_SUM_H

#include "snapshot.h"

#include <stdbool.h>

struct levels_sum {
    struct snapshot_levels levels; /* `found` points into this, where it is known */
    char found[96];
    unsigned parts; /* 0: nothing is known */
};

void levels_sum_begin(struct levels_sum *sum);
void levels_sum_add(struct levels_sum *sum, const struct snapshot_levels *levels);
/* Shares and names from the sums. Not to be copied or moved after. */
void levels_sum_end(struct levels_sum *sum);

#endif
