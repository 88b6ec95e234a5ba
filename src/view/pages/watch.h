/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What watchpoints did and saw, in a line each; for the Watch page, Detail and batch text. */
#ifndef MISSTOP_VIEW_PAGES_WATCH_H
#define MISSTOP_VIEW_PAGES_WATCH_H

#include <stddef.h>

#include "snapshot.h"

/* "cost 0.90% of its time, 1% allowed; 4 debug registers on 1 thread: set 403 times, ..." */
void watch_summary(const struct snapshot_watch *watch, char *out, size_t size);

/* "2 of 9 objects have a verdict; at this pace the next in about 3s", and what would be faster
 * where the budget is what limits; false: all have one. */
bool watch_pace(const struct snapshot_watch *watch, char *out, size_t size);

/* What was seen of an object, by its id; NULL: nothing. */
const struct snapshot_watch_object *watch_find(const struct snapshot *snapshot, uint32_t id);

/* "watched: capacity; 96% touched again within 22ms, after 4ms; 20% of the line used". */
void watch_line(const struct snapshot_watch_object *object, char *out, size_t size);

/* Why the verdict, and what to do: one to three sentences. */
enum { WATCH_READING_BYTES = 640 };
void watch_reading(const struct snapshot_watch *watch, const struct snapshot_watch_object *object,
                   char *out, size_t size);

#endif
