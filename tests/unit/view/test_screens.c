/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every screen with every kind of snapshot at every size, and the positions of its parts. */
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"
#include "base/text.h"
#include "unit/view/screen_fixture.h"
#include "view/widget/columns.h"
#include "view/words.h"

/* Compares the columns of a row with those of its cells; a character cut in half makes a
 * difference. */
static void check_rows(void)
{
    for (int at = 0; at < screen_canvas.rows; at++) {
        int columns = 0;
        for (int i = 0; i < screen_canvas.columns; i++) {
            const struct cell *cell = canvas_at(&screen_canvas, at, i);
            columns += cell->columns;
            if (cell->columns == 2)
                assert_int_equal(canvas_at(&screen_canvas, at, i + 1)->columns, 0);
            assert_true(cell->paint < PAINT_COUNT);
            assert_true(!cell->columns || cell->text[0] >= ' ');
        }
        assert_int_equal(columns, screen_canvas.columns);
        assert_true(glyph_columns(screen_row(at), false) <= screen_canvas.columns);
    }
}

static void no_screen_overflows_at_any_size(void **state)
{
    static const int sizes[][2] = {{10, 40},  {24, 80}, {36, 120}, {100, 300}, {11, 41},
                                   {13, 200}, {60, 40}, {10, 99},  {3, 20},    {1, 1}};
    static const char *const keys[] = {
        "1",      "2",      "3",        "4",     "5",      "6",     "7",   "8",   "9",   "\n\n",
        "\n\n\n", "\n\n~o", "\n\n~jjo", "2\n\n", "2\n~",   "2\n~~", "2\n", "4\n", "\n~", "\n~~",
        "\n~~~",  "6~",     "5b",       "5bb",   "\n",     "1\\a",  "7~",  "7~~", "7j",  "9j",
        "9\n",    "i",      "?",        "\x02",  "\x02\n", "k",     "k~\n"};
    (void)state;
    for (int kind = FIXTURE_USUAL; kind <= FIXTURE_LEVELS; kind++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
                screen_open((enum fixture_kind)kind, sizes[i][0], sizes[i][1], k % 2, keys[k]);
                check_rows();
                screen_close();
            }
}

static void objects_screen_shows_shares_and_confidence(void **state)
{
    (void)state;
    screen_open(FIXTURE_USUAL, 36, 120, false, "1");
    assert_true(strstr(screen_row(0), "misstop-demo 4242") &&
                strstr(screen_row(0), "counter:mem-fill") &&
                strstr(screen_row(0), "fills from memory") && strstr(screen_row(0), "LIVE"));
    assert_int_equal(canvas_at(&screen_canvas, 0, 119)->paint, PAINT_LIVE);
    assert_true(strstr(screen_row(0), "1.25 of 8 CPUs"));
    assert_true(strstr(screen_row(1), "Waits for memory") &&
                strstr(screen_row(1), "94% attributed"));
    assert_int_equal(canvas_at(&screen_canvas, 1, screen_column_of(1, "94%"))->paint, PAINT_DIM);
    assert_int_equal(canvas_at(&screen_canvas, 2, 2)->paint, PAINT_TAB_SHOWN);
    int titles = screen_row_with("SHARE");
    assert_true(screen_column_of(titles, "±") < screen_column_of(titles, "NAME"));
    /* the first row is selected, with the colour for hot */
    assert_true(strstr(screen_row(titles + 1), "particles"));
    assert_int_equal(canvas_at(&screen_canvas, titles + 1, 50)->flags, CELL_SELECTED);
    assert_int_equal(canvas_at(&screen_canvas, titles + 2, 50)->flags, 0);
    assert_int_equal(
        canvas_at(&screen_canvas, titles + 1, screen_column_of(titles + 1, "35.4%"))->paint,
        PAINT_HEAT_4);
    /* right-aligned under its title */
    assert_int_equal(screen_column_of(titles, "SAMPLES") + 7,
                     screen_column_of(titles + 1, "14.5k") + 5);
    assert_true(strstr(screen_row(34), "7 allocations and frees were lost"));
    assert_true(strstr(screen_row(35), "Help") && strstr(screen_row(35), "Quit"));
    screen_close();
}

static void show_wait(double high)
{
    struct snapshot *snapshot = (struct snapshot *)(uintptr_t)fixture_new(FIXTURE_USUAL, 0);
    snapshot->source.events[snapshot->source.ranking].role = EVENT_TIME;
    snapshot->wait = (struct snapshot_wait){
        .evidence = WAIT_FROM_RECURRENCE, .low = {0, 0, 0}, .high = {high, high, high}};
    browser_show(&screen_browser, snapshot, fixture_release);
    screen_draw();
}

/* A process that hardly waits for a moment does not change the sort order. */
static void short_wait_change_keeps_sort_order(void **state)
{
    (void)state;
    screen_open(FIXTURE_USUAL, 36, 160, false, "1");
    show_wait(0.05);
    assert_non_null(strstr(screen_row(screen_row_with("SHARE")), "▼SHARE"));
    show_wait(0.5);
    assert_non_null(strstr(screen_row(screen_row_with("SHARE")), "▼MAY WAIT"));
    show_wait(0.05);
    assert_non_null(strstr(screen_row(screen_row_with("SHARE")), "▼MAY WAIT"));
    screen_close();
}

static void small_objects_screen_keeps_essential_columns(void **state)
{
    (void)state;
    screen_open(FIXTURE_USUAL, 10, 40, false, "1");
    assert_true(strstr(screen_row(0), "misstop-demo 4242") && strstr(screen_row(0), "LIVE"));
    assert_string_equal(screen_row(1), " Waits for memory: not known");
    assert_true(strstr(screen_row(3), "SHARE") && strstr(screen_row(3), "±") &&
                strstr(screen_row(3), "NAME"));
    assert_true(strstr(screen_row(4), "35.4%") && strstr(screen_row(4), "particles"));
    assert_true(strstr(screen_row(9), "F1 Help q Quit"));
    screen_close();
    screen_open(FIXTURE_USUAL, 5, 20, false, "1");
    assert_true(screen_has("terminal too") && screen_has("40x10"));
    screen_close();
}

