/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "profile/tables/rates.h"
#include "profile/tables/tally.h"
#include "unit.h"
#include "unit/profile/profile_fixture.h"
#include "unit/names.h"

static void add_random(struct profile *profile, struct prng *prng, uint64_t now)
{
    uint32_t object = prng_below(prng, 2) ? 1 : (uint32_t)prng_below(prng, 20);
    struct place place = {
        .object = object, .function = object / 3, .base = object * UINT64_C(0x100000)};
    place.access = (struct access){.time_ns = now,
                                   .ip = 0x400000 + object,
                                   .weight = 1 + prng_below(prng, 3),
                                   .address = place.base + prng_below(prng, 4096) * 48 + 40,
                                   .tid = 7,
                                   .event = (uint16_t)prng_below(prng, 2),
                                   .kind = ACCESS_LOAD,
                                   .size = 8,
                                   .how = (uint8_t)prng_below(prng, ACCESS_HOW_COUNT),
                                   .reason = (uint8_t)prng_below(prng, REASON_COUNT * 2)};
    if (place.access.reason >= REASON_COUNT)
        place.access.reason = REASON_NONE;
    profile_add(profile, &place);
}

enum { CROWD = 12, CROWD_PLACES = 20000, CROWD_BATCH = 512 };

/* Instructions with pairs of object 1 in the same bucket, where they displace each other. */
static void find_colliding_ips(uint64_t ips[CROWD])
{
    const struct pairs pairs = {.count = 1 << 15};
    size_t found = 0;
    for (uint64_t ip = 0x400000; found < CROWD; ip++)
        if (!pairs_bucket_of(&pairs, pairs_hash(PAIR_OWNER(1, 0), ip)))
            ips[found++] = ip;
}

/* The groups of a batch count the same as their single samples, even if a group loses its row
 * meanwhile and gets it back. */
static void batched_samples_count_like_single_samples(void **state)
{
    struct prng prng = {7};
    uint64_t ips[CROWD];
    struct profile *alone = profile_fixture_new(0, 4096);
    struct profile *together = profile_fixture_new(0, 4096);
    struct place *places = calloc(CROWD_PLACES, sizeof *places);
    struct snapshot head = {.iteration = 1};
    (void)state;
    assert_non_null(places);
    find_colliding_ips(ips);
    for (uint64_t i = 0; i < CROWD_PLACES; i++) {
        uint64_t base = PROFILE_FIXTURE_APART + prng_below(&prng, 4) * 4096;
        places[i] = (struct place){.object = 1, .function = 1, .base = base, .size_bytes = 4096};
        places[i].access = (struct access){.time_ns = 1 + i * 1000,
                                           .ip = ips[prng_below(&prng, CROWD)],
                                           .address = base + prng_below(&prng, 8) * 8,
                                           .weight = 1 + prng_below(&prng, 3),
                                           .tid = 7,
                                           .kind = ACCESS_LOAD,
                                           .size = 8};
        profile_add(alone, &places[i]);
    }
    for (size_t i = 0; i < CROWD_PLACES; i += CROWD_BATCH)
        profile_add_all(together, places + i,
                        CROWD_PLACES - i < CROWD_BATCH ? CROWD_PLACES - i : CROWD_BATCH);
    const struct snapshot *one = profile_snapshot(alone, &head, CROWD_PLACES * 1000);
    const struct snapshot *other = profile_snapshot(together, &head, CROWD_PLACES * 1000);
    const struct snapshot_code *by_one = &one->code[0];
    const struct snapshot_code *by_batch = &other->code[0];
    assert_true(one->objects[0].samples == other->objects[0].samples);
    assert_true(by_one->samples == by_batch->samples);
    assert_true(by_one->instruction_count > 2 &&
                by_one->instruction_count == by_batch->instruction_count);
    for (size_t i = 0; i < by_one->instruction_count; i++) {
        const struct snapshot_instruction *left = &by_one->instructions[i];
        const struct snapshot_instruction *right = &by_batch->instructions[i];
        assert_int_equal(left->address, right->address);
        assert_true(left->samples == right->samples && left->loads == right->loads);
    }
    snapshot_free(one);
    snapshot_free(other);
    profile_free(alone);
    profile_free(together);
    free(places);
}

static void check_totals(const struct snapshot *snapshot)
{
    double shares = 0;
    uint64_t reasons = snapshot->totals.attributed;
    for (int i = 0; i < REASON_COUNT; i++)
        reasons += snapshot->totals.reasons[i];
    assert_int_equal(reasons, snapshot->totals.samples);
    for (size_t i = 0; i < snapshot->object_count; i++) {
        const struct snapshot_object *object = &snapshot->objects[i];
        shares += object->share.value;
        assert_true(object->share.low <= object->share.value &&
                    object->share.value <= object->share.high);
        assert_true(!i || snapshot->objects[i - 1].samples >= object->samples);
        assert_true(object->field_count <= 64 && object->code_count <= 32);
    }
    double left_out = 0.001 * (double)snapshot->objects_left_out;
    assert_true(shares < 1 + 1e-9 && shares > 1 - 1e-9 - left_out);
}

