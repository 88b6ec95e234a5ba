/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines that left simulated caches, through the profile into a snapshot, worked out by hand. */
#include "unit.h"

#include "profile/profile.h"

#include <math.h>
#include <string.h>

enum { VECTOR = 1, INDEX, LATE, SMOOTH = 1, FILL, L1_EVENT = 1, L2_EVENT = 0, LINE = 64 };

static struct profile *profile;
static struct snapshot head;
static uint64_t now_ns;

static bool name_object(void *context, uint32_t object, struct object_desc *desc)
{
    static const char *const names[] = {"unknown", "vector", "index"};
    (void)context;
    *desc = (struct object_desc){.name = object <= INDEX ? names[object] : "other"};
    return true;
}

static bool name_function(void *context, uint32_t function, struct function_desc *desc)
{
    static const char *const names[] = {"unknown", "smooth", "fill"};
    (void)context;
    *desc = (struct function_desc){.name = function <= FILL ? names[function] : "other"};
    return true;
}

static int begin(void **state)
{
    struct profile_options options = {
        .names = {.object = name_object, .function = name_function},
        .ways = 10,
        .event_count = 2,
        .window_entries = 64,
        .lines = true,
    };
    (void)state;
    assert_int_equal(geometry_parse(&options.geometry, "L1=32K,8,64", "/", NULL), 0);
    assert_int_equal(profile_new(&profile, &options, NULL), 0);
    head = (struct snapshot){.iteration = 1};
    head.source.event_count = 2;
    now_ns = 1000000000;
    return 0;
}

static int end(void **state)
{
    (void)state;
    profile_free(profile);
    return 0;
}

static struct place place_of(uint32_t object, uint32_t function, uint64_t offset, uint16_t event)
{
    uint64_t base = 0x10000u * object;
    struct place place = {.object = object, .function = function, .base = base};
    place.access = (struct access){.time_ns = ++now_ns,
                                   .address = base + offset,
                                   .ip = 0x400000u + 16 * function,
                                   .weight = 1,
                                   .tid = 1,
                                   .size = 8,
                                   .event = event};
    return place;
}

/* Misses both levels. */
static void miss(uint32_t object, uint32_t function, uint64_t offset)
{
    for (uint16_t event = 0; event < 2; event++) {
        struct place place = place_of(object, function, offset, event);
        profile_add(profile, &place);
    }
}

static void left(uint32_t object, uint32_t function, uint64_t offset, uint16_t event,
                 uint32_t used_bytes, uint32_t touched_bytes, uint64_t weight)
{
    struct line_place told = {.place = place_of(object, function, offset, event)};
    told.line = (struct line_event){.what = LINE_LEFT,
                                    .ip = told.place.access.ip,
                                    .address = told.place.access.address,
                                    .weight = weight,
                                    .event = event,
                                    .level = event == L1_EVENT ? 0 : 1,
                                    .line_bytes = LINE,
                                    .used_bytes = (uint16_t)used_bytes,
                                    .touched_bytes = touched_bytes,
                                    .uses = {touched_bytes / 8, 1, 0, 2}};
    profile_add_lines(profile, &told, 1);
}

static void assert_near(double value, double expected)
{
    if (fabs(value - expected) > 1e-9)
        fail_msg("%g instead of %g", value, expected);
}

static const struct snapshot_object *find_object(const struct snapshot *snapshot, const char *name)
{
    for (size_t i = 0; i < snapshot->object_count; i++)
        if (!strcmp(snapshot->objects[i].name, name))
            return &snapshot->objects[i];
    fail_msg("no object %s", name);
    return NULL;
}

static const struct snapshot_use *use_at(const struct snapshot_object *object, uint64_t offset)
{
    for (size_t i = 0; i < object->field_count; i++)
        if (object->fields[i].offset == offset)
            return object->fields[i].use;
    fail_msg("nothing at %d", (int)offset);
    return NULL;
}

static const struct snapshot_use *use_of_function(const struct snapshot *snapshot, const char *name)
{
    for (size_t i = 0; i < snapshot->code_count; i++)
        if (!strcmp(snapshot->code[i].function, name))
            return snapshot->code[i].use;
    fail_msg("no function %s", name);
    return NULL;
}

/* SIP 5.2: spatial use 100 * bytes used / (lines * 64), temporal use touched / used - 1. Of the
 * vector: offset 0 fetched 100 lines (16 of 64 bytes used, 48 touched), offset 8 fetched 20 (all
 * used once); of the index: 10 lines of which nothing was touched but the 8 bytes that missed. */
static void feed(uint16_t event)
{
    miss(VECTOR, SMOOTH, 0);
    miss(VECTOR, FILL, 8);
    miss(INDEX, SMOOTH, 4);
    left(VECTOR, SMOOTH, 0, event, 16, 48, 100);
    left(VECTOR, FILL, 8, event, 64, 64, 20);
    left(INDEX, SMOOTH, 4, event, 8, 8, 10);
}

