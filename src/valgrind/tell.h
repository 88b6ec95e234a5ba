/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Misses, sampled accesses and lines on their way to misstop: all of them while it keeps up and
 * they are not too many for what the program does, else one in N, with N apart for each level that
 * served (that a line left) and drawn about a prime, so that it keeps no step with the program.
 * What is told stands for those left out: weights add up to the misses. Used by access.c and
 * lines.c.
 */
#ifndef MISSTOP_VALGRIND_TELL_H
#define MISSTOP_VALGRIND_TELL_H

#include "sim_abi.h"

#include <stdbool.h>

void tell_start(void);

/* Whether the next miss will be told that level `served` has. */
bool tell_miss_is_due(unsigned served);

/* A miss: its kind, weight and stamp are filled in here. */
void tell_miss(struct sim_miss *miss);

/* A line that left level `level` (SIM_LEFT), or that was used (SIM_REUSED; 0): how many of its kind
 * it stands for if it is to be told; 0: it is not. To be asked for each. */
unsigned tell_line_due(unsigned kind, unsigned level);
/* One that is, standing for so many lines or uses: its weight and stamp are filled in here. */
void tell_line(struct sim_line *line, unsigned long stands);

/* The next access to be told, in accesses from now; 0: none ever. */
unsigned tell_access_next(void);
/* An access, that stands for `weight`. */
void tell_access(struct sim_miss *access, unsigned weight);

#endif
