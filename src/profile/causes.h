/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Misses by cause, for each object and event, and which function's accesses to which object had
 * thrown the lines out: MemSpy's "Causes of Replacements" (Martonosi, Gupta, Anderson 1992), by
 * object. Who evicted whom is a bounded table that keeps the most frequent (pairs.h); what found no
 * room there is what an object's `evicted` has more than its pairs. Private to src/profile; no
 * memory is taken before the first cause is told.
 */
#ifndef MISSTOP_PROFILE_CAUSES_H
#define MISSTOP_PROFILE_CAUSES_H

#include "place.h"
#include "profile/pairs.h"

#include <stdbool.h>
#include <stddef.h>

enum { EVICTOR_PAIRS = 1 << 15 };

struct causes_row {
    struct counted samples;
    struct counted weight[CAUSE_COUNT]; /* [CAUSE_NOT_TOLD] is unused */
    struct counted evicted;             /* weight whose evictor is known */
};

struct causes {
    struct causes_row *rows; /* [object * SAMPLE_EVENTS_MAX + event] */
    size_t objects;
    struct pairs evictors; /* owner: object and event; key: EVICTOR_KEY() */
};

#define EVICTOR_KEY(object, function) ((uint64_t)(object) << 32 | (function))
#define EVICTOR_OBJECT(key)           ((uint32_t)((key) >> 32))
#define EVICTOR_FUNCTION(key)         ((uint32_t)(key))

void causes_fini(struct causes *causes);
void causes_clear(struct causes *causes);
void causes_rescale(struct causes *causes, double factor);

/* Counts a miss of `object`, an id as tallies_reserve() gives it; without memory it does not. */
void causes_add(struct causes *causes, uint32_t object, const struct place *place, double scale);

/* NULL: nothing was told of it. */
const struct causes_row *causes_row(const struct causes *causes, uint32_t object, uint16_t event);

#endif
