/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include "view/screen/canvas.h"

#include <math.h>

static void heat_rises_with_the_share(void **state)
{
    (void)state;
    assert_int_equal(paint_heat(0), PAINT_HEAT_0);
    assert_int_equal(paint_heat(0.5), PAINT_HEAT_5);
    assert_int_equal(paint_heat(NAN), PAINT_PLAIN);
    for (double share = 0; share < 1; share += 0.01)
        assert_true(paint_heat(share) <= paint_heat(share + 0.01));
}

/* What matters must be told apart without colours too. */
static void mono_marks_what_colour_marks(void **state)
{
    static const enum paint marked[] = {PAINT_HEADING, PAINT_SORTED, PAINT_TAB_SHOWN,
                                        PAINT_LIVE,    PAINT_FROZEN, PAINT_KEY_LABEL,
                                        PAINT_WARN,    PAINT_HEAT_5};
    (void)state;
    for (size_t i = 0; i < sizeof marked / sizeof *marked; i++)
        assert_true(paint_look(marked[i])->attributes_mono);
}

static void eight_colours_are_enough_for_eight(void **state)
{
    (void)state;
    for (int i = 0; i < PAINT_COUNT; i++) {
        const struct paint_look *look = paint_look((enum paint)i);
        assert_in_range(look->text_8 + 1, 0, 8);
        assert_in_range(look->ground_8 + 1, 0, 8);
        assert_in_range(look->text_256 + 1, 0, 256);
    }
    assert_ptr_equal(paint_look((enum paint)999), paint_look(PAINT_PLAIN));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heat_rises_with_the_share),
        cmocka_unit_test(mono_marks_what_colour_marks),
        cmocka_unit_test(eight_colours_are_enough_for_eight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
