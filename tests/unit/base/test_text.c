/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "unit.h"

static void expect_sanitised(const char *in, const char *expected)
{
    char out[64];
    text_sanitise(out, sizeof out, in, strlen(in));
    assert_string_equal(out, expected);
}

static void text_sanitise_replaces_escapes_and_bad_utf8(void **state)
{
    (void)state;
    expect_sanitised("plain name.so", "plain name.so");
    expect_sanitised("\x1b[2J\x1b]0;x\a", "?[2J?]0;x?");
    expect_sanitised("gr\xc3\xb6\xc3\x9f"
                     "e",
                     "gr\xc3\xb6\xc3\x9f"
                     "e");
    expect_sanitised("\xc2\x9b"
                     "31m",
                     "?31m");                /* CSI as a C1 control */
    expect_sanitised("a\xff\xc3", "a??");    /* invalid and truncated */
    expect_sanitised("\xc0\xaf", "??");      /* overlong '/' */
    expect_sanitised("\xed\xa0\x80", "???"); /* surrogate */
    expect_sanitised("x\xe2\x80\xae"
                     "exe.txt",
                     "x?exe.txt"); /* right-to-left override */
    expect_sanitised("a\nb\tc\x7f", "a?b?c?");
}

static void text_sanitise_never_splits_a_character(void **state)
{
    (void)state;
    char out[4];
    assert_int_equal(text_sanitise(out, sizeof out, "ab\xc3\xb6", 4), 2);
    assert_string_equal(out, "ab");
    char in_place[] = "a\x1b"
                      "b";
    text_sanitise(in_place, sizeof in_place, in_place, 3);
    assert_string_equal(in_place, "a?b");
    assert_int_equal(text_sanitise(out, 0, "x", 1), 0);
}

static void text_bytes_fits_in_six_characters(void **state)
{
    (void)state;
    char out[16];
    assert_string_equal(text_bytes(out, 0), "0");
    assert_string_equal(text_bytes(out, 1023), "1023");
    assert_string_equal(text_bytes(out, 1024), "1.0K");
    assert_string_equal(text_bytes(out, 64u << 20), "64.0M");
    assert_string_equal(text_bytes(out, (1u << 20) - 1), "1.0M");
    assert_string_equal(text_count(out, 1234567), "1.2M");
    assert_true(strlen(text_bytes(out, UINT64_MAX)) <= 6);
}

static void text_distance_counts_edits_ignoring_case(void **state)
{
    (void)state;
    assert_int_equal(text_distance("", ""), 0);
    assert_int_equal(text_distance("cache-miss", "CACHE-MISSES"), 2);
    assert_int_equal(text_distance("kitten", "sitting"), 3);
}

static void text_read_file_truncates_to_the_buffer(void **state)
{
    (void)state;
    char out[8];
    assert_int_equal(text_read_file("/nonexistent", out, sizeof out), -ENOENT);
    assert_true(text_read_file("/proc/self/status", out, sizeof out) == 7);
    assert_int_equal(strlen(out), 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_sanitise_replaces_escapes_and_bad_utf8),
        cmocka_unit_test(text_sanitise_never_splits_a_character),
        cmocka_unit_test(text_bytes_fits_in_six_characters),
        cmocka_unit_test(text_distance_counts_edits_ignoring_case),
        cmocka_unit_test(text_read_file_truncates_to_the_buffer),
    };
    return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
