/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Miss rates and criticality from accesses to snapshots: from the same samples, from several
 * events, exact; in total and for objects, fields and functions. Expected values are computed by
 * hand.
 */
#include <linux/perf_event.h>
#include <math.h>
#include <string.h>

#include "profile/profile.h"
#include "profile/tables/rates.h"
#include "profile/tables/statistics.h"
#include "unit.h"
#include "unit/names.h"

#define NEAR(a, b)   assert_true(fabs((a) - (b)) < 1e-9 * (1 + fabs((double)(b))))
#define LOAD(level)  (PERF_MEM_S(OP, LOAD) | PERF_MEM_S(LVL, HIT) | PERF_MEM_S(LVL, level))
#define STORE_BEYOND (PERF_MEM_S(OP, STORE) | PERF_MEM_S(LVL, MISS) | PERF_MEM_S(LVL, L1))

static struct profile *profile;
static const struct snapshot *snapshot;
static struct snapshot head;
static uint64_t now;
static enum reason reason; /* reason of the added samples for having no object */

static bool fake_object(void *context, uint32_t object, struct object_desc *desc)
{
    (void)context;
    *desc = (struct object_desc){
        .name = "thing", .module = "m", .kind = OBJECT_GLOBAL, .address = object << 20};
    return true;
}

static void begin(const enum event_role *roles, uint16_t events, double half_life_s)
{
    static const struct fake_names answers = {.object = fake_object};
    struct profile_options options = {.names = FAKE_NAMES(&answers),
                                      .half_life_s = half_life_s,
                                      .ways = 10,
                                      .event_count = events,
                                      .window_entries = 1024};
    assert_int_equal(geometry_parse(&options.geometry, "L1=32K,8,64", "/", NULL), 0);
    assert_int_equal(profile_new(&profile, &options, NULL), 0);
    memset(&head, 0, sizeof head);
    head.source.event_count = events;
    for (uint16_t i = 0; i < events; i++)
        head.source.events[i].role = roles[i];
    now = 1;
}

static int tear_down(void **state)
{
    (void)state;
    snapshot_free(snapshot);
    profile_free(profile);
    snapshot = NULL;
    profile = NULL;
    return 0;
}

struct reported_access {
    uint16_t event;
    uint64_t weight;
    uint64_t data_src;
    uint64_t latency;
};

/* Adds `count` samples at an offset of an object, in function 10 * object. */
static void add(uint32_t object, uint64_t offset, unsigned count, struct reported_access reported)
{
    struct place place = {
        .object = object, .function = 10 * object, .base = (uint64_t)object << 20};
    for (; count; count--) {
        place.access = (struct access){.time_ns = now += 1000,
                                       .ip = 0x400000 + object,
                                       .address = place.base + offset,
                                       .data_src = reported.data_src,
                                       .latency = reported.latency,
                                       .weight = reported.weight,
                                       .event = reported.event,
                                       .reason = (uint8_t)reason,
                                       .size = 8};
        profile_add(profile, &place);
    }
}

static void take_snapshot(void)
{
    snapshot_free(snapshot);
    snapshot = profile_snapshot(profile, &head, now += 1000);
    assert_non_null(snapshot);
}

static const struct snapshot_object *object_of(uint32_t id)
{
    for (size_t i = 0; i < snapshot->object_count; i++)
        if (snapshot->objects[i].id == id)
            return &snapshot->objects[i];
    fail_msg("object %u is not listed", id);
    return NULL;
}

static const struct snapshot_rates *function_rates(uint32_t id)
{
    for (size_t i = 0; i < snapshot->code_count; i++)
        if (snapshot->code[i].id == id)
            return snapshot->code[i].rates;
    fail_msg("function %u is not listed", id);
    return NULL;
}

static const struct snapshot_rates *field_rates(const struct snapshot_object *object,
                                                uint64_t offset)
{
    for (size_t i = 0; i < object->field_count; i++)
        if (object->fields[i].offset == (int64_t)offset)
            return object->fields[i].rates;
    fail_msg("object has no field at offset %llu", (unsigned long long)offset);
    return NULL;
}

