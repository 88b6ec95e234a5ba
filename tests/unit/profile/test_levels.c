/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Levels and latencies from accesses to snapshots: recorded by hardware, computed from several miss
 * events, and unknown. */
#include <linux/perf_event.h>
#include <math.h>
#include <string.h>

#include "profile/profile.h"
#include "profile/tables/levels.h"
#include "unit.h"
#include "unit/names.h"

#define NEAR(a, b) assert_true(fabs((a) - (b)) < 1e-9)
#define LOAD_L1    (PERF_MEM_S(OP, LOAD) | PERF_MEM_S(LVL, HIT) | PERF_MEM_S(LVL, L1))
#define LOAD_DRAM  (PERF_MEM_S(OP, LOAD) | PERF_MEM_S(LVL, HIT) | PERF_MEM_S(LVL, LOC_RAM))
#define TLB_WALK   (PERF_MEM_S(TLB, MISS) | PERF_MEM_S(TLB, L2))
#define TLB_FOUND  (PERF_MEM_S(TLB, HIT) | PERF_MEM_S(TLB, L1) | PERF_MEM_S(TLB, L2))

static struct profile *profile;
static const struct snapshot *snapshot;
static struct snapshot head;
static uint64_t now;

static bool fake_object(void *context, uint32_t object, struct object_desc *desc)
{
    (void)context;
    *desc = (struct object_desc){
        .name = "thing", .module = "m", .kind = OBJECT_GLOBAL, .address = object << 20};
    return true;
}

/* struct pair { char name[8]; long count; } */
static bool fake_type(void *context, uint32_t type, struct type_desc *desc)
{
    static const struct type_member members[] = {
        {.name = "name",
         .type = "char [8]",
         .size = 8,
         .count = 8,
         .stride = 1,
         .parent = TYPE_NO_MEMBER},
        {.name = "count", .type = "long", .offset = 8, .size = 8, .parent = TYPE_NO_MEMBER}};
    (void)context;
    *desc = (struct type_desc){.name = "struct pair",
                               .kind = TYPE_STRUCT,
                               .size = 16,
                               .members = members,
                               .member_count = 2};
    return type == 5;
}

