/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * --sim: a program launched under misstop's Valgrind tool. Says which caches are simulated, finds
 * the tool, and puts the command together that launch.h starts. Used by main only.
 */
#ifndef MISSTOP_SIMULATION_H
#define MISSTOP_SIMULATION_H

#include "base/error.h"
#include "options.h"
#include "sample/simulated/sim_memory.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

struct simulation {
    struct sim_memory memory;
    char **command; /* the command; NULL-ended */
    char memory_option[64];
    char first_level[64]; /* as -C takes it: the cache shown on Sets */
};

/* `spec`: levels as of -C, and the word "causes", joined by ':'. Without levels, or NULL: this
 * machine's. -EINVAL. */
int simulation_levels(const char *spec, struct sim_wanted *wanted, struct error *error);

/*
 * `agent`: path of the allocation agent that the program will load; NULL: none. Sets VALGRIND_LIB.
 * -ENOTSUP: built without it; -ENOENT: valgrind or the command is not there. The remedy is
 * reported.
 */
int simulation_open(struct simulation *simulation, const struct options *options, const char *agent,
                    struct error *error);
void simulation_close(struct simulation *simulation);

/* For `misstop doctor`: whether it is here, and what would enable it. */
void simulation_doctor(FILE *out);

/* One line on how the simulation went wrong; "": it did not. */
void simulation_trouble(const struct simulation *simulation, char *out, size_t size);

#endif
