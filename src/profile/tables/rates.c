/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/tables/rates.h"

#include <math.h>
#include <string.h>

static const struct snapshot_share unknown = {NAN, NAN, NAN};

const char *rate_level_name(enum rate_level level)
{
    static const char *const names[RATE_LEVELS] = {"L1", "L2", "memory"};
    return (unsigned)level < RATE_LEVELS ? names[level] : "unknown";
}

/* A level that is unknown beyond the core may or may not be memory. */
enum data_answer rates_missed(enum data_level found, enum rate_level level)
{
    enum { N = ANSWER_NO, Y = ANSWER_YES, U = ANSWER_UNKNOWN };
    static const uint8_t missed[DATA_LEVEL_COUNT][RATE_LEVELS] = {
        [DATA_UNKNOWN] = {U, U, U},    [DATA_L0] = {N, N, N},
        [DATA_L1] = {N, N, N},         [DATA_LFB] = {N, N, N},
        [DATA_L2] = {Y, N, N},         [DATA_L2_MHB] = {Y, N, N},
        [DATA_L3] = {Y, Y, N},         [DATA_L4] = {Y, Y, N},
        [DATA_MSC] = {Y, Y, N},        [DATA_CACHE] = {Y, U, N},
        [DATA_PEER_CACHE] = {Y, Y, N}, [DATA_REMOTE_CACHE] = {Y, Y, N},
        [DATA_DRAM] = {Y, Y, Y},       [DATA_REMOTE_DRAM] = {Y, Y, Y},
        [DATA_MEMORY] = {Y, Y, Y},     [DATA_PMEM] = {Y, Y, Y},
        [DATA_CXL] = {Y, Y, Y},        [DATA_UNCACHED] = {N, N, N},
        [DATA_IO] = {N, N, N},         [DATA_BEYOND_L1] = {Y, U, U},
        [DATA_BEYOND_L2] = {Y, Y, U},  [DATA_BEYOND_L3] = {Y, Y, U},
    };
    return (enum data_answer)missed[found][level];
}

static int event_of(const struct snapshot_source *source, enum event_role role)
{
    for (size_t i = 0; i < source->event_count && i < SAMPLE_EVENTS_MAX; i++)
        if (source->events[i].role == role)
            return (int)i;
    return -1;
}

/* Returns the level of the ranking misses; otherwise the first level with counted misses. */
static enum rate_level rates_plan_level(const struct rates_plan *plan,
                                        const struct snapshot_source *source)
{
    for (int i = 0; i < RATE_LEVELS; i++)
        if (plan->miss[i] == source->ranking)
            return (enum rate_level)i;
    for (int i = 0; i < RATE_LEVELS; i++)
        if (plan->miss[i] >= 0)
            return (enum rate_level)i;
    return RATE_L1;
}

struct rates_plan rates_plan(const struct snapshot_source *source, bool recorded, int timed)
{
    struct rates_plan plan = {.access = event_of(source, EVENT_ACCESS),
                              .miss = {event_of(source, EVENT_MISS_L1),
                                       event_of(source, EVENT_MISS_L2),
                                       event_of(source, EVENT_MEM_FILL)},
                              .stall = event_of(source, EVENT_STALL),
                              .cycles = event_of(source, EVENT_TIME),
                              .timed = timed};
    if (plan.stall < 0) {
        plan.stall = plan.cycles;
        plan.cycles = -1;
    }
    plan.has_data_source = recorded && plan.access >= 0;
    plan.level = plan.has_data_source ? RATE_L1 : rates_plan_level(&plan, source);
    for (size_t i = 0; i < SAMPLE_EVENTS_MAX; i++) {
        double part = i < source->event_count ? source->events[i].running_share : NAN;
        plan.running_share[i] = part > 0 && part <= 1 ? part : 1;
    }
    return plan;
}