static const struct snapshot_rates *cell_rates(uint32_t function, uint32_t object)
{
    static struct snapshot_rates fixture_rates;
    const struct snapshot_matrix *matrix = &snapshot->matrix;
    for (size_t i = 0; i < matrix->row_count; i++)
        for (size_t k = 0; k < matrix->column_count; k++) {
            const struct rates_sums *sums = snapshot_matrix_at(matrix, i, k)->rates;
            if (sums && snapshot->code[matrix->rows[i]].id == function &&
                snapshot->objects[matrix->columns[k]].id == object)
                return rates_make(matrix->rates_plan, sums, matrix->rates_all, &fixture_rates)
                           ? &fixture_rates
                           : NULL;
        }
    fail_msg("matrix has no cell of function %u and object %u", function, object);
    return NULL;
}

static void expect_same_share(struct snapshot_share got, struct snapshot_share wanted)
{
    NEAR(got.value, wanted.value);
    NEAR(got.low, wanted.low);
    NEAR(got.high, wanted.high);
}

/* IBS: 100 accesses to object 1: 60 hit L1, 20 L2, 15 L3, 5 memory: 40, 20 and 5 % missed. Wilson
 * interval for 100 samples, independent of their weight. */
static void ibs_samples_give_hit_and_miss_rates(void **state)
{
    (void)state;
    begin((enum event_role[]){EVENT_ACCESS}, 1, 0);
    add(1, 0, 60, (struct reported_access){0, 500, LOAD(L1), 0});
    add(1, 8, 20, (struct reported_access){0, 500, LOAD(L2), 0});
    add(1, 8, 15, (struct reported_access){0, 500, LOAD(L3), 0});
    add(1, 8, 5, (struct reported_access){0, 500, LOAD(LOC_RAM), 0});
    add(2, 0, 100, (struct reported_access){0, 500, LOAD(L1), 0});
    take_snapshot();
    const struct snapshot_rates *rates = object_of(1)->rates;
    assert_int_equal(rates->evidence, RATES_RECORDED);
    NEAR(rates->accesses, 50000);
    expect_same_share(rates->miss_rate[RATE_L1], interval_share(0.4, 100));
    expect_same_share(rates->miss_rate[RATE_L2], interval_share(0.2, 100));
    expect_same_share(rates->miss_rate[RATE_MEMORY], interval_share(0.05, 100));
    expect_same_share(snapshot->rates->miss_rate[RATE_L1], interval_share(0.2, 200));
    expect_same_share(object_of(2)->rates->miss_rate[RATE_L1], interval_share(0, 100));
    expect_same_share(field_rates(object_of(1), 0)->miss_rate[RATE_L1], interval_share(0, 60));
    expect_same_share(field_rates(object_of(1), 8)->miss_rate[RATE_L1], interval_share(1, 40));
    expect_same_share(function_rates(10)->miss_rate[RATE_L2], interval_share(0.2, 100));
    expect_same_share(cell_rates(10, 1)->miss_rate[RATE_L2], interval_share(0.2, 100));
    expect_same_share(cell_rates(20, 2)->miss_rate[RATE_L2], interval_share(0, 100));
    assert_true(isnan(rates->stall_share.value)); /* no latencies */
    assert_true(isnan(rates->stall_ratio.value));
}

/* 30 loads hit L1, 10 stores report only that they missed it: 25 % miss L1, and between none and
 * all of these miss L2. */
static void unknown_level_widens_the_miss_rate(void **state)
{
    (void)state;
    begin((enum event_role[]){EVENT_ACCESS}, 1, 0);
    add(1, 0, 30, (struct reported_access){0, 7, LOAD(L1), 0});
    add(1, 0, 10, (struct reported_access){0, 7, STORE_BEYOND, 0});
    take_snapshot();
    const struct snapshot_rates *rates = object_of(1)->rates;
    expect_same_share(rates->miss_rate[RATE_L1], interval_share(0.25, 40));
    NEAR(rates->miss_rate[RATE_L2].value, 0);
    NEAR(rates->miss_rate[RATE_L2].low, 0);
    NEAR(rates->miss_rate[RATE_L2].high, interval_share(0.25, 40).high);
}

/* Loads of 30 cycles and more are not all loads: no accesses, no rate. */
static void latency_filtered_loads_give_no_miss_rate(void **state)
{
    (void)state;
    begin((enum event_role[]){EVENT_OTHER}, 1, 0);
    add(1, 0, 30, (struct reported_access){0, 7, LOAD(L1), 35});
    add(1, 0, 10, (struct reported_access){0, 7, LOAD(LOC_RAM), 300});
    take_snapshot();
    const struct snapshot_rates *rates = object_of(1)->rates;
    assert_true(isnan(rates->accesses));
    assert_true(isnan(rates->miss_rate[RATE_L1].value));
    NEAR(rates->stall_share.value, 1);
    NEAR(rates->miss_share.value, 1);
}

