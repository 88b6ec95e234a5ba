/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A thread that works on batches in the order in which they are given: a ring of buffers of one
 * size, bounded. One thread gives, and only that one calls these functions.
 */
#ifndef MISSTOP_BASE_LANE_H
#define MISSTOP_BASE_LANE_H

#include <stddef.h>
#include <stdint.h>

struct lane;

typedef void (*lane_work)(void *context, void *batch);

/* `batches` (2 or more) of `batch_bytes`, all zero. 0 or a negative errno. */
int lane_open(struct lane **lane, unsigned batches, size_t batch_bytes, lane_work work,
              void *context);
/* The batches given are worked on first. NULL is allowed. */
void lane_close(struct lane *lane);

/* The buffer to be given next, as the worker left it; waits until the worker is done with it. */
void *lane_next(struct lane *lane);
void lane_give(struct lane *lane);

/* Waits until everything given has been worked on. NULL is allowed. */
void lane_settle(struct lane *lane);

/* Where the work fills the batch: the oldest batch given and not taken yet, once it has been worked
 * on; NULL: all were taken. */
void *lane_take(struct lane *lane);

/* The same, NULL also if it has not been worked on after this time. */
void *lane_take_within(struct lane *lane, uint64_t ns);

#endif
