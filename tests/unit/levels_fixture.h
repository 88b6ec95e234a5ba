/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What precise sources add to a made-up snapshot: where accesses found their data. */
#ifndef MISSTOP_TESTS_LEVELS_FIXTURE_H
#define MISSTOP_TESTS_LEVELS_FIXTURE_H

#include "base/array.h"
#include "snapshot.h"

/*
 * As of pebs: the first object waits for memory, the second is shared between threads, the third
 * finds all in the L1, the fourth is of stores, of the fifth nothing is told, and so on again.
 */
void levels_fixture_recorded(struct arena *arena, struct snapshot *snapshot);

/* Counts and shares no hardware would give. */
void levels_fixture_hostile(struct arena *arena, struct snapshot *snapshot);

#endif