/* Object 1: 50 samples of 7000 L1 misses and 100 of 10000 accesses give 35 %; 20 of 1000 fills give
 * 2 %. Object 2 has as many accesses and 3 fills. */
static void separate_events_give_rates_with_intervals(void **state)
{
    (void)state;
    begin((enum event_role[]){EVENT_MEM_FILL, EVENT_MISS_L1, EVENT_ACCESS}, 3, 0);
    add(1, 0, 20, (struct reported_access){0, 1000, 0, 0});
    add(1, 0, 50, (struct reported_access){1, 7000, 0, 0});
    add(1, 0, 100, (struct reported_access){2, 10000, 0, 0});
    add(2, 0, 3, (struct reported_access){0, 1000, 0, 0});
    add(2, 0, 100, (struct reported_access){2, 10000, 0, 0});
    take_snapshot();
    const struct snapshot_rates *rates = object_of(1)->rates;
    struct snapshot_share accesses = interval_count((struct amount){1e6, 1e10}, 0);
    assert_int_equal(rates->evidence, RATES_COUNTED);
    NEAR(rates->accesses, 1e6);
    NEAR(rates->miss_rate[RATE_L1].value, 0.35);
    expect_same_share(rates->miss_rate[RATE_L1],
                      interval_ratio(interval_count((struct amount){350000, 2.45e9}, 0), accesses));
    NEAR(rates->miss_rate[RATE_MEMORY].value, 0.02);
    assert_true(isnan(rates->miss_rate[RATE_L2].value));
    expect_same_share(field_rates(object_of(1), 0)->miss_rate[RATE_L1], rates->miss_rate[RATE_L1]);
    expect_same_share(function_rates(10)->miss_rate[RATE_L1], rates->miss_rate[RATE_L1]);
    expect_same_share(cell_rates(10, 1)->miss_rate[RATE_L1], rates->miss_rate[RATE_L1]);
    /* No L1 miss was sampled on object 2: the range starts at 0 and ends where 0 samples of 7000
     * each are still plausible. */
    rates = object_of(2)->rates;
    NEAR(rates->miss_rate[RATE_L1].value, 0);
    expect_same_share(rates->miss_rate[RATE_L1],
                      interval_ratio(interval_count((struct amount){0, 0}, 7000), accesses));
    assert_true(rates->miss_rate[RATE_L1].high > 0.02);
    NEAR(snapshot->rates->miss_rate[RATE_MEMORY].value, 0.0115);
}

/* The accesses were counted only half of the time: there were twice as many. */
static void multiplexed_events_are_scaled_up(void **state)
{
    (void)state;
    begin((enum event_role[]){EVENT_MISS_L1, EVENT_ACCESS}, 2, 0);
    head.source.events[1].running_share = 0.5;
    add(1, 0, 100, (struct reported_access){0, 1000, 0, 0});
    add(1, 0, 100, (struct reported_access){1, 10000, 0, 0});
    take_snapshot();
    NEAR(object_of(1)->rates->accesses, 2e6);
    NEAR(object_of(1)->rates->miss_rate[RATE_L1].value, 0.05);
}

/* Misses without accesses give a lower bound. More misses than accesses are contradictory and give
 * no rate. */
static void contradictory_counts_give_no_rate(void **state)
{
    (void)state;
    begin((enum event_role[]){EVENT_MISS_L1, EVENT_ACCESS}, 2, 0);
    add(1, 0, 40, (struct reported_access){0, 1000, 0, 0});
    add(2, 0, 5, (struct reported_access){0, 1000, 0, 0});
    add(2, 0, 400, (struct reported_access){1, 1000, 0, 0});
    add(3, 0, 400, (struct reported_access){0, 1000, 0, 0});
    add(3, 0, 100, (struct reported_access){1, 1000, 0, 0});
    take_snapshot();
    struct snapshot_share rate = object_of(1)->rates->miss_rate[RATE_L1];
    assert_true(isnan(rate.value) && isnan(rate.low)); /* 40 of at most 4 */
    rate = object_of(3)->rates->miss_rate[RATE_L1];
    assert_true(isnan(rate.value) && isnan(rate.low));
    add(4, 0, 2, (struct reported_access){0, 1000, 0, 0});
    take_snapshot();
    rate = object_of(4)->rates->miss_rate[RATE_L1];
    assert_true(isnan(rate.value) && rate.low > 0.05 && rate.high == 1);
}

