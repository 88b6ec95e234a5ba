/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include "snapshot_fixture.h"
#include "view/widget/table.h"

#include <locale.h>
#include <math.h>
#include <string.h>

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

static void moved_selection_follows_its_object(void **state)
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
    /* Gone: the row in its place. */
    table_invert(&fixture->table);
    table_move(&fixture->table, 99);
    table_set(&fixture->table, fixture->snapshot, fixture->objects, 3);
    assert_int_equal(fixture->table.selected, 2);
    table_set(&fixture->table, fixture->snapshot, fixture->objects, 0);
    assert_null(table_selected(&fixture->table));
    table_move(&fixture->table, 1);
    assert_null(table_selected(&fixture->table));
}

static void filter_and_find(void **state)
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
    assert_true(table_find(&fixture->table, "libc.so", false)); /* round the end */
    assert_string_equal(selected(&fixture->table), "errno_table");
    assert_false(table_find(&fixture->table, "no such thing", false));
    assert_string_equal(selected(&fixture->table), "errno_table");
}

static void the_selected_row_is_always_in_sight(void **state)
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
    assert_int_equal(table->top, 12 - 5); /* no blank rows below the last */
    table_page(table, -1);
    draw(fixture);
    assert_int_equal(table->selected, 11 - 4);
    table_move(table, -99);
    draw(fixture);
    assert_int_equal(table->top, 0);
}

static void fewer_rows_leave_no_blank_page(void **state)
{
    struct fixture *fixture = *state;
    table_move(&fixture->table, 99);
    draw(fixture);
    table_set(&fixture->table, fixture->snapshot, fixture->objects, 7);
    draw(fixture);
    assert_int_equal(fixture->table.selected, 6);
    assert_int_equal(fixture->table.top, 2);
}

static void sorting_goes_through_the_columns_on_the_screen(void **state)
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

static void clicks(void **state)
{
    struct fixture *fixture = *state;
    struct table *table = &fixture->table;
    draw(fixture);
    assert_int_equal(table_click(table, 3, 20), TABLE_SELECTED);
    assert_string_equal(selected(table), "[heap]");
    assert_int_equal(table_click(table, 3, 20), TABLE_AGAIN);
    assert_int_equal(table_click(table, 9, 20), TABLE_MISSED);
    assert_int_equal(table_click(table, 0, 2), TABLE_TITLE); /* SHARE: sorted by already */
    assert_true(table->invert);
    int name = 0;
    for (unsigned i = 0; i < table->layout.count; i++)
        if (!strcmp(object_columns.list[table->layout.places[i].index].title, "NAME"))
            name = table->layout.places[i].start;
    assert_int_equal(table_click(table, 0, name), TABLE_TITLE);
    assert_string_equal(table_sort_title(table), "NAME");
    assert_false(table->invert);
}

static void a_scrollbar_only_where_rows_are_hidden(void **state)
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

/* Rows of numbers; negative ones part the others. */
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

static const char *number_parting(const void *row)
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
    .parting = number_parting,
};

static bool drawn(const struct canvas *canvas, const char *text)
{
    char line[256];
    for (int row = 0; row < canvas->rows; row++) {
        canvas_row_text(canvas, row, line, sizeof line);
        if (strstr(line, text))
            return true;
    }
    return false;
}

static double chosen(const struct table *table)
{
    const double *row = table_selected(table);
    return row ? *row : NAN;
}

static void rows_that_part_others_are_never_selected(void **state)
{
    struct fixture *fixture = *state;
    static const double rows[] = {-1, 5, -2, -3, 9, 7, -4};
    struct table table;
    table_init(&table, &number_columns);
    table_set(&table, fixture->snapshot, rows, 7);
    assert_true(chosen(&table) == 5);
    assert_int_equal(table_rows(&table), 3);
    table_prefer(&table, 1009);
    assert_true(chosen(&table) == 9); /* until the user moves */
    table_prefer(&table, 1007);
    table_move(&table, -100);
    assert_true(chosen(&table) == 5);
    table_prefer(&table, 1009);
    assert_true(chosen(&table) == 5);
    table_move(&table, 1);
    assert_true(chosen(&table) == 9);
    table_move(&table, -1);
    assert_true(chosen(&table) == 5);
    table_move(&table, 100);
    assert_true(chosen(&table) == 7);
    canvas_clear(&fixture->canvas);
    table_draw(&table, &fixture->canvas, (struct area){0, 0, 10, 80}, true);
    assert_true(drawn(&fixture->canvas, "── PART ──"));
    assert_int_equal(table_click(&table, 1, 5), TABLE_MISSED);
    assert_int_equal(table_click(&table, 2, 5), TABLE_SELECTED);
    /* sorted they would part nothing; the own order is one of the steps */
    table_sort_step(&table, 1);
    assert_int_equal(table.shown, 3);
    assert_true(chosen(&table) == 5);
    table_move(&table, -5);
    assert_true(chosen(&table) == 9);
    table_sort_step(&table, 1);
    assert_int_equal(table.shown, 7);
    table_sort_step(&table, -1);
    assert_int_equal(table.shown, 3);
    table_fini(&table);
}

static void a_far_selection_has_neighbours_on_both_sides(void **state)
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
    table_move(&table, 9); /* by a page: nothing is left out */
    table_draw(&table, &fixture->canvas, (struct area){0, 0, 10, 80}, true);
    assert_int_equal(table.top, 59 - 8);
    table_fini(&table);
}

static void nothing_but_parting_rows_selects_nothing(void **state)
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

/* The first row that can be selected takes what stands above it along. */
static void what_parts_stays_in_sight(void **state)
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
    assert_true(drawn(&fixture->canvas, "PART"));
    table_fini(&table);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(untouched_selection_stays_on_top),
        TEST(moved_selection_follows_its_object),
        TEST(filter_and_find),
        TEST(the_selected_row_is_always_in_sight),
        TEST(fewer_rows_leave_no_blank_page),
        TEST(sorting_goes_through_the_columns_on_the_screen),
        TEST(clicks),
        TEST(a_scrollbar_only_where_rows_are_hidden),
        TEST(rows_that_part_others_are_never_selected),
        TEST(a_far_selection_has_neighbours_on_both_sides),
        TEST(nothing_but_parting_rows_selects_nothing),
        TEST(what_parts_stays_in_sight),
    };
    setlocale(LC_ALL, "C.UTF-8");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
