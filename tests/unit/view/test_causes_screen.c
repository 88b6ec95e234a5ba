/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Causes of misses on the screen, in batch text and in JSON. */
#include <jansson.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"
#include "unit/view/screen_fixture.h"
#include "view/export/diff.h"
#include "view/export/files.h"
#include "view/screens/causes.h"
#include "view/screens/rows.h"
#include "view/words.h"

static struct snapshot_causes_row causes_screen_rows[] = {
    {.figures = {.samples = 5000,
                 .misses = 8000,
                 .share = {[CAUSE_CONFLICT] = 0.61, [CAUSE_CAPACITY] = 0.27, [CAUSE_FIRST] = 0.12},
                 .evicted = 7000,
                 .self_evicted = 0.2,
                 .early_same = 0.175,
                 .early_other = 0.7},
     .unlisted = 0.05,
     .evictors = {{.function = "multiply", .object = "rival", .object_id = 777, .share = 0.71},
                  {.function = "fill", .share = 0.24}},
     .evictor_count = 2},
    {.figures = {.samples = 400,
                 .misses = 400,
                 .share = {[CAUSE_INVALIDATED_FALSE] = 0.9, [CAUSE_INCLUSION] = 0.1},
                 .self_evicted = NAN},
     .unlisted = NAN},
    {.index = UINT32_MAX,
     .id = 999999,
     .name = "gone",
     .figures = {.samples = 1, .misses = 1, .share = {[CAUSE_UNKNOWN] = 1}, .self_evicted = NAN},
     .unlisted = NAN},
};

static struct snapshot_causes_row functions[] = {
    {.figures = {.samples = 6000,
                 .misses = 6000,
                 .share = {[CAUSE_CAPACITY] = 0.8, [CAUSE_FIRST] = 0.2},
                 .evicted = 4000,
                 .self_evicted = 0.1},
     .evictors = {{.function = "collect", .object = "rival", .function_id = 888, .share = 0.9}},
     .evictor_count = 1}};

static struct snapshot_causes_row threads[] = {{.index = UINT32_MAX,
                                                .id = 4711,
                                                .name = "worker (4711)",
                                                .figures = {.samples = 8401,
                                                            .misses = 8401,
                                                            .share = {[CAUSE_FIRST] = 1},
                                                            .self_evicted = NAN},
                                                .unlisted = NAN}};

/* 5600 of 7000 misses were on lines of the first object; the rival evicted 4970 of these. */
static void fill_evictions(const struct snapshot *snapshot, struct snapshot_evictions *out)
{
    *out = (struct snapshot_evictions){.row_count = 1, .column_count = 2, .misses = 7000};
    out->rows[0] =
        (struct snapshot_eviction_line){causes_screen_rows[0].name, causes_screen_rows[0].id, 5600};
    out->rows[1] = (struct snapshot_eviction_line){.misses = 1400};
    out->columns[0] = (struct snapshot_eviction_line){"rival", 777, 4970};
    out->columns[1] =
        (struct snapshot_eviction_line){snapshot->objects[0].name, causes_screen_rows[0].id, 1820};
    out->columns[2] = (struct snapshot_eviction_line){.misses = 210};
    out->cells[0][0] = 4970;
    out->cells[0][1] = 420;
    out->cells[0][2] = 210;
    out->cells[1][1] = 1400;
}

static const struct snapshot *snapshot_with_causes(void)
{
    struct snapshot *snapshot = (struct snapshot *)(uintptr_t)fixture_new(FIXTURE_USUAL, 0);
    struct snapshot_causes *causes = &snapshot->causes;
    for (uint32_t i = 0; i < 2; i++) {
        causes_screen_rows[i].index = i;
        causes_screen_rows[i].id = snapshot->objects[i].id;
        causes_screen_rows[i].name = snapshot->objects[i].name;
    }
    functions[0].id = snapshot->code[0].id;
    functions[0].name = snapshot->code[0].function;
    *causes = (struct snapshot_causes){.known = true};
    causes->by_kind[CAUSES_OBJECTS] =
        (struct snapshot_causes_list){.rows = causes_screen_rows, .count = 3};
    causes->by_kind[CAUSES_FUNCTIONS] =
        (struct snapshot_causes_list){.rows = functions, .count = 1};
    causes->by_kind[CAUSES_THREADS] = (struct snapshot_causes_list){.rows = threads, .count = 1};
    fill_evictions(snapshot, &causes->by_kind[CAUSES_OBJECTS].evictions);
    causes->all = (struct snapshot_causes_figures){.misses = 8401};
    causes->all.share[CAUSE_CONFLICT] = 0.58;
    return snapshot;
}

