/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Misses, sampled accesses and lines on their way to misstop: all of them while it keeps up, else
 * one in N, with N apart for each level that served (that a line left) and drawn about a prime, so
 * that it keeps no step with the program. What is told stands for those left out: weights add up to
 * the misses. Used by access.c and lines.c.
 */
#ifndef MISSTOP_VALGRIND_TELL_H
#define MISSTOP_VALGRIND_TELL_H

#include "sim_abi.h"

void tell_start(void);

/* A miss: its kind, weight and stamp are filled in here. */
void tell_miss(struct sim_miss *miss);

/* A line that left, or that was used and stands for `weight` uses: its weight and stamp likewise.
 */
void tell_line(struct sim_line *line, unsigned weight);

/* The next access to be told, in accesses from now; 0: none ever. */
unsigned tell_access_next(void);
/* An access, that stands for `weight`. */
void tell_access(struct sim_miss *access, unsigned weight);

#endif
