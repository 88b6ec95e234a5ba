/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Miss-ratio curves in words; for the Reuse page, batch text and HTML. */
#ifndef MISSTOP_VIEW_PAGES_REUSE_H
#define MISSTOP_VIEW_PAGES_REUSE_H

#include <stdbool.h>
#include <stddef.h>

#include "snapshot.h"

/* What the curves are of, and what all accesses miss at the caches marked. */
void reuse_summary(const struct snapshot *snapshot, char *out, size_t size);

/* What a row's curve says, and what to try: a sentence or two. */
void reuse_advice(const struct snapshot_reuse *reuse, const struct snapshot_reuse_row *row,
                  char *out, size_t size);

/* "32K", "1M", "1.4M": what there is room for on an axis. */
const char *reuse_size_text(char out[16], double size_bytes);

/* Whether a figure says enough. */
bool reuse_is_sure(const struct snapshot_share *missed);

#endif
