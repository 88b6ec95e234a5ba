/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Source lines of a function: which ones, in which order, with what around them. */
#include "unit.h"

#include "snapshot_fixture.h"
#include "view/pages/function.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LINES_IN_FILE = 93 };

static bool source(void *context, const char *file, uint32_t line, char *out, size_t size)
{
    if (!context || !strstr(file, "demo.c") || line > LINES_IN_FILE)
        return false;
    snprintf(out, size, "text %u", line);
    return true;
}

struct fixture {
    const struct snapshot *snapshot;
    const struct snapshot_code *code;
    struct source_rows rows;
};

static int setup(void **state)
{
    static struct fixture fixture;
    fixture = (struct fixture){.snapshot = fixture_new(FIXTURE_TYPED, 0)};
    fixture.code = &fixture.snapshot->code[0];
    *state = &fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;
    source_rows_fini(&fixture->rows);
    fixture_release(fixture->snapshot);
    return 0;
}

static void make(struct fixture *fixture, bool readable)
{
    struct screen_sources sources = {.context = readable ? fixture : NULL, .source = source};
    source_rows_make(&fixture->rows, fixture->code, &sources);
}

/* "70 71 |" and so on; | parts, a line with samples is in brackets. */
static const char *shape(const struct source_rows *rows)
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

static void hot_lines_stand_among_their_neighbours(void **state)
{
    struct fixture *fixture = *state;
    make(fixture, true);
    /* from the function's head; a gap; up to the end of the file; the header; no line */
    assert_string_equal(shape(&fixture->rows),
                        "| 70 71 72 73 [74] [75] 76 77 78 | 89 90 91 [92] 93 | [12] | [0] ");
    assert_true(fixture->rows.unreadable); /* the header */
    assert_string_equal(fixture->rows.list[0].text, "/build/demo/src/demo.c");
    assert_string_equal(fixture->rows.list[1].text, "text 70");
    assert_true(isnan(fixture->rows.list[1].samples));
}

static void instructions_of_a_line_add_up(void **state)
{
    struct fixture *fixture = *state;
    struct screen_sources none = {0};
    struct instruction_rows instructions = {0};
    make(fixture, true);
    const struct source_row *row = &fixture->rows.list[6];
    assert_int_equal(row->line, 75);
    assert_int_equal(row->sites, 2);
    assert_true(fabs(row->share - 0.75) < 1e-9);
    assert_string_equal(row->hottest->field, "particle.vel.y");
    instruction_rows_make(&instructions, fixture->code, row, &none);
    assert_int_equal(instructions.count, 2);
    assert_string_equal(instructions.list[1].instruction->field, "particle.vel.x");
    instruction_rows_make(&instructions, fixture->code, &fixture->rows.list[1], &none);
    assert_int_equal(instructions.count, 0); /* context */
    instruction_rows_make(&instructions, fixture->code, NULL, &none);
    assert_int_equal(instructions.count, 6);
    const struct source_row *last = &fixture->rows.list[fixture->rows.count - 1];
    instruction_rows_make(&instructions, fixture->code, last, &none);
    assert_int_equal(instructions.count, 1); /* that without a line */
    instruction_rows_fini(&instructions);
}

static void inlined_code_says_so(void **state)
{
    struct fixture *fixture = *state;
    make(fixture, true);
    size_t at = fixture->rows.count - 3;
    assert_string_equal(fixture->rows.list[at].inlined, "min < clamp");
    assert_string_equal(fixture->rows.list[at - 1].text,
                        "/build/demo/include/clamp.h  inlined: min < clamp");
}

static void without_the_file_only_hot_lines_are_left(void **state)
{
    struct fixture *fixture = *state;
    make(fixture, false);
    assert_string_equal(shape(&fixture->rows), "| [74] [75] [92] | [12] | [0] ");
    assert_true(fixture->rows.unreadable);
}

static void a_head_far_above_leaves_a_gap(void **state)
{
    struct fixture *fixture = *state;
    struct snapshot_code code = *fixture->code;
    code.line = 10;
    fixture->code = &code;
    make(fixture, true);
    assert_memory_equal(shape(&fixture->rows), "| 10 | 71 72 73 [74]", 20);
    code.line = 80; /* of another function, or wrong */
    make(fixture, true);
    assert_memory_equal(shape(&fixture->rows), "| 71 72 73 [74]", 15);
}

static void no_line_known_makes_no_rows(void **state)
{
    struct fixture *fixture = *state;
    const struct snapshot *bare = fixture_new(FIXTURE_USUAL, 0);
    fixture->code = &bare->code[0];
    make(fixture, true);
    assert_int_equal(fixture->rows.count, 0);
    fixture_release(bare);
}

static void lines_at_both_ends_do_not_wrap(void **state)
{
    struct fixture *fixture = *state;
    struct snapshot_instruction ends[] = {{.file = "demo.c", .line = 1, .samples = 1},
                                          {.file = "demo.c", .line = UINT32_MAX, .samples = 1}};
    struct snapshot_code code = {.file = "demo.c", .instructions = ends, .instruction_count = 2};
    fixture->code = &code;
    make(fixture, true);
    assert_string_equal(shape(&fixture->rows), "| [1] 2 3 4 | [4294967295] ");
    make(fixture, false);
    assert_string_equal(shape(&fixture->rows), "| [1] [4294967295] ");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(hot_lines_stand_among_their_neighbours),
        TEST(instructions_of_a_line_add_up),
        TEST(inlined_code_says_so),
        TEST(without_the_file_only_hot_lines_are_left),
        TEST(a_head_far_above_leaves_a_gap),
        TEST(no_line_known_makes_no_rows),
        TEST(lines_at_both_ends_do_not_wrap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
