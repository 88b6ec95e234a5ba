/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared lines for the made-up snapshots of snapshot_fixture.c. */
#ifndef MISSTOP_TESTS_SHARING_FIXTURE_H
#define MISSTOP_TESTS_SHARING_FIXTURE_H

#include "base/array.h"
#include "snapshot.h"

/* Four rows on the first objects: an array of false sharing over three lines, a lock, one of
 * which too little is known, one that is only read. */
void sharing_fixture_fill(struct arena *arena, struct snapshot *snapshot);

#endif
