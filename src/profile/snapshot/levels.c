/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where accesses found their data: as the hardware recorded it, else computed from several miss
 * events. Misses of the L2 that are not filled from memory were in the L3, and so on: the
 * difference of two estimates, so not below 0.
 */
#include <math.h>
#include <string.h>

#include "profile/state.h"

static void add_recorded(const struct build *build, const struct levels *levels,
                         struct levels_sums *sums)
{
    for (int i = 0; levels && i < LEVELS_COUNTS; i++)
        sums->recorded[i] += build_read(build, &levels->at[i]);
}

void build_sum_object(const struct build *build, uint32_t object, struct levels_sums *sums)
{
    const struct profile *profile = build->profile;
    size_t slot = (size_t)object * profile->objects.events + build->event;
    add_recorded(build, levels_find(&profile->object_levels, slot, 1), sums);
    for (uint16_t i = 0; i < profile->options.event_count; i++)
        sums->counted[i] += build_read(build, &tallies_at(&profile->objects, object, i)->weight);
}

void build_sum_offset(const struct build *build, const struct pair *pair, struct levels_sums *sums)
{
    const struct profile *profile = build->profile;
    size_t slot = (size_t)(pair - profile->offsets.at);
    add_recorded(build,
                 levels_find(&profile->offset_levels, slot, pairs_hash(pair->owner, pair->key)),
                 sums);
    for (uint16_t i = 0; i < profile->options.event_count; i++) {
        uint32_t owner = PAIR_OWNER(PAIR_OBJECT(pair->owner), i);
        const struct pair *other = pairs_find(&profile->offsets, pairs_hash(owner, pair->key));
        if (other)
            sums->counted[i] += build_read(build, &other->weight);
    }
}

void build_sum_code(const struct build *build, const struct pair *pair, struct levels_sums *sums)
{
    const struct profile *profile = build->profile;
    uint32_t event = PAIR_EVENT(pair->owner);
    size_t slot = (size_t)(pair - profile->code.at);
    sums->counted[event] += build_read(build, &pair->weight);
    if (event == build->event)
        add_recorded(build,
                     levels_find(&profile->code_levels, slot, pairs_hash(pair->owner, pair->key)),
                     sums);
}

double build_cycles(const struct build *build, const struct levels *levels)
{
    double cycles = 0;
    for (int i = 0; levels && i < DATA_LEVEL_COUNT; i++)
        cycles += build_read(build, &levels->at[LEVELS_WAITED(i)]);
    return cycles;
}

/* Weight of the first event of a role; NAN: none is sampled. */
static double weight_of_role(const struct build *build, const struct levels_sums *sums,
                             enum event_role role)
{
    const struct snapshot_source *source = &build->snapshot->source;
    uint16_t events = build->profile->options.event_count;
    for (uint16_t i = 0; i < events && i < source->event_count; i++)
        if (source->events[i].role == role)
            return sums->counted[i];
    return NAN;
}

static void set_level(struct snapshot_levels *levels, enum data_level level, double accesses)
{
    levels->level[level] = fmax(accesses, 0);
    levels->accesses += levels->level[level];
}

/* False: fewer than two of the events are sampled, which separate no levels. */
static bool work_out(const struct build *build, const struct levels_sums *sums,
                     struct snapshot_levels *levels)
{
    double l1 = weight_of_role(build, sums, EVENT_MISS_L1);
    double l2 = weight_of_role(build, sums, EVENT_MISS_L2);
    double memory = weight_of_role(build, sums, EVENT_MEM_FILL);
    if (!isnan(l1) + !isnan(l2) + !isnan(memory) < 2)
        return false;
    levels->from = LEVELS_COUNTED;
    levels->accesses = 0;
    if (!isnan(l1) && !isnan(l2))
        set_level(levels, DATA_L2, l1 - l2);
    if (isnan(l2))
        set_level(levels, DATA_CACHE, l1 - memory);
    else if (isnan(memory))
        set_level(levels, DATA_BEYOND_L2, l2);
    else
        set_level(levels, DATA_L3, l2 - memory);
    if (!isnan(memory))
        set_level(levels, DATA_MEMORY, memory);
    return levels->accesses > 0;
}

