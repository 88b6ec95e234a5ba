/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Misses, accesses and waiting in words, and what to do where one of them is not sampled. For the
 * Phases and Matrix screens, JSON and the page of --html. */
#ifndef MISSTOP_VIEW_MEASURE_WORDS_H
#define MISSTOP_VIEW_MEASURE_WORDS_H

#include "snapshot.h"

/* In JSON, whatever was measured: "misses", "accesses", "waiting"; the name of the event where that
 * ranks and is none of those. */
const char *measure_key(const struct snapshot *snapshot, enum snapshot_measure measure);
/* For people: the same, but by the word for what the event that ranks measures (rates.h). */
const char *measure_name(const struct snapshot *snapshot, enum snapshot_measure measure);

/* Why it is not sampled, and how to have it: one sentence or two. */
const char *measure_wanting(const struct snapshot *snapshot, enum snapshot_measure measure);

#endif
