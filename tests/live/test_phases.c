/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * misstop on programs with planted phases (phases_planted.c), with the clock source: one segment
 * per phase, within a base period of the program's own log, the same letter for the same phase, the
 * leader and whether the leader changed, and no second phase in a program with one. The programs
 * run in parallel. PHASES_LIVE_FULL=1: phases of 10 s, and half an hour of one.
 */
#include "unit/unit.h"

#include "run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MODES = 5, PHASES_MAX = 16 };

static const char *const modes[MODES] = {"none", "simple", "complex", "inversion", "short"};

/* One program and the misstop that watches it. */
struct watched {
    const char *mode;
    struct planted planted;
    FILE *reports;
    json_t *segments; /* of the last report */
    double started_s; /* CLOCK_MONOTONIC at elapsed time 0 */
};

/* The program's own log of its phases; adjacent equal ones are merged. */
struct log {
    char letters[PHASES_MAX + 1];
    double start_s[PHASES_MAX + 1]; /* CLOCK_MONOTONIC; the last one is the end */
    unsigned count;
};

static struct watched watched[MODES];

/* Long intervals: only the last report, at the end of the program, is used. */
static void start_watching(struct watched *one, const char *mode, const char *seconds)
{
    char command[256];
    one->mode = mode;
    assert_true(
        planted_start_program(&one->planted, getenv("PHASES_PLANTED"), mode, atof(seconds)));
    snprintf(command, sizeof command,
             "exec \"$MISSTOP\" -j -p %d -s clock -c 250000 -H 0 --heap none -d 600",
             (int)one->planted.pid);
    one->reports = popen(command, "r");
    assert_non_null(one->reports);
}

static void read_reports(struct watched *one)
{
    char *line = NULL;
    size_t size = 0;
    json_t *last = NULL;
    while (getline(&line, &size, one->reports) > 0) {
        json_decref(last);
        last = json_loads(line, 0, NULL);
    }
    free(line);
    assert_int_equal(pclose(one->reports), 0);
    assert_int_equal(planted_finish(&one->planted), 0);
    assert_non_null(last);
    json_t *phases = json_object_get(last, "phases");
    one->started_s = report_number(phases, "start_monotonic") - report_number(phases, "start");
    one->segments = json_incref(json_object_get(phases, "segments"));
    json_decref(last);
}

static struct log read_log(const struct watched *one)
{
    struct log log = {.count = 0};
    char name[8];
    unsigned long long at_ns;
    const char *line = one->planted.text;
    while ((line = strstr(line, "change "))) {
        assert_int_equal(sscanf(line, "change %7s %llu", name, &at_ns), 2);
        line++;
        if (log.count && log.letters[log.count - 1] == *name)
            continue;
        assert_true(log.count <= PHASES_MAX);
        log.start_s[log.count] = (double)at_ns / 1e9;
        if (log.count < PHASES_MAX)
            log.letters[log.count] = *name;
        log.count++;
    }
    assert_true(log.count >= 2);
    log.count--; /* without "end" */
    log.letters[log.count] = '\0';
    return log;
}

static double length_of(json_t *segment)
{
    return report_number(segment, "end") - report_number(segment, "start");
}

/* Returns the interval of the phase detector: each base period if there are enough samples, and
 * several of them on a busy machine with fewer samples. */
static double period_of(json_t *left, json_t *right)
{
    enum { SAMPLES = 100 };
    const double base_s = 0.25;
    double rate = fmin(report_number(left, "samples") / length_of(left),
                       report_number(right, "samples") / length_of(right));
    double steps = ceil(SAMPLES / (rate * base_s));
    /* If it takes several, it sometimes takes one more. */
    return base_s * (steps > 1 ? steps + 1 : 1);
}

static const char *leader_of(char letter)
{
    return letter == 'C' ? "table" : letter == 'D' ? "list" : "grid";
}

static const char *text_of(json_t *segment, const char *member)
{
    const char *text = json_string_value(json_object_get(segment, member));
    return text ? text : "";
}

/* Checks the start of phase `index`, and that the change is reported. */
static void expect_change(const struct watched *one, const struct log *log, unsigned index)
{
    json_t *before = json_array_get(one->segments, index - 1);
    json_t *segment = json_array_get(one->segments, index);
    double off_s = report_number(segment, "start") + one->started_s - log->start_s[index];
    bool inverted = strcmp(leader_of(log->letters[index - 1]), leader_of(log->letters[index])) != 0;
    printf("  %-9s %c after %c at %6.2f s: reported %+.2f s from there, periods of %.2f s\n",
           one->mode, log->letters[index], log->letters[index - 1],
           log->start_s[index] - log->start_s[0], off_s, period_of(before, segment));
    /* One period for its edge, one for a busy machine. */
    assert_true(fabs(off_s) <= 2 * period_of(before, segment));
    assert_string_equal(text_of(segment, "leader"), leader_of(log->letters[index]));
    assert_int_equal(json_is_true(json_object_get(segment, "inversion")), inverted);
}

/*
 * One letter per phase. The last segment, which has not ended, has a letter if it is a known phase.
 */
static void expect_letters(const struct watched *one, const struct log *log)
{
    for (unsigned i = 1; i < log->count; i++) {
        const char *name = text_of(json_array_get(one->segments, i), "name");
        for (unsigned k = 0; k < i; k++) {
            bool same = !strcmp(name, text_of(json_array_get(one->segments, k), "name"));
            assert_int_equal(same, log->letters[i] == log->letters[k]);
        }
    }
}

static void expect_phases(const struct watched *one)
{
    struct log log = read_log(one);
    printf("  %-9s %s planted, %zu found in %.1f s\n", one->mode, log.letters,
           json_array_size(one->segments), log.start_s[log.count] - log.start_s[0]);
    assert_int_equal(json_array_size(one->segments), log.count);
    for (unsigned i = 1; i < log.count; i++)
        expect_change(one, &log, i);
    expect_letters(one, &log);
}

static void constant_program_has_one_phase(void **state)
{
    (void)state;
    expect_phases(&watched[0]);
}

static void recurring_phases_are_recognised(void **state)
{
    (void)state;
    expect_phases(&watched[1]);
}

static void complex_phases_are_distinguished(void **state)
{
    (void)state;
    expect_phases(&watched[2]);
}

static void phase_inversion_is_marked(void **state)
{
    (void)state;
    expect_phases(&watched[3]);
}

static void short_phases_are_found(void **state)
{
    (void)state;
    expect_phases(&watched[4]);
}

static int watch_all_programs(void **state)
{
    (void)state;
    bool full = getenv("PHASES_LIVE_FULL") != NULL;
    for (int i = 0; i < MODES; i++)
        start_watching(&watched[i], modes[i], !full ? "1.5" : i ? "10" : "1800");
    for (int i = 0; i < MODES; i++)
        read_reports(&watched[MODES - 1 - i]);
    return 0;
}

static int free_all_reports(void **state)
{
    (void)state;
    for (int i = 0; i < MODES; i++)
        json_decref(watched[i].segments);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constant_program_has_one_phase),
        cmocka_unit_test(recurring_phases_are_recognised),
        cmocka_unit_test(complex_phases_are_distinguished),
        cmocka_unit_test(phase_inversion_is_marked),
        cmocka_unit_test(short_phases_are_found),
    };
    if (!source_works("clock")) {
        printf("SKIP: source clock does not work (misstop doctor says why)\n");
        return 77;
    }
    return cmocka_run_group_tests(tests, watch_all_programs, free_all_reports);
}
