/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The Matrix screen with its keys, and its names across sessions. */
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unit.h"
#include "unit/view/screen_fixture.h"
#include "view/screens/matrix_table.h"
#include "view/display/browser.h"

static char folder[] = "/tmp/test_matrix.XXXXXX";

static void type(const char *text)
{
    screen_type(text);
    screen_press(KEYS_ENTER);
}

static int setup(void **state)
{
    (void)state;
    screen_open(FIXTURE_TYPED, 36, 140, false, "m");
    return 0;
}

static int teardown(void **state)
{
    char path[128];
    (void)state;
    screen_close();
    snprintf(path, sizeof path, "%s/misstop/matrix", folder);
    unlink(path);
    return 0;
}

static const struct matrix_view *shown_matrix(void)
{
    return screen_browser.states[SCREEN_MATRIX];
}

static const struct matrix_table *shown_table(void)
{
    return &shown_matrix()->table;
}

static const struct matrix_line *cursor_function(void)
{
    return matrix_line_at(shown_table(), MATRIX_FUNCTIONS, shown_matrix()->grid.cursor);
}

static const struct matrix_line *cursor_object(void)
{
    return matrix_line_at(shown_table(), MATRIX_OBJECTS, shown_matrix()->grid.cursor);
}

/* Cells, rows and columns of the renamed table add up as before. */
static void check_sums(void)
{
    double all = 0;
    for (size_t i = 0; i < shown_table()->axis[MATRIX_FUNCTIONS].count; i++) {
        double sum = 0;
        for (size_t k = 0; k < shown_table()->axis[MATRIX_OBJECTS].count; k++)
            sum += shown_table()->cells[i][k].samples;
        assert_true(fabs(sum - shown_table()->axis[MATRIX_FUNCTIONS].list[i].total.samples) < 1e-6);
        assert_true(i < 1 || !shown_table()->axis[MATRIX_FUNCTIONS].list[i].members ||
                    shown_table()->axis[MATRIX_FUNCTIONS].list[i].total.share <=
                        shown_table()->axis[MATRIX_FUNCTIONS].list[i - 1].total.share);
        all += sum;
    }
    double columns = 0;
    for (size_t k = 0; k < shown_table()->axis[MATRIX_OBJECTS].count; k++)
        columns += shown_table()->axis[MATRIX_OBJECTS].list[k].total.samples;
    assert_true(fabs(all - shown_table()->snapshot->matrix.all.samples) < 1e-6);
    assert_true(fabs(columns - all) < 1e-6);
}

static void matrix_cursor_starts_on_the_hottest_cell(void **state)
{
    (void)state;
    const struct snapshot *snapshot = screen_browser.snapshot;
    char text[512];
    assert_int_equal(screen_browser.screen, SCREEN_MATRIX);
    assert_int_equal(cursor_function()->index, 0);
    assert_int_equal(cursor_object()->index, 0);
    snprintf(text, sizeof text, "%s on %s", snapshot->code[0].function, snapshot->objects[0].name);
    assert_true(screen_has(text));
    assert_true(screen_has("20.0% of all"));
    assert_true(screen_has("25% loads, 75% stores"));
    assert_true(screen_has("3 Matrix"));
    check_sums();
}

static void matrix_cursor_moves_in_both_directions(void **state)
{
    (void)state;
    screen_press(KEYS_RIGHT);
    assert_int_equal(cursor_object()->index, 1);
    screen_press(KEYS_DOWN, KEYS_LEFT);
    assert_int_equal(cursor_function()->index, 1);
    assert_true(screen_has("no samples"));
    for (int i = 0; i < 60; i++)
        screen_press(KEYS_RIGHT);
    assert_int_equal(cursor_object()->members, 0); /* the others */
    screen_press(KEYS_END);
    assert_int_equal(cursor_function()->members, 0);
    screen_press(KEYS_HOME);
    assert_int_equal(cursor_function()->index, 0);
    screen_press(KEYS_UP);
    assert_null(cursor_function());
    assert_true(screen_has("all functions on"));
    for (int i = 0; i < 60; i++)
        screen_press(KEYS_LEFT);
    assert_null(cursor_object());
    assert_true(screen_has("all functions on all objects"));
}

