/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What watchpoints did and saw, in a line each; for the Watch page, Detail and batch text. */
#ifndef MISSTOP_VIEW_WATCH_WORDS_H
#define MISSTOP_VIEW_WATCH_WORDS_H

#include "snapshot.h"

#include <stddef.h>

/* "4 debug registers ...: 403 set, 216 touches of 24 us; 0.9% of the process's time, 1% allowed" */
void watch_summary(const struct snapshot_watch *watch, char *out, size_t size);

/* What was seen of an object, by its id; NULL: nothing. */
const struct snapshot_watch_object *watch_find(const struct snapshot *snapshot, uint32_t id);

/* "watched: capacity; 96% touched again within 22ms, after 4ms; 20% of the line used". */
void watch_line(const struct snapshot_watch_object *object, char *out, size_t size);

#endif
