/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows of the Layout screen: notes, rules between lines, folded members. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"
#include "unit/view/snapshot_fixture.h"
#include "view/screens/rows.h"

struct layout_rows_fixture {
    const struct snapshot *snapshot;
    struct layout_rows rows;
    struct layout_folds folds;
};

static int layout_rows_setup(void **state)
{
    static struct layout_rows_fixture fixture;
    fixture = (struct layout_rows_fixture){.snapshot = fixture_new(FIXTURE_TYPED, 0)};
    *state = &fixture;
    return 0;
}

static int layout_rows_teardown(void **state)
{
    struct layout_rows_fixture *fixture = *state;
    free(fixture->rows.list);
    fixture_release(fixture->snapshot);
    return 0;
}

static const struct snapshot_layout *layout_of(struct layout_rows_fixture *fixture,
                                               const char *name)
{
    for (size_t i = 0; i < fixture->snapshot->object_count; i++)
        for (size_t k = 0; k < fixture->snapshot->objects[i].layout_count; k++)
            if (!strcmp(fixture->snapshot->objects[i].layouts[k].name, name))
                return &fixture->snapshot->objects[i].layouts[k];
    fail_msg("no layout is named %s", name);
    return NULL;
}

static const struct layout_row *layout_rows_test_make(struct layout_rows_fixture *fixture,
                                                      const char *name)
{
    layout_rows_make(&fixture->rows, layout_of(fixture, name), &fixture->folds);
    return fixture->rows.list;
}

static const struct layout_row *row_of(struct layout_rows_fixture *fixture, const char *text)
{
    for (size_t i = 0; i < fixture->rows.count; i++)
        if (!strcmp(fixture->rows.list[i].text, text))
            return &fixture->rows.list[i];
    fail_msg("no layout row '%s'", text);
    return NULL;
}

static void layout_lines_follow_the_element_phase(void **state)
{
    struct layout_rows_fixture *fixture = *state;
    const struct layout_row *rows = layout_rows_test_make(fixture, "struct particle");
    /* elements start at byte 16, so the first line ends before byte 48 */
    assert_null(rows[0].row);
    assert_string_equal(rows[0].text, "line 0  78.0%  24 of 48 bytes used, 24 cold");
    assert_string_equal(rows[1].text, "pos");
    assert_null(rows[6].row);
    assert_string_equal(rows[6].text, "line 1  22.0%  12 of 16 bytes used, 4 cold");
    assert_string_equal(rows[7].text, "mass");
    assert_int_equal(fixture->rows.count, 9 + 2);
}

static void layout_rows_note_hot_and_cold_members(void **state)
{
    struct layout_rows_fixture *fixture = *state;
    layout_rows_test_make(fixture, "struct particle");
    assert_string_equal(row_of(fixture, "  y")->note, "hottest");
    assert_string_equal(row_of(fixture, "mass")->note, "HOT, on another line");
    assert_string_equal(row_of(fixture, "pos")->note, ""); /* warm, and on the hottest line */
    assert_string_equal(row_of(fixture, "  z")->note, "cold, fetched along");
    assert_string_equal(row_of(fixture, "id")->note, "");
    layout_rows_test_make(fixture, "struct order");
    assert_string_equal(row_of(fixture, "split")->note, "STRADDLES 2 lines");
    assert_string_equal(row_of(fixture, "- history")->note, "over 8 lines");
    assert_string_equal(row_of(fixture, "(padding)")->note, "empty, fetched along");
    assert_string_equal(row_of(fixture, "- (no name)")->note, "its members overlap");
    assert_string_equal(row_of(fixture, "- (base class)")->note, "");
    assert_string_equal(row_of(fixture, "  (vtable)")->row->member.type, "int (**)(void)");
}

static void lines_inside_one_member_are_merged(void **state)
{
    struct layout_rows_fixture *fixture = *state;
    layout_rows_test_make(fixture, "struct order");
    const struct layout_row *inside = row_of(fixture, "lines 2-7  0.0%  0 of 384 bytes used");
    assert_string_equal(inside[-1].text, "  by");
    assert_string_equal(inside[1].text, "line 8  40.0%  8 of 64 bytes used, 56 cold");
    assert_string_equal(inside[2].text, "next");
}

static void bit_fields_and_nesting_show_in_names(void **state)
{
    struct layout_rows_fixture *fixture = *state;
    layout_rows_test_make(fixture, "struct particle");
    row_of(fixture, "alive : 1");
    row_of(fixture, "kind : 3");
    layout_rows_test_make(fixture, "struct order");
    row_of(fixture, "    price"); /* a struct in a union */
    row_of(fixture, "  (hole)");
}

