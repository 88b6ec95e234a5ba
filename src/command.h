/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * CMD as it is to be launched: with the allocation agent where that can be loaded, and under the
 * simulated cache where --sim asks for it. Opened by main before launch_prepare().
 */
#ifndef MISSTOP_COMMAND_H
#define MISSTOP_COMMAND_H

#include "base/error.h"
#include "options.h"
#include "simulation.h"

struct feed;

struct command {
    char *const *words;           /* what is started, NULL-ended */
    struct feed *feed;            /* of the agent; NULL: none */
    struct error heap_note;       /* why there is none */
    struct simulation simulation; /* .memory.shared NULL: none */
};

/* 0, or -errno with cause and remedy where the simulation cannot be had. A program that cannot load
 * the agent is watched without; the Heap screen says why. */
int command_open(struct command *command, const struct options *options, struct error *error);

/* After the program has ended, or is to go on alone. Also of what was never opened, if zeroed. */
void command_close(struct command *command);

#endif
