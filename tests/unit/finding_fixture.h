/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Findings on the first objects of a made-up snapshot. */
#ifndef MISSTOP_TESTS_FINDING_FIXTURE_H
#define MISSTOP_TESTS_FINDING_FIXTURE_H

#include "base/array.h"
#include "snapshot.h"

/* One to be seen on Layout, and one on Sharing; comes last, for it names the objects. */
void finding_fixture(struct arena *arena, struct snapshot *snapshot);

#endif
