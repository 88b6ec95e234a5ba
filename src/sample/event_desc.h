/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names of the events of a perf.data file: from its EVENT_DESC feature section, or for a
 * recording without one (its recorder was killed) from the attribute. Every byte is untrusted.
 * Format: tools/perf/Documentation/perf.data-file-format.txt, HEADER_EVENT_DESC. For perfdata*.c.
 */
#ifndef MISSTOP_SAMPLE_EVENT_DESC_H
#define MISSTOP_SAMPLE_EVENT_DESC_H

#include "sample/attributes.h"
#include "sample/cursor.h"

#include <linux/perf_event.h>
#include <stddef.h>

/* Gives the events the names in the section, by their ids or else by their order. */
void event_desc_take(struct cursor *cursor, struct attributes *attributes);

/* Body of an EVENT_UPDATE record, by which piped recordings tell names. */
void event_desc_update(struct cursor *cursor, struct attributes *attributes);

/* "cpu-clock", "cache-misses", "r01cd of PMU 4": what the attribute alone tells. */
void event_desc_guess(const struct perf_event_attr *attr, char *out, size_t out_size);

#endif
