/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Data sources of accesses: as recorded by the hardware, otherwise computed from several miss
 * events. L2 misses that are not filled from memory were in the L3, and so on. The difference of
 * two estimates is clamped to 0.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "profile/cache/waits.h"
#include "profile/state.h"
#include "profile/tables/rates.h"

static void add_recorded(const struct build *build, const struct levels *levels,
                         struct build_sums *sums)
{
    for (int i = 0; levels && i < LEVELS_COUNTS; i++)
        sums->recorded[i] += build_read(build, &levels->at[i]);
}

double build_cycles(const struct build *build, const struct levels *levels)
{
    double cycles = 0;
    for (int i = 0; levels && i < DATA_LEVEL_COUNT; i++)
        cycles += build_read(build, &levels->at[LEVELS_WAITED(i)]);
    return cycles;
}

/* Returns the weight of the first event of a role; NAN: none is sampled. */
static double weight_of_role(const struct build *build, const struct build_sums *sums,
                             enum event_role role)
{
    const struct snapshot_source *source = &build->snapshot->source;
    uint16_t events = build->profile->options.event_count;
    for (uint16_t i = 0; i < events && i < source->event_count; i++)
        if (source->events[i].role == role)
            return sums->rates.events[i].weight;
    return NAN;
}

static void set_level(struct snapshot_levels *levels, enum data_level level, double accesses)
{
    levels->level[level] = fmax(accesses, 0);
    levels->accesses += levels->level[level];
}

