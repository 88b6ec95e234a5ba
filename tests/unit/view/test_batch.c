/* SPDX-License-Identifier: GPL-3.0-or-later */
/* text_print(): tables for people and for grep. */
#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"
#include "unit/view/snapshot_fixture.h"
#include "view/display/canvas.h"
#include "view/view.h"

static char *print(enum fixture_kind kind, struct view_options options)
{
    char *text = NULL;
    size_t size;
    const struct snapshot *snapshot = fixture_new(kind, 0);
    FILE *out = open_memstream(&text, &size);
    assert_int_equal(text_print(out, snapshot, &options), 0);
    fclose(out);
    fixture_release(snapshot);
    return text;
}

static struct view_options plain(unsigned width)
{
    return (struct view_options){.color = VIEW_COLOR_NEVER, .width = width, .full = true};
}

static void text_report_has_all_parts(void **state)
{
    (void)state;
    char *text = print(FIXTURE_USUAL, plain(120));
    assert_non_null(strstr(text, "misstop misstop-demo 4242, 4 threads"));
    assert_non_null(strstr(text, "\n  taken: 45.0k, 2.0k a second now\n  lost: 12: misstop "));
    assert_non_null(strstr(text, "\nSamples with an object: 94.0%\n"));
    assert_non_null(strstr(text, "\n  no-memory:  2.2%  "));
    assert_non_null(strstr(text, "particles"));
    assert_non_null(strstr(text, "[*]+40"));
    assert_non_null(strstr(text, "visit_particles"));
    assert_non_null(strstr(text, "search in all: settled"));
    assert_non_null(strstr(text, ", by virtual address; used unevenly (p"));
    assert_non_null(strstr(text, "window: The last 51.2k samples"));
    assert_null(strstr(text, "\033"));
    free(text);
}

static void text_report_has_field_names_and_types(void **state)
{
    (void)state;
    char *text = print(FIXTURE_TYPED, plain(120));
    assert_non_null(strstr(text,
                           "\nSamples with a field: 83.0% of those with an object\n  known: by "
                           "code 49.6%, by data 9.5%, by both 23.2%, disagreed 0.7%\n"));
    assert_non_null(strstr(text, "loading debug information of libmatching.so.4: 120 waiting"));
    const char *fields = strstr(text, "OF IT FIELD");
    assert_non_null(fields);
    const char *hot = strstr(fields, "particle.vel.y");
    assert_non_null(hot);
    const char *end = strchr(hot, '\n');
    assert_true(strstr(hot, "double") < end && strstr(hot, "particles") < end);
    free(text);
    text = print(FIXTURE_USUAL, plain(120)); /* types were not requested */
    assert_null(strstr(text, "Samples with a field"));
    assert_null(strstr(text, "reading debug"));
    free(text);
}

/* Tables fit the width; sentences (which have no columns) may be longer. */
static void text_tables_fit_the_width(void **state)
{
    (void)state;
    for (unsigned width = 40; width <= 240; width += 25) {
        char *text = print(FIXTURE_HOSTILE, plain(width));
        bool table = false;
        char *rest = text;
        for (char *line; (line = strsep(&rest, "\n"));) {
            if (!strncmp(line, "search", 6) || !*line)
                table = false;
            if (strstr(line, "SHARE") || strstr(line, "OF IT"))
                table = true;
            if (table)
                assert_true(glyph_columns(line, false) <= (int)width);
            assert_false(*line && line[strlen(line) - 1] == ' ');
        }
        free(text);
    }
}

static void colour_is_used_only_if_requested(void **state)
{
    struct view_options options = {.color = VIEW_COLOR_ALWAYS, .width = 100};
    (void)state;
    char *text = print(FIXTURE_USUAL, options);
    assert_non_null(strstr(text, "\033[0"));
    /* the last escape sequence of each line resets the colour */
    char *rest = text;
    for (char *line; (line = strsep(&rest, "\n"));) {
        const char *last = strrchr(line, '\033');
        if (last)
            assert_memory_equal(last, "\033[0m", 4);
    }
    free(text);
    options.color = VIEW_COLOR_AUTO; /* a file is not a terminal */
    text = print(FIXTURE_USUAL, options);
    assert_null(strchr(text, '\033'));
    free(text);
}

static void ascii_and_empty_reports_are_printable(void **state)
{
    struct view_options options = {.color = VIEW_COLOR_NEVER, .width = 100, .ascii = true};
    (void)state;
    char *text = print(FIXTURE_USUAL, options);
    for (const char *at = text; *at; at++)
        assert_true((unsigned char)*at < 0x7f);
    assert_non_null(strstr(text, "+-"));
    free(text);
    text = print(FIXTURE_EMPTY, options);
    assert_non_null(strstr(text, "No samples yet"));
    assert_null(strstr(text, "nan"));
    free(text);
    text = print(FIXTURE_HUGE, options);
    assert_null(strstr(text, "nan"));
    free(text);
}

static void expect_no_finding(struct view_options options, const char *words, const char * not )
{
    char *text = NULL;
    size_t size;
    struct snapshot *snapshot = (struct snapshot *)(uintptr_t)fixture_new(FIXTURE_TYPED, 0);
    size_t count = snapshot->findings.count;
    snapshot->findings.count = 0;
    FILE *out = open_memstream(&text, &size);
    assert_int_equal(text_print(out, snapshot, &options), 0);
    fclose(out);
    assert_non_null(strstr(text, words));
    assert_null(strstr(text, not ));
    free(text);
    snapshot->findings.count = count;
    fixture_release(snapshot);
}

static void absence_of_findings_is_reported(void **state)
{
    struct view_options options = {.color = VIEW_COLOR_NEVER, .width = 120};
    (void)state;
    expect_no_finding(options, "\nNo known problem found.\n", "misstop looks for");
    expect_no_finding(plain(120), "\nNo known problem found. misstop looks for hot", "finding:");
}

static void text_write_error_is_returned(void **state)
{
    struct view_options options = plain(100);
    const struct snapshot *snapshot = fixture_new(FIXTURE_USUAL, 0);
    FILE *full = fopen("/dev/full", "w");
    (void)state;
    assert_non_null(full);
    assert_int_equal(text_print(full, snapshot, &options), -ENOSPC);
    fclose(full);
    fixture_release(snapshot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_report_has_all_parts),
        cmocka_unit_test(text_tables_fit_the_width),
        cmocka_unit_test(text_report_has_field_names_and_types),
        cmocka_unit_test(colour_is_used_only_if_requested),
        cmocka_unit_test(ascii_and_empty_reports_are_printable),
        cmocka_unit_test(text_write_error_is_returned),
        cmocka_unit_test(absence_of_findings_is_reported),
    };
    setlocale(LC_ALL, "C.UTF-8");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
