/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ways from screen to screen and back: what a new user missed. */
#include "unit.h"

#include "page_fixture.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static bool contains(const char *text)
{
    return page_row_with(text) >= 0;
}

static struct request press(uint32_t key)
{
    struct input input = {.kind = INPUT_KEY, .key = key};
    return browser_input(&page_browser, &input);
}

/* Selects a region that is not the whole of what is searched and holds no object that is listed. */
static void select_part(void)
{
    for (int i = 0; i < 20; i++) {
        if (!strcmp(pages[PAGE_SEARCH].page->enter(&page_browser), "Search in it"))
            return;
        page_press('j');
    }
    fail_msg("no region to search in");
}

static void a_search_inside_another_leads_back(void **state)
{
    (void)state;
    struct snapshot *snapshot = (struct snapshot *)fixture_new(FIXTURE_USUAL, 0);
    page_open_on(snapshot, 36, 120, false, "4");
    select_part();
    assert_int_equal(press(KEYS_ENTER).kind, REQUEST_SEARCH_RANGE);
    /* As long as there is nothing to go back to Esc leaves. */
    snapshot->search.before = "all";
    browser_draw(&page_browser, &page_canvas, 0);
    assert_true(contains("Esc: back to the search in all"));
    assert_int_equal(press(KEYS_ESCAPE).kind, REQUEST_SEARCH_BACK);
    assert_int_equal(page_browser.page, PAGE_SEARCH);
    assert_int_equal(press(KEYS_ESCAPE).kind, REQUEST_NONE);
    assert_int_equal(page_browser.page, PAGE_OBJECTS);
    /* One that another screen began is left for that screen. */
    assert_int_equal(press('s').kind, REQUEST_SEARCH_RANGE);
    assert_int_equal(press(KEYS_ESCAPE).kind, REQUEST_NONE);
    assert_int_equal(page_browser.page, PAGE_OBJECTS);
    page_close();
}

static void help_begins_with_the_screen_one_is_on(void **state)
{
    static const char *const keys[] = {"1", "2", "3", "4", "5", "6", "7",  "8",
                                       "9", "0", "m", "f", "w", "y", "5\n"};
    (void)state;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        char heading[80];
        page_open(FIXTURE_USUAL, 24, 80, false, keys[i]);
        enum page_id about = page_browser.page;
        page_press('?');
        assert_int_equal(page_browser.page, PAGE_HELP);
        snprintf(heading, sizeof heading, "This screen: %s", pages[about].page->name);
        assert_int_equal(page_row_with(heading), 2);
        assert_true(page_row_with("Keys here") > 3);
        page_press('?');
        assert_int_equal(page_browser.page, about);
        page_close();
    }
    /* Its own columns come first, and once. */
    page_open(FIXTURE_USUAL, 400, 120, false, "9?");
    assert_true(page_row_with("Columns: Shared lines") < page_row_with("All keys"));
    page_close();
    page_open(FIXTURE_USUAL, 24, 80, false, "9?jjjjj");
    assert_true(page_row_with("This screen") < 0);
    page_press(KEYS_ESCAPE);
    page_press('?');
    assert_true(page_row_with("This screen: Sharing") > 0);
    page_close();
}

static void what_is_not_listed_is_told_and_can_be(void **state)
{
    (void)state;
    struct snapshot *snapshot = (struct snapshot *)fixture_new(FIXTURE_USUAL, 0);
    snapshot->objects_left_out = 31;
    snapshot->objects_left_share = 0.0123;
    snapshot->objects_least = 0.001;
    page_open_on(snapshot, 36, 120, false, "");
    int row = page_row_with("31 more objects have less than 0.1% each, 1.2% together: A lists");
    assert_int_equal(row, 33);
    assert_int_equal(press('A').kind, REQUEST_ALL_OBJECTS);
    struct input click = {.kind = INPUT_CLICK, .row = row, .column = 10};
    assert_int_equal(browser_input(&page_browser, &click).kind, REQUEST_ALL_OBJECTS);
    snapshot->objects_all = true;
    snapshot->objects_left_out = 0;
    browser_draw(&page_browser, &page_canvas, 0);
    assert_false(contains("more objects have less"));
    assert_true(contains("A: those of 0.1% and more alone"));
    page_close();
}

