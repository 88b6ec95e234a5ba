/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every page on every kind of snapshot at every size, and what stands where. */
#include "unit.h"

#include "page_fixture.h"
#include "view/words.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Columns of a row as cells count them; a character cut in half shows as a difference. */
static void check_rows(void)
{
    for (int at = 0; at < page_canvas.rows; at++) {
        int columns = 0;
        for (int i = 0; i < page_canvas.columns; i++) {
            const struct cell *cell = canvas_at(&page_canvas, at, i);
            columns += cell->columns;
            if (cell->columns == 2)
                assert_int_equal(canvas_at(&page_canvas, at, i + 1)->columns, 0);
            assert_true(cell->paint < PAINT_COUNT);
            assert_true(!cell->columns || cell->text[0] >= ' ');
        }
        assert_int_equal(columns, page_canvas.columns);
        assert_true(glyph_columns(page_row(at), false) <= page_canvas.columns);
    }
}

static void nothing_overflows_at_any_size(void **state)
{
    static const int sizes[][2] = {{10, 40},  {24, 80}, {36, 120}, {100, 300}, {11, 41},
                                   {13, 200}, {60, 40}, {10, 99},  {3, 20},    {1, 1}};
    static const char *const keys[] = {
        "1",   "2",     "3",     "4",    "5",     "6",   "7",   "8",  "9",   "\n\n", "\n\n\n",
        "8lo", "8ljjo", "5\n\n", "5\nl", "5\nll", "5\n", "7\n", "2l", "2ll", "2lll", "4l",
        "6l",  "\n",    "1\\a",  "9l",   "9ll",   "9j",  "f",   "fj", "f\n", "0",    "m"};
    (void)state;
    for (int kind = FIXTURE_USUAL; kind <= FIXTURE_LEVELS; kind++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
                page_open((enum fixture_kind)kind, sizes[i][0], sizes[i][1], k % 2, keys[k]);
                check_rows();
                page_close();
            }
}

static bool contains(const char *text)
{
    for (int at = 0; at < page_canvas.rows; at++)
        if (strstr(page_row(at), text))
            return true;
    return false;
}

static void objects_say_what_and_how_sure(void **state)
{
    (void)state;
    page_open(FIXTURE_USUAL, 36, 120, false, "1");
    assert_true(strstr(page_row(0), "misstop-demo 4242") &&
                strstr(page_row(0), "counter:mem-fill") &&
                strstr(page_row(0), "fills from memory") && strstr(page_row(0), "LIVE"));
    assert_int_equal(canvas_at(&page_canvas, 0, 119)->paint, PAINT_LIVE);
    assert_int_equal(canvas_at(&page_canvas, 1, 2)->paint, PAINT_TAB_SHOWN);
    assert_true(strstr(page_row(2), "Samples 45.0k") && strstr(page_row(2), "94.0%") &&
                strstr(page_row(2), "Lost 12") && strstr(page_row(2), "Throttled 0"));
    assert_int_equal(canvas_at(&page_canvas, 2, page_column_of(2, "Lost"))->paint, PAINT_WARN);
    assert_int_equal(canvas_at(&page_canvas, 2, page_column_of(2, "Throttled"))->paint, PAINT_DIM);
    assert_true(strstr(page_row(3), "no-memory 2.2%") && strstr(page_row(3), "overwritten 1.3%"));
    int titles = page_row_with("SHARE");
    assert_true(page_column_of(titles, "±") < page_column_of(titles, "NAME"));
    /* the first row is selected, and hot in colour */
    assert_true(strstr(page_row(titles + 1), "particles"));
    assert_int_equal(canvas_at(&page_canvas, titles + 1, 50)->flags, CELL_SELECTED);
    assert_int_equal(canvas_at(&page_canvas, titles + 2, 50)->flags, 0);
    assert_int_equal(
        canvas_at(&page_canvas, titles + 1, page_column_of(titles + 1, "35.4%"))->paint,
        PAINT_HEAT_4);
    /* right-aligned under its title */
    assert_int_equal(page_column_of(titles, "SAMPLES") + 7,
                     page_column_of(titles + 1, "14.5k") + 5);
    assert_true(strstr(page_row(34), "Enter:"));
    assert_true(strstr(page_row(35), "Help") && strstr(page_row(35), "Quit"));
    page_close();
}

