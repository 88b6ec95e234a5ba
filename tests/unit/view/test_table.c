/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"
#include "unit/view/snapshot_fixture.h"
#include "view/display/canvas.h"
#include "view/widget/columns.h"
#include "view/widget/table.h"

struct fixture {
    const struct snapshot *snapshot;
    struct snapshot_object *objects;
    struct table table;
    struct canvas canvas;
};

static int setup(void **state)
{
    static struct fixture fixture;
    fixture.snapshot = fixture_new(FIXTURE_USUAL, 0);
    fixture.objects = fixture.snapshot->objects;
    table_init(&fixture.table, &object_columns);
    table_set(&fixture.table, fixture.snapshot, fixture.objects, 12);
    canvas_init(&fixture.canvas, 10, 80, false);
    *state = &fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;
    table_fini(&fixture->table);
    canvas_fini(&fixture->canvas);
    fixture_release(fixture->snapshot);
    return 0;
}

static const char *selected(const struct table *table)
{
    const struct snapshot_object *object = table_selected(table);
    return object ? object->name : "";
}

static void draw(struct fixture *fixture)
{
    canvas_clear(&fixture->canvas);
    table_draw(&fixture->table, &fixture->canvas, (struct area){0, 0, 6, 80}, true);
}

static void untouched_selection_stays_on_top(void **state)
{
    struct fixture *fixture = *state;
    assert_string_equal(selected(&fixture->table), "particles");
    struct snapshot_object swapped = fixture->objects[0];
    fixture->objects[0] = fixture->objects[1];
    fixture->objects[1] = swapped;
    fixture->objects[0].share.value = 0.9;
    table_set(&fixture->table, fixture->snapshot, fixture->objects, 12);
    assert_string_equal(selected(&fixture->table), "grid");
}

static void selection_follows_its_object(void **state)
{
    struct fixture *fixture = *state;
    table_move(&fixture->table, 2);
    assert_string_equal(selected(&fixture->table), "[heap]");
    fixture->objects[2].share.value = 0.99; /* now the first row */
    table_set(&fixture->table, fixture->snapshot, fixture->objects, 12);
    assert_string_equal(selected(&fixture->table), "[heap]");
    assert_int_equal(fixture->table.selected, 0);
    table_invert(&fixture->table);
    assert_string_equal(selected(&fixture->table), "[heap]");
    assert_int_equal(fixture->table.selected, 11);
    /* Gone: selects the row in its place. */
    table_invert(&fixture->table);
    table_move(&fixture->table, 99);
    table_set(&fixture->table, fixture->snapshot, fixture->objects, 3);
    assert_int_equal(fixture->table.selected, 2);
    table_set(&fixture->table, fixture->snapshot, fixture->objects, 0);
    assert_null(table_selected(&fixture->table));
    table_move(&fixture->table, 1);
    assert_null(table_selected(&fixture->table));
}

static void table_filter_hides_rows_and_find_selects(void **state)
{
    struct fixture *fixture = *state;
    table_filter(&fixture->table, "ARENA");
    assert_int_equal(fixture->table.shown, 2);
    assert_string_equal(selected(&fixture->table), "demo arena");
    table_filter(&fixture->table, "no such thing");
    assert_null(table_selected(&fixture->table));
    table_filter(&fixture->table, "");
    assert_int_equal(fixture->table.shown, 12);
    assert_true(table_find(&fixture->table, "libc.so", true));
    assert_string_equal(selected(&fixture->table), "errno_table");
    assert_true(table_find(&fixture->table, "libc.so", false));
    assert_string_equal(selected(&fixture->table), "main_arena");
    assert_true(table_find(&fixture->table, "libc.so", false)); /* wraps at the end */
    assert_string_equal(selected(&fixture->table), "errno_table");
    assert_false(table_find(&fixture->table, "no such thing", false));
    assert_string_equal(selected(&fixture->table), "errno_table");
}

