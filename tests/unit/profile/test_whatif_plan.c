/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What-if questions: their syntax, the resulting layouts, requests and answers of a simulation,
 * valid and malicious. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/hash.h"
#include "profile/whatif.h"
#include "sample/simulated/sim_memory.h"
#include "unit.h"

#define MEMBER(NAME, OFFSET, SIZE, SAMPLES)                                                        \
    {                                                                                              \
        .kind = LAYOUT_MEMBER,                                                                     \
        .member = {.name = (NAME), .type = "", .offset = (OFFSET), .size = (SIZE)},                \
        .samples = (SAMPLES)                                                                       \
    }

/* struct { char tag; (7) double x; uint32_t count, flags; double rest[3]; } */
static struct snapshot_layout_row rows[] = {
    MEMBER("tag", 0, 1, 0),
    {.kind = LAYOUT_HOLE, .member = {.name = "", .offset = 1, .size = 7}, .samples = 0},
    MEMBER("x", 8, 8, 700),
    MEMBER("count", 16, 4, 250),
    MEMBER("flags", 20, 4, 40),
    {.kind = LAYOUT_MEMBER,
     .member = {.name = "rest", .type = "", .offset = 24, .size = 24, .stride = 8, .count = 3},
     .samples = 10},
};

static const struct snapshot_layout layout = {
    .type = 7, .name = "struct t", .size = 48, .rows = rows, .row_count = 6};
static const struct snapshot_object object = {.name = "table", .address = 0x601010, .blocks = 1};

static int plan_as(const char *words, const struct snapshot_layout *of, struct whatif_plan *plan,
                   struct error *error)
{
    char text[160];
    char name[64];
    struct whatif_request wanted;
    snprintf(text, sizeof text, "table:%s", words);
    assert_int_equal(whatif_parse(text, &wanted, name, sizeof name, error), 0);
    return whatif_plan(&wanted, &object, of, 64, plan, error);
}

static struct whatif_plan planned(const char *words)
{
    struct whatif_plan plan;
    struct error error = {0};
    int code = plan_as(words, &layout, &plan, &error);
    if (code)
        print_error("plan '%s' was refused: %s\n", words, error.text);
    assert_int_equal(code, 0);
    return plan;
}

static void expect_refused(const char *words, const struct snapshot_layout *of, const char *why)
{
    struct whatif_plan plan;
    struct error error = {0};
    assert_int_equal(plan_as(words, of, &plan, &error), -EINVAL);
    if (!strstr(error.text, why))
        print_error("plan '%s': expected '%s' in '%s'\n", words, why, error.text);
    assert_non_null(strstr(error.text, why));
}

static void whatif_words_are_parsed(void **state)
{
    static const char *const right[] = {"never",           "split=x", "hot",    "hot=x,count",
                                        "order",           "pad",     "pad=64", "align",
                                        "align-object=32", "pool",    "arrays", "split=+16"};
    static const char *const wrong[] = {
        "table",          ":never",        "table:",      "table:nevr",  "table:split",
        "table:split=",   "table:never=1", "table:pad=x", "table:pad=0", "table:pad=99999999999",
        "table:split=a,b"};
    struct whatif_request wanted;
    struct error error;
    char name[64];
    char words[160];
    (void)state;
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        char text[80];
        snprintf(text, sizeof text, "libc.so.6:main_arena:%s", right[i]);
        assert_int_equal(whatif_parse(text, &wanted, name, sizeof name, &error), 0);
        assert_string_equal(name, "libc.so.6:main_arena");
        whatif_words(&wanted, words, sizeof words);
        assert_string_equal(words, right[i]);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(whatif_parse(wrong[i], &wanted, name, sizeof name, &error), -EINVAL);
    assert_non_null(strstr(error.text, "align-object"));
}

static void assert_part(const struct whatif_plan *plan, unsigned i, uint32_t from, uint32_t end,
                        uint32_t array, uint32_t at)
{
    const struct relayout_part *part = &plan->layout.part[i];
    assert_true(i < plan->layout.part_count);
    assert_int_equal(part->from_bytes, from);
    assert_int_equal(part->end_bytes, end);
    assert_int_equal(part->array, array);
    assert_int_equal(part->at_bytes, at);
}

