/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "findings_watch.h"

#include "run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A planted finding is awaited for this many samples, in this many reports. */
enum { ACCESSES_MIN = 100000 }; /* simulated, without a miss */
enum { PATIENCE_SAMPLES = 12000, PATIENCE = 240, MORE_REPORTS = 2 };

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
                         struct findings_outcome *outcome)
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
        outcome->report_gain += report_number(finding, "gain");
        outcome->gain = outcome->report_gain;
        outcome->bound = json_is_true(json_object_get(finding, "gain_is_bound"));
        return;
    }
    if (has_word(program->also, kind))
        return;
    outcome->wrong = true;
    printf("  %s: %s on %s: %s\n", program->mode, kind, text_of(finding, "object"),
           text_of(finding, "evidence"));
}

pid_t findings_watch(const struct findings_program *program, FILE *in, int silent,
                     struct findings_outcome *outcome)
{
    char *line = NULL;
    size_t size = 0;
    pid_t pid = 0;
    double samples = 0;
    int more = 0;
    int most = program->kind ? PATIENCE : silent;
    for (int i = 0;
         (i < most || (program->kind && !outcome->found && samples < PATIENCE_SAMPLES)) &&
         getline(&line, &size, in) > 0;) {
        size_t k;
        json_t *finding;
        json_t *report = json_loads(line, 0, NULL);
        if (!report) /* output of the program itself */
            continue;
        outcome->report_gain = 0;
        json_array_foreach(json_object_get(report, "findings"), k, finding)
            take_finding(program, finding, outcome);
        samples = report_number(json_object_get(report, "samples"), "total");
        json_t *simulation = json_object_get(report, "simulation");
        double accesses = simulation ? report_number(simulation, "accesses") : 0;
        i += samples > 0 || accesses > ACCESSES_MIN;
        pid = (pid_t)report_number(json_object_get(report, "target"), "pid");
        json_decref(report);
        outcome->reports = i;
        /* Earlier figures, from before the type was known, fade, so that the estimate is that of
         * the program. */
        if (outcome->found && !more)
            most = i + (more = MORE_REPORTS);
    }
    free(line);
    return pid;
}

bool findings_wanted(const struct findings_program *program)
{
    const char *only = getenv("FINDINGS");
    if (!only)
        return !program->long_form || getenv("FINDINGS_FULL");
    return !strncmp(program->mode, only, strlen(only));
}

/* Prints the estimate, and the gain of the remedy: the share of time or misses that disappeared. */
static void print_gain(const struct findings_program *programs, size_t count,
                       const struct findings_outcome *outcomes, size_t index)
{
    char fixed[64];
    snprintf(fixed, sizeof fixed, "%s-fixed", programs[index].mode);
    for (size_t i = 0; i < count; i++)
        if (!strcmp(programs[i].mode, fixed) && outcomes[i].speed > 0)
            printf("  %-22s gain estimated %s %5.1f%%, measured %5.1f%%\n", programs[index].mode,
                   isnan(outcomes[index].gain) ? "unknown"
                   : outcomes[index].bound     ? "at most"
                                               : "about  ",
                   outcomes[index].gain * 100,
                   100 * (1 - outcomes[index].speed / outcomes[i].speed));
}

unsigned findings_print(const struct findings_program *programs, size_t count,
                        const struct findings_outcome *outcomes)
{
    unsigned wrong = 0;
    for (size_t i = 0; i < count; i++) {
        if (!findings_wanted(&programs[i]))
            continue;
        printf("  %-22s planted %-14s found: %s (%d reports)\n", programs[i].mode,
               programs[i].kind ? programs[i].kind : "-",
               *outcomes[i].kinds ? outcomes[i].kinds : "-", outcomes[i].reports);
        wrong += !outcomes[i].ran || outcomes[i].wrong ||
                 outcomes[i].found != (programs[i].kind != NULL);
    }
    for (size_t i = 0; i < count; i++)
        if (outcomes[i].found)
            print_gain(programs, count, outcomes, i);
    return wrong;
}
