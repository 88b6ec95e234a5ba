/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sums that rates are made of, out of the tables that are kept for other reasons: tallies by
 * event, and levels. */
#include "profile/state.h"

#include <math.h>

static double read_squares(const struct build *build, const struct counted *counted)
{
    return counted_read(counted, build->snapshot->basis, build->scale * build->scale);
}

static struct amount read_tally(const struct build *build, const struct tally *tally)
{
    return (struct amount){build_read(build, &tally->weight), read_squares(build, &tally->squares)};
}

static void add_levels(const struct build *build, const struct levels *levels,
                       struct rates_sums *sums)
{
    for (int i = 0; levels && i < DATA_LEVEL_COUNT; i++) {
        double waited = build_read(build, &levels->at[LEVELS_WAITED(i)]);
        sums->found[i] += build_read(build, &levels->at[LEVELS_FOUND(i)]);
        sums->waited_at[i] += waited;
        sums->waited.weight += waited;
    }
    if (levels)
        sums->waited.squares += read_squares(build, &levels->at[LEVELS_WAITED_SQUARES]);
}

/* The event whose samples say where the data was; -1: none. */
static int telling(const struct rates_plan *plan)
{
    return plan->recorded ? plan->access : plan->timed;
}

/* Some levels that are told, not only that there is one. */
static bool tells_levels(const struct build *build, const struct levels *levels)
{
    for (int i = DATA_UNKNOWN + 1; i < DATA_LEVEL_COUNT; i++)
        if (build_read(build, &levels->at[LEVELS_FOUND(i)]) > 0)
            return true;
    return false;
}

static bool tells_latencies(const struct build *build, const struct levels *levels)
{
    return read_squares(build, &levels->at[LEVELS_WAITED_SQUARES]) > 0;
}

static void plan(struct build *build)
{
    const struct profile *profile = build->profile;
    const struct snapshot_source *source = &build->snapshot->source;
    build->rates = rates_plan(source, false, -1);
    int access = build->rates.access < profile->options.event_count ? build->rates.access : -1;
    bool recorded = access >= 0 && tells_levels(build, &profile->all_levels[access]);
    int told = recorded ? access : build->event;
    int timed = tells_latencies(build, &profile->all_levels[told]) ? told : -1;
    build->rates = rates_plan(source, recorded, timed);
}

static const struct exact_counts *exact_all(struct build *build)
{
    const struct place_names *names = &build->profile->options.names;
    struct exact_counts *counts = NULL;
    if (names->exact)
        counts = arena_array(build->arena, 1, sizeof *counts);
    return counts && names->exact(names->context, EXACT_ALL, 0, counts) ? counts : NULL;
}

static struct snapshot_rates *keep(struct build *build, const struct snapshot_rates *rates)
{
    struct snapshot_rates *kept = arena_array(build->arena, 1, sizeof *kept);
    build->failed |= !kept;
    if (kept)
        *kept = *rates;
    return kept;
}

struct snapshot_rates *build_rates(struct build *build, const struct rates_sums *sums)
{
    struct snapshot_rates rates;
    bool known = rates_make(&build->rates, sums, &build->rates_all, &rates);
    return known ? keep(build, &rates) : NULL;
}

/* NULL: not counted exactly. */
static struct snapshot_rates *counted_exactly(struct build *build, enum exact_of of, uint32_t id)
{
    const struct place_names *names = &build->profile->options.names;
    struct exact_counts counts;
    struct snapshot_rates rates;
    bool known = build->exact && names->exact(names->context, of, id, &counts) &&
                 rates_make_exact(&counts, build->exact, &rates);
    return known ? keep(build, &rates) : NULL;
}

