/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bounds of the time that waits for data: of everything, of objects, of functions. */
#include "profile/cache/waits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile/state.h"
#include "profile/tables/rates.h"

/* Typical latencies of L1, L2, L3 and memory, in cycles; as whatif_miss_cycles() has them. */
static const double latencies[WAIT_LEVELS + 1] = {4, 14, 44, 200};

static void set_wait(struct snapshot_wait *wait, enum wait_level level, double low, double high)
{
    wait->low[level] = low;
    wait->high[level] = high;
}

/* The part of the cycles of accesses that is beyond each level, by the part that misses it; NAN:
 * as the next one. */
static void cycles_beyond(const double missed[WAIT_LEVELS], double part[WAIT_LEVELS])
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
    struct snapshot_wait wait = {.from = WAIT_FROM_SIMULATION};
    double low[WAIT_LEVELS];
    double high[WAIT_LEVELS];
    for (int i = 0; i < WAIT_LEVELS; i++) {
        low[i] = rates->miss_rate[i].low;
        high[i] = rates->miss_rate[i].high;
    }
    cycles_beyond(low, wait.low);
    cycles_beyond(high, wait.high);
    return wait;
}

/* Of everything: there every access is counted. */
static struct snapshot_wait wait_counted(const struct snapshot_simulation *simulation)
{
    struct snapshot_wait wait = {.from = WAIT_FROM_SIMULATION};
    double missed[WAIT_LEVELS] = {NAN, NAN, NAN};
    uint32_t levels = simulation->level_count;
    for (uint32_t i = 0; i < levels; i++) {
        uint32_t level = i + 1 == levels ? WAIT_BEYOND_L3 : i < WAIT_LEVELS ? i : WAIT_BEYOND_L3;
        missed[level] = (double)(simulation->level[i].load_misses +
                                 simulation->level[i].store_misses) /
                        (double)simulation->accesses;
    }
    if (!simulation->accesses)
        return (struct snapshot_wait){.from = WAIT_UNKNOWN};
    cycles_beyond(missed, wait.low);
    cycles_beyond(missed, wait.high);
    return wait;
}

/* The cycles of the samples by the level that they found their data in. */
static struct snapshot_wait wait_timed(const struct snapshot_levels *levels, double effective)
{
    struct snapshot_wait wait = {.from = WAIT_FROM_LATENCIES};
    double all = 0;
    for (int i = 0; i < DATA_LEVEL_COUNT; i++)
        all += levels->waited[i];
    if (!(all > 0))
        return (struct snapshot_wait){.from = WAIT_UNKNOWN};
    for (int level = 0; level < WAIT_LEVELS; level++) {
        double least = 0;
        double most = 0;
        for (int i = 0; i < DATA_LEVEL_COUNT; i++) {
            enum data_answer missed = rates_missed((enum data_level)i, (enum rate_level)level);
            least += missed == ANSWER_YES ? levels->waited[i] : 0;
            most += missed != ANSWER_NO ? levels->waited[i] : 0;
        }
        set_wait(&wait, (enum wait_level)level, interval_share(least / all, effective).low,
                 interval_share(fmin(most / all, 1), effective).high);
    }
    return wait;
}

/* Of `all`, `placed` are as the bounds say, and `unlike` may have waited or not. */
static void add_unplaced(struct snapshot_wait *wait, double placed, double unlike, double all)
{
    for (int i = 0; i < WAIT_LEVELS; i++)
        set_wait(wait, (enum wait_level)i, wait->low[i] * placed / all,
                 fmin(1, (wait->high[i] * placed + unlike) / all));
}

/* Weight of the samples without an object at instructions that may have accessed memory. Those of
 * an instruction that others have an object of are as these (build_unplaced()); `unlike` are not. */
static double may_wait(const struct build *build, double *unlike)
{
    const double *weight = build->snapshot->totals.reason_weight;
    double sum = 0;
    for (int i = 0; i < REASON_COUNT; i++)
        if (i != REASON_NO_MEMORY && i != REASON_AGENT && i != REASON_FOREIGN)
            sum += weight[i];
    *unlike = fmin(sum, build->unlike + weight[REASON_KERNEL]);
    return sum;
}

/* The sums of a snapshot's window. */
struct window_waits {
    struct waits waits;
    struct waits_sums all;
    struct waits_sums *objects;      /* [object_count] */
    struct waits_sums *functions;    /* [code_count] */
    double (*chased)[WAIT_LEVELS];   /* [object_count]: samples that waited at the least */
    struct hash function_index;      /* function id -> index */
    struct hash chases;              /* (function, object), by index -> samples */
};