/* Computes levels from miss events. Returns false if fewer than two of them are sampled. */
static bool compute_levels_of_misses(const struct build *build, const struct build_sums *sums,
                                     struct snapshot_levels *levels)
{
    double l1 = weight_of_role(build, sums, EVENT_MISS_L1);
    double l2 = weight_of_role(build, sums, EVENT_MISS_L2);
    double memory = weight_of_role(build, sums, EVENT_MEM_FILL);
    if (!isnan(l1) + !isnan(l2) + !isnan(memory) < 2)
        return false;
    levels->evidence = LEVELS_COUNTED;
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

static double sum_counts(const double *counts, int count)
{
    double total = 0;
    for (int i = 0; i < count; i++)
        total += counts[i];
    return total;
}

static double accesses_in(const double *recorded)
{
    double total = 0;
    for (int i = 0; i < DATA_LEVEL_COUNT; i++)
        total += recorded[LEVELS_FOUND(i)];
    return total;
}

static double timed_samples(const double *recorded)
{
    return sum_counts(recorded + LEVELS_LATENCY, SNAPSHOT_LATENCY_CLASSES);
}

/* Returns true if anything is recorded. A data source can have all parts "not available". */
static bool has_recorded_levels(const double *recorded)
{
    return accesses_in(recorded) > recorded[LEVELS_FOUND(DATA_UNKNOWN)] ||
           timed_samples(recorded) > 0 ||
           sum_counts(recorded + LEVELS_TLB + 1, TLB_COUNT - 1) > 0 ||
           sum_counts(recorded + LEVELS_SNOOP + 1, SNOOP_COUNT - 1) > 0 ||
           recorded[LEVELS_LOCKED] + recorded[LEVELS_BLOCK_KNOWN] > 0;
}

static double waited_time(const double *recorded)
{
    double total = 0;
    for (int i = 0; i < DATA_LEVEL_COUNT; i++)
        total += recorded[LEVELS_WAITED(i)];
    return total;
}

static void read_latency(const struct build *build, const double *recorded,
                         struct snapshot_levels *levels)
{
    if (!(timed_samples(recorded) > 0))
        return;
    levels->stall = levels_share(waited_time(recorded), build->waited);
    for (int i = 0; i < SNAPSHOT_LATENCY_CLASSES; i++)
        levels->histogram[i] = recorded[LEVELS_LATENCY + i];
    for (int i = 0; i < DATA_LEVEL_COUNT; i++)
        levels->waited[i] = recorded[LEVELS_WAITED(i)];
}

/* Copies the answers if any is known; accesses without a data source count in the first entry. */
static void copy_known_answers(const double *recorded, int count, double *answers)
{
    if (sum_counts(recorded + 1, count - 1) > 0)
        memcpy(answers, recorded, (size_t)count * sizeof *answers);
}

static void read_recorded(const struct build *build, const double *recorded,
                          struct snapshot_levels *levels)
{
    levels->evidence = LEVELS_RECORDED;
    read_latency(build, recorded, levels);
    if (!(accesses_in(recorded) > 0))
        return;
    levels->accesses = accesses_in(recorded);
    for (int i = 0; i < DATA_LEVEL_COUNT; i++)
        levels->level[i] = recorded[LEVELS_FOUND(i)];
    copy_known_answers(recorded + LEVELS_SNOOP, SNOOP_COUNT, levels->snoop);
    copy_known_answers(recorded + LEVELS_TLB, TLB_COUNT, levels->tlb);
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
    levels->accesses = levels->remote = levels->locked = levels->blocked = levels->stall = NAN;
    set_unknown_each(levels->level, DATA_LEVEL_COUNT);
    set_unknown_each(levels->waited, DATA_LEVEL_COUNT);
    set_unknown_each(levels->snoop, SNOOP_COUNT);
    set_unknown_each(levels->tlb, TLB_COUNT);
    set_unknown_each(levels->histogram, SNAPSHOT_LATENCY_CLASSES);
}

static double known_sum(const double *counts, int count)
{
    double total = 0;
    for (int i = 0; i < count; i++)
        total += isnan(counts[i]) ? 0 : counts[i];
    return total;
}

/* Returns the share of far accesses among those with a known level. NAN if misses are only known to
 * be beyond L1, because those may be far. */
static double far_share(const struct snapshot_levels *levels)
{
    double far = 0;
    for (int i = DATA_UNKNOWN + 1; i < DATA_LEVEL_COUNT; i++)
        far += data_level_is_far((enum data_level)i) && levels->level[i] > 0 ? levels->level[i] : 0;
    bool vague = levels->level[DATA_CACHE] > 0 || levels->level[DATA_BEYOND_L1] > 0;
    return vague ? NAN : levels_share(far, known_sum(levels->level + 1, DATA_LEVEL_COUNT - 1));
}

/* Names the main levels, as many as fit in the column. */
static void name_leading_levels(struct snapshot_levels *levels)
{
    enum { NAMED = 3 };
    const double *level = levels->level;
    bool named[DATA_LEVEL_COUNT] = {false};
    *levels->summary = '\0';
    for (int n = 0; n < NAMED; n++) {
        int most = -1;
        for (int i = 0; i < DATA_LEVEL_COUNT; i++)
            if (!named[i] && level[i] > 0 && (most < 0 || level[i] > level[most]))
                most = i;
        double percent = most < 0 ? 0 : level[most] / levels->accesses * 100;
        if (most < 0 || (n && percent < 0.5))
            break;
        named[most] = true;
        text_append(levels->summary, sizeof levels->summary, "%s%s %.0f%%", n ? " " : "",
                    data_level_name((enum data_level)most), percent);
    }
}

void snapshot_levels_derive(struct snapshot_levels *levels)
{
    levels->latency = levels_share(known_sum(levels->waited, DATA_LEVEL_COUNT),
                                   known_sum(levels->histogram, SNAPSHOT_LATENCY_CLASSES));
    levels->hitm = levels_share(levels->snoop[SNOOP_HITM], levels->accesses);
    levels->tlb_miss = levels_share(levels->tlb[TLB_MISS] + levels->tlb[TLB_FAULT],
                                    known_sum(levels->tlb + 1, TLB_COUNT - 1));
    levels->far_share = far_share(levels);
    name_leading_levels(levels);
}

struct snapshot_levels *build_levels(struct build *build, const struct build_sums *sums)
{
    struct snapshot_levels levels;
    set_unknown(&levels);
    if (has_recorded_levels(sums->recorded))
        read_recorded(build, sums->recorded, &levels);
    else if (!compute_levels_of_misses(build, sums, &levels))
        return NULL;
    snapshot_levels_derive(&levels);
    return build_copy(build, &levels, sizeof levels);
}

/* The sums for rates, from tables that exist for other purposes: tallies by event, and levels. */

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
        double cycles = build_read(build, &levels->at[LEVELS_WAITED(i)]);
        sums->found[i] += build_read(build, &levels->at[LEVELS_FOUND(i)]);
        sums->waited_at[i] += cycles;
        sums->waited.weight += cycles;
    }
    if (levels)
        sums->waited.squares += read_squares(build, &levels->at[LEVELS_WAITED_SQUARES]);
}