static void little_room_keeps_what_matters(void **state)
{
    (void)state;
    page_open(FIXTURE_USUAL, 10, 40, false, "1");
    assert_true(strstr(page_row(0), "misstop-demo 4242") && strstr(page_row(0), "LIVE"));
    assert_true(strstr(page_row(2), "94.0%"));
    assert_true(strstr(page_row(3), "SHARE") && strstr(page_row(3), "±") &&
                strstr(page_row(3), "NAME"));
    assert_true(strstr(page_row(4), "35.4%") && strstr(page_row(4), "particles"));
    assert_true(strstr(page_row(9), "? Help q Quit"));
    page_close();
    page_open(FIXTURE_USUAL, 5, 20, false, "1");
    assert_true(contains("terminal too") && contains("40x10"));
    page_close();
}

static void few_samples_and_none_are_said(void **state)
{
    (void)state;
    page_open(FIXTURE_ONE, 24, 80, false, "1");
    assert_true(contains("Only 1 sample so far"));
    page_close();
    page_open(FIXTURE_EMPTY, 24, 80, false, "1");
    assert_true(contains("No samples yet"));
    assert_true(contains("RECORDED"));
    assert_false(contains("%"));
    page_close();
}

static void detail_shows_bytes_code_and_instances(void **state)
{
    (void)state;
    page_open(FIXTURE_USUAL, 36, 120, false, "\n");
    assert_true(strstr(page_row(2), "particles") && strstr(page_row(2), "35.4% ±0.5"));
    assert_true(contains("array of 64-byte elements (97% sure"));
    assert_true(contains("[*]+40") && contains("visit_particles") && contains("0x7f0000000000"));
    /* the strip of the element: byte 40 of 64 is the hottest cell */
    int strip = page_row_with("+64");
    int start = page_column_of(strip, "+0") + 3;
    assert_int_equal(canvas_at(&page_canvas, strip, start + 40)->paint, PAINT_HEAT_5);
    assert_int_equal(canvas_at(&page_canvas, strip, start + 30)->paint, PAINT_DIM);
    page_close();
    page_open(FIXTURE_USUAL, 24, 80, false, "\n");
    assert_true(contains("Fields 6") && contains("Code 3"));
    page_close();
}

enum { LABEL = 7 }; /* columns before the map of sets */

static void sets_mark_the_crowded_ones(void **state)
{
    (void)state;
    page_open(FIXTURE_USUAL, 36, 120, false, "3");
    assert_true(strstr(page_row(2), "L1d: 64 sets of 8 ways"));
    assert_true(contains("Concentrated: 2 sets are above chance"));
    /* 16 sets a row, cells of 7 columns */
    int first = page_row_with("     0 ");
    int chosen = 0;
    for (int i = 0; i < 64; i++) {
        const struct cell *cell = canvas_at(&page_canvas, first + i / 16, LABEL + i % 16 * 7);
        assert_int_equal(cell->paint == PAINT_HEAT_5, i == 13 || i == 14);
        chosen = cell->flags == CELL_CURSOR ? i : chosen;
    }
    char title[32];
    snprintf(title, sizeof title, "Set %d: ", chosen);
    assert_true((chosen == 13 || chosen == 14) && contains(title));
    page_close();
    /* 2,048 sets where few fit: the hot one is not averaged away */
    page_open(FIXTURE_HUGE, 24, 80, false, "3");
    first = page_row_with("     0 ");
    int columns = 64;
    int fold = atoi(page_row(first + 1)) / columns;
    assert_true(fold > 1);
    for (int i = 0; i < 2048 / fold; i++) {
        const struct cell *cell = canvas_at(&page_canvas, first + i / columns, LABEL + i % columns);
        assert_int_equal(cell->paint == PAINT_HEAT_5, i == 13 / fold);
        assert_int_equal(cell->text[0] == L'█', i == 13 / fold);
    }
    page_close();
    page_open(FIXTURE_ONE, 24, 80, false, "3");
    assert_true(contains("Too few samples"));
    page_close();
}

static void search_tells_state_and_reasons(void **state)
{
    (void)state;
    page_open(FIXTURE_USUAL, 36, 120, false, "4");
    assert_true(strstr(page_row(2), "Settled everywhere") && strstr(page_row(2), "found: 89.2%") &&
                strstr(page_row(2), "10 ways"));
    assert_true(contains("no hotter part"));
    assert_true(contains("no samples now, but was"));
    /* the map: eight regions, the hottest one tallest, marked as selected */
    int marked = 0;
    for (int i = 0; i < 120; i++)
        marked += canvas_at(&page_canvas, 4, i)->flags == CELL_CURSOR;
    assert_true(marked > 0);
    page_close();
    page_open(FIXTURE_ONE, 24, 80, false, "4");
    assert_true(contains("No search is running. S searches"));
    page_close();
}