static struct snapshot_share limit_rate(struct snapshot_share rate)
{
    /* A ratio above 1: the events count different things, so there is no rate. */
    if (rate.low > 1)
        return unknown;
    rate.value = rate.value > 1 ? 1 : rate.value;
    rate.high = rate.high > 1 || isnan(rate.high) ? 1 : rate.high;
    return rate;
}

/* Returns the events that one sample represents, on average. */
static double events_per_sample(struct amount amount)
{
    return amount.weight > 0 ? amount.squares / amount.weight : 0;
}

static struct snapshot_share event_count_interval(const struct rates_plan *plan, int event,
                                                  const struct rates_sums *own,
                                                  const struct rates_sums *all)
{
    struct snapshot_share count =
        interval_count(own->events[event], events_per_sample(all->events[event]));
    double part = plan->running_share[event];
    return (struct snapshot_share){count.value / part, count.low / part, count.high / part};
}

/* Weights of the misses and of the possible misses among the accesses with a known level. */
struct missing {
    double accesses;
    double missed;
    double unknown;
};

static struct missing missing_at_level(const double found[DATA_LEVEL_COUNT], enum rate_level level)
{
    struct missing missing = {0};
    for (int i = 0; i < DATA_LEVEL_COUNT; i++) {
        enum data_answer answer = rates_missed((enum data_level)i, level);
        missing.accesses += found[i];
        missing.missed += answer == ANSWER_YES ? found[i] : 0;
        missing.unknown += answer == ANSWER_UNKNOWN ? found[i] : 0;
    }
    return missing;
}

static struct amount scale_amount(struct amount of, double weight)
{
    return (struct amount){weight, of.weight > 0 ? of.squares * weight / of.weight : 0};
}

/* Returns an interval: all unknown accesses hit at its low end, missed at its high end. */
static struct snapshot_share rate_recorded(struct amount event, const struct missing *missing)
{
    struct amount all = scale_amount(event, missing->accesses);
    double most = missing->missed + missing->unknown;
    double known = missing->accesses - missing->unknown;
    struct snapshot_share low = interval_part(scale_amount(event, missing->missed), all);
    struct snapshot_share high = interval_part(scale_amount(event, most), all);
    if (!(known > 0))
        return unknown;
    return (struct snapshot_share){missing->missed / known, low.low, high.high};
}

static void make_miss_rates(const struct rates_plan *plan, const struct rates_sums *own,
                            const struct rates_sums *all, struct snapshot_rates *rates)
{
    rates->evidence = plan->has_data_source ? RATES_RECORDED : RATES_COUNTED;
    if (plan->access < 0)
        return;
    struct snapshot_share accesses = event_count_interval(plan, plan->access, own, all);
    rates->accesses = accesses.value;
    rates->access_share = interval_part(own->events[plan->access], all->events[plan->access]);
    for (int i = 0; i < RATE_LEVELS; i++) {
        struct missing missing = missing_at_level(own->found, (enum rate_level)i);
        if (plan->has_data_source)
            rates->miss_rate[i] = rate_recorded(own->events[plan->access], &missing);
        else if (plan->miss[i] >= 0)
            rates->miss_rate[i] = limit_rate(
                interval_ratio(event_count_interval(plan, plan->miss[i], own, all), accesses));
    }
}

/* Compares stalls and misses that are counted by separate events. */
static void compare_events(const struct rates_plan *plan, const struct rates_sums *own,
                           const struct rates_sums *all, struct snapshot_rates *rates)
{
    int miss = plan->miss[plan->level];
    rates->stall_share = interval_part(own->events[plan->stall], all->events[plan->stall]);
    if (miss < 0)
        return;
    rates->miss_share = interval_part(own->events[miss], all->events[miss]);
    rates->stall_ratio = interval_ratio(rates->stall_share, rates->miss_share);
}