static void selected_row_is_always_visible(void **state)
{
    struct fixture *fixture = *state;
    struct table *table = &fixture->table;
    for (int i = 0; i < 14; i++) {
        draw(fixture);
        int row = table->body.row + (int)(table->selected - table->top);
        assert_in_range(row, 1, 5);
        assert_int_equal(canvas_at(&fixture->canvas, row, 0)->flags, CELL_SELECTED);
        table_move(table, 1);
    }
    assert_int_equal(table->top, 12 - 5); /* no blank rows below the last one */
    table_page(table, -1);
    draw(fixture);
    assert_int_equal(table->selected, 11 - 4);
    table_move(table, -99);
    draw(fixture);
    assert_int_equal(table->top, 0);
}

static void shrinking_table_scrolls_back(void **state)
{
    struct fixture *fixture = *state;
    table_move(&fixture->table, 99);
    draw(fixture);
    table_set(&fixture->table, fixture->snapshot, fixture->objects, 7);
    draw(fixture);
    assert_int_equal(fixture->table.selected, 6);
    assert_int_equal(fixture->table.top, 2);
}

static void sort_key_cycles_through_visible_columns(void **state)
{
    struct fixture *fixture = *state;
    draw(fixture);
    for (unsigned i = 0; i < fixture->table.layout.count; i++) {
        assert_true(object_columns.list[fixture->table.sort].look != COLUMN_BAR);
        table_sort_step(&fixture->table, 1);
    }
    while (strcmp(table_sort_title(&fixture->table), "NAME") != 0)
        table_sort_step(&fixture->table, 1);
    table_move(&fixture->table, -99);
    assert_string_equal(selected(&fixture->table), ".rodata");
    draw(fixture);
    bool marked = false;
    for (int i = 0; i < 80; i++)
        marked |= canvas_at(&fixture->canvas, 0, i)->paint == PAINT_SORTED;
    assert_true(marked);
}

static void clicks_select_sort_and_scroll(void **state)
{
    struct fixture *fixture = *state;
    struct table *table = &fixture->table;
    draw(fixture);
    assert_int_equal(table_click(table, 3, 20), TABLE_SELECTED);
    assert_string_equal(selected(table), "[heap]");
    assert_int_equal(table_click(table, 3, 20), TABLE_AGAIN);
    assert_int_equal(table_click(table, 9, 20), TABLE_MISSED);
    assert_int_equal(table_click(table, 0, 2), TABLE_TITLE); /* SHARE: already the sort column */
    assert_true(table->invert);
    int name = 0;
    for (unsigned i = 0; i < table->layout.count; i++)
        if (!strcmp(object_columns.list[table->layout.places[i].index].title, "NAME"))
            name = table->layout.places[i].start;
    assert_int_equal(table_click(table, 0, name), TABLE_TITLE);
    assert_string_equal(table_sort_title(table), "NAME");
    assert_false(table->invert);
}

static void scrollbar_appears_only_if_rows_are_hidden(void **state)
{
    struct fixture *fixture = *state;
    draw(fixture);
    assert_int_equal(canvas_at(&fixture->canvas, 1, 79)->text[0], L'█');
    assert_int_equal(canvas_at(&fixture->canvas, 5, 79)->text[0], L'│');
    table_filter(&fixture->table, "grid");
    draw(fixture);
    assert_int_not_equal(canvas_at(&fixture->canvas, 1, 79)->text[0], L'█');
    assert_int_not_equal(canvas_at(&fixture->canvas, 5, 79)->text[0], L'│');
}

/* Rows of numbers; negative ones are separators. */
static struct value number_of(const struct snapshot *snapshot, const void *row)
{
    (void)snapshot;
    return value_number(*(const double *)row < 0 ? (double)NAN : *(const double *)row);
}

static uint64_t number_identity(const struct snapshot *snapshot, const void *row)
{
    (void)snapshot;
    return (uint64_t)(1000 + *(const double *)row);
}

static const char *number_separator(const void *row)
{
    return *(const double *)row < 0 ? "PART" : NULL;
}

static const struct column number_list[] = {COLUMN(.title = "NUMBER", .value = number_of,
                                                   .width = 8, .look = COLUMN_RIGHT,
                                                   .format = format_seconds)};

