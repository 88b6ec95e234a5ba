/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Results of watchpoints, on the first objects of a made-up snapshot. */
#ifndef MISSTOP_UNIT_VIEW_WATCH_FIXTURE_H
#define MISSTOP_UNIT_VIEW_WATCH_FIXTURE_H

#include "snapshot.h"

/* Two objects, and one that is not listed any more; nothing is allocated. */
void watch_fixture_fill(struct snapshot *snapshot);

#endif
