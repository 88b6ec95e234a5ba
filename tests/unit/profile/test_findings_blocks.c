/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rules about blocks and their allocation: their conditions, and no finding if one condition
 * fails. */
#include <math.h>
#include <string.h>

#include "unit.h"
#include "unit/profile/rules_fixture.h"

static struct snapshot_layout layouts[2];
static struct snapshot_layout_row rows[2];

/* Blocks */

static void small_blocks_spread_over_many_lines_are_scattered(void **state)
{
    (void)state;
    scatter(UINT64_C(96) << 20);
    assert_int_equal(REPORTED(RULE_SCATTERED), 0); /* 24 MiB: one line per look-up anyway */
    bins[0] = bin_of(BLOCKS / 8, 24, 24);
    assert_int_equal(REPORTED(RULE_SCATTERED), 1);
    assert_int_equal(list[0].kind, FINDING_SCATTERED);
    /* One line each is 8 MiB; packed they take 3 MiB. */
    assert_true(fabs(list[0].gain - 0.4 * (1 - 24.0 / 64)) < 0.01);
    assert_true(list[0].gain_low > 0 && list[0].gain_low < list[0].gain);
    bins[0] = bin_of(4 * BLOCKS, 24, 24); /* the memory is full of such blocks */
    assert_int_equal(REPORTED(RULE_SCATTERED), 0);
    bins[0] = bin_of(BLOCKS, 40, 40);
    assert_int_equal(REPORTED(RULE_SCATTERED), 0);
    objects[0].bin = UINT32_MAX;
    assert_int_equal(REPORTED(RULE_SCATTERED), 0);
}

static void allocator_overhead_in_sequential_blocks_is_waste(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 4000; i++)
        add_sample(7, BASE + i * 8192 % (UINT64_C(32) << 20));
    gather_samples();
    bins[0] = bin_of(BLOCKS, 8, 24);
    assert_int_equal(REPORTED(RULE_WASTE), 1);
    assert_true(fabs(list[0].gain_low - 0.4 * 0.75 / 2) < 1e-9 && list[0].gain <= 0.4);
    bins[0] = bin_of(BLOCKS, 24, 24);
    assert_int_equal(REPORTED(RULE_WASTE), 0);
    bins[0] = bin_of(BLOCKS, 0, 24); /* requested size not known */
    assert_int_equal(REPORTED(RULE_WASTE), 0);
    window_clear(&window);
    scatter(UINT64_C(32) << 20); /* in random order a line holds only one useful block anyway */
    bins[0] = bin_of(BLOCKS, 8, 24);
    assert_int_equal(REPORTED(RULE_WASTE), 0);
}

/* The second object's type has a pointer to the first's, and misses on the two alternate. */
static void pair_up(void)
{
    rows[1] = (struct snapshot_layout_row){
        .kind = LAYOUT_MEMBER,
        .member = {.name = "link", .type = "struct first *", .size = 8},
        .share = 1,
        .samples = 100};
    rows[0] = (struct snapshot_layout_row){
        .kind = LAYOUT_MEMBER, .member = {.name = "value", .size = 8}, .share = 1, .samples = 900};
    for (int i = 0; i < 2; i++) {
        layouts[i] = (struct snapshot_layout){.name = i ? "struct second" : "struct first",
                                              .size = 24,
                                              .rows = &rows[i],
                                              .row_count = 1};
        objects[i].layouts = &layouts[i];
        objects[i].layout_count = 1;
    }
    for (int i = 0; i < 4000; i++)
        add_sample(i % 4 ? 7 : 8, BASE * (i % 4 ? 1 : 2) + chance() % (UINT64_C(96) << 20));
    gather_samples();
}

static void objects_missing_in_pairs_are_pointed_to(void **state)
{
    (void)state;
    pair_up();
    assert_int_equal(REPORTED(RULE_POINTED_TO), 1);
    assert_int_equal(list[0].object, 0);
    assert_true(fabs(list[0].gain - 0.4) < 1e-9 && list[0].gain_low > 0);
    assert_non_null(strstr(words()->advice, "Put struct first into struct second"));
    bins[1] = bin_of(BLOCKS / 2, 40, 40);
    assert_int_equal(REPORTED(RULE_POINTED_TO), 0);
    bins[1] = bin_of(BLOCKS, 40, 40);
    struct snapshot_code elsewhere = {.id = 2, .function = "other", .share = {.value = 1}};
    objects[1].code = &elsewhere;
    assert_int_equal(REPORTED(RULE_POINTED_TO), 0);
    objects[1].code = code;
    rows[1].member.type = "struct first **";
    assert_int_equal(REPORTED(RULE_POINTED_TO), 0);
    rows[1].member.type = "struct first *";
    rows[0].member.offset = LINE; /* and the link is at 0: one line cannot hold both */
    rows[0].member.size = LINE;
    assert_int_equal(REPORTED(RULE_POINTED_TO), 0);
}

static void objects_missing_in_sequence_are_not_pointed_to(void **state)
{
    (void)state;
    pair_up();
    window_clear(&window);
    for (int i = 0; i < 4000; i++)
        add_sample(i < 2000 ? 7 : 8, BASE * (i < 2000 ? 1 : 2) + chance() % (UINT64_C(96) << 20));
    gather_samples();
    assert_int_equal(REPORTED(RULE_POINTED_TO), 0);
}

/* ---- elements ---- */