static void causes_screen_lists_causes_and_advice(void **state)
{
    (void)state;
    screen_open_on(snapshot_with_causes(), 30, 150, false, "");
    assert_true(screen_has("y Causes"));
    screen_press('y');
    assert_int_equal(screen_browser.screen, SCREEN_CAUSES);
    assert_true(screen_has("58.0% conflict"));
    assert_int_equal(screen_row_with("61.0%"), screen_row_with("27.0%"));
    assert_int_equal(screen_row_with("61.0%"), screen_row_with("12.0%"));
    assert_true(screen_row_with("lines of rival map to the same sets") > screen_row_with("gone"));
    assert_true(screen_has("71.0%  multiply on rival"));
    assert_true(screen_has("24.0%  fill"));
    assert_true(screen_has("5.0%  others"));
    screen_press(KEYS_DOWN);
    assert_true(screen_has("Give each thread lines of its own"));
    assert_false(screen_has("multiply on rival"));
    screen_press(KEYS_DOWN);
    assert_true(screen_has("Too few misses"));
}

static void b_key_selects_functions_and_threads(void **state)
{
    (void)state;
    screen_open_on(snapshot_with_causes(), 30, 150, false, "");
    screen_press('y', 'b');
    assert_true(screen_has("FUNCTION"));
    assert_true(screen_has(screen_browser.snapshot->code[0].function));
    assert_true(screen_has("collect replaced it with other data"));
    screen_press('o');
    assert_int_equal(screen_browser.screen, SCREEN_FUNCTION);
    screen_press(KEYS_ESCAPE, 'b');
    assert_true(screen_has("worker (4711)"));
    screen_press(KEYS_ENTER);
    assert_true(screen_has("No evictor is known"));
    screen_press(KEYS_LEFT, 'b');
    assert_true(screen_has("71.0%  multiply on rival"));
}

static void enter_shows_evictions_of_the_row(void **state)
{
    (void)state;
    screen_open_on(snapshot_with_causes(), 30, 120, false, "");
    screen_press('y', KEYS_ENTER);
    assert_int_equal(screen_browser.screen, SCREEN_CAUSES);
    /* Largest first; percentages of all misses, of the object's misses and of the evictor's. */
    int row = screen_row_with("5.0k");
    assert_true(row > 0);
    assert_int_equal(row, screen_row_with("71.0%"));
    assert_int_equal(row, screen_row_with("88.8%"));
    assert_int_equal(row, screen_row_with("100%"));
    assert_true(screen_row_with("others") > row);
    screen_press(KEYS_ENTER);
    assert_true(screen_has("this object is not listed now"));
    screen_press('o');
    assert_int_equal(screen_browser.screen, SCREEN_DETAIL);
    assert_int_equal(screen_browser.opened.id, screen_browser.snapshot->objects[0].id);
    screen_press(KEYS_ESCAPE);
    assert_int_equal(screen_browser.screen, SCREEN_CAUSES);
    /* Misses evicted by others: their evictor is listed. */
    screen_press(KEYS_DOWN, KEYS_ENTER);
    assert_int_equal(screen_browser.opened.id, screen_browser.snapshot->objects[0].id);
    screen_press(KEYS_ESCAPE, KEYS_LEFT);
    assert_true(screen_has("71.0%  multiply on rival"));
}

static void show(const struct snapshot *snapshot)
{
    browser_show(&screen_browser, snapshot, fixture_release);
    screen_draw();
}

/* The cursor stays on its row while snapshots are replaced. */
static void eviction_cursor_stays_on_its_row(void **state)
{
    (void)state;
    screen_open_on(snapshot_with_causes(), 24, 80, false, "");
    screen_press('y', KEYS_ENTER, KEYS_DOWN);
    const struct table *table = browser_table(&screen_browser);
    const struct eviction_row *row = table_selected(table);
    assert_true(row->misses == 1400);
    show(snapshot_with_causes());
    row = table_selected(table);
    assert_true(row->misses == 1400);
    show(fixture_new(FIXTURE_USUAL, 0));
    assert_null(table_selected(table));
    show(snapshot_with_causes());
    assert_non_null(table_selected(table));
}

static void o_key_opens_the_object(void **state)
{
    (void)state;
    screen_open_on(snapshot_with_causes(), 30, 120, false, "");
    screen_press('y', 'o');
    assert_int_equal(screen_browser.screen, SCREEN_DETAIL);
    assert_int_equal(screen_browser.opened.id, screen_browser.snapshot->objects[0].id);
    screen_press(KEYS_ESCAPE, KEYS_END, 'o');
    assert_int_equal(screen_browser.screen, SCREEN_CAUSES);
    assert_true(screen_has("this object is not listed now"));
}