static void code_and_window_lead_to_objects(void **state)
{
    (void)state;
    page_open(FIXTURE_USUAL, 36, 120, false, "5");
    assert_true(contains("MOSTLY ON") && contains("visit_particles") && contains("demo.c"));
    page_close();
    page_open(FIXTURE_USUAL, 36, 120, false, "5\n");
    assert_true(contains("OBJECT") && contains("40.0% ±0.5"));
    page_close();
    page_open(FIXTURE_USUAL, 36, 120, false, "6");
    assert_true(contains("30.2k lines: 24.1k seen once, 6.1k again") &&
                contains("80 % of the lines have one"));
    assert_true(contains("14x") && contains("79.8%") && contains("<0.1%"));
    page_close();
}

static void heap_shows_bins_their_path_and_sizes(void **state)
{
    (void)state;
    page_open(FIXTURE_USUAL, 40, 160, false, "7");
    assert_true(contains("310M in 1.2M blocks"));
    assert_true(contains("known by agent"));
    assert_true(contains("7 events lost"));
    assert_true(contains("particles_new (demo.c:71)"));
    assert_true(contains("< main (demo.c:120)"));
    assert_true(contains("Sizes of live blocks"));
    assert_true(contains("leak?"));
    assert_true(contains("250us"));
    assert_true(contains("+1.0M"));
    assert_true(contains("3 smaller bins are not listed"));
    page_close();
}

static void an_object_says_who_allocated_it(void **state)
{
    (void)state;
    page_open(FIXTURE_USUAL, 40, 160, false, "7\n");
    assert_true(contains("allocated by main < load < particles_new"));
    page_close();
}

static void layout_draws_the_type_with_its_lines_and_heat(void **state)
{
    (void)state;
    page_open(FIXTURE_TYPED, 36, 120, false, "8");
    assert_true(strstr(page_row(2), "struct particle  64 bytes  in particles") &&
                strstr(page_row(2), "100.0% of its samples"));
    assert_true(contains("declared so in the debug information"));
    assert_true(contains("begin at byte 16 of a cache line in 93% of samples; 4 alignments seen"));
    assert_true(contains("side by side they would need 1."));
    int line = page_row_with("line 1  22.0%  12 of 16 bytes used, 4 cold");
    int mass = page_row_with(" mass ");
    int hot = page_row_with("   y ");
    assert_true(hot > 0 && hot < line && mass == line + 1);
    assert_int_equal(canvas_at(&page_canvas, hot, 50)->flags, CELL_SELECTED); /* the hottest */
    assert_true(strstr(page_row(hot), "63.0%") && strstr(page_row(hot), "hottest"));
    int note = page_column_of(mass, "HOT, on another line");
    assert_int_equal(canvas_at(&page_canvas, mass, note)->paint, PAINT_BAD);
    assert_true(strstr(page_row(page_row_with("kind : 3")), "60:1"));
    page_close();
    page_open(FIXTURE_TYPED, 40, 120, false, "1jjjj8");
    assert_true(contains("by the code: 4312 accesses say so, 12 another"));
    assert_true(contains("DISAGREE on 4.0%") && contains("12.4% of accesses cross a line"));
    assert_true(contains("STRADDLES 2 lines") && contains("(padding)") &&
                contains("its members over"));
    page_close();
    page_open(FIXTURE_USUAL, 36, 120, false, "8");
    assert_true(contains("inferred from the distances of sampled offsets (97% sure)"));
    assert_true(contains("alignment not known yet") && contains("+40"));
    page_close();
}

static void objects_and_detail_name_types_and_fields(void **state)
{
    (void)state;
    page_open(FIXTURE_TYPED, 36, 200, false, "1");
    assert_true(contains("TYPE") && contains("particle [524288]") && contains(" vel.y "));
    assert_true(strstr(page_row(4), "Fields known for 83.0%") &&
                strstr(page_row(4), "by both 23.2%") &&
                strstr(page_row(4), "reading debug information of libmatching.so.4: 120 waiting"));
    int order = page_row_with("order [1024]");
    assert_true(page_column_of(order, "4.0%") > page_column_of(order, "order [1024]")); /* DIFF */
    page_close();
    page_open(FIXTURE_TYPED, 36, 120, false, "\n");
    assert_true(contains("struct particle [524288]   declared so in the debug information"));
    assert_true(contains("one struct particle, 64 bytes:"));
    int hot = page_row_with("particle.vel.y");
    assert_true(strstr(page_row(hot), "double"));
    page_close();
    /* where nothing was asked for types nothing is said of them */
    page_open(FIXTURE_USUAL, 36, 160, false, "1");
    assert_false(contains("Fields known") || contains("TYPE"));
    page_close();
}

