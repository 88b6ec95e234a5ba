/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The search's priority queue: measured regions, the highest share first. Bounded: when it
 * is full the region with the smallest share gives way. */
#ifndef MISSTOP_PROFILE_SEARCH_QUEUE_H
#define MISSTOP_PROFILE_SEARCH_QUEUE_H

#include "profile/search_region.h"

enum { SEARCH_QUEUE_MAX = 512 };

struct search_queue {
    struct region at[SEARCH_QUEUE_MAX]; /* by share, descending */
    uint32_t count;
};

void search_queue_put(struct search_queue *queue, const struct region *region);
struct region search_queue_take(struct search_queue *queue, uint32_t index);

/* How many of the best are final, up to the first that is not. */
uint32_t search_queue_finals(const struct search_queue *queue);

/* Sum of the shares of regions that could still be split. */
double search_queue_unsearched(const struct search_queue *queue);

#endif