/* Each tab starts with a sentence on its contents, if there is room. */
static void tabs_begin_with_a_description(void **state)
{
    (void)state;
    for (const char *key = "123456789"; *key; key++) {
        screen_open(FIXTURE_USUAL, 24, 80, false, (const char[]){*key, '\0'});
        const char *row = screen_row(3);
        assert_int_equal(canvas_at(&screen_canvas, 3, 2)->paint, PAINT_DIM);
        assert_true(strlen(row) > 40 && row[strlen(row) - 1] == '.');
        screen_close();
    }
    screen_open(FIXTURE_USUAL, 15, 80, false, "2");
    assert_true(strstr(screen_row(3), "SHARE"));
    screen_close();
}

static void few_or_no_samples_are_reported(void **state)
{
    (void)state;
    screen_open(FIXTURE_ONE, 24, 80, false, "1");
    assert_true(screen_has("Only 1 sample so far"));
    screen_close();
    screen_open(FIXTURE_EMPTY, 24, 80, false, "1");
    assert_true(screen_has("No samples yet"));
    assert_true(screen_has("RECORDED"));
    assert_false(screen_has("%"));
    screen_close();
}

static void detail_screen_shows_fields_code_and_instances(void **state)
{
    (void)state;
    screen_open(FIXTURE_USUAL, 36, 120, false, "\n");
    assert_true(strstr(screen_row(3), "Objects › particles") && strstr(screen_row(3), "Esc: up"));
    assert_true(strstr(screen_row(4), "particles") && strstr(screen_row(4), "35.4% ±0.5"));
    assert_true(screen_has("array of 64-byte elements (97% sure"));
    assert_true(screen_has("[*]+40") && screen_has("visit_particles") &&
                screen_has("0x7f0000000000"));
    screen_close();
    screen_open(FIXTURE_USUAL, 24, 80, false, "\n");
    assert_true(screen_has("Fields 6") && screen_has("Code 3"));
    screen_close();
}

enum { LABEL = 7 }; /* columns before the map of sets */

static void sets_screen_marks_hot_sets(void **state)
{
    (void)state;
    screen_open(FIXTURE_USUAL, 36, 120, false, "5");
    assert_true(screen_has("in 64 sets of 8 lines"));
    assert_int_equal(canvas_at(&screen_canvas, 4, 2)->paint, PAINT_WARN); /* the verdict */
    /* 16 sets per row, cells of 7 columns */
    int first = screen_row_with("     0 ");
    int chosen = 0;
    for (int i = 0; i < 64; i++) {
        const struct cell *cell = canvas_at(&screen_canvas, first + i / 16, LABEL + i % 16 * 7);
        assert_int_equal(cell->paint == PAINT_HEAT_5, i == 13 || i == 14);
        chosen = cell->flags == CELL_CURSOR ? i : chosen;
    }
    char title[32];
    snprintf(title, sizeof title, "Set %d: ", chosen);
    assert_true((chosen == 13 || chosen == 14) && screen_has(title));
    screen_close();
    /* 2,048 sets where only a few fit: the hot set is not averaged away */
    screen_open(FIXTURE_HUGE, 24, 80, false, "5");
    first = screen_row_with("     0 ");
    int columns = 64;
    int fold = atoi(screen_row(first + 1)) / columns;
    assert_true(fold > 1);
    for (int i = 0; i < 2048 / fold; i++) {
        const struct cell *cell =
            canvas_at(&screen_canvas, first + i / columns, LABEL + i % columns);
        assert_int_equal(cell->paint == PAINT_HEAT_5, i == 13 / fold);
        assert_int_equal(cell->text[0] == L'█', i == 13 / fold);
    }
    screen_close();
    screen_open(FIXTURE_ONE, 24, 80, false, "5");
    assert_true(screen_has("oo few samples"));
    screen_close();
}

static void search_screen_shows_state_and_reasons(void **state)
{
    (void)state;
    screen_open(FIXTURE_USUAL, 36, 120, false, "6");
    assert_true(strstr(screen_row(4), "Settled everywhere") &&
                strstr(screen_row(4), "have 89.2% of the samples") &&
                strstr(screen_row(4), "10 ways"));
    assert_true(screen_has("no hotter part"));
    assert_true(screen_has("no samples now, but was"));
    /* the map: eight regions, the hottest one tallest, marked as selected */
    int marked = 0;
    for (int i = 0; i < 120; i++)
        marked += canvas_at(&screen_canvas, 6, i)->flags == CELL_CURSOR;
    assert_true(marked > 0);
    screen_close();
    screen_open(FIXTURE_ONE, 24, 80, false, "6");
    assert_true(screen_has("No search is running. S searches"));
    screen_close();
}

static void code_and_window_screens_list_objects(void **state)
{
    (void)state;
    screen_open(FIXTURE_USUAL, 36, 140, false, "2");
    assert_true(screen_has("MOSTLY ON") && screen_has("visit_particles") && screen_has("demo.c"));
    screen_close();
    screen_open(FIXTURE_USUAL, 36, 120, false, "2\n");
    assert_true(screen_has("OBJECT") && screen_has("40.0% ±0.5"));
    screen_close();
    screen_open(FIXTURE_USUAL, 36, 120, false, "5b");
    assert_true(screen_has("24.1k lines seen once, 6.1k again"));
    assert_true(screen_has("79.8%") && screen_has("<0.1%"));
    screen_press('b');
    assert_true(screen_has("14x"));
    screen_close();
}