static const struct columns number_columns = {
    .title = "Numbers",
    .list = number_list,
    .count = 1,
    .sort = COLUMNS_AS_THEY_COME,
    .row_size = sizeof(double),
    .identity = number_identity,
    .parting = number_separator,
};

static bool canvas_has(const struct canvas *canvas, const char *text)
{
    char line[256];
    for (int row = 0; row < canvas->rows; row++) {
        canvas_row_text(canvas, row, line, sizeof line);
        if (strstr(line, text))
            return true;
    }
    return false;
}

static double selected_number(const struct table *table)
{
    const double *row = table_selected(table);
    return row ? *row : NAN;
}

static void separator_rows_are_never_selected(void **state)
{
    struct fixture *fixture = *state;
    static const double rows[] = {-1, 5, -2, -3, 9, 7, -4};
    struct table table;
    table_init(&table, &number_columns);
    table_set(&table, fixture->snapshot, rows, 7);
    assert_true(selected_number(&table) == 5);
    assert_int_equal(table_rows(&table), 3);
    table_prefer(&table, 1009);
    assert_true(selected_number(&table) == 9); /* until the user moves the cursor */
    table_prefer(&table, 1007);
    table_move(&table, -100);
    assert_true(selected_number(&table) == 5);
    table_prefer(&table, 1009);
    assert_true(selected_number(&table) == 5);
    table_move(&table, 1);
    assert_true(selected_number(&table) == 9);
    table_move(&table, -1);
    assert_true(selected_number(&table) == 5);
    table_move(&table, 100);
    assert_true(selected_number(&table) == 7);
    canvas_clear(&fixture->canvas);
    table_draw(&table, &fixture->canvas, (struct area){0, 0, 10, 80}, true);
    assert_true(canvas_has(&fixture->canvas, "── PART ──"));
    assert_int_equal(table_click(&table, 1, 5), TABLE_MISSED);
    assert_int_equal(table_click(&table, 2, 5), TABLE_SELECTED);
    /* when sorted, separators make no sense; unsorted is one of the steps */
    table_sort_step(&table, 1);
    assert_int_equal(table.shown, 3);
    assert_true(selected_number(&table) == 5);
    table_move(&table, -5);
    assert_true(selected_number(&table) == 9);
    table_sort_step(&table, 1);
    assert_int_equal(table.shown, 7);
    table_sort_step(&table, -1);
    assert_int_equal(table.shown, 3);
    table_fini(&table);
}

static void distant_selection_is_centred(void **state)
{
    struct fixture *fixture = *state;
    double rows[100];
    struct table table;
    for (int i = 0; i < 100; i++)
        rows[i] = i;
    table_init(&table, &number_columns);
    table_set(&table, fixture->snapshot, rows, 100);
    table_prefer(&table, 1050);
    table_draw(&table, &fixture->canvas, (struct area){0, 0, 10, 80}, true);
    assert_int_equal(table.top, 50 - 9 / 2);
    table_move(&table, 9); /* by a screen: skips no row */
    table_draw(&table, &fixture->canvas, (struct area){0, 0, 10, 80}, true);
    assert_int_equal(table.top, 59 - 8);
    table_fini(&table);
}

static void table_of_separators_has_no_selection(void **state)
{
    struct fixture *fixture = *state;
    static const double rows[] = {-1, -2};
    struct table table;
    table_init(&table, &number_columns);
    table_set(&table, fixture->snapshot, rows, 2);
    assert_null(table_selected(&table));
    table_move(&table, 1);
    assert_null(table_selected(&table));
    table_draw(&table, &fixture->canvas, (struct area){0, 0, 6, 80}, true);
    table_fini(&table);
}

