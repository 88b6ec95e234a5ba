/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The modes of findings_planted, and the findings that misstop must and may report for each. For
 * test_findings.c and test_findings_sim.c. */
#ifndef MISSTOP_TESTS_LIVE_FINDINGS_PROGRAMS_H
#define MISSTOP_TESTS_LIVE_FINDINGS_PROGRAMS_H

#include <stdbool.h>
#include <stddef.h>

/* How misstop watches it. */
enum findings_way {
    ATTACHED, /* --heap none */
    WALKED,   /* --heap walk */
    LAUNCHED, /* with the agent */
    ALONE,    /* attached, while nothing else runs: needs two CPUs */
    SIMULATED
};

struct findings_program {
    const char *mode;
    enum findings_way way;
    const char *kind;    /* NULL: none */
    const char *object;  /* part of its name */
    const char *also;    /* also true, separated by blanks; NULL: nothing */
    const char *options; /* further options of misstop; NULL: none */
    bool long_form;      /* only with FINDINGS_FULL=1, or if named */
};

extern const struct findings_program findings_programs[];
extern const size_t findings_program_count;
extern const struct findings_program findings_sim_programs[];
extern const size_t findings_sim_program_count;

#endif
