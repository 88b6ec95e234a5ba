/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The one poll loop: rings, keyboard, refresh timer, signals, end of the target. Shows
 * snapshots on the screen or prints them. Used by main only.
 */
#ifndef MISSTOP_LOOP_H
#define MISSTOP_LOOP_H

#include <stdio.h>
#include <sys/types.h>

#include "base/error.h"
#include "engine/engine.h"
#include "front.h"
#include "launch.h"
#include "options.h"
#include "view/view.h"

struct loop_setup {
    const struct options *options;
    struct engine *engine;
    struct screen *screen; /* NULL: batch */
    FILE *output;          /* of a batch */
    struct launch *launch; /* NULL or pid 0: nothing launched */
    pid_t pid;             /* target; 0 in replay */
    /* The screen has a thread of its own from here on; NULL: no more. */
    void (*started)(void *context, const struct front *front);
    void *context;
};

/* Runs until the target ends, the user quits or -n is reached. 0 or a negative errno. */
int loop_run(const struct loop_setup *setup, struct error *error);

#endif