/* The separator above the first selectable row stays visible when scrolling up. */
static void first_separator_stays_visible(void **state)
{
    struct fixture *fixture = *state;
    static const double rows[] = {-1, 1, 2, 3, 4, 5, 6, 7, 8};
    struct table table;
    table_init(&table, &number_columns);
    table_set(&table, fixture->snapshot, rows, 9);
    table_move(&table, 100);
    table_draw(&table, &fixture->canvas, (struct area){0, 0, 5, 80}, true);
    table_move(&table, -100);
    canvas_clear(&fixture->canvas);
    table_draw(&table, &fixture->canvas, (struct area){0, 0, 5, 80}, true);
    assert_true(canvas_has(&fixture->canvas, "PART"));
    table_fini(&table);
}

static int run_table(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(untouched_selection_stays_on_top),
        TEST(selection_follows_its_object),
        TEST(table_filter_hides_rows_and_find_selects),
        TEST(selected_row_is_always_visible),
        TEST(shrinking_table_scrolls_back),
        TEST(sort_key_cycles_through_visible_columns),
        TEST(clicks_select_sort_and_scroll),
        TEST(scrollbar_appears_only_if_rows_are_hidden),
        TEST(separator_rows_are_never_selected),
        TEST(distant_selection_is_centred),
        TEST(table_of_separators_has_no_selection),
        TEST(first_separator_stays_visible),
    };
    setlocale(LC_ALL, "C.UTF-8");
    return cmocka_run_group_tests(tests, NULL, NULL);
}

static const struct columns *const all[] = {
    &object_columns, &field_columns,  &instance_columns, &toucher_columns, &function_columns,
    &site_columns,   &part_columns,   &region_columns,   &dropped_columns, &line_columns,
    &pair_columns,   &offset_columns, &layout_columns,   &source_columns,  &instruction_columns};
enum { ALL = sizeof all / sizeof *all };

static bool has(const struct columns *columns, const struct layout *layout, const char *title)
{
    for (unsigned i = 0; i < layout->count; i++)
        if (!strcmp(columns->list[layout->places[i].index].title, title))
            return true;
    return false;
}

static void columns_fit_every_width(void **state)
{
    const struct snapshot *snapshot = fixture_new(FIXTURE_HOSTILE, 0);
    (void)state;
    for (size_t i = 0; i < ALL; i++)
        for (int width = 30; width <= 300; width++) {
            struct layout layout;
            int end = -1;
            columns_layout(all[i], NULL, snapshot, NULL, 0, width, true, &layout);
            assert_true(layout.count > 0);
            for (unsigned k = 0; k < layout.count; k++) {
                assert_true(layout.places[k].start > end);
                end = layout.places[k].start + layout.places[k].width;
                assert_true(end <= width);
            }
        }
    fixture_release(snapshot);
}

static void interval_column_is_kept_at_small_width(void **state)
{
    const struct snapshot *snapshot = fixture_new(FIXTURE_USUAL, 0);
    struct layout layout;
    (void)state;
    columns_layout(&object_columns, NULL, snapshot, snapshot->objects, snapshot->object_count, 40,
                   true, &layout);
    assert_true(has(&object_columns, &layout, "SHARE"));
    assert_true(has(&object_columns, &layout, "±"));
    assert_true(has(&object_columns, &layout, "NAME"));
    assert_false(has(&object_columns, &layout, "TREND"));
    columns_layout(&object_columns, NULL, snapshot, snapshot->objects, snapshot->object_count, 300,
                   true, &layout);
    assert_true(has(&object_columns, &layout, "TREND"));
    assert_true(has(&object_columns, &layout, "MODULE"));
    fixture_release(snapshot);
}

static void event_columns_appear_only_if_measured(void **state)
{
    const struct snapshot *snapshot = fixture_new(FIXTURE_USUAL, 0);
    struct layout layout;
    (void)state;
    columns_layout(&object_columns, NULL, snapshot, NULL, 0, 300, true, &layout);
    assert_true(has(&object_columns, &layout, "STALL")); /* the second event */
    assert_false(has(&object_columns, &layout, "FILL")); /* the ranking event is SHARE itself */
    assert_false(has(&object_columns, &layout, "L1"));
    assert_false(has(&object_columns, &layout, "CYCLES"));
    assert_false(has(&object_columns, &layout, "TYPE"));
    assert_false(has(&object_columns, &layout, "DIFF"));
    fixture_release(snapshot);
    snapshot = fixture_new(FIXTURE_TYPED, 0);
    columns_layout(&object_columns, NULL, snapshot, NULL, 0, 300, true, &layout);
    assert_true(has(&object_columns, &layout, "TYPE"));
    assert_true(has(&object_columns, &layout, "DIFF"));
    columns_layout(&field_columns, NULL, snapshot, NULL, 0, 100, true, &layout);
    assert_true(has(&field_columns, &layout, "TYPE"));
    fixture_release(snapshot);
}

