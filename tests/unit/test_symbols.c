/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Symbols of one kind: aliases, ones without size, overlaps, gaps. */
#include "unit.h"

#include "resolve/elf/symbols.h"

static struct symbols symbols;

static void add(const char *name, uint64_t start, uint64_t size, uint8_t rank, uint64_t stub_end)
{
    struct symbol symbol = {.start = start,
                            .end = stub_end ? stub_end : start + size,
                            .name = name,
                            .rank = rank,
                            .is_stub = stub_end};
    assert_true(symbols_add(&symbols, symbol));
}

static const char *name_at(uint64_t address)
{
    const struct symbol *symbol = symbols_find(&symbols, address);
    return symbol ? symbol->name : "(none)";
}

static int end(void **state)
{
    (void)state;
    symbols_fini(&symbols);
    return 0;
}

static void the_best_of_aliases_stays(void **state)
{
    (void)state;
    add("_IO_thing", 100, 10, 1, 0);
    add("thing", 100, 10, 0, 0);
    add("weak", 100, 10, 2, 0);
    add("another", 200, 10, 0, 0);
    add("also", 200, 10, 0, 0);
    symbols_settle(&symbols);
    assert_int_equal(symbols.count, 2);
    assert_string_equal(name_at(105), "thing");
    assert_string_equal(name_at(205), "also"); /* by name, so that every run says the same */
}

static void one_without_size_reaches_to_the_next(void **state)
{
    (void)state;
    add("stub", 100, 0, 16, 1000);
    add("next", 300, 10, 0, 0);
    add("last", 400, 0, 16, 1000);
    symbols_settle(&symbols);
    assert_string_equal(name_at(299), "stub");
    assert_string_equal(name_at(305), "next");
    assert_string_equal(name_at(310), "(none)");
    assert_string_equal(name_at(999), "last");
    assert_string_equal(name_at(1000), "(none)");
}

static void one_that_overlaps_is_cut(void **state)
{
    (void)state;
    add("wide", 100, 1000, 0, 0);
    add("inner", 200, 10, 0, 0);
    symbols_settle(&symbols);
    assert_string_equal(name_at(199), "wide");
    assert_string_equal(name_at(209), "inner");
    assert_string_equal(name_at(210), "(none)");
    assert_string_equal(name_at(99), "(none)");
}

/* A label in a function is no function; behind it one may be. */
static void a_label_inside_does_not_cut(void **state)
{
    (void)state;
    add("function", 100, 100, 0, 0);
    add("part.c.1234", 150, 0, 20, 1000);
    add("behind", 200, 0, 16, 1000);
    symbols_settle(&symbols);
    assert_string_equal(name_at(149), "function");
    assert_string_equal(name_at(199), "function");
    assert_string_equal(name_at(200), "behind");
}

static void a_gap_lies_between_two(void **state)
{
    (void)state;
    uint64_t start = 0;
    uint64_t bound = 1000;
    add("low", 100, 50, 0, 0);
    add("high", 300, 50, 0, 0);
    symbols_settle(&symbols);
    symbols_gap(&symbols, 200, &start, &bound);
    assert_int_equal(start, 150);
    assert_int_equal(bound, 300);
    start = 0, bound = 1000;
    symbols_gap(&symbols, 400, &start, &bound);
    assert_int_equal(start, 350);
    assert_int_equal(bound, 1000);
}

static void no_symbols_cover_nothing(void **state)
{
    (void)state;
    symbols_settle(&symbols);
    assert_string_equal(name_at(0), "(none)");
    assert_string_equal(name_at(UINT64_MAX), "(none)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(the_best_of_aliases_stays, end),
        cmocka_unit_test_teardown(one_without_size_reaches_to_the_next, end),
        cmocka_unit_test_teardown(one_that_overlaps_is_cut, end),
        cmocka_unit_test_teardown(a_label_inside_does_not_cut, end),
        cmocka_unit_test_teardown(a_gap_lies_between_two, end),
        cmocka_unit_test_teardown(no_symbols_cover_nothing, end),
    };
    return cmocka_run_group_tests_name("symbols", tests, NULL, NULL);
}