static void folded_struct_hides_its_members(void **state)
{
    struct layout_rows_fixture *fixture = *state;
    layout_rows_test_make(fixture, "struct particle");
    uint32_t vel = row_of(fixture, "- vel")->row->index;
    uint64_t identity = row_of(fixture, "- vel")->identity;
    assert_true(layout_fold(&fixture->folds, vel));
    layout_rows_test_make(fixture, "struct particle");
    assert_int_equal(row_of(fixture, "+ vel")->identity, identity);
    assert_int_equal(fixture->rows.count, 9 + 2 - 3);
    for (size_t i = 0; i < fixture->rows.count; i++)
        assert_string_not_equal(fixture->rows.list[i].text, "  y");
    assert_true(layout_fold(&fixture->folds, vel)); /* unfolds */
    layout_rows_test_make(fixture, "struct particle");
    row_of(fixture, "  y");
    for (uint32_t i = 0; i < 64; i++)
        assert_true(layout_fold(&fixture->folds, 100 + i));
    assert_false(layout_fold(&fixture->folds, 500)); /* bounded */
}

/* Offsets and depths of hostile input. */
static void hostile_layout_rows_are_bounded(void **state)
{
    struct layout_rows_fixture *fixture = *state;
    const struct snapshot *hostile = fixture_new(FIXTURE_HOSTILE, 0);
    for (size_t i = 0; i < hostile->object_count; i++)
        for (size_t k = 0; k < hostile->objects[i].layout_count; k++) {
            const struct snapshot_layout *layout = &hostile->objects[i].layouts[k];
            layout_rows_make(&fixture->rows, layout, &fixture->folds);
            assert_true(fixture->rows.count <= layout->row_count + 2 * layout->line_count);
        }
    fixture_release(hostile);
}

