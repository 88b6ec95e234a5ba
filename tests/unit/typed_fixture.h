/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What debugging information adds to a made-up snapshot: types, layouts, lines of source. */
#ifndef MISSTOP_TESTS_TYPED_FIXTURE_H
#define MISSTOP_TESTS_TYPED_FIXTURE_H

#include "base/array.h"
#include "snapshot.h"

/* Types for the first objects, layouts, instructions with lines; something is still read. */
void typed_fixture_types(struct arena *arena, struct snapshot *snapshot);

/* Without debugging information: layouts by stride, instructions without lines. */
void typed_fixture_inferred(struct arena *arena, struct snapshot *snapshot);

#endif
