/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports that are read back and compared: equal rows, changes, refusals. */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "unit.h"
#include "unit/view/snapshot_fixture.h"
#include "view/export/diff.h"

static char folder[] = "/tmp/misstop-diff-XXXXXX";

static void write_file(const char *name, const char *text, size_t size, char path[128])
{
    snprintf(path, 128, "%s/%s", folder, name);
    FILE *out = fopen(path, "we");
    assert_non_null(out);
    assert_int_equal(fwrite(text, 1, size, out), size);
    assert_int_equal(fclose(out), 0);
}

static struct report *read_text(const char *text)
{
    char path[128];
    struct error error = {0};
    struct report *report;
    write_file("report.json", text, strlen(text), path);
    if (report_read(&report, path, &error))
        fail_msg("%s", error.text);
    return report;
}

/* Makes a report of 10,000 samples in 10 s; `rest` has the members that the test is about. */
static struct report *report_with(const char *comm, const char *rest)
{
    char text[8192];
    snprintf(text, sizeof text,
             "{\"version\":1,\"elapsed\":10,\"counted\":10,\"half_life\":0,\"basis\":\"run\","
             "\"target\":{\"comm\":\"%s\"},"
             "\"source\":{\"event\":\"cache-misses:u\",\"weighs\":\"cache misses\"},"
             "\"samples\":{\"attributed\":10000,\"effective\":10000,\"weight\":1e8},%s}",
             comm, rest);
    return read_text(text);
}

static struct diff *compare(struct report *const *a, size_t runs_a, struct report *const *b,
                            size_t runs_b)
{
    struct diff *diff;
    struct error error = {0};
    struct diff_side sides[] = {{.runs = a, .run_count = runs_a}, {.runs = b, .run_count = runs_b}};
    if (diff_new(&diff, &sides[0], &sides[1], &error))
        fail_msg("%s", error.text);
    return diff;
}

static const struct diff_row *find(const struct diff *diff, enum report_table table,
                                   const char *name)
{
    for (size_t i = 0; i < diff->count[table]; i++)
        if (!strcmp(diff->rows[table][i].row->name, name))
            return &diff->rows[table][i];
    fail_msg("no row is named %s", name);
    return NULL;
}

static void run_does_not_differ_from_itself(void **state)
{
    (void)state;
    static const enum fixture_kind kinds[] = {FIXTURE_USUAL, FIXTURE_TYPED, FIXTURE_HOSTILE};
    for (size_t i = 0; i < 3; i++) {
        struct error error = {0};
        struct report *report;
        const struct snapshot *snapshot = fixture_new(kinds[i], 3);
        assert_int_equal(report_of_snapshot(&report, snapshot, "itself", &error), 0);
        assert_int_equal(report->count[REPORT_OBJECTS] > 0, 1);
        struct diff *diff = compare(&report, 1, &report, 1);
        for (int table = 0; table < REPORT_TABLES; table++)
            assert_int_equal(diff->changed[table], 0);
        diff_free(diff);
        report_free(report);
        fixture_release(snapshot);
    }
}

/* A recording and its saved report compare as equal. */
static void saved_report_equals_its_snapshot(void **state)
{
    (void)state;
    struct error error = {0};
    struct report *direct;
    char path[128];
    char *text;
    size_t size;
    const struct snapshot *snapshot = fixture_new(FIXTURE_TYPED, 1);
    FILE *out = open_memstream(&text, &size);
    assert_int_equal(json_print(out, snapshot), 0);
    /* An older report before it: the last one counts. */
    const struct snapshot *older = fixture_new(FIXTURE_EMPTY, 0);
    fclose(out);
    snprintf(path, sizeof path, "%s/two.json", folder);
    FILE *file = fopen(path, "we");
    json_print(file, older);
    fputs(text, file);
    fputs("\n\n", file);
    fclose(file);
    struct report *saved;
    assert_int_equal(report_of_snapshot(&direct, snapshot, path, &error), 0);
    assert_int_equal(report_read(&saved, path, &error), 0);
    for (int table = 0; table < REPORT_TABLES; table++) {
        assert_int_equal(direct->count[table], saved->count[table]);
        assert_true(direct->count[table] > 0);
        for (size_t i = 0; i < direct->count[table]; i++) {
            assert_string_equal(direct->rows[table][i].name, saved->rows[table][i].name);
            assert_true(direct->rows[table][i].share == saved->rows[table][i].share);
        }
    }
    report_free(direct);
    report_free(saved);
    fixture_release(older);
    fixture_release(snapshot);
    free(text);
}