static void expect_conserved(double half_life_s)
{
    struct prng prng = {31};
    struct profile *profile = profile_fixture_new(half_life_s, 4096);
    struct snapshot head = {.iteration = 1};
    uint64_t now = 1;
    profile_search_start(profile, 0, UINT64_MAX, "all", now);
    for (int refresh = 0; refresh < 5; refresh++) {
        for (int i = 0; i < 10000; i++)
            add_random(profile, &prng, now += 500000);
        profile_set_basis(profile, refresh % 2 ? BASIS_RUN : BASIS_DECAYED);
        profile_set_ranking(profile, refresh == 3);
        const struct snapshot *snapshot = profile_snapshot(profile, &head, now);
        assert_non_null(snapshot);
        check_totals(snapshot);
        assert_int_equal(snapshot->totals.samples + snapshot->totals.agent, (refresh + 1) * 10000);
        assert_int_equal(snapshot->search.state != SEARCH_OFF, 1);
        snapshot_free(snapshot);
    }
    profile_zero(profile, now);
    const struct snapshot *snapshot = profile_snapshot(profile, &head, now);
    assert_int_equal(snapshot->object_count, 0);
    assert_int_equal(snapshot->totals.samples, 0);
    snapshot_free(snapshot);
    profile_free(profile);
}

static void totals_and_shares_are_conserved(void **state)
{
    (void)state;
    expect_conserved(0);
    expect_conserved(2);
    expect_conserved(0.001); /* renormalises the decay scale all the time */
}

/* With different weights, the known share of fields is by weight, like all shares. */
static void typed_share_is_by_weight(void **state)
{
    (void)state;
    struct profile *profile = profile_fixture_new(0, 4096);
    struct snapshot head = {.iteration = 1};
    for (uint64_t i = 1; i <= 100; i++) {
        bool known = i % 4 == 0;
        struct place place = {.object = 1,
                              .base = 0x10000,
                              .typed = known ? TYPED_CODE : TYPED_NONE,
                              .untyped = known ? UNTYPED_NO_REASON : UNTYPED_VOID};
        place.access = (struct access){
            .time_ns = i, .weight = known ? 27 : 1, .tid = 1, .address = 0x10000 + i};
        profile_add(profile, &place);
    }
    const struct snapshot *snapshot = profile_snapshot(profile, &head, 101);
    assert_non_null(snapshot);
    assert_int_equal(snapshot->totals.typed[TYPED_CODE], 25);
    assert_true(fabs(snapshot->totals.typed_weight[TYPED_CODE] - 675) < 1e-6);
    assert_true(fabs(snapshot->totals.typed_weight[TYPED_NONE] - 75) < 1e-6);
    assert_true(fabs(snapshot->totals.untyped_weight[UNTYPED_VOID] - 75) < 1e-6);
    snapshot_free(snapshot);
    profile_free(profile);
}

static void hot_member_of_all_elements_is_one_row(void **state)
{
    (void)state;
    struct prng prng = {37};
    struct profile *profile = profile_fixture_new(0, 4096);
    struct snapshot head = {0};
    for (uint64_t i = 1; i <= 20000; i++) {
        struct place place = {.object = 1, .base = 0x10000, .size_bytes = 48 << 20};
        place.access = (struct access){.time_ns = i,
                                       .weight = 1,
                                       .kind = ACCESS_STORE,
                                       .tid = 1,
                                       .address = 0x10000 + prng_below(&prng, 1 << 20) * 48 + 40};
        profile_add(profile, &place);
        if (i == 2000)
            snapshot_free(profile_snapshot(profile, &head, i));
    }
    const struct snapshot *snapshot = profile_snapshot(profile, &head, 20001);
    const struct snapshot_object *object = &snapshot->objects[0];
    assert_int_equal(object->element_size, 48);
    assert_int_equal(object->field_count, 1);
    assert_string_equal(object->fields[0].name, "[*]+40");
    assert_true(object->fields[0].samples == 20000);
    assert_true(object->samples == 20000 && object->stores == 20000);
    assert_int_equal(object->threads, 1);
    snapshot_free(snapshot);
    profile_free(profile);
}

/* One sample of another type, or of none, does not rename the member of an instruction. */
static void single_odd_sample_does_not_change_instruction_type(void **state)
{
    (void)state;
    struct profile *profile = profile_fixture_new(10, 4096);
    struct snapshot head = {.iteration = 1};
    for (uint64_t i = 1; i <= 200; i++) {
        struct place place = {
            .object = 1, .function = 1, .base = 0x10000, .by_member = i % 50 != 0};
        place.type = i % 40 ? 5 : 6;
        place.type_offset = 16;
        place.access = (struct access){.time_ns = i,
                                       .weight = 1,
                                       .ip = 0x400100,
                                       .kind = ACCESS_LOAD,
                                       .address = 0x10000 + i * 64};
        profile_add(profile, &place);
    }
    const struct snapshot *snapshot = profile_snapshot(profile, &head, 201);
    assert_int_equal(snapshot->code_count, 1);
    assert_int_equal(snapshot->code[0].instruction_count, 1);
    assert_int_equal(snapshot->code[0].instructions[0].type_id, 5);
    snapshot_free(snapshot);
    profile_free(profile);
}

/* Nine in ten samples are in the kernel, with a tenth of the weight: most of the time has an
 * object. */
static void header_shares_are_by_weight(void **state)
{
    (void)state;
    struct profile *profile = profile_fixture_new(10, 4096);
    struct snapshot head = {.iteration = 1};
    for (uint64_t i = 1; i <= 1000; i++) {
        bool kernel = i % 10 != 0;
        struct place place = {.object = kernel ? 0 : 1, .base = 0x10000};
        place.access = (struct access){.time_ns = i,
                                       .weight = kernel ? 1 : 81,
                                       .reason = kernel ? REASON_KERNEL : REASON_NONE,
                                       .address = kernel ? 0 : 0x10000 + i * 64};
        profile_add(profile, &place);
    }
    profile_set_basis(profile, BASIS_RUN);
    const struct snapshot *snapshot = profile_snapshot(profile, &head, 1001);
    assert_int_equal(snapshot->totals.reasons[REASON_KERNEL], 900);
    assert_true(fabs(measured_reason(&snapshot->totals, REASON_KERNEL) - 0.1) < 1e-6);
    assert_true(fabs(measured_attributed(&snapshot->totals) - 0.9) < 1e-6);
    snapshot_free(snapshot);
    profile_free(profile);
}