/* DTrack, 3.4: tds of 179.art has 2.1 % of all misses and 16.6 % of all stalls. */
static void criticality_is_stall_share_per_miss_share(void **state)
{
    (void)state;
    begin((enum event_role[]){EVENT_MISS_L1, EVENT_STALL}, 2, 0);
    add(1, 0, 210, (struct reported_access){0, 1000, 0, 0});
    add(2, 0, 9790, (struct reported_access){0, 1000, 0, 0});
    add(1, 0, 1660, (struct reported_access){1, 5000, 0, 0});
    add(2, 0, 8340, (struct reported_access){1, 5000, 0, 0});
    take_snapshot();
    const struct snapshot_rates *tds = object_of(1)->rates;
    const struct snapshot_rates *rest = object_of(2)->rates;
    expect_same_share(tds->stall_share, interval_share(0.166, 10000));
    expect_same_share(tds->miss_share, interval_share(0.021, 10000));
    NEAR(tds->stall_ratio.value, 0.166 / 0.021);
    expect_same_share(tds->stall_ratio, interval_ratio(tds->stall_share, tds->miss_share));
    assert_true(tds->stall_ratio.low > 6.5 && tds->stall_ratio.high < 9.5);
    NEAR(rest->stall_ratio.value, 0.834 / 0.979);
    assert_true(rest->stall_ratio.high < 1);
    NEAR(function_rates(10)->stall_ratio.value, 0.166 / 0.021);
    assert_int_equal(tds->level, RATE_L1);
    assert_true(isnan(tds->accesses));
}

/* Cycles that only compute have no object, but are part of the total. */
static void stall_cycles_bound_waiting_of_the_process(void **state)
{
    (void)state;
    begin((enum event_role[]){EVENT_MISS_L1, EVENT_STALL, EVENT_TIME}, 3, 0);
    add(1, 0, 100, (struct reported_access){0, 1000, 0, 0});
    add(1, 0, 3000, (struct reported_access){1, 1000, 0, 0});
    add(1, 0, 2000, (struct reported_access){2, 1000, 0, 0});
    reason = REASON_NO_MEMORY;
    add(1, 0, 3000, (struct reported_access){2, 1000, 0, 0});
    reason = REASON_NONE;
    add(2, 0, 5000, (struct reported_access){2, 1000, 0, 0});
    take_snapshot();
    struct snapshot_wait wait = snapshot->wait;
    assert_int_equal(wait.evidence, WAIT_FROM_COUNTERS);
    assert_true(wait.low[WAIT_BEYOND_L1] > 0.28 && wait.low[WAIT_BEYOND_L1] < 0.3);
    assert_true(wait.high[WAIT_BEYOND_L1] > 0.3 && wait.high[WAIT_BEYOND_L1] < 0.32);
    assert_true(isnan(wait.low[WAIT_BEYOND_L2]) && isnan(wait.high[WAIT_BEYOND_L3]));
    assert_int_equal(object_of(1)->wait.evidence, WAIT_UNKNOWN);
    assert_int_equal(snapshot->code[0].wait.evidence, WAIT_UNKNOWN);
}

/* If loads are sampled with latencies, these show what an object waits for. */
static void latencies_bound_objects_and_stalls_the_process(void **state)
{
    uint64_t l1 = PERF_MEM_S(OP, LOAD) | PERF_MEM_S(LVLNUM, L1);
    uint64_t ram = PERF_MEM_S(OP, LOAD) | PERF_MEM_S(LVLNUM, RAM);
    (void)state;
    begin((enum event_role[]){EVENT_OTHER, EVENT_STALL, EVENT_TIME}, 3, 0);
    add(1, 0, 500, (struct reported_access){0, 1000, l1, 40});
    add(2, 0, 500, (struct reported_access){0, 1000, ram, 300});
    add(2, 0, 3000, (struct reported_access){1, 1000, 0, 0});
    add(1, 0, 7000, (struct reported_access){2, 1000, 0, 0});
    add(2, 0, 3000, (struct reported_access){2, 1000, 0, 0});
    take_snapshot();
    assert_int_equal(snapshot->wait.evidence, WAIT_FROM_COUNTERS);
    assert_true(snapshot->wait.low[WAIT_BEYOND_L1] < 0.3);
    assert_true(snapshot->wait.high[WAIT_BEYOND_L1] > 0.3);
    assert_int_equal(object_of(1)->wait.evidence, WAIT_FROM_LATENCIES);
    assert_true(object_of(1)->wait.high[WAIT_BEYOND_L1] < 0.05);
    assert_true(object_of(2)->wait.low[WAIT_BEYOND_L3] > 0.95);
    NEAR(object_of(2)->rates->stall_share.value, 300. / 340);
    NEAR(object_of(2)->rates->miss_share.value, 1);
}

