/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Miss rates and stalls of a made-up snapshot. */
#ifndef MISSTOP_TESTS_RATES_FIXTURE_H
#define MISSTOP_TESTS_RATES_FIXTURE_H

#include "base/array.h"
#include "snapshot.h"

/* Stalls alone, of the second event, as objects have their shares of it. */
void rates_fixture_stalls(struct arena *arena, struct snapshot *snapshot);

/*
 * Fills, L1 misses, accesses and stalls by events of their own. The first object's figures are
 * sure, the second's are ranges, of the third misses and no access were sampled, the fourth is
 * art's tds (DTrack, 3.4), of the fifth nothing is known, and so on again.
 */
void rates_fixture_counted(struct arena *arena, struct snapshot *snapshot);

/* Figures no program could have. */
void rates_fixture_hostile(struct arena *arena, struct snapshot *snapshot);

#endif
