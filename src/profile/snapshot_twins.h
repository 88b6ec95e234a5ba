/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Bins of the heap that have one name: blocks that the same function allocated for different
 * callers. For snapshot_heap.c, once it has listed them.
 */
#ifndef MISSTOP_PROFILE_SNAPSHOT_TWINS_H
#define MISSTOP_PROFILE_SNAPSHOT_TWINS_H

#include "base/array.h"
#include "snapshot_objects.h"

/* Sets `called` of those, in the arena. False: out of memory. */
bool twins_tell_apart(struct snapshot_heap *heap, struct arena *arena);

#endif
