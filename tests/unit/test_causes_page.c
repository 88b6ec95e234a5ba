/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Causes of misses on the screen, in batch text and in JSON. */
#include "unit.h"

#include "page_fixture.h"
#include "view/pages/causes.h"
#include "view/export/html.h"
#include "view/export/diff.h"

#include <jansson.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct snapshot_causes_row rows[] = {
    {.figures = {.samples = 5000,
                 .misses = 8000,
                 .share = {[CAUSE_CONFLICT] = 0.61, [CAUSE_CAPACITY] = 0.27, [CAUSE_FIRST] = 0.12},
                 .evicted = 7000,
                 .by_itself = 0.2,
                 .early_same = 0.175,
                 .early_other = 0.7},
     .unlisted = 0.05,
     .evictors = {{.function = "multiply", .object = "rival", .object_id = 777, .share = 0.71},
                  {.function = "fill", .share = 0.24}},
     .evictor_count = 2},
    {.figures = {.samples = 400,
                 .misses = 400,
                 .share = {[CAUSE_INVALIDATED_FALSE] = 0.9, [CAUSE_INCLUSION] = 0.1},
                 .by_itself = NAN},
     .unlisted = NAN},
    {.index = UINT32_MAX,
     .id = 999999,
     .name = "gone",
     .figures = {.samples = 1, .misses = 1, .share = {[CAUSE_UNKNOWN] = 1}, .by_itself = NAN},
     .unlisted = NAN},
};

static struct snapshot_causes_row functions[] = {
    {.figures = {.samples = 6000,
                 .misses = 6000,
                 .share = {[CAUSE_CAPACITY] = 0.8, [CAUSE_FIRST] = 0.2},
                 .evicted = 4000,
                 .by_itself = 0.1},
     .evictors = {{.function = "collect", .object = "rival", .function_id = 888, .share = 0.9}},
     .evictor_count = 1}};

static struct snapshot_causes_row threads[] = {
    {.index = UINT32_MAX,
     .id = 4711,
     .name = "worker (4711)",
     .figures = {.samples = 8401, .misses = 8401, .share = {[CAUSE_FIRST] = 1}, .by_itself = NAN},
     .unlisted = NAN}};

/* Of 7000 misses 5600 were on lines of the first object, 4970 of these thrown out by the rival. */
static void fill_evictions(const struct snapshot *snapshot, struct snapshot_evictions *out)
{
    *out = (struct snapshot_evictions){.row_count = 1, .column_count = 2, .misses = 7000};
    out->rows[0] = (struct snapshot_eviction_line){rows[0].name, rows[0].id, 5600};
    out->rows[1] = (struct snapshot_eviction_line){.misses = 1400};
    out->columns[0] = (struct snapshot_eviction_line){"rival", 777, 4970};
    out->columns[1] = (struct snapshot_eviction_line){snapshot->objects[0].name, rows[0].id, 1820};
    out->columns[2] = (struct snapshot_eviction_line){.misses = 210};
    out->cells[0][0] = 4970;
    out->cells[0][1] = 420;
    out->cells[0][2] = 210;
    out->cells[1][1] = 1400;
}

static const struct snapshot *caused(void)
{
    struct snapshot *snapshot = (struct snapshot *)(uintptr_t)fixture_new(FIXTURE_USUAL, 0);
    struct snapshot_causes *causes = &snapshot->causes;
    for (uint32_t i = 0; i < 2; i++) {
        rows[i].index = i;
        rows[i].id = snapshot->objects[i].id;
        rows[i].name = snapshot->objects[i].name;
    }
    functions[0].id = snapshot->code[0].id;
    functions[0].name = snapshot->code[0].function;
    *causes = (struct snapshot_causes){.told = true};
    causes->of[CAUSES_OBJECTS] = (struct snapshot_causes_list){.rows = rows, .count = 3};
    causes->of[CAUSES_FUNCTIONS] = (struct snapshot_causes_list){.rows = functions, .count = 1};
    causes->of[CAUSES_THREADS] = (struct snapshot_causes_list){.rows = threads, .count = 1};
    fill_evictions(snapshot, &causes->of[CAUSES_OBJECTS].evictions);
    causes->all = (struct snapshot_causes_figures){.misses = 8401};
    causes->all.share[CAUSE_CONFLICT] = 0.58;
    return snapshot;
}

