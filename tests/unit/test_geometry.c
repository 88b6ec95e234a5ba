/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include "profile/cache/geometry.h"

#include <errno.h>
#include <string.h>

static void given(void **state)
{
    (void)state;
    struct geometry geometry;
    assert_int_equal(geometry_parse(&geometry, "L1=32K,8,64", "/nowhere", NULL), 0);
    assert_string_equal(geometry.level, "L1d");
    assert_int_equal(geometry.sets, 64);
    assert_true(geometry.virtual_exact);
    assert_int_equal(geometry_set(&geometry, 0x1040), 1);
    assert_int_equal(geometry_parse(&geometry, "L2=1536K,12,64", "/nowhere", NULL), 0);
    assert_int_equal(geometry.sets, 2048);
    assert_false(geometry.virtual_exact);
}

static void refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"",
                                      "L9",
                                      "L1=",
                                      "=32K,8,64",
                                      "L1=32K,8",
                                      "L1=32K,0,64",
                                      "L1=32K,8,60",
                                      "L1=32K,8,64x",
                                      "L1=-1,8,64",
                                      "L1=33K,7,64",
                                      "L1=99999999999999999999,8,64",
                                      "L1 = 32K,8,64",
                                      "LEVELLONG=32K,8,64",
                                      "L1=64G,1,64"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct geometry geometry;
        struct error error = {0};
        assert_int_equal(geometry_parse(&geometry, bad[i], "/nowhere", &error), -EINVAL);
        assert_true(error.text[0]);
    }
    struct geometry geometry;
    assert_int_equal(geometry_parse(&geometry, NULL, "/nowhere", NULL), -ENOENT);
    assert_int_equal(geometry_parse(&geometry, "L2", "/nowhere", NULL), -ENOENT);
}

/* As a recording tells them; what it says may be anything. */
static void among_those_recorded(void **state)
{
    static const struct geometry_cache caches[] = {
        {1, 64, 64, 8, "Instruction"}, {1, 64, 0, 8, "Data"},
        {1, 0, 64, 8, "Data"},         {1, 64, 64, 12, "Data"},
        {2, 64, 1024, 20, "Unified"},  {3, 64, UINT32_MAX, 11, "Unified"}};
    const size_t count = sizeof caches / sizeof *caches;
    struct geometry geometry;
    struct error error = {0};
    (void)state;
    assert_int_equal(geometry_among(&geometry, NULL, caches, count, &error), 0);
    assert_string_equal(geometry.level, "L1d");
    assert_int_equal(geometry.size_bytes, 48 << 10);
    assert_int_equal(geometry.sets, 64);
    assert_int_equal(geometry_among(&geometry, "L2", caches, count, &error), 0);
    assert_int_equal(geometry.size_bytes, 1280 << 10);
    assert_int_equal(geometry_among(&geometry, "L3", caches, count, &error), -ENOENT);
    assert_non_null(strstr(error.text, "-C L3=SIZE"));
    assert_int_equal(geometry_among(&geometry, "L1=32K,8,64", caches, 0, &error), 0);
    assert_int_equal(geometry_among(&geometry, "cache", caches, count, &error), -EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(given), cmocka_unit_test(refused),
                                       cmocka_unit_test(among_those_recorded)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