static const struct snapshot misses_rank = {
    .source = {.name = "counter",
               .event_count = 1,
               .events = {{.name = "l2-miss", .role = EVENT_MISS_L2}}}};
static const struct snapshot time_ranks = {
    .source = {
        .name = "clock", .event_count = 1, .events = {{.name = "cpu-clock", .role = EVENT_TIME}}}};

/* 3,000 samples on 16 lines, 4 KiB apart. */
static const struct snapshot *take_strided_snapshot(struct profile *profile,
                                                    const struct snapshot *head)
{
    struct prng prng = {41};
    for (uint64_t i = 1; i <= 3000; i++) {
        struct place place = {.object = 1, .base = 0x10000};
        place.access = (struct access){
            .time_ns = i, .weight = 1, .address = 0x10000 + prng_below(&prng, 16) * 4096};
        profile_add(profile, &place);
    }
    return profile_snapshot(profile, head, 3001);
}

/* PMPT 4.1: strided accesses that all fall in one set. */
static void strided_misses_in_one_set_are_concentrated(void **state)
{
    (void)state;
    struct profile *profile = profile_fixture_new(10, 4096);
    const struct snapshot *snapshot = take_strided_snapshot(profile, &misses_rank);
    assert_int_equal(snapshot->sets.verdict, SETS_CONCENTRATED);
    assert_int_equal(snapshot->sets.hot_sets, 1);
    assert_int_equal(snapshot->sets.part_count, 1);
    assert_int_equal(snapshot->sets.lines[0], 16);
    assert_true(snapshot->sets.conflict);
    assert_int_equal(snapshot->sets.content, SETS_MANY_LINES);
    assert_int_equal(snapshot->window.addresses, 16);
    assert_true(snapshot->window.cache_multiple < 1);
    snapshot_free(snapshot);
    profile_free(profile);
}

/* The same samples from a timer: their position is known, but not the cause. */
static void time_samples_in_one_set_are_no_conflict(void **state)
{
    (void)state;
    struct profile *profile = profile_fixture_new(10, 4096);
    const struct snapshot *snapshot = take_strided_snapshot(profile, &time_ranks);
    assert_int_equal(snapshot->sets.verdict, SETS_CONCENTRATED);
    assert_false(snapshot->sets.conflict);
    assert_int_equal(snapshot->sets.content, SETS_MANY_LINES);
    snapshot_free(snapshot);
    profile_free(profile);
}

/* An array of 4 MiB read in order: most samples are on the first lines of its pages. */
static void sequential_large_array_is_no_conflict(void **state)
{
    enum { PAGES = 1024, LINES = 64 };
    (void)state;
    struct prng prng = {47};
    struct profile *profile = profile_fixture_new(10, 4096);
    for (uint64_t i = 1; i <= 4000; i++) {
        uint64_t page = i * PAGES / 500 % PAGES;
        uint64_t line = i % 2 ? prng_below(&prng, 12) : prng_below(&prng, LINES);
        struct place place = {.object = 1, .base = 0x100000};
        place.access = (struct access){
            .time_ns = i, .weight = 1, .address = 0x100000 + page * 4096 + line * 64};
        profile_add(profile, &place);
    }
    const struct snapshot *snapshot = profile_snapshot(profile, &misses_rank, 4001);
    assert_int_equal(snapshot->sets.verdict, SETS_CONCENTRATED);
    assert_false(snapshot->sets.conflict);
    assert_int_equal(snapshot->sets.content, SETS_LARGE_OBJECT);
    snapshot_free(snapshot);
    profile_free(profile);
}

/* Samples of an array of 4 MiB that hardly hit a line twice: reports no more lines than the array
 * has. */
static void estimated_lines_do_not_exceed_the_object(void **state)
{
    enum { LINES = 65536, SAMPLES = 13368 };
    (void)state;
    for (int twice = 0; twice <= 20; twice += 20) {
        struct profile *profile = profile_fixture_new(10, 16384);
        for (uint64_t i = 0; i < SAMPLES; i++) {
            uint64_t line = (i < SAMPLES - (uint64_t)twice ? i : i - SAMPLES + (uint64_t)twice) * 4;
            struct place place = {.object = 1, .base = 0x100000};
            place.access = (struct access){
                .time_ns = i + 1, .weight = 1, .address = 0x100000 + line % LINES * 64};
            profile_add(profile, &place);
        }
        const struct snapshot *snapshot = profile_snapshot(profile, &time_ranks, SAMPLES + 1);
        double lines = snapshot->window.lines;
        assert_true(snapshot->window.cache_multiple >= 1);
        assert_true(lines >= (double)snapshot->window.addresses && lines <= LINES);
        snapshot_free(snapshot);
        profile_free(profile);
    }
}

