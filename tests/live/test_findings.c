/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * misstop on programs with planted problems (findings_planted.c): each is found, programs that only
 * look like it and repaired ones stay silent, and nothing else is found in any. Prints programs x
 * findings, and what each remedy gained beside the estimate: that is not asserted, for time is the
 * machine's. FINDINGS_FULL=1 looks longer at programs without a problem; FINDINGS=MODE at one only.
 */
#include "../unit/unit.h"

#include "findings_programs.h"
#include "run.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SILENT_REPORTS = 4, SILENT_REPORTS_FULL = 24, MORE_REPORTS = 2 };
/* A planted one is waited for until so many samples came, in so many reports. A machine that does a
 * dozen other things takes its time; it has so long, in all. */
enum { PATIENCE_SAMPLES = 12000, PATIENCE = 80, REPORTS_MOST = 600, SECONDS_MOST = 200 };
enum { AT_ONCE = 2, PROGRAMS_MAX = 64, BARE_MS = 300 };

struct outcome {
    char kinds[160]; /* all found */
    double gain;     /* of the planted one */
    double speed;    /* steps a second of CPU time */
    bool bound;      /* it is an upper bound */
    bool found;
    bool wrong;
    bool ran;
    int reports;
};

static struct outcome outcomes[PROGRAMS_MAX];
static atomic_size_t next_program;

static const char *text_of(json_t *object, const char *member)
{
    const char *text = json_string_value(json_object_get(object, member));
    return text ? text : "";
}

static bool has_word(const char *words, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = words; at && (at = strstr(at, word)); at += length)
        if ((at == words || at[-1] == ' ') && (!at[length] || at[length] == ' '))
            return true;
    return false;
}

static void take_finding(const struct findings_program *program, json_t *finding,
                         struct outcome *outcome)
{
    const char *kind = text_of(finding, "kind");
    bool planted = program->kind && !strcmp(kind, program->kind) &&
                   strstr(text_of(finding, "object"), program->object);
    if (!has_word(outcome->kinds, kind)) {
        size_t used = strlen(outcome->kinds);
        snprintf(outcome->kinds + used, sizeof outcome->kinds - used, "%s%s", used ? " " : "",
                 kind);
    }
    if (planted) {
        outcome->found = true;
        outcome->gain = report_number(finding, "gain");
        outcome->bound = json_is_true(json_object_get(finding, "gain_is_bound"));
        return;
    }
    if (has_word(program->also, kind))
        return;
    outcome->wrong = true;
    printf("  %s: %s on %s: %s\n", program->mode, kind, text_of(finding, "object"),
           text_of(finding, "evidence"));
}

/* Reports come until the planted one is found: how many samples it takes is the machine's
 * business. Programs without one are looked at as long as that usually takes. The process watched;
 * 0: no report came. */
static pid_t watch(const struct findings_program *program, FILE *in, struct outcome *outcome)
{
    char *line = NULL;
    size_t size = 0;
    pid_t pid = 0;
    double samples = 0;
    int more = 0;
    int most = program->kind             ? PATIENCE
               : getenv("FINDINGS_FULL") ? SILENT_REPORTS_FULL
                                         : SILENT_REPORTS;
    for (int i = 0;
         (i < most || (program->kind && !outcome->found && samples < PATIENCE_SAMPLES)) &&
         getline(&line, &size, in) > 0;) {
        size_t k;
        json_t *finding;
        json_t *report = json_loads(line, 0, NULL);
        if (!report) /* what the program prints itself */
            continue;
        json_array_foreach(json_object_get(report, "findings"), k, finding)
            take_finding(program, finding, outcome);
        samples = report_number(json_object_get(report, "samples"), "total");
        pid = (pid_t)report_number(json_object_get(report, "target"), "pid");
        json_decref(report);
        outcome->reports = ++i;
        /* What came before a type was known fades, so that the estimate is of the program. */
        if (outcome->found && !more)
            most = i + (more = MORE_REPORTS);
    }
    free(line);
    return pid;
}

static double speed_of(const struct planted *planted)
{
    const char *speed = planted_last(planted, "speed");
    return speed ? atof(speed) : 0;
}

static bool run_attached(const struct findings_program *program, struct outcome *outcome)
{
    struct planted planted;
    char command[512];
    if (!planted_start_program(&planted, getenv("FINDINGS_PLANTED"), program->mode, SECONDS_MOST))
        return false;
    snprintf(command, sizeof command,
             "exec \"$MISSTOP\" -j -p %d -s clock -d 0.25 -n %d -H 2 --heap %s", (int)planted.pid,
             REPORTS_MOST, program->way == WALKED ? "walk" : "none");
    FILE *in = popen(command, "r");
    bool watched = in && watch(program, in, outcome);
    kill(planted.pid, SIGTERM);
    planted_finish(&planted);
    if (in)
        pclose(in);
    outcome->speed = speed_of(&planted);
    return watched;
}

/* The agent has its part in what such a program does; its speed is its own, without misstop. */
static bool run_launched(const struct findings_program *program, struct outcome *outcome)
{
    struct planted planted;
    char command[512];
    snprintf(command, sizeof command,
             "exec \"$MISSTOP\" -j -s clock -d 0.25 -H 2 -- \"$FINDINGS_PLANTED\" %s %d",
             program->mode, SECONDS_MOST);
    FILE *in = popen(command, "r");
    pid_t pid = in ? watch(program, in, outcome) : 0;
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

static bool wanted(const struct findings_program *program)
{
    const char *only = getenv("FINDINGS");
    return !only || !strncmp(program->mode, only, strlen(only));
}

static void run(size_t index)
{
    const struct findings_program *program = &findings_programs[index];
    struct outcome *outcome = &outcomes[index];
    if (!wanted(program))
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

/* Beside the estimate, what the remedy brought: the part of the time that went. */
static void print_gain(size_t index)
{
    char fixed[64];
    snprintf(fixed, sizeof fixed, "%s-fixed", findings_programs[index].mode);
    for (size_t i = 0; i < findings_program_count; i++)
        if (!strcmp(findings_programs[i].mode, fixed) && outcomes[i].speed > 0)
            printf("  %-22s gain estimated %s %5.1f%%, measured %5.1f%%\n",
                   findings_programs[index].mode, outcomes[index].bound ? "at most" : "about  ",
                   outcomes[index].gain * 100,
                   100 * (1 - outcomes[index].speed / outcomes[i].speed));
}

static void planted_problems_are_found_and_nothing_else(void **state)
{
    unsigned wrong = 0;
    (void)state;
    assert_true(findings_program_count <= PROGRAMS_MAX);
    run_all();
    for (size_t i = 0; i < findings_program_count; i++) {
        const struct findings_program *program = &findings_programs[i];
        const struct outcome *outcome = &outcomes[i];
        if (!wanted(program))
            continue;
        printf("  %-22s planted %-14s found: %s (%d reports)\n", program->mode,
               program->kind ? program->kind : "-", *outcome->kinds ? outcome->kinds : "-",
               outcome->reports);
        wrong += !outcome->ran || outcome->wrong || outcome->found != (program->kind != NULL);
    }
    for (size_t i = 0; i < findings_program_count; i++)
        if (outcomes[i].found)
            print_gain(i);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planted_problems_are_found_and_nothing_else),
    };
    if (!source_works("clock")) {
        puts("SKIP: source clock does not work here");
        return 77;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