static struct amount_pair pair_of(const struct rates_plan *plan, const struct rates_sums *sums)
{
    struct amount event = sums->events[plan->timed];
    struct missing missing = missing_at_level(sums->found, plan->level);
    double waited = 0;
    for (int i = 0; i < DATA_LEVEL_COUNT; i++)
        if (rates_missed((enum data_level)i, plan->level) == ANSWER_YES)
            waited += sums->waited_at[i];
    /* Assumes that the samples that waited have average weights. */
    return (struct amount_pair){sums->waited, scale_amount(event, missing.missed),
                                waited * events_per_sample(event)};
}

static void compare_samples(const struct rates_plan *plan, const struct rates_sums *own,
                            const struct rates_sums *all, struct snapshot_rates *rates)
{
    struct amount_pair mine = pair_of(plan, own);
    struct amount_pair whole = pair_of(plan, all);
    rates->stall_share = interval_part(mine.numerator, whole.numerator);
    rates->miss_share = interval_part(mine.denominator, whole.denominator);
    if (whole.numerator.weight > 0 && whole.denominator.weight > 0)
        rates->stall_ratio = interval_same(&mine, &whole);
}

void rates_join(struct rates_sums *into, const struct rates_sums *more)
{
    for (int i = 0; i < SAMPLE_EVENTS_MAX; i++)
        amount_add(&into->events[i], more->events[i]);
    amount_add(&into->waited, more->waited);
    for (int i = 0; i < DATA_LEVEL_COUNT; i++) {
        into->found[i] += more->found[i];
        into->waited_at[i] += more->waited_at[i];
    }
}

static void set_unknown(struct snapshot_rates *rates)
{
    rates->accesses = NAN;
    for (int i = 0; i < RATE_LEVELS; i++)
        rates->miss_rate[i] = unknown;
    rates->access_share = rates->stall_share = rates->miss_share = rates->stall_ratio = unknown;
}

bool rates_make(const struct rates_plan *plan, const struct rates_sums *own,
                const struct rates_sums *all, struct snapshot_rates *rates)
{
    set_unknown(rates);
    rates->level = plan->level;
    make_miss_rates(plan, own, all, rates);
    if (plan->timed >= 0)
        compare_samples(plan, own, all, rates);
    else if (plan->stall >= 0)
        compare_events(plan, own, all, rates);
    return !isnan(rates->accesses) || !isnan(rates->stall_share.value);
}

struct snapshot_share rates_stalled(const struct rates_plan *plan, const struct rates_sums *all)
{
    if (plan->stall < 0 || plan->cycles < 0)
        return unknown;
    return limit_rate(interval_ratio(event_count_interval(plan, plan->stall, all, all),
                                     event_count_interval(plan, plan->cycles, all, all)));
}

enum measured measured_of(const struct snapshot_source *source)
{
    if (source->ranking >= source->event_count)
        return MEASURED_SAMPLES;
    switch (source->events[source->ranking].role) {
    case EVENT_MISS_L1:
    case EVENT_MISS_L2:
    case EVENT_MEM_FILL:
        return MEASURED_MISSES;
    case EVENT_ACCESS:
        return MEASURED_ACCESSES;
    case EVENT_STALL:
        return MEASURED_STALLS;
    case EVENT_TIME: /* includes execution between stalls */
        return MEASURED_TIME;
    case EVENT_OTHER: /* includes the third and fourth level of a simulated cache */
        return source->weight_unit && !strncmp(source->weight_unit, "misses", 6) ? MEASURED_MISSES
                                                                                 : MEASURED_SAMPLES;
    case EVENT_ROLES:
        break;
    }
    return MEASURED_SAMPLES;
}

static double attributed_share(double weight, double count, const struct snapshot_totals *totals)
{
    if (totals->total_weight > 0)
        return weight / totals->total_weight;
    return totals->samples ? count / (double)totals->samples : NAN;
}

double measured_attributed(const struct snapshot_totals *totals)
{
    return attributed_share(totals->weight, (double)totals->attributed, totals);
}

double measured_reason(const struct snapshot_totals *totals, enum reason reason)
{
    return attributed_share(totals->reason_weight[reason], (double)totals->reasons[reason], totals);
}
