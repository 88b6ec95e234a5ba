/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/search_before.h"

#include <stdlib.h>
#include <string.h>

void search_before_fini(struct search_before *before)
{
    for (unsigned i = 0; i < before->count; i++)
        free(before->list[i]);
}

void search_before_clear(struct search_before *before)
{
    search_before_fini(before);
    *before = (struct search_before){0};
}

/* The place of the oldest where there is no other. */
static struct search *make_room(struct search_before *before)
{
    if (before->count < SEARCH_BEFORE_MOST)
        return malloc(sizeof(struct search));
    struct search *oldest = before->list[0];
    memmove(before->list, before->list + 1, --before->count * sizeof *before->list);
    return oldest;
}

void search_before_put(struct search_before *before, const struct search *search)
{
    if (search->state == SEARCH_OFF || !search->rounds)
        return;
    struct search *copy = make_room(before);
    if (!copy)
        return;
    *copy = *search;
    before->list[before->count++] = copy;
}

bool search_before_take(struct search_before *before, struct search *search, uint64_t now_ns)
{
    if (!before->count)
        return false;
    struct search *newest = before->list[--before->count];
    *search = *newest;
    free(newest);
    search_measure_again(search, now_ns);
    return true;
}

const char *search_before_what(const struct search_before *before)
{
    return before->count ? before->list[before->count - 1]->what : NULL;
}
