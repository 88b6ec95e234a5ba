/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --sim=SPEC: the caches and the other settings, and specs that are refused with a reason. */
#include <errno.h>
#include <string.h>

#include "launch.h"
#include "unit.h"

static struct sim_settings levels_of(const char *spec)
{
    struct sim_settings wanted = {0};
    struct error error = {0};
    assert_int_equal(simulation_levels(spec, &wanted, &error), 0);
    return wanted;
}

static void simulation_levels_and_options_are_parsed(void **state)
{
    (void)state;
    struct sim_settings wanted = levels_of("L1=64K,2,64:L2=512K,1,64");
    assert_int_equal(wanted.level_count, 2);
    assert_int_equal(wanted.levels[0].size_bytes, 64 << 10);
    assert_int_equal(wanted.levels[0].ways, 2);
    assert_int_equal(wanted.levels[1].size_bytes, 512 << 10);
    assert_int_equal(wanted.levels[1].ways, 1);
    assert_true(wanted.causes);
    assert_false(levels_of("L1=64K,2,64:nocauses").causes);
    assert_false(wanted.code);
    assert_true(levels_of("code:L1=64K,2,64").code);
    assert_false(wanted.exact);
    assert_true(levels_of("L1=64K,2,64:exact").exact);
}

static void simulation_causes_keyword_is_parsed(void **state)
{
    (void)state;
    struct sim_settings wanted = levels_of("L1=2M,8,64:causes");
    assert_int_equal(wanted.level_count, 1);
    assert_true(wanted.causes);
}

/* If sysfs lists no cache, the user must give a shape. */
static void default_simulation_levels_come_from_sysfs(void **state)
{
    (void)state;
    struct sim_settings wanted = {0};
    struct error error = {0};
    if (simulation_levels("causes", &wanted, &error)) {
        assert_non_null(strstr(error.text, "SIZE,WAYS,LINE"));
        return;
    }
    assert_true(wanted.level_count >= 1);
    assert_true(wanted.causes);
    struct sim_settings other = levels_of("");
    assert_int_equal(other.level_count, wanted.level_count);
    assert_memory_equal(other.levels, wanted.levels, sizeof wanted.levels);
}

static void invalid_simulation_levels_are_refused(void **state)
{
    static const char *const bad[] = {
        ":",
        "L1=32K,8,64:",
        "L1=32K",
        "L1=0,8,64",
        "L1=32K,8,48",
        "L1=32K,7,64",
        "L1=32K,8,64:L2=1M,16,32",
        "causes:nothing",
        "L1=32K,8,64:L2=64K,8,64:L3=1M,8,64:L4=2M,8,64:L5=4M,8,64",
        ("L1=32K,8,64:"
         "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"),
    };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct sim_settings wanted = {0};
        struct error error = {0};
        if (simulation_levels(bad[i], &wanted, &error) != -EINVAL)
            fail_msg("invalid levels '%s' were accepted", bad[i]);
        assert_true(error.text[0]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(simulation_levels_and_options_are_parsed),
        cmocka_unit_test(simulation_causes_keyword_is_parsed),
        cmocka_unit_test(default_simulation_levels_come_from_sysfs),
        cmocka_unit_test(invalid_simulation_levels_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