static void hot_separates_the_hottest_members(void **state)
{
    (void)state;
    /* x and count have 95 %: the smallest set that reaches nine tenths. */
    struct whatif_plan plan = planned("hot");
    assert_int_equal(plan.layout.element_bytes, 48);
    assert_int_equal(plan.layout.array[0].stride_bytes, 16);
    assert_part(&plan, 0, 0, 1, 1, 0);
    assert_part(&plan, 1, 8, 20, 0, 0);
    assert_part(&plan, 2, 20, 48, 1, 4);
    assert_int_equal(plan.layout.array[1].stride_bytes, 32);
    assert_true(plan.element == 48 && plan.sizes[0] == 16 && plan.sizes[1] == 32);
    assert_int_equal(plan.count, 2);
    assert_string_equal(plan.members[0], "x");
    assert_string_equal(plan.members[1], "count");
    plan = planned("hot=count,+0");
    assert_part(&plan, 0, 0, 1, 0, 0);
    assert_part(&plan, 2, 16, 20, 0, 4);
    assert_int_equal(plan.layout.array[0].stride_bytes, 8);
    expect_refused("hot=none", &layout, "no direct member none");
    expect_refused("hot=tag,x,count,flags,rest", &layout, "nothing to separate");
}

static void split_divides_struct_at_a_member(void **state)
{
    (void)state;
    struct whatif_plan plan = planned("split=count");
    assert_int_equal(plan.layout.part_count, 2);
    assert_part(&plan, 0, 0, 16, 0, 0);
    assert_part(&plan, 1, 16, 48, 1, 0);
    assert_int_equal(plan.layout.array[0].stride_bytes, 16);
    assert_int_equal(plan.layout.array[1].stride_bytes, 32);
    plan = planned("split=+20");
    assert_part(&plan, 1, 20, 48, 1, 0);
    expect_refused("split=tag", &layout, "the first member");
    expect_refused("split=+48", &layout, "no member");
}

/* The hole after count takes flags and tag, so the struct gets shorter, not longer. */
static void order_puts_hottest_members_first(void **state)
{
    (void)state;
    struct whatif_plan plan = planned("order");
    assert_int_equal(plan.layout.array_count, 1);
    assert_int_equal(plan.layout.array[0].stride_bytes, 48);
    assert_part(&plan, 0, 0, 1, 0, 40);
    assert_part(&plan, 1, 8, 48, 0, 0);
    plan = planned("arrays");
    assert_int_equal(plan.layout.array_count, 5);
    assert_int_equal(plan.layout.array[4].stride_bytes, 24);
    assert_part(&plan, 4, 24, 48, 4, 0);
}

static void pad_and_align_move_whole_elements(void **state)
{
    (void)state;
    struct whatif_plan plan = planned("pad");
    assert_int_equal(plan.layout.array[0].stride_bytes, 64);
    assert_int_equal(plan.layout.array[0].align_bytes, 1);
    assert_int_equal(plan.layout.phase_bytes, 0x10);
    assert_part(&plan, 0, 0, 48, 0, 0);
    assert_int_equal(planned("pad=56").layout.array[0].stride_bytes, 56);
    plan = planned("align");
    assert_int_equal(plan.layout.array[0].stride_bytes, 64);
    assert_int_equal(plan.layout.array[0].align_bytes, 64);
    plan = planned("align-object");
    assert_int_equal(plan.layout.array[0].stride_bytes, 48);
    assert_int_equal(plan.layout.array[0].align_bytes, 64);
    assert_int_equal(planned("pool").layout.array[0].stride_bytes, 48);
    assert_int_equal(planned("never").layout.part_count, 0);
    expect_refused("pad=47", &layout, "48 bytes, more than 47");
    expect_refused("align=48", &layout, "power of two");
    expect_refused("pad=48", &layout, "already have this layout");
    struct snapshot_layout line = layout;
    line.size = 64;
    expect_refused("pad", &line, "64 bytes already have this layout");
}