static int run_layout_rows(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, layout_rows_setup, layout_rows_teardown)
    const struct CMUnitTest tests[] = {
        TEST(layout_lines_follow_the_element_phase), TEST(layout_rows_note_hot_and_cold_members),
        TEST(lines_inside_one_member_are_merged),    TEST(bit_fields_and_nesting_show_in_names),
        TEST(folded_struct_hides_its_members),       TEST(hostile_layout_rows_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#undef TEST

/* Source lines of a function: the selection, the order, and the context. */

enum { LINES_IN_FILE = 93 };

static bool source(void *context, const char *file, uint32_t line, char *out, size_t size)
{
    if (!context || !strstr(file, "demo.c") || line > LINES_IN_FILE)
        return false;
    snprintf(out, size, "text %u", line);
    return true;
}

struct source_rows_fixture {
    const struct snapshot *snapshot;
    const struct snapshot_code *code;
    struct source_rows rows;
};

static int source_rows_setup(void **state)
{
    static struct source_rows_fixture fixture;
    fixture = (struct source_rows_fixture){.snapshot = fixture_new(FIXTURE_TYPED, 0)};
    fixture.code = &fixture.snapshot->code[0];
    *state = &fixture;
    return 0;
}

static int source_rows_teardown(void **state)
{
    struct source_rows_fixture *fixture = *state;
    free(fixture->rows.list);
    fixture_release(fixture->snapshot);
    return 0;
}

static void source_rows_test_make(struct source_rows_fixture *fixture, bool readable)
{
    struct view_sources sources = {.context = readable ? fixture : NULL, .source = source};
    source_rows_make(&fixture->rows, fixture->code, &sources);
}

/* Formats the rows as "70 71 |"; | is a separator, lines with samples are in brackets. */
static const char *format_rows(const struct source_rows *rows)
{
    static char out[512];
    size_t used = 0;
    for (size_t i = 0; i < rows->count; i++) {
        const struct source_row *row = &rows->list[i];
        if (source_columns.parting(row))
            used += (size_t)snprintf(out + used, sizeof out - used, "| ");
        else
            used += (size_t)snprintf(out + used, sizeof out - used, row->sites ? "[%u] " : "%u ",
                                     row->line);
    }
    return out;
}

static void hot_source_lines_have_context(void **state)
{
    struct source_rows_fixture *fixture = *state;
    source_rows_test_make(fixture, true);
    /* from the head of the function; a gap; up to the end of the file; the header; no line */
    assert_string_equal(format_rows(&fixture->rows),
                        "| 70 71 72 73 [74] [75] 76 77 78 | 89 90 91 [92] 93 | [12] | [0] ");
    assert_true(fixture->rows.unreadable); /* the header */
    assert_string_equal(fixture->rows.list[0].text, "/build/demo/src/demo.c");
    assert_string_equal(fixture->rows.list[1].text, "text 70");
    assert_true(isnan(fixture->rows.list[1].samples));
}

static void source_line_sums_its_instructions(void **state)
{
    struct source_rows_fixture *fixture = *state;
    struct view_sources none = {0};
    struct instruction_rows instructions = {0};
    source_rows_test_make(fixture, true);
    const struct source_row *row = &fixture->rows.list[6];
    assert_int_equal(row->line, 75);
    assert_int_equal(row->sites, 2);
    assert_true(fabs(row->share - 0.75) < 1e-9);
    assert_string_equal(row->hottest->field, "particle.vel.y");
    instruction_rows_make(&instructions, fixture->code, row, &none);
    assert_int_equal(instructions.count, 2);
    assert_string_equal(instructions.list[1].instruction->field, "particle.vel.x");
    instruction_rows_make(&instructions, fixture->code, &fixture->rows.list[1], &none);
    assert_int_equal(instructions.count, 0); /* a context line */
    instruction_rows_make(&instructions, fixture->code, NULL, &none);
    assert_int_equal(instructions.count, 6);
    const struct source_row *last = &fixture->rows.list[fixture->rows.count - 1];
    instruction_rows_make(&instructions, fixture->code, last, &none);
    assert_int_equal(instructions.count, 1); /* the one without a line */
    free(instructions.list);
}

static void inlined_code_is_marked(void **state)
{
    struct source_rows_fixture *fixture = *state;
    source_rows_test_make(fixture, true);
    size_t at = fixture->rows.count - 3;
    assert_string_equal(fixture->rows.list[at].inlined, "min < clamp");
    assert_string_equal(fixture->rows.list[at - 1].text,
                        "/build/demo/include/clamp.h  inlined: min < clamp");
}

static void unreadable_source_shows_hot_lines_only(void **state)
{
    struct source_rows_fixture *fixture = *state;
    source_rows_test_make(fixture, false);
    assert_string_equal(format_rows(&fixture->rows), "| [74] [75] [92] | [12] | [0] ");
    assert_true(fixture->rows.unreadable);
}

static void distant_function_start_leaves_a_gap(void **state)
{
    struct source_rows_fixture *fixture = *state;
    struct snapshot_code code = *fixture->code;
    code.line = 10;
    fixture->code = &code;
    source_rows_test_make(fixture, true);
    assert_memory_equal(format_rows(&fixture->rows), "| 10 | 71 72 73 [74]", 20);
    code.line = 80; /* belongs to another function, or wrong */
    source_rows_test_make(fixture, true);
    assert_memory_equal(format_rows(&fixture->rows), "| 71 72 73 [74]", 15);
}

static void unknown_lines_give_no_rows(void **state)
{
    struct source_rows_fixture *fixture = *state;
    const struct snapshot *bare = fixture_new(FIXTURE_USUAL, 0);
    fixture->code = &bare->code[0];
    source_rows_test_make(fixture, true);
    assert_int_equal(fixture->rows.count, 0);
    fixture_release(bare);
}

static void line_numbers_at_limits_do_not_wrap(void **state)
{
    struct source_rows_fixture *fixture = *state;
    struct snapshot_instruction ends[] = {{.file = "demo.c", .line = 1, .samples = 1},
                                          {.file = "demo.c", .line = UINT32_MAX, .samples = 1}};
    struct snapshot_code code = {.file = "demo.c", .instructions = ends, .instruction_count = 2};
    fixture->code = &code;
    source_rows_test_make(fixture, true);
    assert_string_equal(format_rows(&fixture->rows), "| [1] 2 3 4 | [4294967295] ");
    source_rows_test_make(fixture, false);
    assert_string_equal(format_rows(&fixture->rows), "| [1] [4294967295] ");
}

static int run_source_rows(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, source_rows_setup, source_rows_teardown)
    const struct CMUnitTest tests[] = {
        TEST(hot_source_lines_have_context),
        TEST(source_line_sums_its_instructions),
        TEST(inlined_code_is_marked),
        TEST(unreadable_source_shows_hot_lines_only),
        TEST(distant_function_start_leaves_a_gap),
        TEST(unknown_lines_give_no_rows),
        TEST(line_numbers_at_limits_do_not_wrap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#undef TEST

int main(void)
{
    int failed = 0;
    failed += run_layout_rows();
    failed += run_source_rows();
    return failed;
}