static bool window_waits_init(struct window_waits *sums, const struct build *build)
{
    const struct snapshot *snapshot = build->snapshot;
    const struct profile *profile = build->profile;
    const struct snapshot_totals *totals = &snapshot->totals;
    double unlike;
    may_wait(build, &unlike);
    double elsewhere = totals->weight > 0 ? profile->window.used * unlike / totals->weight : 0;
    *sums = (struct window_waits){
        .objects = calloc(snapshot->object_count + 1, sizeof *sums->objects),
        .functions = calloc(snapshot->code_count + 1, sizeof *sums->functions),
        .chased = calloc(snapshot->object_count + 1, sizeof *sums->chased)};
    hash_init(&sums->function_index);
    hash_init(&sums->chases);
    bool made = waits_init(&sums->waits, &profile->window, profile->options.cache_lines, elsewhere);
    for (size_t i = 0; made && i < snapshot->code_count; i++) {
        uint32_t *index = hash_insert(&sums->function_index, snapshot->code[i].id, NULL);
        made = index;
        if (index)
            *index = (uint32_t)i;
    }
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

static bool take_entry(struct window_waits *sums, const struct build *build,
                       const struct window_entry *entry)
{
    const uint32_t *function = hash_find(&sums->function_index, entry->function);
    uint32_t object = build_object_index(build, entry->object);
    waits_take(&sums->waits, entry, &sums->all);
    if (function)
        waits_take(&sums->waits, entry, &sums->functions[*function]);
    if (object == UINT32_MAX)
        return true;
    waits_take(&sums->waits, entry, &sums->objects[object]);
    if (!function || !entry->chases)
        return true;
    uint32_t *count = hash_insert(&sums->chases, (uint64_t)*function << 32 | object, NULL);
    if (count)
        ++*count;
    return count;
}

static void build_objects_waits(struct build *build, struct window_waits *sums, double time_s)
{
    struct snapshot *snapshot = build->snapshot;
    for (size_t i = 0; i < snapshot->object_count; i++) {
        const struct waits_sums *own = &sums->objects[i];
        for (int level = 0; level < WAIT_LEVELS; level++)
            sums->chased[i][level] =
                waits_chased(&sums->waits, own, (enum wait_level)level, own->samples / time_s);
        snapshot->objects[i].wait = waits_bounds(&sums->waits, own, sums->chased[i]);
        waits_blank(&snapshot->objects[i].wait);
    }
}

/* Which of an object's chases did not wait is not known: they may all be this function's. */
static void add_chased(const struct window_waits *sums, size_t function, size_t object,
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
            add_chased(sums, i, k, chased);
        code->wait = waits_bounds(&sums->waits, &sums->functions[i], chased);
        add_unplaced(&code->wait, code->samples, code->unknown_samples,
                     code->samples + code->unknown_samples);
        waits_blank(&code->wait);
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
    double unlike;
    double like = may_wait(build, &unlike) - unlike;
    snapshot->wait = waits_bounds(&sums->waits, &sums->all, chased);
    add_unplaced(&snapshot->wait, totals->weight + like, unlike, totals->everything);
    waits_blank(&snapshot->wait);
}

static void build_recurrence(struct build *build)
{
    const struct window *window = &build->profile->window;
    struct window_waits sums;
    bool made = window_waits_init(&sums, build);
    /* CPU time where a sample's period is of it: a process that waits for its turn goes on later. */
    bool clock = !strcmp(build->snapshot->source.name, "clock");
    double time_s = clock ? window_mean_weight(window, window->used) * window->used / 1e9
                          : build->snapshot->window.span_s;
    for (uint32_t i = 0; made && i < window->used; i++)
        made = take_entry(&sums, build, window_at(window, i));
    if (made && window->used) {
        build_objects_waits(build, &sums, time_s);
        build_functions_waits(build, &sums);
        build_all_wait(build, &sums);
    }
    build->failed |= !made;
    window_waits_fini(&sums);
}

static bool is_known(const struct snapshot_rates *rates)
{
    return rates && !isnan(rates->miss_rate[RATE_L1].low) &&
           !isnan(rates->miss_rate[RATE_MEMORY].low);
}

static void build_simulated(struct build *build)
{
    struct snapshot *snapshot = build->snapshot;
    snapshot->wait = wait_counted(&snapshot->simulation);
    for (size_t i = 0; i < snapshot->object_count; i++)
        if (is_known(snapshot->objects[i].rates))
            snapshot->objects[i].wait = wait_simulated(snapshot->objects[i].rates);
    for (size_t i = 0; i < snapshot->code_count; i++)
        if (is_known(snapshot->code[i].rates))
            snapshot->code[i].wait = wait_simulated(snapshot->code[i].rates);
}

/* Of objects alone: latencies overlap, and are no part of the time of all instructions. */
static void build_timed(struct build *build)
{
    struct snapshot *snapshot = build->snapshot;
    for (size_t i = 0; i < snapshot->object_count; i++) {
        const struct snapshot_object *object = &snapshot->objects[i];
        const struct tally *tally =
            tallies_at(&build->profile->objects, object->id, build->event);
        if (object->levels)
            snapshot->objects[i].wait = wait_timed(object->levels, build_effective(build, tally));
    }
}

void build_waits(struct build *build)
{
    const struct snapshot *snapshot = build->snapshot;
    if (build->profile->options.simulated)
        build_simulated(build);
    else if (snapshot->levels && snapshot->levels->latency > 0)
        build_timed(build);
    else if (measured_of(&snapshot->source)->time)
        build_recurrence(build);
}