#define OBJECT(name, module, share)                                                                \
    "{\"name\":\"" name "\",\"kind\":\"global\",\"module\":\"" module "\",\"share\":" share "}"
#define TABLES(objects, code) "\"objects_left_out\":0,\"objects\":[" objects "],\"code\":[" code "]"

static void changed_rows_are_found_and_described(void **state)
{
    (void)state;
    struct report *a = report_with(
        "prog", TABLES(OBJECT("table", "prog", "0.5") "," OBJECT("list", "prog", "0.3") "," OBJECT(
                           "old", "prog", "0.1") "," OBJECT("same", "libx.so", "0.1"),
                       "{\"function\":\"f\",\"module\":\"prog\",\"share\":0.6},"
                       "{\"function\":\"g\",\"module\":\"prog\",\"share\":0.4}"));
    struct report *b = report_with(
        "prog",
        TABLES(OBJECT("table", "prog", "0.25") "," OBJECT("list", "prog", "0.55") "," OBJECT(
                   "fresh", "prog", "0.1") "," OBJECT("same", "libx.so", "0.1"),
               "{\"function\":\"f\",\"module\":\"prog\",\"share\":0.6},"
               "{\"function\":\"g\",\"module\":\"prog\",\"share\":0.4}"));
    struct diff *diff = compare(&a, 1, &b, 1);
    assert_int_equal(diff->changed[REPORT_OBJECTS], 4);
    assert_int_equal(diff->changed[REPORT_FUNCTIONS], 0);
    const struct diff_row *row = find(diff, REPORT_OBJECTS, "table");
    assert_true(row->changed && fabs(row->share.change + 0.25) < 1e-9);
    assert_true(row->share.low < -0.25 && row->share.high > -0.25 && row->share.high < 0);
    assert_true(fabs(row->times.value - 0.5) < 1e-9);
    /* half of 1e8 events in 10 s */
    assert_true(fabs(row->amount_a - 5e6) < 1);
    assert_string_equal(diff_reading(row), "less");
    assert_string_equal(diff_reading(find(diff, REPORT_OBJECTS, "list")), "more");
    assert_string_equal(diff_reading(find(diff, REPORT_OBJECTS, "old")), "gone");
    assert_string_equal(diff_reading(find(diff, REPORT_OBJECTS, "fresh")), "new");
    assert_string_equal(diff_reading(find(diff, REPORT_OBJECTS, "same")), "");
    assert_false(find(diff, REPORT_OBJECTS, "same")->changed);
    diff_free(diff);
    report_free(a);
    report_free(b);
}

/* A share falls because others rose: its own amount is unchanged. */
static void share_can_fall_while_amount_stays(void **state)
{
    (void)state;
    struct report *a =
        report_with("prog", TABLES(OBJECT("x", "prog", "0.4") "," OBJECT("y", "prog", "0.6"), ""));
    struct report *b =
        report_with("prog", TABLES(OBJECT("x", "prog", "0.2") "," OBJECT("y", "prog", "0.8"), ""));
    b->weight = 2 * a->weight;
    struct diff *diff = compare(&a, 1, &b, 1);
    const struct diff_row *row = find(diff, REPORT_OBJECTS, "x");
    assert_true(row->changed);
    assert_true(fabs(row->times.value - 1) < 1e-9);
    assert_string_equal(diff_reading(row), "same amount; others rose");
    assert_true(fabs(diff->times.value - 2) < 1e-9);
    diff_free(diff);
    /* If amounts are not known, it is only a smaller share. */
    b->weight = NAN;
    diff = compare(&a, 1, &b, 1);
    assert_int_equal(diff->amounts, DIFF_AMOUNT_UNKNOWN);
    assert_string_equal(diff_reading(find(diff, REPORT_OBJECTS, "x")), "smaller share");
    diff_free(diff);
    report_free(a);
    report_free(b);
}

