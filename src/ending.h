/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is said and given back after the last refresh, on a plain terminal: a screen would have
 * wiped it out. Used by main only.
 */
#ifndef MISSTOP_ENDING_H
#define MISSTOP_ENDING_H

#include "command.h"
#include "launch.h"
#include "options.h"
#include "pipeline.h"
#include "simulation.h"

#include <stdbool.h>

/* What a recording needs and is not here, below the tables of a batch. pipeline: NULL: never
 * opened. */
void ending_binaries(const struct options *options, const struct pipeline *pipeline);

/* As strace does: the command's own status, and its death by a signal becomes ours. */
int ending_status(const struct launch *launch);

/* What went wrong under Valgrind, if anything did. */
void ending_simulation(const struct simulation *simulation);

/* Why the heap of a launched program is not what its agent recorded, or only until then. */
void ending_heap(const struct command *command);

/* Where to read what the program printed while there was a screen; output "": it had the terminal.
 * What was never started has printed nothing. */
void ending_output(const char *program, const char *output, bool started);

#endif