static void causes_screen_without_simulation_explains_option(void **state)
{
    (void)state;
    screen_open_on(fixture_new(FIXTURE_USUAL, 0), 24, 80, false, "");
    assert_false(screen_has("y Causes"));
    screen_press('y');
    assert_true(screen_has("misstop --sim -- CMD"));
    screen_press(KEYS_ENTER);
    assert_int_equal(screen_browser.screen, SCREEN_CAUSES);
}

static void causes_screen_fits_small_terminals(void **state)
{
    (void)state;
    screen_open_on(snapshot_with_causes(), 10, 40, false, "");
    screen_press('y');
    assert_true(screen_has("61.0%"));
    for (int i = 0; i < 5; i++)
        screen_press(KEYS_DOWN);
    screen_press(KEYS_HOME, KEYS_ENTER);
    assert_true(screen_has("71.0%"));
    for (int i = 0; i < 5; i++)
        screen_press(i % 2 ? KEYS_RIGHT : KEYS_DOWN);
}

/* ---- words ---- */

static void causes_advice_follows_the_leading_cause(void **state)
{
    static const struct {
        enum miss_cause cause;
        double by_itself;
        const char *advice;
    } cases[] = {
        {CAUSE_FIRST, NAN, "a larger cache would not help"},
        {CAUSE_FIRST_HERE, NAN, "a larger cache would not help"},
        {CAUSE_CAPACITY, 0.9, "It is larger than the cache"},
        {CAUSE_CAPACITY, 0.1, "mostly rival"},
        {CAUSE_CAPACITY, NAN, "mostly rival"},
        {CAUSE_CONFLICT, 0.9, "map to few sets"},
        {CAUSE_INVALIDATED_TRUE, NAN, "write the bytes that are read here"},
        {CAUSE_INCLUSION, NAN, "The larger cache below"},
        {CAUSE_UNKNOWN, NAN, "no room for the cause"},
    };
    (void)state;
    const struct snapshot *snapshot = snapshot_with_causes();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct explained why;
        struct snapshot_causes_row object = causes_screen_rows[0];
        memset(object.figures.share, 0, sizeof object.figures.share);
        object.figures.share[cases[i].cause] = 1;
        object.figures.self_evicted = cases[i].by_itself;
        assert_true(causes_columns[CAUSES_OBJECTS].explain(snapshot, &object, 0, &why));
        assert_non_null(strstr(why.text, cases[i].advice));
    }
    fixture_release(snapshot);
}

static void text_and_json_have_miss_causes(void **state)
{
    (void)state;
    char *text = fixture_printed(fixture_text, snapshot_with_causes());
    assert_non_null(strstr(text, "Why 8.4k "));
    assert_non_null(strstr(text, "LINES OF"));
    assert_non_null(strstr(text, "5.0k"));
    assert_non_null(strstr(text, "Evicted by: 71.0%  multiply on rival"));
    free(text);
    text = fixture_printed(json_print, snapshot_with_causes());
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
    text = fixture_printed(json_print, fixture_new(FIXTURE_USUAL, 0));
    assert_null(strstr(text, "\"causes\""));
    free(text);
}

/* The name of an evictor comes from the program: here it contains markup that closes a cell. */
static void html_escapes_names_of_miss_causes(void **state)
{
    const struct snapshot *snapshot = snapshot_with_causes();
    struct snapshot_evictions *evictions =
        (struct snapshot_evictions *)&snapshot->causes.by_kind[CAUSES_OBJECTS].evictions;
    (void)state;
    evictions->columns[0].name = "</td><b>";
    char *text = fixture_printed(fixture_page, snapshot);
    assert_non_null(strstr(text, "<section id=\"causes\">"));
    assert_non_null(strstr(text, "<a href=\"#causes\">"));
    assert_non_null(
        strstr(text, "<dt>Evicted by</dt>\n<dd class=\"says\"> 71.0%  multiply on rival</dd>"));
    assert_non_null(strstr(text, "&lt;/td&gt;&lt;b&gt;"));
    assert_non_null(strstr(text, ">71.0%</td>")); /* 4970 of 7000 */
    free(text);
}

