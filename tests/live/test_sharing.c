/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * misstop on programs with planted sharing (sharing_planted.c): verdict, fields and threads, and no
 * row for programs that only resemble it. Runs once for each source that works here. Also the line
 * shared by three threads in a recording of real hardware.
 */
#include "unit/unit.h"

#include "run.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Number of reports, a quarter of a second each, and run time of the program. */
enum { PATIENCE = 800, SECONDS = 300 };

static const char *source;

struct expected {
    const char *mode;
    const char *object;
    const char *verdicts; /* any of these */
    const char *fields[2];
    bool locked;
};

static const char *text_of(json_t *object, const char *member)
{
    const char *text = json_string_value(json_object_get(object, member));
    return text ? text : "";
}

static FILE *start_misstop(pid_t pid, const char *more)
{
    char command[512];
    snprintf(command, sizeof command, "exec \"$MISSTOP\" -j -p %d -s %s %s", (int)pid, source,
             more);
    return popen(command, "r");
}

static json_t *next_report(FILE *in)
{
    char *line = NULL;
    size_t size = 0;
    json_t *report = getline(&line, &size, in) > 0 ? json_loads(line, 0, NULL) : NULL;
    free(line);
    return report;
}

/* Returns true if a side of this thread has `field` among its fields. */
static bool has_side(json_t *line, const struct planted *planted, const char *thread,
                     const char *field)
{
    size_t i;
    json_t *side;
    json_array_foreach(json_object_get(line, "sides"), i,
                       side) if (report_number(side, "tid") ==
                                     atof(planted_first(planted, thread)) &&
                                 strstr(text_of(side, "fields"), field) &&
                                 json_array_size(json_object_get(side, "code"))) return true;
    return false;
}

static bool line_agrees(json_t *line, const struct expected *expected,
                        const struct planted *planted)
{
    return !strcmp(text_of(line, "object"), expected->object) &&
           strstr(expected->verdicts, text_of(line, "verdict")) &&
           json_is_true(json_object_get(line, "locked")) == expected->locked &&
           has_side(line, planted, "thread0", expected->fields[0]) &&
           has_side(line, planted, "thread1", expected->fields[1]);
}

static bool report_agrees(json_t *report, const struct expected *expected,
                          const struct planted *planted)
{
    size_t i;
    json_t *line;
    json_array_foreach(json_object_get(json_object_get(report, "sharing"), "lines"), i,
                       line) if (line_agrees(line, expected, planted)) return true;
    return false;
}

/* Reads reports until one agrees: the number of samples by then depends on the machine. */
static void expect_sharing(const struct expected *expected)
{
    struct planted planted;
    bool agrees = false;
    json_t *report = NULL;
    assert_true(
        planted_start_program(&planted, getenv("SHARING_PLANTED"), expected->mode, SECONDS));
    FILE *in = start_misstop(planted.pid, "-d 0.25");
    assert_non_null(in);
    for (int i = 0; i < PATIENCE && !agrees; i++) {
        json_decref(report);
        report = next_report(in);
        agrees = report && report_agrees(report, expected, &planted);
    }
    if (!agrees) {
        char *text = json_dumps(json_object_get(report, "sharing"), JSON_INDENT(1));
        printf("%s: expected sharing not reported; got %s\n", expected->mode,
               text ? text : "no report");
        free(text);
    }
    json_decref(report);
    kill(planted.pid, SIGKILL);
    planted_finish(&planted);
    pclose(in);
    assert_true(agrees);
}

static void planted_sharing_is_found_and_classified(void **state)
{
    static const struct expected cases[] = {
        {"false", "counters", "false", {"counters.hits", "counters.misses"}, false},
        {"true", "total", "true", {"total", "total"}, true},
        {"lock", "guarded", "true both", {"guarded.lock", "guarded.lock"}, true},
        {"array", "array", "false", {"[0]", "[2]"}, false},
        {"queue", "ring", "true", {"ring.head", "ring.head"}, false},
        {"reader", "settings", "false", {"settings.limit", "settings.used"}, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_sharing(&cases[i]);
}

static void harmless_lines_are_not_reported_as_sharing(void **state)
{
    (void)state;
    struct planted planted;
    assert_true(planted_start_program(&planted, getenv("SHARING_PLANTED"), "clean", SECONDS));
    FILE *in = start_misstop(planted.pid, "-d 2 -n 1 -r 4000 -H 0");
    assert_non_null(in);
    json_t *report = next_report(in);
    pclose(in);
    kill(planted.pid, SIGKILL);
    planted_finish(&planted);
    json_t *groups = json_object_get(json_object_get(report, "sharing"), "groups");
    json_t *samples = json_object_get(report, "samples");
    for (size_t i = 0; i < json_array_size(groups); i++)
        printf("  %s: %s\n", text_of(json_array_get(groups, i), "object"),
               text_of(json_array_get(groups, i), "reading"));
    assert_true(report_number(samples, "attributed") > 100);
    assert_int_equal(json_array_size(groups), 0);
    json_decref(report);
}

/* The description of this file in shared/data/README.md: one line, three threads, no HITM. */
static void pebs_recording_shows_its_shared_line(void **state)
{
    (void)state;
    char command[1024];
    const char *folder = getenv("SHARED_DATA");
    snprintf(command, sizeof command, "%s/pebs-i9-9980HK-loads-stores.perf.data",
             folder ? folder : "");
    if (access(command, R_OK))
        skip();
    snprintf(command, sizeof command,
             "\"$MISSTOP\" -j -H 0 -i '%s/pebs-i9-9980HK-loads-stores.perf.data'", folder);
    FILE *in = popen(command, "r");
    json_t *report = NULL;
    for (json_t *next; (next = next_report(in)); report = next)
        json_decref(report);
    assert_int_equal(pclose(in), 0);
    json_t *sharing = json_object_get(report, "sharing");
    json_t *lines = json_object_get(sharing, "lines");
    assert_string_equal(text_of(sharing, "evidence"), "hitm");
    assert_int_equal(json_array_size(lines), 1);
    json_t *line = json_array_get(lines, 0);
    assert_string_equal(text_of(line, "verdict"), "read-only");
    assert_int_equal(json_array_size(json_object_get(line, "sides")), 3);
    assert_true(report_number(line, "hitm") == 0);
    json_decref(report);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest live[] = {
        cmocka_unit_test(planted_sharing_is_found_and_classified),
        cmocka_unit_test(harmless_lines_are_not_reported_as_sharing),
    };
    const struct CMUnitTest all[] = {
        cmocka_unit_test(planted_sharing_is_found_and_classified),
        cmocka_unit_test(harmless_lines_are_not_reported_as_sharing),
        cmocka_unit_test(pebs_recording_shows_its_shared_line),
    };
    (void)argc;
    /*
     * Same priority as the programs: otherwise misstop would get little time besides their threads.
     */
    setpriority(PRIO_PROCESS, 0, -15);
    source = strstr(argv[0], "counter") ? "counter" : "clock";
    if (!source_works(source)) {
        printf("SKIP: source %s does not work (misstop doctor says why)\n", source);
        return 77;
    }
    /* The recording does not depend on the source: once is enough. */
    return strcmp(source, "clock") ? cmocka_run_group_tests(live, NULL, NULL)
                                   : cmocka_run_group_tests(all, NULL, NULL);
}
