/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Findings on the screen: how one comes there, what it says, and where Enter leads. */
#include "unit.h"

#include "snapshot_fixture.h"
#include "view/browser.h"

#include <locale.h>
#include <string.h>

static struct browser browser;
static struct canvas canvas;

static void press(uint32_t key)
{
    struct input input = {.kind = INPUT_KEY, .key = key};
    browser_input(&browser, &input);
    browser_draw(&browser, &canvas, 0);
}

static void open_browser(enum fixture_kind kind, int rows, int columns)
{
    browser_init(&browser, NULL);
    canvas_init(&canvas, rows, columns, false);
    browser_show(&browser, fixture_new(kind, 0), fixture_release);
    browser_draw(&browser, &canvas, 0);
}

static int close_browser(void **state)
{
    (void)state;
    browser_fini(&browser);
    canvas_fini(&canvas);
    return fixture_alive() ? -1 : 0;
}

static int row_of(const char *text)
{
    char line[2048];
    for (int at = 0; at < canvas.rows; at++) {
        canvas_row_text(&canvas, at, line, sizeof line);
        if (strstr(line, text))
            return at;
    }
    return -1;
}

static void objects_says_that_there_are_findings(void **state)
{
    (void)state;
    open_browser(FIXTURE_TYPED, 36, 120);
    assert_true(row_of("f Findings") >= 0);
    press('f');
    assert_int_equal(browser.page, PAGE_FINDINGS);
    press(KEYS_ESCAPE);
    assert_int_equal(browser.page, PAGE_OBJECTS);
}

static void the_list_and_the_selected_one_in_full(void **state)
{
    (void)state;
    open_browser(FIXTURE_TYPED, 36, 120);
    press('f');
    assert_true(row_of("hot and cold fields") < row_of("true sharing"));
    assert_true(row_of("16 of 64 bytes are in use.") > row_of("true sharing"));
    assert_true(row_of("Split the struct.") > 0);
    assert_true(row_of("about 25.0% of all samples: three quarters of its share.") > 0);
    assert_true(row_of("likely: the code may use others.") > 0);
    assert_true(row_of("move (move.c:12)") > 0);
    press(KEYS_DOWN);
    assert_int_equal(row_of("Split the struct."), -1);
    assert_true(row_of("at most 12.5% of all samples") > 0);
}

static void enter_opens_the_screen_that_shows_it(void **state)
{
    (void)state;
    open_browser(FIXTURE_TYPED, 36, 120);
    press('f');
    press(KEYS_ENTER);
    assert_int_equal(browser.page, PAGE_LAYOUT);
    assert_int_equal(browser.detail.id, browser.snapshot->objects[0].id);
    press(KEYS_ESCAPE);
    assert_int_equal(browser.page, PAGE_FINDINGS);
    press(KEYS_DOWN);
    press(KEYS_ENTER);
    assert_int_equal(browser.page, PAGE_SHARING);
}

static void none_says_what_is_looked_for(void **state)
{
    (void)state;
    open_browser(FIXTURE_USUAL, 24, 80);
    assert_int_equal(row_of("f Findings"), -1);
    press('f');
    assert_true(row_of("No problem that misstop knows") > 0);
    press(KEYS_ENTER);
    assert_int_equal(browser.page, PAGE_FINDINGS);
}

static void little_room_is_enough(void **state)
{
    (void)state;
    open_browser(FIXTURE_TYPED, 10, 40);
    press('f');
    assert_true(row_of("hot and cold") > 0);
    assert_true(row_of("16 of 64 bytes") > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(objects_says_that_there_are_findings, close_browser),
        cmocka_unit_test_teardown(the_list_and_the_selected_one_in_full, close_browser),
        cmocka_unit_test_teardown(enter_opens_the_screen_that_shows_it, close_browser),
        cmocka_unit_test_teardown(none_says_what_is_looked_for, close_browser),
        cmocka_unit_test_teardown(little_room_is_enough, close_browser),
    };
    setlocale(LC_ALL, "C.UTF-8");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