static void matrix_cell_opens_function_and_object(void **state)
{
    (void)state;
    screen_press(KEYS_DOWN, KEYS_RIGHT);
    const struct matrix_line *row = cursor_function();
    screen_press(KEYS_ENTER);
    assert_int_equal(screen_browser.screen, SCREEN_FUNCTION);
    assert_string_equal(screen_browser.opened_function.name, row->name);
    screen_press(KEYS_ESCAPE);
    assert_int_equal(screen_browser.screen, SCREEN_MATRIX);
    const struct matrix_line *column = cursor_object();
    screen_press('o');
    assert_true(screen_browser.screen == SCREEN_LAYOUT || screen_browser.screen == SCREEN_DETAIL);
    assert_string_equal(screen_browser.opened.name, column->name);
    screen_press(KEYS_ESCAPE);
    assert_int_equal(screen_browser.screen, SCREEN_MATRIX);
    assert_int_equal(cursor_function()->index, 1);
    screen_press(KEYS_ESCAPE);
    assert_int_equal(screen_browser.screen, SCREEN_MATRIX);
}

static void matrix_cursor_follows_its_lines(void **state)
{
    (void)state;
    char name[256];
    screen_press(KEYS_RIGHT, KEYS_RIGHT);
    snprintf(name, sizeof name, "%s", cursor_object()->name);
    for (unsigned tick = 1; tick < 12; tick++) {
        browser_show(&screen_browser, fixture_new(FIXTURE_TYPED, tick), fixture_release);
        assert_string_equal(cursor_object()->name, name);
    }
}

/* Opens the file again as in a new session. */
static void reopen_rules(void)
{
    browser_fini(&screen_browser);
    browser_init(&screen_browser, NULL);
    browser_show(&screen_browser, fixture_new(FIXTURE_TYPED, 0), fixture_release);
    screen_press('m');
}

static void matrix_renames_are_saved(void **state)
{
    (void)state;
    char own[256];
    snprintf(own, sizeof own, "%s", cursor_function()->name);
    screen_press('R');
    type("the kernel");
    assert_string_equal(cursor_function()->name, "the kernel");
    assert_true(screen_has("the kernel"));
    screen_press(KEYS_UP, 'R');
    type("the grid");
    assert_string_equal(cursor_object()->name, "the grid");
    reopen_rules();
    assert_string_equal(shown_table()->axis[MATRIX_FUNCTIONS].list[0].name, "the kernel");
    assert_string_equal(shown_table()->axis[MATRIX_OBJECTS].list[0].name, "the grid");
    screen_press('R');
    for (int i = 0; i < 20; i++)
        screen_press(KEYS_BACKSPACE);
    type("");
    assert_string_equal(cursor_function()->name, own);
    screen_press('U', 'U', 'U');
    reopen_rules();
    assert_false(shown_table()->axis[MATRIX_FUNCTIONS].list[0].renamed ||
                 shown_table()->axis[MATRIX_OBJECTS].list[0].renamed);
}

static void combined_matrix_lines_are_summed(void **state)
{
    (void)state;
    size_t rows = shown_table()->axis[MATRIX_FUNCTIONS].count;
    double both = shown_table()->axis[MATRIX_FUNCTIONS].list[1].total.samples +
                  shown_table()->axis[MATRIX_FUNCTIONS].list[2].total.samples;
    screen_press(KEYS_DOWN, 't', KEYS_DOWN, 'C');
    assert_int_equal(shown_table()->axis[MATRIX_FUNCTIONS].count, rows - 1);
    assert_int_equal(cursor_function()->members, 2);
    assert_true(fabs(cursor_function()->total.samples - both) < 1e-6);
    check_sums();
    size_t columns = shown_table()->axis[MATRIX_OBJECTS].count;
    screen_press(KEYS_HOME, KEYS_UP, 't', KEYS_RIGHT, 'C');
    assert_int_equal(shown_table()->axis[MATRIX_OBJECTS].count, columns - 1);
    check_sums();
    reopen_rules();
    assert_int_equal(shown_table()->axis[MATRIX_FUNCTIONS].count, rows - 1);
    assert_int_equal(shown_table()->axis[MATRIX_OBJECTS].count, columns - 1);
    screen_press('U', 'U');
    assert_int_equal(shown_table()->axis[MATRIX_FUNCTIONS].count, rows);
    assert_int_equal(shown_table()->axis[MATRIX_OBJECTS].count, columns);
}

/* Same as on Heap: one key combines, one undoes. */
static void combining_is_undone_in_one_step(void **state)
{
    (void)state;
    size_t rows = shown_table()->axis[MATRIX_FUNCTIONS].count;
    for (int i = 0; i < 2; i++) {
        screen_press('t', KEYS_DOWN);
    }
    screen_press('C');
    assert_int_equal(shown_table()->axis[MATRIX_FUNCTIONS].count, rows - 2);
    assert_int_equal(cursor_function()->members, 3);
    screen_press('U');
    assert_int_equal(shown_table()->axis[MATRIX_FUNCTIONS].count, rows);
    screen_press('U');
    assert_true(screen_has("nothing to undo"));
}

