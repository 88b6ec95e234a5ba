/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The places of a run in memory of a fixed size, so that a time range can be shown later. Recent
 * time is exact. Once the memory is full, older places are thinned: one of two neighbouring places
 * of an event is kept, with the weight of both, so that totals do not change. Single-threaded.
 */
#ifndef MISSTOP_STORE_PAST_H
#define MISSTOP_STORE_PAST_H

#include <stddef.h>
#include <stdint.h>

#include "place.h"
#include "snapshot_share.h"

/* Default size: 2.8 million places of 12 bytes, or 23 minutes at 2,000 per second before thinning
 * starts. Not more than misstop's own tables, and only touched as the run proceeds. */
#define PAST_BYTES (UINT64_C(32) << 20)

struct past;

/* Allocates all memory at once; `bytes` is adjusted to whole segments. Returns 0 or -ENOMEM. */
int past_new(struct past **past, size_t bytes);
void past_free(struct past *past);

/* Ends the reading in progress. `past` may be NULL, here and below: nothing is stored. */
void past_clear(struct past *past);

/* Adds places; times do not decrease, as for samples. */
void past_add_all(struct past *past, const struct place *places, size_t count);

/* Starts reading the places of time ranges, which must be sorted, must not overlap, and must stay
 * valid during the reading. One reading at a time; places can be added meanwhile. */
void past_read_begin(struct past *past, const struct time_range *ranges, size_t count);

/*
 * Reads the next places, in approximate order of time (a place that represents two may be one place
 * late). Adds to *seen the number of places of the run that they represent. Returns 0 at the end.
 */
size_t past_read(struct past *past, struct place *places, size_t room, uint64_t *seen);
void past_read_end(struct past *past);

#endif
