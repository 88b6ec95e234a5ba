/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include "view/screen/canvas.h"

#include <errno.h>
#include <locale.h>
#include <string.h>

static const char *row(const struct canvas *canvas, int at)
{
    static char text[256];
    canvas_row_text(canvas, at, text, sizeof text);
    return text;
}

static void drawing_outside_is_cut_off(void **state)
{
    struct canvas canvas;
    (void)state;
    assert_int_equal(canvas_init(&canvas, 2, 5, false), 0);
    assert_int_equal(canvas_text(&canvas, 5, 0, 9, PAINT_PLAIN, "x"), 0);
    assert_int_equal(canvas_text(&canvas, -1, 0, 9, PAINT_PLAIN, "x"), 0);
    assert_int_equal(canvas_text(&canvas, 0, 7, 9, PAINT_PLAIN, "x"), 0);
    assert_int_equal(canvas_text(&canvas, 0, 2, 9, PAINT_BAD, "abcdef"), 3);
    assert_string_equal(row(&canvas, 0), "  ab…");
    assert_int_equal(canvas_at(&canvas, 0, 2)->paint, PAINT_BAD);
    assert_int_equal(canvas_at(&canvas, 0, 1)->paint, PAINT_PLAIN);
    canvas_flag(&canvas, 1, -3, 99, CELL_SELECTED);
    assert_int_equal(canvas_at(&canvas, 1, 4)->flags, CELL_SELECTED);
    assert_null(canvas_at(&canvas, 2, 0));
    canvas_fini(&canvas);
}

static void wide_characters_keep_the_row_aligned(void **state)
{
    struct canvas canvas;
    (void)state;
    canvas_init(&canvas, 1, 6, false);
    canvas_text(&canvas, 0, 0, 6, PAINT_PLAIN, "漢字x");
    assert_int_equal(canvas_at(&canvas, 0, 0)->columns, 2);
    assert_int_equal(canvas_at(&canvas, 0, 1)->columns, 0);
    /* Overwriting half of one blanks the other half. */
    canvas_text(&canvas, 0, 1, 1, PAINT_PLAIN, "y");
    assert_string_equal(row(&canvas, 0), " y字x");
    canvas_text(&canvas, 0, 2, 1, PAINT_PLAIN, "z");
    assert_string_equal(row(&canvas, 0), " yz x");
    /* In the last column there is no room for half a character. */
    assert_true(canvas_text(&canvas, 0, 5, 1, PAINT_PLAIN, "漢") <= 1);
    canvas_fini(&canvas);
}

static void combining_characters_share_a_cell(void **state)
{
    struct canvas canvas;
    (void)state;
    canvas_init(&canvas, 1, 4, false);
    assert_int_equal(
        canvas_text(&canvas, 0, 0, 4, PAINT_PLAIN, "e\xcc\x81\xcc\x82\xcc\x83\xcc\x84z"), 2);
    assert_int_equal(canvas_at(&canvas, 0, 0)->text[1], 0x301);
    assert_int_equal(canvas_at(&canvas, 0, 1)->text[0], 'z');
    canvas_fini(&canvas);
}

static void wrapping_breaks_at_spaces(void **state)
{
    struct canvas canvas;
    (void)state;
    canvas_init(&canvas, 4, 10, false);
    struct area area = {0, 0, 3, 10};
    assert_int_equal(canvas_wrap(&canvas, area, PAINT_PLAIN, "one two three four five six seven"),
                     3);
    assert_string_equal(row(&canvas, 0), "one two");
    assert_string_equal(row(&canvas, 1), "three four");
    assert_string_equal(row(&canvas, 2), "five six …");
    assert_string_equal(row(&canvas, 3), "");
    canvas_clear(&canvas);
    assert_int_equal(canvas_wrap(&canvas, area, PAINT_PLAIN, "abcdefghijklmnop"), 2);
    assert_string_equal(row(&canvas, 1), "klmnop");
    canvas_clear(&canvas);
    assert_int_equal(canvas_wrap(&canvas, area, PAINT_PLAIN, " one two three"), 2);
    assert_string_equal(row(&canvas, 0), " one two");
    assert_string_equal(row(&canvas, 1), " three");
    canvas_fini(&canvas);
}

static void ascii_has_no_other_character(void **state)
{
    struct canvas canvas;
    (void)state;
    canvas_init(&canvas, 1, 8, true);
    canvas_text(&canvas, 0, 0, 8, PAINT_PLAIN, "a漢bcdefghij");
    assert_string_equal(row(&canvas, 0), "a?bcdef~");
    canvas_fini(&canvas);
}

static void no_size_is_refused(void **state)
{
    struct canvas canvas;
    (void)state;
    assert_int_equal(canvas_init(&canvas, 0, 5, false), -EINVAL);
    assert_int_equal(canvas_init(&canvas, 5, 0, false), -EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drawing_outside_is_cut_off),
        cmocka_unit_test(wide_characters_keep_the_row_aligned),
        cmocka_unit_test(combining_characters_share_a_cell),
        cmocka_unit_test(wrapping_breaks_at_spaces),
        cmocka_unit_test(ascii_has_no_other_character),
        cmocka_unit_test(no_size_is_refused),
    };
    setlocale(LC_ALL, "C.UTF-8");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
