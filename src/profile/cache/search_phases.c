/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/cache/search_phases.h"

#include <stdlib.h>
#include <string.h>

void search_phases_fini(struct search_phases *kept)
{
    free(kept->marks);
    for (unsigned i = 0; i < SEARCH_KEPT; i++)
        free(kept->kept[i].mark);
}

void search_phases_clear(struct search_phases *kept)
{
    search_phases_fini(kept);
    *kept = (struct search_phases){.phase = PHASES_NONE};
}

static void mark_search(struct search_phases *kept, const struct search *search, uint64_t at_ns)
{
    if (!kept->marks)
        kept->marks = malloc(SEARCH_MARKS * sizeof *kept->marks);
    if (!kept->marks)
        return;
    const struct search_mark *last =
        &kept->marks[(kept->mark_count + SEARCH_MARKS - 1) % SEARCH_MARKS];
    if (kept->mark_count && last->at_ns == at_ns)
        return;
    struct search_mark *next = &kept->marks[kept->mark_count++ % SEARCH_MARKS];
    next->at_ns = at_ns;
    next->search = *search;
}

/* Returns the newest copy before a change; NULL: none is that old. */
static const struct search_mark *newest_mark_before(const struct search_phases *kept,
                                                    uint64_t at_ns)
{
    unsigned known = kept->mark_count < SEARCH_MARKS ? kept->mark_count : SEARCH_MARKS;
    for (unsigned back = 1; back <= known; back++) {
        const struct search_mark *mark = &kept->marks[(kept->mark_count - back) % SEARCH_MARKS];
        if (mark->at_ns <= at_ns)
            return mark;
    }
    return NULL;
}

static struct search_kept *find_kept_search(struct search_phases *kept, uint8_t phase)
{
    for (unsigned i = 0; i < SEARCH_KEPT; i++)
        if (kept->kept[i].mark && kept->kept[i].phase == phase)
            return &kept->kept[i];
    return NULL;
}

/* Returns an empty slot, or the slot of the phase that ended longest ago; NULL: out of memory. */
static struct search_kept *search_phases_make_room(struct search_phases *kept)
{
    struct search_kept *oldest = &kept->kept[0];
    for (unsigned i = 0; i < SEARCH_KEPT; i++) {
        struct search_kept *one = &kept->kept[i];
        if (!one->mark) {
            one->mark = malloc(sizeof *one->mark);
            return one->mark ? one : NULL;
        }
        if (one->mark->at_ns < oldest->mark->at_ns)
            oldest = one;
    }
    return oldest;
}

/* Saves the search of a phase. Keeps the saved one if it has more measurements: a phase that was
 * not recognised at first restarted its search. */
static void keep_search_of_phase(struct search_phases *kept, uint8_t phase,
                                 const struct search_mark *mark)
{
    struct search_kept *place = find_kept_search(kept, phase);
    if (phase == PHASES_NONE || !mark)
        return;
    if (place && phase != kept->phase && place->mark->search.rounds > mark->search.rounds)
        return;
    if (!place)
        place = search_phases_make_room(kept);
    if (!place)
        return;
    *place->mark = *mark;
    place->phase = phase;
}

/* Replaces the regions and the interval. Counts over all phases stay. */
static void restore_search(struct search *search, const struct search_mark *mark, uint64_t now_ns)
{
    const struct search *from = &mark->search;
    uint64_t counted_ns = mark->at_ns > from->started_ns ? mark->at_ns - from->started_ns : 0;
    search->started_ns = now_ns > counted_ns ? now_ns - counted_ns : 0;
    search->all_weight = from->all_weight;
    search->all_samples = from->all_samples;
    memcpy(search->active, from->active, from->active_count * sizeof *from->active);
    search->active_count = from->active_count;
    search->frame = from->frame;
    search->recent_count = 0;
    search->queue = from->queue;
    search->state = from->state;
    search->ways_active = from->ways_active;
    search->interval_ns = from->interval_ns;
    search->shortest_ns = from->shortest_ns;
    search->splits = from->splits;
    search->rounds = from->rounds;
    search->recheck = from->recheck;
}

/* Switches to the search of the new phase; returns the time from which it counts. */
static uint64_t change_phase(struct search_phases *kept, struct search *search,
                             const struct phases *phases, uint64_t now_ns)
{
    const struct phases_segment *last = &phases->segments[phases->segment_count - 1];
    /* A transition that was taken for a phase has no useful measurements. */
    bool edge = phases->after_transition || phases->segment_count < 2;
    if (!edge)
        keep_search_of_phase(kept, last[-1].phase, newest_mark_before(kept, last->start_ns));
    kept->phase = phases_now(phases);
    kept->mark_count = 0;
    const struct search_kept *known =
        kept->phase != PHASES_NONE ? find_kept_search(kept, kept->phase) : NULL;
    uint64_t begun_ns = edge ? now_ns : last->start_ns;
    if (known)
        restore_search(search, known->mark, begun_ns);
    else
        search_restart(search, begun_ns);
    return begun_ns;
}

uint64_t search_phases_step(struct search_phases *kept, struct search *search,
                            const struct phases *phases, bool changed, uint64_t now_ns)
{
    if (search->state == SEARCH_OFF)
        return now_ns;
    if (changed)
        return change_phase(kept, search, phases, now_ns);
    mark_search(kept, search, phases->segments[phases->segment_count - 1].end_ns);
    return now_ns;
}

void search_history_fini(struct search_history *before)
{
    for (unsigned i = 0; i < before->count; i++)
        free(before->list[i]);
}

void search_history_clear(struct search_history *before)
{
    search_history_fini(before);
    *before = (struct search_history){0};
}

/* Allocates a search; reuses the oldest if the list is full. */
static struct search *search_history_make_room(struct search_history *before)
{
    if (before->count < SEARCH_BEFORE_MAX)
        return malloc(sizeof(struct search));
    struct search *oldest = before->list[0];
    memmove(before->list, before->list + 1, --before->count * sizeof *before->list);
    return oldest;
}

void search_history_put(struct search_history *before, const struct search *search)
{
    if (search->state == SEARCH_OFF || !search->rounds)
        return;
    struct search *copy = search_history_make_room(before);
    if (!copy)
        return;
    *copy = *search;
    before->list[before->count++] = copy;
}

bool search_history_take(struct search_history *before, struct search *search, uint64_t now_ns)
{
    if (!before->count)
        return false;
    struct search *newest = before->list[--before->count];
    *search = *newest;
    free(newest);
    search_measure_again(search, now_ns);
    return true;
}

const char *search_history_what(const struct search_history *before)
{
    return before->count ? before->list[before->count - 1]->range_name : NULL;
}
