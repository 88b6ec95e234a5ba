/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A recording played on the screen: the clock (engine/play.h), the engine and the line with the
 * position. It does not access the data read. Owned by loop.c. */
#ifndef MISSTOP_PLAYER_H
#define MISSTOP_PLAYER_H

#include <sys/types.h>

#include "base/error.h"
#include "engine/engine.h"
#include "engine/play.h"
#include "view/view.h"

struct front;

struct player {
    struct play play;
    struct engine *engine;
    struct front *front;  /* NULL: batch */
    uint64_t drawn_ns;    /* when the line was last drawn */
    bool from_start;      /* plays the recording; false: reads it to its end first */
    bool in_initial_pass; /* ... and the user has requested nothing else since */
    double pace;          /* --play=PACE */
};

/* Reads nothing yet. `pace` NAN: reads to the end; otherwise plays from the start. */
void player_init(struct player *player, struct engine *engine, struct front *front, double pace);

/* Returns 1 if a requested time or the end was reached (redraw), 0 if not, or a negative errno. */
int player_advance(struct player *player);

/* Returns true if a snapshot now does not change later ones. False during the initial pass through
 * a misstop recording, because its tables depend on the times of refreshes. */
bool player_refreshes(const struct player *player);

/* Returns how long the loop may wait before the next player_advance(); -1: until a key arrives. */
int player_patience_ms(const struct player *player);

/* Handles the keys of a replay; returns false for other requests. `step_s`: length of a step.
 * `code`: 0, or a negative errno with its error, after which the replay cannot be shown. */
bool player_act(struct player *player, const struct request *request, double step_s, int *code,
                struct error *error);

/* Shows the list of processes over the current screen and plays the chosen one. Returns 0, or a
 * negative errno after which nothing can be shown; *quit: the user wants to leave misstop. */
int player_pick(struct player *player, bool *quit, struct error *error);

/* Like player_pick(), at the start, if there are several processes. *quit: none was chosen. */
int player_pick_first(struct engine *engine, struct display *display, bool *quit,
                      struct error *error);

struct perfdata_process;

enum { PICK_QUIT = 0, PICK_BACK = -1 };

/* Returns the PID, PICK_QUIT, or a negative errno below -1. */
pid_t pick_running(struct display *display, double delay_s, struct error *error);

#endif