/* One sample that stands for 900 and 99 that stand for one each. */
static void fields_known_are_parts_of_the_weight(void **state)
{
    struct snapshot few = {
        .totals = {.typed = {[TYPED_NOT] = 1, [TYPED_CODE] = 99}, .untyped = {[UNTYPED_VOID] = 1}}};
    char text[512];
    (void)state;
    field_summary(&few, text, sizeof text);
    assert_string_equal(text, "Fields known for 99.0%: by code 99.0%; not: void 1.0%");
    few.totals.typed_weight[TYPED_NOT] = few.totals.untyped_weight[UNTYPED_VOID] = 900;
    few.totals.typed_weight[TYPED_CODE] = 100;
    field_summary(&few, text, sizeof text);
    assert_string_equal(text, "Fields known for 10.0%: by code 10.0%; not: void 90.0%");
}

static void a_function_shows_source_or_where_it_was_looked_for(void **state)
{
    (void)state;
    page_open(FIXTURE_TYPED, 36, 120, false, "5\n");
    assert_true(contains("/build/demo/src/demo.c"));
    int line = page_row_with("75  75.0%");
    assert_true(line > 0 && strstr(page_row(line), "particle.vel.y"));
    assert_true(contains("clamp.h  inlined: min < clamp"));
    assert_true(contains("0x401004") && contains("particles"));
    page_close();
    page_open(FIXTURE_USUAL, 36, 120, false, "5\n");
    assert_true(contains("source lines are not known: the file"));
    assert_true(contains("0x401004") && !contains("demo.c  inlined"));
    page_close();
}

static void sharing_draws_the_line_byte_by_byte(void **state)
{
    (void)state;
    page_open(FIXTURE_USUAL, 36, 140, false, "9");
    assert_true(contains("29.9% of the samples") || contains("30.0% of the samples"));
    assert_true(contains("1 true, 1 false, 1 only read, 1 unsure; known by HITM"));
    assert_true(contains("Give each element"));
    int side = page_row_with("HITM 155");
    assert_true(side > 0 && strstr(page_row(side), "WWWWWWWW····") &&
                strstr(page_row(side), "thread 4711"));
    assert_true(strstr(page_row(side + 1), "········WWWWWWWW···"));
    assert_true(strstr(page_row(side + 2), "same bytes") && strstr(page_row(side + 2), "none"));
    assert_true(contains("NODE") && contains("counter.c:12") && contains("Its lines"));
    page_close();
    page_open(FIXTURE_USUAL, 24, 80, false, "9j");
    assert_true(page_row_with("same bytes") > 0 && !contains("none: only"));
    page_close();
    page_open(FIXTURE_USUAL, 10, 40, false, "9");
    assert_true(contains("Shared lines 4") && contains("false"));
    page_close();
    page_open(FIXTURE_ONE, 24, 80, false, "9");
    assert_true(contains("No line has been seen") || contains("one thread"));
    page_close();
}

static void help_lists_keys_columns_and_the_source(void **state)
{
    (void)state;
    page_open(FIXTURE_USUAL, 600, 120, false, "?");
    assert_true(contains("Counts real cache misses"));
    assert_true(contains("freeze the picture and thaw it"));
    assert_true(contains("Columns: Objects") && contains("HOT FIELD"));
    assert_true(contains("Why a sample has no object") && contains("overwritten"));
    assert_true(contains("an object but no field") && contains(untyped_name(UNTYPED_VOID)));
    assert_true(contains("Columns: Layout") && contains("Columns: Source"));
    assert_true(contains("Columns: Shared lines") && contains("IF MIXED"));
    page_close();
    page_open(FIXTURE_USUAL, 24, 80, false, "?");
    assert_true(contains("lines 1 to 20 of"));
    int lines = 0;
    assert_int_equal(sscanf(strstr(page_row(22), "to 20 of "), "to 20 of %d", &lines), 1);
    for (int i = 0; i < lines - 20; i++) {
        assert_true(contains("PgDn goes on"));
        struct input down = {.kind = INPUT_KEY, .key = 'j'};
        browser_input(&page_browser, &down);
        browser_draw(&page_browser, &page_canvas, 0);
    }
    assert_false(contains("PgDn goes on"));
    page_close();
}

