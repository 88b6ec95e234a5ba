/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Watchpoints on the screen, in batch text and in JSON. */
#include <jansson.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"
#include "unit/view/screen_fixture.h"
#include "unit/view/watch_fixture.h"

static const struct snapshot *snapshot_with_watches(void)
{
    struct snapshot *snapshot = (struct snapshot *)(uintptr_t)fixture_new(FIXTURE_USUAL, 0);
    watch_fixture_fill(snapshot);
    return snapshot;
}

static void watch_screen_lists_verdicts_and_reasons(void **state)
{
    (void)state;
    screen_open_on(snapshot_with_watches(), 30, 150, false, "");
    assert_true(screen_has("w Watch"));
    screen_press('w');
    assert_int_equal(screen_browser.screen, SCREEN_WATCH);
    assert_true(screen_has("4 debug registers on 2 threads: set 900 times, 600 accesses"));
    assert_true(screen_has("cost 0.87% of its time, 1% allowed"));
    assert_true(screen_has("2 of 3 objects have a verdict; at this pace the next in about 14.0s"));
    assert_false(screen_has("--watch="));
    assert_true(screen_row_with("capacity") < screen_row_with("streaming"));
    assert_int_equal(screen_row_with("97.0%"), screen_row_with("capacity"));
    assert_int_equal(screen_row_with("40.0k"), screen_row_with("capacity"));
    assert_true(screen_row_with("Its lines are accessed again after 4ms (median), with") >
                screen_row_with("1 of 8"));
    assert_true(screen_has("75.0%  move (move.c:12)"));
    screen_press(KEYS_DOWN);
    assert_true(screen_has("Its lines are mostly (100%) not accessed again within"));
    assert_false(screen_has("75.0%  move"));
}

/* If the budget is the limit, the screen explains how to change it; otherwise not. */
static void larger_watch_budget_is_advised_if_limiting(void **state)
{
    (void)state;
    struct snapshot *snapshot = (struct snapshot *)(uintptr_t)snapshot_with_watches();
    snapshot->watch.is_limited_by_budget = true;
    screen_open_on(snapshot, 24, 80, false, "");
    screen_press('w');
    assert_true(screen_has("--watch=5 is up to 5 times as fast"));
    screen_close();
    snapshot = (struct snapshot *)(uintptr_t)snapshot_with_watches();
    snapshot->watch.is_limited_by_budget = true;
    snapshot->watch.budget = 0.5;
    screen_open_on(snapshot, 24, 80, false, "");
    screen_press('w');
    assert_false(screen_has("--watch="));
}

static void enter_opens_the_watched_object(void **state)
{
    (void)state;
    screen_open_on(snapshot_with_watches(), 30, 120, false, "");
    screen_press('w', KEYS_ENTER);
    assert_int_equal(screen_browser.screen, SCREEN_DETAIL);
    assert_int_equal(screen_browser.opened.id, screen_browser.snapshot->objects[0].id);
    assert_true(
        screen_has("watched 300: capacity, 97% accessed again within 20ms, after 4ms (median), "
                   "25% of the line used"));
    screen_press(KEYS_ESCAPE);
    assert_int_equal(screen_browser.screen, SCREEN_WATCH);
    screen_press(KEYS_END, KEYS_ENTER);
    assert_int_equal(screen_browser.screen, SCREEN_WATCH);
    assert_true(screen_has("this object is not listed now"));
}

static void watch_screen_when_off_explains_option(void **state)
{
    (void)state;
    screen_open_on(fixture_new(FIXTURE_USUAL, 0), 24, 80, false, "");
    assert_false(screen_has("w Watch"));
    screen_press('w');
    assert_true(screen_has("Watchpoints are off. With --watch"));
    screen_press(KEYS_ENTER);
    assert_int_equal(screen_browser.screen, SCREEN_WATCH);
}

static void watch_screen_fits_small_terminals(void **state)
{
    (void)state;
    screen_open_on(snapshot_with_watches(), 10, 40, false, "");
    screen_press('w');
    assert_true(screen_has("capacity"));
    for (int i = 0; i < 5; i++)
        screen_press(KEYS_DOWN);
    screen_close();
    screen_open_on(fixture_new(FIXTURE_EMPTY, 0), 10, 40, false, "");
    screen_press('w');
    assert_true(screen_has("Watchpoints are off"));
}

/* ---- batch ---- */

static void text_report_has_watch_results(void **state)
{
    (void)state;
    char *text = fixture_printed(fixture_text, snapshot_with_watches());
    assert_non_null(strstr(text, "watch: cost 0.87% of its time, 1% allowed; 4 debug registers"));
    assert_non_null(strstr(text, "TOUCHED BY"));
    assert_non_null(strstr(text, "move (move.c:12)"));
    assert_non_null(strstr(text, "Its lines are accessed again after 4ms (median), with"));
    free(text);
    text = fixture_printed(fixture_text, fixture_new(FIXTURE_USUAL, 0));
    assert_null(strstr(text, "watch:"));
    free(text);
}

static void json_unknown_watch_values_are_null(void **state)
{
    (void)state;
    char *text = fixture_printed(json_print, snapshot_with_watches());
    json_t *root = json_loads(text, 0, NULL);
    json_t *watch = json_object_get(root, "watch");
    json_t *objects = json_object_get(watch, "objects");
    json_t *first = json_array_get(objects, 0);
    json_t *second = json_array_get(objects, 1);
    assert_int_equal(json_array_size(objects), 3);
    assert_string_equal(json_string_value(json_object_get(first, "verdict")), "capacity");
    assert_int_equal(json_integer_value(json_object_get(first, "watched")), 300);
    assert_true(json_number_value(json_object_get(first, "spatial_use")) == 0.25);
    assert_true(json_is_null(json_object_get(second, "reuse_seconds")));
    assert_true(json_is_null(json_array_get(json_object_get(second, "reuse_between"), 0)));
    assert_true(json_is_null(json_object_get(second, "spatial_use")));
    assert_int_equal(json_array_size(json_object_get(first, "code")), 2);
    assert_true(json_number_value(json_object_get(watch, "overhead")) == 0.0087);
    json_decref(root);
    free(text);
    text = fixture_printed(json_print, fixture_new(FIXTURE_USUAL, 0));
    root = json_loads(text, 0, NULL);
    assert_null(json_object_get(root, "watch"));
    json_decref(root);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(watch_screen_lists_verdicts_and_reasons, screen_teardown),
        cmocka_unit_test_teardown(larger_watch_budget_is_advised_if_limiting, screen_teardown),
        cmocka_unit_test_teardown(enter_opens_the_watched_object, screen_teardown),
        cmocka_unit_test_teardown(watch_screen_when_off_explains_option, screen_teardown),
        cmocka_unit_test_teardown(watch_screen_fits_small_terminals, screen_teardown),
        cmocka_unit_test(text_report_has_watch_results),
        cmocka_unit_test(json_unknown_watch_values_are_null),
    };
    setlocale(LC_ALL, "C.UTF-8");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