/* Returns the event with data sources in its samples; -1: none. */
static int reporting_event(const struct rates_plan *plan)
{
    return plan->has_data_source ? plan->access : plan->timed;
}

/* Returns true if some levels are known: a data source may be recorded without. */
static bool reports_levels(const struct build *build, const struct levels *levels)
{
    for (int i = DATA_UNKNOWN + 1; i < DATA_LEVEL_COUNT; i++)
        if (build_read(build, &levels->at[LEVELS_FOUND(i)]) > 0)
            return true;
    return false;
}

static bool reports_latencies(const struct build *build, const struct levels *levels)
{
    return read_squares(build, &levels->at[LEVELS_WAITED_SQUARES]) > 0;
}

static void plan_rates(struct build *build)
{
    const struct profile *profile = build->profile;
    const struct snapshot_source *source = &build->snapshot->source;
    build->rates = rates_plan(source, false, -1);
    int access = build->rates.access < profile->options.event_count ? build->rates.access : -1;
    bool recorded = access >= 0 && reports_levels(build, &profile->all_levels[access]);
    int event = recorded ? access : build->event;
    int timed = reports_latencies(build, &profile->all_levels[event]) ? event : -1;
    build->rates = rates_plan(source, recorded, timed);
}

struct snapshot_rates *build_rates(struct build *build, const struct rates_sums *sums)
{
    struct snapshot_rates rates;
    bool known = rates_make(&build->rates, sums, &build->rates_all, &rates);
    return known ? build_copy(build, &rates, sizeof rates) : NULL;
}

static void add_event(const struct build *build, int event, const struct levels *levels,
                      struct build_sums *sums)
{
    if (event == build->event)
        add_recorded(build, levels, sums);
    if (event == reporting_event(&build->rates))
        add_levels(build, levels, &sums->rates);
}

void build_all_levels(struct build *build)
{
    const struct profile *profile = build->profile;
    struct build_sums sums = {0};
    plan_rates(build);
    for (uint16_t i = 0; i < profile->options.event_count; i++) {
        amount_add(&sums.rates.events[i], read_tally(build, &profile->all[i]));
        add_event(build, i, &profile->all_levels[i], &sums);
    }
    build->waited = waited_time(sums.recorded);
    build->rates_all = sums.rates;
    build->snapshot->levels = build_levels(build, &sums);
    build->snapshot->rates = build_rates(build, &sums.rates);
}

static void add_tallies(const struct build *build, const struct tallies *tallies,
                        const struct count_rows *levels, uint32_t id, struct build_sums *sums)
{
    for (uint16_t i = 0; i < build->profile->options.event_count; i++) {
        amount_add(&sums->rates.events[i], read_tally(build, tallies_at(tallies, id, i)));
        add_event(build, i, count_rows_find(levels, (size_t)id * tallies->events + i, 1), sums);
    }
}

void build_sum_object(const struct build *build, uint32_t object, struct build_sums *sums)
{
    const struct profile *profile = build->profile;
    add_tallies(build, &profile->objects, &profile->object_levels, object, sums);
}