static void heap_screen_shows_bins_paths_and_sizes(void **state)
{
    (void)state;
    screen_open(FIXTURE_USUAL, 40, 160, false, "4");
    assert_true(screen_has("310M in 1.2M blocks"));
    assert_true(screen_has("known by agent"));
    assert_true(screen_has("7 events lost"));
    assert_true(screen_has("particles_new (demo.c:71)"));
    assert_true(screen_has("< main (demo.c:120)"));
    assert_true(screen_has("Sizes      from "));
    assert_true(screen_has("leak?"));
    assert_true(screen_has("250us"));
    assert_true(screen_has("+1.0M"));
    assert_true(screen_has("3 smaller bins are not listed"));
    screen_close();
}

static void detail_screen_shows_allocation_path(void **state)
{
    (void)state;
    screen_open(FIXTURE_USUAL, 40, 160, false, "4\n");
    assert_true(screen_has("allocated by main < load < particles_new"));
    screen_close();
}

static void layout_screen_draws_type_lines_and_heat(void **state)
{
    (void)state;
    screen_open(FIXTURE_TYPED, 36, 120, false, "\n\n");
    assert_true(strstr(screen_row(3), "Objects › particles › Layout"));
    assert_true(strstr(screen_row(4), "struct particle  64 bytes  in particles") &&
                strstr(screen_row(4), "100.0% of its samples"));
    assert_true(screen_has("declared in the program"));
    assert_true(
        screen_has("start at byte 16 of a cache line in 93% of samples; 4 alignments seen"));
    assert_true(screen_has(
        "on members in 2 cache lines that would fit in 1: place them next to each other."));
    assert_true(screen_has("62% are never used."));
    int line = screen_row_with("line 1  22.0%  12 of 16 bytes used, 4 cold");
    int mass = screen_row_with(" mass ");
    int hot = screen_row_with("   y ");
    assert_true(hot > 0 && hot < line && mass == line + 1);
    assert_int_equal(canvas_at(&screen_canvas, hot, 50)->flags, CELL_SELECTED); /* the hottest */
    assert_true(strstr(screen_row(hot), "63.0%") && strstr(screen_row(hot), "hottest"));
    int note = screen_column_of(mass, "HOT, on another line");
    assert_int_equal(canvas_at(&screen_canvas, mass, note)->paint, PAINT_BAD);
    assert_true(strstr(screen_row(screen_row_with("kind : 3")), "60:1"));
    screen_close();
    screen_open(FIXTURE_TYPED, 40, 120, false, "1jjjj\n\n");
    assert_true(screen_has("type inferred from code: 4312 accesses agree, 12 disagree"));
    assert_true(screen_has("DISAGREE on 4.0%") && screen_has("12.4% of accesses cross a line"));
    assert_true(screen_has("STRADDLES 2 lines") && screen_has("(padding)") &&
                screen_has("its members over"));
    screen_close();
    screen_open(FIXTURE_USUAL, 36, 120, false, "\n\n");
    assert_true(screen_has("inferred from the distances of sampled offsets (97% sure)"));
    assert_true(screen_has("alignment not known yet") && screen_has("+40"));
    screen_close();
}

static void objects_and_detail_show_types_and_fields(void **state)
{
    (void)state;
    screen_open(FIXTURE_TYPED, 36, 149, false, "1");
    assert_true(screen_has("TYPE") && screen_has("524288]") && screen_has(" vel.y "));
    assert_true(strstr(screen_row(1), "loading names"));
    int order = screen_row_with("order [1024]");
    assert_true(screen_column_of(order, "4.0%") >
                screen_column_of(order, "order [1024]")); /* DIFF */
    screen_close();
    screen_open(FIXTURE_TYPED, 36, 120, false, "\n");
    assert_true(screen_has("struct particle [524288]   declared in the program"));
    assert_true(screen_has("one struct particle, 64 bytes"));
    int hot = screen_row_with("particle.vel.y");
    assert_true(strstr(screen_row(hot), "double"));
    screen_close();
    /* types were not requested, so they are not mentioned */
    screen_open(FIXTURE_USUAL, 36, 160, false, "1");
    assert_false(screen_has("loading names") || screen_has("TYPE"));
    screen_close();
}

static void note_prose(void *to, enum paint paint, const char *label, const char *text)
{
    (void)paint;
    text_append(to, 4096, "%s%s%s%s\n", label ? label : "[", label ? ": " : "", text,
                label ? "" : "]");
}

/* One sample of weight 900 and 99 of weight one. */
static void known_field_share_is_by_weight(void **state)
{
    struct snapshot few = {.totals = {.typed = {[TYPED_NONE] = 1, [TYPED_CODE] = 99},
                                      .untyped = {[UNTYPED_VOID] = 1},
                                      .typed_weight = {[TYPED_NONE] = 900, [TYPED_CODE] = 100},
                                      .untyped_weight = {[UNTYPED_VOID] = 900}}};
    char text[4096] = "";
    (void)state;
    quality_prose(&(struct prose_writer){.say = note_prose, .to = text}, &few);
    assert_non_null(strstr(text, "\n[Samples with a field: 10.0% of those with an object]\n"
                                 "known: by code 10.0%\nvoid: 90.0%  "));
}

static void function_screen_shows_source_or_searched_places(void **state)
{
    (void)state;
    screen_open(FIXTURE_TYPED, 36, 120, false, "2\n");
    assert_true(screen_has("/build/demo/src/demo.c"));
    int line = screen_row_with("75  75.0%");
    assert_true(line > 0 && strstr(screen_row(line), "particle.vel.y"));
    assert_true(screen_has("clamp.h  inlined: min < clamp"));
    assert_true(screen_has("0x401004") && screen_has("particles"));
    screen_close();
    screen_open(FIXTURE_USUAL, 36, 120, false, "2\n");
    assert_true(screen_has("source lines are not known: this file"));
    assert_true(screen_has("0x401004") && !screen_has("demo.c  inlined"));
    screen_close();
}

