/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * misstop --sim on programs with planted problems: same as test_findings.c, but with exact causes
 * instead of samples. Prints programs x findings, and the estimates with the real reduction of
 * misses, for the same number of accesses, in the fixed programs. Skipped by name without valgrind.
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
#include <unistd.h>

enum { SILENT_REPORTS = 4, REPORTS_MAX = 400, SECONDS_MAX = 100, AT_ONCE = 2 };

static struct findings_outcome outcomes[FINDINGS_PROGRAMS_MAX];
static atomic_size_t next_program;

/* Returns the exact number of misses of the ranking level. */
static double misses_of(json_t *report, bool first)
{
    json_t *levels = json_object_get(json_object_get(report, "simulation"), "levels");
    size_t count = json_array_size(levels);
    json_t *level = json_array_get(levels, first || !count ? 0 : count - 1);
    return report_number(level, "load_misses") + report_number(level, "store_misses");
}

/* Reads to the end, and computes accesses per miss. */
static void read_out(const struct findings_program *program, FILE *in,
                     struct findings_outcome *outcome)
{
    char *line = NULL;
    size_t size = 0;
    double misses = 0;
    double accesses = 0;
    while (getline(&line, &size, in) > 0) {
        json_t *report = json_loads(line, 0, NULL);
        if (report) {
            misses = misses_of(report, strstr(program->options, "l1-miss"));
            accesses = report_number(json_object_get(report, "simulation"), "accesses");
        }
        json_decref(report);
    }
    free(line);
    outcome->speed = misses > 0 ? accesses / misses : 0;
}

static bool run(const struct findings_program *program, struct findings_outcome *outcome)
{
    char command[512];
    snprintf(command, sizeof command,
             "exec \"$MISSTOP\" -j --sim=L1=8K,2,64:L2=256K,8,64 %s -d 0.25 -n %d -H 0 --heap none "
             "-- \"$FINDINGS_PLANTED\" %s %d",
             program->options, REPORTS_MAX, program->mode, SECONDS_MAX);
    FILE *in = popen(command, "r");
    pid_t pid = in ? findings_watch(program, in, SILENT_REPORTS, outcome) : 0;
    if (pid > 0) /* Valgrind runs its threads one at a time: it would not end soon by itself */
        kill(pid, SIGKILL);
    if (pid > 0)
        read_out(program, in, outcome);
    if (in)
        pclose(in);
    return pid > 0;
}

static void *work(void *argument)
{
    for (size_t i = next_program++; i < findings_sim_program_count; i = next_program++)
        if (findings_wanted(&findings_sim_programs[i]))
            outcomes[i].ran = run(&findings_sim_programs[i], &outcomes[i]);
    return argument;
}

static void planted_problems_are_found_by_miss_causes(void **state)
{
    pthread_t threads[AT_ONCE];
    (void)state;
    assert_true(findings_sim_program_count <= FINDINGS_PROGRAMS_MAX);
    for (int i = 0; i < AT_ONCE; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work, NULL), 0);
    for (int i = 0; i < AT_ONCE; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(findings_print(findings_sim_programs, findings_sim_program_count, outcomes),
                     0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planted_problems_are_found_by_miss_causes),
    };
    if (system("\"$MISSTOP\" -j --sim=L1=16K,2,64 -- true >/dev/null 2>&1")) {
        puts("SKIP: misstop --sim does not work here");
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