static int close_browser(void **state)
{
    (void)state;
    page_close();
    return 0;
}

static void the_list_and_what_to_do(void **state)
{
    (void)state;
    page_open_on(caused(), 30, 150, false, "");
    assert_true(page_row_with("y Causes") >= 0);
    page_press('y');
    assert_int_equal(page_browser.page, PAGE_CAUSES);
    assert_true(page_row_with("58.0% conflict") > 0);
    assert_int_equal(page_row_with("61.0%"), page_row_with("27.0%"));
    assert_int_equal(page_row_with("61.0%"), page_row_with("12.0%"));
    assert_true(page_row_with("lines of rival fall into the same sets") > page_row_with("gone"));
    assert_true(page_row_with("71.0%  multiply on rival") > 0);
    assert_true(page_row_with("24.0%  fill") > 0);
    assert_true(page_row_with("5.0%  others") > 0);
    page_press(KEYS_DOWN);
    assert_true(page_row_with("Give each thread lines of its own") > 0);
    assert_int_equal(page_row_with("multiply on rival"), -1);
    page_press(KEYS_DOWN);
    assert_true(page_row_with("Too few misses") > 0);
}

static void b_chooses_functions_and_threads(void **state)
{
    (void)state;
    page_open_on(caused(), 30, 150, false, "");
    page_press('y');
    page_press('b');
    assert_true(page_row_with("FUNCTION") > 0);
    assert_true(page_row_with(page_browser.snapshot->code[0].function) > 0);
    assert_true(page_row_with("collect filled that with other data") > 0);
    page_press('o');
    assert_int_equal(page_browser.page, PAGE_FUNCTION);
    page_press(KEYS_ESCAPE);
    page_press('b');
    assert_true(page_row_with("worker (4711)") > 0);
    page_press(KEYS_ENTER);
    assert_int_equal(page_browser.page, PAGE_EVICTIONS);
    assert_true(page_row_with("Nothing is known yet of what threw lines out") > 0);
    page_press(KEYS_ESCAPE);
    page_press('b');
    assert_true(page_row_with("71.0%  multiply on rival") > 0);
}

static void enter_opens_who_evicts_whom(void **state)
{
    (void)state;
    page_open_on(caused(), 30, 120, false, "");
    page_press('y');
    page_press(KEYS_ENTER);
    assert_int_equal(page_browser.page, PAGE_EVICTIONS);
    assert_true(page_row_with("Of 7.0k misses whose evictor is known") > 0);
    /* On the strongest cell of the row, which is told as a part of both of its lines. */
    assert_true(page_row_with(", thrown out by accesses to rival: 5.0k misses") > 0);
    assert_true(page_row_with("88.8% of the row, 100.0% of the column") > 0);
    assert_true(page_row_with("71.0%  multiply on rival") > 0);
    page_press(KEYS_RIGHT);
    assert_true(page_row_with("thrown out by accesses to itself: 420 misses") > 0);
    page_press(KEYS_END);
    assert_true(page_row_with("Lines of others, thrown out by") > 0);
    page_press(KEYS_HOME);
    page_press(KEYS_ENTER);
    assert_int_equal(page_browser.page, PAGE_DETAIL);
    page_press(KEYS_ESCAPE);
    assert_int_equal(page_browser.page, PAGE_EVICTIONS);
    page_press('b');
    assert_true(page_row_with("Nothing is known yet of what threw lines out of") > 0);
    page_press(KEYS_DOWN);
    page_press(KEYS_ENTER);
    page_press(KEYS_ESCAPE);
    assert_int_equal(page_browser.page, PAGE_CAUSES);
}

