/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include "base/hash.h"
#include "profile/cache/spread.h"

#include <stdbool.h>

enum { RUNS = 20, SAMPLES = 400, ELEMENTS = 20000 };

static bool half_apart(const uint64_t *field, int fields, uint32_t size)
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
    /* Two fields half an element apart are elements of half the size: not planted. */
    do {
        for (int k = 0; k < 3; k++)
            field[k] = (prng_below(prng, size / 8 - 1) + 1) * 8;
    } while (fields > 1 && half_apart(field, fields, size));
    for (int i = 0; i < SAMPLES; i++)
        offsets[i] = prng_below(prng, 10) == 0 ? prng_below(prng, ELEMENTS * size / 8) * UINT64_C(8)
                                               : prng_below(prng, ELEMENTS) * (uint64_t)size +
                                                     field[prng_below(prng, (uint32_t)fields)];
    return stride_infer(offsets, SAMPLES, 0);
}

static void planted_structs(void **state)
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
    print_message("structs: %d, not seen %d, wrong size %d\n", all, missed, wrong);
    assert_true(missed * 20 <= all && wrong * 50 <= all);
}

static void no_structs(void **state)
{
    (void)state;
    struct prng prng = {23};
    int invented = 0;
    for (int run = 0; run < 200; run++) {
        uint64_t offsets[SAMPLES];
        uint64_t unit = run % 3 == 0 ? 8 : run % 3 == 1 ? 1 : 64; /* doubles, bytes, line walk */
        for (int i = 0; i < SAMPLES; i++)
            offsets[i] = prng_below(&prng, 1000000) * unit;
        struct stride stride = stride_infer(offsets, SAMPLES, 0);
        invented += stride.element > 8;
        if (unit == 8)
            assert_int_equal(stride.element, 8);
    }
    print_message("invented: %d of 200\n", invented);
    assert_true(invented <= 1);
    uint64_t scalar[SAMPLES];
    for (int i = 0; i < SAMPLES; i++)
        scalar[i] = 40;
    assert_int_equal(stride_infer(scalar, SAMPLES, 0).element, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(planted_structs),
                                       cmocka_unit_test(no_structs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
