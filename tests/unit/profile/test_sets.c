/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/hash.h"
#include "profile/cache/geometry.h"
#include "profile/cache/sets.h"
#include "profile/cache/spread.h"
#include "profile/tables/statistics.h"
#include "unit.h"

/* Critical values from printed tables (Abramowitz and Stegun, table 26.8). */
static void chi2_p_values_match_printed_tables(void **state)
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

static void even_sets_rarely_give_false_alarms(void **state)
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

static void one_hot_set_is_concentrated(void **state)
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

static int run_sets(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(chi2_p_values_match_printed_tables),
                                       cmocka_unit_test(even_sets_rarely_give_false_alarms),
                                       cmocka_unit_test(one_hot_set_is_concentrated)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

static void cache_geometry_option_is_parsed(void **state)
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

static void invalid_cache_geometry_is_refused(void **state)
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

/* From a recording, with hostile values. */
static void geometry_is_selected_from_recorded_caches(void **state)
{
    static const struct perfdata_machine machine = {
        .cache_count = 6,
        .caches = {{1, 64, 64, 8, "Instruction", ""},
                   {1, 64, 0, 8, "Data", ""},
                   {1, 0, 64, 8, "Data", ""},
                   {1, 64, 64, 12, "Data", ""},
                   {2, 64, 1024, 20, "Unified", ""},
                   {3, 64, UINT32_MAX, 11, "Unified", ""}}};
    static const struct perfdata_machine unknown;
    struct geometry geometry;
    (void)state;
    assert_true(geometry_among(&geometry, NULL, &machine));
    assert_string_equal(geometry.level, "L1d");
    assert_int_equal(geometry.size_bytes, 48 << 10);
    assert_int_equal(geometry.sets, 64);
    assert_true(geometry_among(&geometry, "L2", &machine));
    assert_int_equal(geometry.size_bytes, 1280 << 10);
    assert_false(geometry_among(&geometry, "L3", &machine));
    assert_true(geometry_among(&geometry, "L1=32K,8,64", &unknown));
    assert_false(geometry_among(&geometry, "cache", &machine));
}

static int run_geometry(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(cache_geometry_option_is_parsed),
                                       cmocka_unit_test(invalid_cache_geometry_is_refused),
                                       cmocka_unit_test(geometry_is_selected_from_recorded_caches)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

enum { RUNS = 20, SAMPLES = 400, ELEMENTS = 20000 };

static bool fields_half_element_apart(const uint64_t *field, int fields, uint32_t size)
{
    for (int i = 0; i < fields; i++)
        for (int k = 0; k < fields; k++)
            if (field[i] + size / 2 == field[k])
                return true;
    return false;
}

static struct stride planted(struct prng *prng, uint32_t size, int fields)
{
    uint64_t offsets[SAMPLES];
    uint64_t field[3];
    /* Two fields half an element apart would be elements of half the size: do not plant them. */
    do {
        for (int k = 0; k < 3; k++)
            field[k] = (prng_below(prng, size / 8 - 1) + 1) * 8;
    } while (fields > 1 && fields_half_element_apart(field, fields, size));
    for (int i = 0; i < SAMPLES; i++)
        offsets[i] = prng_below(prng, 10) == 0 ? prng_below(prng, ELEMENTS * size / 8) * UINT64_C(8)
                                               : prng_below(prng, ELEMENTS) * (uint64_t)size +
                                                     field[prng_below(prng, (uint32_t)fields)];
    return stride_infer(offsets, SAMPLES, 0);
}

static void element_size_of_structs_is_inferred(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {24, 40, 48, 56, 64, 96, 136};
    struct prng prng = {21};
    int wrong = 0;
    int missed = 0;
    int all = 0;
    for (int s = 0; s < 7; s++)
        for (int fields = 1; fields <= 3; fields++)
            for (int run = 0; run < RUNS && !(sizes[s] == 24 && fields == 3); run++, all++) {
                struct stride stride = planted(&prng, sizes[s], fields);
                missed += stride.element <= 8;
                wrong += stride.element > 8 && stride.element != sizes[s];
            }
    print_message("structs: %d, element size not found %d, wrong %d\n", all, missed, wrong);
    assert_true(missed * 20 <= all && wrong * 50 <= all);
}

static void no_element_size_without_structs(void **state)
{
    (void)state;
    struct prng prng = {23};
    int invented = 0;
    for (int run = 0; run < 200; run++) {
        uint64_t offsets[SAMPLES];
        uint64_t unit = run % 3 == 0 ? 8 : run % 3 == 1 ? 1 : 64; /* doubles, bytes, whole lines */
        for (int i = 0; i < SAMPLES; i++)
            offsets[i] = prng_below(&prng, 1000000) * unit;
        struct stride stride = stride_infer(offsets, SAMPLES, 0);
        invented += stride.element > 8;
        if (unit == 8)
            assert_int_equal(stride.element, 8);
    }
    print_message("element size reported without structs: %d of 200\n", invented);
    assert_true(invented <= 1);
    uint64_t scalar[SAMPLES];
    for (int i = 0; i < SAMPLES; i++)
        scalar[i] = 40;
    assert_int_equal(stride_infer(scalar, SAMPLES, 0).element, 0);
    /* Records of many sizes, mostly at even addresses: a database page. */
    for (int i = 0; i < SAMPLES; i++)
        scalar[i] = prng_below(&prng, 2000) * UINT64_C(2) + (prng_below(&prng, 5) == 0);
    assert_int_equal(stride_infer(scalar, SAMPLES, 0).element, 0);
}

static int run_stride(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(element_size_of_structs_is_inferred),
                                       cmocka_unit_test(no_element_size_without_structs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(void)
{
    int failed = 0;
    failed += run_sets();
    failed += run_geometry();
    failed += run_stride();
    return failed;
}
