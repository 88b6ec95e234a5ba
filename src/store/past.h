/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The places of a run, kept in memory of a fixed size, so that a time range of it can be looked at
 * later. Recent time is kept exactly. Where the memory is used up, older places are thinned: of two
 * neighbouring ones of an event one stays, with the weight of both, so that totals stay and the
 * whole run is always covered, the older the time the more coarsely. Owned by the engine. One
 * thread only.
 */
#ifndef MISSTOP_STORE_PAST_H
#define MISSTOP_STORE_PAST_H

#include <stddef.h>
#include <stdint.h>

#include "place.h"
#include "snapshot_share.h"

/*
 * The usual size: 2.8 million places of 12 bytes, 23 minutes of 2,000 a second before anything is
 * thinned. No more than misstop's own tables take, and touched only as the run goes on.
 */
#define PAST_BYTES (UINT64_C(32) << 20)

struct past;

/* All its memory is taken now; `bytes` is made to fit. -ENOMEM. */
int past_new(struct past **past, size_t bytes);
void past_free(struct past *past);

/* Forgets everything. A reading that goes on ends. NULL, here and below: nothing is kept. */
void past_clear(struct past *past);

/* Times go up, as the samples come. */
void past_add_all(struct past *past, const struct place *places, size_t count);

/*
 * Begins to read the places of these time ranges, which are in the order of time, do not overlap
 * and stay where they are while it lasts. One reading at a time; places may be added meanwhile.
 */
void past_read_begin(struct past *past, const struct time_range *ranges, size_t count);

/*
 * The next places, in the order of time as far as it is known (a place that represents two may
 * come a place late). Adds to *seen how many places of the run they represent. 0: no more.
 */
size_t past_read(struct past *past, struct place *places, size_t room, uint64_t *seen);
void past_read_end(struct past *past);

#endif