/* The same set, but a single line, over an even background. */
static void single_hot_line_is_no_conflict(void **state)
{
    (void)state;
    struct prng prng = {43};
    struct profile *profile = profile_fixture_new(10, 4096);
    for (uint64_t i = 1; i <= 6000; i++) {
        uint64_t address = i % 3 ? 0x100000 + prng_below(&prng, 1 << 20) * 64 : 0x10040;
        struct place place = {.object = 1, .base = 0x10000};
        place.access = (struct access){.time_ns = i, .weight = 1, .address = address};
        profile_add(profile, &place);
    }
    const struct snapshot *snapshot = profile_snapshot(profile, &misses_rank, 6001);
    assert_int_equal(snapshot->sets.verdict, SETS_CONCENTRATED);
    assert_int_equal(snapshot->sets.content, SETS_HOT_LINES);
    assert_true(snapshot->sets.lines[1] > 1);
    snapshot_free(snapshot);
    profile_free(profile);
}

/* A small array: half of the sets, one line each. Too few samples to single out a set. */
static void small_array_with_few_samples_is_no_conflict(void **state)
{
    (void)state;
    struct profile *profile = profile_fixture_new(10, 4096);
    struct snapshot head = {0};
    for (uint64_t i = 0; i < 160; i++) {
        struct place place = {.object = 1, .base = 0x10000, .size_bytes = 2048};
        place.access =
            (struct access){.time_ns = i + 1, .weight = 1, .address = 0x10000 + i % 32 * 64};
        profile_add(profile, &place);
    }
    const struct snapshot *snapshot = profile_snapshot(profile, &head, 161);
    assert_int_equal(snapshot->sets.verdict, SETS_CONCENTRATED);
    assert_int_equal(snapshot->sets.hot_sets, 0);
    assert_false(snapshot->sets.conflict);
    assert_int_equal(snapshot->sets.content, SETS_CONTENT_UNKNOWN);
    assert_int_equal(snapshot->findings.count, 0);
    snapshot_free(snapshot);
    profile_free(profile);
}

/* The newest sample on a line is of a small neighbour of the object with most misses. */
static void line_is_named_after_its_hottest_object(void **state)
{
    (void)state;
    struct profile *profile = profile_fixture_new(10, 4096);
    struct snapshot head = {0};
    for (uint64_t i = 1; i <= 2001; i++) {
        bool neighbour = i > 2000;
        struct place place = {.object = neighbour ? 2 : 1, .base = neighbour ? 0x10000 : 0x10020};
        place.access =
            (struct access){.time_ns = i, .weight = 1, .address = neighbour ? 0x10008 : 0x10028};
        profile_add(profile, &place);
    }
    const struct snapshot *snapshot = profile_snapshot(profile, &head, 2002);
    assert_int_equal(snapshot->object_count, 2);
    assert_int_equal(snapshot->window.top_count, 1);
    assert_int_equal(snapshot->window.top[0].count, 2001);
    assert_int_equal(snapshot->window.top[0].object, 0);
    assert_int_equal(snapshot->window.top[0].offset, 0);
    snapshot_free(snapshot);
    profile_free(profile);
}

static int run_profile(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batched_samples_count_like_single_samples),
        cmocka_unit_test(totals_and_shares_are_conserved),
        cmocka_unit_test(typed_share_is_by_weight),
        cmocka_unit_test(hot_member_of_all_elements_is_one_row),
        cmocka_unit_test(single_odd_sample_does_not_change_instruction_type),
        cmocka_unit_test(header_shares_are_by_weight),
        cmocka_unit_test(strided_misses_in_one_set_are_concentrated),
        cmocka_unit_test(time_samples_in_one_set_are_no_conflict),
        cmocka_unit_test(sequential_large_array_is_no_conflict),
        cmocka_unit_test(estimated_lines_do_not_exceed_the_object),
        cmocka_unit_test(single_hot_line_is_no_conflict),
        cmocka_unit_test(small_array_with_few_samples_is_no_conflict),
        cmocka_unit_test(line_is_named_after_its_hottest_object)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The objects that a snapshot lists, and its statement about the others. */

static uint64_t listed_now_ns;

static void add_listed(struct profile *profile, uint32_t object, int count)
{
    struct place place = {.object = object, .function = 1, .base = object * PROFILE_FIXTURE_APART};
    place.access =
        (struct access){.weight = 1, .address = place.base + 8, .kind = ACCESS_LOAD, .size = 8};
    for (int i = 0; i < count; i++) {
        place.access.time_ns = listed_now_ns += 1000;
        profile_add(profile, &place);
    }
}

static const struct snapshot *take_listed_snapshot(struct profile *profile, bool all)
{
    struct snapshot head = {.iteration = 1, .lists_all_objects = all};
    const struct snapshot *snapshot = profile_snapshot(profile, &head, listed_now_ns);
    assert_non_null(snapshot);
    return snapshot;
}

/* The rows and the remainder add up to the total. */
static double sum_of(const struct snapshot *snapshot)
{
    double sum = snapshot->objects_left_share;
    for (size_t i = 0; i < snapshot->object_count; i++) {
        assert_true(snapshot->objects[i].share.value >= snapshot->objects_min_share);
        sum += snapshot->objects[i].share.value;
    }
    return sum;
}

static void small_objects_are_listed_on_request(void **state)
{
    enum { SMALL = 70 };
    (void)state;
    struct profile *profile = profile_fixture_new(0, 256);
    add_listed(profile, 1, 90000);
    add_listed(profile, 2, 9924);
    add_listed(profile, 3, 6);
    for (uint32_t id = 4; id < 4 + SMALL; id++)
        add_listed(profile, id, 1);
    const struct snapshot *snapshot = take_listed_snapshot(profile, false);
    assert_int_equal(snapshot->object_count, 2);
    assert_int_equal(snapshot->objects_left_out, 1 + SMALL);
    assert_true(fabs(snapshot->objects_left_share - 0.00076) < 1e-9);
    assert_true(fabs(sum_of(snapshot) - 1) < 1e-9);
    snapshot_free(snapshot);
    snapshot = take_listed_snapshot(profile, true);
    assert_int_equal(snapshot->object_count, 3 + SMALL);
    assert_int_equal(snapshot->objects_left_out, 0);
    assert_true(snapshot->objects_min_share == 0 && snapshot->objects_left_share == 0);
    assert_true(fabs(sum_of(snapshot) - 1) < 1e-9);
    assert_true(snapshot->objects[2].samples == 6 && snapshot->objects[5].samples == 1);
    snapshot_free(snapshot);
    profile_free(profile);
}

