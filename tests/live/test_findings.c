/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * misstop on programs with planted problems (findings_planted.c): each problem is found, there are
 * no findings on programs that only resemble it and on repaired ones, and no other findings on any
 * program. Prints programs x findings, and the gain of each remedy with the estimate; this is not
 * asserted, because times depend on the machine. FINDINGS_FULL=1 watches programs without a problem
 * for longer; FINDINGS=MODE runs only one.
 */
#include "unit/unit.h"

#include "findings_watch.h"
#include "run.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SILENT_REPORTS = 4, SILENT_REPORTS_FULL = 24 };
/* A busy machine is slow; these are the limits. */
enum { REPORTS_MAX = 600, SECONDS_MAX = 200 };
enum { AT_ONCE = 2, BARE_MS = 300 };

static struct findings_outcome outcomes[FINDINGS_PROGRAMS_MAX];
static atomic_size_t next_program;

static int silent_reports(void)
{
    return getenv("FINDINGS_FULL") ? SILENT_REPORTS_FULL : SILENT_REPORTS;
}

static double speed_of(const struct planted *planted)
{
    const char *speed = planted_last(planted, "speed");
    return speed ? atof(speed) : 0;
}

static bool run_attached(const struct findings_program *program, struct findings_outcome *outcome)
{
    struct planted planted;
    char command[512];
    if (!planted_start_program(&planted, getenv("FINDINGS_PLANTED"), program->mode, SECONDS_MAX))
        return false;
    snprintf(command, sizeof command,
             "exec \"$MISSTOP\" -j -p %d -s clock -d 0.25 -n %d -H 2 --heap %s", (int)planted.pid,
             REPORTS_MAX, program->way == WALKED ? "walk" : "none");
    FILE *in = popen(command, "r");
    bool watched = in && findings_watch(program, in, silent_reports(), outcome);
    kill(planted.pid, SIGTERM);
    planted_finish(&planted);
    if (in)
        pclose(in);
    outcome->speed = speed_of(&planted);
    return watched;
}

/* The agent takes part of the time of a launched program; its speed is measured without misstop. */
static bool run_launched(const struct findings_program *program, struct findings_outcome *outcome)
{
    struct planted planted;
    char command[512];
    snprintf(command, sizeof command,
             "exec \"$MISSTOP\" -j -s clock -d 0.25 -H 2 -- \"$FINDINGS_PLANTED\" %s %d",
             program->mode, SECONDS_MAX);
    FILE *in = popen(command, "r");
    pid_t pid = in ? findings_watch(program, in, silent_reports(), outcome) : 0;
    if (pid > 0)
        kill(pid, SIGTERM);
    if (in)
        pclose(in);
    if (!planted_start_program(&planted, getenv("FINDINGS_PLANTED"), program->mode, BARE_MS / 1e3))
        return false;
    planted_finish(&planted);
    outcome->speed = speed_of(&planted);
    return pid > 0;
}

static void run(size_t index)
{
    const struct findings_program *program = &findings_programs[index];
    struct findings_outcome *outcome = &outcomes[index];
    if (!findings_wanted(program))
        return;
    outcome->ran =
        program->way == LAUNCHED ? run_launched(program, outcome) : run_attached(program, outcome);
}

static void *work(void *argument)
{
    for (size_t i = next_program++; i < findings_program_count; i = next_program++)
        if (findings_programs[i].way != ALONE)
            run(i);
    return argument;
}

static void run_all(void)
{
    pthread_t threads[AT_ONCE];
    for (int i = 0; i < AT_ONCE; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work, NULL), 0);
    for (int i = 0; i < AT_ONCE; i++)
        pthread_join(threads[i], NULL);
    for (size_t i = 0; i < findings_program_count; i++)
        if (findings_programs[i].way == ALONE)
            run(i);
}

static void exactly_the_planted_problems_are_found(void **state)
{
    (void)state;
    assert_true(findings_program_count <= FINDINGS_PROGRAMS_MAX);
    run_all();
    assert_int_equal(findings_print(findings_programs, findings_program_count, outcomes), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exactly_the_planted_problems_are_found),
    };
    if (!source_works("clock")) {
        puts("SKIP: source clock does not work here");
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