/* The time of a simulated program depends on the load of the machine, so misses are compared. */
static void simulated_runs_are_compared_by_misses(void **state)
{
    (void)state;
    struct report *a =
        report_with("prog", TABLES(OBJECT("x", "prog", "0.4") "," OBJECT("y", "prog", "0.6"), ""));
    struct report *b =
        report_with("prog", TABLES(OBJECT("x", "prog", "0.2") "," OBJECT("y", "prog", "0.8"), ""));
    a->simulated = b->simulated = true;
    b->weight = 1.14 * a->weight;
    b->covered_s = 2 * a->covered_s;
    struct diff *diff = compare(&a, 1, &b, 1);
    assert_int_equal(diff->amounts, DIFF_AMOUNT_OF_RUN);
    assert_true(fabs(diff->times.value - 1.14) < 1e-9 && diff->times.low == diff->times.high);
    assert_true(fabs(find(diff, REPORT_OBJECTS, "x")->times.value - 0.57) < 1e-9);
    diff_free(diff);
    /* Decayed weights are not counts of the whole run. */
    b->basis = "decayed";
    b->half_life_s = 10;
    diff = compare(&a, 1, &b, 1);
    assert_int_not_equal(diff->amounts, DIFF_AMOUNT_OF_RUN);
    diff_free(diff);
    report_free(a);
    report_free(b);
}

/* Two builds with different names, addresses in names, several rows with one name. */
static void rows_match_despite_addresses_and_build_names(void **state)
{
    (void)state;
    struct report *a = report_with(
        "before",
        TABLES(OBJECT("table", "before", "0.5") "," OBJECT(
                   "[heap 0x5581aa000 1.0M]", "",
                   "0.2") "," OBJECT("twin", "lib.so", "0.1") "," OBJECT("twin", "lib.so", "0.2"),
               ""));
    struct report *b = report_with("after", TABLES(OBJECT("table", "after", "0.5") "," OBJECT(
                                                       "[heap 0x7f00bb000 1.0M]", "",
                                                       "0.2") "," OBJECT("twin", "lib.so", "0.3"),
                                                   ""));
    struct diff *diff = compare(&a, 1, &b, 1);
    assert_int_equal(diff->count[REPORT_OBJECTS], 3);
    assert_int_equal(diff->changed[REPORT_OBJECTS], 0);
    assert_true(fabs(find(diff, REPORT_OBJECTS, "twin")->a - 0.3) < 1e-9);
    assert_true(find(diff, REPORT_OBJECTS, "[heap 1.0M]")->a == 0.2);
    /* ... and two different programs give a warning. */
    assert_non_null(strstr(diff->notes[0], "after"));
    diff_free(diff);
    report_free(a);
    report_free(b);
}

/* Tables list large rows: an absent row may have been small instead of zero. */
static void unlisted_rows_may_have_been_small(void **state)
{
    (void)state;
    struct report *a = report_with("p", TABLES(OBJECT("big", "p", "1"), ""));
    struct report *b =
        report_with("p", TABLES(OBJECT("big", "p", "0.994") "," OBJECT("small", "p", "0.006"), ""));
    struct diff *diff = compare(&a, 1, &b, 1);
    double sure = find(diff, REPORT_OBJECTS, "small")->share.p;
    assert_true(find(diff, REPORT_OBJECTS, "small")->share.change > 0.0059);
    diff_free(diff);
    a->min_object_share = 0.001;
    diff = compare(&a, 1, &b, 1);
    assert_true(find(diff, REPORT_OBJECTS, "small")->share.change < 0.0051);
    assert_true(find(diff, REPORT_OBJECTS, "small")->share.p > sure);
    assert_true(isnan(find(diff, REPORT_OBJECTS, "small")->a));
    diff_free(diff);
    report_free(a);
    report_free(b);
}