/* Multiplexing: stalls were counted half of the time. */
static void multiplexed_stalls_are_scaled_to_counted_time(void **state)
{
    (void)state;
    begin((enum event_role[]){EVENT_STALL, EVENT_TIME}, 2, 0);
    head.source.events[0].running_share = 0.5;
    add(1, 0, 1000, (struct reported_access){0, 1000, 0, 0});
    add(1, 0, 4000, (struct reported_access){1, 1000, 0, 0});
    take_snapshot();
    assert_true(snapshot->wait.low[WAIT_BEYOND_L1] < 0.5);
    assert_true(snapshot->wait.high[WAIT_BEYOND_L1] > 0.5);
    assert_true(snapshot->wait.low[WAIT_BEYOND_L1] > 0.45);
}

/* Cycles alone do not show stalls, nor do stalls without cycles show a share of the time. */
static void waiting_needs_both_stalls_and_cycles(void **state)
{
    (void)state;
    begin((enum event_role[]){EVENT_MISS_L1, EVENT_STALL}, 2, 0);
    add(1, 0, 1000, (struct reported_access){1, 1000, 0, 0});
    take_snapshot();
    assert_int_equal(snapshot->wait.evidence, WAIT_UNKNOWN);
    tear_down(state);
    begin((enum event_role[]){EVENT_MISS_L1, EVENT_TIME}, 2, 0);
    add(1, 0, 1000, (struct reported_access){1, 1000, 0, 0});
    take_snapshot();
    assert_int_equal(snapshot->wait.evidence, WAIT_UNKNOWN);
}

/* The same from latencies: 20 of 100 missing loads wait 400 cycles each, the others 100; hits take
 * 4 cycles and do not miss. */
static void criticality_is_derived_from_latencies(void **state)
{
    (void)state;
    begin((enum event_role[]){EVENT_ACCESS}, 1, 0);
    add(1, 0, 20, (struct reported_access){0, 10, LOAD(LOC_RAM), 400});
    add(2, 0, 80, (struct reported_access){0, 10, LOAD(LOC_RAM), 100});
    add(2, 0, 100, (struct reported_access){0, 10, LOAD(L1), 4});
    take_snapshot();
    const struct snapshot_rates *one = object_of(1)->rates;
    NEAR(one->stall_share.value, 8000.0 / (8000 + 8000 + 400));
    NEAR(one->miss_share.value, 0.2);
    NEAR(one->stall_ratio.value, one->stall_share.value / 0.2);
    struct amount_pair own = {{80000, 20 * 16e6}, {200, 2000}, 80000 * 10};
    struct amount_pair all = {
        {164000, 20 * 16e6 + 80 * 1e6 + 100 * 1600}, {1000, 10000}, (80000 + 80000) * 10};
    expect_same_share(one->stall_ratio, interval_same(&own, &all));
    assert_true(one->stall_ratio.low > 1.5 && one->stall_ratio.high < 4);
    expect_same_share(function_rates(10)->stall_ratio, one->stall_ratio);
    expect_same_share(cell_rates(10, 1)->stall_ratio, one->stall_ratio);
    NEAR(function_rates(10)->miss_rate[RATE_L1].value, 1);
}

static void rates_decay_with_half_life(void **state)
{
    (void)state;
    begin((enum event_role[]){EVENT_ACCESS}, 1, 1e-3);
    add(1, 0, 200, (struct reported_access){0, 10, LOAD(L1), 10});
    now += 20 * 1000 * 1000; /* twenty half-lives */
    add(1, 0, 200, (struct reported_access){0, 10, LOAD(LOC_RAM), 300});
    take_snapshot();
    assert_true(object_of(1)->rates->miss_rate[RATE_L1].value > 0.99);
    assert_true(function_rates(10)->miss_rate[RATE_L1].value > 0.99);
    profile_set_basis(profile, BASIS_RUN);
    take_snapshot();
    NEAR(object_of(1)->rates->miss_rate[RATE_L1].value, 0.5);
    NEAR(function_rates(10)->miss_rate[RATE_L1].value, 0.5);
    /* Long enough for the decay scale to be renormalised. */
    now += UINT64_C(1000) * 1000 * 1000;
    add(1, 0, 100, (struct reported_access){0, 10, LOAD(L1), 10});
    profile_set_basis(profile, BASIS_DECAYED);
    take_snapshot();
    NEAR(object_of(1)->rates->miss_rate[RATE_L1].value, 0);
    NEAR(object_of(1)->rates->stall_share.value, 1);
    profile_set_basis(profile, BASIS_RUN);
    profile_zero(profile, now);
    add(1, 0, 10, (struct reported_access){0, 10, LOAD(L1), 10});
    take_snapshot();
    NEAR(function_rates(10)->accesses, 100);
    NEAR(function_rates(10)->miss_rate[RATE_L1].value, 0);
}