/* A list of figures about nobody is of no use. */
static void the_smallest_window_says_what_rows_are_of(void **state)
{
    static const struct {
        const char *keys;
        const char *name;
    } lists[] = {{"1", "particles"},       {"2", "particles"},     {"3", "partic"},
                 {"5", "visit_particles"}, {"7", "particles_new"}, {"8", "particle"},
                 {"m", "partic"}};
    (void)state;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        struct snapshot *snapshot = (struct snapshot *)fixture_new(FIXTURE_USUAL, 0);
        snapshot->code[0].unknown_samples = 5; /* with all of the columns that Code may have */
        page_open_on(snapshot, BROWSER_ROWS_MIN, BROWSER_COLUMNS_MIN, false, lists[i].keys);
        if (!contains(lists[i].name))
            for (int row = 0; row < BROWSER_ROWS_MIN; row++)
                print_error("%s\n", page_row(row));
        assert_true(contains(lists[i].name));
        page_close();
    }
}

enum { PERIODS = 40, PROFILE = 16 };

/* A run of one object in one phase, calm from periods of 2 s on. */
static void with_run(struct snapshot *snapshot)
{
    static double weight[PERIODS];
    static double volatilities[PROFILE];
    static struct snapshot_volatility profile[PROFILE];
    static struct snapshot_stream stream;
    static struct snapshot_phase phase;
    for (int i = 0; i < PERIODS; i++)
        weight[i] = 100;
    for (int i = 0; i < PROFILE; i++) {
        profile[i] = (struct snapshot_volatility){0.25 * (i + 1), i < 7 ? 0.8 : 0.2};
        volatilities[i] = i < 7 ? 0.9 : 0.1;
    }
    stream = (struct snapshot_stream){.name = "particles",
                                      .object = UINT32_MAX,
                                      .weight = weight,
                                      .share = 1,
                                      .volatilities = volatilities};
    phase = (struct snapshot_phase){.name = "A", .end_s = 80, .leader = "particles", .samples = 9};
    snapshot->timeline =
        (struct snapshot_timeline){.period_s = 2,
                                   .damped_s = 2,
                                   .base_s = 0.25,
                                   .periods = PERIODS,
                                   .by = {{.all = weight, .objects = {&stream, 1}}},
                                   .phases = &phase,
                                   .phase_count = 1,
                                   .profile = profile,
                                   .profile_count = PROFILE,
                                   .recent_s = NAN,
                                   .display_s = NAN};
}

static void open_run(int rows, int columns, const char *keys)
{
    struct snapshot *snapshot = (struct snapshot *)fixture_new(FIXTURE_USUAL, 0);
    with_run(snapshot);
    page_open_on(snapshot, rows, columns, false, keys);
}

static void a_picture_without_room_says_so(void **state)
{
    static const char keys[] = "bvVo";
    (void)state;
    for (const char *key = keys; *key; key++) {
        open_run(BROWSER_ROWS_MIN, BROWSER_COLUMNS_MIN, "0");
        assert_true(contains("particles"));
        page_press((uint32_t)*key);
        browser_draw(&page_browser, &page_canvas, page_browser.message_until_ns - 1);
        assert_true(contains("no room for the picture"));
        page_close();
        open_run(36, 120, "0");
        page_press((uint32_t)*key);
        browser_draw(&page_browser, &page_canvas, 1);
        assert_false(contains("no room for the picture"));
        page_close();
    }
}

/* A row a period, the drawn one among them, with its figure and the object's. */
static void volatility_is_a_row_a_period(void **state)
{
    (void)state;
    open_run(36, 120, "0V");
    int title = page_row_with("25% or less is calm");
    assert_true(title > 0 && strstr(page_row(title), "particles"));
    assert_true(strstr(page_row(title + 1), "250ms") && strstr(page_row(title + 1), "80%") &&
                strstr(page_row(title + 1), "90%"));
    int drawn = page_row_with("as drawn");
    assert_true(drawn > title && strstr(page_row(drawn), "2.0s"));
    assert_true(strstr(page_row(drawn), "20%") && strstr(page_row(drawn), "10%"));
    /* Calm is another colour, and the bars are as long as the figures say. */
    int bar = page_column_of(title, "changes by");
    assert_int_equal(canvas_at(&page_canvas, drawn, bar)->paint, PAINT_GOOD);
    assert_true(canvas_at(&page_canvas, title + 1, bar)->paint != PAINT_GOOD);
    assert_true(canvas_at(&page_canvas, title + 1, bar + 20)->text[0] != L' ');
    assert_true(canvas_at(&page_canvas, drawn, bar + 20)->text[0] == L' ');
    page_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_search_inside_another_leads_back),
        cmocka_unit_test(the_smallest_window_says_what_rows_are_of),
        cmocka_unit_test(a_picture_without_room_says_so),
        cmocka_unit_test(volatility_is_a_row_a_period),
        cmocka_unit_test(what_is_not_listed_is_told_and_can_be),
        cmocka_unit_test(help_begins_with_the_screen_one_is_on),
    };
    setlocale(LC_ALL, "C.UTF-8");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
