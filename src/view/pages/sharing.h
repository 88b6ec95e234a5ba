/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sharing of cache lines in sentences; for the Sharing page, Findings, text, JSON and HTML. */
#ifndef MISSTOP_VIEW_PAGES_SHARING_H
#define MISSTOP_VIEW_PAGES_SHARING_H

#include <stddef.h>

#include "snapshot_sharing.h"

/* The evidence and the remedy: one to three sentences. */
enum { SHARING_READING_BYTES = 2048 };
void sharing_reading(const struct snapshot_sharing_group *group, char *out, size_t size);

/* The remedy alone; "": there is none, or it is not known. */
void sharing_remedy_words(const struct sharing_remedy *remedy, char *out, size_t size);

#endif
