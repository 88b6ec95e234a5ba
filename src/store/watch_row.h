/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a watchpoint ended as a row of numbers, and back. For src/store only. */
#ifndef MISSTOP_STORE_WATCH_ROW_H
#define MISSTOP_STORE_WATCH_ROW_H

#include "store/form_items.h"
#include "store/watch.h"

#include <stdbool.h>

void watch_row_fill(uint64_t row[WATCH_ROW_FIELDS], const struct store_watch *watch);

/* false: no watch ends so. The instruction after the one that touched is not kept: result.ip is 0.
 */
bool watch_row_read(const uint64_t row[WATCH_ROW_FIELDS], struct store_watch *watch);

#endif
