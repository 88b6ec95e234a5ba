/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compares the window with a plain second one that keeps a list and counts by comparing. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "profile/cache/window.h"
#include "profile/tables/tally.h"
#include "unit.h"

struct plain {
    uint64_t at[64];
    uint32_t used;
    uint32_t size;
};

static void plain_add(struct plain *plain, uint64_t address)
{
    if (plain->used == plain->size) {
        uint32_t keep = plain->used / 2;
        memmove(plain->at, plain->at + plain->used - keep, keep * sizeof plain->at[0]);
        plain->used = keep;
    }
    plain->at[plain->used++] = address;
}

static uint32_t plain_count(const struct plain *plain, uint64_t address)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < plain->used; i++)
        count += plain->at[i] == address;
    return count;
}

static void compare(struct window *window, const struct plain *plain)
{
    struct window_counts counts;
    uint64_t mapped = 0;
    window_count(window, &counts);
    assert_int_equal(window->used, plain->used);
    for (uint32_t i = 0; i < plain->used; i++) {
        struct window_entry *entry = window_at(window, i);
        struct window_entry *found = window_find(window, plain->at[i]);
        assert_int_equal(entry->address, plain->at[i]);
        assert_non_null(found);
        assert_int_equal(found->count, plain_count(plain, plain->at[i]));
        assert_true(found >= entry || window->head < window->used);
        mapped += entry->mapped;
    }
    assert_int_equal(mapped, counts.addresses);
    assert_int_equal(counts.singletons + counts.recurring, counts.addresses);
}

static void window_matches_plain_model(void **state)
{
    (void)state;
    for (uint32_t size = 16; size <= 64; size += 7) {
        struct prng prng = {size};
        struct window window;
        struct plain plain = {.size = size};
        assert_int_equal(window_init(&window, size, 0), 0);
        for (int i = 0; i < 3000; i++) {
            uint64_t address = prng_below(&prng, i % 500 < 250 ? 10 : 100);
            window_add(&window, &(struct window_entry){.address = address, .time_ns = (uint64_t)i});
            plain_add(&plain, address);
            if (i % 7 == 0)
                compare(&window, &plain);
        }
        window_fini(&window);
    }
}

static void window_counts_lines_and_histogram(void **state)
{
    (void)state;
    struct window window;
    struct window_counts counts;
    assert_int_equal(window_init(&window, 0, 6), 0);
    assert_int_equal(window.size, WINDOW_ENTRIES_DEFAULT);
    for (uint64_t i = 0; i < 8; i++)
        window_add(&window, &(struct window_entry){.address = 0x1000 + 8 * i});
    window_add(&window, &(struct window_entry){.address = 0x2000});
    window_count(&window, &counts);
    assert_int_equal(counts.addresses, 2);
    assert_int_equal(counts.singletons, 1);
    assert_int_equal(counts.histogram[0], 1);
    assert_int_equal(counts.histogram[3], 1); /* 5 to 8 times */
    window_fini(&window);
}

