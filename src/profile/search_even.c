/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/search_part.h"

#include <math.h>

enum { EVEN_SPLITS = 3 };

/* Two halves with as good as the same count. */
static bool halves_even(const struct region *a, const struct region *b)
{
    double low = (double)(a->samples < b->samples ? a->samples : b->samples);
    double high = (double)(a->samples < b->samples ? b->samples : a->samples);
    return low >= 8 && high - low <= 3 * sqrt(high + low) && high <= 2 * low;
}

/* The range has no hotter part: one final region stands for all of it again. */
static void close_range(struct search *search, struct region *piece)
{
    struct region whole = {.base = piece->even_base,
                           .bound = piece->even_bound,
                           .object = piece->object,
                           .final = true,
                           .state = REGION_OBJECT,
                           .reason = "evenly spread: no hotter part",
                           .ranked_share = 1};
    double share = 0;
    for (uint32_t i = 0; i < search->queue.count; i++)
        if (search->queue.at[i].base >= whole.base && search->queue.at[i].bound <= whole.bound)
            share += search->queue.at[i].share;
    whole.share = share;
    search_queue_remove(&search->queue, whole.base, whole.bound);
    search_queue_put(&search->queue, &whole);
}

void search_note_evenness(struct search *search)
{
    for (uint32_t i = 0; i + 1 < search->active_count; i++) {
        struct region *a = &search->active[i];
        struct region *b = a + 1;
        if (!a->open || a->iterations || a->parent != b->parent)
            continue;
        bool even = region_size(a) >= SEARCH_PAGE && halves_even(a, b);
        a->even = b->even = even ? a->even + 1 : 0;
    }
}

void search_close_even_ranges(struct search *search)
{
    for (uint32_t i = 0; i < search->queue.count; i++)
        if (search->queue.at[i].open && !search->queue.at[i].final &&
            search->queue.at[i].even >= EVEN_SPLITS) {
            struct region piece = search->queue.at[i];
            close_range(search, &piece);
            i = UINT32_MAX; /* the queue has changed: from the start */
        }
}
