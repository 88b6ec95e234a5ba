/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include "base/hash.h"

#include <stdlib.h>

/* Random insertions and removals against a plain array of the same keys. */
static void agrees_with_an_array(void **state)
{
    (void)state;
    enum { KEYS = 2048, STEPS = 200000 };
    struct hash hash;
    struct prng prng = {1};
    uint32_t *values = calloc(KEYS, sizeof *values);
    size_t count = 0;
    hash_init(&hash);
    for (uint32_t step = 1; step < STEPS; step++) {
        uint64_t key = prng_below(&prng, KEYS);
        if (prng_below(&prng, 2)) {
            bool created;
            *hash_insert(&hash, key * 4096, &created) = step;
            assert_int_equal(created, values[key] == 0);
            count += created;
            values[key] = step;
        } else {
            assert_int_equal(hash_remove(&hash, key * 4096), values[key] != 0);
            count -= values[key] != 0;
            values[key] = 0;
        }
        assert_int_equal(hash.count, count);
    }
    for (uint64_t key = 0; key < KEYS; key++) {
        uint32_t *found = hash_find(&hash, key * 4096);
        assert_int_equal(found ? *found : 0, values[key]);
    }
    hash_fini(&hash);
    free(values);
}

static void empty_and_cleared_maps_hold_nothing(void **state)
{
    (void)state;
    struct hash hash;
    hash_init(&hash);
    assert_null(hash_find(&hash, 0));
    assert_false(hash_remove(&hash, 0));
    *hash_insert(&hash, 0, NULL) = 7;
    assert_int_equal(*hash_find(&hash, 0), 7);
    hash_clear(&hash);
    assert_null(hash_find(&hash, 0));
    hash_fini(&hash);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_an_array),
        cmocka_unit_test(empty_and_cleared_maps_hold_nothing),
    };
    return cmocka_run_group_tests_name("hash", tests, NULL, NULL);
}
