/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Results of watchpoints for the first objects of a synthetic snapshot. */
#ifndef MISSTOP_UNIT_VIEW_WATCH_FIXTURE_H
#define MISSTOP_UNIT_VIEW_WATCH_FIXTURE_H

#include "snapshot.h"

/* Adds two objects, and one that is no longer listed; allocates nothing. */
void watch_fixture_fill(struct snapshot *snapshot);

#endif