static void most_plans_without_a_type_are_refused(void **state)
{
    struct whatif_plan plan;
    struct error error;
    (void)state;
    expect_refused("hot", NULL, "its type and element size are not known");
    expect_refused("arrays", NULL, "its type and element size are not known");
    expect_refused("pad", NULL, "its type and element size are not known");
    expect_refused("align", NULL, "its type and element size are not known");
    assert_int_equal(plan_as("align-object", NULL, &plan, &error), 0);
    assert_int_equal(plan.layout.element_bytes, 64);
    assert_int_equal(plan_as("never", NULL, &plan, &error), 0);
    assert_int_equal(plan_as("split=+16", NULL, &plan, &error), 0);
}

/* Whatever the debugging information claims about members: refused, or a valid layout. */
static void arbitrary_members_give_valid_plan_or_refusal(void **state)
{
    static const char *const questions[] = {"hot",   "order", "arrays",    "pad",
                                            "align", "pool",  "split=+24", "hot=m"};
    enum { ROWS = 300, ROUNDS = 4000 };
    static struct snapshot_layout_row any[ROWS];
    struct prng prng = {5};
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        size_t count = prng_below(&prng, round % 10 ? 12 : ROWS);
        for (size_t i = 0; i < count; i++)
            any[i] = (struct snapshot_layout_row){
                .kind = (enum layout_row_kind)prng_below(&prng, 4),
                .member = {.name = prng_below(&prng, 2) ? "m" : "",
                           .type = "",
                           .offset = prng_below(&prng, 20) ? prng_below(&prng, 70) : UINT64_MAX - 8,
                           .size = prng_below(&prng, 20) ? prng_below(&prng, 30) : UINT64_MAX - 3,
                           .stride = (uint32_t)prng_below(&prng, 9),
                           .depth = (uint16_t)prng_below(&prng, 2)},
                .samples = (double)prng_below(&prng, 100)};
        struct snapshot_layout drawn = {.name = "t",
                                        .type = 1,
                                        .size = prng_below(&prng, 30) ? 1 + prng_below(&prng, 80)
                                                                      : UINT64_MAX,
                                        .rows = any,
                                        .row_count = count};
        struct whatif_plan plan;
        struct error error;
        if (!plan_as(questions[prng_below(&prng, 8)], &drawn, &plan, &error)) {
            const struct relayout *new_layout = &plan.layout;
            assert_true(new_layout->part_count <= RELAYOUT_PARTS_MAX);
            for (uint32_t i = 0; i < new_layout->part_count; i++) {
                const struct relayout_part *part = &new_layout->part[i];
                assert_true(part->end_bytes > part->from_bytes &&
                            part->end_bytes <= new_layout->element_bytes);
                assert_true(!i || part->from_bytes >= part[-1].end_bytes);
                assert_true(part->array < new_layout->array_count &&
                            part->at_bytes + part->end_bytes - part->from_bytes <=
                                new_layout->array[part->array].stride_bytes);
            }
        }
    }
}

static void whatif_stall_cycles_are_weighed(void **state)
{
    struct snapshot_whatif answer = {.level_count = 2};
    (void)state;
    answer.level[0] = (struct snapshot_whatif_level){.before = 1000, .object_before = 900};
    answer.level[1] = (struct snapshot_whatif_level){.before = 100, .object_before = 100};
    whatif_weigh(&answer, true);
    assert_true(answer.level[0].after == 100 && answer.level[1].after == 0);
    /* L1 to L2 is 14 - 4 cycles, L2 to memory 200 - 14. */
    assert_true(answer.stall_before == 1000 * 10 + 100 * 186);
    assert_true(answer.stall_after == 100 * 10);
    assert_true(whatif_miss_cycles(2, 3) == 156);
    assert_true(whatif_miss_cycles(0, 1) == 196);
}