static double levels_share(double part, double whole)
{
    return whole > 0 ? part / whole : NAN;
}

static double sum(const double *counts, int count)
{
    double total = 0;
    for (int i = 0; i < count; i++)
        total += counts[i];
    return total;
}

static double told(const double *recorded)
{
    double total = 0;
    for (int i = 0; i < DATA_LEVEL_COUNT; i++)
        total += recorded[LEVELS_FOUND(i)];
    return total;
}

static double timed(const double *recorded)
{
    return sum(recorded + LEVELS_LATENCY, SNAPSHOT_LATENCY_CLASSES);
}

/* A data source that is "not available" in all its parts is recorded without information. */
static bool tells(const double *recorded)
{
    return told(recorded) > recorded[LEVELS_FOUND(DATA_UNKNOWN)] || timed(recorded) > 0 ||
           sum(recorded + LEVELS_TLB + 1, TLB_COUNT - 1) > 0 ||
           sum(recorded + LEVELS_SNOOP + 1, SNOOP_COUNT - 1) > 0 ||
           recorded[LEVELS_LOCKED] + recorded[LEVELS_BLOCK_KNOWN] > 0;
}

static double waited(const double *recorded)
{
    double total = 0;
    for (int i = 0; i < DATA_LEVEL_COUNT; i++)
        total += recorded[LEVELS_WAITED(i)];
    return total;
}

static void read_latency(const struct build *build, const double *recorded,
                         struct snapshot_levels *levels)
{
    if (!(timed(recorded) > 0))
        return;
    levels->latency = waited(recorded) / timed(recorded);
    levels->stall = levels_share(waited(recorded), build->waited);
    for (int i = 0; i < SNAPSHOT_LATENCY_CLASSES; i++)
        levels->histogram[i] = recorded[LEVELS_LATENCY + i];
    for (int i = 0; i < DATA_LEVEL_COUNT; i++)
        levels->waited[i] = recorded[LEVELS_WAITED(i)];
}

/* Where some are known: those without a data source come first. */
static void read_answers(const double *recorded, int count, double *answers)
{
    if (sum(recorded + 1, count - 1) > 0)
        memcpy(answers, recorded, (size_t)count * sizeof *answers);
}

static void read_recorded(const struct build *build, const double *recorded,
                          struct snapshot_levels *levels)
{
    levels->from = LEVELS_RECORDED;
    read_latency(build, recorded, levels);
    if (!(told(recorded) > 0))
        return;
    levels->accesses = told(recorded);
    for (int i = 0; i < DATA_LEVEL_COUNT; i++)
        levels->level[i] = recorded[LEVELS_FOUND(i)];
    read_answers(recorded + LEVELS_SNOOP, SNOOP_COUNT, levels->snoop);
    read_answers(recorded + LEVELS_TLB, TLB_COUNT, levels->tlb);
    levels->hitm = levels_share(levels->snoop[SNOOP_HITM], levels->accesses);
    levels->tlb_miss = levels_share(levels->tlb[TLB_MISS] + levels->tlb[TLB_FAULT],
                                    sum(levels->tlb + 1, TLB_COUNT - 1));
    levels->remote = levels_share(recorded[LEVELS_REMOTE], recorded[LEVELS_REMOTE_KNOWN]);
    levels->locked = levels_share(recorded[LEVELS_LOCKED], recorded[LEVELS_LOCK_KNOWN]);
    levels->blocked = levels_share(recorded[LEVELS_BLOCKED], recorded[LEVELS_BLOCK_KNOWN]);
}

static void set_unknown_each(double *figures, int count)
{
    for (int i = 0; i < count; i++)
        figures[i] = NAN;
}