static void sharing_screen_draws_accesses_per_byte(void **state)
{
    (void)state;
    screen_open(FIXTURE_USUAL, 36, 140, false, "7");
    assert_true(screen_has("29.9% of the samples") || screen_has("30.0% of the samples"));
    assert_true(screen_has("1 true, 1 false, 1 only read, 1 unsure; evidence: HITM"));
    assert_true(screen_has("Give each element"));
    int side = screen_row_with("HITM 155");
    assert_true(side > 0 && strstr(screen_row(side), "WWWWWWWW····") &&
                strstr(screen_row(side), "thread 4711"));
    assert_true(strstr(screen_row(side + 1), "········WWWWWWWW···"));
    assert_true(strstr(screen_row(side + 2), "same bytes") && strstr(screen_row(side + 2), "none"));
    assert_true(screen_has("NODE") && screen_has("counter.c:12") && screen_has("Its lines"));
    screen_close();
    screen_open(FIXTURE_USUAL, 24, 80, false, "7j");
    assert_true(screen_has("same bytes") && !screen_has("none: only"));
    screen_close();
    screen_open(FIXTURE_USUAL, 10, 40, false, "7");
    assert_true(screen_has("Shared lines 4") && screen_has("false"));
    screen_close();
    screen_open(FIXTURE_ONE, 24, 80, false, "7");
    assert_true(screen_has("No line is accessed by several threads") || screen_has("one thread"));
    screen_close();
}

static void screens_never_show_nan(void **state)
{
    static const enum fixture_kind kinds[] = {FIXTURE_EMPTY, FIXTURE_ONE};
    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        screen_open(kinds[i], 50, 160, false, "");
        for (const char *key = "123456789i"; *key; key++) {
            screen_press((uint32_t)*key);
            assert_false(screen_has("nan"));
        }
        screen_close();
    }
}

static void help_screen_lists_keys_and_columns(void **state)
{
    (void)state;
    screen_open(FIXTURE_USUAL, 600, 120, false, "?");
    assert_true(screen_has("freeze and unfreeze the screen"));
    assert_true(screen_has("Columns: Objects") && screen_has("HOT FIELD"));
    assert_true(screen_has("Columns: Layout") && screen_has("Columns: Source"));
    assert_true(screen_has("Columns: Shared lines") && screen_has("IF MIXED"));
    screen_close();
    screen_open(FIXTURE_USUAL, 24, 80, false, "?");
    assert_true(screen_has("lines 1 to 18 of"));
    int lines = 0;
    assert_int_equal(sscanf(strstr(screen_row(22), "to 18 of "), "to 18 of %d", &lines), 1);
    for (int i = 0; i < lines - 18; i++) {
        assert_true(screen_has("PgDn continues"));
        struct input down = {.kind = INPUT_KEY, .key = 'j'};
        browser_input(&screen_browser, &down);
        screen_draw();
    }
    assert_false(screen_has("PgDn continues"));
    screen_close();
}

/* Returns the row that was found, after the hint on which lines of the help are visible. */
static const char *found_help_row(void)
{
    static char text[1024];
    int at = snprintf(text, sizeof text, "%s", screen_row(screen_canvas.rows - 2));
    for (int row = 0; row < screen_canvas.rows; row++)
        if (canvas_at(&screen_canvas, row, 5)->flags & CELL_SELECTED)
            snprintf(text + at, sizeof text - (size_t)at, "%s", screen_row(row));
    return text;
}

static void help_search_finds_next_match(void **state)
{
    (void)state;
    struct snapshot *simulated = (struct snapshot *)(uintptr_t)fixture_new(FIXTURE_USUAL, 0);
    simulated->uses.known = true; /* required for the columns of use in the help */
    screen_open_on(simulated, 24, 80, false, "?/spatial\n");
    char first[1024];
    snprintf(first, sizeof first, "%s", found_help_row());
    assert_non_null(strcasestr(first, "spatial"));
    screen_press('n');
    assert_non_null(strcasestr(found_help_row(), "spatial"));
    assert_string_not_equal(found_help_row(), first);
    for (int i = 0; i < 50 && strcmp(found_help_row(), first) != 0; i++)
        screen_press('n');
    assert_string_equal(found_help_row(), first);
    screen_close();
    screen_open(FIXTURE_USUAL, 24, 80, false, "?/no such word");
    assert_true(screen_browser.prompt.missing && screen_has("not found"));
    screen_close();
}

static void keys_on_help_do_not_affect_other_screens(void **state)
{
    (void)state;
    screen_open(FIXTURE_USUAL, 24, 80, false, "?");
    for (const char *key = "SszecAW+-MR"; *key; key++)
        assert_int_equal(screen_press((uint32_t)*key).kind, REQUEST_NONE);
    assert_int_equal(screen_browser.screen, SCREEN_HELP);
    assert_true(screen_has("Esc returns to the screen"));
    assert_int_equal(screen_press('q').kind, REQUEST_QUIT);
    screen_close();
}

static void ascii_screens_draw_ascii_only(void **state)
{
    static const char *const keys[] = {"1", "\n", "3", "4",    "5",      "6",    "7",
                                       "8", "9",  "?", "\n\n", "\n\n\n", "2\n\n"};
    (void)state;
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        screen_open(FIXTURE_HOSTILE, 36, 120, true, keys[k]);
        for (int at = 0; at < 36; at++)
            for (int i = 0; i < 120; i++)
                assert_true(canvas_at(&screen_canvas, at, i)->text[0] < 0x7f);
        screen_close();
    }
}