static void show(const struct snapshot *snapshot)
{
    browser_show(&page_browser, snapshot, fixture_release);
    browser_draw(&page_browser, &page_canvas, 0);
}

/* Snapshots come and go under it; the cursor stays on what it was on. */
static void evictions_stay_where_they_are(void **state)
{
    (void)state;
    page_open_on(caused(), 24, 80, false, "");
    page_press('y');
    page_press(KEYS_ENTER);
    page_press(KEYS_RIGHT);
    show(caused());
    assert_true(page_row_with("accesses to itself") > 0);
    show(fixture_new(FIXTURE_USUAL, 0));
    assert_true(page_row_with("Nothing is known yet") > 0);
    page_press(KEYS_LEFT);
    show(caused());
    assert_true(page_row_with("Of 7.0k misses") > 0);
}

static void o_opens_the_object(void **state)
{
    (void)state;
    page_open_on(caused(), 30, 120, false, "");
    page_press('y');
    page_press('o');
    assert_int_equal(page_browser.page, PAGE_DETAIL);
    assert_int_equal(page_browser.opened.id, page_browser.snapshot->objects[0].id);
    page_press(KEYS_ESCAPE);
    page_press(KEYS_END);
    page_press('o');
    assert_int_equal(page_browser.page, PAGE_CAUSES);
    assert_true(page_row_with("not among the objects listed now") > 0);
}

static void without_it_says_how_to_have_it(void **state)
{
    (void)state;
    page_open_on(fixture_new(FIXTURE_USUAL, 0), 24, 80, false, "");
    assert_int_equal(page_row_with("y Causes"), -1);
    page_press('y');
    assert_true(page_row_with("misstop --sim -- CMD") > 0);
    page_press(KEYS_ENTER);
    assert_int_equal(page_browser.page, PAGE_CAUSES);
}

static void little_room_is_enough(void **state)
{
    (void)state;
    page_open_on(caused(), 10, 40, false, "");
    page_press('y');
    assert_true(page_row_with("61.0%") > 0);
    for (int i = 0; i < 5; i++)
        page_press(KEYS_DOWN);
    page_press(KEYS_HOME);
    page_press(KEYS_ENTER);
    assert_true(page_row_with("71.0%") > 0);
    for (int i = 0; i < 5; i++)
        page_press(i % 2 ? KEYS_RIGHT : KEYS_DOWN);
}

/* ---- words ---- */