static void set_unknown(struct snapshot_levels *levels)
{
    levels->found = NULL;
    levels->accesses = levels->far = levels->hitm = levels->tlb_miss = levels->remote = NAN;
    levels->locked = levels->blocked = levels->latency = levels->stall = NAN;
    set_unknown_each(levels->level, DATA_LEVEL_COUNT);
    set_unknown_each(levels->waited, DATA_LEVEL_COUNT);
    set_unknown_each(levels->snoop, SNOOP_COUNT);
    set_unknown_each(levels->tlb, TLB_COUNT);
    set_unknown_each(levels->histogram, SNAPSHOT_LATENCY_CLASSES);
}

/* Of those with a known level. Where only misses of the L1 are known, none is: they are the ones
 * that may be far. */
static double far_share(const struct snapshot_levels *levels)
{
    double far = 0;
    double known = 0;
    for (int i = DATA_UNKNOWN + 1; i < DATA_LEVEL_COUNT; i++) {
        double accesses = isnan(levels->level[i]) ? 0 : levels->level[i];
        far += data_level_is_far((enum data_level)i) ? accesses : 0;
        known += accesses;
    }
    bool vague = levels->level[DATA_CACHE] > 0 || levels->level[DATA_BEYOND_L1] > 0;
    return vague ? NAN : levels_share(far, known);
}

static int leading(const double *level, const bool *named)
{
    int most = -1;
    for (int i = 0; i < DATA_LEVEL_COUNT; i++)
        if (!named[i] && level[i] > 0 && (most < 0 || level[i] > level[most]))
            most = i;
    return most;
}

/* As many as a column has room for. */
static const char *name_leading(struct build *build, const struct snapshot_levels *levels)
{
    enum { NAMED = 3 };
    bool named[DATA_LEVEL_COUNT] = {false};
    const char *text = NULL;
    for (int n = 0; n < NAMED; n++) {
        int next = leading(levels->level, named);
        double percent = next < 0 ? 0 : levels->level[next] / levels->accesses * 100;
        if (next < 0 || (n && percent < 0.5))
            break;
        named[next] = true;
        text = arena_printf(build->arena, "%s%s%s %.0f%%", text ? text : "", text ? " " : "",
                            data_level_name((enum data_level)next), percent);
        build->failed |= !text;
    }
    return text;
}

struct snapshot_levels *build_levels(struct build *build, const struct levels_sums *sums)
{
    struct snapshot_levels levels;
    set_unknown(&levels);
    if (tells(sums->recorded))
        read_recorded(build, sums->recorded, &levels);
    else if (!work_out(build, sums, &levels))
        return NULL;
    levels.found = name_leading(build, &levels);
    levels.far = far_share(&levels);
    struct snapshot_levels *kept = arena_array(build->arena, 1, sizeof *kept);
    build->failed |= !kept;
    if (kept)
        *kept = levels;
    return kept;
}

struct snapshot_levels *build_all_levels(struct build *build)
{
    const struct profile *profile = build->profile;
    struct levels_sums sums = {0};
    add_recorded(build, &profile->all_levels[build->event], &sums);
    build->waited = waited(sums.recorded);
    for (uint16_t i = 0; i < profile->options.event_count; i++)
        sums.counted[i] = build_read(build, &profile->all[i].weight);
    return build_levels(build, &sums);
}

/* The sums that rates are made of, out of the tables that are kept for other reasons: tallies by
 * event, and levels. */

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

/* The event with data sources in its samples; -1: none. */
static int telling(const struct rates_plan *plan)
{
    return plan->recorded ? plan->access : plan->timed;
}

/* Some levels are known, not only that there is one. */
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

static struct snapshot_rates *rates_keep(struct build *build, const struct snapshot_rates *rates)
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
    return known ? rates_keep(build, &rates) : NULL;
}

/* NULL: not counted exactly. */
static struct snapshot_rates *counted_exactly(struct build *build, enum exact_of of, uint32_t id)
{
    const struct place_names *names = &build->profile->options.names;
    struct exact_counts counts;
    struct snapshot_rates rates;
    bool known = build->exact && names->exact(names->context, of, id, &counts) &&
                 rates_make_exact(&counts, build->exact, &rates);
    return known ? rates_keep(build, &rates) : NULL;
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
