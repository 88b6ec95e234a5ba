/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Findings from refresh to refresh: how long they stay, and as what. */
#include "unit.h"

#include "profile/findings/findings.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { USED = 1000, ROOM = 4 };

static struct findings_held held;
static struct arena arena;
static struct snapshot_finding list[ROOM];
static struct findings_moment moment;

static int setup(void **state)
{
    (void)state;
    arena_init(&arena);
    held = (struct findings_held){0};
    moment = (struct findings_moment){.added = USED, .used = USED, .elapsed_s = 1};
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    findings_held_fini(&held);
    arena_fini(&arena);
    return 0;
}

static struct snapshot_finding finding(enum finding_kind kind, uint32_t id, const char *type)
{
    return (struct snapshot_finding){
        .kind = kind, .id = id, .name = "table", .type = type, .gain = 0.5};
}

/* A refresh after so many samples, that found a split on object 7, or nothing. */
static size_t refresh(uint64_t samples, const char *type)
{
    moment.added += samples;
    moment.elapsed_s += 1;
    list[0] = finding(FINDING_SPLIT, 7, type);
    return findings_held_join(&held, list, type ? 1 : 0, ROOM, &moment, &arena);
}

static void what_was_found_once_does_not_stay(void **state)
{
    (void)state;
    assert_int_equal(refresh(10, "first"), 1);
    assert_int_equal(refresh(10, NULL), 0);
    assert_int_equal(refresh(10, "again"), 1);
    assert_int_equal(refresh(10, NULL), 0);
}

static void what_was_found_twice_stays_as_it_was_told_last(void **state)
{
    char text[32] = "second";
    (void)state;
    refresh(10, "first");
    refresh(10, text);
    memset(text, 'x', sizeof text - 1); /* it was in the arena of a snapshot that is gone */
    list[0] = (struct snapshot_finding){0};
    assert_int_equal(refresh(10, NULL), 1);
    assert_string_equal(list[0].type, "second");
    assert_string_equal(list[0].name, "table");
    assert_null(list[0].field);
}

static void until_its_samples_have_left_the_window(void **state)
{
    (void)state;
    refresh(10, "first");
    refresh(10, "second");
    assert_int_equal(refresh(USED - 1, NULL), 1);
    assert_int_equal(refresh(1, NULL), 0);
    assert_int_equal(refresh(1, NULL), 0);
}

static void or_for_half_a_minute(void **state)
{
    (void)state;
    refresh(10, "first");
    refresh(10, "second");
    moment.elapsed_s += 28;
    assert_int_equal(refresh(0, NULL), 1);
    assert_int_equal(refresh(0, NULL), 1);
    assert_int_equal(refresh(0, NULL), 0);
}

static void of_one_object_a_kind_is_told_once(void **state)
{
    (void)state;
    refresh(10, "first");
    refresh(10, "second");
    list[0] = finding(FINDING_SPLIT, 7, "other members lead");
    list[0].field = "x, y";
    assert_int_equal(findings_held_join(&held, list, 1, ROOM, &moment, &arena), 1);
    list[0] = finding(FINDING_SPLIT, 8, "another object");
    assert_int_equal(findings_held_join(&held, list, 1, ROOM, &moment, &arena), 2);
    assert_int_equal(list[1].id, 7);
}

static void lines_of_one_object_are_told_one_by_one(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        list[0] = finding(FINDING_FALSE_SHARING, 7, "one");
        list[0].field = "a";
        list[0].lines_first = list[0].lines_last = 64;
        list[1] = list[0];
        list[1].field = "b";
        list[1].lines_first = list[1].lines_last = 128;
        assert_int_equal(findings_held_join(&held, list, 2, ROOM, &moment, &arena), 2);
    }
    assert_int_equal(findings_held_join(&held, list, 1, ROOM, &moment, &arena), 2);
    assert_string_equal(list[1].field, "b");
}

static void a_line_is_told_once_whatever_it_is_called(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        list[0] = finding(i < 2 ? FINDING_FALSE_SHARING : FINDING_TRUE_SHARING, 7, "one");
        list[0].field = i % 2 ? "hits | misses" : "misses | hits";
        list[0].lines_first = 64;
        list[0].lines_last = i % 2 ? 64 : 128;
        assert_int_equal(findings_held_join(&held, list, 1, ROOM, &moment, &arena), 1);
    }
}

static void there_is_no_more_than_there_is_room_for(void **state)
{
    (void)state;
    for (int times = 0; times < 2; times++)
        for (uint32_t id = 0; id < 2 * FINDINGS_HELD_MAX; id++) {
            list[0] = finding(FINDING_TLB, id, "many");
            assert_true(findings_held_join(&held, list, 1, ROOM, &moment, &arena) <= ROOM);
        }
    assert_true(held.count <= FINDINGS_HELD_MAX);
}

static void strings_too_long_to_be_kept_are_not_held(void **state)
{
    static char text[FINDINGS_HELD_TEXT + 1];
    (void)state;
    memset(text, 'x', sizeof text - 1);
    refresh(10, text);
    refresh(10, text);
    assert_int_equal(refresh(10, NULL), 0);
}

/* ---- in a snapshot ---- */

static struct window window;
static struct snapshot_object objects[2];
static struct snapshot snapshot;
static struct findings findings;

static void find(size_t count)
{
    list[0] = finding(FINDING_TLB, 7, "walks");
    findings.count = count;
    findings_hold(&findings, &held);
}

static void prepare(void)
{
    objects[0] = (struct snapshot_object){.id = 7, .share = {.value = 0.6}};
    objects[1] = (struct snapshot_object){.id = 8, .share = {.value = 0.4}};
    snapshot = (struct snapshot){.objects = objects, .object_count = 2, .elapsed_s = 5};
    window = (struct window){.added = USED, .used = USED};
    findings = (struct findings){
        .snapshot = &snapshot, .arena = &arena, .window = &window, .attributed = 1, .list = list};
    find(1);
    find(1);
}

static void a_held_one_is_found_where_its_object_stands_now(void **state)
{
    (void)state;
    prepare();
    objects[0].id = 8;
    objects[1] = (struct snapshot_object){.id = 7, .share = {.value = 0.25}};
    find(0);
    assert_int_equal(findings.count, 1);
    assert_int_equal(list[0].object, 1);
    assert_true(fabs(list[0].gain - 0.25) < 1e-9); /* no more than there is left of it */
}

static void of_an_object_that_hardly_misses_any_more_nothing_is_held(void **state)
{
    (void)state;
    prepare();
    objects[0].share.value = FINDINGS_GAIN_LEAST / 2;
    find(0);
    assert_int_equal(findings.count, 0);
    objects[0].share.value = 0.6;
    snapshot.object_count = 0;
    find(0);
    assert_int_equal(findings.count, 0);
}

#define HELD(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        HELD(what_was_found_once_does_not_stay),
        HELD(what_was_found_twice_stays_as_it_was_told_last),
        HELD(until_its_samples_have_left_the_window),
        HELD(or_for_half_a_minute),
        HELD(of_one_object_a_kind_is_told_once),
        HELD(lines_of_one_object_are_told_one_by_one),
        HELD(a_line_is_told_once_whatever_it_is_called),
        HELD(there_is_no_more_than_there_is_room_for),
        HELD(strings_too_long_to_be_kept_are_not_held),
        HELD(a_held_one_is_found_where_its_object_stands_now),
        HELD(of_an_object_that_hardly_misses_any_more_nothing_is_held),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
