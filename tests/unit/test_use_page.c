/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Use of lines and miss-ratio curves on the screen, in batch text and in JSON. */
#include "unit.h"

#include "page_fixture.h"
#include "view/export/diff.h"
#include "view/pages/reuse.h"

#include <jansson.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct snapshot_use used = {.lines = 1000,
                                   .fetched_bytes = 64000,
                                   .used_bytes = 13760,
                                   .touched_bytes = 41280,
                                   .uses = {4000, 0, 1000, 0}};
static struct snapshot_partners partners[LINE_PAIRS];
static struct snapshot_reuse_row objects[2];
static struct snapshot_reuse_row lines[1];

static struct snapshot_share known(double value)
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
        row->miss[i] = known(i < until ? high : low);
    for (size_t i = 0; i < REUSE_MARKS; i++)
        row->at[i] = known(i < 2 ? high : low);
}

static const struct snapshot *told(bool reuse)
{
    struct snapshot *snapshot = (struct snapshot *)(uintptr_t)fixture_new(FIXTURE_USUAL, 0);
    snapshot->simulation.level_count = 3;
    snapshot->uses = (struct snapshot_uses){.told = true, .level = 1, .all = used};
    snapshot->objects[0].use = &used;
    snapshot->objects[0].fields[0].use = &used;
    snapshot->code[0].use = &used;
    if (!reuse)
        return snapshot;
    fill_row(&objects[0], snapshot->objects[0].name, 0.43, 0.02, 14);
    objects[0].object = 0;
    fill_row(&objects[1], "table", 0.011, 0.011, 1);
    fill_row(&lines[0], "work.c:8", 0.31, 0.03, 20);
    lines[0].function = "walk";
    snapshot->reuse = (struct snapshot_reuse){
        .told = true,
        .marks = {{"L1", 32768, true}, {"L2", 65536, true}, {"L3", 1 << 20, true}},
        .mark_count = 3,
        .objects = objects,
        .object_count = 2,
        .lines = lines,
        .line_count = 1};
    fill_row(&snapshot->reuse.all, "all", 0.25, 0.01, 14);
    return snapshot;
}

static int close_browser(void **state)
{
    (void)state;
    page_close();
    return 0;
}

static void columns_where_it_is_known(void **state)
{
    (void)state;
    page_open_on(told(false), 36, 200, false, "2");
    assert_true(page_row_with("SPATIAL") > 0);
    assert_true(page_row_with("1.0k lines left L2: 22% of their bytes used, each again 2.0x") > 0);
    assert_true(page_row_with("80% loads, 20% stores") > 0);
    assert_true(page_row_with("21.5%") > page_row_with("SPATIAL"));
    page_press('5');
    assert_true(page_row_with("TEMPORAL") > 0);
    assert_true(page_row_with("2.0x") > page_row_with("TEMPORAL"));
}

static void no_columns_where_it_is_not(void **state)
{
    (void)state;
    page_open(FIXTURE_USUAL, 36, 200, false, "2");
    assert_int_equal(page_row_with("SPATIAL"), -1);
    page_press('5');
    assert_int_equal(page_row_with("TEMPORAL"), -1);
    page_press('r');
    assert_true(page_row_with("misstop --sim -- CMD") > 0);
}

static void curve_of_the_selected(void **state)
{
    (void)state;
    page_open_on(told(true), 36, 120, false, "");
    assert_true(page_row_with("r Reuse") >= 0 || page_row_with(" r") >= 0);
    page_press('r');
    assert_int_equal(page_browser.page, PAGE_REUSE);
    assert_true(page_row_with("Of all accesses 25.0% miss in LRU caches of 32K") > 0);
    int names = page_row_with("used again within 128K: L3 holds that");
    assert_true(names > page_row_with("43.0%"));
    /* Marks stand where the sizes below say. */
    int marks = page_row_with("L1 ");
    for (int at = page_row_with("all accesses:"); at < 36 && marks < at; at++)
        if (strstr(page_row(at), " L1"))
            marks = at;
    int axis = page_row_with("  1K");
    assert_true(axis > marks);
    assert_int_equal(page_column_of(marks, "L1"), page_column_of(axis, "32K"));
    /* High left of 128 KiB, low right of it. */
    int column = page_column_of(axis, "16K"), after = page_column_of(axis, "512K");
    const struct cell *high = canvas_at(&page_canvas, axis - 3, column + 1);
    const struct cell *low = canvas_at(&page_canvas, axis - 3, after + 1);
    assert_int_equal(high->paint, PAINT_SERIES_0);
    assert_int_not_equal(low->paint, PAINT_SERIES_0);
    page_press(KEYS_DOWN);
    assert_true(page_row_with("even a small cache has them") > 0);
}

static void by_code_and_back(void **state)
{
    (void)state;
    page_open_on(told(true), 24, 80, false, "r");
    assert_true(page_row_with("43.0%") > 0);
    page_press(KEYS_RIGHT);
    assert_true(page_row_with("work.c:8") > 0);
    assert_true(page_row_with("31.0%") > 0);
    page_press(KEYS_LEFT);
    page_press(KEYS_ENTER);
    assert_int_equal(page_browser.page, PAGE_DETAIL);
    page_press(KEYS_ESCAPE);
    assert_int_equal(page_browser.page, PAGE_REUSE);
}

static void fits_small_screens(void **state)
{
    (void)state;
    page_open_on(told(true), 10, 40, true, "r");
    assert_true(page_row_with("43.0%") > 0);
}

static void partners_of_a_function(void **state)
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
    page_open_on(snapshot, 40, 120, false, "5\n");
    assert_int_equal(page_browser.page, PAGE_FUNCTION);
    assert_true(page_row_with("What it fetched was used by  60% smooth a.c:7") > 0);
    assert_true(page_row_with("and thrown out by        90% fill") > 0);
}

static char *printed(int (*print)(FILE *, const struct snapshot *), const struct snapshot *snapshot)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_int_equal(print(out, snapshot), 0);
    fclose(out);
    return text;
}

static int print_text(FILE *out, const struct snapshot *snapshot)
{
    struct view_options options = {0};
    return text_print(out, snapshot, &options);
}

static void in_text(void **state)
{
    (void)state;
    const struct snapshot *snapshot = told(true);
    char *text = printed(print_text, snapshot);
    assert_non_null(strstr(text, "use of lines: 1.0k lines left L2"));
    assert_non_null(strstr(text, "reuse: of all accesses 25.0% miss"));
    assert_non_null(strstr(text, "work.c:8"));
    assert_non_null(strstr(text, "percent missed, by size of the cache"));
    free(text);
    fixture_release(snapshot);
}

static void in_json(void **state)
{
    (void)state;
    const struct snapshot *snapshot = told(true);
    char *text = printed(json_print, snapshot);
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
    fixture_release(snapshot);
}

int main(void)
{
    setlocale(LC_ALL, "C.UTF-8");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(columns_where_it_is_known, close_browser),
        cmocka_unit_test_teardown(no_columns_where_it_is_not, close_browser),
        cmocka_unit_test_teardown(curve_of_the_selected, close_browser),
        cmocka_unit_test_teardown(by_code_and_back, close_browser),
        cmocka_unit_test_teardown(fits_small_screens, close_browser),
        cmocka_unit_test_teardown(partners_of_a_function, close_browser),
        cmocka_unit_test(in_text),
        cmocka_unit_test(in_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
