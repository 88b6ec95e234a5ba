/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include "base/hash.h"
#include "resolve/object_types.h"
#include "small_types.h"

#include <stdbool.h>
#include <stdio.h>

static struct types types;
static struct small_ids small;

static int start(void **state)
{
    (void)state;
    types_init(&types);
    small = small_types_add(&types);
    return 0;
}

static int end(void **state)
{
    (void)state;
    types_fini(&types);
    return 0;
}

static void add(struct votes *votes, uint32_t type, uint32_t count)
{
    while (count--)
        votes_add(votes, &types, type, true);
}

static void few_say_nothing(void **state)
{
    (void)state;
    struct votes votes = {0};
    assert_int_equal(votes_leader(&votes, &types), 0);
    for (uint32_t i = 1; i <= VOTES_MIN; i++) {
        add(&votes, small.particle, 1);
        assert_int_equal(votes_leader(&votes, &types), i < VOTES_MIN ? 0 : small.particle);
    }
}

static void most_is_not_enough(void **state)
{
    (void)state;
    struct votes votes = {0};
    add(&votes, small.particle, 40);
    add(&votes, small.node, 30);
    add(&votes, small.other, 30);
    assert_int_equal(votes_leader(&votes, &types), 0);
    add(&votes, small.particle, 60);
    assert_int_equal(votes_leader(&votes, &types), small.particle);
    uint32_t own;
    uint32_t against;
    votes_count(&votes, &types, small.particle, &own, &against);
    assert_int_equal(own, 100);
    assert_int_equal(against, 60);
}

/* A member's votes are for the type that has it, also when they are more. */
static void the_containing_type_wins(void **state)
{
    (void)state;
    struct votes votes = {0};
    uint32_t own;
    uint32_t against;
    add(&votes, small.vec3, 70);
    add(&votes, small.particle, 30);
    add(&votes, small.node, 20);
    assert_int_equal(votes_leader(&votes, &types), small.particle);
    votes_count(&votes, &types, small.particle, &own, &against);
    assert_int_equal(own, 100);
    assert_int_equal(against, 20);
}

/* Where a struct would not fit into the block it is not what the block is. */
static void misfits_do_not_lead(void **state)
{
    (void)state;
    struct votes votes = {0};
    add(&votes, small.particle, 60);
    for (int i = 0; i < 40; i++)
        votes_add(&votes, &types, small.particle, false);
    assert_int_equal(votes_leader(&votes, &types), 0);
    add(&votes, small.particle, 200);
    assert_int_equal(votes_leader(&votes, &types), small.particle);
}

/* Copies by plain numbers do not hide the struct; a few stray structs no array of numbers. */
static void scalars_only_without_structs(void **state)
{
    (void)state;
    struct votes votes = {0};
    add(&votes, small.number, 85);
    add(&votes, small.particle, 15);
    assert_int_equal(votes_leader(&votes, &types), small.particle);
    struct votes array = {0};
    add(&array, small.number, 95);
    add(&array, small.particle, 5);
    assert_int_equal(votes_leader(&array, &types), small.number);
}

/* Also where the plain numbers are of more kinds than are counted. */
static void many_kinds_of_scalars_hide_no_struct(void **state)
{
    (void)state;
    struct votes votes = {0};
    uint32_t scalars[6];
    for (uint32_t i = 0; i < 6; i++) {
        struct type_desc desc = {.name = (const char *[]){"a", "b", "c", "d", "e", "f"}[i],
                                 .kind = TYPE_SCALAR,
                                 .size = 4};
        scalars[i] = types_add(&types, 1, 20 + i, &desc);
    }
    for (uint32_t i = 0; i < 3000; i++)
        votes_add(&votes, &types, i % 4 ? scalars[i % 6] : small.particle, true);
    assert_int_equal(votes_leader(&votes, &types), small.particle);
}

static void leaders_can_change(void **state)
{
    (void)state;
    struct votes votes = {0};
    add(&votes, small.particle, 1 << 21);
    assert_int_equal(votes_leader(&votes, &types), small.particle);
    assert_true(votes.all <= 1 << 20);
    add(&votes, small.node, 1 << 21);
    assert_int_equal(votes_leader(&votes, &types), small.node);
    assert_true(votes.all <= 1 << 20);
}