/* A field without a name on one side may only have been reported too early to have one. */
static void late_debug_info_does_not_count_as_change(void **state)
{
    (void)state;
    static const char tables[] =
        "\"types\":{\"unknown\":{\"waiting\":%d}},\"objects_left_out\":0,\"objects\":[{\"name\":"
        "\"x\",\"kind\":\"global\",\"share\":1,\"fields\":[{\"name\":\"%s\",\"share\":1}]}],"
        "\"code\":[]";
    char rest[2][512];
    for (int waiting = 0; waiting <= 10000; waiting += 10000) {
        snprintf(rest[0], sizeof rest[0], tables, waiting, "+8");
        snprintf(rest[1], sizeof rest[1], tables, 0, "point.y");
        struct report *a = report_with("p", rest[0]);
        struct report *b = report_with("p", rest[1]);
        struct diff *diff = compare(&a, 1, &b, 1);
        assert_int_equal(find(diff, REPORT_FIELDS, "point.y")->changed, !waiting);
        assert_int_equal(strstr(diff->notes[0], "before debug information") != NULL, waiting > 0);
        diff_free(diff);
        report_free(a);
        report_free(b);
    }
}

static void several_runs_reveal_variation_between_runs(void **state)
{
    (void)state;
    static const char *const shares[] = {"0.40", "0.46", "0.34", "0.50", "0.38",
                                         "0.44", "0.10", "0.12", "0.08"};
    struct report *runs[9];
    char rest[512];
    for (int i = 0; i < 9; i++) {
        snprintf(rest, sizeof rest,
                 "\"objects_left_out\":0,\"objects\":[{\"name\":\"x\",\"kind\":\"global\","
                 "\"share\":%s}],\"code\":[]",
                 shares[i]);
        runs[i] = report_with("p", rest);
    }
    /* Compared one by one, chance in sampling would be reported as change ... */
    struct diff *diff = compare(&runs[0], 1, &runs[1], 1);
    assert_int_equal(diff->changed[REPORT_OBJECTS], 1);
    diff_free(diff);
    /* ... several runs of one program are not different; a real change is found. */
    diff = compare(&runs[0], 3, &runs[3], 3);
    assert_true(diff->several);
    assert_int_equal(diff->changed[REPORT_OBJECTS], 0);
    diff_free(diff);
    diff = compare(&runs[0], 3, &runs[6], 3);
    assert_int_equal(diff->changed[REPORT_OBJECTS], 1);
    diff_free(diff);
    for (int i = 0; i < 9; i++)
        report_free(runs[i]);
}

static int refusal_of_events(const char *event_b, struct error *error)
{
    struct diff *diff;
    struct report *a = report_with("p", TABLES(OBJECT("x", "p", "1"), ""));
    struct report *b = report_with("p", TABLES(OBJECT("x", "p", "1"), ""));
    struct diff_side sides[] = {{.runs = &a, .run_count = 1}, {.runs = &b, .run_count = 1}};
    b->event = event_b;
    if (!event_b)
        b->effective_samples = 0;
    int code = diff_new(&diff, &sides[0], &sides[1], error);
    diff_free(diff);
    report_free(a);
    report_free(b);
    return code;
}

static void incomparable_reports_are_refused(void **state)
{
    (void)state;
    struct error error = {0};
    assert_int_equal(refusal_of_events("cpu-clock", &error), -EDOM);
    assert_non_null(strstr(error.text, "cpu-clock"));
    assert_int_equal(refusal_of_events("cache-misses-of-another-kind:u", &error), -EDOM);
    assert_int_equal(refusal_of_events(NULL, &error), -EDOM);
    assert_non_null(strstr(error.text, "no sample"));
    /* The mode of counting does not make another event. */
    assert_int_equal(refusal_of_events("cache-misses:uP", &error), 0);
}