void build_sum_function(const struct build *build, uint32_t function, struct build_sums *sums)
{
    const struct profile *profile = build->profile;
    add_tallies(build, &profile->functions, &profile->function_levels, function, sums);
}

/* Pairs have no squares, so their samples are assumed to vary in weight like the object's. */
static struct amount read_pair(const struct build *build, const struct pair *pair)
{
    struct amount object =
        read_tally(build, tallies_at(&build->profile->objects, PAIR_OBJECT(pair->owner),
                                     (uint16_t)PAIR_EVENT(pair->owner)));
    double weight = build_read(build, &pair->weight);
    return (struct amount){weight, object.weight > 0 ? weight * object.squares / object.weight : 0};
}

/* Adds the sums of a pair; `levels` belongs to the same table. */
static void add_pair(const struct build *build, const struct pairs *pairs,
                     const struct count_rows *levels, const struct pair *pair,
                     struct build_sums *sums)
{
    int event = (int)PAIR_EVENT(pair->owner);
    size_t slot = (size_t)(pair - pairs->at);
    amount_add(&sums->rates.events[event], read_pair(build, pair));
    add_event(build, event, count_rows_find(levels, slot, pairs_hash(pair->owner, pair->key)),
              sums);
}

void build_sum_offset(const struct build *build, const struct pair *pair, struct build_sums *sums)
{
    const struct profile *profile = build->profile;
    for (uint16_t i = 0; i < profile->options.event_count; i++) {
        uint32_t owner = PAIR_OWNER(PAIR_OBJECT(pair->owner), i);
        const struct pair *other = pairs_find(&profile->offsets, pairs_hash(owner, pair->key));
        if (other)
            add_pair(build, &profile->offsets, &profile->offset_levels, other, sums);
    }
}

void build_sum_code(const struct build *build, const struct pair *pair, struct build_sums *sums)
{
    add_pair(build, &build->profile->code, &build->profile->code_levels, pair, sums);
}

/* Bounds of the time spent waiting for data: of everything, of objects, of functions. */

/* Typical latencies of L1, L2, L3 and memory, in cycles; the same as in whatif_miss_cycles(). */
static const double latencies[WAIT_LEVELS + 1] = {4, 14, 44, 200};

static void set_wait_bounds(struct snapshot_wait *wait, enum wait_level level, double low,
                            double high)
{
    wait->low[level] = low;
    wait->high[level] = high;
}

/* Computes the share of the access cycles spent beyond each level, from the share that misses it;
 * NAN: the same as the next level. */
static void cycle_shares_beyond(const double missed[WAIT_LEVELS], double part[WAIT_LEVELS])
{
    double cycles = 0;
    double deeper = 0;
    for (int i = WAIT_LEVELS - 1; i >= 0; i--) {
        double here = fmax(deeper, missed[i]);
        cycles += (here - deeper) * latencies[i + 1];
        part[i] = cycles;
        deeper = here;
    }
    for (int i = 0; i < WAIT_LEVELS; i++)
        part[i] /= cycles + (1 - deeper) * latencies[0];
}

static struct snapshot_wait wait_simulated(const struct snapshot_rates *rates)
{
    struct snapshot_wait wait = {.evidence = WAIT_FROM_SIMULATION};
    double low[WAIT_LEVELS];
    double high[WAIT_LEVELS];
    for (int i = 0; i < WAIT_LEVELS; i++) {
        low[i] = rates->miss_rate[i].low;
        high[i] = rates->miss_rate[i].high;
    }
    cycle_shares_beyond(low, wait.low);
    cycle_shares_beyond(high, wait.high);
    return wait;
}

