/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads misstop's findings on a program of findings_planted, and prints a table of them. For
 * test_findings.c and test_findings_sim.c. */
#ifndef MISSTOP_TESTS_LIVE_FINDINGS_WATCH_H
#define MISSTOP_TESTS_LIVE_FINDINGS_WATCH_H

#include "findings_programs.h"

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

enum { FINDINGS_PROGRAMS_MAX = 64 };

struct findings_outcome {
    char kinds[160];    /* all kinds found */
    double gain;        /* of the planted findings */
    double report_gain; /* the same in the last report */
    double speed; /* steps per second of CPU time; with --sim, accesses per miss of the ranking
                     event */
    bool bound;   /* the gain is an upper bound */
    bool found;
    bool wrong;
    bool ran;
    int reports;
};

/*
 * Reads reports until the planted finding appears: the number of samples needed depends on the
 * machine. Watches programs without one for `silent` reports with samples. Returns the watched
 * process; 0: no report.
 */
pid_t findings_watch(const struct findings_program *program, FILE *in, int silent,
                     struct findings_outcome *outcome);

/* Returns true if FINDINGS=MODE is absent or a prefix of the mode. */
bool findings_wanted(const struct findings_program *program);

/* Prints programs x findings, and the estimated and measured gains. Returns how many are wrong. */
unsigned findings_print(const struct findings_program *programs, size_t count,
                        const struct findings_outcome *outcomes);

#endif