static void expect_unreadable(const char *text, size_t size, int wanted, const char *words)
{
    char path[128];
    struct error error = {0};
    struct report *report = NULL;
    write_file("bad.json", text, size, path);
    int code = report_read(&report, path, &error);
    if (code != wanted || !strstr(error.text, words))
        fail_msg("report '%.60s': expected error %d and '%s', got %d, '%s'", text, wanted, words,
                 code, error.text);
    assert_null(report);
}

static void malformed_report_files_are_refused(void **state)
{
    (void)state;
    struct error error = {0};
    struct report *report;
    expect_unreadable("", 0, -EBADMSG, "empty");
    expect_unreadable(" \n\n", 3, -EBADMSG, "empty");
    expect_unreadable("{", 1, -EBADMSG, "JSON");
    expect_unreadable("[]", 2, -EBADMSG, "version");
    expect_unreadable("{\"version\":2,\"objects\":[]}", 26, -EBADMSG, "version 2");
    expect_unreadable("{\"version\":\"1\"}", 15, -EBADMSG, "version");
    expect_unreadable("{\"version\":1}", 13, -EBADMSG, "objects");
    expect_unreadable("{\"version\":1,\"change\":{},\"objects\":[]}", 37, -EBADMSG, "diff");
    expect_unreadable("{\"version\":1,\0\"objects\":[]}", 27, -EBADMSG, "JSON");
    assert_int_equal(report_read(&report, folder, &error), -ENOTSUP);
    assert_int_equal(report_read(&report, "/nonexistent/file", &error), -ENOENT);
    /* Nested too deeply. */
    char *deep = malloc(100000);
    memset(deep, '[', 100000);
    expect_unreadable(deep, 100000, -EBADMSG, "JSON");
    free(deep);
}

/* Truncated anywhere, and with any value in place of another type: gives an error or a report, and
 * no crash. */
static void damaged_reports_are_harmless(void **state)
{
    (void)state;
    static const char *const values[] = {"null", "-1",         "1e308", "\"text\"",
                                         "[[]]", "{\"x\":{}}", "true",  "18446744073709551616"};
    char path[128];
    char *text;
    size_t size;
    const struct snapshot *snapshot = fixture_new(FIXTURE_ONE, 0);
    FILE *out = open_memstream(&text, &size);
    assert_int_equal(json_print(out, snapshot), 0);
    fclose(out);
    for (size_t cut = 0; cut < size - 2; cut += 1 + size / 500) {
        struct error error = {0};
        struct report *report;
        write_file("cut.json", text, cut, path);
        assert_true(report_read(&report, path, &error) < 0);
    }
    for (char *colon = text; (colon = strchr(colon + 1, ':'));)
        for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
            struct error error = {0};
            struct report *report;
            char *damaged;
            const char *rest = colon + 1 + strcspn(colon + 1, ",]}");
            int length = asprintf(&damaged, "%.*s%s%s", (int)(colon + 1 - text), text, values[i],
                                  strchr("[{\"", colon[1]) ? ",\"x\":0" : rest);
            write_file("damaged.json", damaged, (size_t)length, path);
            if (!report_read(&report, path, &error)) {
                struct diff_side side = {.runs = &report, .run_count = 1};
                struct diff *diff;
                if (!diff_new(&diff, &side, &side, &error))
                    diff_free(diff);
                report_free(report);
            }
            free(damaged);
        }
    free(text);
    fixture_release(snapshot);
}

static void report_names_are_sanitised(void **state)
{
    (void)state;
    struct report *report = report_with(
        "p\\u001b[31m", TABLES(OBJECT("a\\u001b]0;x\\u0007b\\nc", "m\\u202e", "0.5"), ""));
    assert_string_equal(report->rows[REPORT_OBJECTS][0].name, "a?]0;x?b?c");
    assert_string_equal(report->rows[REPORT_OBJECTS][0].module, "m?");
    assert_null(strchr(report->comm, '\033'));
    report_free(report);
}

/* A stack starts at another address in each run, so offsets in it are not compared. With decay the
 * counts cover half-life / ln 2 seconds. */