/* Returns the wait of everything, for which every access is counted. */
static struct snapshot_wait wait_counted(const struct snapshot_simulation *simulation)
{
    struct snapshot_wait wait = {.evidence = WAIT_FROM_SIMULATION};
    double missed[WAIT_LEVELS] = {NAN, NAN, NAN};
    uint32_t levels = simulation->level_count;
    for (uint32_t i = 0; i < levels; i++) {
        uint32_t level = i + 1 == levels ? WAIT_BEYOND_L3 : i < WAIT_LEVELS ? i : WAIT_BEYOND_L3;
        missed[level] =
            (double)(simulation->level[i].load_misses + simulation->level[i].store_misses) /
            (double)simulation->accesses;
    }
    if (!simulation->accesses)
        return (struct snapshot_wait){.evidence = WAIT_UNKNOWN};
    cycle_shares_beyond(missed, wait.low);
    cycle_shares_beyond(missed, wait.high);
    return wait;
}

/* Returns the wait from the cycles of samples by data source. */
static struct snapshot_wait wait_timed(const struct snapshot_levels *levels, double effective)
{
    struct snapshot_wait wait = {.evidence = WAIT_FROM_LATENCIES};
    double all = 0;
    for (int i = 0; i < DATA_LEVEL_COUNT; i++)
        all += levels->waited[i];
    if (!(all > 0))
        return (struct snapshot_wait){.evidence = WAIT_UNKNOWN};
    for (int level = 0; level < WAIT_LEVELS; level++) {
        double least = 0;
        double most = 0;
        for (int i = 0; i < DATA_LEVEL_COUNT; i++) {
            enum data_answer missed = rates_missed((enum data_level)i, (enum rate_level)level);
            least += missed == ANSWER_YES ? levels->waited[i] : 0;
            most += missed != ANSWER_NO ? levels->waited[i] : 0;
        }
        set_wait_bounds(&wait, (enum wait_level)level, interval_share(least / all, effective).low,
                        interval_share(fmin(most / all, 1), effective).high);
    }
    return wait;
}

/* Extends bounds from weight `placed` to `all`; weight `excess` may or may not have waited. */
static void add_unplaced(struct snapshot_wait *wait, double placed, double excess, double all)
{
    for (int i = 0; i < WAIT_LEVELS; i++)
        set_wait_bounds(wait, (enum wait_level)i, wait->low[i] * placed / all,
                        fmin(1, (wait->high[i] * placed + excess) / all));
}

/* Returns the weight without an object at instructions that may have accessed memory. *excess: what
 * attributed samples of the same instruction do not represent (build_unplaced()). */
static double may_wait(const struct build *build, double *excess)
{
    const double *weight = build->snapshot->totals.reason_weight;
    double sum = 0;
    for (int i = 0; i < REASON_COUNT; i++)
        if (i != REASON_NO_MEMORY && i != REASON_AGENT && i != REASON_FOREIGN)
            sum += weight[i];
    *excess = fmin(sum, build->unplaced_excess + weight[REASON_KERNEL]);
    return sum;
}

struct window_waits {
    struct waits waits;
    struct waits_sums all;
    struct waits_sums *objects;    /* [object_count] */
    struct waits_sums *functions;  /* [code_count] */
    double (*chased)[WAIT_LEVELS]; /* [object_count]: lower bound of the samples that waited */
    struct hash function_index;    /* function id to index */
    struct hash chases;            /* (function, object) by index to samples */
};

/* Finds the objects with lines that the program flushes or that another process may write. */
static bool find_taken_objects(const struct build *build, struct hash *taken)
{
    const struct snapshot *snapshot = build->snapshot;
    const struct profile *profile = build->profile;
    for (uint32_t i = 0; i < profile->extra_count; i++)
        if (profile->extras[i].flushed && !hash_insert(taken, i, NULL))
            return false;
    for (size_t i = 0; i < snapshot->object_count; i++)
        if (snapshot->objects[i].kind == OBJECT_MAP &&
            !hash_insert(taken, snapshot->objects[i].id, NULL))
            return false;
    return true;
}