/* 300 samples over 0.3 half-lives, the first `age` half-lives after the start. */
static struct snapshot_share critical_after(double age, double *function_miss_rate)
{
    begin((enum event_role[]){EVENT_ACCESS}, 1, 1e-3);
    add(3, 0, 1, (struct reported_access){0, 10, LOAD(L1), 4});
    now += (uint64_t)(age * 1e6);
    for (int i = 0; i < 60; i++) {
        add(1, 0, 1, (struct reported_access){0, 10, LOAD(LOC_RAM), 400 + 10 * (unsigned)i});
        add(2, 0, 3, (struct reported_access){0, 10, LOAD(LOC_RAM), 100});
        add(4, 0, 1, (struct reported_access){0, 10, i < 30 ? LOAD(L1) : LOAD(LOC_RAM), 100});
    }
    take_snapshot();
    struct snapshot_share critical = object_of(1)->rates->stall_ratio;
    *function_miss_rate = function_rates(40)->miss_rate[RATE_L1].value;
    tear_down(NULL);
    return critical;
}

/*
 * Renormalising the decay scale (at 240 half-lives) in the middle of the samples changes nothing.
 */
static void renormalising_decay_keeps_rate_intervals(void **state)
{
    (void)state;
    double rate_before;
    double rate_across;
    struct snapshot_share before = critical_after(100, &rate_before);
    struct snapshot_share across = critical_after(239.85, &rate_across);
    assert_true(before.low > 2 && before.high < 6);
    assert_true(rate_before > 0.51 && fabs(rate_across / rate_before - 1) < 1e-6);
    assert_true(fabs(across.value / before.value - 1) < 1e-6);
    assert_true(fabs(across.low / before.low - 1) < 1e-6);
    assert_true(fabs(across.high / before.high - 1) < 1e-6);
}

static void rates_are_null_without_suitable_events(void **state)
{
    (void)state;
    begin((enum event_role[]){EVENT_MISS_L1, EVENT_OTHER}, 2, 0);
    add(1, 0, 10, (struct reported_access){0, 1000, 0, 0});
    add(1, 0, 10, (struct reported_access){1, 1000, 0, 0});
    take_snapshot();
    assert_null(snapshot->rates);
    assert_null(object_of(1)->rates);
    assert_null(field_rates(object_of(1), 0));
    assert_null(function_rates(10));
    assert_null(snapshot_matrix_at(&snapshot->matrix, 0, 0)->rates);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(ibs_samples_give_hit_and_miss_rates, tear_down),
        cmocka_unit_test_teardown(unknown_level_widens_the_miss_rate, tear_down),
        cmocka_unit_test_teardown(latency_filtered_loads_give_no_miss_rate, tear_down),
        cmocka_unit_test_teardown(separate_events_give_rates_with_intervals, tear_down),
        cmocka_unit_test_teardown(multiplexed_events_are_scaled_up, tear_down),
        cmocka_unit_test_teardown(contradictory_counts_give_no_rate, tear_down),
        cmocka_unit_test_teardown(criticality_is_stall_share_per_miss_share, tear_down),
        cmocka_unit_test_teardown(criticality_is_derived_from_latencies, tear_down),
        cmocka_unit_test_teardown(stall_cycles_bound_waiting_of_the_process, tear_down),
        cmocka_unit_test_teardown(latencies_bound_objects_and_stalls_the_process, tear_down),
        cmocka_unit_test_teardown(multiplexed_stalls_are_scaled_to_counted_time, tear_down),
        cmocka_unit_test_teardown(waiting_needs_both_stalls_and_cycles, tear_down),
        cmocka_unit_test_teardown(rates_decay_with_half_life, tear_down),
        cmocka_unit_test_teardown(renormalising_decay_keeps_rate_intervals, tear_down),
        cmocka_unit_test_teardown(rates_are_null_without_suitable_events, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