static void advice_follows_the_leading_cause(void **state)
{
    static const struct {
        enum miss_cause cause;
        double by_itself;
        const char *says;
    } cases[] = {
        {CAUSE_FIRST, NAN, "no larger cache would help"},
        {CAUSE_FIRST_HERE, NAN, "no larger cache would help"},
        {CAUSE_CAPACITY, 0.9, "It is larger than the cache"},
        {CAUSE_CAPACITY, 0.1, "of rival most"},
        {CAUSE_CAPACITY, NAN, "of rival most"},
        {CAUSE_CONFLICT, 0.9, "crowd in few sets"},
        {CAUSE_INVALIDATED_TRUE, NAN, "write what is read here"},
        {CAUSE_INCLUSION, NAN, "The larger cache below"},
        {CAUSE_UNKNOWN, NAN, "no room to tell why"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        struct snapshot_causes_row object = rows[0];
        memset(object.figures.share, 0, sizeof object.figures.share);
        object.figures.share[cases[i].cause] = 1;
        object.figures.by_itself = cases[i].by_itself;
        causes_advice(CAUSES_OBJECTS, &object, text, sizeof text);
        assert_non_null(strstr(text, cases[i].says));
    }
}

static char *printed(bool json, const struct snapshot *snapshot)
{
    char *text = NULL;
    size_t size;
    struct view_options options = {0};
    FILE *out = open_memstream(&text, &size);
    assert_int_equal(json ? json_print(out, snapshot) : text_print(out, snapshot, &options), 0);
    fclose(out);
    fixture_release(snapshot);
    return text;
}

static void text_and_json_tell_it(void **state)
{
    (void)state;
    char *text = printed(false, caused());
    assert_non_null(strstr(text, "Why 8.4k "));
    assert_non_null(strstr(text, ", thrown out by accesses to rival: 5.0k misses"));
    assert_non_null(strstr(text, "71.0% thrown out by multiply on rival"));
    free(text);
    text = printed(true, caused());
    json_t *root = json_loads(text, 0, NULL);
    json_t *objects = json_object_get(root, "objects");
    json_t *first = json_object_get(json_array_get(objects, 0), "causes");
    json_t *second = json_object_get(json_array_get(objects, 1), "causes");
    json_t *evictors = json_object_get(first, "evictors");
    assert_true(json_number_value(json_object_get(first, "conflict")) == 0.61);
    assert_int_equal(json_array_size(evictors), 2);
    assert_true(json_is_null(json_object_get(json_array_get(evictors, 1), "object")));
    assert_true(json_is_null(json_object_get(second, "by_itself")));
    assert_true(json_is_null(json_object_get(json_array_get(objects, 2), "causes")));
    assert_true(json_number_value(json_object_get(first, "premature_other")) == 0.7);
    json_t *code = json_object_get(json_array_get(json_object_get(root, "code"), 0), "causes");
    assert_true(json_number_value(json_object_get(code, "capacity")) == 0.8);
    json_t *all = json_object_get(root, "causes");
    json_t *evictions = json_object_get(all, "evictions");
    json_t *cells = json_object_get(evictions, "cells");
    assert_int_equal(json_array_size(json_object_get(evictions, "columns")), 3);
    assert_true(json_number_value(json_array_get(json_array_get(cells, 0), 0)) == 4970);
    assert_true(json_is_null(json_object_get(all, "evictions_by_function")));
    assert_int_equal(json_array_size(json_object_get(all, "threads")), 1);
    json_decref(root);
    free(text);
    text = printed(true, fixture_new(FIXTURE_USUAL, 0));
    assert_null(strstr(text, "\"causes\""));
    free(text);
}

/* The name of an evictor comes from the program: here it would close a cell. */
static void the_page_of_html_tells_it(void **state)
{
    static const struct screen_sources sources;
    static const struct html_run run = {.command = "", .host = "", .date = "", .version = ""};
    const struct snapshot *snapshot = caused();
    struct snapshot_evictions *evictions =
        (struct snapshot_evictions *)&snapshot->causes.of[CAUSES_OBJECTS].evictions;
    char *text = NULL;
    size_t size;
    (void)state;
    evictions->columns[0].name = "</td><b>";
    FILE *out = open_memstream(&text, &size);
    assert_int_equal(html_print(out, snapshot, &sources, &run), 0);
    fclose(out);
    assert_non_null(strstr(text, "<section id=\"causes\">"));
    assert_non_null(strstr(text, "<a href=\"#causes\">"));
    assert_non_null(strstr(text, "71.0% thrown out by multiply on rival"));
    assert_non_null(strstr(text, "&lt;/td&gt;&lt;b&gt;"));
    assert_non_null(strstr(text, ">71.0%</td>")); /* 4970 of 7000 */
    free(text);
    fixture_release(snapshot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(the_list_and_what_to_do, close_browser),
        cmocka_unit_test_teardown(b_chooses_functions_and_threads, close_browser),
        cmocka_unit_test_teardown(enter_opens_who_evicts_whom, close_browser),
        cmocka_unit_test_teardown(evictions_stay_where_they_are, close_browser),
        cmocka_unit_test_teardown(o_opens_the_object, close_browser),
        cmocka_unit_test_teardown(without_it_says_how_to_have_it, close_browser),
        cmocka_unit_test_teardown(little_room_is_enough, close_browser),
        cmocka_unit_test(advice_follows_the_leading_cause),
        cmocka_unit_test(text_and_json_tell_it),
        cmocka_unit_test(the_page_of_html_tells_it),
    };
    setlocale(LC_ALL, "C.UTF-8");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
