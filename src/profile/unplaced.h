/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Samples that waited for data whose object is not known, by the function and the instruction that
 * waited: code that the decoder cannot follow must not look as if nothing missed there. And all
 * samples without an object, whatever the reason. Owned by struct profile, filled by
 * profile_add.c, read by the snapshot files.
 */
#ifndef MISSTOP_PROFILE_UNPLACED_H
#define MISSTOP_PROFILE_UNPLACED_H

#include "profile/pairs.h"
#include "profile/tally.h"
#include "sample.h"

struct unplaced {
    struct tallies functions;
    struct pairs code; /* owner: of the function; key: instruction; extra: enum reason */
    struct counted by_reason[SAMPLE_EVENTS_MAX][REASON_COUNT]; /* weight */
    struct tally all[SAMPLE_EVENTS_MAX]; /* without an object, those in no function too */
    struct tally waited[SAMPLE_EVENTS_MAX]; /* of these, those that waited for data */
    const struct pair **sorted;          /* scratch of snapshots */
};

/* -ENOMEM. */
int unplaced_init(struct unplaced *unplaced, uint16_t events);
void unplaced_fini(struct unplaced *unplaced);
void unplaced_clear(struct unplaced *unplaced);
void unplaced_rescale(struct unplaced *unplaced, double factor);

/* A place without an object, of an event below those of unplaced_init(). It gets a row among
 * `functions` too, which snapshots list by their ids. */
void unplaced_add(struct unplaced *unplaced, struct tallies *functions, const struct place *place,
                  double scale);

/* NULL: the function has none. */
const struct tally *unplaced_tally(const struct unplaced *unplaced, uint32_t function,
                                   uint16_t event);

#endif
