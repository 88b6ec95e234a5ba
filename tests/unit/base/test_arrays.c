/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "unit.h"

static void array_more_preserves_elements(void **state)
{
    enum { MANY = 10000 };
    unsigned *numbers = NULL;
    size_t room = 0;
    unsigned moves = 0;
    (void)state;
    for (unsigned i = 0; i < MANY; i++) {
        size_t before = room;
        assert_true(array_reserve_next(&numbers, &room, i, sizeof *numbers, ARRAY_UNBOUNDED));
        numbers[i] = i;
        moves += room != before;
    }
    for (unsigned i = 0; i < MANY; i++)
        assert_int_equal(numbers[i], i);
    assert_true(room >= MANY && room < 2 * MANY + 64);
    assert_true(moves < 12);
    free(numbers);
}

static void array_more_stops_at_the_bound(void **state)
{
    enum { MOST = 100 };
    char *bytes = NULL;
    size_t room = 0;
    size_t count = 0;
    (void)state;
    while (array_reserve_next(&bytes, &room, count, 1, MOST))
        count++;
    assert_int_equal(count, MOST);
    assert_int_equal(room, MOST);
    assert_non_null(bytes);
    free(bytes);
}

/* 2^62 elements of 64 bytes exceed the address space. */
static void array_more_refuses_size_overflow(void **state)
{
    size_t room = (size_t)1 << 61;
    char *none = NULL;
    (void)state;
    assert_false(array_reserve_next(&none, &room, room, 64, ARRAY_UNBOUNDED));
    assert_null(none);
    assert_int_equal(room, (size_t)1 << 61);
}

static void array_reach_zero_fills_up_to_the_index(void **state)
{
    static const size_t indices[] = {0, 63, 64, 5000, 12};
    unsigned *numbers = NULL;
    size_t room = 0;
    (void)state;
    for (size_t i = 0; i < sizeof indices / sizeof *indices; i++) {
        assert_true(array_reserve_index(&numbers, &room, indices[i], sizeof *numbers, 64));
        assert_true(room > indices[i]);
        assert_int_equal(numbers[indices[i]], 0);
        numbers[indices[i]] = (unsigned)indices[i] + 1;
    }
    assert_int_equal(room, 8192);
    for (size_t i = 0, set = 0; i < room; i++) {
        set += numbers[i] != 0;
        assert_true(!numbers[i] || numbers[i] == i + 1);
        assert_true(i + 1 < room || set == 5);
    }
    free(numbers);
}

static void array_reach_refuses_size_overflow(void **state)
{
    size_t room = 0;
    char *none = NULL;
    (void)state;
    assert_false(array_reserve_index(&none, &room, SIZE_MAX, 1, 64));
    assert_false(array_reserve_index(&none, &room, (size_t)1 << 60, 64, 64));
    assert_null(none);
    assert_int_equal(room, 0);
}

static void arrays_sorted_by_one_member_can_be_searched(void **state)
{
    struct item {
        uint64_t wide;
        uint32_t narrow;
    } items[] = {{UINT64_MAX, 2}, {7, 9}, {1ULL << 40, UINT32_MAX}, {7, 0}};
    (void)state;
    SORT_BY(items, 4, wide);
    assert_int_equal(items[0].wide, 7);
    assert_int_equal(items[2].wide, 1ULL << 40);
    assert_int_equal(items[3].wide, UINT64_MAX);
    assert_int_equal(SORTED_BELOW(items, 4, wide, 7), 0);
    assert_int_equal(SORTED_UP_TO(items, 4, wide, 7), 2);
    assert_int_equal(SORTED_UP_TO(items, 4, wide, (1ULL << 40) - 1), 2);
    assert_int_equal(SORTED_UP_TO(items, 4, wide, UINT64_MAX), 4);
    assert_int_equal(SORTED_UP_TO(items, 0, wide, 7), 0);
    SORT_BY(items, 4, narrow);
    assert_int_equal(items[1].wide, UINT64_MAX);
    assert_int_equal(SORTED_BELOW(items, 4, narrow, 9), 2);
    assert_int_equal(SORTED_UP_TO(items, 4, narrow, 9), 3);
    assert_int_equal(SORTED_UP_TO(items, 4, narrow, UINT32_MAX), 4);
}

static void arrays_are_sorted_by_several_members(void **state)
{
    struct row {
        double share;
        uint64_t base;
        uint32_t id;
        bool happened;
    } rows[] = {{0.25, 9, 3, false},
                {0.5, 9, 1, false},
                {0.25, 1ULL << 40, 2, true},
                {0.25, 9, 1, true},
                {-1, 0, 0, false}};
    const struct row *pointers[5];
    (void)state;
    for (int i = 0; i < 5; i++)
        pointers[i] = &rows[i];
    SORT_POINTERS(pointers, 5, LARGEST(struct row, happened), SMALLEST(struct row, share),
                  LARGEST(struct row, id));
    assert_ptr_equal(pointers[0], &rows[2]);
    assert_ptr_equal(pointers[1], &rows[3]);
    assert_ptr_equal(pointers[2], &rows[4]);
    assert_ptr_equal(pointers[3], &rows[0]);
    assert_ptr_equal(pointers[4], &rows[1]);
    SORT(rows, 5, LARGEST(struct row, share), SMALLEST(struct row, base), SMALLEST(struct row, id));
    assert_true(rows[0].share == 0.5 && rows[4].share == -1);
    assert_int_equal(rows[1].id, 1);
    assert_int_equal(rows[2].id, 3);
    assert_int_equal(rows[3].id, 2);
}

struct item_share {
    double share;
    uint32_t id;
};

