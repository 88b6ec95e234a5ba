/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Causes of misses in words; for the Causes page, batch text and JSON. */
#ifndef MISSTOP_VIEW_CAUSES_WORDS_H
#define MISSTOP_VIEW_CAUSES_WORDS_H

#include "snapshot.h"

#include <stddef.h>

/* "first", "conflict", ...: as in JSON. */
const char *causes_name(enum miss_cause cause);

/* Parts of an object's misses: lines that nobody, or not this thread, had yet; taken away by
 * another thread's write; neither these nor capacity nor conflict. */
double causes_first(const double share[CAUSE_COUNT]);
double causes_invalidated(const double share[CAUSE_COUNT]);
double causes_other(const double share[CAUSE_COUNT]);

/* "why 12.3k L2 misses: 80% capacity, ...", of all objects. */
void causes_summary(const struct snapshot *snapshot, char *out, size_t size);

/* What leads, and what to try: a sentence or two. */
void causes_advice(const struct snapshot_causes_object *object, char *out, size_t size);

#endif
