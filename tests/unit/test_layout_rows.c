/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows of the Layout screen: what is noted, where lines part them, what folding leaves out. */
#include "unit.h"

#include "snapshot_fixture.h"
#include "view/pages/layout.h"

#include <string.h>

struct fixture {
    const struct snapshot *snapshot;
    struct layout_rows rows;
    struct layout_folds folds;
};

static int setup(void **state)
{
    static struct fixture fixture;
    fixture = (struct fixture){.snapshot = fixture_new(FIXTURE_TYPED, 0)};
    *state = &fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;
    layout_rows_fini(&fixture->rows);
    fixture_release(fixture->snapshot);
    return 0;
}

static const struct snapshot_layout *layout_of(struct fixture *fixture, const char *name)
{
    for (size_t i = 0; i < fixture->snapshot->object_count; i++)
        for (size_t k = 0; k < fixture->snapshot->objects[i].layout_count; k++)
            if (!strcmp(fixture->snapshot->objects[i].layouts[k].name, name))
                return &fixture->snapshot->objects[i].layouts[k];
    fail_msg("no layout of %s", name);
    return NULL;
}

static const struct layout_row *make(struct fixture *fixture, const char *name)
{
    layout_rows_make(&fixture->rows, layout_of(fixture, name), &fixture->folds);
    return fixture->rows.list;
}

static const struct layout_row *row_of(struct fixture *fixture, const char *text)
{
    for (size_t i = 0; i < fixture->rows.count; i++)
        if (!strcmp(fixture->rows.list[i].text, text))
            return &fixture->rows.list[i];
    fail_msg("no row \"%s\"", text);
    return NULL;
}

static void lines_stand_where_the_phase_cuts(void **state)
{
    struct fixture *fixture = *state;
    const struct layout_row *rows = make(fixture, "struct particle");
    /* elements begin at byte 16: the first line ends before byte 48 */
    assert_null(rows[0].row);
    assert_string_equal(rows[0].text, "line 0  78.0%  24 of 48 bytes used, 24 cold");
    assert_string_equal(rows[1].text, "pos");
    assert_null(rows[6].row);
    assert_string_equal(rows[6].text, "line 1  22.0%  12 of 16 bytes used, 4 cold");
    assert_string_equal(rows[7].text, "mass");
    assert_int_equal(fixture->rows.count, 9 + 2);
}

static void what_costs_is_noted(void **state)
{
    struct fixture *fixture = *state;
    make(fixture, "struct particle");
    assert_string_equal(row_of(fixture, "  y")->note, "hottest");
    assert_string_equal(row_of(fixture, "mass")->note, "HOT, on another line");
    assert_string_equal(row_of(fixture, "pos")->note, ""); /* warm, and on the hottest line */
    assert_string_equal(row_of(fixture, "  z")->note, "cold, fetched along");
    assert_string_equal(row_of(fixture, "id")->note, "");
    make(fixture, "struct order");
    assert_string_equal(row_of(fixture, "split")->note, "STRADDLES 2 lines");
    assert_string_equal(row_of(fixture, "- history")->note, "over 8 lines");
    assert_string_equal(row_of(fixture, "(padding)")->note, "empty, fetched along");
    assert_string_equal(row_of(fixture, "- (no name)")->note, "its members overlap");
    assert_string_equal(row_of(fixture, "- (base class)")->note, "");
    assert_string_equal(row_of(fixture, "  (vtable)")->row->member.type, "int (**)(void)");
}

static void lines_inside_one_member_share_a_rule(void **state)
{
    struct fixture *fixture = *state;
    make(fixture, "struct order");
    const struct layout_row *inside = row_of(fixture, "lines 2-7  0.0%  0 of 384 bytes used");
    assert_string_equal(inside[-1].text, "  by");
    assert_string_equal(inside[1].text, "line 8  40.0%  8 of 64 bytes used, 56 cold");
    assert_string_equal(inside[2].text, "next");
}

static void bits_and_nesting_show_in_the_name(void **state)
{
    struct fixture *fixture = *state;
    make(fixture, "struct particle");
    row_of(fixture, "alive : 1");
    row_of(fixture, "kind : 3");
    make(fixture, "struct order");
    row_of(fixture, "    price"); /* in a struct in a union */
    row_of(fixture, "  (hole)");
}

static void folding_leaves_the_inner_ones_out(void **state)
{
    struct fixture *fixture = *state;
    make(fixture, "struct particle");
    uint32_t vel = row_of(fixture, "- vel")->row->index;
    uint64_t identity = row_of(fixture, "- vel")->identity;
    assert_true(layout_fold(&fixture->folds, vel));
    make(fixture, "struct particle");
    assert_int_equal(row_of(fixture, "+ vel")->identity, identity);
    assert_int_equal(fixture->rows.count, 9 + 2 - 3);
    for (size_t i = 0; i < fixture->rows.count; i++)
        assert_string_not_equal(fixture->rows.list[i].text, "  y");
    assert_true(layout_fold(&fixture->folds, vel)); /* unfolds */
    make(fixture, "struct particle");
    row_of(fixture, "  y");
    for (uint32_t i = 0; i < 64; i++)
        assert_true(layout_fold(&fixture->folds, 100 + i));
    assert_false(layout_fold(&fixture->folds, 500)); /* bounded */
}

/* Offsets and depths of a target that lies. */
static void nonsense_stays_in_bounds(void **state)
{
    struct fixture *fixture = *state;
    const struct snapshot *hostile = fixture_new(FIXTURE_HOSTILE, 0);
    for (size_t i = 0; i < hostile->object_count; i++)
        for (size_t k = 0; k < hostile->objects[i].layout_count; k++) {
            const struct snapshot_layout *layout = &hostile->objects[i].layouts[k];
            layout_rows_make(&fixture->rows, layout, &fixture->folds);
            assert_true(fixture->rows.count <= layout->row_count + 2 * layout->line_count);
        }
    fixture_release(hostile);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(lines_stand_where_the_phase_cuts),     TEST(what_costs_is_noted),
        TEST(lines_inside_one_member_share_a_rule), TEST(bits_and_nesting_show_in_the_name),
        TEST(folding_leaves_the_inner_ones_out),    TEST(nonsense_stays_in_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