static void keep_retains_the_largest_in_order(void **state)
{
    static const struct item_share all[] = {{0.1, 1}, {0.5, 2}, {0.3, 3},
                                            {0.5, 1}, {0.3, 4}, {0.05, 5}};
    struct item_share list[4] = {{0, 0}};
    size_t count = 0;
    (void)state;
    list[3].id = 77;
    for (size_t i = 0; i < 6; i++)
        KEEP(list, &count, 3, &all[i], LARGEST(struct item_share, share),
             SMALLEST(struct item_share, id));
    assert_int_equal(count, 3);
    assert_int_equal(list[0].id, 1);
    assert_int_equal(list[1].id, 2);
    assert_int_equal(list[2].id, 3);
    assert_int_equal(list[3].id, 77);
    count = 0;
    for (size_t i = 0; i < 6; i++)
        KEEP(list, &count, 3, &all[i], LARGEST(struct item_share, share));
    assert_int_equal(list[0].id, 2);
    assert_int_equal(list[1].id, 1);
}

static int run_array(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_sorted_by_one_member_can_be_searched),
        cmocka_unit_test(arrays_are_sorted_by_several_members),
        cmocka_unit_test(keep_retains_the_largest_in_order),
        cmocka_unit_test(array_more_preserves_elements),
        cmocka_unit_test(array_more_stops_at_the_bound),
        cmocka_unit_test(array_more_refuses_size_overflow),
        cmocka_unit_test(array_reach_zero_fills_up_to_the_index),
        cmocka_unit_test(array_reach_refuses_size_overflow)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

static void arena_memory_is_zeroed_aligned_and_distinct(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena);
    unsigned char *last = NULL;
    for (size_t size = 1; size < 200000; size = size * 3 + 1) {
        unsigned char *memory = arena_alloc(&arena, size);
        assert_non_null(memory);
        assert_int_equal((uintptr_t)memory % 16, 0);
        for (size_t i = 0; i < size; i++)
            assert_int_equal(memory[i], 0);
        memset(memory, 0xff, size);
        assert_ptr_not_equal(memory, last);
        last = memory;
    }
    arena_fini(&arena);
}

static void arena_refuses_impossible_sizes(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena);
    assert_null(arena_alloc(&arena, SIZE_MAX));
    assert_null(arena_array(&arena, SIZE_MAX / 2, 3));
    assert_non_null(arena_array(&arena, 0, 8));
    arena_fini(&arena);
}

static void arena_copies_strings(void **state)
{
    (void)state;
    struct arena arena;
    arena_init(&arena);
    char text[] = "abc";
    char *copy = arena_string(&arena, text);
    text[0] = 'x';
    assert_string_equal(copy, "abc");
    assert_null(arena_string(&arena, NULL));
    assert_string_equal(arena_printf(&arena, "%s+%d", "a", 40), "a+40");
    arena_fini(&arena);
}

static int run_arena(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arena_memory_is_zeroed_aligned_and_distinct),
        cmocka_unit_test(arena_refuses_impossible_sizes),
        cmocka_unit_test(arena_copies_strings),
    };
    return cmocka_run_group_tests_name("arena", tests, NULL, NULL);
}

/* Compares random insertions and removals with a plain array of the same keys. */
static void random_hash_operations_match_an_array(void **state)
{
    (void)state;
    enum { KEYS = 2048, STEPS = 200000 };
    struct hash hash;
    struct prng prng = {1};
    uint32_t *values = calloc(KEYS, sizeof *values);
    size_t count = 0;
    hash_init(&hash);
    for (uint32_t step = 1; step < STEPS; step++) {
        uint64_t key = prng_below(&prng, KEYS);
        if (prng_below(&prng, 2)) {
            bool created;
            *hash_insert(&hash, key * 4096, &created) = step;
            assert_int_equal(created, values[key] == 0);
            count += created;
            values[key] = step;
        } else {
            assert_int_equal(hash_remove(&hash, key * 4096), values[key] != 0);
            count -= values[key] != 0;
            values[key] = 0;
        }
        assert_int_equal(hash.count, count);
    }
    for (uint64_t key = 0; key < KEYS; key++) {
        uint32_t *found = hash_find(&hash, key * 4096);
        assert_int_equal(found ? *found : 0, values[key]);
    }
    hash_fini(&hash);
    free(values);
}

static void empty_and_cleared_hashes_find_nothing(void **state)
{
    (void)state;
    struct hash hash;
    hash_init(&hash);
    assert_null(hash_find(&hash, 0));
    assert_false(hash_remove(&hash, 0));
    *hash_insert(&hash, 0, NULL) = 7;
    assert_int_equal(*hash_find(&hash, 0), 7);
    hash_clear(&hash);
    assert_null(hash_find(&hash, 0));
    hash_fini(&hash);
}

static void hash_next_returns_what_put_and_add_stored(void **state)
{
    struct hash hash = {0};
    size_t at = 0;
    uint32_t sum = 0;
    (void)state;
    assert_null(hash_next(&hash, &at));
    for (uint64_t key = 0; key < 100; key++)
        assert_true(hash_put(&hash, key, 5) && hash_add(&hash, key, 2));
    at = 0;
    for (const struct hash_slot *slot; (slot = hash_next(&hash, &at));)
        sum += slot->value;
    assert_int_equal(sum, 700);
    hash_fini(&hash);
}

static int run_hash(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_hash_operations_match_an_array),
        cmocka_unit_test(hash_next_returns_what_put_and_add_stored),
        cmocka_unit_test(empty_and_cleared_hashes_find_nothing),
    };
    return cmocka_run_group_tests_name("hash", tests, NULL, NULL);
}

int main(void)
{
    int failed = 0;
    failed += run_array();
    failed += run_arena();
    failed += run_hash();
    return failed;
}