/* Text and JSON use the same names as the screen. */
static void reports_use_renamed_matrix_lines(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size = 0;
    struct view_options options = {.color = VIEW_COLOR_NEVER, .width = 160, .full = true};
    screen_press('R');
    type("the kernel");
    FILE *out = open_memstream(&text, &size);
    assert_int_equal(text_print(out, screen_browser.snapshot, &options), 0);
    assert_int_equal(json_print(out, screen_browser.snapshot), 0);
    fclose(out);
    const char *in_text = strstr(text, "all functions");
    assert_non_null(in_text);
    assert_non_null(strstr(in_text, "the kernel"));
    const char *in_json = strstr(text, "\"matrix\":{\"rows\":[{\"function\":\"the kernel\"");
    assert_non_null(in_json);
    free(text);
}

static void click_selects_and_opens_matrix_cell(void **state)
{
    (void)state;
    const struct matrix_grid *grid = &shown_matrix()->grid;
    int row = grid->names.row + 2;
    int column = grid->names.columns + grid->total_columns + grid->cell_columns + 2;
    screen_click(row, column);
    assert_int_equal(cursor_function()->index, 1);
    assert_int_equal(cursor_object()->index, 1);
    screen_click(row, column);
    assert_int_equal(screen_browser.screen, SCREEN_FUNCTION);
}

/* The first cell, as filled by snapshot_fixture.c. */
static void matrix_cell_lists_fields_lines_and_threads(void **state)
{
    (void)state;
    assert_true(screen_has("fields: thing.key 25% (written)"));
    assert_true(screen_has("lines: loop.c:1 25% (written)"));
    assert_true(
        screen_has("its last 3.7k samples: 3 threads: 7000 55%, 7001 27%, 7002 18%; one block, at "
                   "0x7000"));
    assert_false(screen_has("found in:"));
    browser_show(&screen_browser, fixture_new(FIXTURE_LEVELS, 0), fixture_release);
    screen_press(KEYS_DOWN, KEYS_UP);
    assert_true(screen_has("found in: DRAM"));
    screen_press(KEYS_UP); /* total row: the same threads, and no fields, because there are several
                              objects */
    screen_press(KEYS_LEFT);
    assert_true(screen_has("3 threads: 7000"));
    assert_false(screen_has("fields:") || screen_has("block, at"));
}

/* The parts of combined lines are the sums of their parts. */
static void combined_matrix_cells_sum_their_parts(void **state)
{
    (void)state;
    struct matrix_cell before[2];
    struct matrix_cell both;
    browser_show(&screen_browser, fixture_new(FIXTURE_LEVELS, 0), fixture_release);
    matrix_cell_gather(shown_table(), (struct matrix_place){{1, 2}}, &before[0]);
    matrix_cell_gather(shown_table(), (struct matrix_place){{1, 3}}, &before[1]);
    double samples = before[0].figures->samples + before[1].figures->samples;
    screen_press(KEYS_UP, KEYS_RIGHT, 't', KEYS_RIGHT, 'C');
    const struct matrix_place joined = {
        {1, matrix_table_line(shown_table(), MATRIX_OBJECTS, 1) + 1}};
    matrix_cell_gather(shown_table(), joined, &both);
    assert_int_equal(both.column->members, 2);
    assert_true(both.figures->samples == samples);
    assert_true(both.lines.all == before[0].lines.all + before[1].lines.all);
    assert_true(both.threads.all == before[0].threads.all + before[1].threads.all);
    assert_int_equal(both.threads.distinct, 3);
    assert_int_equal(both.blocks.distinct, 2);
    assert_true(both.has_levels && before[0].has_levels && before[1].has_levels);
    double accesses = before[0].levels.accesses + before[1].levels.accesses;
    assert_true(fabs(both.levels.accesses - accesses) < 1e-9 * accesses);
    screen_press('U');
}

/* Checks that the lines are sorted by the selected measure, and that it adds up to the total. */
static void check_measure(enum matrix_measure measure)
{
    double sum = 0;
    assert_int_equal(shown_table()->measure, measure);
    for (size_t i = 0; i < shown_table()->axis[MATRIX_FUNCTIONS].count; i++) {
        double share =
            matrix_table_share(shown_table(), &shown_table()->axis[MATRIX_FUNCTIONS].list[i].total);
        assert_true(
            !i || !shown_table()->axis[MATRIX_FUNCTIONS].list[i].members ||
            share <= matrix_table_share(shown_table(),
                                        &shown_table()->axis[MATRIX_FUNCTIONS].list[i - 1].total));
        for (size_t k = 0; k < shown_table()->axis[MATRIX_OBJECTS].count; k++)
            sum += matrix_table_share(shown_table(), &shown_table()->cells[i][k]);
    }
    assert_true(fabs(sum - (measure == MATRIX_WEIGHT ? shown_table()->snapshot->matrix.all.share
                                                     : 1)) < 1e-9);
}

