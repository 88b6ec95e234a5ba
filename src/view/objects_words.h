/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is said of objects listed and not listed, for the screen and the page of --html. */
#ifndef MISSTOP_VIEW_OBJECTS_WORDS_H
#define MISSTOP_VIEW_OBJECTS_WORDS_H

#include "snapshot.h"

#include <stdbool.h>

/* "148 more objects have less than 0.1% each, 3.4% together"; "" where all are listed. */
void objects_left_out(const struct snapshot *snapshot, char *out, size_t size);

/* Over bytes or elements so many that which of them leads is chance. */
bool object_is_spread(const struct snapshot_object *object);

/* Why there are no rows of objects: a sentence for screen and text. */
const char *objects_nothing_yet(const struct snapshot *snapshot);

#endif
