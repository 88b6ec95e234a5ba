/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include "base/hash.h"
#include "profile/cache/window.h"

#include <stdbool.h>

static size_t found(bool planted)
{
    struct prng prng = {43};
    struct window window;
    struct window_counts counts;
    struct comiss comiss;
    assert_int_equal(window_init(&window, 4096, 6), 0);
    assert_int_equal(comiss_init(&comiss), 0);
    for (int i = 0; i < 4000; i++) {
        uint32_t object = 10 + (uint32_t)prng_below(&prng, 20);
        if (planted && i % 40 < 2)
            object = 1 + (uint32_t)(i % 40);
        window_add(&window,
                   &(struct window_entry){.address = object * 64, .object = object, .tid = 1});
    }
    window_count(&window, &counts, NULL, 0);
    comiss_find(&comiss, &window);
    size_t count = comiss.found_count;
    if (count) {
        assert_int_equal(comiss.found[0].object_a + comiss.found[0].object_b, 3);
        assert_true(comiss.found[0].lift > 2);
    }
    comiss_fini(&comiss);
    window_fini(&window);
    return count;
}

static void planted_pair_and_no_other(void **state)
{
    (void)state;
    assert_int_equal(found(true), 2); /* once as lines, once as objects */
    assert_int_equal(found(false), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(planted_pair_and_no_other)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
