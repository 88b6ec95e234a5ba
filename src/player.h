/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A recording played on the screen: the clock (engine/play.h), the engine and the line with its
 * position, together. It has no access to the data read. Owned by loop.c.
 */
#ifndef MISSTOP_PLAYER_H
#define MISSTOP_PLAYER_H

#include <sys/types.h>

#include "base/error.h"
#include "engine/engine.h"
#include "engine/play.h"
#include "view/view.h"

struct front;

struct player {
    struct play clock;
    struct engine *engine;
    struct front *front; /* NULL: batch */
    uint64_t drawn_ns;   /* when the line was drawn last */
    bool from_start;     /* a recording is played; else it is read to its end first */
    bool through;        /* ... and nothing else was asked for since */
    double pace;         /* --play=PACE */
};

/* Nothing is read yet. `pace` NAN: straight to the end; else playing from the start. */
void player_init(struct player *player, struct engine *engine, struct front *front, double pace);

/*
 * Reads the records that are due. 1: a time that was asked for has been reached, or the end: draw.
 * 0: not yet. Or a negative errno.
 */
int player_advance(struct player *player);

/* Whether a picture now leaves the later ones as they were: not on the way to the end of what
 * misstop recorded, for tables depend on when they are looked at. */
bool player_refreshes(const struct player *player);

/* How long the loop may wait before the next player_advance(); -1: until a key comes. */
int player_patience_ms(const struct player *player);

/*
 * Handles the keys of a replay; false: not one of them. `step_s`: one step. `code`: 0, or a
 * negative errno with its error, after which the replay cannot be shown.
 */
bool player_act(struct player *player, const struct request *request, double step_s, int *code,
                struct error *error);

/*
 * The list of processes, over the picture; plays the one that is chosen. 0, or a negative errno
 * after which nothing can be shown; *quit: the user wants to leave misstop.
 */
int player_pick(struct player *player, bool *quit, struct error *error);

/* The same before anything is shown, where there is more than one. *quit: none was chosen. */
int player_pick_first(struct engine *engine, struct display *display, bool *quit,
                      struct error *error);

/* Lets the user choose a process on the screen: of this machine, or of a recording. */
struct perfdata_process;

enum { PICK_QUIT = 0, PICK_BACK = -1 };

/* Its PID, PICK_QUIT, or below -1 a negative errno. */
pid_t pick_running(struct display *display, double delay_s, struct error *error);

#endif
