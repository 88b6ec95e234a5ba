/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The matrix of a made-up snapshot, for snapshot_fixture.c. */
#ifndef MISSTOP_TESTS_MATRIX_FIXTURE_H
#define MISSTOP_TESTS_MATRIX_FIXTURE_H

#include "base/array.h"
#include "snapshot.h"

/* Every function misses on every object but those as far down as itself; needs both of them. */
void matrix_fixture_fill(struct arena *arena, struct snapshot *snapshot);

#endif