/* Hits in L2, L3 and memory cost 10, 40 and 196 cycles. */
static void costliest_level_is_selected(void **state)
{
    struct snapshot_simulation simulation = {.level_count = 3};
    (void)state;
    assert_int_equal(whatif_costliest_level(&simulation, 2), 2);
    simulation.level[0].load_misses = 1000000;
    simulation.level[1].load_misses = 20000;
    simulation.level[2].load_misses = 20000; /* first references */
    assert_int_equal(whatif_costliest_level(&simulation, 2), 0);
    /* 9.8 and 7.8 million cycles: the ranking level stays. */
    simulation.level[2].load_misses = simulation.level[1].load_misses = 40000;
    assert_int_equal(whatif_costliest_level(&simulation, 2), 2);
    assert_int_equal(whatif_costliest_level(&simulation, 0), 0);
    simulation.level[1].store_misses = 500000;
    simulation.level[0].store_misses = 500000;
    assert_int_equal(whatif_costliest_level(&simulation, 0), 1);
    /* Levels are read one after the other while the program runs. */
    simulation.level[1].store_misses = UINT64_MAX / 2;
    assert_int_equal(whatif_costliest_level(&simulation, 2), 1);
    simulation.level_count = 1;
    assert_int_equal(whatif_costliest_level(&simulation, 0), 0);
}

/* ---- through shared memory ---- */

static void whatif_question_is_listed_and_answered(void **state)
{
    static const struct sim_settings wanted = {.levels = {{32768, 8, 64}}, .level_count = 1};
    struct sim_memory memory;
    struct whatif_plan plan = planned("hot");
    (void)state;
    assert_int_equal(sim_memory_open(&memory, &wanted, NULL), 0);
    struct sim_shared *tool = memory.shared;
    uint64_t number = sim_whatif_ask(&memory, 2, &plan.layout, true);
    assert_int_equal(tool->questions[2].number, number);
    assert_int_equal(sim_whatif_answer(&memory, 2).state, SIM_ANSWER_NONE);
    assert_true(sim_whatif_block(&memory, 2, 0x1000, 48));
    sim_whatif_path(&memory, 2, 5, SIM_PATH_ASKED);
    sim_whatif_path(&memory, 2, UINT32_MAX, SIM_PATH_ASKED);
    assert_int_equal(tool->paths[2][5], SIM_PATH_ASKED);
    assert_int_not_equal(tool->questions[2].listed_number, number);
    sim_whatif_listed(&memory, 2);
    assert_int_equal(tool->questions[2].listed_number, number);
    assert_int_equal(tool->questions[2].block_count, 1);
    tool->answers[2].question = number;
    tool->answers[2].state = 77;
    memset(tool->answers[2].why, '\033', sizeof tool->answers[2].why);
    struct sim_answer answer = sim_whatif_answer(&memory, 2);
    assert_int_equal(answer.state, SIM_ANSWER_NONE);
    assert_null(strchr(answer.why, '\033'));
    tool->questions[2].block_count = UINT32_MAX;
    assert_false(sim_whatif_block(&memory, 2, 0x1000, 48));
    /* The next question starts empty. */
    assert_int_equal(sim_whatif_ask(&memory, 2, &plan.layout, true), number + 1);
    assert_int_equal(tool->paths[2][5], SIM_PATH_UNKNOWN);
    assert_int_equal(tool->questions[2].block_count, 0);
    sim_whatif_end(&memory, 2);
    assert_int_equal(tool->questions[2].number, 0);
    sim_memory_close(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whatif_words_are_parsed),
        cmocka_unit_test(hot_separates_the_hottest_members),
        cmocka_unit_test(split_divides_struct_at_a_member),
        cmocka_unit_test(order_puts_hottest_members_first),
        cmocka_unit_test(pad_and_align_move_whole_elements),
        cmocka_unit_test(most_plans_without_a_type_are_refused),
        cmocka_unit_test(arbitrary_members_give_valid_plan_or_refusal),
        cmocka_unit_test(whatif_stall_cycles_are_weighed),
        cmocka_unit_test(whatif_question_is_listed_and_answered),
        cmocka_unit_test(costliest_level_is_selected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