static void by_object_field_and_code(void **state)
{
    (void)state;
    feed(L2_EVENT);
    const struct snapshot *snapshot = profile_snapshot(profile, &head, now_ns);
    assert_true(snapshot->uses.told);
    assert_int_equal(snapshot->uses.level, 1);
    assert_false(snapshot->uses.is_nearer);
    assert_near(snapshot->uses.all.lines, 130);
    const struct snapshot_object *vector = find_object(snapshot, "vector");
    assert_near(vector->use->lines, 120);
    assert_near(snapshot_use_spatial(vector->use), (1600 + 1280) / (120.0 * LINE));
    assert_near(snapshot_use_temporal(vector->use), (4800 + 1280) / 2880.0 - 1);
    assert_near(snapshot_use_spatial(use_at(vector, 0)), 0.25);
    assert_near(snapshot_use_temporal(use_at(vector, 0)), 2);
    assert_near(snapshot_use_spatial(use_at(vector, 8)), 1);
    assert_near(snapshot_use_temporal(use_at(vector, 8)), 0);
    assert_near(snapshot_use_spatial(find_object(snapshot, "index")->use), 0.125);
    const struct snapshot_use *smooth = use_of_function(snapshot, "smooth");
    assert_near(smooth->lines, 110);
    assert_near(snapshot_use_spatial(smooth), (1600 + 80) / (110.0 * LINE));
    assert_near(smooth->uses[LINE_LOADS_INTEGER], 100 * 6 + 10);
    assert_near(smooth->uses[LINE_STORES_FLOAT], 2 * 110);
    assert_near(snapshot->code[0].instructions[0].use->lines +
                    snapshot->code[1].instructions[0].use->lines,
                130);
    /* Parts make up the whole. */
    double lines = 0;
    for (size_t i = 0; i < snapshot->object_count; i++)
        lines += snapshot->objects[i].use->lines;
    assert_near(lines, snapshot->uses.all.lines);
    snapshot_free(snapshot);
}

/* The block was freed when the line left: the resolver calls the address by another name by then.
 */
static void counts_for_what_missed(void **state)
{
    (void)state;
    miss(VECTOR, SMOOTH, 0);
    struct line_place told = {.place = place_of(INDEX, SMOOTH, 0, L2_EVENT)};
    told.line = (struct line_event){.what = LINE_LEFT,
                                    .address = 0x10000u * VECTOR,
                                    .weight = 1,
                                    .event = L2_EVENT,
                                    .level = 1,
                                    .line_bytes = LINE,
                                    .used_bytes = 8,
                                    .touched_bytes = 8};
    profile_add_lines(profile, &told, 1);
    const struct snapshot *snapshot = profile_snapshot(profile, &head, now_ns);
    const struct snapshot_object *vector = find_object(snapshot, "vector");
    assert_near(vector->use->lines, 1);
    assert_near(snapshot_use_spatial(use_at(vector, 0)), 0.125);
    snapshot_free(snapshot);
}

static void nearer_level_until_lines_leave(void **state)
{
    (void)state;
    feed(L1_EVENT);
    const struct snapshot *snapshot = profile_snapshot(profile, &head, now_ns);
    assert_true(snapshot->uses.told && snapshot->uses.is_nearer);
    assert_int_equal(snapshot->uses.level, 0);
    snapshot_free(snapshot);
    feed(L2_EVENT);
    snapshot = profile_snapshot(profile, &head, now_ns);
    assert_int_equal(snapshot->uses.level, 1);
    assert_false(snapshot->uses.is_nearer);
    snapshot_free(snapshot);
    profile_set_ranking(profile, L1_EVENT);
    snapshot = profile_snapshot(profile, &head, now_ns);
    assert_int_equal(snapshot->uses.level, 0);
    assert_false(snapshot->uses.is_nearer);
    snapshot_free(snapshot);
}

static void nothing_told_is_nothing_known(void **state)
{
    (void)state;
    miss(VECTOR, SMOOTH, 0);
    const struct snapshot *snapshot = profile_snapshot(profile, &head, now_ns);
    assert_false(snapshot->uses.told);
    assert_null(find_object(snapshot, "vector")->use);
    assert_true(isnan(snapshot_use_spatial(NULL)));
    snapshot_free(snapshot);
    feed(L2_EVENT);
    profile_zero(profile, ++now_ns);
    miss(VECTOR, SMOOTH, 0);
    snapshot = profile_snapshot(profile, &head, now_ns);
    assert_false(snapshot->uses.told);
    snapshot_free(snapshot);
}

/* More things than there are rows: what found none is not counted as another's. */
static void full_table(void **state)
{
    enum { MANY = 1 << 18 };
    (void)state;
    feed(L2_EVENT);
    for (uint32_t i = 0; i < MANY; i++)
        left(INDEX, FILL, 8 * i, L2_EVENT, 8, 8, 1);
    /* Elements of an array leave room for objects and code. */
    miss(LATE, FILL, 0);
    left(LATE, FILL, 0, L2_EVENT, 8, 8, 1);
    const struct snapshot *snapshot = profile_snapshot(profile, &head, now_ns);
    assert_near(snapshot->uses.all.lines, 131 + MANY);
    assert_non_null(find_object(snapshot, "other")->use);
    assert_near(find_object(snapshot, "other")->use->lines, 1);
    assert_near(find_object(snapshot, "vector")->use->lines, 120);
    assert_near(find_object(snapshot, "index")->use->lines, 10 + MANY);
    snapshot_free(snapshot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(by_object_field_and_code, begin, end),
        cmocka_unit_test_setup_teardown(counts_for_what_missed, begin, end),
        cmocka_unit_test_setup_teardown(nearer_level_until_lines_leave, begin, end),
        cmocka_unit_test_setup_teardown(nothing_told_is_nothing_known, begin, end),
        cmocka_unit_test_setup_teardown(full_table, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
