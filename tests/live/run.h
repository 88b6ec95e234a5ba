/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs planted programs and misstop on them, for the live tests. */
#ifndef MISSTOP_TESTS_LIVE_RUN_H
#define MISSTOP_TESTS_LIVE_RUN_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct planted {
    pid_t pid;
    int output;
    char text[8192]; /* all its output so far */
    size_t used;
};

/* Starts `planted MODE SECONDS` (path in $PLANTED) and waits until it is ready. With 0 seconds it
 * is then stopped until it gets SIGCONT, and ends on SIGTERM. */
bool planted_start(struct planted *planted, const char *mode, double seconds);
bool planted_start_program(struct planted *planted, const char *program, const char *mode,
                           double seconds);

/* Waits for its end and reads the rest. Returns its exit status, -1 if killed. */
int planted_finish(struct planted *planted);

/* Return the first or last value of NAME in the output; NULL if absent. */
const char *planted_first(const struct planted *planted, const char *name);
const char *planted_last(const struct planted *planted, const char *name);

/* Runs misstop ($MISSTOP) -j -p PID with more arguments (NULL-ended). Returns the last report. */
json_t *misstop_last_report(pid_t pid, const char *const *arguments);

/*
 * The same for a program that was started with 0 seconds. The program continues when misstop is
 * ready, and is ended when a report has enough, or after five minutes. So even on a slow machine
 * the last report covers everything it did, with as many samples as requested.
 */
typedef bool (*report_has_enough)(json_t *report);
json_t *misstop_until(pid_t pid, const char *const *arguments, report_has_enough enough);

/* Starts misstop without waiting, output to /dev/null. */
pid_t misstop_start(pid_t pid, const char *const *arguments);

/* Returns true if a source works here: opens a session on the test itself. */
bool source_works(const char *source);

/* Return the object of a report by name, and a number of it; NULL and NAN if absent. */
json_t *report_object(json_t *report, const char *name);
double report_number(json_t *object, const char *member);

#endif