static int run_causes_screen(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(causes_screen_lists_causes_and_advice, screen_teardown),
        cmocka_unit_test_teardown(b_key_selects_functions_and_threads, screen_teardown),
        cmocka_unit_test_teardown(enter_shows_evictions_of_the_row, screen_teardown),
        cmocka_unit_test_teardown(eviction_cursor_stays_on_its_row, screen_teardown),
        cmocka_unit_test_teardown(o_key_opens_the_object, screen_teardown),
        cmocka_unit_test_teardown(causes_screen_without_simulation_explains_option,
                                  screen_teardown),
        cmocka_unit_test_teardown(causes_screen_fits_small_terminals, screen_teardown),
        cmocka_unit_test(causes_advice_follows_the_leading_cause),
        cmocka_unit_test(text_and_json_have_miss_causes),
        cmocka_unit_test(html_escapes_names_of_miss_causes),
    };
    setlocale(LC_ALL, "C.UTF-8");
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Use of lines and miss-ratio curves on the screen, in batch text and in JSON. */

static struct snapshot_use used = {.lines = 1000,
                                   .fetched_bytes = 64000,
                                   .used_bytes = 13760,
                                   .touched_bytes = 41280,
                                   .uses = {4000, 0, 1000, 0}};
static struct snapshot_partners partners[LINE_PAIRS];
static struct snapshot_reuse_row use_screen_objects[2];
static struct snapshot_reuse_row lines[1];

static struct snapshot_share exact_share(double value)
{
    return (struct snapshot_share){.value = value, .low = value - 0.01, .high = value + 0.01};
}

static void fill_row(struct snapshot_reuse_row *row, const char *name, double high, double low,
                     unsigned until)
{
    *row = (struct snapshot_reuse_row){.object = UINT32_MAX,
                                       .code = UINT32_MAX,
                                       .id = (uint64_t)until,
                                       .name = name,
                                       .uses = 5000,
                                       .share = 0.4,
                                       .first = low};
    for (unsigned i = 0; i < REUSE_POINTS; i++)
        row->miss[i] = exact_share(i < until ? high : low);
    for (size_t i = 0; i < REUSE_MARKS; i++)
        row->at[i] = exact_share(i < 2 ? high : low);
}

static const struct snapshot *snapshot_with_use(bool reuse)
{
    struct snapshot *snapshot = (struct snapshot *)(uintptr_t)fixture_new(FIXTURE_USUAL, 0);
    snapshot->simulation.level_count = 3;
    snapshot->uses = (struct snapshot_uses){.known = true, .level = 1, .all = used};
    snapshot->objects[0].use = &used;
    snapshot->objects[0].fields[0].use = &used;
    snapshot->code[0].use = &used;
    if (!reuse)
        return snapshot;
    fill_row(&use_screen_objects[0], snapshot->objects[0].name, 0.43, 0.02, 14);
    use_screen_objects[0].object = 0;
    fill_row(&use_screen_objects[1], "table", 0.011, 0.011, 1);
    fill_row(&lines[0], "work.c:8", 0.31, 0.03, 20);
    lines[0].function = "walk";
    snapshot->reuse = (struct snapshot_reuse){
        .known = true,
        .marks = {{"L1", 32768, true}, {"L2", 65536, true}, {"L3", 1 << 20, true}},
        .mark_count = 3,
        .objects = use_screen_objects,
        .object_count = 2,
        .lines = lines,
        .line_count = 1};
    fill_row(&snapshot->reuse.all, "all", 0.25, 0.01, 14);
    return snapshot;
}

static void use_columns_are_shown_if_known(void **state)
{
    (void)state;
    screen_open_on(snapshot_with_use(false), 36, 200, false, "\n");
    assert_true(screen_has("SPATIAL"));
    assert_true(screen_row_with(
                    "1.0k lines evicted from L2: 22% of their bytes used, each again 2.0x") > 0);
    assert_true(screen_has("80% loads, 20% stores"));
    assert_true(screen_row_with("21.5%") > screen_row_with("SPATIAL"));
    screen_press('2');
    assert_true(screen_has("TEMPORAL"));
    assert_true(screen_row_with("2.0x") > screen_row_with("TEMPORAL"));
}

static void use_columns_are_hidden_if_unknown(void **state)
{
    (void)state;
    screen_open(FIXTURE_USUAL, 36, 200, false, "\n");
    assert_false(screen_has("SPATIAL"));
    screen_press('2');
    assert_false(screen_has("TEMPORAL"));
    screen_press('r');
    assert_true(screen_has("misstop --sim -- CMD"));
}

