/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include "snapshot_fixture.h"
#include "view/widget/columns.h"
#include "view/screen/canvas.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static void columns_fit_at_every_width(void **state)
{
    const struct snapshot *snapshot = fixture_new(FIXTURE_HOSTILE, 0);
    (void)state;
    for (size_t i = 0; i < ALL; i++)
        for (int width = 30; width <= 300; width++) {
            struct layout layout;
            int end = -1;
            columns_layout(all[i], snapshot, NULL, 0, width, true, &layout);
            assert_true(layout.count > 0);
            for (unsigned k = 0; k < layout.count; k++) {
                assert_true(layout.places[k].start > end);
                end = layout.places[k].start + layout.places[k].width;
                assert_true(end <= width);
            }
        }
    fixture_release(snapshot);
}

static void the_interval_stays_when_there_is_little_room(void **state)
{
    const struct snapshot *snapshot = fixture_new(FIXTURE_USUAL, 0);
    struct layout layout;
    (void)state;
    columns_layout(&object_columns, snapshot, snapshot->objects, snapshot->object_count, 40, true,
                   &layout);
    assert_true(has(&object_columns, &layout, "SHARE"));
    assert_true(has(&object_columns, &layout, "±"));
    assert_true(has(&object_columns, &layout, "NAME"));
    assert_false(has(&object_columns, &layout, "TREND"));
    columns_layout(&object_columns, snapshot, snapshot->objects, snapshot->object_count, 300, true,
                   &layout);
    assert_true(has(&object_columns, &layout, "TREND"));
    assert_true(has(&object_columns, &layout, "MODULE"));
    fixture_release(snapshot);
}

static void columns_of_events_stand_only_where_measured(void **state)
{
    const struct snapshot *snapshot = fixture_new(FIXTURE_USUAL, 0);
    struct layout layout;
    (void)state;
    columns_layout(&object_columns, snapshot, NULL, 0, 300, true, &layout);
    assert_true(has(&object_columns, &layout, "STALL")); /* the second event */
    assert_false(has(&object_columns, &layout, "FILL")); /* the ranking one is SHARE itself */
    assert_false(has(&object_columns, &layout, "L1"));
    assert_false(has(&object_columns, &layout, "CYCLES"));
    assert_false(has(&object_columns, &layout, "TYPE"));
    assert_false(has(&object_columns, &layout, "DIFF"));
    fixture_release(snapshot);
    snapshot = fixture_new(FIXTURE_TYPED, 0);
    columns_layout(&object_columns, snapshot, NULL, 0, 300, true, &layout);
    assert_true(has(&object_columns, &layout, "TYPE"));
    assert_true(has(&object_columns, &layout, "DIFF"));
    columns_layout(&field_columns, snapshot, NULL, 0, 100, true, &layout);
    assert_true(has(&field_columns, &layout, "TYPE"));
    fixture_release(snapshot);
}

static void names_keep_a_width_before_lesser_columns(void **state)
{
    const struct snapshot *snapshot = fixture_new(FIXTURE_USUAL, 0);
    (void)state;
    for (int width = 70; width <= 300; width += 7) {
        struct layout layout;
        columns_layout(&object_columns, snapshot, snapshot->objects, snapshot->object_count, width,
                       true, &layout);
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
    fail_msg("no column %s", title);
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

static void unknown_is_blank_and_zero_is_zero(void **state)
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
    expect(snapshot, &object, "LD", ""); /* kind of access never told: not 0 % */
    object.loads = object.samples;
    expect(snapshot, &object, "LD", "100%");
    expect(snapshot, &object, "ST", "0.0%");
    object.field_count = 0;
    expect(snapshot, &object, "HOT FIELD", "");
    fixture_release(snapshot);
}

static void text_to_be_read_has_room_before_figures(void **state)
{
    const struct snapshot *snapshot = fixture_new(FIXTURE_TYPED, 0);
    struct source_row row = {.file = "a.c", .line = 7, .sites = 1};
    struct layout layout;
    (void)state;
    snprintf(row.text, sizeof row.text, "%60s", "x");
    columns_layout(&source_columns, snapshot, &row, 1, 80, true, &layout);
    for (unsigned k = 0; k < layout.count; k++)
        if (!strcmp(source_columns.list[layout.places[k].index].title, "SOURCE"))
            assert_true(layout.places[k].width >= 50);
    assert_false(has(&source_columns, &layout, "SAMPLES"));
    fixture_release(snapshot);
}

static void names_lose_their_middle(void **state)
{
    const struct snapshot *snapshot = fixture_new(FIXTURE_USUAL, 0);
    struct snapshot_object object = snapshot->objects[0];
    (void)state;
    object.name = "std::map<a, b>::table_one";
    expect(snapshot, &object, "NAME", "std::m…e_one");
    fixture_release(snapshot);
}

static void order_puts_unknown_last_both_ways(void **state)
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

static void matching_ignores_case_and_looks_at_all_text(void **state)
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

static void every_titled_column_is_explained_once(void **state)
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

/* Tables of rows that have JSON members. */
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

static bool has_key(const struct columns *columns, const char *key)
{
    for (unsigned i = 0; i < columns->count; i++)
        if (columns->list[i].key && !strcmp(columns->list[i].key, key))
            return true;
    return false;
}

static void check_members(const struct columns *columns, const char *manual, int depth)
{
    for (unsigned i = 0; i < columns->count; i++) {
        const struct column *column = &columns->list[i];
        if (column->key && !has_word(manual, column->key))
            fail_msg("JSON member %s is not in the manual", column->key);
        if (column->after && !has_key(columns, column->after))
            fail_msg("%s follows %s, which is not there", column->key, column->after);
        if (column->rows && depth < DEEPEST)
            check_members(column->rows, manual, depth + 1);
        if (column->members && depth < DEEPEST)
            check_members(column->members, manual, depth + 1);
    }
}

static void every_member_is_in_the_manual(void **state)
{
    char *manual = json_chapter();
    (void)state;
    for (size_t i = 0; i < WRITTEN; i++)
        check_members(written[i], manual, 0);
    free(manual);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_fit_at_every_width),
        cmocka_unit_test(the_interval_stays_when_there_is_little_room),
        cmocka_unit_test(columns_of_events_stand_only_where_measured),
        cmocka_unit_test(names_keep_a_width_before_lesser_columns),
        cmocka_unit_test(unknown_is_blank_and_zero_is_zero),
        cmocka_unit_test(text_to_be_read_has_room_before_figures),
        cmocka_unit_test(names_lose_their_middle),
        cmocka_unit_test(order_puts_unknown_last_both_ways),
        cmocka_unit_test(matching_ignores_case_and_looks_at_all_text),
        cmocka_unit_test(every_titled_column_is_explained_once),
        cmocka_unit_test(every_member_is_in_the_manual),
    };
    setlocale(LC_ALL, "C.UTF-8");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