static int run_screens(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_screen_overflows_at_any_size),
        cmocka_unit_test(screens_never_show_nan),
        cmocka_unit_test(objects_screen_shows_shares_and_confidence),
        cmocka_unit_test(short_wait_change_keeps_sort_order),
        cmocka_unit_test(small_objects_screen_keeps_essential_columns),
        cmocka_unit_test(tabs_begin_with_a_description),
        cmocka_unit_test(few_or_no_samples_are_reported),
        cmocka_unit_test(detail_screen_shows_fields_code_and_instances),
        cmocka_unit_test(sets_screen_marks_hot_sets),
        cmocka_unit_test(search_screen_shows_state_and_reasons),
        cmocka_unit_test(code_and_window_screens_list_objects),
        cmocka_unit_test(heap_screen_shows_bins_paths_and_sizes),
        cmocka_unit_test(detail_screen_shows_allocation_path),
        cmocka_unit_test(layout_screen_draws_type_lines_and_heat),
        cmocka_unit_test(objects_and_detail_show_types_and_fields),
        cmocka_unit_test(known_field_share_is_by_weight),
        cmocka_unit_test(function_screen_shows_source_or_searched_places),
        cmocka_unit_test(sharing_screen_draws_accesses_per_byte),
        cmocka_unit_test(help_screen_lists_keys_and_columns),
        cmocka_unit_test(help_search_finds_next_match),
        cmocka_unit_test(keys_on_help_do_not_affect_other_screens),
        cmocka_unit_test(ascii_screens_draw_ascii_only),
    };
    setlocale(LC_ALL, "C.UTF-8");
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The screens with code that waits for unknown data. */

static const char unknown_screen_note[] = "object unknown: overwritten";

static bool source(void *context, const char *file, uint32_t line, char *out, size_t size)
{
    (void)context;
    snprintf(out, size, "text %u of %s", line, file);
    return true;
}

static void show(struct snapshot *snapshot, const char *keys)
{
    screen_open(FIXTURE_EMPTY, 44, 120, true, "");
    screen_browser.sources.source = source;
    browser_show(&screen_browser, snapshot, fixture_release);
    for (; *keys; keys++)
        screen_press(*keys == '\n' ? KEYS_ENTER : (uint32_t)*keys);
}

static struct snapshot *snapshot_without_unknown(enum fixture_kind kind)
{
    struct snapshot *snapshot = (struct snapshot *)(uintptr_t)fixture_new(kind, 0);
    assert_non_null(snapshot);
    return snapshot;
}

/* The third function has most of the samples, and none on a known object. */
static struct snapshot *snapshot_with_unknown(void)
{
    struct snapshot *snapshot = snapshot_without_unknown(FIXTURE_TYPED);
    struct snapshot_code *code = &snapshot->code[2];
    struct snapshot_instruction *instruction = &snapshot->code[0].instructions[0];
    for (size_t i = 0; i < snapshot->code_count; i++)
        snapshot->code[i].all_share = snapshot->code[i].share.value / 2;
    code->samples = 0;
    code->share.value = 0;
    code->all_share = code->unknown_share = 0.401;
    code->unknown_samples = 20000;
    code->unknown_reason = REASON_OVERWRITTEN;
    code->instructions = instruction;
    code->instruction_count = 1;
    *instruction = (struct snapshot_instruction){.address = instruction->address,
                                                 .file = instruction->file,
                                                 .line = instruction->line,
                                                 .unknown_samples = 20000,
                                                 .unknown_reason = REASON_OVERWRITTEN,
                                                 .share = 1,
                                                 .object = UINT32_MAX,
                                                 .object_share = NAN};
    return snapshot;
}

static void function_with_most_unattributed_samples_is_first(void **state)
{
    (void)state;
    struct snapshot *snapshot = snapshot_with_unknown();
    show(snapshot, "2");
    int at = screen_row_with(snapshot->code[2].function);
    int other = screen_row_with(snapshot->code[0].function);
    assert_true(at > 0 && at + 1 == other);
    assert_true(screen_column_of(at, "40.1%") > 0 && screen_column_of(at, unknown_screen_note) > 0);
    assert_true(screen_column_of(at - 1, "ALL") > 0 && screen_column_of(at - 1, "UNKNOWN") > 0);
    /* Another sort column chosen by the user stays. */
    for (int i = 0; i < 4; i++)
        screen_press('>');
    unsigned sort = browser_table_of(&screen_browser, &function_columns)->sort;
    browser_show(&screen_browser, snapshot_with_unknown(), fixture_release);
    assert_int_equal(browser_table_of(&screen_browser, &function_columns)->sort, sort);
    screen_close();
}

static void unknown_column_is_hidden_without_unattributed_samples(void **state)
{
    (void)state;
    show(snapshot_without_unknown(FIXTURE_TYPED), "2");
    assert_false(screen_has("UNKNOWN"));
    assert_true(screen_has("SHARE"));
    assert_string_equal(table_sort_title(browser_table_of(&screen_browser, &function_columns)),
                        "SHARE");
    screen_close();
}

static void function_screen_locates_unattributed_samples(void **state)
{
    (void)state;
    show(snapshot_with_unknown(), "2\n");
    int head = screen_row_with("40.1% of all samples");
    assert_true(head > 0 && screen_column_of(head, unknown_screen_note) > 0);
    int line = screen_row_with("LINE");
    assert_true(line > head);
    int reported = 0;
    for (int at = line; at < screen_canvas.rows; at++)
        reported += screen_column_of(at, unknown_screen_note) > 0;
    assert_int_equal(reported, 2); /* the line, and the instruction below */
    screen_close();
}