static bool window_waits_init(struct window_waits *sums, const struct build *build)
{
    const struct snapshot *snapshot = build->snapshot;
    const struct profile *profile = build->profile;
    const struct snapshot_totals *totals = &snapshot->totals;
    double excess;
    may_wait(build, &excess);
    double elsewhere = totals->weight > 0 ? profile->window.used * excess / totals->weight : 0;
    *sums = (struct window_waits){
        .objects = calloc(snapshot->object_count + 1, sizeof *sums->objects),
        .functions = calloc(snapshot->code_count + 1, sizeof *sums->functions),
        .chased = calloc(snapshot->object_count + 1, sizeof *sums->chased)};
    hash_init(&sums->function_index);
    hash_init(&sums->chases);
    struct hash taken;
    hash_init(&taken);
    bool found = find_taken_objects(build, &taken);
    bool made = waits_init(&sums->waits, &profile->window, profile->options.cache_lines, elsewhere,
                           &taken) &&
                found;
    hash_fini(&taken);
    for (size_t i = 0; made && i < snapshot->code_count; i++)
        made = hash_put(&sums->function_index, snapshot->code[i].id, (uint32_t)i);
    return made && sums->objects && sums->functions && sums->chased;
}

static void window_waits_fini(struct window_waits *sums)
{
    waits_fini(&sums->waits);
    hash_fini(&sums->function_index);
    hash_fini(&sums->chases);
    free(sums->objects);
    free(sums->functions);
    free(sums->chased);
}

static bool window_waits_add(struct window_waits *sums, const struct build *build,
                             const struct window_entry *entry)
{
    const uint32_t *function = hash_find(&sums->function_index, entry->function);
    uint32_t object = build_object_index(build, entry->object);
    struct waits_sums *groups[3] = {&sums->all};
    size_t count = 1;
    if (function)
        groups[count++] = &sums->functions[*function];
    if (object != UINT32_MAX)
        groups[count++] = &sums->objects[object];
    waits_take(&sums->waits, entry, groups, count);
    return !function || object == UINT32_MAX || !entry->is_pointer_chase ||
           hash_add(&sums->chases, (uint64_t)*function << 32 | object, 1);
}

static void build_objects_waits(struct build *build, struct window_waits *sums)
{
    struct snapshot *snapshot = build->snapshot;
    for (size_t i = 0; i < snapshot->object_count; i++) {
        const struct waits_sums *own = &sums->objects[i];
        for (int level = 0; level < WAIT_LEVELS; level++)
            sums->chased[i][level] = waits_chased(&sums->waits, own, (enum wait_level)level);
        snapshot->objects[i].wait = waits_bounds(&sums->waits, own, sums->chased[i]);
        waits_drop_uninformative(&snapshot->objects[i].wait);
    }
}

/* Adds a lower bound of the function's chases that waited: the chases of the object that did not
 * wait may all be this function's. */
static void add_waiting_chases(const struct window_waits *sums, size_t function, size_t object,
                               double chased[WAIT_LEVELS])
{
    const uint32_t *own = hash_find(&sums->chases, (uint64_t)function << 32 | object);
    double all = sums->objects[object].chases;
    for (int level = 0; own && level < WAIT_LEVELS; level++)
        chased[level] += fmax(0, *own - (all - sums->chased[object][level]));
}

static void build_functions_waits(struct build *build, const struct window_waits *sums)
{
    struct snapshot *snapshot = build->snapshot;
    for (size_t i = 0; i < snapshot->code_count; i++) {
        struct snapshot_code *code = &snapshot->code[i];
        double chased[WAIT_LEVELS] = {0};
        for (size_t k = 0; sums->functions[i].chases && k < snapshot->object_count; k++)
            add_waiting_chases(sums, i, k, chased);
        code->wait = waits_bounds(&sums->waits, &sums->functions[i], chased);
        add_unplaced(&code->wait, code->samples, code->unknown_samples,
                     code->samples + code->unknown_samples);
        waits_drop_uninformative(&code->wait);
    }
}

