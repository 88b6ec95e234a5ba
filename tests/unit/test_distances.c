/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reuse distances through the profile into miss-ratio curves, worked out by hand. */
#include "unit.h"

#include "profile/profile.h"

#include <math.h>
#include <string.h>

enum { HOT = 1, COLD, READ = 1, LINE = 64 };
static const uint64_t READ_IP = 0x401000, SCAN_IP = 0x401010;

static struct profile *profile;
static struct snapshot head;
static uint64_t now_ns;

static bool name_object(void *context, uint32_t object, struct object_desc *desc)
{
    static const char *const names[] = {"unknown", "hot", "cold"};
    (void)context;
    *desc = (struct object_desc){.name = object <= COLD ? names[object] : "other"};
    return true;
}

static bool name_function(void *context, uint32_t function, struct function_desc *desc)
{
    (void)context;
    *desc = (struct function_desc){.name = function == READ ? "read" : "other"};
    return true;
}

static bool name_line(void *context, uint64_t address, struct instruction_desc *desc)
{
    (void)context;
    *desc = (struct instruction_desc){.file = "/src/read.c", .line = address < SCAN_IP ? 7 : 9};
    return true;
}

static int begin(void **state)
{
    struct profile_options options = {
        .names = {.object = name_object, .function = name_function, .instruction = name_line},
        .ways = 10,
        .event_count = 1,
        .window_entries = 64,
        .lines = true,
        .cache_lines = {512, 16384, 0},
    };
    (void)state;
    assert_int_equal(geometry_parse(&options.geometry, "L1=32K,8,64", "/", NULL), 0);
    assert_int_equal(profile_new(&profile, &options, NULL), 0);
    head = (struct snapshot){.iteration = 1};
    head.source.event_count = 1;
    head.simulation = (struct snapshot_simulation){.level_count = 2};
    head.simulation.level[0].size_bytes = 32768;
    head.simulation.level[1].size_bytes = 262144;
    now_ns = 1000000000;
    return 0;
}

static int end(void **state)
{
    (void)state;
    profile_free(profile);
    return 0;
}

static void reused(uint32_t object, uint64_t ip, uint64_t distance, uint64_t weight)
{
    struct line_place told = {.place = {.object = object, .function = READ}};
    told.place.access = (struct access){.time_ns = ++now_ns, .ip = ip, .weight = weight};
    told.line = (struct line_event){
        .what = LINE_REUSED, .ip = ip, .weight = weight, .distance = distance, .line_bytes = LINE};
    profile_add_lines(profile, &told, 1);
}

static void assert_near(double value, double expected)
{
    if (fabs(value - expected) > 1e-9)
        fail_msg("%g instead of %g", value, expected);
}

/* hot: 60 uses at once again, 30 after 1024 lines (64 KiB), 10 first ones; cold: 100 first uses. */
static void feed(void)
{
    reused(HOT, READ_IP, 0, 60);
    reused(HOT, READ_IP, 1024, 30);
    reused(HOT, SCAN_IP, LINE_NO_DISTANCE, 10);
    reused(COLD, SCAN_IP, LINE_NO_DISTANCE, 100);
}

static unsigned point_of(double size_bytes)
{
    unsigned point = 0;
    while (snapshot_reuse_size(point) < size_bytes)
        point++;
    return point;
}

static void curves_of_objects(void **state)
{
    (void)state;
    feed();
    const struct snapshot *snapshot = profile_snapshot(profile, &head, now_ns);
    const struct snapshot_reuse *reuse = &snapshot->reuse;
    const struct snapshot_reuse_row *hot = &reuse->objects[0];
    assert_true(reuse->told);
    assert_int_equal(reuse->object_count, 2);
    if (!strcmp(hot->name, "cold"))
        hot++;
    assert_string_equal(hot->name, "hot");
    assert_near(hot->share, 0.5);
    assert_near(hot->uses, 3);
    assert_near(hot->first, 0.1);
    /* A cache of 64 KiB holds what is used again after 1023 other lines, not after 1024. */
    assert_near(hot->miss[0].value, 0.4);
    assert_near(hot->miss[point_of(65536)].value, 0.4);
    assert_near(hot->miss[point_of(131072)].value, 0.1);
    assert_near(hot->miss[REUSE_POINTS - 1].value, 0.1);
    assert_near(reuse->all.miss[0].value, 140 / 200.0);
    assert_near(reuse->all.miss[REUSE_POINTS - 1].value, 110 / 200.0);
    snapshot_free(snapshot);
}

/* The simulated ones first; one of this machine that is as large as one of them is no other. */
/* 500 and 530 lines are not told from each other by 30 that were watched: L1 may hold them or not.
 * In L2 there is no doubt. */
