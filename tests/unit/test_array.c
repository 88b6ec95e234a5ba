/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include "base/array.h"

#include <stdint.h>
#include <stdlib.h>

static void keeps_what_is_there(void **state)
{
    enum { MANY = 10000 };
    unsigned *numbers = NULL;
    size_t room = 0;
    unsigned moves = 0;
    (void)state;
    for (unsigned i = 0; i < MANY; i++) {
        size_t before = room;
        unsigned *more = array_more(numbers, &room, i, sizeof *more, ARRAY_UNBOUNDED);
        assert_non_null(more);
        numbers = more;
        numbers[i] = i;
        moves += room != before;
    }
    for (unsigned i = 0; i < MANY; i++)
        assert_int_equal(numbers[i], i);
    assert_true(room >= MANY && room < 2 * MANY + 64);
    assert_true(moves < 12);
    free(numbers);
}

static void stops_at_the_bound(void **state)
{
    enum { MOST = 100 };
    char *bytes = NULL;
    size_t room = 0;
    size_t count = 0;
    (void)state;
    for (char *more; (more = array_more(bytes, &room, count, 1, MOST)); count++)
        bytes = more;
    assert_int_equal(count, MOST);
    assert_int_equal(room, MOST);
    assert_non_null(bytes);
    free(bytes);
}

/* 2^62 elements of 64 bytes do not fit in an address. */
static void refuses_what_overflows(void **state)
{
    size_t room = (size_t)1 << 61;
    (void)state;
    assert_null(array_more(NULL, &room, room, 64, ARRAY_UNBOUNDED));
    assert_int_equal(room, (size_t)1 << 61);
}

static void reaches_any_index_and_fills_with_zero(void **state)
{
    static const size_t indices[] = {0, 63, 64, 5000, 12};
    unsigned *numbers = NULL;
    size_t room = 0;
    (void)state;
    for (size_t i = 0; i < sizeof indices / sizeof *indices; i++) {
        unsigned *more = array_reach(numbers, &room, indices[i], sizeof *more, 64);
        assert_non_null(more);
        numbers = more;
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

static void reaches_no_further_than_an_address(void **state)
{
    size_t room = 0;
    (void)state;
    assert_null(array_reach(NULL, &room, SIZE_MAX, 1, 64));
    assert_null(array_reach(NULL, &room, (size_t)1 << 60, 64, 64));
    assert_int_equal(room, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(keeps_what_is_there),
                                       cmocka_unit_test(stops_at_the_bound),
                                       cmocka_unit_test(refuses_what_overflows),
                                       cmocka_unit_test(reaches_any_index_and_fills_with_zero),
                                       cmocka_unit_test(reaches_no_further_than_an_address)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