/* While a screen is open its columns stay; columns with new data appear the next time. */
static void columns_stay_while_the_screen_is_open(void **state)
{
    const struct snapshot *untyped = fixture_new(FIXTURE_USUAL, 0);
    struct snapshot *typed = (struct snapshot *)(uintptr_t)fixture_new(FIXTURE_TYPED, 0);
    struct canvas canvas;
    struct table table;
    struct layout before;
    (void)state;
    typed->loading.pending_requests = 0;
    canvas_init(&canvas, 30, 200, false);
    table_init(&table, &object_columns);
    for (int i = 0; i < 5; i++) {
        table_set(&table, untyped, untyped->objects, untyped->object_count);
        table_draw(&table, &canvas, (struct area){0, 0, 30, 200}, true);
    }
    before = table.layout;
    table_set(&table, typed, typed->objects, 1);
    table_draw(&table, &canvas, (struct area){0, 0, 30, 200}, true);
    assert_memory_equal(&table.layout, &before, sizeof before);
    assert_false(has(&object_columns, &table.layout, "TYPE"));
    table_lay_out(&table);
    table_draw(&table, &canvas, (struct area){0, 0, 30, 200}, true);
    assert_true(has(&object_columns, &table.layout, "TYPE"));
    /* A terminal of another width gets a new layout. */
    before = table.layout;
    table_draw(&table, &canvas, (struct area){0, 0, 30, 60}, true);
    assert_memory_not_equal(&table.layout, &before, sizeof before);
    table_fini(&table);
    canvas_fini(&canvas);
    fixture_release(typed);
    fixture_release(untyped);
}

static void name_column_has_priority_over_lesser_columns(void **state)
{
    const struct snapshot *snapshot = fixture_new(FIXTURE_USUAL, 0);
    (void)state;
    for (int width = 70; width <= 300; width += 7) {
        struct layout layout;
        columns_layout(&object_columns, NULL, snapshot, snapshot->objects, snapshot->object_count,
                       width, true, &layout);
        for (unsigned k = 0; k < layout.count; k++)
            if (!strcmp(object_columns.list[layout.places[k].index].title, "NAME"))
                assert_true(layout.places[k].width >= 28);
    }
    fixture_release(snapshot);
}

static unsigned find(const struct columns *columns, const char *title)
{
    for (unsigned i = 0; i < columns->count; i++)
        if (columns->list[i].title && !strcmp(columns->list[i].title, title))
            return i;
    fail_msg("no column is titled %s", title);
    return 0;
}

static void expect(const struct snapshot *snapshot, const void *row, const char *title,
                   const char *want)
{
    char text[COLUMN_TEXT_BYTES];
    columns_text(&object_columns.list[find(&object_columns, title)], snapshot, row, 12, false, text,
                 sizeof text);
    assert_string_equal(text, want);
}

static void unknown_cells_are_blank_and_zero_is_printed(void **state)
{
    const struct snapshot *snapshot = fixture_new(FIXTURE_USUAL, 0);
    struct snapshot_object object = snapshot->objects[0];
    (void)state;
    object.share.value = 0.1234;
    object.share.low = 0.11;
    object.share.high = 0.14;
    expect(snapshot, &object, "SHARE", "12.3%");
    expect(snapshot, &object, "±", "1.7");
    object.share.value = 0;
    expect(snapshot, &object, "SHARE", "0.0%");
    object.share.value = NAN;
    object.size = 0;
    object.latency = NAN;
    object.loads = object.stores = 0;
    expect(snapshot, &object, "SHARE", "");
    expect(snapshot, &object, "SIZE", "");
    expect(snapshot, &object, "CYCLES", "");
    expect(snapshot, &object, "LD", ""); /* kind of access never reported: not 0 % */
    object.loads = object.samples;
    expect(snapshot, &object, "LD", "100%");
    expect(snapshot, &object, "ST", "0.0%");
    object.field_count = 0;
    expect(snapshot, &object, "HOT FIELD", "");
    fixture_release(snapshot);
}