static void a_step_is_between(void **state)
{
    (void)state;
    for (int line = 0; line < 400; line++) {
        reused(HOT, SCAN_IP, LINE_NO_DISTANCE, 16);
        for (int use = 0; use < 9; use++)
            reused(HOT, READ_IP, line % 2 ? 600 : 530, 16);
    }
    const struct snapshot *snapshot = profile_snapshot(profile, &head, now_ns);
    const struct snapshot_reuse_row *row = &snapshot->reuse.objects[0];
    const struct snapshot_share *first = &row->at[0];
    const struct snapshot_share *second = &row->at[1];
    assert_true(first->value > 0.9 && first->low < 0.15 && first->high > 0.99);
    assert_true(fabs(second->value - 0.1) < 1e-9);
    assert_true(second->low > 0.05 && second->high < 0.15);
    for (unsigned i = 0; i < REUSE_POINTS; i++)
        assert_true(row->miss[i].low <= row->miss[i].value &&
                    row->miss[i].value <= row->miss[i].high);
    snapshot_free(snapshot);
}

static void caches_marked(void **state)
{
    (void)state;
    feed();
    const struct snapshot *snapshot = profile_snapshot(profile, &head, now_ns);
    const struct snapshot_reuse *reuse = &snapshot->reuse;
    assert_int_equal(reuse->mark_count, 3);
    assert_string_equal(reuse->marks[0].name, "L1");
    assert_string_equal(reuse->marks[1].name, "L2");
    assert_string_equal(reuse->marks[2].name, "own L2");
    assert_false(reuse->marks[2].simulated);
    assert_near(reuse->all.at[0].value, 0.7);
    assert_near(reuse->all.at[1].value, 0.55);
    assert_true(isnan(reuse->all.at[3].value));
    snapshot_free(snapshot);
}

/* Instructions of one source line are one row. */
static void curves_of_lines(void **state)
{
    (void)state;
    feed();
    reused(HOT, READ_IP + 4, 0, 40);
    const struct snapshot *snapshot = profile_snapshot(profile, &head, now_ns);
    const struct snapshot_reuse *reuse = &snapshot->reuse;
    assert_int_equal(reuse->line_count, 2);
    assert_string_equal(reuse->lines[0].name, "read.c:7");
    assert_string_equal(reuse->lines[0].function, "read");
    assert_near(reuse->lines[0].share, 130 / 240.0);
    assert_near(reuse->lines[0].miss[0].value, 30 / 130.0);
    assert_string_equal(reuse->lines[1].name, "read.c:9");
    assert_near(reuse->lines[1].first, 1);
    snapshot_free(snapshot);
}

/* SHARDS-adj: what was watched speaks of 200 accesses, and there were 400: the misses stay. */
static void whole_put_right(void **state)
{
    (void)state;
    feed();
    head.simulation.accesses = 400;
    const struct snapshot *snapshot = profile_snapshot(profile, &head, now_ns);
    assert_near(snapshot->reuse.all.miss[0].value, 140 / 400.0);
    assert_near(snapshot->reuse.objects[0].share, 0.5);
    snapshot_free(snapshot);
}

static void nothing_told(void **state)
{
    (void)state;
    const struct snapshot *snapshot = profile_snapshot(profile, &head, now_ns);
    assert_false(snapshot->reuse.told);
    snapshot_free(snapshot);
    feed();
    profile_zero(profile, ++now_ns);
    snapshot = profile_snapshot(profile, &head, now_ns);
    assert_false(snapshot->reuse.told);
    snapshot_free(snapshot);
}

/* More objects and instructions than there are rows. */
static void full_table(void **state)
{
    enum { MANY = 20000 };
    (void)state;
    feed();
    for (uint32_t i = 0; i < MANY; i++)
        reused(3 + i, 0x500000 + i, LINE_NO_DISTANCE, 1);
    const struct snapshot *snapshot = profile_snapshot(profile, &head, now_ns);
    assert_near(snapshot->reuse.all.miss[0].value, (140.0 + MANY) / (200 + MANY));
    assert_near(snapshot->reuse.objects[0].miss[0].value + snapshot->reuse.objects[1].miss[0].value,
                1.4);
    snapshot_free(snapshot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(curves_of_objects, begin, end),
        cmocka_unit_test_setup_teardown(a_step_is_between, begin, end),
        cmocka_unit_test_setup_teardown(caches_marked, begin, end),
        cmocka_unit_test_setup_teardown(curves_of_lines, begin, end),
        cmocka_unit_test_setup_teardown(whole_put_right, begin, end),
        cmocka_unit_test_setup_teardown(nothing_told, begin, end),
        cmocka_unit_test_setup_teardown(full_table, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