static void matrix_measure_can_be_selected(void **state)
{
    (void)state;
    screen_press('a'); /* no latencies are reported here */
    check_measure(MATRIX_LOADS);
    assert_true(screen_has("share of sampled loads"));
    screen_press('a');
    check_measure(MATRIX_STORES);
    screen_press('a');
    check_measure(MATRIX_WEIGHT);
    browser_show(&screen_browser, fixture_new(FIXTURE_LEVELS, 0), fixture_release);
    screen_press('a');
    check_measure(MATRIX_LATENCY);
    assert_true(screen_has("share of waiting"));
    /* A snapshot without latencies falls back to the measures that it has. */
    browser_show(&screen_browser, fixture_new(FIXTURE_TYPED, 0), fixture_release);
    check_measure(MATRIX_WEIGHT);
}

static void json_matrix_cells_have_their_parts(void **state)
{
    (void)state;
    char *text = fixture_printed(json_print, fixture_new(FIXTURE_LEVELS, 0));
    const char *cells = strstr(text, "\"cells\":");
    assert_non_null(cells);
    assert_non_null(strstr(cells, "\"levels\":{\"from\":\"recorded\""));
    assert_non_null(strstr(cells, "\"lines\":[{\"line\":\"loop.c:1\",\"samples\":500"));
    assert_non_null(strstr(cells, "\"threads\":{\"samples\":3669,\"count\":3"));
    assert_non_null(strstr(cells, "\"blocks\":{\"samples\":3669,\"count\":1"));
    free(text);
}

/* At any size the cursor is visible, and its cell is explained if there is room. */
static void matrix_fits_every_size(void **state)
{
    (void)state;
    static const enum fixture_kind kinds[] = {FIXTURE_TYPED, FIXTURE_HOSTILE, FIXTURE_HUGE,
                                              FIXTURE_LEVELS, FIXTURE_ONE};
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++) {
        browser_show(&screen_browser, fixture_new(kinds[kind], 0), fixture_release);
        for (int columns = 40; columns <= 200; columns += 16)
            for (int rows = 10; rows <= 50; rows += 4) {
                screen_resize(rows, columns, rows % 8 == 2);
                screen_press(rows % 8 == 2 ? KEYS_RIGHT : KEYS_DOWN);
                bool cursor = false;
                for (int at = 0; at < rows * columns; at++)
                    cursor |=
                        canvas_at(&screen_canvas, at / columns, at % columns)->flags & CELL_CURSOR;
                assert_int_equal(cursor, kinds[kind] != FIXTURE_ONE);
            }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(matrix_cursor_starts_on_the_hottest_cell, setup, teardown),
        cmocka_unit_test_setup_teardown(matrix_cursor_moves_in_both_directions, setup, teardown),
        cmocka_unit_test_setup_teardown(matrix_cell_opens_function_and_object, setup, teardown),
        cmocka_unit_test_setup_teardown(matrix_cursor_follows_its_lines, setup, teardown),
        cmocka_unit_test_setup_teardown(matrix_renames_are_saved, setup, teardown),
        cmocka_unit_test_setup_teardown(combined_matrix_lines_are_summed, setup, teardown),
        cmocka_unit_test_setup_teardown(combining_is_undone_in_one_step, setup, teardown),
        cmocka_unit_test_setup_teardown(reports_use_renamed_matrix_lines, setup, teardown),
        cmocka_unit_test_setup_teardown(matrix_cell_lists_fields_lines_and_threads, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(combined_matrix_cells_sum_their_parts, setup, teardown),
        cmocka_unit_test_setup_teardown(matrix_measure_can_be_selected, setup, teardown),
        cmocka_unit_test_setup_teardown(json_matrix_cells_have_their_parts, setup, teardown),
        cmocka_unit_test_setup_teardown(click_selects_and_opens_matrix_cell, setup, teardown),
        cmocka_unit_test_setup_teardown(matrix_fits_every_size, setup, teardown),
    };
    if (!mkdtemp(folder) || setenv("XDG_CONFIG_HOME", folder, 1))
        return 99;
    setlocale(LC_ALL, "C.UTF-8");
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    char path[128];
    snprintf(path, sizeof path, "%s/misstop", folder);
    rmdir(path);
    rmdir(folder);
    return failed;
}