static void hot_field_shows_type_unless_name_has_it(void **state)
{
    const struct snapshot *snapshot = fixture_new(FIXTURE_TYPED, 0);
    struct snapshot_field field = {.name = "node.next", .type_id = 1, .share = 1, .size = 8};
    struct snapshot_object object = snapshot->objects[0];
    (void)state;
    object.fields = &field;
    object.field_count = 1;
    object.kind = OBJECT_HEAP;
    object.name = "main a.c:7";
    expect(snapshot, &object, "HOT FIELD", "node.next");
    object.name = "struct node []";
    expect(snapshot, &object, "HOT FIELD", "next");
    object.name = "table";
    object.kind = OBJECT_GLOBAL; /* Detail has its declared type */
    expect(snapshot, &object, "HOT FIELD", "next");
    field.type_id = 0;
    field.name = "+8";
    expect(snapshot, &object, "HOT FIELD", "+8");
    fixture_release(snapshot);
}

static void source_text_has_priority_over_figures(void **state)
{
    const struct snapshot *snapshot = fixture_new(FIXTURE_TYPED, 0);
    struct source_row row = {.file = "a.c", .line = 7, .sites = 1};
    struct layout layout;
    (void)state;
    snprintf(row.text, sizeof row.text, "%60s", "x");
    columns_layout(&source_columns, NULL, snapshot, &row, 1, 80, true, &layout);
    for (unsigned k = 0; k < layout.count; k++)
        if (!strcmp(source_columns.list[layout.places[k].index].title, "SOURCE"))
            assert_true(layout.places[k].width >= 50);
    assert_false(has(&source_columns, &layout, "SAMPLES"));
    fixture_release(snapshot);
}

static void long_names_are_shortened_in_the_middle(void **state)
{
    const struct snapshot *snapshot = fixture_new(FIXTURE_USUAL, 0);
    struct snapshot_object object = snapshot->objects[0];
    (void)state;
    object.name = "std::map<a, b>::table_one";
    expect(snapshot, &object, "NAME", "std::m…e_one");
    fixture_release(snapshot);
}

static void unknown_values_sort_last_in_both_orders(void **state)
{
    const struct snapshot *snapshot = fixture_new(FIXTURE_USUAL, 0);
    struct snapshot_object big = snapshot->objects[0];
    struct snapshot_object small = snapshot->objects[1];
    struct snapshot_object none = snapshot->objects[2];
    const struct column *size = &object_columns.list[find(&object_columns, "SIZE")];
    const struct column *name = &object_columns.list[find(&object_columns, "NAME")];
    (void)state;
    big.size = UINT64_MAX;
    small.size = UINT64_MAX - 1; /* would be equal as a double */
    none.size = 0;
    assert_true(columns_compare(size, snapshot, &big, &small, false) < 0);
    assert_true(columns_compare(size, snapshot, &big, &small, true) > 0);
    assert_true(columns_compare(size, snapshot, &none, &small, false) > 0);
    assert_true(columns_compare(size, snapshot, &none, &small, true) > 0);
    big.name = "beta";
    small.name = "Alpha";
    assert_true(columns_compare(name, snapshot, &small, &big, false) < 0);
    fixture_release(snapshot);
}