static void few_objects_are_all_listed(void **state)
{
    (void)state;
    struct profile *profile = profile_fixture_new(0, 256);
    add_listed(profile, 1, 99994);
    for (uint32_t id = 2; id < 8; id++)
        add_listed(profile, id, 1);
    const struct snapshot *snapshot = take_listed_snapshot(profile, false);
    assert_int_equal(snapshot->object_count, 7);
    assert_int_equal(snapshot->objects_left_out, 0);
    snapshot_free(snapshot);
    profile_free(profile);
}

/* More than fit: lists all objects above a share, and none below. */
static void excess_objects_below_a_share_are_dropped(void **state)
{
    enum { MANY = 5000 };
    (void)state;
    struct profile *profile = profile_fixture_new(0, 256);
    add_listed(profile, 1, 50000);
    for (uint32_t id = 2; id < 22; id++)
        add_listed(profile, id, 20);
    for (uint32_t id = 22; id < 22 + MANY; id++)
        add_listed(profile, id, 1);
    const struct snapshot *snapshot = take_listed_snapshot(profile, true);
    assert_int_equal(snapshot->object_count, 21);
    assert_int_equal(snapshot->objects_left_out, MANY);
    assert_true(snapshot->objects_min_share == 0.0001);
    assert_true(fabs(sum_of(snapshot) - 1) < 1e-9);
    snapshot_free(snapshot);
    profile_free(profile);
}

