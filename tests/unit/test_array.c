/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include "base/array.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(keeps_what_is_there),
                                       cmocka_unit_test(stops_at_the_bound),
                                       cmocka_unit_test(refuses_what_overflows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