static void reuse_screen_draws_curve_of_selected_object(void **state)
{
    (void)state;
    screen_open_on(snapshot_with_use(true), 36, 120, false, "");
    screen_press('r');
    assert_int_equal(screen_browser.screen, SCREEN_CAUSES);
    assert_true(screen_has("Of all accesses 25.0% miss in LRU caches of 32K"));
    int names = screen_row_with("reuse distance is at most 128K: it fits in L3");
    assert_true(names > screen_row_with("43.0%"));
    /* Marks are at their sizes on the axis below. */
    int marks = screen_row_with("L1 ");
    for (int at = screen_row_with("all accesses:"); at < 36 && marks < at; at++)
        if (strstr(screen_row(at), " L1"))
            marks = at;
    int axis = screen_row_with("  1K");
    assert_true(axis > marks);
    assert_int_equal(screen_column_of(marks, "L1"), screen_column_of(axis, "32K"));
    /* High to the left of 128 KiB, low to the right. */
    int column = screen_column_of(axis, "16K"), after = screen_column_of(axis, "512K");
    const struct cell *high = canvas_at(&screen_canvas, axis - 3, column + 1);
    const struct cell *low = canvas_at(&screen_canvas, axis - 3, after + 1);
    assert_int_equal(high->paint, PAINT_SERIES_0);
    assert_int_not_equal(low->paint, PAINT_SERIES_0);
    screen_press(KEYS_DOWN);
    assert_true(screen_has("even a small cache holds them"));
}

static void reuse_screen_switches_between_objects_and_code(void **state)
{
    (void)state;
    screen_open_on(snapshot_with_use(true), 24, 80, false, "r");
    assert_true(screen_has("43.0%"));
    screen_press(KEYS_RIGHT);
    assert_true(screen_has("work.c:8"));
    assert_true(screen_has("31.0%"));
    screen_press(KEYS_LEFT, KEYS_ENTER);
    assert_int_equal(screen_browser.screen, SCREEN_DETAIL);
    screen_press(KEYS_ESCAPE);
    assert_int_equal(screen_browser.screen, SCREEN_CAUSES);
}

static void reuse_screen_fits_small_terminals(void **state)
{
    (void)state;
    screen_open_on(snapshot_with_use(true), 10, 40, true, "r");
    assert_true(screen_has("43.0%"));
}

static void function_screen_shows_users_and_evictors(void **state)
{
    (void)state;
    struct snapshot *snapshot = (struct snapshot *)(uintptr_t)fixture_new(FIXTURE_TYPED, 0);
    partners[LINE_USED_BY] = (struct snapshot_partners){
        .all = 200,
        .list = {{1, "smooth", "/src/a.c", 7, 100}, {2, "smooth", "/src/a.c", 7, 20}},
        .count = 2};
    partners[LINE_EVICTED_BY] =
        (struct snapshot_partners){.all = 50, .list = {{3, "fill", NULL, 0, 45}}, .count = 1};
    assert_true(snapshot->code[0].instruction_count > 0);
    for (size_t i = 0; i < snapshot->code[0].instruction_count; i++)
        snapshot->code[0].instructions[i].partners = partners;
    screen_open_on(snapshot, 40, 120, false, "2\n");
    assert_int_equal(screen_browser.screen, SCREEN_FUNCTION);
    assert_true(screen_has("Lines it fetched were used by  60% smooth a.c:7"));
    assert_true(screen_has("... and evicted by"));
}

static void text_report_has_line_use_and_reuse(void **state)
{
    (void)state;
    char *text = fixture_printed(fixture_text, snapshot_with_use(true));
    assert_non_null(strstr(text, "  use of lines: 1.0k lines evicted from L2"));
    assert_non_null(strstr(text, "reuse: of all accesses 25.0% miss"));
    assert_non_null(strstr(text, "work.c:8"));
    assert_non_null(strstr(text, "percent missed, by cache size"));
    free(text);
}

static void json_has_line_use_and_reuse(void **state)
{
    (void)state;
    char *text = fixture_printed(json_print, snapshot_with_use(true));
    json_t *root = json_loads(text, 0, NULL);
    json_t *object = json_array_get(json_object_get(root, "objects"), 0);
    assert_true(fabs(json_real_value(json_object_get(object, "spatial_use")) - 0.215) < 1e-9);
    assert_true(fabs(json_number_value(json_object_get(object, "temporal_use")) - 2) < 1e-9);
    json_t *second = json_array_get(json_object_get(root, "objects"), 1);
    assert_true(json_is_null(json_object_get(second, "spatial_use")));
    json_t *reuse = json_object_get(root, "reuse");
    assert_int_equal(json_array_size(json_object_get(reuse, "sizes")), REUSE_POINTS);
    json_t *all = json_object_get(reuse, "all");
    assert_int_equal(json_array_size(json_object_get(all, "miss_ratio")), REUSE_POINTS);
    assert_true(
        fabs(json_number_value(json_object_get(json_object_get(all, "miss_ratio_at"), "L1")) -
             0.25) < 1e-9);
    json_decref(root);
    free(text);
}