static void build_all_wait(struct build *build, const struct window_waits *sums)
{
    struct snapshot *snapshot = build->snapshot;
    const struct snapshot_totals *totals = &snapshot->totals;
    double chased[WAIT_LEVELS] = {0};
    for (size_t k = 0; k < snapshot->object_count; k++)
        for (int level = 0; level < WAIT_LEVELS; level++)
            chased[level] += sums->chased[k][level];
    double excess;
    double like = may_wait(build, &excess) - excess;
    snapshot->wait = waits_bounds(&sums->waits, &sums->all, chased);
    add_unplaced(&snapshot->wait, totals->weight + like, excess, totals->total_weight);
    waits_drop_uninformative(&snapshot->wait);
}

static void build_recurrence(struct build *build)
{
    const struct window *window = &build->profile->window;
    struct window_waits sums;
    bool made = window_waits_init(&sums, build);
    for (uint32_t i = 0; made && i < window->used; i++)
        made = window_waits_add(&sums, build, window_at(window, i));
    if (made && window->used) {
        build_objects_waits(build, &sums);
        build_functions_waits(build, &sums);
        build_all_wait(build, &sums);
    }
    build->failed |= !made;
    window_waits_fini(&sums);
}

static bool rates_are_known(const struct snapshot_rates *rates)
{
    return rates && !isnan(rates->miss_rate[RATE_L1].low) &&
           !isnan(rates->miss_rate[RATE_MEMORY].low);
}

static void build_simulated(struct build *build)
{
    struct snapshot *snapshot = build->snapshot;
    snapshot->wait = wait_counted(&snapshot->simulation);
    for (size_t i = 0; i < snapshot->object_count; i++)
        if (rates_are_known(snapshot->objects[i].rates))
            snapshot->objects[i].wait = wait_simulated(snapshot->objects[i].rates);
    for (size_t i = 0; i < snapshot->code_count; i++)
        if (rates_are_known(snapshot->code[i].rates))
            snapshot->code[i].wait = wait_simulated(snapshot->code[i].rates);
}

/* Sets the waits of objects only: latencies overlap, so they are no share of all time. */
static void build_timed(struct build *build)
{
    struct snapshot *snapshot = build->snapshot;
    for (size_t i = 0; i < snapshot->object_count; i++) {
        const struct snapshot_object *object = &snapshot->objects[i];
        const struct tally *tally = tallies_at(&build->profile->objects, object->id, build->event);
        if (object->levels)
            snapshot->objects[i].wait = wait_timed(object->levels, build_effective(build, tally));
    }
}

/* Sets the wait of everything from the stalled share of the cycles. An object has no cycles of its
 * own, and a function's cycles without memory accesses are not counted (unplaced_add()). */
static void build_stalled(struct build *build)
{
    const struct profile *profile = build->profile;
    const int events[] = {build->rates.stall, build->rates.cycles};
    struct rates_sums all = {0};
    for (size_t i = 0; i < 2; i++) {
        all.events[events[i]] = read_tally(build, &profile->all[events[i]]);
        amount_add(&all.events[events[i]], read_tally(build, &profile->unplaced.all[events[i]]));
    }
    struct snapshot_share part = rates_stalled(&build->rates, &all);
    if (!isnan(part.value) && !isnan(part.high))
        build->snapshot->wait = (struct snapshot_wait){.evidence = WAIT_FROM_COUNTERS,
                                                       .low = {part.low, NAN, NAN},
                                                       .high = {part.high, NAN, NAN}};
}

void build_waits(struct build *build)
{
    const struct snapshot *snapshot = build->snapshot;
    bool timed = snapshot->levels && snapshot->levels->latency > 0;
    if (build->profile->options.simulated) {
        build_simulated(build);
        return;
    }
    if (build->rates.stall >= 0 && build->rates.cycles >= 0)
        build_stalled(build);
    else if (!timed && measured_of(&snapshot->source) == MEASURED_TIME)
        build_recurrence(build);
    if (timed)
        build_timed(build);
}
