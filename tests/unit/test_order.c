/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include "sample/perfdata/order.h"

#include "base/hash.h"

#include <string.h>

static void add(struct order *order, uint64_t time_ns, uint64_t number)
{
    struct order_item item = {.size_bytes = sizeof number};
    assert_int_equal(order_add(order, time_ns, item, &number), 0);
}

/* Pops the head: its time; the number that came with it. UINT64_MAX: none is ready. */
static uint64_t pop(struct order *order, uint64_t *number)
{
    uint64_t time_ns;
    const struct order_item *item = order_head(order, &time_ns);
    if (!item)
        return UINT64_MAX;
    assert_int_equal(item->size_bytes, sizeof *number);
    memcpy(number, item + 1, sizeof *number);
    order_pop(order);
    return time_ns;
}

static size_t pop_all(struct order *order)
{
    uint64_t number;
    uint64_t last_ns = 0;
    size_t count = 0;
    for (uint64_t now; (now = pop(order, &number)) != UINT64_MAX; count++) {
        assert_true(now >= last_ns);
        last_ns = now;
    }
    return count;
}

static void a_round_frees_what_the_one_before_had_seen(void **state)
{
    struct order order;
    uint64_t number;
    (void)state;
    order_init(&order, ORDER_BYTES_MAX, ORDER_RECORDS_MAX);
    add(&order, 30, 0);
    add(&order, 10, 1);
    order_round(&order);
    assert_int_equal(pop(&order, &number), UINT64_MAX); /* the next round may hold older ones */
    add(&order, 20, 2);
    add(&order, 50, 3);
    order_round(&order);
    assert_int_equal(pop(&order, &number), 10);
    assert_int_equal(pop(&order, &number), 20);
    assert_int_equal(pop(&order, &number), 30);
    assert_int_equal(pop(&order, &number), UINT64_MAX);
    order_finish(&order);
    assert_int_equal(pop(&order, &number), 50);
    assert_int_equal(number, 3);
    assert_int_equal(order.late, 0);
    order_fini(&order);
}

static void equal_times_stay_as_they_were_recorded(void **state)
{
    struct order order;
    (void)state;
    order_init(&order, ORDER_BYTES_MAX, ORDER_RECORDS_MAX);
    for (uint64_t i = 0; i < 1000; i++)
        add(&order, 5 - i % 2, i);
    order_finish(&order);
    for (uint64_t i = 0; i < 1000; i++) {
        uint64_t number;
        assert_int_equal(pop(&order, &number), i < 500 ? 4 : 5);
        assert_int_equal(number, i < 500 ? i * 2 + 1 : (i - 500) * 2);
    }
    order_fini(&order);
}

static void any_order_comes_out_sorted(void **state)
{
    struct prng prng = {.state = 3};
    struct order order;
    (void)state;
    for (size_t count = 0; count < 200; count++) {
        order_init(&order, ORDER_BYTES_MAX, ORDER_RECORDS_MAX);
        for (size_t i = 0; i < count; i++)
            add(&order, prng_below(&prng, 50), i);
        order_finish(&order);
        assert_int_equal(pop_all(&order), count);
        order_fini(&order);
    }
}

/* Without rounds at most so many wait, and what comes too late for that is counted. */
static void memory_is_bounded_and_late_ones_counted(void **state)
{
    enum { LIMIT = 1000, COUNT = 100000 };
    struct order order;
    size_t handed = 0;
    (void)state;
    order_init(&order, 1 << 20, LIMIT);
    for (uint64_t i = 0; i < COUNT; i++) {
        add(&order, 1000 + (i ^ 7), i); /* out of order by less than what may wait */
        handed += pop_all(&order);
        assert_true(order.count - order.next < LIMIT);
    }
    assert_int_equal(order.late, 0);
    assert_true(order.block_count <= 2); /* blocks are used again */
    add(&order, 1, COUNT);
    assert_int_equal(order.late, 1);
    order_finish(&order);
    assert_int_equal(handed + pop_all(&order), COUNT + 1);
    order_fini(&order);
}

static void large_records_fill_blocks_and_no_more_than_allowed(void **state)
{
    static unsigned char bytes[65528];
    struct order order;
    (void)state;
    order_init(&order, 1 << 20, ORDER_RECORDS_MAX);
    for (uint64_t i = 0; i < 1000; i++) {
        uint64_t time_ns;
        struct order_item item = {.size_bytes = sizeof bytes};
        assert_int_equal(order_add(&order, i, item, bytes), 0);
        while (order_head(&order, &time_ns))
            order_pop(&order);
        assert_true(order.block_count <= 10);
    }
    order_fini(&order);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_round_frees_what_the_one_before_had_seen),
        cmocka_unit_test(equal_times_stay_as_they_were_recorded),
        cmocka_unit_test(any_order_comes_out_sorted),
        cmocka_unit_test(memory_is_bounded_and_late_ones_counted),
        cmocka_unit_test(large_records_fill_blocks_and_no_more_than_allowed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
