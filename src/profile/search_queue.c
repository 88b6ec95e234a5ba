/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/search_queue.h"

#include <string.h>

void search_queue_put(struct search_queue *queue, const struct region *region)
{
    uint32_t i = queue->count;
    if (i == SEARCH_QUEUE_MAX) {
        if (queue->at[i - 1].share >= region->share)
            return;
        i = --queue->count;
    }
    for (; i > 0 && queue->at[i - 1].share < region->share; i--)
        queue->at[i] = queue->at[i - 1];
    queue->at[i] = *region;
    queue->count++;
}

struct region search_queue_take(struct search_queue *queue, uint32_t index)
{
    struct region region = queue->at[index];
    queue->count--;
    memmove(&queue->at[index], &queue->at[index + 1], (queue->count - index) * sizeof queue->at[0]);
    return region;
}

uint32_t search_queue_finals(const struct search_queue *queue)
{
    uint32_t finals = 0;
    while (finals < queue->count && queue->at[finals].final)
        finals++;
    return finals;
}

double search_queue_unsearched(const struct search_queue *queue)
{
    double sum = 0;
    for (uint32_t i = 0; i < queue->count; i++)
        if (!queue->at[i].final)
            sum += queue->at[i].share;
    return sum;
}
