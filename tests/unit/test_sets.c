/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include "base/hash.h"
#include "profile/tables/statistics.h"
#include "profile/cache/sets.h"

#include <math.h>
#include <string.h>

/* Critical values of printed tables (Abramowitz and Stegun, table 26.8). */
static void known_tails(void **state)
{
    (void)state;
    assert_true(fabs(chi2_p_value(3.84146, 1) - 0.05) < 1e-5);
    assert_true(fabs(chi2_p_value(18.307, 10) - 0.05) < 1e-5);
    assert_true(fabs(chi2_p_value(2.70554, 1) - 0.10) < 1e-5);
    assert_true(fabs(chi2_p_value(135.807, 100) - 0.01) < 1e-5);
    assert_true(fabs(chi2_p_value(2, 2) - exp(-1)) < 1e-12);
    assert_true(chi2_p_value(1e9, 63) == 0);
    assert_true(chi2_p_value(0, 63) == 1);
}

static void false_alarms(void **state)
{
    (void)state;
    struct prng prng = {5};
    int alarms = 0;
    int significant = 0;
    for (int run = 0; run < 1000; run++) {
        double counts[64] = {0};
        struct sets_finding finding;
        for (int i = 0; i < 2000; i++)
            counts[prng_below(&prng, 64)]++;
        sets_judge(&finding, counts, 64, 2000);
        alarms += finding.verdict != SETS_UNIFORM;
        significant += finding.p_value < 0.05;
    }
    print_message("concentrated: %d of 1000; p < 0.05: %d of 1000\n", alarms, significant);
    assert_true(alarms <= 4);
    assert_true(significant >= 25 && significant <= 75);
}

static void one_set(void **state)
{
    (void)state;
    struct sets_finding finding;
    double counts[64] = {0};
    counts[17] = 400;
    sets_judge(&finding, counts, 64, 400);
    assert_int_equal(finding.verdict, SETS_CONCENTRATED);
    assert_int_equal(finding.hot_sets, 1);
    counts[17] = 20;
    sets_judge(&finding, counts, 64, 20);
    assert_int_equal(finding.verdict, SETS_TOO_FEW);
    assert_true(isnan(finding.p_value));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(known_tails),
                                       cmocka_unit_test(false_alarms), cmocka_unit_test(one_set)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
