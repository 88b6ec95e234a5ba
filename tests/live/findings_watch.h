/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading what misstop finds in a program of findings_planted, and the table of what it found. For
 * unit/profile/test_findings.c and test_findings_sim.c. */
#ifndef MISSTOP_TESTS_LIVE_FINDINGS_WATCH_H
#define MISSTOP_TESTS_LIVE_FINDINGS_WATCH_H

#include "findings_programs.h"

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

enum { FINDINGS_PROGRAMS_MAX = 64 };

struct findings_outcome {
    char kinds[160];    /* all found */
    double gain;        /* of the planted ones */
    double report_gain; /* of these in the last report */
    double
        speed;  /* steps a second of CPU time; under --sim, accesses a miss of the ranking event */
    bool bound; /* it is an upper bound */
    bool found;
    bool wrong;
    bool ran;
    int reports;
};

/* Reports come until the planted one is found: how many samples it takes is the machine's
 * business. Programs without one are looked at for `silent` reports with samples in them. The
 * process watched; 0: no report came. */
pid_t findings_watch(const struct findings_program *program, FILE *in, int silent,
                     struct findings_outcome *outcome);

/* FINDINGS=MODE: at those only whose name begins so. */
bool findings_wanted(const struct findings_program *program);

/* Programs x findings, and beside the estimates what the remedies gained. How many are wrong. */
unsigned findings_print(const struct findings_program *programs, size_t count,
                        const struct findings_outcome *outcomes);

#endif
