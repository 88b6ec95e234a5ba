/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <string.h>

#include "unit.h"
#include "view/display/canvas.h"
#include "view/widget/chart.h"

static const char *row(const struct canvas *canvas, int at)
{
    static char text[256];
    canvas_row_text(canvas, at, text, sizeof text);
    return text;
}

static void drawing_outside_the_canvas_is_clipped(void **state)
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

static void wide_characters_keep_columns_aligned(void **state)
{
    struct canvas canvas;
    (void)state;
    canvas_init(&canvas, 1, 6, false);
    canvas_text(&canvas, 0, 0, 6, PAINT_PLAIN, "漢字x");
    assert_int_equal(canvas_at(&canvas, 0, 0)->columns, 2);
    assert_int_equal(canvas_at(&canvas, 0, 1)->columns, 0);
    /* Overwriting half of a wide character blanks the other half. */
    canvas_text(&canvas, 0, 1, 1, PAINT_PLAIN, "y");
    assert_string_equal(row(&canvas, 0), " y字x");
    canvas_text(&canvas, 0, 2, 1, PAINT_PLAIN, "z");
    assert_string_equal(row(&canvas, 0), " yz x");
    /* The last column has no room for a wide character. */
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

static void ascii_canvas_has_ascii_only(void **state)
{
    struct canvas canvas;
    (void)state;
    canvas_init(&canvas, 1, 8, true);
    canvas_text(&canvas, 0, 0, 8, PAINT_PLAIN, "a漢bcdefghij");
    assert_string_equal(row(&canvas, 0), "a?bcdef~");
    canvas_fini(&canvas);
}

static void empty_canvas_size_is_refused(void **state)
{
    struct canvas canvas;
    (void)state;
    assert_int_equal(canvas_init(&canvas, 0, 5, false), -EINVAL);
    assert_int_equal(canvas_init(&canvas, 5, 0, false), -EINVAL);
}

static int run_canvas(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drawing_outside_the_canvas_is_clipped),
        cmocka_unit_test(wide_characters_keep_columns_aligned),
        cmocka_unit_test(combining_characters_share_a_cell),
        cmocka_unit_test(wrapping_breaks_at_spaces),
        cmocka_unit_test(ascii_canvas_has_ascii_only),
        cmocka_unit_test(empty_canvas_size_is_refused),
    };
    setlocale(LC_ALL, "C.UTF-8");
    return cmocka_run_group_tests(tests, NULL, NULL);
}

static void heat_rises_with_the_share(void **state)
{
    (void)state;
    assert_int_equal(paint_heat(0), PAINT_HEAT_0);
    assert_int_equal(paint_heat(0.5), PAINT_HEAT_5);
    assert_int_equal(paint_heat(NAN), PAINT_PLAIN);
    for (double share = 0; share < 1; share += 0.01)
        assert_true(paint_heat(share) <= paint_heat(share + 0.01));
}

/* Important differences are visible without colours, too. */
static void mono_scheme_marks_important_paints(void **state)
{
    static const enum paint marked[] = {PAINT_HEADING, PAINT_SORTED, PAINT_TAB_SHOWN,
                                        PAINT_LIVE,    PAINT_FROZEN, PAINT_KEY_LABEL,
                                        PAINT_WARN,    PAINT_HEAT_5};
    (void)state;
    for (size_t i = 0; i < sizeof marked / sizeof *marked; i++)
        assert_true(paint_look(SCHEME_MONO, marked[i]).attributes_mono);
}

static void colour_numbers_are_in_range(void **state)
{
    (void)state;
    for (int scheme = 0; scheme <= SCHEME_MONO; scheme++)
        for (int i = 0; i < PAINT_COUNT; i++) {
            const struct paint_look look = paint_look((enum paint_scheme)scheme, (enum paint)i);
            assert_in_range(look.text_8 + 1, 0, 8);
            assert_in_range(look.ground_8 + 1, 0, 8);
            assert_in_range(look.text_256 + 1, 0, 256);
            assert_in_range(look.ground_256 + 1, 0, 256);
        }
}