/* Eight of 64 bytes are used. */
static void partly_used_elements_are_a_split(void **state)
{
    (void)state;
    rows[0] = (struct snapshot_layout_row){
        .kind = LAYOUT_MEMBER, .member = {.name = "value", .size = 8}, .share = 1, .samples = 900};
    layouts[0] = (struct snapshot_layout){.name = "struct first",
                                          .size = 64,
                                          .samples = 900,
                                          .share = 1,
                                          .hot_span = 1,
                                          .rows = rows,
                                          .row_count = 1};
    objects[0].layouts = layouts;
    objects[0].layout_count = 1;
    struct snapshot_instance instance = {.size = UINT64_C(64) << 20};
    objects[0].size = instance.size;
    objects[0].instances = &instance;
    objects[0].instance_count = 1;
    for (uint64_t i = 0; i < 4000; i++)
        add_sample(7, BASE + i * 6400 % (UINT64_C(64) << 20));
    gather_samples();
    assert_int_equal(REPORTED(RULE_SPLIT), 1);
    assert_true(fabs(list[0].gain - 0.4 * (1 - 8.0 / 64)) < 1e-9);
    instance.size = 64; /* heads of separate blocks: splitting gains nothing */
    assert_int_equal(REPORTED(RULE_SPLIT), 0);
    instance.size = objects[0].size;
    layouts[0].size = 32; /* value[] after a header: the array is the long part */
    rows[0].member.offset = 32;
    assert_int_equal(REPORTED(RULE_SPLIT), 0);
}

/* Orders of 128 bytes with a price that is read in random order: 2 MiB of 16 MiB of lines. */
static void randomly_read_single_member_is_a_split(void **state)
{
    struct snapshot_instance instance = {.size = UINT64_C(32) << 20};
    (void)state;
    rows[0] = (struct snapshot_layout_row){.kind = LAYOUT_MEMBER,
                                           .member = {.name = "price", .offset = 104, .size = 8},
                                           .share = 1,
                                           .samples = 900};
    layouts[0] = (struct snapshot_layout){.name = "struct order",
                                          .size = 128,
                                          .samples = 900,
                                          .share = 1,
                                          .hot_span = 1,
                                          .rows = rows,
                                          .row_count = 1};
    objects[0].layouts = layouts;
    objects[0].layout_count = 1;
    objects[0].size = instance.size;
    objects[0].blocks = 1;
    objects[0].instances = &instance;
    objects[0].instance_count = 1;
    scatter(instance.size);
    assert_int_equal(REPORTED(RULE_SPLIT), 1);
    assert_string_equal(list[0].field, "price");
    assert_true(list[0].gain_low > 0 && fabs(list[0].gain - 0.4) < 1e-9);
    assert_non_null(strstr(words()->advice, "2.0 MiB instead of the 16.0 MiB"));
    layouts[0].reading = LAYOUT_MANAGED; /* an object of Java cannot be split */
    assert_int_equal(REPORTED(RULE_SPLIT), 0);
    layouts[0].reading = LAYOUT_UNUSED;
    /* An element of an array at an unknown index is accessed, as in the keys of a B-tree. */
    rows[0].member.size = 264;
    rows[0].member.count = 11;
    assert_int_equal(REPORTED(RULE_SPLIT), 0);
    rows[0].member.size = 8;
    rows[0].member.count = 0;
    rows[0].member.size = 24; /* wasteful, but a smaller layout would not fit the caches */
    assert_int_equal(REPORTED(RULE_SPLIT), 0);
    rows[0].member.size = 8;
    objects[0].size = instance.size = UINT64_C(256) << 20; /* even the prices alone are too large */
    assert_int_equal(REPORTED(RULE_SPLIT), 0);
    objects[0].size = instance.size = 128; /* each in a block of its own */
    objects[0].blocks = BLOCKS;
    assert_int_equal(REPORTED(RULE_SPLIT), 0);
}

/* ---- allocation ---- */

static void frequent_short_lived_allocations_are_churn(void **state)
{
    (void)state;
    code[0] = (struct snapshot_code){.function = "work", .module = "a", .all_share = 0.5};
    code[1] = (struct snapshot_code){.function = "_int_free", .module = "c", .all_share = 0.3};
    snapshot.code_count = 2;
    bins[0].heap.allocations_per_s = 3e6;
    bins[0].heap.lifetime_s = 1e-6;
    bins[1].heap.allocations_per_s = 1e6;
    bins[1].heap.lifetime_s = 5;
    assert_int_equal(REPORTED(RULE_CHURN), 1);
    /* 0.3 of the samples, times three of four allocations. */
    assert_true(fabs(list[0].share - 0.3 * 0.75) < 1e-9);
    assert_true(list[0].gain_low < list[0].share && list[0].gain > list[0].share);
    assert_string_equal(list[0].name, "make"); /* for an object without misses */
    assert_int_equal(list[0].object, UINT32_MAX);
    bins[0].heap.allocations_per_s = 9e3;
    assert_int_equal(REPORTED(RULE_CHURN), 0);
    bins[0].heap.allocations_per_s = NAN;
    assert_int_equal(REPORTED(RULE_CHURN), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        RULE(small_blocks_spread_over_many_lines_are_scattered),
        RULE(allocator_overhead_in_sequential_blocks_is_waste),
        RULE(objects_missing_in_pairs_are_pointed_to),
        RULE(objects_missing_in_sequence_are_not_pointed_to),
        RULE(partly_used_elements_are_a_split),
        RULE(randomly_read_single_member_is_a_split),
        RULE(frequent_short_lived_allocations_are_churn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