static void begin(uint16_t events, double half_life_s)
{
    static const struct fake_names answers = {.object = fake_object, .type = fake_type};
    struct profile_options options = {.names = FAKE_NAMES(&answers),
                                      .half_life_s = half_life_s,
                                      .ways = 10,
                                      .event_count = events,
                                      .window_entries = 1024};
    assert_int_equal(geometry_parse(&options.geometry, "L1=32K,8,64", "/", NULL), 0);
    assert_int_equal(profile_new(&profile, &options, NULL), 0);
    memset(&head, 0, sizeof head);
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

struct readout {
    uint64_t data_src;
    uint64_t latency;
    uint64_t weight;
    uint16_t event;
};

static void add(uint32_t object, uint64_t offset, struct readout readout)
{
    struct place place = {.object = object, .base = (uint64_t)object << 20};
    place.access = (struct access){.time_ns = now += 1000,
                                   .ip = 0x400000,
                                   .address = place.base + offset,
                                   .data_src = readout.data_src,
                                   .latency = readout.latency,
                                   .weight = readout.weight,
                                   .event = readout.event,
                                   .size = 8};
    profile_add(profile, &place);
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

static const struct snapshot_field *field_at(const struct snapshot_object *object, uint64_t offset)
{
    for (size_t i = 0; i < object->field_count; i++)
        if (object->fields[i].offset == (int64_t)offset)
            return &object->fields[i];
    fail_msg("object has no field at offset %llu", (unsigned long long)offset);
    return NULL;
}

/* Two objects with two fields: levels, means and weighted shares of each. */
static void recorded_levels_are_counted_per_object_and_field(void **state)
{
    (void)state;
    begin(1, 0);
    for (int i = 0; i < 3; i++)
        add(1, 0, (struct readout){LOAD_L1 | TLB_FOUND, 40, 100, 0});
    add(1, 8, (struct readout){LOAD_DRAM | TLB_WALK | PERF_MEM_S(SNOOP, HITM), 400, 300, 0});
    add(2, 0, (struct readout){LOAD_DRAM | TLB_FOUND, 200, 400, 0});
    take_snapshot();
    const struct snapshot_object *one = object_of(1);
    assert_int_equal(one->levels->evidence, LEVELS_RECORDED);
    NEAR(one->levels->accesses, 600);
    NEAR(one->levels->level[DATA_L1], 300);
    NEAR(one->levels->level[DATA_DRAM], 300);
    NEAR(one->levels->level[DATA_L2], 0);
    NEAR(one->levels->tlb_miss, 0.5);
    NEAR(one->levels->hitm, 0.5);
    NEAR(one->levels->snoop[SNOOP_HITM], 300);
    NEAR(one->levels->snoop[SNOOP_UNKNOWN], 300);
    NEAR(one->levels->tlb[TLB_HIT], 300);
    NEAR(one->levels->tlb[TLB_MISS], 300);
    NEAR(one->levels->far_share, 0.5);
    NEAR(one->levels->remote, 0);
    NEAR(one->levels->waited[DATA_DRAM], 400 * 300);
    NEAR(one->latency, one->levels->latency);
    assert_string_equal(one->levels->summary, "L1 50% DRAM 50%");
    NEAR(one->levels->latency, (40 * 300 + 400 * 300) / 600.0);
    NEAR(one->levels->stall, (40 * 300 + 400 * 300) / (double)(132000 + 80000));
    NEAR(one->levels->histogram[5], 300); /* 32 to 63 */
    NEAR(one->levels->histogram[8], 300); /* 256 to 511 */
    const struct snapshot_field *near = field_at(one, 0);
    const struct snapshot_field *far = field_at(one, 8);
    NEAR(near->levels->accesses, 300);
    NEAR(near->levels->level[DATA_L1], 300);
    NEAR(near->levels->tlb_miss, 0);
    NEAR(far->levels->level[DATA_DRAM], 300);
    NEAR(far->levels->latency, 400);
    NEAR(near->levels->stall + far->levels->stall, one->levels->stall);
    NEAR(snapshot->levels->accesses, 1000);
    NEAR(snapshot->levels->stall, 1);
    NEAR(snapshot->levels->level[DATA_DRAM], 700);
}

/* A level that was not recorded is NAN, and objects without records have no levels. */
static void unrecorded_levels_are_nan(void **state)
{
    (void)state;
    begin(1, 0);
    add(1, 0, (struct readout){0, 0, 10, 0});
    add(2, 0, (struct readout){0, 70, 10, 0});
    add(3, 0, (struct readout){LOAD_L1, 0, 10, 0});
    take_snapshot();
    assert_null(object_of(1)->levels);
    assert_null(object_of(1)->fields[0].levels);
    const struct snapshot_levels *timed = object_of(2)->levels;
    NEAR(timed->latency, 70);
    assert_true(isnan(timed->accesses) && isnan(timed->level[DATA_L1]) && isnan(timed->tlb_miss) &&
                isnan(timed->hitm));
    const struct snapshot_levels *reported = object_of(3)->levels;
    NEAR(reported->level[DATA_L1], 10);
    NEAR(reported->level[DATA_DRAM], 0);
    assert_true(isnan(reported->latency) && isnan(reported->stall) &&
                isnan(reported->histogram[3]));
    assert_true(isnan(reported->tlb_miss) && isnan(reported->hitm) && isnan(reported->blocked));
    NEAR(reported->locked, 0); /* Intel leaves the field 0 if nothing was locked */
    NEAR(field_at(object_of(3), 0)->levels->level[DATA_L1], 10);
}

static void levels_decay_with_half_life(void **state)
{
    (void)state;
    begin(1, 1);
    add(1, 0, (struct readout){LOAD_DRAM, 300, 1000, 0});
    now += 10000000000; /* ten half-lives */
    add(1, 0, (struct readout){LOAD_L1, 30, 1000, 0});
    profile_set_basis(profile, BASIS_DECAYED);
    take_snapshot();
    const struct snapshot_levels *recent = object_of(1)->levels;
    assert_true(recent->level[DATA_DRAM] < 1 && recent->level[DATA_L1] > 999);
    assert_true(recent->latency < 31);
    /* The decay scale is renormalised after 240 half-lives, in rows too. */
    now += 250000000000;
    add(1, 0, (struct readout){LOAD_L1, 30, 1000, 0});
    add(1, 0, (struct readout){LOAD_L1, 30, 1000, 0});
    take_snapshot();
    assert_true(fabs(object_of(1)->levels->accesses - 2000) < 1);
    assert_true(fabs(object_of(1)->fields[0].levels->accesses - 2000) < 1);
    profile_set_basis(profile, BASIS_RUN);
    take_snapshot();
    NEAR(object_of(1)->levels->accesses, 4000);
    NEAR(object_of(1)->levels->level[DATA_DRAM], 1000);
    profile_zero(profile, now);
    add(1, 0, (struct readout){LOAD_L1, 0, 7, 0});
    take_snapshot();
    NEAR(object_of(1)->levels->accesses, 7);
    assert_true(isnan(object_of(1)->levels->latency));
}

/* Each event has its own levels: shows those of the ranking event. */
static void levels_are_counted_per_event(void **state)
{
    (void)state;
    begin(2, 0);
    add(1, 0, (struct readout){LOAD_DRAM, 300, 10, 0});
    add(1, 0,
        (struct readout){PERF_MEM_S(OP, STORE) | PERF_MEM_S(LVL, L1) | PERF_MEM_S(LVL, MISS), 0, 50,
                         1});
    take_snapshot();
    NEAR(object_of(1)->levels->level[DATA_DRAM], 10);
    profile_set_ranking(profile, 1);
    take_snapshot();
    NEAR(object_of(1)->levels->level[DATA_BEYOND_L1], 50);
    assert_string_equal(object_of(1)->levels->summary, "beyond-L1 100%");
    assert_true(isnan(object_of(1)->levels->far_share)); /* in L2 or beyond: not known */
    NEAR(object_of(1)->levels->level[DATA_DRAM], 0);
    assert_true(isnan(object_of(1)->levels->latency));
}

static void add_member(uint64_t offset, uint32_t member_offset, struct readout readout)
{
    struct place place = {.object = 1, .base = 1 << 20, .type = 5, .by_member = true};
    place.type_offset = member_offset;
    place.access = (struct access){.time_ns = now += 1000,
                                   .address = place.base + offset,
                                   .data_src = readout.data_src,
                                   .latency = readout.latency,
                                   .weight = readout.weight,
                                   .size = 1};
    profile_add(profile, &place);
}

/* Accesses anywhere in a member, in any instance, count for the member. */
static void levels_of_all_offsets_count_for_their_member(void **state)
{
    (void)state;
    begin(1, 0);
    add_member(160, 0, (struct readout){LOAD_L1, 40, 10, 0});
    add_member(323, 3, (struct readout){LOAD_DRAM, 400, 10, 0});
    add_member(7, 7, (struct readout){LOAD_DRAM, 400, 20, 0});
    add_member(8, 8, (struct readout){LOAD_L1, 50, 10, 0});
    take_snapshot();
    const struct snapshot_object *object = object_of(1);
    assert_int_equal(object->field_count, 2);
    const struct snapshot_field *name = field_at(object, 0);
    assert_string_equal(name->name, "pair.name[*]");
    NEAR(name->levels->accesses, 40);
    NEAR(name->levels->level[DATA_L1], 10);
    NEAR(name->levels->level[DATA_DRAM], 30);
    NEAR(name->levels->latency, (40 * 10 + 400 * 30) / 40.0);
    NEAR(field_at(object, 8)->levels->level[DATA_L1], 10);
}

static void name_events(const enum event_role *roles, size_t count)
{
    head.source.event_count = count;
    for (size_t i = 0; i < count; i++)
        head.source.events[i] = (struct snapshot_event){.name = "e", .role = roles[i]};
}

/* L1 misses minus L2 misses were found in L2, and so on, in events, not samples. */
static void levels_are_derived_from_miss_events(void **state)
{
    static const enum event_role roles[] = {EVENT_MEM_FILL, EVENT_MISS_L2, EVENT_MISS_L1};
    (void)state;
    begin(3, 0);
    name_events(roles, 3);
    for (int i = 0; i < 10; i++) {
        add(1, 0, (struct readout){0, 0, 100, 0}); /* 1,000 fills */
        add(1, 0, (struct readout){0, 0, 300, 1}); /* 3,000 L2 misses */
        add(1, 0, (struct readout){0, 0, 500, 2}); /* 5,000 L1 misses */
    }
    add(1, 64, (struct readout){0, 0, 100, 0});
    take_snapshot();
    const struct snapshot_levels *levels = object_of(1)->levels;
    assert_int_equal(levels->evidence, LEVELS_COUNTED);
    NEAR(levels->level[DATA_MEMORY], 1100);
    NEAR(levels->level[DATA_L3], 1900);
    NEAR(levels->level[DATA_L2], 2000);
    NEAR(levels->accesses, 5000);
    NEAR(levels->far_share, 0.6);
    assert_string_equal(levels->summary, "L2 40% L3 38% memory 22%");
    assert_true(isnan(levels->level[DATA_L1]) && isnan(levels->latency) && isnan(levels->tlb_miss));
    const struct snapshot_levels *field = field_at(object_of(1), 0)->levels;
    NEAR(field->level[DATA_MEMORY], 1000);
    NEAR(field->level[DATA_L3], 2000);
    NEAR(field->level[DATA_L2], 2000);
    /* Contradictory estimates do not give negative counts. */
    NEAR(field_at(object_of(1), 64)->levels->level[DATA_L3], 0);
    NEAR(snapshot->levels->level[DATA_L2], 2000);
}

static void levels_without_their_miss_event_are_unknown(void **state)
{
    static const enum event_role without_l2[] = {EVENT_MEM_FILL, EVENT_MISS_L1};
    static const enum event_role without_memory[] = {EVENT_MISS_L2, EVENT_MISS_L1};
    static const enum event_role one[] = {EVENT_MEM_FILL, EVENT_STALL};
    (void)state;
    begin(2, 0);
    add(1, 0, (struct readout){0, 0, 100, 0});
    add(1, 0, (struct readout){0, 0, 300, 1});
    name_events(without_l2, 2);
    take_snapshot();
    NEAR(object_of(1)->levels->level[DATA_MEMORY], 100);
    NEAR(object_of(1)->levels->level[DATA_CACHE], 200);
    assert_true(isnan(object_of(1)->levels->level[DATA_L2]));
    name_events(without_memory, 2);
    take_snapshot();
    NEAR(object_of(1)->levels->level[DATA_BEYOND_L2], 100);
    NEAR(object_of(1)->levels->level[DATA_L2], 200);
    name_events(one, 2);
    take_snapshot();
    assert_null(object_of(1)->levels);
    assert_null(snapshot->levels);
}

static void latency_class_is_log2(void **state)
{
    (void)state;
    assert_int_equal(levels_latency_class(0), 0);
    assert_int_equal(levels_latency_class(1), 0);
    assert_int_equal(levels_latency_class(2), 1);
    assert_int_equal(levels_latency_class(3), 1);
    assert_int_equal(levels_latency_class(1023), 9);
    assert_int_equal(levels_latency_class(1024), 10);
    assert_int_equal(levels_latency_class(32768), 15);
    assert_int_equal(levels_latency_class(UINT64_MAX), 15);
}

/* A pair that was replaced leaves nothing behind. */
static void evicted_count_row_starts_at_zero(void **state)
{
    struct count_rows rows = {0};
    (void)state;
    assert_null(count_rows_find(&rows, 5, 77));
    counted_add(count_rows_make(&rows, 2 * sizeof(struct counted), 5, 77), 64, 1);
    counted_add(count_rows_make(&rows, 2 * sizeof(struct counted), 5000, 1), 1, 1);
    NEAR(((struct counted *)count_rows_find(&rows, 5, 77))->at[BASIS_RUN], 64);
    count_rows_rescale(&rows, 0.5);
    NEAR(((struct counted *)count_rows_find(&rows, 5, 77))->at[BASIS_RUN], 64);
    NEAR(((struct counted *)count_rows_find(&rows, 5, 77))->at[BASIS_DECAYED], 32);
    assert_null(count_rows_find(&rows, 5, 78));
    assert_null(count_rows_find(&rows, 6, 77));
    NEAR(((struct counted *)count_rows_make(&rows, 2 * sizeof(struct counted), 5, 78))
             ->at[BASIS_RUN],
         0);
    assert_null(count_rows_find(&rows, 5, 77));
    assert_int_equal(rows.count, 2);
    count_rows_clear(&rows);
    assert_null(count_rows_find(&rows, 5000, 1));
    count_rows_fini(&rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(recorded_levels_are_counted_per_object_and_field, tear_down),
        cmocka_unit_test_teardown(unrecorded_levels_are_nan, tear_down),
        cmocka_unit_test_teardown(levels_decay_with_half_life, tear_down),
        cmocka_unit_test_teardown(levels_are_counted_per_event, tear_down),
        cmocka_unit_test_teardown(levels_of_all_offsets_count_for_their_member, tear_down),
        cmocka_unit_test_teardown(levels_are_derived_from_miss_events, tear_down),
        cmocka_unit_test_teardown(levels_without_their_miss_event_are_unknown, tear_down),
        cmocka_unit_test(latency_class_is_log2),
        cmocka_unit_test(evicted_count_row_starts_at_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