static struct request press(uint32_t key)
{
    struct input input = {.kind = INPUT_KEY, .key = key};
    struct request request = browser_input(&page_browser, &input);
    browser_draw(&page_browser, &page_canvas, 0);
    return request;
}

/* The row that is found, behind the hint that says which lines of the help are in sight. */
static const char *marked(void)
{
    static char text[1024];
    int at = snprintf(text, sizeof text, "%s", page_row(page_canvas.rows - 2));
    for (int row = 0; row < page_canvas.rows; row++)
        if (canvas_at(&page_canvas, row, 5)->flags & CELL_SELECTED)
            snprintf(text + at, sizeof text - (size_t)at, "%s", page_row(row));
    return text;
}

static void help_finds_a_word_and_the_next(void **state)
{
    (void)state;
    struct snapshot *simulated = (struct snapshot *)(uintptr_t)fixture_new(FIXTURE_USUAL, 0);
    simulated->uses.told = true; /* or the columns of the use of lines are not in the help */
    page_open_on(simulated, 24, 80, false, "?/spatial\n");
    char first[1024];
    snprintf(first, sizeof first, "%s", marked());
    assert_non_null(strcasestr(first, "spatial"));
    press('n');
    assert_non_null(strcasestr(marked(), "spatial"));
    assert_string_not_equal(marked(), first);
    for (int i = 0; i < 50 && strcmp(marked(), first) != 0; i++)
        press('n');
    assert_string_equal(marked(), first);
    page_close();
    page_open(FIXTURE_USUAL, 24, 80, false, "?/no such word");
    assert_true(page_browser.prompt.missing && contains("not found"));
    page_close();
}

static void help_changes_nothing_of_the_screen_it_is_of(void **state)
{
    (void)state;
    page_open(FIXTURE_USUAL, 24, 80, false, "?");
    for (const char *key = "SszecAW+-MR"; *key; key++)
        assert_int_equal(press((uint32_t)*key).kind, REQUEST_NONE);
    assert_int_equal(page_browser.page, PAGE_HELP);
    assert_true(contains("Esc goes back to the screen"));
    assert_int_equal(press('q').kind, REQUEST_QUIT);
    page_close();
}

static void ascii_draws_ascii_only(void **state)
{
    static const char *const keys[] = {"1", "\n", "3", "4",    "5",      "6",    "7",
                                       "8", "9",  "?", "\n\n", "\n\n\n", "5\n\n"};
    (void)state;
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        page_open(FIXTURE_HOSTILE, 36, 120, true, keys[k]);
        for (int at = 0; at < 36; at++)
            for (int i = 0; i < 120; i++)
                assert_true(canvas_at(&page_canvas, at, i)->text[0] < 0x7f);
        page_close();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_overflows_at_any_size),
        cmocka_unit_test(objects_say_what_and_how_sure),
        cmocka_unit_test(little_room_keeps_what_matters),
        cmocka_unit_test(few_samples_and_none_are_said),
        cmocka_unit_test(detail_shows_bytes_code_and_instances),
        cmocka_unit_test(sets_mark_the_crowded_ones),
        cmocka_unit_test(search_tells_state_and_reasons),
        cmocka_unit_test(code_and_window_lead_to_objects),
        cmocka_unit_test(heap_shows_bins_their_path_and_sizes),
        cmocka_unit_test(an_object_says_who_allocated_it),
        cmocka_unit_test(layout_draws_the_type_with_its_lines_and_heat),
        cmocka_unit_test(objects_and_detail_name_types_and_fields),
        cmocka_unit_test(fields_known_are_parts_of_the_weight),
        cmocka_unit_test(a_function_shows_source_or_where_it_was_looked_for),
        cmocka_unit_test(sharing_draws_the_line_byte_by_byte),
        cmocka_unit_test(help_lists_keys_columns_and_the_source),
        cmocka_unit_test(help_finds_a_word_and_the_next),
        cmocka_unit_test(help_changes_nothing_of_the_screen_it_is_of),
        cmocka_unit_test(ascii_draws_ascii_only),
    };
    setlocale(LC_ALL, "C.UTF-8");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
