/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include "view/screen/canvas.h"

#include <locale.h>
#include <string.h>

static void columns_count_wide_and_combining(void **state)
{
    (void)state;
    assert_int_equal(glyph_columns("abc", false), 3);
    assert_int_equal(glyph_columns("漢字", false), 4);
    assert_int_equal(glyph_columns("e\xcc\x81x", false), 2);
    assert_int_equal(glyph_columns("漢字", true), 2); /* a '?' each */
    assert_int_equal(glyph_columns("\xff\xfe", false), 2);
    assert_int_equal(glyph_columns("\x1b[1m", false), 4); /* controls never pass as they are */
}

static void fit(const char *text, int columns, enum glyph_cut cut, bool ascii, const char *want)
{
    char out[64];
    int used = glyph_fit(out, sizeof out, text, columns, cut, ascii);
    assert_string_equal(out, want);
    assert_true(used <= columns);
    assert_int_equal(used, glyph_columns(out, false));
}

static void fit_cuts_with_an_ellipsis(void **state)
{
    (void)state;
    fit("abcdef", 6, GLYPH_CUT_END, false, "abcdef");
    fit("abcdef", 4, GLYPH_CUT_END, false, "abc…");
    fit("abcdefghij", 7, GLYPH_CUT_MIDDLE, false, "abc…hij");
    fit("abcdefghij", 7, GLYPH_CUT_MIDDLE, true, "abc~hij");
    fit("abcdef", 1, GLYPH_CUT_END, false, "…");
    fit("abcdef", 0, GLYPH_CUT_END, false, "");
    /* A wide character never sticks out by half. */
    fit("漢字漢字", 4, GLYPH_CUT_END, false, "漢…");
    fit("漢字漢字", 7, GLYPH_CUT_MIDDLE, false, "漢…字");
    fit("e\xcc\x81\x65\xcc\x81\x65\xcc\x81", 2, GLYPH_CUT_END, false, "e\xcc\x81…");
}

static void names_lose_template_arguments_first(void **state)
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

static void fit_never_overflows_its_buffer(void **state)
{
    char out[8];
    (void)state;
    memset(out, 'x', sizeof out);
    glyph_fit(out, 6, "漢字漢字漢字", 12, GLYPH_CUT_END, false);
    assert_true(strlen(out) < 6);
    assert_int_equal(out[7], 'x');
}

static void encode_and_decode_agree(void **state)
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_count_wide_and_combining),
        cmocka_unit_test(fit_cuts_with_an_ellipsis),
        cmocka_unit_test(names_lose_template_arguments_first),
        cmocka_unit_test(fit_never_overflows_its_buffer),
        cmocka_unit_test(encode_and_decode_agree),
    };
    setlocale(LC_ALL, "C.UTF-8");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
