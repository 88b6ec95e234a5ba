/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The window against a plain second one that keeps a list and counts by comparing. */
#include "unit.h"

#include "base/hash.h"
#include "profile/cache/window.h"

#include <stdlib.h>
#include <string.h>

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
    window_count(window, &counts, NULL, 0);
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

static void same_as_plain(void **state)
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

static void lines_and_sets(void **state)
{
    (void)state;
    struct window window;
    struct window_counts counts;
    uint32_t sets[4];
    assert_int_equal(window_init(&window, 0, 6), 0);
    assert_int_equal(window.size, WINDOW_ENTRIES_DEFAULT);
    for (uint64_t i = 0; i < 8; i++)
        window_add(&window,
                   &(struct window_entry){.address = 0x1000 + 8 * i, .set = (uint32_t)i % 2});
    window_add(&window, &(struct window_entry){.address = 0x2000, .set = 3});
    window_count(&window, &counts, sets, 4);
    assert_int_equal(counts.addresses, 2);
    assert_int_equal(counts.singletons, 1);
    assert_int_equal(counts.histogram[0], 1);
    assert_int_equal(counts.histogram[3], 1); /* 5 to 8 times */
    assert_int_equal(sets[0], 4);
    assert_int_equal(sets[3], 1);
    window_fini(&window);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_as_plain),
                                       cmocka_unit_test(lines_and_sets)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
