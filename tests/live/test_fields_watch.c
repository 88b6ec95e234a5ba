/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test_fields_watch.h"

#include "run.h"

#include <fnmatch.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A case is a single load, which takes most of the time; at -O0 the stack takes some of it. */
static const double floor_share = 0.25;
/* Old samples, from before the debugging information was read, soon fade. */
#define WATCH_OPTIONS "-s clock -r 4000 -H 0.2 -d 0.3"

enum { EXPECTED_MAX = 4, NAME_BYTES = 128 };

/* Lines "expect NAME OFFSET SIZE"; any of several is right. */
struct expected {
    size_t count;
    char name[EXPECTED_MAX][NAME_BYTES];
    unsigned long long offset[EXPECTED_MAX];
};

static void read_expected(const char *line, struct expected *expected)
{
    size_t at = expected->count;
    if (at < EXPECTED_MAX &&
        sscanf(line, "expect %127s %llu", expected->name[at], &expected->offset[at]) == 2)
        expected->count++;
}

/* Matches a pattern in which brackets are literal. */
static bool name_matches(const char *wanted, const char *name)
{
    char pattern[2 * NAME_BYTES];
    size_t used = 0;
    for (const char *at = wanted; *at; at++) {
        if (*at == '[')
            pattern[used++] = '\\';
        pattern[used++] = *at;
    }
    pattern[used] = '\0';
    return !fnmatch(pattern, name, 0);
}

static bool is_expected(const struct expected *expected, const char *name, double offset)
{
    for (size_t i = 0; i < expected->count; i++)
        if (name_matches(expected->name[i], name) && offset == (double)expected->offset[i])
            return true;
    return false;
}

static const char *text_of(json_t *object, const char *member)
{
    const char *text = json_string_value(json_object_get(object, member));
    return text ? text : "?";
}

/* Returns the name with the largest count. */
static const char *largest(json_t *counts)
{
    const char *name = NULL;
    const char *best = "no reason";
    double most = 0;
    json_t *value = NULL;
    json_object_foreach(counts, name, value) if (json_number_value(value) > most)
    {
        most = json_number_value(value);
        best = name;
    }
    return best;
}

static json_t *first_of(json_t *from, const char *member)
{
    return json_array_get(json_object_get(from, member), 0);
}

static void set_unknown(struct judged *judged, const char *what, const char *why)
{
    judged->verdict = VERDICT_UNKNOWN;
    snprintf(judged->text, sizeof judged->text, "%s: %s", what, why);
}

static struct judged judge(const struct expected *expected, json_t *report)
{
    struct judged judged = {.verdict = VERDICT_WRONG};
    json_t *samples = json_object_get(report, "samples");
    json_t *object = first_of(report, "objects");
    json_t *field = first_of(object, "fields");
    if (!(report_number(samples, "attributed") > 0.5 * report_number(samples, "total"))) {
        set_unknown(&judged, "no address", largest(json_object_get(samples, "unattributed")));
        return judged;
    }
    judged.share = report_number(object, "share") * report_number(field, "share");
    bool same = is_expected(expected, text_of(field, "name"), report_number(field, "offset"));
    if (same && judged.share >= floor_share)
        judged.verdict = VERDICT_RIGHT;
    else if (!same && json_is_null(json_object_get(field, "type")))
        set_unknown(&judged, "no type",
                    largest(json_object_get(json_object_get(report, "types"), "unknown")));
    else
        snprintf(judged.text, sizeof judged.text,
                 "expected %s at %llu, got %s at %.0f, %.0f %% (object %s)", expected->name[0],
                 expected->offset[0], text_of(field, "name"), report_number(field, "offset"),
                 100 * judged.share, text_of(object, "name"));
    return judged;
}

static struct judged failed_answer(const char *what)
{
    struct judged judged = {.verdict = VERDICT_BROKEN};
    snprintf(judged.text, sizeof judged.text, "%s", what);
    return judged;
}

/* Returns true if nothing is still being read that could improve an answer. */
static bool is_settled(json_t *report, unsigned *quiet)
{
    enum { QUIET_REPORTS = 8 };
    json_t *reading = json_object_get(report, "reading");
    *quiet = report_number(reading, "waiting") == 0 ? *quiet + 1 : 0;
    return *quiet >= QUIET_REPORTS;
}

/* Judges one report after the other until one is right or no better one will come: the time for
 * reading debugging information is not tested. Lines of a launched program come in between. */
static struct judged judge_until_right(FILE *in, struct expected *expected)
{
    enum { REPORTS_MAX = 60 };
    struct judged judged = failed_answer("no report, or nothing expected");
    char *line = NULL;
    size_t size = 0;
    unsigned quiet = 0;
    bool done = false;
    for (int reports = 0; !done && reports < REPORTS_MAX && getline(&line, &size, in) > 0;) {
        json_t *report = line[0] == '{' ? json_loads(line, 0, NULL) : NULL;
        read_expected(line, expected);
        if (report && expected->count) {
            judged = judge(expected, report);
            done = judged.verdict == VERDICT_RIGHT || is_settled(report, &quiet);
            reports++;
        }
        json_decref(report);
    }
    free(line);
    return judged;
}

static FILE *start_misstop(const char *target)
{
    char command[512];
    snprintf(command, sizeof command, "exec %s -j " WATCH_OPTIONS " %s", getenv("MISSTOP"), target);
    return popen(command, "re");
}

static struct judged watch_attached(const char *program, const char *name)
{
    struct judged judged = failed_answer("misstop did not start");
    struct planted planted;
    struct expected expected = {0};
    char target[32];
    bool ready = planted_start_program(&planted, program, name, 40);
    for (const char *line = planted.text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        read_expected(line, &expected);
    }
    snprintf(target, sizeof target, "-p %d", (int)planted.pid);
    FILE *in = ready ? start_misstop(target) : NULL;
    if (in)
        judged = judge_until_right(in, &expected);
    if (planted.pid > 0)
        kill(planted.pid, SIGKILL);
    planted_finish(&planted);
    if (in)
        pclose(in); /* ends when its target ends */
    return ready ? judged : failed_answer("the program does not know the case");
}

static struct judged watch_launched(const char *program, const char *name)
{
    struct expected expected = {0};
    char target[256];
    /* The program's output comes on misstop's standard error. */
    snprintf(target, sizeof target, "-- %s %s 4 2>&1", program, name);
    FILE *in = start_misstop(target);
    struct judged judged =
        in ? judge_until_right(in, &expected) : failed_answer("misstop did not start");
    if (in)
        pclose(in);
    return judged;
}

struct judged watch_case(const char *program, const char *name, bool launch)
{
    return launch ? watch_launched(program, name) : watch_attached(program, name);
}
