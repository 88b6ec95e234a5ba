/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is said of the binaries behind a recording: on the screen, in the help, at the end of a
 * batch; and that nothing is said where nothing is missing. */
#include "unit.h"

#include "snapshot_fixture.h"
#include "view/words.h"
#include "view/screen/browser.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct binary_desc list[] = {
    {.path = "/opt/x/server", .build_id = "12ab", .samples = 600, .state = BINARY_MISSING},
    {.path = "/lib/libz.so",
     .build_id = "34cd",
     .found = "/lib/libz.so",
     .found_id = "56ef",
     .samples = 100,
     .state = BINARY_OTHER},
    {.path = "/lib/libc.so",
     .build_id = "78ab",
     .found = "/sym/lib/libc.so",
     .samples = 200,
     .state = BINARY_FOUND},
    {.path = "/lib/libm.so", .found = "/lib/libm.so", .samples = 100, .state = BINARY_UNVERIFIED},
};

static struct snapshot_binaries first(size_t from, size_t count)
{
    return (struct snapshot_binaries){.list = list + from, .count = count, .samples = 1000};
}

static const char *report(const struct snapshot_binaries *binaries)
{
    static char text[4096];
    text[0] = '\0'; /* where nothing is said, nothing is written */
    FILE *out = fmemopen(text, sizeof text, "w");
    binary_report(out, binaries);
    fclose(out);
    return text;
}

static void what_is_missing_is_a_part_of_all_samples(void **state)
{
    char text[128];
    (void)state;
    struct snapshot_binaries all = first(0, 4);
    assert_true(binary_missing(&all) == 0.7);
    binary_note(&all, text, sizeof text);
    assert_string_equal(text,
                        "70.0% of the samples are in programs or libraries that are not here");
    struct snapshot_binaries found = first(2, 2);
    assert_true(binary_missing(&found) == 0);
    binary_note(&found, text, sizeof text);
    assert_string_equal(text, "");
    struct snapshot_binaries none = {0};
    assert_true(binary_missing(&none) == 0);
}

static void each_is_told_what_became_of_it(void **state)
{
    static const char *const fates[] = {
        "not found: build-id 12ab",
        "another build is here: /lib/libz.so has build-id 56ef; recorded was 34cd",
        "/sym/lib/libc.so", "not verified, no build-id was recorded"};
    char text[512];
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        binary_fate(&list[i], text, sizeof text);
        assert_string_equal(text, fates[i]);
    }
}

static void the_report_names_the_missing_and_the_remedy(void **state)
{
    (void)state;
    struct snapshot_binaries all = first(0, 4);
    const char *text = report(&all);
    assert_non_null(strstr(text, "600 samples  /opt/x/server: not found"));
    assert_non_null(strstr(text, "100 samples  /lib/libz.so: another build"));
    assert_null(strstr(text, "libc.so"));
    assert_non_null(strstr(text, "perf archive"));
    assert_non_null(strstr(text, "not verified"));
    struct snapshot_binaries found = first(2, 1);
    assert_string_equal(report(&found), "");
}

static bool shows(struct browser *browser, struct canvas *canvas, const char *text)
{
    char line[1024];
    browser_draw(browser, canvas, 0);
    for (int row = 0; row < canvas->rows; row++) {
        canvas_row_text(canvas, row, line, sizeof line);
        if (strstr(line, text))
            return true;
    }
    return false;
}

static void on_screen(void **state)
{
    struct browser browser;
    struct canvas canvas;
    struct screen_sources sources = {0};
    struct input help = {.kind = INPUT_KEY, .key = '?'};
    (void)state;
    browser_init(&browser, &sources);
    canvas_init(&canvas, 36, 120, false);
    struct snapshot *snapshot = (struct snapshot *)(uintptr_t)fixture_new(FIXTURE_USUAL, 0);
    browser_show(&browser, snapshot, fixture_release);
    assert_false(shows(&browser, &canvas, "are not here"));
    snapshot->binaries = first(0, 4);
    assert_true(shows(&browser, &canvas, "70.0% of the samples"));
    browser_input(&browser, &help);
    assert_true(shows(&browser, &canvas, "/opt/x/server: not found"));
    assert_true(shows(&browser, &canvas, "/lib/libc.so: /sym/lib/libc.so"));
    assert_true(shows(&browser, &canvas, "perf archive"));
    browser_fini(&browser);
    canvas_fini(&canvas);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_missing_is_a_part_of_all_samples),
        cmocka_unit_test(each_is_told_what_became_of_it),
        cmocka_unit_test(the_report_names_the_missing_and_the_remedy),
        cmocka_unit_test(on_screen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