static int run_listed(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(small_objects_are_listed_on_request),
                                       cmocka_unit_test(few_objects_are_all_listed),
                                       cmocka_unit_test(excess_objects_below_a_share_are_dropped)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Samples without a known object count for the code that waited, and nowhere else. */

enum { WORKS = 3, REPORTS = 5, LOAD = 0x400100, OTHER = 0x400200 };

static uint64_t unplaced_now_ns;

static void add_unplaced(struct profile *profile, int count, enum reason reason, uint32_t function,
                         uint64_t ip)
{
    struct place place = {.object = 1, .function = function, .base = PROFILE_FIXTURE_APART};
    place.access = (struct access){.weight = 2,
                                   .ip = ip,
                                   .address = PROFILE_FIXTURE_APART + 8,
                                   .kind = ACCESS_LOAD,
                                   .size = 8,
                                   .reason = (uint8_t)reason};
    for (int i = 0; i < count; i++) {
        place.access.time_ns = unplaced_now_ns += 1000;
        profile_add(profile, &place);
    }
}

static const struct snapshot *take_unplaced_snapshot(struct profile *profile)
{
    struct snapshot head = {.iteration = 1};
    const struct snapshot *snapshot = profile_snapshot(profile, &head, unplaced_now_ns);
    assert_non_null(snapshot);
    return snapshot;
}

/* 30 samples of work() on an object, and 24 that access no memory; 40 of report() on an unknown
 * object and 2 on the object; 4 in the kernel. */
static struct profile *profile_with_unplaced(double half_life_s)
{
    struct profile *profile = profile_fixture_new(half_life_s, 256);
    add_unplaced(profile, 30, REASON_NONE, WORKS, OTHER);
    add_unplaced(profile, 39, REASON_OVERWRITTEN, REPORTS, LOAD);
    add_unplaced(profile, 1, REASON_AMBIGUOUS, REPORTS, LOAD);
    add_unplaced(profile, 2, REASON_NONE, REPORTS, LOAD);
    add_unplaced(profile, 4, REASON_KERNEL, 0, 0);
    add_unplaced(profile, 24, REASON_NO_MEMORY, WORKS, OTHER);
    return profile;
}

static struct snapshot_share share_of_first(struct profile *profile)
{
    const struct snapshot *snapshot = take_unplaced_snapshot(profile);
    struct snapshot_share share = snapshot->objects[0].share;
    snapshot_free(snapshot);
    return share;
}

/* The interval of an object covers both cases: all unattributed samples are its own, or none. */
static void unattributed_samples_widen_intervals(void **state)
{
    (void)state;
    struct profile *profile = profile_fixture_new(0, 256);
    add_unplaced(profile, 3000, REASON_NONE, WORKS, OTHER);
    double low = share_of_first(profile).low;
    /* One in eleven samples of an instruction: assumed to be like the other ten, except for a
     * tenth. */
    add_unplaced(profile, 300, REASON_CLOBBERED, WORKS, OTHER);
    struct snapshot_share few = share_of_first(profile);
    assert_true(few.low < low && few.low > low - 0.015);
    assert_true(fabs(few.value - 1) < 1e-9);
    /* All samples of an instruction. */
    add_unplaced(profile, 1500, REASON_OVERWRITTEN, WORKS, LOAD);
    struct snapshot_share all = share_of_first(profile);
    assert_true(all.low < 0.69 && all.low > 0.65);
    assert_true(fabs(all.value - 1) < 1e-9 && all.high >= all.value);
    /* Samples of computing and of the kernel are not data accesses. */
    add_unplaced(profile, 9000, REASON_NO_MEMORY, WORKS, LOAD);
    add_unplaced(profile, 9000, REASON_KERNEL, 0, 0);
    assert_true(fabs(share_of_first(profile).low - all.low) < 1e-9);
    /* An unknown function makes no difference. */
    add_unplaced(profile, 5000, REASON_NO_CODE, 0, LOAD + 8);
    assert_true(share_of_first(profile).low < 0.4);
    profile_free(profile);
}

static void agent_samples_are_not_in_the_total(void **state)
{
    (void)state;
    struct profile *profile = profile_with_unplaced(0);
    add_unplaced(profile, 50, REASON_AGENT, WORKS, OTHER);
    const struct snapshot *snapshot = take_unplaced_snapshot(profile);
    assert_int_equal(snapshot->totals.samples, 100);
    assert_int_equal(snapshot->totals.agent, 50);
    assert_int_equal(snapshot->totals.reasons[REASON_AGENT], 0);
    assert_true(fabs(snapshot->code[0].all_share - 0.42) < 1e-9);
    snapshot_free(snapshot);
    profile_free(profile);
}

static void functions_with_unattributed_samples_are_ranked(void **state)
{
    (void)state;
    struct profile *profile = profile_with_unplaced(0);
    const struct snapshot *snapshot = take_unplaced_snapshot(profile);
    assert_int_equal(snapshot->code_count, 2);
    const struct snapshot_code *first = &snapshot->code[0];
    assert_int_equal(first->id, REPORTS);
    assert_true(fabs(first->samples - 2) < 1e-9 && fabs(first->unknown_samples - 40) < 1e-9);
    assert_true(fabs(first->unknown_share - 0.40) < 1e-9);
    assert_true(fabs(first->all_share - 0.42) < 1e-9);
    assert_true(fabs(first->share.value - 2.0 / 32) < 1e-9); /* of the attributed samples */
    assert_int_equal(first->unknown_reason, REASON_OVERWRITTEN);
    /* A function that only computes does not wait for data. */
    assert_true(!(snapshot->code[1].unknown_samples > 0) && !snapshot->code[1].unknown_reason);
    assert_true(fabs(snapshot->code[1].all_share - 0.30) < 1e-9);
    assert_int_equal(snapshot->totals.attributed, 32);
    snapshot_free(snapshot);
    profile_free(profile);
}

static void unattributed_samples_are_shown_per_instruction(void **state)
{
    (void)state;
    struct profile *profile = profile_with_unplaced(0);
    add_unplaced(profile, 21, REASON_CLOBBERED, REPORTS, OTHER);
    const struct snapshot *snapshot = take_unplaced_snapshot(profile);
    const struct snapshot_code *code = &snapshot->code[0];
    assert_int_equal(code->instruction_count, 2);
    const struct snapshot_instruction *load = &code->instructions[0];
    assert_true(load->address == LOAD && load->object == 0);
    assert_true(fabs(load->samples - 2) < 1e-9 && fabs(load->unknown_samples - 40) < 1e-9);
    assert_true(fabs(load->share - 42.0 / 63) < 1e-9);
    assert_int_equal(load->unknown_reason, REASON_OVERWRITTEN);
    const struct snapshot_instruction *other = &code->instructions[1];
    assert_true(other->address == OTHER && other->object == UINT32_MAX && other->samples == 0);
    assert_int_equal(other->unknown_reason, REASON_CLOBBERED);
    assert_true(isnan(other->object_share));
    assert_int_equal(code->sites, 2);
    snapshot_free(snapshot);
    profile_free(profile);
}

static void unattributed_samples_decay_and_are_zeroed(void **state)
{
    (void)state;
    struct profile *profile =
        profile_with_unplaced(0.001); /* the decay scale is renormalised several times */
    for (int i = 0; i < 30; i++, unplaced_now_ns += 100000000)
        add_unplaced(profile, 10, REASON_NONE, WORKS, OTHER);
    const struct snapshot *snapshot = take_unplaced_snapshot(profile);
    assert_int_equal(snapshot->code[0].id, WORKS);
    assert_true(snapshot->code[0].all_share > 0.999 && snapshot->code[0].all_share < 1.001);
    snapshot_free(snapshot);
    profile_zero(profile, unplaced_now_ns);
    snapshot = take_unplaced_snapshot(profile);
    assert_int_equal(snapshot->code_count, 0);
    snapshot_free(snapshot);
    profile_free(profile);
}

static void out_of_range_function_and_event_are_safe(void **state)
{
    (void)state;
    struct profile *profile = profile_fixture_new(0, 256);
    add_unplaced(profile, 1, REASON_OVERWRITTEN, UINT32_MAX, LOAD);
    for (uint32_t i = 1; i < 20000; i++)
        add_unplaced(profile, 1, REASON_OVERWRITTEN, i, i);
    struct place foreign = {.function = 1, .access = {.reason = REASON_GATHER, .event = 7}};
    foreign.access.time_ns = ++unplaced_now_ns;
    profile_add(profile, &foreign);
    const struct snapshot *snapshot = take_unplaced_snapshot(profile);
    assert_true(snapshot->code_count > 0 && snapshot->code_count <= 200);
    assert_int_equal(snapshot->totals.reasons[REASON_GATHER], 1);
    snapshot_free(snapshot);
    profile_free(profile);
}

static int run_unplaced(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_with_unattributed_samples_are_ranked),
        cmocka_unit_test(unattributed_samples_widen_intervals),
        cmocka_unit_test(agent_samples_are_not_in_the_total),
        cmocka_unit_test(unattributed_samples_are_shown_per_instruction),
        cmocka_unit_test(unattributed_samples_decay_and_are_zeroed),
        cmocka_unit_test(out_of_range_function_and_event_are_safe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Callers: nodes in a snapshot. */

enum { HOT = 1, BY_A = 2, BY_B = 3, MAIN = 9, MANY = 1000, BAD_NODE = 5000 };

/* 1 HOT < 2 BY_A < 3 MAIN; HOT < 4 BY_B < 5 MAIN; and 50 more callers of HOT, each with its own
 * caller: MANY + 2 i < MANY + 2 i + 1. From BAD_NODE on, each node is its own parent. */
static bool fake_caller(void *context, uint32_t node, struct caller_desc *desc)
{
    static const struct caller_desc nodes[] = {{0, 0},    {0, HOT},  {1, BY_A},
                                               {2, MAIN}, {1, BY_B}, {4, MAIN}};
    (void)context;
    if (node < 6)
        *desc = nodes[node];
    else if (node >= BAD_NODE)
        *desc = (struct caller_desc){node, HOT};
    else
        *desc = (struct caller_desc){node % 2 ? node - 1 : 1, node};
    return node;
}

static struct profile *with_callers(double half_life_s)
{
    struct profile *profile;
    static const struct fake_names answers = {.caller = fake_caller};
    struct profile_options options = {.names = FAKE_NAMES(&answers),
                                      .half_life_s = half_life_s,
                                      .event_count = 1,
                                      .roles = {EVENT_TIME}};
    assert_int_equal(geometry_parse(&options.geometry, "L1=32K,8,64", "/", NULL), 0);
    assert_int_equal(profile_new(&profile, &options, NULL), 0);
    return profile;
}

static void add_called(struct profile *profile, uint32_t caller, enum reason reason, int count)
{
    struct place place = {.object = 1, .function = HOT, .base = 0x1000, .caller = caller};
    place.access =
        (struct access){.weight = 1, .ip = 0x400000, .address = 0x1008, .reason = (uint8_t)reason};
    for (int i = 0; i < count; i++) {
        place.access.time_ns = unplaced_now_ns += 1000;
        profile_add(profile, &place);
    }
}

static void expect_caller(const struct snapshot_caller *row, uint32_t depth, uint32_t function,
                          double share)
{
    assert_int_equal(row->depth, depth);
    assert_int_equal(row->id, function);
    assert_true(fabs(row->share.value - share) < 1e-9);
    assert_true(row->share.low < share && share < row->share.high);
}

/*
 * A function has all its samples with a stack, an object those on it; other samples do not count.
 */
static void callers_form_a_tree_per_function_and_object(void **state)
{
    (void)state;
    struct profile *profile = with_callers(0);
    add_called(profile, 3, REASON_NONE, 30);
    add_called(profile, 5, REASON_NONE, 10);
    add_called(profile, 5, REASON_OVERWRITTEN, 10);
    add_called(profile, 0, REASON_NONE, 50);
    add_called(profile, 3, REASON_NO_MEMORY, 100); /* counted by no row of Code */
    const struct snapshot *snapshot = take_unplaced_snapshot(profile);
    const struct snapshot_callers *callers = snapshot->code[0].callers;
    assert_int_equal(snapshot->code[0].id, HOT);
    assert_non_null(callers);
    assert_true(fabs(callers->samples - 50) < 1e-9);
    assert_int_equal(callers->count, 4);
    expect_caller(&callers->list[0], 0, BY_A, 0.6);
    expect_caller(&callers->list[1], 1, MAIN, 0.6);
    expect_caller(&callers->list[2], 0, BY_B, 0.4);
    expect_caller(&callers->list[3], 1, MAIN, 0.4);
    assert_true(callers->list[1].path != callers->list[3].path);
    callers = snapshot->objects[0].callers;
    assert_non_null(callers);
    assert_true(fabs(callers->samples - 40) < 1e-9);
    assert_int_equal(callers->count, 5);
    assert_int_equal(callers->list[0].id, HOT);
    expect_caller(&callers->list[1], 1, BY_A, 0.75);
    expect_caller(&callers->list[3], 1, BY_B, 0.25);
    snapshot_free(snapshot);
    profile_free(profile);
}

static void callers_decay_and_are_zeroed(void **state)
{
    (void)state;
    struct profile *profile = with_callers(1);
    add_called(profile, 3, REASON_NONE, 900);
    unplaced_now_ns += UINT64_C(900000000000); /* 900 half-lives: the decay scale is renormalised */
    add_called(profile, 5, REASON_NONE, 100);
    const struct snapshot *snapshot = take_unplaced_snapshot(profile);
    const struct snapshot_callers *callers = snapshot->code[0].callers;
    assert_int_equal(callers->list[0].id, BY_B);
    assert_true(callers->list[0].share.value > 0.99);
    assert_true(fabs(callers->list[0].samples - callers->samples) < 0.01);
    snapshot_free(snapshot);
    profile_set_basis(profile, BASIS_RUN);
    snapshot = take_unplaced_snapshot(profile);
    assert_int_equal(snapshot->code[0].callers->list[0].id, BY_A);
    snapshot_free(snapshot);
    profile_zero(profile, unplaced_now_ns);
    add_called(profile, 5, REASON_NONE, 10);
    snapshot = take_unplaced_snapshot(profile);
    callers = snapshot->code[0].callers;
    assert_int_equal(callers->list[0].id, BY_B);
    assert_true(fabs(callers->list[0].samples - 10) < 1e-9);
    snapshot_free(snapshot);
    profile_free(profile);
}

/* If there is no room for all rows, lists the direct callers and none of theirs. */
static void direct_callers_fill_a_full_list(void **state)
{
    (void)state;
    struct profile *profile = with_callers(0);
    add_called(profile, 3, REASON_NONE, 100);
    for (uint32_t i = 0; i < 50; i++)
        add_called(profile, MANY + 2 * i + 1, REASON_NONE, 10);
    const struct snapshot *snapshot = take_unplaced_snapshot(profile);
    const struct snapshot_callers *callers = snapshot->code[0].callers;
    assert_int_equal(callers->count, 51);
    for (size_t i = 0; i < callers->count; i++)
        assert_int_equal(callers->list[i].depth, 0);
    snapshot_free(snapshot);
    profile_free(profile);
}

/* Nodes as in a damaged recording. */
static void invalid_caller_nodes_are_ignored(void **state)
{
    (void)state;
    struct profile *profile = with_callers(0);
    add_called(profile, BAD_NODE, REASON_NONE, 10);
    add_called(profile, UINT32_MAX, REASON_NONE, 10);
    profile_want_accesses(profile, true);
    const struct snapshot *snapshot = take_unplaced_snapshot(profile);
    assert_null(snapshot->code[0].callers);
    for (size_t i = 0; i < snapshot->access_count; i++)
        for (size_t k = 0; k < snapshot->accesses[i].stack_count; k++)
            assert_null(snapshot->accesses[i].stacks[k].outermost->inner);
    snapshot_free(snapshot);
    profile_free(profile);
}

/* The stacks of an access are complete, and their shares add up. */
static void accesses_list_complete_stacks(void **state)
{
    (void)state;
    struct profile *profile = with_callers(0);
    add_called(profile, 3, REASON_NONE, 30);
    add_called(profile, 5, REASON_NONE, 10);
    add_called(profile, 0, REASON_NONE, 60);
    profile_want_accesses(profile, true);
    const struct snapshot *snapshot = take_unplaced_snapshot(profile);
    const struct snapshot_access *access = &snapshot->accesses[0];
    assert_int_equal(access->stack_count, 2);
    assert_true(fabs(access->stacks[0].share - 0.75) < 1e-9);
    assert_true(fabs(access->stacks[1].share - 0.25) < 1e-9);
    assert_non_null(access->stacks[0].outermost->inner->inner);
    assert_null(access->stacks[0].outermost->inner->inner->inner);
    snapshot_free(snapshot);
    profile_free(profile);
}

/* ---- bins with one name ---- */

static bool block_object(void *context, uint32_t id, struct object_desc *desc)
{
    (void)context;
    *desc = (struct object_desc){.name = "make", .module = "m", .kind = OBJECT_HEAP};
    return id == 1 || id == 2;
}

static bool heap_of_two_bins(void *context, struct heap_summary *summary)
{
    (void)context;
    *summary = (struct heap_summary){.feed = HEAP_FEED_AGENT, .bins = 2, .mark_age_s = NAN};
    return true;
}

static bool bin_of_block(void *context, uint32_t index, struct heap_bin *bin)
{
    (void)context;
    *bin = (struct heap_bin){.id = index + 1,
                             .object = index + 1,
                             .name = "make",
                             .path = "make < main",
                             .live_blocks = 1};
    return index < 2;
}

/* Code and phases name the bin as the list of objects does. */
static void heap_bin_has_same_name_in_all_lists(void **state)
{
    (void)state;
    static const struct fake_names answers = {
        .object = block_object, .heap = heap_of_two_bins, .heap_bin = bin_of_block};
    struct profile_options options = {.names = FAKE_NAMES(&answers),
                                      .ways = 10,
                                      .event_count = 1,
                                      .window_entries = 4096,
                                      .roles = {EVENT_TIME}};
    struct profile *profile;
    struct snapshot head = {.iteration = 1};
    assert_int_equal(geometry_parse(&options.geometry, "L1=32K,8,64", "/", NULL), 0);
    assert_int_equal(profile_new(&profile, &options, NULL), 0);
    for (uint32_t i = 0; i < 3000; i++) {
        uint32_t object = i % 3 ? 1 : 2;
        struct place place = {.object = object, .function = object, .base = object * 0x1000};
        place.access = (struct access){.time_ns = 1 + i * UINT64_C(1000000),
                                       .ip = 0x400000 + object,
                                       .address = place.base + 8,
                                       .weight = 1};
        profile_add(profile, &place);
    }
    const struct snapshot *snapshot = profile_snapshot(profile, &head, UINT64_C(3000000000));
    assert_int_equal(snapshot->object_count, 2);
    for (size_t i = 0; i < 2; i++) {
        const char *name = i ? "make #2" : "make";
        assert_string_equal(snapshot->objects[i].name, name);
        assert_string_equal(snapshot->objects[snapshot->code[i].top_object].name, name);
        assert_string_equal(snapshot_timeline_ranking(&snapshot->timeline)->objects.list[i].name,
                            name);
    }
    snapshot_free(snapshot);
    profile_free(profile);
}

static int run_callers(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(callers_form_a_tree_per_function_and_object),
        cmocka_unit_test(callers_decay_and_are_zeroed),
        cmocka_unit_test(direct_callers_fill_a_full_list),
        cmocka_unit_test(invalid_caller_nodes_are_ignored),
        cmocka_unit_test(accesses_list_complete_stacks),
        cmocka_unit_test(heap_bin_has_same_name_in_all_lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(void)
{
    int failed = 0;
    failed += run_profile();
    failed += run_listed();
    failed += run_unplaced();
    failed += run_callers();
    return failed;
}
