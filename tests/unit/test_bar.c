/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include "view/widget/chart.h"

#include <math.h>

static void bars(void **state)
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

static void sparklines(void **state)
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
    assert_string_equal(out, "▁▁"); /* measured, and nothing: not blank */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bars), cmocka_unit_test(sparklines)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
