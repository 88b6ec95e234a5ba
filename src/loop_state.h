/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What loop.c runs and loop_act.c acts on; private to loop*.c. */
#ifndef MISSTOP_LOOP_STATE_H
#define MISSTOP_LOOP_STATE_H

#include "loop.h"
#include "player.h"

#include <poll.h>
#include <stdbool.h>

enum loop_source { LOOP_RECORDS, LOOP_KEYS, LOOP_TIMER, LOOP_SIGNAL, LOOP_TARGET, LOOP_SOURCES };

struct loop {
    const struct loop_setup *setup;
    struct player player; /* of a recording on the screen */
    bool replays;
    struct error *error;
    struct pollfd polled[LOOP_SOURCES];
    double delay_s;
    bool delay_follows; /* the volatility, until the user says otherwise */
    uint32_t refreshes;
    bool target_ended;
    bool stretched; /* --stretch has been looked at */
    bool quit;
    int code;
};

/* One refresh: all that waits goes to the tables, then a snapshot to the view. */
void loop_refresh(struct loop *loop);

/* In loop_act.c: all keys that wait, and what they ask for. */
void loop_read_keys(struct loop *loop);
void loop_suspend(struct loop *loop);

#endif