static void report_rows_exclude_stack_offsets(void **state)
{
    (void)state;
    struct report *report = report_with(
        "p", "\"objects_left_out\":3,\"objects\":[{\"name\":\"[stack]\",\"kind\":\"stack\","
             "\"share\":0.5,\"fields\":[{\"name\":\"+8\",\"share\":0.5},"
             "{\"name\":\"point.x\",\"share\":0.5}]}],\"code\":[]");
    assert_int_equal(report->count[REPORT_FIELDS], 1);
    assert_true(report->rows[REPORT_FIELDS][0].share == 0.25);
    assert_true(report->min_object_share == 0.001);
    assert_true(report->covered_s == 10);
    report_free(report);
    report = read_text("{\"version\":1,\"elapsed\":1000,\"half_life\":10,\"basis\":\"decayed\","
                       "\"objects\":[],\"code\":[]}");
    assert_true(fabs(report->covered_s - 10 / log(2)) < 1e-6);
    report_free(report);
}

static char *print(const struct diff *diff, bool json, bool all)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    struct view_options options = {.color = VIEW_COLOR_NEVER, .ascii = true, .width = 120};
    assert_int_equal(json ? json_diff_print(out, diff, all) : diff_print(out, diff, &options, all),
                     0);
    fclose(out);
    return text;
}

static void diff_is_printed_as_text_and_json(void **state)
{
    (void)state;
    struct report *a =
        report_with("p", TABLES(OBJECT("x", "p", "0.4") "," OBJECT("y", "p", "0.6"), ""));
    struct report *b = report_with(
        "p", TABLES(OBJECT("x", "p", "0.2") "," OBJECT("y", "p", "0.6") "," OBJECT("z", "p", "0.2"),
                    ""));
    struct diff *diff = compare(&a, 1, &b, 1);
    char *text = print(diff, false, false);
    assert_non_null(strstr(text, "objects: 2 of 3 changed significantly"));
    assert_non_null(strstr(text, "functions: no significant change"));
    assert_null(strstr(text, "gone"));
    assert_null(strstr(text, " y "));
    free(text);
    text = print(diff, false, true);
    assert_non_null(strstr(text, " y "));
    free(text);
    text = print(diff, true, true);
    json_error_t error;
    json_t *root = json_loads(text, 0, &error);
    assert_non_null(root);
    json_t *change = json_object_get(root, "change");
    json_t *objects = json_object_get(change, "objects");
    assert_int_equal(json_array_size(objects), 3);
    json_t *first = json_array_get(objects, 0);
    assert_true(json_is_true(json_object_get(first, "changed")));
    assert_true(json_is_null(json_object_get(json_array_get(objects, 2), "reading")));
    assert_true(json_is_null(json_object_get(first, "share_a")) ||
                json_is_real(json_object_get(first, "share_a")));
    json_decref(root);
    free(text);
    diff_free(diff);
    report_free(a);
    report_free(b);
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    static const char *const names[] = {"report.json", "two.json", "bad.json", "cut.json",
                                        "damaged.json"};
    char path[128];
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(run_does_not_differ_from_itself),
        cmocka_unit_test(saved_report_equals_its_snapshot),
        cmocka_unit_test(changed_rows_are_found_and_described),
        cmocka_unit_test(share_can_fall_while_amount_stays),
        cmocka_unit_test(simulated_runs_are_compared_by_misses),
        cmocka_unit_test(rows_match_despite_addresses_and_build_names),
        cmocka_unit_test(unlisted_rows_may_have_been_small),
        cmocka_unit_test(late_debug_info_does_not_count_as_change),
        cmocka_unit_test(several_runs_reveal_variation_between_runs),
        cmocka_unit_test(incomparable_reports_are_refused),
        cmocka_unit_test(malformed_report_files_are_refused),
        cmocka_unit_test(damaged_reports_are_harmless),
        cmocka_unit_test(report_names_are_sanitised),
        cmocka_unit_test(report_rows_exclude_stack_offsets),
        cmocka_unit_test(diff_is_printed_as_text_and_json),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
