/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the tables do as time goes on: samples into the run over time, and its steps; declared in
 * state.h. */
#include "profile/state.h"

/* What a sample of the event that ranks says of other measures. */
static void count_told(struct profile *profile, const struct timeline_part *part,
                       const struct access *access)
{
    double waited = measures_waited(&profile->measures, access);
    double missed = measures_missed(&profile->measures, access);
    if (waited > 0)
        timeline_count(&profile->timeline, part, MEASURE_WAITING, waited);
    if (missed > 0)
        timeline_count(&profile->timeline, part, MEASURE_MISSES, missed);
}

void profile_count_time(struct profile *profile, const struct place *place,
                        const struct timeline_part *part)
{
    const struct access *access = &place->access;
    enum snapshot_measure measure =
        (enum snapshot_measure)profile->measures.of_event[access->event];
    timeline_count(&profile->timeline, part, measure, tally_weight(access));
    if (access->event != profile->options.ranking)
        return;
    timeline_count_phases(&profile->timeline, place);
    if (levels_apply(access))
        count_told(profile, part, access);
}

/* The window has no weights: each of its samples gets the mean. */
static void search_again(struct profile *profile, uint64_t from_ns)
{
    const struct tally *all = &profile->all[profile->options.ranking];
    double samples = all->samples.at[BASIS_RUN];
    double weight = samples > 0 ? all->weight.at[BASIS_RUN] / samples : 1;
    for (uint32_t i = 0; i < profile->window.used; i++) {
        const struct window_entry *entry = window_at(&profile->window, i);
        if (entry->time_ns < from_ns)
            continue;
        search_tick(&profile->search, entry->time_ns);
        search_count(&profile->search, entry->address, weight);
    }
}

void profile_step(struct profile *profile, uint64_t now_ns)
{
    struct timeline_totals totals = {.measures = &profile->measures,
                                     .objects = {&profile->objects, &profile->object_levels},
                                     .functions = {&profile->functions, &profile->function_levels},
                                     .all = profile->all,
                                     .all_levels = &profile->all_levels[profile->options.ranking],
                                     .unplaced = profile->unplaced.all,
                                     .names = &profile->options.names};
    bool changed = timeline_step(&profile->timeline, &totals, now_ns);
    uint64_t again_ns = search_phases_step(&profile->search_phases, &profile->search,
                                           &profile->timeline.phases, changed, now_ns);
    if (again_ns < now_ns)
        search_again(profile, again_ns);
}