static int run_use_screen(void)
{
    setlocale(LC_ALL, "C.UTF-8");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(use_columns_are_shown_if_known, screen_teardown),
        cmocka_unit_test_teardown(use_columns_are_hidden_if_unknown, screen_teardown),
        cmocka_unit_test_teardown(reuse_screen_draws_curve_of_selected_object, screen_teardown),
        cmocka_unit_test_teardown(reuse_screen_switches_between_objects_and_code, screen_teardown),
        cmocka_unit_test_teardown(reuse_screen_fits_small_terminals, screen_teardown),
        cmocka_unit_test_teardown(function_screen_shows_users_and_evictors, screen_teardown),
        cmocka_unit_test(text_report_has_line_use_and_reuse),
        cmocka_unit_test(json_has_line_use_and_reuse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The screen What if; also in batch text, JSON and HTML. */

static struct snapshot *snapshot_simulated(void)
{
    struct snapshot *snapshot = (struct snapshot *)(uintptr_t)fixture_new(FIXTURE_TYPED, 0);
    snapshot->simulation.level_count = 2;
    snapshot->simulation.level[0] = (struct simulation_level){32768, 8, 64, 100, 50};
    snapshot->simulation.level[1] = (struct simulation_level){1 << 20, 16, 64, 10, 5};
    snapshot->simulation.accesses = 1000;
    return snapshot;
}

/* Returns the index of the first object with a layout. */
static size_t typed_object(const struct snapshot *snapshot)
{
    size_t i = 0;
    while (i < snapshot->object_count && !snapshot->objects[i].layout_count)
        i++;
    assert_true(i < snapshot->object_count);
    return i;
}

static struct snapshot *snapshot_with_answer(enum whatif_state state)
{
    struct snapshot *snapshot = snapshot_simulated();
    const struct snapshot_object *object = &snapshot->objects[typed_object(snapshot)];
    snapshot->whatif.count = snapshot->whatif.past_count = 1;
    snapshot->whatif.past[0] = (struct snapshot_whatif_past){
        .object_id = object->id, .question = "pad", .stall_change = 0.202};
    snapshot->whatif.list[0] = (struct snapshot_whatif){
        .state = state,
        .object_id = object->id,
        .question = "hot",
        .layout = "Of 64 bytes, 16 apart.",
        .reason = "it is on a stack",
        .settled = true,
        .blocks = 3,
        .accesses = 100000,
        .object_accesses = 40000,
        .level_count = 2,
        .level = {{8000, 6000, 7000, 5000, 10}, {4000, 1000, 3900, 900, 10}},
        .stall_before = 824000,
        .stall_after = 246000};
    snprintf(snapshot->whatif.list[0].object, WHATIF_OBJECT, "%s", object->name);
    return snapshot;
}

static void open_typed(struct snapshot *snapshot, int rows, int columns)
{
    size_t object = typed_object(snapshot);
    screen_open_on(snapshot, rows, columns, false, "");
    for (size_t i = 0; i < object; i++)
        screen_press(KEYS_DOWN);
}

static void whatif_question_is_asked_from_the_list(void **state)
{
    (void)state;
    open_typed(snapshot_simulated(), 36, 120);
    screen_press('x');
    assert_int_equal(screen_browser.screen, SCREEN_WHATIF);
    assert_true(screen_has("it never missed"));
    assert_true(screen_has("select a member on Layout"));
    struct request request = screen_press(KEYS_ENTER);
    assert_int_equal(request.kind, REQUEST_WHATIF);
    assert_int_equal(request.object, screen_browser.opened.id);
    const char *words = strrchr(request.name, ':');
    assert_non_null(words);
    assert_string_equal(words, ":never");
    /* No question is open: x has nothing to end. */
    assert_int_equal(screen_press('x').kind, REQUEST_NONE);
    screen_press(KEYS_ESCAPE); /* a tab */
    assert_int_equal(screen_browser.screen, SCREEN_WHATIF);
}

static void whatif_split_is_at_selected_layout_member(void **state)
{
    (void)state;
    open_typed(snapshot_simulated(), 36, 120);
    screen_press(KEYS_ENTER, KEYS_ENTER, KEYS_HOME, KEYS_DOWN, KEYS_DOWN);
    const struct layout_row *row =
        table_selected(browser_table_of(&screen_browser, &layout_columns));
    assert_non_null(row);
    char wanted[160];
    snprintf(wanted, sizeof wanted, "split before %s", row->row->member.name);
    screen_press('x');
    assert_true(screen_has(wanted));
    while (!strstr(((const struct whatif_choice *)table_selected(
                        browser_table_of(&screen_browser, &whatif_choice_columns)))
                       ->title,
                   "split"))
        screen_press(KEYS_DOWN);
    struct request request = screen_press(KEYS_ENTER);
    assert_int_equal(request.kind, REQUEST_WHATIF);
    snprintf(wanted, sizeof wanted, ":split=%s", row->row->member.name);
    assert_non_null(strstr(request.name, wanted));
}

static void whatif_answer_is_shown_beside_questions(void **state)
{
    (void)state;
    open_typed(snapshot_with_answer(WHATIF_COUNTING), 36, 120);
    screen_press('x');
    assert_int_equal(screen_row_with("8.0k"), screen_row_with("-25.0%"));
    assert_int_equal(screen_row_with("-75.0%"), screen_row_with("L2 misses, to memory"));
    assert_true(screen_has("would fall by 70.1 %"));
    assert_true(screen_has("Of 100k accesses"));
    /* The answers are next to the questions. */
    assert_int_equal(screen_row_with("hot members were separate"), screen_row_with("-70.1%"));
    assert_int_equal(screen_row_with("padded to a power of two"), screen_row_with("+20.2%"));
    assert_int_equal(screen_press('x').kind, REQUEST_WHATIF_END);
}

static void whatif_refusal_shows_its_reason(void **state)
{
    (void)state;
    open_typed(snapshot_with_answer(WHATIF_REFUSED), 24, 80);
    screen_press('x');
    assert_true(screen_has("No answer: it is on a stack."));
}

static void whatif_without_simulation_explains_why(void **state)
{
    (void)state;
    open_typed((struct snapshot *)(uintptr_t)fixture_new(FIXTURE_LEVELS, 0), 24, 80);
    assert_false(screen_has("x What if"));
    screen_press('x');
    assert_true(screen_has("Only a simulation"));
    assert_true(screen_has("were always cached, at most"));
    assert_int_equal(screen_press(KEYS_ENTER).kind, REQUEST_NONE);
}

static void whatif_screen_fits_small_terminals(void **state)
{
    (void)state;
    open_typed(snapshot_with_answer(WHATIF_COUNTING), 10, 40);
    screen_press('x');
    assert_true(screen_has("it never missed"));
    for (int i = 0; i < 12; i++)
        screen_press(KEYS_DOWN);
}

static void whatif_screen_is_safe_for_hostile_snapshots(void **state)
{
    (void)state;
    struct snapshot *snapshot = (struct snapshot *)(uintptr_t)fixture_new(FIXTURE_HOSTILE, 0);
    snapshot->simulation.level_count = 4;
    snapshot->whatif.count = 1;
    snapshot->whatif.list[0] = (struct snapshot_whatif){.state = WHATIF_COUNTING,
                                                        .question = "hot",
                                                        .level_count = 4,
                                                        .stall_before = NAN,
                                                        .stall_after = 1e300,
                                                        .object_accesses = 1e300,
                                                        .split_accesses = 1e300,
                                                        .blocks_left_out = 1.8e19};
    screen_open_on(snapshot, 24, 80, false, "");
    screen_press('x');
    for (int i = 0; i < 12; i++) {
        screen_press(KEYS_ENTER, KEYS_DOWN);
    }
}

/* Best first; the one under the cursor is explained below, and x ends only that one. */
static struct snapshot *snapshot_with_several_answers(void)
{
    struct snapshot *snapshot = snapshot_with_answer(WHATIF_COUNTING);
    struct snapshot_whatif *list = snapshot->whatif.list;
    snapshot->whatif.count = 3;
    list[0].number = 2;
    list[1] = list[0];
    list[1].number = 0;
    strcpy(list[1].question, "align");
    list[1].stall_after = 900000;
    list[2] = list[1];
    list[2].number = 1;
    strcpy(list[2].question, "never");
    list[2].state = WHATIF_PENDING;
    list[2].level_count = 0;
    strcpy(list[2].reason, "the program has not accepted it yet");
    return snapshot;
}

static void several_whatif_questions_are_listed(void **state)
{
    (void)state;
    open_typed(snapshot_with_several_answers(), 40, 120);
    screen_press('x');
    assert_true(screen_has("Open questions, best first"));
    assert_true(screen_has("-70.1%"));
    assert_true(screen_has("+9.2%"));
    assert_true(screen_has("would fall by 70.1 %"));
    assert_true(screen_has("waits"));
    struct request all = screen_press('x');
    assert_int_equal(all.kind, REQUEST_WHATIF_END);
    assert_int_equal(all.whatif, WHATIF_MAX);
    screen_press(KEYS_RIGHT, KEYS_DOWN);
    assert_true(screen_has("would grow by 9.2 %"));
    struct request one = screen_press('x');
    assert_int_equal(one.kind, REQUEST_WHATIF_END);
    assert_int_equal(one.whatif, 0);
    screen_press(KEYS_DOWN);
    assert_true(screen_has("the program has not accepted it yet"));
}

static void text_and_json_have_every_whatif_question(void **state)
{
    (void)state;
    char *text = fixture_printed(fixture_text, snapshot_with_several_answers());
    assert_non_null(strstr(text, "3 open questions, best first"));
    assert_non_null(strstr(text, "would save most, 70.1 % of the time"));
    assert_non_null(strstr(text, ": align. "));
    free(text);
    text = fixture_printed(json_print, snapshot_with_several_answers());
    json_t *root = json_loads(text, 0, NULL);
    json_t *list = json_object_get(root, "what_ifs");
    assert_int_equal(json_array_size(list), 3);
    assert_string_equal(
        json_string_value(json_object_get(json_object_get(root, "what_if"), "question")), "hot");
    assert_string_equal(json_string_value(json_object_get(json_array_get(list, 1), "question")),
                        "align");
    json_decref(root);
    free(text);
    text = fixture_printed(fixture_page, snapshot_with_several_answers());
    assert_non_null(strstr(text, "best first"));
    assert_non_null(strstr(text, "would grow by 9.2 %"));
    free(text);
}

static void text_html_and_json_have_whatif_answer(void **state)
{
    (void)state;
    char *text = fixture_printed(fixture_text, snapshot_with_answer(WHATIF_COUNTING));
    assert_non_null(strstr(text, "\nwhat if "));
    assert_non_null(strstr(text, ": hot. Of 64 bytes, 16 apart."));
    assert_non_null(strstr(text, "would fall by 70.1 %"));
    free(text);
    text = fixture_printed(fixture_page, snapshot_with_answer(WHATIF_COUNTING));
    assert_non_null(strstr(text, "id=\"whatif\""));
    assert_non_null(strstr(text, "would fall by 70.1 %"));
    free(text);
    text = fixture_printed(json_print, snapshot_with_answer(WHATIF_COUNTING));
    json_t *root = json_loads(text, 0, NULL);
    json_t *answer = json_object_get(root, "what_if");
    json_t *level = json_array_get(json_object_get(answer, "levels"), 1);
    assert_int_equal(json_integer_value(json_object_get(level, "misses_then")), 1000);
    assert_true(json_number_value(json_object_get(level, "change")) == -0.75);
    assert_string_equal(json_string_value(json_object_get(answer, "state")), "counts");
    assert_int_equal(json_array_size(json_object_get(answer, "before")), 1);
    json_decref(root);
    free(text);
    text = fixture_printed(json_print, snapshot_with_answer(WHATIF_REFUSED));
    assert_non_null(strstr(text, "\"why\":\"it is on a stack\""));
    free(text);
    text = fixture_printed(json_print, snapshot_simulated());
    assert_null(strstr(text, "what_if"));
    free(text);
}

static int run_whatif_screen(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(whatif_question_is_asked_from_the_list, screen_teardown),
        cmocka_unit_test_teardown(whatif_split_is_at_selected_layout_member, screen_teardown),
        cmocka_unit_test_teardown(whatif_answer_is_shown_beside_questions, screen_teardown),
        cmocka_unit_test_teardown(whatif_refusal_shows_its_reason, screen_teardown),
        cmocka_unit_test_teardown(whatif_without_simulation_explains_why, screen_teardown),
        cmocka_unit_test_teardown(whatif_screen_fits_small_terminals, screen_teardown),
        cmocka_unit_test_teardown(whatif_screen_is_safe_for_hostile_snapshots, screen_teardown),
        cmocka_unit_test_teardown(several_whatif_questions_are_listed, screen_teardown),
        cmocka_unit_test(text_and_json_have_every_whatif_question),
        cmocka_unit_test(text_html_and_json_have_whatif_answer),
    };
    setlocale(LC_ALL, "C.UTF-8");
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(void)
{
    int failed = 0;
    failed += run_causes_screen();
    failed += run_use_screen();
    failed += run_whatif_screen();
    return failed;
}
