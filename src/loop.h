/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Polls rings, keyboard, refresh timer, signals and the target's end. */
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

/* The terminal in a thread of its own, so that keys, signals and drawing never wait for a symbol
 * table, map or snapshot. It owns the screen. Called by the loop unless noted. */

struct front;

struct front_setup {
    struct display *display;
    const struct view_options *view; /* options of files written with `W` */
    /* Called in the terminal's thread on quit, if the loop does not respond soon. Exits the
     * process, or returns to let the loop finish. */
    void (*force_quit)(void *context);
    void *context;
};

/* The loop holds the stages until it lends them. Returns 0 or a negative errno. */
int front_start(struct front **front, const struct front_setup *setup, struct error *error);

/* Ends the thread; the caller owns the screen again. NULL is allowed. */
void front_stop(struct front *front);

/* Ends the thread; the loop owns the screen until front_resume(). */
struct display *front_pause(struct front *front);
int front_resume(struct front *front, struct error *error);

/* Returns a descriptor that is readable when front_take() has something. */
int front_fd(const struct front *front);

struct front_news {
    struct request request; /* REQUEST_QUIT: the user quits, or a signal ends misstop */
    bool child;             /* a child has ended */
};
/* Returns false if there is no news. */
bool front_take(struct front *front, struct front_news *news);

/* Shows the next snapshot; the front frees it. Replaces one that was not drawn yet. */
void front_show(struct front *front, const struct snapshot *snapshot);
void front_message(struct front *front, const char *text);
void front_play(struct front *front, const struct view_play *line);

/* While the loop waits, screens can use the stages for data that is not in a snapshot. */
void front_lend(struct front *front);
void front_take_back(struct front *front);

/* In the terminal's thread: returns true while the stages are lent to it. */
bool front_has_stages(const struct front *front);

struct loop_setup {
    const struct options *options;
    struct engine *engine;
    struct front *front;   /* screen; NULL: batch */
    FILE *output;          /* output of a batch */
    struct launch *launch; /* NULL or pid 0: nothing launched */
    pid_t pid;             /* target; 0 in replay */
};

/* Runs until the target ends, the user quits or -n is reached. Returns 0 or a negative errno. */
int loop_run(const struct loop_setup *setup, struct error *error);

#endif