static void line_without_accesses_is_described(void **state)
{
    (void)state;
    show(snapshot_with_unknown(), "2\nj");
    const struct source_row *row =
        table_selected(browser_table_of(&screen_browser, &source_columns));
    assert_true(row && row->line && !row->sites);
    assert_true(screen_has("The selected line has no samples"));
    screen_close();
}

/* Figures next to it may be dropped, but the text is the purpose of the screen. */
static void long_source_line_gets_full_width(void **state)
{
    (void)state;
    static struct source_row row = {
        .file = "a.c", .line = 42, .sites = 1, .samples = 9, .share = 1, .loads = 9};
    static const char text[] = "    for (int i = 0; i < 2000; i++) sum += index_by_price[(rnd(s) + "
                               "sum) % (1 << 23)];";
    struct layout layout;
    const struct snapshot *snapshot = snapshot_without_unknown(FIXTURE_EMPTY);
    strcpy(row.text, text);
    columns_layout(&source_columns, NULL, snapshot, &row, 1, 120, true, &layout);
    int width = 0;
    for (unsigned i = 0; i < layout.count; i++)
        if (!strcmp(source_columns.list[layout.places[i].index].title, "SOURCE"))
            width = layout.places[i].width;
    assert_true(width >= (int)strlen(text));
    fixture_release(snapshot);
}

/* work(), called by one() from main(), and by two(). */
static struct snapshot *snapshot_with_callers(void)
{
    static struct snapshot_caller list[] = {
        {.depth = 0, .id = 70, .function = "one", .module = "m", .path = 1, .samples = 60},
        {.depth = 1, .id = 71, .function = "main", .module = "m", .path = 2, .samples = 60},
        {.depth = 0, .id = 72, .function = "two", .module = "m", .path = 3, .samples = 40}};
    static struct snapshot_callers callers = {.samples = 100, .list = list, .count = 3};
    struct snapshot *snapshot = snapshot_without_unknown(FIXTURE_TYPED);
    list[0].share = list[1].share = (struct snapshot_share){0.6, 0.5, 0.7};
    list[2].share = (struct snapshot_share){0.4, 0.3, 0.5};
    list[2].id = snapshot->code[1].id; /* it has samples of its own */
    snapshot->code[0].callers = &callers;
    snapshot->objects[0].callers = &callers;
    return snapshot;
}

/* Moves to the pane of callers, which is last. */
static void select_callers_pane(void)
{
    for (int i = 0; i < 4; i++)
        if (browser_table(&screen_browser)->columns != &caller_columns)
            screen_press(KEYS_RIGHT);
    assert_ptr_equal(browser_table(&screen_browser)->columns, &caller_columns);
}

static void function_screen_shows_callers(void **state)
{
    (void)state;
    show(snapshot_with_callers(), "2\n");
    select_callers_pane();
    int one = screen_row_with("60.0%");
    assert_true(one > 0 && screen_column_of(one, "one") > 0);
    assert_int_equal(screen_column_of(one + 1, "main"), screen_column_of(one, "one") + 2);
    assert_true(screen_column_of(one + 2, "two") > 0);
    assert_true(screen_has("callers are known for 100 of"));
    screen_press('o');
    assert_int_equal(table_rows(browser_table(&screen_browser)), 2);
    screen_press('o');
    assert_int_equal(table_rows(browser_table(&screen_browser)), 3);
    screen_press(KEYS_ENTER); /* one() itself has no samples */
    assert_true(screen_has("it has no samples of its own"));
    screen_press(KEYS_END);
    uint32_t two = screen_browser.snapshot->code[1].id;
    screen_press(KEYS_ENTER);
    assert_int_equal(screen_browser.opened_function.id, two);
    screen_close();
}

static void detail_screen_shows_callers(void **state)
{
    (void)state;
    show(snapshot_with_callers(), "\n");
    select_callers_pane();
    assert_true(screen_has("Callers") && screen_has("two"));
    screen_press('o');
    assert_int_equal(table_rows(browser_table(&screen_browser)), 2);
    screen_close();
}