struct snapshot_rates *build_all_rates(struct build *build)
{
    const struct profile *profile = build->profile;
    struct rates_sums *all = &build->rates_all;
    plan(build);
    for (uint16_t i = 0; i < profile->options.event_count; i++)
        all->events[i] = read_tally(build, &profile->all[i]);
    if (telling(&build->rates) >= 0)
        add_levels(build, &profile->all_levels[telling(&build->rates)], all);
    build->exact = exact_all(build);
    struct snapshot_rates *exact = counted_exactly(build, EXACT_ALL, 0);
    return exact ? exact : build_rates(build, all);
}

/* Of an object or a function. */
static void add_tallies(const struct build *build, const struct tallies *tallies,
                        const struct levels_table *levels, uint32_t id, struct rates_sums *sums)
{
    int told = telling(&build->rates);
    for (uint16_t i = 0; i < build->profile->options.event_count; i++)
        sums->events[i] = read_tally(build, tallies_at(tallies, id, i));
    if (told >= 0)
        add_levels(build, levels_find(levels, (size_t)id * tallies->events + (size_t)told, 1),
                   sums);
}

void build_sum_object_rates(const struct build *build, uint32_t object, struct rates_sums *sums)
{
    const struct profile *profile = build->profile;
    add_tallies(build, &profile->objects, &profile->object_levels, object, sums);
}

void build_sum_function_rates(const struct build *build, uint32_t function, struct rates_sums *sums)
{
    const struct profile *profile = build->profile;
    add_tallies(build, &profile->functions, &profile->function_levels, function, sums);
}

struct snapshot_rates *build_object_rates(struct build *build, uint32_t object)
{
    struct rates_sums sums = {0};
    struct snapshot_rates *exact = counted_exactly(build, EXACT_OBJECT, object);
    if (exact)
        return exact;
    build_sum_object_rates(build, object, &sums);
    return build_rates(build, &sums);
}

struct snapshot_rates *build_function_rates(struct build *build, uint32_t function)
{
    struct rates_sums sums = {0};
    struct snapshot_rates *exact = counted_exactly(build, EXACT_FUNCTION, function);
    if (exact)
        return exact;
    build_sum_function_rates(build, function, &sums);
    return build_rates(build, &sums);
}

/* Pairs have no squares: their samples are taken to weigh as unevenly as the object's. */
static struct amount read_pair(const struct build *build, const struct pair *pair)
{
    struct amount object =
        read_tally(build, tallies_at(&build->profile->objects, PAIR_OBJECT(pair->owner),
                                     (uint16_t)PAIR_EVENT(pair->owner)));
    double weight = build_read(build, &pair->weight);
    return (struct amount){weight, object.weight > 0 ? weight * object.squares / object.weight : 0};
}

/* `levels`: of the pairs of the same table. */
static void add_pair(const struct build *build, const struct pairs *pairs,
                     const struct levels_table *levels, const struct pair *pair,
                     struct rates_sums *sums)
{
    struct amount amount = read_pair(build, pair);
    uint32_t event = PAIR_EVENT(pair->owner);
    sums->events[event].weight += amount.weight;
    sums->events[event].squares += amount.squares;
    if ((int)event == telling(&build->rates))
        add_levels(
            build,
            levels_find(levels, (size_t)(pair - pairs->at), pairs_hash(pair->owner, pair->key)),
            sums);
}

void build_sum_offset_rates(const struct build *build, const struct pair *pair,
                            struct rates_sums *sums)
{
    const struct profile *profile = build->profile;
    for (uint16_t i = 0; i < profile->options.event_count; i++) {
        uint32_t owner = PAIR_OWNER(PAIR_OBJECT(pair->owner), i);
        const struct pair *other = pairs_find(&profile->offsets, pairs_hash(owner, pair->key));
        if (other)
            add_pair(build, &profile->offsets, &profile->offset_levels, other, sums);
    }
}

void build_sum_code_rates(const struct build *build, const struct pair *pair,
                          struct rates_sums *sums)
{
    add_pair(build, &build->profile->code, &build->profile->code_levels, pair, sums);
}
