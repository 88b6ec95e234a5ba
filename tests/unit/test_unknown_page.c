/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the screens say of code that waits for data nobody can name. */
#include "unit.h"

#include "page_fixture.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char note[] = "object unknown: overwritten";

static bool source(void *context, const char *file, uint32_t line, char *out, size_t size)
{
    (void)context;
    snprintf(out, size, "text %u of %s", line, file);
    return true;
}

static void show(struct snapshot *snapshot, const char *keys)
{
    page_open(FIXTURE_EMPTY, 44, 120, true, "");
    page_browser.sources.source = source;
    browser_show(&page_browser, snapshot, fixture_release);
    for (; *keys; keys++)
        page_press(*keys == '\n' ? KEYS_ENTER : (uint32_t)*keys);
}

static struct snapshot *usual(enum fixture_kind kind)
{
    struct snapshot *snapshot = (struct snapshot *)(uintptr_t)fixture_new(kind, 0);
    assert_non_null(snapshot);
    return snapshot;
}

/* The third function has most of all samples, and none of a known object. */
static struct snapshot *with_unknown(void)
{
    struct snapshot *snapshot = usual(FIXTURE_TYPED);
    struct snapshot_code *code = &snapshot->code[2];
    struct snapshot_instruction *instruction = &snapshot->code[0].instructions[0];
    for (size_t i = 0; i < snapshot->code_count; i++)
        snapshot->code[i].all_share = snapshot->code[i].share.value / 2;
    code->samples = 0;
    code->share.value = 0;
    code->all_share = code->unknown_share = 0.401;
    code->unknown_samples = 20000;
    code->unknown_note = note;
    code->instructions = instruction;
    code->instruction_count = 1;
    *instruction = (struct snapshot_instruction){.address = instruction->address,
                                                 .file = instruction->file,
                                                 .line = instruction->line,
                                                 .unknown_samples = 20000,
                                                 .unknown_note = note,
                                                 .share = 1,
                                                 .object = UINT32_MAX,
                                                 .object_share = NAN};
    return snapshot;
}

static void the_function_leads(void **state)
{
    (void)state;
    struct snapshot *snapshot = with_unknown();
    show(snapshot, "5");
    int at = page_row_with(snapshot->code[2].function);
    int other = page_row_with(snapshot->code[0].function);
    assert_true(at > 0 && at + 1 == other);
    assert_true(page_column_of(at, "40.1%") > 0 && page_column_of(at, note) > 0);
    assert_true(page_column_of(at - 1, "ALL") > 0 && page_column_of(at - 1, "UNKNOWN") > 0);
    /* Another column that the user takes stays. */
    for (int i = 0; i < 4; i++)
        page_press('>');
    unsigned sort = browser_table_of(&page_browser, &function_columns)->sort;
    browser_show(&page_browser, with_unknown(), fixture_release);
    assert_int_equal(browser_table_of(&page_browser, &function_columns)->sort, sort);
    page_close();
}

static void without_any_the_columns_are_not_there(void **state)
{
    (void)state;
    show(usual(FIXTURE_TYPED), "5");
    assert_int_equal(page_row_with("UNKNOWN"), -1);
    assert_true(page_row_with("SHARE") > 0);
    assert_string_equal(table_sort_title(browser_table_of(&page_browser, &function_columns)),
                        "SHARE");
    page_close();
}

static void the_totals_name_it(void **state)
{
    (void)state;
    struct snapshot *snapshot = with_unknown();
    char text[96];
    snprintf(text, sizeof text, "mostly in %s", snapshot->code[2].function);
    show(snapshot, "1");
    int at = page_row_with(text);
    assert_true(at > 0 && page_column_of(at, "Not attributed") >= 0);
    snapshot->code[1].unknown_samples = 20000; /* no more than half each */
    browser_draw(&page_browser, &page_canvas, 0);
    assert_int_equal(page_row_with("mostly in"), -1);
    page_close();
}

static void its_page_says_where_and_why(void **state)
{
    (void)state;
    show(with_unknown(), "5\n");
    int head = page_row_with("40.1% of all samples");
    assert_true(head > 0 && page_column_of(head, note) > 0);
    int line = page_row_with("LINE");
    assert_true(line > head);
    int told = 0;
    for (int at = line; at < page_canvas.rows; at++)
        told += page_column_of(at, note) > 0;
    assert_int_equal(told, 2); /* the line, and the instruction below */
    page_close();
}

static void a_line_without_accesses_is_named(void **state)
{
    (void)state;
    show(with_unknown(), "5\nj");
    const struct source_row *row = table_selected(browser_table_of(&page_browser, &source_columns));
    char text[64];
    assert_true(row && row->line && !row->sites);
    snprintf(text, sizeof text, "Line %u has no samples", row->line);
    assert_true(page_row_with(text) > 0);
    page_close();
}

static void a_plain_value_has_no_layout(void **state)
{
    (void)state;
    struct snapshot *snapshot = usual(FIXTURE_USUAL);
    for (size_t i = 0; i < snapshot->object_count; i++) {
        snapshot->objects[i].type = "long unsigned int";
        snapshot->objects[i].layout_count = 0;
    }
    show(snapshot, "8");
    assert_true(page_row_with("is long unsigned int: a plain value") > 0);
    assert_int_equal(page_row_with("build with -g"), -1);
    page_close();
}

/* Figures beside it may go, but the text is what the screen is opened for. */
static void a_long_line_has_the_room(void **state)
{
    (void)state;
    static struct source_row row = {
        .file = "a.c", .line = 42, .sites = 1, .samples = 9, .share = 1, .loads = 9};
    static const char text[] = "    for (int i = 0; i < 2000; i++) sum += index_by_price[(rnd(s) + "
                               "sum) % (1 << 23)];";
    struct layout layout;
    const struct snapshot *snapshot = usual(FIXTURE_EMPTY);
    strcpy(row.text, text);
    columns_layout(&source_columns, snapshot, &row, 1, 120, true, &layout);
    int width = 0;
    for (unsigned i = 0; i < layout.count; i++)
        if (!strcmp(source_columns.list[layout.places[i].index].title, "SOURCE"))
            width = layout.places[i].width;
    assert_true(width >= (int)strlen(text));
    fixture_release(snapshot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_function_leads),
        cmocka_unit_test(without_any_the_columns_are_not_there),
        cmocka_unit_test(the_totals_name_it),
        cmocka_unit_test(its_page_says_where_and_why),
        cmocka_unit_test(a_line_without_accesses_is_named),
        cmocka_unit_test(a_plain_value_has_no_layout),
        cmocka_unit_test(a_long_line_has_the_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
