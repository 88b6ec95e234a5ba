/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Findings on the screen: how one comes there, what it says, and where Enter leads. */
#include "unit.h"

#include "page_fixture.h"

#include <locale.h>
#include <string.h>

static int close_browser(void **state)
{
    (void)state;
    page_close();
    return 0;
}

static void objects_says_that_there_are_findings(void **state)
{
    (void)state;
    page_open(FIXTURE_TYPED, 36, 120, false, "");
    assert_true(page_row_with("f Findings") >= 0);
    page_press('f');
    assert_int_equal(page_browser.page, PAGE_FINDINGS);
    page_press(KEYS_ESCAPE);
    assert_int_equal(page_browser.page, PAGE_OBJECTS);
}

static void the_list_and_the_selected_one_in_full(void **state)
{
    (void)state;
    page_open(FIXTURE_TYPED, 36, 120, false, "");
    page_press('f');
    assert_true(page_row_with("hot and cold fields") < page_row_with("true sharing"));
    assert_true(page_row_with("of 64 bytes: 16 are in use") > page_row_with("true sharing"));
    assert_true(page_row_with("Split the struct:") > 0);
    assert_true(page_row_with("about 25.0% of all samples: its share of all samples,") > 0);
    assert_true(page_row_with("likely: members that are always read") > 0);
    assert_true(page_row_with("move (move.c:12)") > 0);
    page_press(KEYS_DOWN);
    assert_int_equal(page_row_with("Split the struct:"), -1);
    assert_true(page_row_with("at most 12.5% of all samples") > 0);
}

/* One that goes leaves no blank row: the text comes a row below the list, however long that is. */
static void the_list_is_as_long_as_there_are_findings(void **state)
{
    (void)state;
    page_open(FIXTURE_TYPED, 36, 120, false, "");
    page_press('f');
    assert_int_equal(page_row_with("Evidence"), page_row_with("true sharing") + 2);
    page_press('\\');
    for (const char *key = "hot"; *key; key++)
        page_press(*key);
    page_press(KEYS_ENTER);
    assert_int_equal(page_row_with("true sharing"), -1);
    assert_int_equal(page_row_with("Evidence"), page_row_with("hot and cold fields") + 2);
}

static void enter_opens_the_screen_that_shows_it(void **state)
{
    (void)state;
    page_open(FIXTURE_TYPED, 36, 120, false, "");
    page_press('f');
    page_press(KEYS_ENTER);
    assert_int_equal(page_browser.page, PAGE_LAYOUT);
    assert_int_equal(page_browser.opened.id, page_browser.snapshot->objects[0].id);
    page_press(KEYS_ESCAPE);
    assert_int_equal(page_browser.page, PAGE_FINDINGS);
    page_press(KEYS_DOWN);
    page_press(KEYS_ENTER);
    assert_int_equal(page_browser.page, PAGE_SHARING);
}

static void none_says_what_is_looked_for(void **state)
{
    (void)state;
    page_open(FIXTURE_USUAL, 24, 80, false, "");
    assert_int_equal(page_row_with("f Findings"), -1);
    page_press('f');
    assert_true(page_row_with("No problem that misstop knows") > 0);
    page_press(KEYS_ENTER);
    assert_int_equal(page_browser.page, PAGE_FINDINGS);
}

static void little_room_is_enough(void **state)
{
    (void)state;
    page_open(FIXTURE_TYPED, 10, 40, false, "");
    page_press('f');
    assert_true(page_row_with("hot and cold") > 0);
    assert_true(page_row_with("of 64 bytes: 16") > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(objects_says_that_there_are_findings, close_browser),
        cmocka_unit_test_teardown(the_list_and_the_selected_one_in_full, close_browser),
        cmocka_unit_test_teardown(the_list_is_as_long_as_there_are_findings, close_browser),
        cmocka_unit_test_teardown(enter_opens_the_screen_that_shows_it, close_browser),
        cmocka_unit_test_teardown(none_says_what_is_looked_for, close_browser),
        cmocka_unit_test_teardown(little_room_is_enough, close_browser),
    };
    setlocale(LC_ALL, "C.UTF-8");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
