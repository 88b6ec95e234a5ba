/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bins of one name are told apart by their callers, and no others get a longer name. */
#include "unit.h"

#include "profile/snapshot/builders.h"

static struct arena arena;

static int begin(void **state)
{
    (void)state;
    arena_init(&arena);
    return 0;
}

static int end(void **state)
{
    (void)state;
    arena_fini(&arena);
    return 0;
}

static struct snapshot_bin bin(const char *name, const char *path)
{
    return (struct snapshot_bin){.heap = {.name = name, .path = path}};
}

static void callers_tell_them_apart(void **state)
{
    (void)state;
    struct snapshot_bin bins[] = {
        bin("newlen", "zmalloc < newlen < dbAdd < set < main"),
        bin("expand", "zcalloc < expand < set < main"),
        bin("newlen", "zmalloc < newlen < dbAdd < get < main"),
        bin("newlen", "zmalloc < newlen < log < main"),
    };
    struct snapshot_heap heap = {.bins = bins, .bin_count = 4};
    assert_true(twins_tell_apart(&heap, &arena));
    assert_string_equal(bins[0].called, "newlen < set");
    assert_null(bins[1].called);
    assert_string_equal(bins[2].called, "newlen < get");
    assert_string_equal(bins[3].called, "newlen < log");
}

static void what_differs_in_nothing_keeps_its_name(void **state)
{
    (void)state;
    struct snapshot_bin bins[] = {
        bin("a", "malloc < a"),
        bin("a", "malloc < a"),     /* of another library */
        bin("a", "malloc < a < b"), /* its path goes further */
        bin("b", NULL),             /* a size class */
        bin("b", "malloc < b < main"),
    };
    struct snapshot_heap heap = {.bins = bins, .bin_count = 5};
    assert_true(twins_tell_apart(&heap, &arena));
    assert_null(bins[3].called);
    assert_null(bins[4].called);
    assert_string_equal(bins[2].called, "a < b");
}

static void names_that_were_given_stay(void **state)
{
    (void)state;
    struct snapshot_bin bins[] = {bin("mine", "malloc < a < b"), bin("mine", "malloc < a < c")};
    struct snapshot_heap heap = {.bins = bins, .bin_count = 2};
    bins[0].heap.renamed = true;
    assert_true(twins_tell_apart(&heap, &arena));
    assert_null(bins[0].called);
    assert_null(bins[1].called);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(callers_tell_them_apart, begin, end),
        cmocka_unit_test_setup_teardown(what_differs_in_nothing_keeps_its_name, begin, end),
        cmocka_unit_test_setup_teardown(names_that_were_given_stay, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