static int run_paint(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heat_rises_with_the_share),
        cmocka_unit_test(mono_scheme_marks_important_paints),
        cmocka_unit_test(colour_numbers_are_in_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

static void glyph_columns_counts_wide_and_combining(void **state)
{
    (void)state;
    assert_int_equal(glyph_columns("abc", false), 3);
    assert_int_equal(glyph_columns("漢字", false), 4);
    assert_int_equal(glyph_columns("e\xcc\x81x", false), 2);
    assert_int_equal(glyph_columns("漢字", true), 2); /* a '?' each */
    assert_int_equal(glyph_columns("\xff\xfe", false), 2);
    assert_int_equal(glyph_columns("\x1b[1m", false), 4); /* controls are always replaced */
}

static void fit(const char *text, int columns, enum glyph_cut cut, bool ascii, const char *want)
{
    char out[64];
    int used = glyph_fit(out, sizeof out, text, columns, cut, ascii);
    assert_string_equal(out, want);
    assert_true(used <= columns);
    assert_int_equal(used, glyph_columns(out, false));
}

static void glyph_fit_cuts_with_an_ellipsis(void **state)
{
    (void)state;
    fit("abcdef", 6, GLYPH_CUT_END, false, "abcdef");
    fit("abcdef", 4, GLYPH_CUT_END, false, "abc…");
    fit("abcdefghij", 7, GLYPH_CUT_MIDDLE, false, "abc…hij");
    fit("abcdefghij", 7, GLYPH_CUT_MIDDLE, true, "abc~hij");
    fit("abcdef", 1, GLYPH_CUT_END, false, "…");
    fit("abcdef", 0, GLYPH_CUT_END, false, "");
    /* A wide character is never cut in half. */
    fit("漢字漢字", 4, GLYPH_CUT_END, false, "漢…");
    fit("漢字漢字", 7, GLYPH_CUT_MIDDLE, false, "漢…字");
    fit("e\xcc\x81\x65\xcc\x81\x65\xcc\x81", 2, GLYPH_CUT_END, false, "e\xcc\x81…");
}

static void template_arguments_are_shortened_first(void **state)
{
    (void)state;
    fit("map<int, a<b>>::find", 20, GLYPH_CUT_MIDDLE, false, "map<int, a<b>>::find");
    fit("map<int, a<b>>::find", 19, GLYPH_CUT_MIDDLE, false, "map<…>::find");
    fit("map<int, a<b>>::find", 19, GLYPH_CUT_MIDDLE, true, "map<~>::find");
    fit("map<int, a<b>>::find", 9, GLYPH_CUT_MIDDLE, false, "map<…find");
    fit("a<f()->x>::longer_than", 16, GLYPH_CUT_MIDDLE, false, "a<…>::lo…er_than");
    fit("main < load < particles_new", 11, GLYPH_CUT_MIDDLE, false, "main …s_new"); /* a path */
    fit("operator<(one, other) > x", 11, GLYPH_CUT_MIDDLE, false, "opera…) > x");
    fit("open<never closed at all", 9, GLYPH_CUT_MIDDLE, false, "open… all");
    fit("<<<<<<<<<<>>>>>>>>>>", 7, GLYPH_CUT_MIDDLE, false, "<<<…>>>");
    fit("map<int, a<b>>::find", 8, GLYPH_CUT_END, false, "map<int…");
}

static void glyph_fit_never_overflows_its_buffer(void **state)
{
    char out[8];
    (void)state;
    memset(out, 'x', sizeof out);
    glyph_fit(out, 6, "漢字漢字漢字", 12, GLYPH_CUT_END, false);
    assert_true(strlen(out) < 6);
    assert_int_equal(out[7], 'x');
}

static void glyph_encode_and_next_agree(void **state)
{
    static const wchar_t codes[] = {'a', 0xe9, 0x6f22, 0x1f525};
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        char out[5];
        unsigned length = glyph_encode(out, codes[i]);
        struct glyph glyph = glyph_next(out, false);
        assert_int_equal(glyph.code, codes[i]);
        assert_int_equal(glyph.bytes, length);
        assert_int_equal(strlen(out), length);
    }
}

static int run_glyph(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(glyph_columns_counts_wide_and_combining),
        cmocka_unit_test(glyph_fit_cuts_with_an_ellipsis),
        cmocka_unit_test(template_arguments_are_shortened_first),
        cmocka_unit_test(glyph_fit_never_overflows_its_buffer),
        cmocka_unit_test(glyph_encode_and_next_agree),
    };
    setlocale(LC_ALL, "C.UTF-8");
    return cmocka_run_group_tests(tests, NULL, NULL);
}

static void bars_are_filled_by_share(void **state)
{
    char out[BAR_BYTES(4)];
    (void)state;
    bar_fill(out, sizeof out, 4, 1, false);
    assert_string_equal(out, "████");
    bar_fill(out, sizeof out, 4, 0.5, false);
    assert_string_equal(out, "██  ");
    bar_fill(out, sizeof out, 4, 0.28, false);
    assert_string_equal(out, "█▏  ");
    bar_fill(out, sizeof out, 4, 0.001, false);
    assert_string_equal(out, "▏   ");
    bar_fill(out, sizeof out, 4, 0, false);
    assert_string_equal(out, "    ");
    bar_fill(out, sizeof out, 4, NAN, false);
    assert_string_equal(out, "    ");
    bar_fill(out, sizeof out, 4, 7, false);
    assert_string_equal(out, "████");
    bar_fill(out, sizeof out, 4, -1, false);
    assert_string_equal(out, "    ");
    bar_fill(out, sizeof out, 4, 0.5, true);
    assert_string_equal(out, "##  ");
    bar_fill(out, sizeof out, 4, 0.001, true);
    assert_string_equal(out, "#   ");
}

static void sparklines_show_newest_values(void **state)
{
    static const float values[] = {NAN, 0, 0.5f, 1};
    static const float zeros[] = {0, 0};
    char out[BAR_BYTES(6)];
    (void)state;
    bar_spark(out, sizeof out, 4, values, 4, 0, false);
    assert_string_equal(out, " ▁▅█");
    bar_spark(out, sizeof out, 2, values, 4, 0, false);
    assert_string_equal(out, "▅█"); /* the newest ones */
    bar_spark(out, sizeof out, 6, values, 4, 0, false);
    assert_string_equal(out, "   ▁▅█");
    bar_spark(out, sizeof out, 4, values, 4, 2, false);
    assert_string_equal(out, " ▁▃▅");
    bar_spark(out, sizeof out, 4, values, 4, 0, true);
    assert_string_equal(out, " _=#");
    bar_spark(out, sizeof out, 2, zeros, 2, 0, false);
    assert_string_equal(out, "▁▁"); /* measured zeros are not blank */
}

static int run_bar(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bars_are_filled_by_share),
                                       cmocka_unit_test(sparklines_show_newest_values)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(void)
{
    int failed = 0;
    failed += run_canvas();
    failed += run_paint();
    failed += run_glyph();
    failed += run_bar();
    return failed;
}
