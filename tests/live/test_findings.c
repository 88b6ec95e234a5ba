/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * misstop on programs with planted problems (findings_planted.c): each is found, programs that only
 * look like it and repaired ones stay silent, and nothing else is found in any. Prints programs x
 * findings, and what each remedy gained beside the estimate: that is not asserted, for time is the
 * machine's.
 */
#include "../unit/unit.h"

#include "run.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATIENCE = 60, SILENT_REPORTS = 3, MORE_REPORTS = 2 };

struct program {
    const char *mode;
    const char *kind;   /* NULL: none */
    const char *object; /* part of its name */
    const char *also;   /* true there too */
};

/*
 * What is true there too. split, chasing-fixed: before the type of the block is known, all that can
 * be said of it is that it is read from end to end. chasing-fixed: of each node of 64 bytes 16 are
 * used, now in order. split-clean: 64 MiB from end to end, and all of it used.
 */
static const struct program programs[] = {
    {"split", "split", "particle", "streaming"},
    {"split-fixed", NULL, NULL, NULL},
    {"split-clean", NULL, NULL, "streaming"},
    {"split-small", NULL, NULL, NULL},
    {"straddling", "straddling", "record", NULL},
    {"straddling-fixed", NULL, NULL, NULL},
    {"straddling-clean", NULL, NULL, NULL},
    {"false-sharing", "false-sharing", "counters", NULL},
    {"false-sharing-fixed", NULL, NULL, NULL},
    {"true-sharing", "true-sharing", "total", NULL},
    {"true-sharing-clean", NULL, NULL, NULL},
    {"conflict", "conflict", "rows", NULL},
    {"conflict-fixed", NULL, NULL, NULL},
    {"conflict-clean", NULL, NULL, NULL},
    {"chasing", "chasing", "node", NULL},
    {"chasing-fixed", NULL, NULL, "split streaming"},
    {"chasing-clean", NULL, NULL, NULL},
    {"chasing-indexed", NULL, NULL, NULL},
    {"streaming", "streaming", "", NULL},
    {"streaming-fixed", NULL, NULL, NULL},
    {"streaming-clean", NULL, NULL, NULL},
};
enum { PROGRAMS = sizeof programs / sizeof *programs };

struct outcome {
    char kinds[160]; /* all found */
    double gain;     /* of the planted one */
    double speed;    /* steps a second of CPU time */
    bool bound;      /* it is an upper bound */
    bool found;
    bool wrong;
};

static const char *text_of(json_t *object, const char *member)
{
    const char *text = json_string_value(json_object_get(object, member));
    return text ? text : "";
}

static void take_finding(const struct program *program, json_t *finding, struct outcome *outcome)
{
    const char *kind = text_of(finding, "kind");
    bool planted = program->kind && !strcmp(kind, program->kind) &&
                   strstr(text_of(finding, "object"), program->object);
    if (!strstr(outcome->kinds, kind)) {
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
    if (program->also && strstr(program->also, kind))
        return;
    outcome->wrong = true;
    printf("  %s: %s on %s: %s\n", program->mode, kind, text_of(finding, "object"),
           text_of(finding, "evidence"));
}

/* Reports come until the planted one is found: how many samples it takes is the machine's
 * business. Programs without one are looked at as long as that usually takes. */
static void watch(const struct program *program, FILE *in, struct outcome *outcome)
{
    char *line = NULL;
    size_t size = 0;
    int most = program->kind ? PATIENCE : SILENT_REPORTS;
    for (int i = 0; i < most && getline(&line, &size, in) > 0; i++) {
        size_t k;
        json_t *finding;
        json_t *report = json_loads(line, 0, NULL);
        json_array_foreach(json_object_get(report, "findings"), k, finding)
            take_finding(program, finding, outcome);
        json_decref(report);
        /* What came before a type was known fades, so that the estimate is of the program. */
        if (outcome->found && most > i + 1 + MORE_REPORTS)
            most = i + 1 + MORE_REPORTS;
    }
    free(line);
}

static void run(const struct program *program, struct outcome *outcome)
{
    struct planted planted;
    char command[512];
    assert_true(planted_start_program(&planted, getenv("FINDINGS_PLANTED"), program->mode, 60));
    snprintf(command, sizeof command,
             "exec \"$MISSTOP\" -j -p %d -s clock -d 0.25 -n %d -H 0.5 --heap none",
             (int)planted.pid, PATIENCE);
    FILE *in = popen(command, "r");
    assert_non_null(in);
    watch(program, in, outcome);
    kill(planted.pid, SIGTERM);
    planted_finish(&planted);
    pclose(in);
    const char *speed = planted_last(&planted, "speed");
    outcome->speed = speed ? atof(speed) : 0;
}

/* Beside the estimate, what the remedy brought: the part of the time that went. */
static void print_gain(const struct outcome *outcomes, size_t index)
{
    char fixed[64];
    snprintf(fixed, sizeof fixed, "%s-fixed", programs[index].mode);
    for (size_t i = 0; i < PROGRAMS; i++)
        if (!strcmp(programs[i].mode, fixed) && outcomes[i].speed > 0)
            printf("  %-20s gain estimated %s %5.1f%%, measured %5.1f%%\n", programs[index].mode,
                   outcomes[index].bound ? "at most" : "about  ", outcomes[index].gain * 100,
                   100 * (1 - outcomes[index].speed / outcomes[i].speed));
}

static void planted_problems_are_found_and_nothing_else(void **state)
{
    static struct outcome outcomes[PROGRAMS];
    unsigned wrong = 0;
    (void)state;
    for (size_t i = 0; i < PROGRAMS; i++) {
        run(&programs[i], &outcomes[i]);
        printf("  %-20s planted %-14s found: %s\n", programs[i].mode,
               programs[i].kind ? programs[i].kind : "-",
               *outcomes[i].kinds ? outcomes[i].kinds : "-");
        wrong += outcomes[i].wrong || outcomes[i].found != (programs[i].kind != NULL);
    }
    for (size_t i = 0; i < PROGRAMS; i++)
        if (outcomes[i].found)
            print_gain(outcomes, i);
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