static int run_unknown_screen(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(function_with_most_unattributed_samples_is_first),
        cmocka_unit_test(unknown_column_is_hidden_without_unattributed_samples),
        cmocka_unit_test(function_screen_locates_unattributed_samples),
        cmocka_unit_test(line_without_accesses_is_described),
        cmocka_unit_test(long_source_line_gets_full_width),
        cmocka_unit_test(function_screen_shows_callers),
        cmocka_unit_test(detail_screen_shows_callers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Findings on the screen: how to get there, the text, and the effect of Enter. */

static int close_browser(void **state)
{
    (void)state;
    screen_close();
    return 0;
}

static void objects_screen_shows_findings(void **state)
{
    (void)state;
    screen_open(FIXTURE_TYPED, 36, 120, false, "");
    assert_true(screen_has("9 Findings"));
    int row = screen_row_with("hot and cold fields");
    assert_int_equal(row, 4);
    screen_press(KEYS_UP); /* moves up from the first row to the findings */
    assert_true(screen_has("Enter: Layout, with the details"));
    screen_press(KEYS_RIGHT);
    assert_true(screen_has("Enter: Sharing, with the details"));
    screen_press(KEYS_ENTER);
    assert_int_equal(screen_browser.screen, SCREEN_SHARING);
    screen_press('1');
    screen_click(row, 5);
    assert_int_equal(screen_browser.screen, SCREEN_LAYOUT);
    screen_press('f');
    assert_int_equal(screen_browser.screen, SCREEN_FINDINGS);
}

static void findings_screen_shows_list_and_selected_finding(void **state)
{
    (void)state;
    screen_open(FIXTURE_TYPED, 36, 120, false, "");
    screen_press('f');
    assert_true(screen_row_with("hot and cold fields") < screen_row_with("true sharing"));
    assert_true(screen_row_with("of 64 bytes: 16 are used") > screen_row_with("true sharing"));
    assert_true(screen_has("Split the struct:"));
    assert_true(screen_has("about 25%: its share of all samples,"));
    assert_true(screen_has("medium: accesses to a member right"));
    assert_true(screen_has("move (move.c:12)"));
    screen_press(KEYS_DOWN);
    assert_false(screen_has("Split the struct:"));
    assert_true(screen_has("at most 12%"));
}

/* A finding that disappears leaves no blank row: the text starts one row below the list, whatever
 * its length. */
static void findings_text_follows_list_without_gap(void **state)
{
    (void)state;
    screen_open(FIXTURE_TYPED, 36, 120, false, "");
    screen_press('f');
    assert_int_equal(screen_row_with("Evidence"), screen_row_with("true sharing") + 2);
    screen_press('\\');
    for (const char *key = "hot"; *key; key++)
        screen_press(*key);
    screen_press(KEYS_ENTER);
    assert_false(screen_has("true sharing"));
    assert_int_equal(screen_row_with("Evidence"), screen_row_with("hot and cold fields") + 2);
}

static void enter_on_finding_opens_its_screen(void **state)
{
    (void)state;
    screen_open(FIXTURE_TYPED, 36, 120, false, "");
    screen_press('f', KEYS_ENTER);
    assert_int_equal(screen_browser.screen, SCREEN_LAYOUT);
    assert_int_equal(screen_browser.opened.id, screen_browser.snapshot->objects[0].id);
    screen_press(KEYS_ESCAPE);
    assert_int_equal(screen_browser.screen, SCREEN_FINDINGS);
    screen_press(KEYS_DOWN, KEYS_ENTER);
    assert_int_equal(screen_browser.screen, SCREEN_SHARING);
}

/* The size of a size class is that of its largest block; that of an allocation site is in all. */
static void size_of_a_size_class_is_a_maximum(void **state)
{
    (void)state;
    struct snapshot *snapshot = (struct snapshot *)(uintptr_t)fixture_new(FIXTURE_USUAL, 0);
    struct snapshot_object object = snapshot->objects[0];
    struct explained place;
    object.kind = OBJECT_HEAP;
    object.module = NULL;
    object.size = 4216;
    object.blocks = 1271;
    snapshot->heap.bins[object.bin].heap.is_size_class = true;
    assert_true(object_explain(snapshot, &object, 0, &place));
    assert_string_equal(place.text, "heap, 4.1K at most, 1271 blocks sampled");
    snapshot->heap.bins[object.bin].heap.is_size_class = false;
    assert_true(object_explain(snapshot, &object, 0, &place));
    assert_string_equal(place.text, "heap, 4.1K live, 1271 blocks");
    fixture_release(snapshot);
}

static void absence_of_findings_is_explained(void **state)
{
    (void)state;
    screen_open(FIXTURE_USUAL, 24, 80, false, "");
    assert_true(screen_row_with("No known problem so far. Most samples are on particles, 35%.") >
                0);
    screen_press('f');
    assert_true(screen_has("No known problem found"));
    screen_press(KEYS_ENTER);
    assert_int_equal(screen_browser.screen, SCREEN_FINDINGS);
}

static void findings_screen_fits_small_terminals(void **state)
{
    (void)state;
    screen_open(FIXTURE_TYPED, 10, 40, false, "");
    screen_press('f');
    assert_true(screen_has("hot and cold"));
    assert_true(screen_has("of 64 bytes: 16"));
}

static int run_findings_screen(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(objects_screen_shows_findings, close_browser),
        cmocka_unit_test_teardown(findings_screen_shows_list_and_selected_finding, close_browser),
        cmocka_unit_test_teardown(findings_text_follows_list_without_gap, close_browser),
        cmocka_unit_test_teardown(enter_on_finding_opens_its_screen, close_browser),
        cmocka_unit_test(size_of_a_size_class_is_a_maximum),
        cmocka_unit_test_teardown(absence_of_findings_is_explained, close_browser),
        cmocka_unit_test_teardown(findings_screen_fits_small_terminals, close_browser),
    };
    setlocale(LC_ALL, "C.UTF-8");
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Navigation between screens that new users had missed. */

/* Selects a region that is smaller than the search and has no listed object. */
static void select_part(void)
{
    for (int i = 0; i < 20; i++) {
        if (screen_has("Enter Search in it"))
            return;
        screen_press('j');
    }
    fail_msg("the search has no region that is part of an object");
}

static void nested_search_returns_with_escape(void **state)
{
    (void)state;
    struct snapshot *snapshot = (struct snapshot *)fixture_new(FIXTURE_USUAL, 0);
    screen_open_on(snapshot, 36, 120, false, "6");
    select_part();
    assert_int_equal(screen_press(KEYS_ENTER).kind, REQUEST_SEARCH_RANGE);
    /* Esc goes back as long as there is an earlier search, and otherwise leaves. */
    snapshot->search.previous_range_name = "all";
    screen_draw();
    assert_true(screen_has("Esc: back to the search in all"));
    assert_int_equal(screen_press(KEYS_ESCAPE).kind, REQUEST_SEARCH_BACK);
    assert_int_equal(screen_browser.screen, SCREEN_SEARCH);
    assert_int_equal(screen_press(KEYS_ESCAPE).kind, REQUEST_NONE);
    assert_int_equal(screen_browser.screen, SCREEN_SEARCH);
    /* A search started from another screen has no earlier search. */
    screen_press('1');
    assert_int_equal(screen_press('s').kind, REQUEST_SEARCH_RANGE);
    assert_int_equal(screen_press(KEYS_ESCAPE).kind, REQUEST_NONE);
    assert_int_equal(screen_browser.screen, SCREEN_SEARCH);
    screen_close();
}

static void help_begins_with_the_current_screen(void **state)
{
    static const char *const keys[] = {"1", "2", "3", "4",  "5",    "6",
                                       "7", "8", "9", "\n", "\n\n", "2\n"};
    (void)state;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        char heading[80];
        screen_open(FIXTURE_USUAL, 24, 80, false, keys[i]);
        enum screen_id about = screen_browser.screen;
        screen_press('?');
        assert_int_equal(screen_browser.screen, SCREEN_HELP);
        snprintf(heading, sizeof heading, "This screen: %s", screens[about].screen->name);
        assert_int_equal(screen_row_with(heading), 4);
        assert_true(screen_row_with("Keys here") > 3);
        screen_press('?');
        assert_int_equal(screen_browser.screen, about);
        screen_close();
    }
    /* The columns of the screen come first, and only once. */
    screen_open(FIXTURE_USUAL, 400, 120, false, "7?");
    assert_true(screen_row_with("Columns: Shared lines") < screen_row_with("All keys"));
    screen_close();
    screen_open(FIXTURE_USUAL, 24, 80, false, "7?jjjjj");
    assert_true(screen_row_with("This screen") < 0);
    screen_press(KEYS_ESCAPE, '?');
    assert_true(screen_has("This screen: Sharing"));
    screen_close();
}

static void unlisted_objects_are_counted_and_can_be_listed(void **state)
{
    (void)state;
    struct snapshot *snapshot = (struct snapshot *)fixture_new(FIXTURE_USUAL, 0);
    snapshot->objects_left_out = 31;
    snapshot->objects_left_share = 0.0123;
    snapshot->objects_min_share = 0.001;
    screen_open_on(snapshot, 36, 120, false, "");
    int row = screen_row_with("31 more objects have less than 0.1% each, 1.2% together: A lists");
    assert_int_equal(row, 33);
    assert_int_equal(screen_press('A').kind, REQUEST_ALL_OBJECTS);
    struct input click = {.kind = INPUT_CLICK, .row = row, .column = 10};
    assert_int_equal(browser_input(&screen_browser, &click).kind, REQUEST_ALL_OBJECTS);
    snapshot->lists_all_objects = true;
    snapshot->objects_left_out = 0;
    snapshot->heap.summary.lost = 0;
    screen_draw();
    assert_false(screen_has("more objects have less"));
    assert_true(screen_has("A: only objects of 0.1% and more"));
    screen_close();
}

/* A list of figures is useless without names. */
static void smallest_window_shows_row_names(void **state)
{
    static const struct {
        const char *keys;
        const char *name;
    } lists[] = {{"1", "particles"},       {"\n", "particles"},    {"5", "[heap]"},
                 {"2", "visit_particles"}, {"4", "particles_new"}, {"\n\n", "particle"},
                 {"3", "partic"}};
    (void)state;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        struct snapshot *snapshot = (struct snapshot *)fixture_new(FIXTURE_USUAL, 0);
        snapshot->code[0].unknown_samples = 5; /* with all possible columns of Code */
        screen_open_on(snapshot, BROWSER_ROWS_MIN, BROWSER_COLUMNS_MIN, false, lists[i].keys);
        if (!screen_has(lists[i].name))
            for (int row = 0; row < BROWSER_ROWS_MIN; row++)
                print_error("%s\n", screen_row(row));
        assert_true(screen_has(lists[i].name));
        screen_close();
    }
}

