/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The one poll loop: rings, keyboard, refresh timer, signals, end of the target. Shows
 * snapshots on the screen or prints them. Used by main only.
 */
#ifndef MISSTOP_LOOP_H
#define MISSTOP_LOOP_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/error.h"
#include "engine/engine.h"
#include "launch.h"
#include "options.h"
#include "request.h"
#include "snapshot.h"
#include "view/view.h"

/*
 * The terminal, in a thread of its own: keys, signals and drawing wait for no symbol
 * table, map or snapshot. The thread has the screen to itself; requests go to the loop, snapshots
 * and messages come from it. All functions below are the loop's, except where stated.
 */

struct front;

struct front_setup {
    struct display *display;
    const struct view_options *view; /* of what `W` writes */
    /* On quit, where the loop does not answer soon: leaves the process, or returns to let the loop
     * finish. In the terminal's thread. */
    void (*leave)(void *context);
    void *context;
};

/* The loop has the stages until it lends them. 0 or a negative errno. */
int front_start(struct front **front, const struct front_setup *setup, struct error *error);

/* Ends the thread; the screen is the caller's again. NULL is allowed. */
void front_stop(struct front *front);

/* Ends the thread; the screen is the loop's until the thread is started again. */
struct display *front_pause(struct front *front);
int front_resume(struct front *front, struct error *error);

/* Readable when front_take() has something. */
int front_fd(const struct front *front);

struct front_news {
    struct request request; /* REQUEST_QUIT: the user leaves, or a signal ends the program */
    bool child;             /* a child has ended */
};
/* False: nothing waits. */
bool front_take(struct front *front, struct front_news *news);

/* The next picture; the front frees it. One that was not drawn yet gives way. */
void front_show(struct front *front, const struct snapshot *snapshot);
void front_message(struct front *front, const char *text);
void front_play(struct front *front, const struct view_play *line);

/* While the loop waits for something, screens may ask the stages for what no snapshot holds. */
void front_lend(struct front *front);
void front_take_back(struct front *front);

/* In the terminal's thread: whether the stages are lent to it now. */
bool front_may_ask(const struct front *front);

struct loop_setup {
    const struct options *options;
    struct engine *engine;
    struct front *front;   /* the screen; NULL: batch */
    FILE *output;          /* of a batch */
    struct launch *launch; /* NULL or pid 0: nothing launched */
    pid_t pid;             /* target; 0 in replay */
};

/* Runs until the target ends, the user quits or -n is reached. 0 or a negative errno. */
int loop_run(const struct loop_setup *setup, struct error *error);

#endif
