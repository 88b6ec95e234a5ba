/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include "base/hash.h"
#include "profile/tables/tally.h"

#include <stdlib.h>

enum { COUNT = 1024, HOT = 40, ROUNDS = 400000 };

static void add(struct pairs *pairs, uint32_t owner, uint64_t key, double scale)
{
    struct pair *pair = pairs_take(pairs, pairs_hash(owner, key), owner, key, scale);
    if (pair)
        counted_add(&pair->samples, 1, scale);
}

static const struct pair *find(const struct pairs *pairs, uint32_t owner, uint64_t key)
{
    for (size_t i = 0; i < pairs->count; i++)
        if (pairs->at[i].owner == owner && pairs->at[i].key == key)
            return &pairs->at[i];
    return NULL;
}

/* 40 hot keys of two objects with half the samples, a million cold ones with the other half:
 * the table holds 1,024. */
static void hot_pairs_stay_among_millions_of_cold_ones(void **state)
{
    (void)state;
    struct pairs pairs;
    struct prng prng = {3};
    double true_count[HOT] = {0};
    assert_int_equal(pairs_init(&pairs, COUNT), 0);
    for (int i = 0; i < ROUNDS; i++) {
        uint32_t hot = prng_below(&prng, HOT);
        if (i & 1) {
            add(&pairs, PAIR_OWNER(hot % 2, 0), hot, 1);
            true_count[hot]++;
        } else {
            add(&pairs, PAIR_OWNER(7, 0), prng_below(&prng, 1 << 20), 1);
        }
    }
    for (uint32_t hot = 0; hot < HOT; hot++) {
        const struct pair *pair = find(&pairs, PAIR_OWNER(hot % 2, 0), hot);
        assert_non_null(pair);
        assert_true(pair->samples.at[BASIS_RUN] <= true_count[hot]);
        assert_true(pair->samples.at[BASIS_RUN] > 0.95 * true_count[hot]);
    }
    pairs_fini(&pairs);
}

/* What was hot long ago gives way to what is hot now, and rescaling changes no order. */
static void faded_pairs_give_way(void **state)
{
    (void)state;
    struct pairs pairs;
    assert_int_equal(pairs_init(&pairs, PAIRS_BUCKET), 0); /* one bucket */
    for (uint64_t key = 0; key < PAIRS_BUCKET; key++)
        for (int i = 0; i < 1000; i++)
            add(&pairs, 1, key, 1);
    add(&pairs, 1, 100, 1);
    assert_null(find(&pairs, 1, 100));
    pairs_rescale(&pairs, 1e-6);
    add(&pairs, 1, 100, 1);
    assert_non_null(find(&pairs, 1, 100));
    pairs_clear(&pairs);
    assert_null(find(&pairs, 1, 100));
    pairs_fini(&pairs);
}

static void sorted_by_owner_and_event(void **state)
{
    (void)state;
    struct pairs pairs;
    const struct pair *sorted[COUNT];
    size_t first;
    assert_int_equal(pairs_init(&pairs, COUNT), 0);
    for (uint32_t object = 0; object < 5; object++)
        for (uint64_t key = 0; key <= object; key++) {
            add(&pairs, PAIR_OWNER(object, 0), key * 8, 1);
            add(&pairs, PAIR_OWNER(object, 1), key * 8, 1);
        }
    size_t count = pairs_sorted(&pairs, 1, sorted);
    assert_int_equal(count, 15);
    assert_int_equal(pairs_of(sorted, count, PAIR_OWNER(3, 1), &first), 4);
    for (size_t i = first; i < first + 4; i++)
        assert_int_equal(sorted[i]->key, (i - first) * 8);
    assert_int_equal(pairs_of(sorted, count, PAIR_OWNER(9, 1), &first), 0);
    pairs_fini(&pairs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(hot_pairs_stay_among_millions_of_cold_ones),
                                       cmocka_unit_test(faded_pairs_give_way),
                                       cmocka_unit_test(sorted_by_owner_and_event)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