static int run_window(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(window_matches_plain_model),
                                       cmocka_unit_test(window_counts_lines_and_histogram)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

static size_t found_pairs(bool planted)
{
    struct prng prng = {43};
    struct window window;
    struct window_counts counts;
    struct comiss comiss;
    assert_int_equal(window_init(&window, 4096, 6), 0);
    assert_int_equal(comiss_init(&comiss), 0);
    for (int i = 0; i < 4000; i++) {
        uint32_t object = 10 + (uint32_t)prng_below(&prng, 20);
        if (planted && i % 40 < 2)
            object = 1 + (uint32_t)(i % 40);
        window_add(&window,
                   &(struct window_entry){.address = object * 64, .object = object, .tid = 1});
    }
    window_count(&window, &counts);
    comiss_find(&comiss, &window);
    size_t count = comiss.found_count;
    if (count) {
        assert_int_equal(comiss.found[0].object_a + comiss.found[0].object_b, 3);
        assert_true(comiss.found[0].lift > 2);
    }
    comiss_fini(&comiss);
    window_fini(&window);
    return count;
}

static void only_the_planted_pair_is_found(void **state)
{
    (void)state;
    assert_int_equal(found_pairs(true), 2); /* once as lines and once as objects */
    assert_int_equal(found_pairs(false), 0);
}

static int run_comiss(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(only_the_planted_pair_is_found)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

enum { COUNT = 1024, HOT = 40, ROUNDS = 400000 };

static void add_pair(struct pairs *pairs, uint32_t owner, uint64_t key, double scale)
{
    struct pair *pair = pairs_take(pairs, pairs_hash(owner, key), owner, key, scale);
    if (pair)
        counted_add(&pair->samples, 1, scale);
}

static const struct pair *find(const struct pairs *pairs, uint32_t owner, uint64_t key)
{
    const struct pair *pair;
    for (size_t i = 0; (pair = pairs_next(pairs, &i));)
        if (pair->owner == owner && pair->key == key)
            return pair;
    return NULL;
}

/* 40 hot keys of two objects with half the samples, a million cold keys with the other half: the
 * table has 1,024 entries. */
static void hot_pairs_are_kept_among_cold_pairs(void **state)
{
    (void)state;
    struct pairs pairs;
    struct prng prng = {3};
    double true_count[HOT] = {0};
    assert_int_equal(pairs_init(&pairs, COUNT), 0);
    for (int i = 0; i < ROUNDS; i++) {
        uint32_t hot = prng_below(&prng, HOT);
        if (i & 1) {
            add_pair(&pairs, PAIR_OWNER(hot % 2, 0), hot, 1);
            true_count[hot]++;
        } else {
            add_pair(&pairs, PAIR_OWNER(7, 0), prng_below(&prng, 1 << 20), 1);
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

/* Pairs that were hot long ago are replaced by pairs that are hot now, and rescaling does not
 * change the order. */
static void decayed_pairs_are_evicted(void **state)
{
    (void)state;
    struct pairs pairs;
    assert_int_equal(pairs_init(&pairs, PAIRS_BUCKET), 0); /* one bucket */
    for (uint64_t key = 0; key < PAIRS_BUCKET; key++)
        for (int i = 0; i < 1000; i++)
            add_pair(&pairs, 1, key, 1);
    add_pair(&pairs, 1, 100, 1);
    assert_null(find(&pairs, 1, 100));
    pairs_rescale(&pairs, 1e-6);
    add_pair(&pairs, 1, 100, 1);
    assert_non_null(find(&pairs, 1, 100));
    pairs_clear(&pairs);
    assert_null(find(&pairs, 1, 100));
    pairs_fini(&pairs);
}

static void pairs_are_sorted_by_owner_and_event(void **state)
{
    (void)state;
    struct pairs pairs;
    const struct pair *sorted[COUNT];
    size_t first;
    assert_int_equal(pairs_init(&pairs, COUNT), 0);
    for (uint32_t object = 0; object < 5; object++)
        for (uint64_t key = 0; key <= object; key++) {
            add_pair(&pairs, PAIR_OWNER(object, 0), key * 8, 1);
            add_pair(&pairs, PAIR_OWNER(object, 1), key * 8, 1);
        }
    size_t count = pairs_sorted(&pairs, 1, sorted);
    assert_int_equal(count, 15);
    assert_int_equal(pairs_of(sorted, count, PAIR_OWNER(3, 1), &first), 4);
    for (size_t i = first; i < first + 4; i++)
        assert_int_equal(sorted[i]->key, (i - first) * 8);
    assert_int_equal(pairs_of(sorted, count, PAIR_OWNER(9, 1), &first), 0);
    pairs_fini(&pairs);
}

static int run_pairs(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(hot_pairs_are_kept_among_cold_pairs),
                                       cmocka_unit_test(decayed_pairs_are_evicted),
                                       cmocka_unit_test(pairs_are_sorted_by_owner_and_event)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(void)
{
    int failed = 0;
    failed += run_window();
    failed += run_comiss();
    failed += run_pairs();
    return failed;
}