/* A type that comes after a leader was worn away gets a clean slot. */
static void slots_are_used_again(void **state)
{
    (void)state;
    struct votes votes = {0};
    uint32_t structs[VOTES_STRUCTS] = {small.particle, small.vec3, small.other,
                                       types_add(&types, 1, 7, &small_cells)};
    for (uint32_t i = 0; i < VOTES_STRUCTS * 3; i++)
        votes_add(&votes, &types, structs[i % VOTES_STRUCTS], false);
    for (int k = 0; k < 3; k++)
        votes_add(&votes, &types, small.node, true); /* wears them all down */
    for (unsigned i = 0; i < VOTES_TYPES; i++)
        assert_int_equal(votes.count[i], 0);
    add(&votes, small.node, 40);
    assert_int_equal(votes_leader(&votes, &types), small.node);
    for (unsigned i = 0; i < VOTES_TYPES; i++)
        assert_true(votes.misfits[i] == 0 && (votes.type[i] == 0 || votes.type[i] == small.node));
}

/* A thousand times numbers in a struct say nothing of which struct it is. */
static void scalars_decide_no_vote_of_structs(void **state)
{
    (void)state;
    struct votes votes = {0};
    add(&votes, small.number, 400); /* small.particle has such members, small.node has none */
    add(&votes, small.particle, 20);
    add(&votes, small.node, 80);
    assert_int_equal(votes_leader(&votes, &types), small.node);
}

/* Structs (0 to 19) and scalars (20 to 39). */
static void tell_many(uint32_t ids[40])
{
    char name[8];
    struct type_member member = {.name = "m", .type = "int", .size = 4, .parent = TYPE_NO_MEMBER};
    for (uint32_t i = 0; i < 40; i++) {
        struct type_desc desc = {
            .name = name, .size = 4, .members = &member, .member_count = i < 20};
        snprintf(name, sizeof name, "t%u", i);
        ids[i] = types_add(&types, 1, 100 + i, &desc);
    }
}

static void check_counts(const struct votes *votes, const uint32_t *truth)
{
    uint64_t sum = 0;
    for (unsigned k = 0; k < VOTES_TYPES; k++) {
        assert_true(!votes->count[k] == !votes->type[k]);
        assert_true(!votes->count[k] || votes->count[k] <= truth[votes->type[k]]);
        assert_true(votes->misfits[k] <= votes->count[k]);
        sum += votes->count[k];
    }
    assert_true(sum <= votes->all);
}

/* No count is ever higher than the truth, misfits are some of them; a struct that has more than
 * a fifth of the votes for structs is counted. */
static void counts_are_never_too_high(void **state)
{
    (void)state;
    enum { KINDS = 40, FAVOURITE = 7, VOTES = 20000 };
    uint32_t ids[KINDS];
    tell_many(ids);
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct prng prng = {seed};
        struct votes votes = {0};
        uint32_t truth[64] = {0};
        for (uint32_t i = 0; i < VOTES; i++) {
            uint32_t kind = (uint32_t)prng_below(&prng, 1 + prng_below(&prng, KINDS));
            uint32_t type = ids[prng_below(&prng, 4) ? kind : FAVOURITE];
            truth[type]++;
            votes_add(&votes, &types, type, prng_below(&prng, 2));
            check_counts(&votes, truth);
        }
        uint32_t structs = 0;
        for (unsigned i = 0; i < 20; i++)
            structs += truth[ids[i]];
        assert_int_equal(votes.all, VOTES);
        assert_int_equal(votes.structs, structs);
        bool counted = truth[ids[FAVOURITE]] <= structs / (VOTES_STRUCTS + 1);
        for (unsigned k = 0; k < VOTES_STRUCTS; k++)
            counted |= votes.type[k] == ids[FAVOURITE];
        assert_true(counted);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, start, end)
    const struct CMUnitTest tests[] = {
        TEST(few_say_nothing),
        TEST(most_is_not_enough),
        TEST(the_containing_type_wins),
        TEST(misfits_do_not_lead),
        TEST(scalars_only_without_structs),
        TEST(many_kinds_of_scalars_hide_no_struct),
        TEST(leaders_can_change),
        TEST(slots_are_used_again),
        TEST(scalars_decide_no_vote_of_structs),
        TEST(counts_are_never_too_high),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
