/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is said of the objects that are not listed, for the screen and the page of --html. */
#ifndef MISSTOP_VIEW_OBJECTS_WORDS_H
#define MISSTOP_VIEW_OBJECTS_WORDS_H

#include "snapshot.h"

/* "148 more objects have less than 0.1% each, 3.4% together"; "" where all are listed. */
void objects_left_out(const struct snapshot *snapshot, char *out, size_t size);

#endif
