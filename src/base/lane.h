/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A thread that works on batches in the order in which they are given, from a bounded ring of
 * buffers of one size. Only one thread may call these functions. */
#ifndef MISSTOP_BASE_LANE_H
#define MISSTOP_BASE_LANE_H

#include <stddef.h>
#include <stdint.h>

struct lane;

typedef void (*lane_work)(void *context, void *batch);

/* Allocates `batches` (2 or more) zeroed buffers. Returns 0 or a negative errno. */
int lane_open(struct lane **lane, unsigned batches, size_t batch_bytes, lane_work work,
              void *context);
/* Finishes the batches given so far, then frees the lane. NULL is allowed. */
void lane_close(struct lane *lane);

/* Waits until the worker is done with the buffer, which stays as the worker left it. */
void *lane_next(struct lane *lane);
void lane_submit(struct lane *lane);

/* Waits until all batches given are done. NULL is allowed. */
void lane_settle(struct lane *lane);

/* Waits for the oldest batch not taken yet, for work that fills batches. NULL: all were taken. */
void *lane_take(struct lane *lane);

/* Does the same, but returns NULL if the batch is not done within this time. */
void *lane_take_within(struct lane *lane, uint64_t ns);

#endif