enum { PERIODS = 40, PROFILE = 16 };

/* A run with one object in one phase, calm at periods of 2 s and more. */
static void fill_timeline(struct snapshot *snapshot)
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
                                   .damping_period_s = 2,
                                   .base_s = 0.25,
                                   .periods = PERIODS,
                                   .by_measure = {{.all = weight, .objects = {&stream, 1}}},
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
    fill_timeline(snapshot);
    screen_open_on(snapshot, rows, columns, false, keys);
}

static void chart_without_room_shows_a_message(void **state)
{
    static const char keys[] = "bvo";
    (void)state;
    for (const char *key = keys; *key; key++) {
        open_run(BROWSER_ROWS_MIN, BROWSER_COLUMNS_MIN, "8");
        assert_true(screen_has("particles"));
        screen_press((uint32_t)*key);
        browser_draw(&screen_browser, &screen_canvas, screen_browser.message_until_ns - 1);
        assert_true(screen_has("no room for the picture"));
        screen_close();
        open_run(36, 120, "8");
        screen_press((uint32_t)*key);
        screen_draw();
        assert_false(screen_has("no room for the picture"));
        screen_close();
    }
}

/* The drawn period, the shortest one, and the leading object; absent if there is little room. */
static void volatility_takes_one_line(void **state)
{
    (void)state;
    open_run(36, 120, "8");
    assert_true(screen_row_with(
                    "Volatility 20% (calm: 25%) at periods of 2.0s, 80% at 250ms; particles 10%") >
                0);
    screen_close();
    open_run(BROWSER_ROWS_MIN, 120, "8");
    assert_false(screen_has("Volatility"));
    screen_close();
}

static int run_screen_modes(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nested_search_returns_with_escape),
        cmocka_unit_test(smallest_window_shows_row_names),
        cmocka_unit_test(chart_without_room_shows_a_message),
        cmocka_unit_test(volatility_takes_one_line),
        cmocka_unit_test(unlisted_objects_are_counted_and_can_be_listed),
        cmocka_unit_test(help_begins_with_the_current_screen),
    };
    setlocale(LC_ALL, "C.UTF-8");
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(void)
{
    int failed = 0;
    failed += run_screens();
    failed += run_unknown_screen();
    failed += run_findings_screen();
    failed += run_screen_modes();
    return failed;
}
