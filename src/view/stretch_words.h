/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which stretch of the run is shown, in words: for the screen's line, batch text and the page. */
#ifndef MISSTOP_VIEW_STRETCH_WORDS_H
#define MISSTOP_VIEW_STRETCH_WORDS_H

#include "snapshot.h"

#include <stddef.h>

/* "phase B, 12.0s to 1m31.5s, 4.21k samples"; how many of how many where it was thinned. */
void stretch_words(const struct snapshot_stretch *stretch, char *out, size_t size);

#endif