static void filter_ignores_case_and_searches_all_text(void **state)
{
    const struct snapshot *snapshot = fixture_new(FIXTURE_USUAL, 0);
    struct snapshot_object object = snapshot->objects[0];
    (void)state;
    object.name = "Particles";
    object.module = "libdemo.so";
    assert_true(columns_match(&object_columns, snapshot, &object, "pARTI"));
    assert_true(columns_match(&object_columns, snapshot, &object, "LIBDEMO"));
    assert_false(columns_match(&object_columns, snapshot, &object, "nothing"));
    fixture_release(snapshot);
}

static void every_titled_column_has_help(void **state)
{
    (void)state;
    for (unsigned i = 0; i < object_columns.count; i++)
        if (object_columns.list[i].title && *object_columns.list[i].title)
            assert_non_null(object_columns.list[i].help);
    for (size_t i = 0; i < ALL; i++) {
        assert_true(all[i]->count <= COLUMNS_MAX);
        for (unsigned k = 0; k < all[i]->count; k++)
            if (all[i]->list[k].title)
                assert_true(glyph_columns(all[i]->list[k].title, false) <= all[i]->list[k].width);
            else
                assert_true(all[i]->list[k].key || all[i]->list[k].members);
    }
}

/* Tables with JSON members. */
static const struct columns *const written[] = {
    &object_columns, &function_columns,     &thread_columns,    &bin_columns,  &finding_columns,
    &phase_columns,  &region_columns,       &line_columns,      &pair_columns, &sharing_columns,
    &watch_columns,  &sharing_line_columns, &simulation_columns};
enum { WRITTEN = sizeof written / sizeof *written, DEEPEST = 6 };

static char *json_chapter(void)
{
    const char *source = getenv("srcdir");
    char path[4096];
    char *text = NULL;
    size_t size = 0;
    snprintf(path, sizeof path, "%s/man/misstop.1", source ? source : ".");
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_true(getdelim(&text, &size, '\0', file) > 0);
    fclose(file);
    char *chapter = strstr(text, "\n.SH JSON");
    assert_non_null(chapter);
    char *to = text;
    for (const char *at = chapter; *at; at++)
        if (*at != '\\')
            *to++ = *at;
    *to = '\0';
    return text;
}

static bool has_word(const char *text, const char *word)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_-";
    size_t length = strlen(word);
    for (const char *at = text; (at = strstr(at, word)); at++)
        if (!strchr(letters, at[-1]) && !strchr(letters, at[length]))
            return true;
    return false;
}

static void check_members(const struct columns *columns, const char *manual, int depth)
{
    for (unsigned i = 0; i < columns->count; i++) {
        const struct column *column = &columns->list[i];
        if (column->key && !has_word(manual, column->key))
            fail_msg("JSON member %s is not in the man page", column->key);
        if (column->rows && depth < DEEPEST)
            check_members(column->rows, manual, depth + 1);
        if (column->members && depth < DEEPEST)
            check_members(column->members, manual, depth + 1);
    }
}

static void man_page_lists_every_json_member(void **state)
{
    char *manual = json_chapter();
    (void)state;
    for (size_t i = 0; i < WRITTEN; i++)
        check_members(written[i], manual, 0);
    free(manual);
}

static int run_columns(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_fit_every_width),
        cmocka_unit_test(interval_column_is_kept_at_small_width),
        cmocka_unit_test(event_columns_appear_only_if_measured),
        cmocka_unit_test(columns_stay_while_the_screen_is_open),
        cmocka_unit_test(name_column_has_priority_over_lesser_columns),
        cmocka_unit_test(unknown_cells_are_blank_and_zero_is_printed),
        cmocka_unit_test(hot_field_shows_type_unless_name_has_it),
        cmocka_unit_test(source_text_has_priority_over_figures),
        cmocka_unit_test(long_names_are_shortened_in_the_middle),
        cmocka_unit_test(unknown_values_sort_last_in_both_orders),
        cmocka_unit_test(filter_ignores_case_and_searches_all_text),
        cmocka_unit_test(every_titled_column_has_help),
        cmocka_unit_test(man_page_lists_every_json_member),
    };
    setlocale(LC_ALL, "C.UTF-8");
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(void)
{
    int failed = 0;
    failed += run_table();
    failed += run_columns();
    return failed;
}
