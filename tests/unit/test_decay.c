/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include "base/hash.h"
#include "profile/time/decay.h"
#include "profile/tables/statistics.h"

#include <math.h>

static void closed_form_over_renormalising(void **state)
{
    (void)state;
    struct decay decay;
    struct counted counted = {{0, 0}};
    double expected = 0;
    int renormalised = 0;
    decay_init(&decay, 1);
    for (uint64_t i = 0; i < 4000; i++) {
        double factor;
        double scale = decay_advance(&decay, 5 + i * 500000000);
        expected = expected * exp2(-0.5) + 1;
        counted_add(&counted, 1, scale);
        assert_true(fabs(counted_read(&counted, BASIS_DECAYED, scale) / expected - 1) < 1e-9);
        if (decay_renormalise(&decay, &factor)) {
            counted.at[BASIS_DECAYED] *= factor;
            renormalised++;
        }
    }
    assert_true(renormalised > 5);
    assert_true(counted.at[BASIS_RUN] == 4000);
}

static void half_life_zero_counts(void **state)
{
    (void)state;
    struct decay decay;
    double factor;
    decay_init(&decay, 0);
    decay_advance(&decay, 1);
    assert_true(decay_advance(&decay, UINT64_MAX) == 1);
    assert_false(decay_renormalise(&decay, &factor));
}

static void a_very_long_pause(void **state)
{
    (void)state;
    struct decay decay;
    double factor;
    decay_init(&decay, 1e-3);
    decay_advance(&decay, 1);
    assert_true(isfinite(decay_advance(&decay, UINT64_MAX)));
    assert_true(decay_renormalise(&decay, &factor));
    assert_true(factor == 0);
}

static void wilson_covers(void **state)
{
    (void)state;
    struct prng prng = {3};
    static const double shares[] = {0.02, 0.2, 0.5};
    for (int k = 0; k < 3; k++) {
        int covered = 0;
        for (int run = 0; run < 4000; run++) {
            int hits = 0;
            for (int i = 0; i < 400; i++)
                hits += prng_below(&prng, 1000000) < shares[k] * 1e6;
            struct snapshot_share share = interval_share(hits / 400.0, 400);
            covered += share.low <= shares[k] && shares[k] <= share.high;
        }
        print_message("share %.2f covered %.3f\n", shares[k], covered / 4000.0);
        assert_true(covered >= 4000 * 0.93 && covered <= 4000 * 0.975);
    }
    assert_true(isnan(interval_share(0.5, 0).value));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_form_over_renormalising), cmocka_unit_test(half_life_zero_counts),
        cmocka_unit_test(a_very_long_pause), cmocka_unit_test(wilson_covers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
