/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What loop.c runs and loop_act.c acts on; private to loop*.c. */
#ifndef MISSTOP_LOOP_STATE_H
#define MISSTOP_LOOP_STATE_H

#include "front.h"
#include "loop.h"
#include "player.h"

#include <poll.h>
#include <stdbool.h>

enum loop_source { LOOP_RECORDS, LOOP_KEYS, LOOP_TIMER, LOOP_SIGNAL, LOOP_TARGET, LOOP_SOURCES };

struct loop {
    const struct loop_setup *setup;
    struct front
        *front; /* the screen's thread; NULL: there is no screen, or it shows a recording */
    struct player player; /* of a recording on the screen */
    bool replays;         /* a recording that is all there */
    bool follows;         /* one that is still coming, through a pipe */
    bool signalled;
    struct error *error;
    struct pollfd polled[LOOP_SOURCES];
    double delay_s;
    uint32_t refreshes;
    bool target_ended;
    bool stretched; /* --stretch has been looked at */
    bool quit;
    int code;
};

/* One refresh: all that waits goes to the tables, then a snapshot to the view. */
void loop_refresh(struct loop *loop);

/* In the status line. */
void loop_message(struct loop *loop, const char *text);

/* In loop_act.c: all keys that wait, and what they ask for; whether that is a new picture. */
void loop_read_keys(struct loop *loop);
bool loop_act(struct loop *loop, const struct request *request);
void loop_suspend(struct loop *loop);

#endif
