/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names of the events of a perf.data file: from its EVENT_DESC feature section, or for a
 * recording without one (its recorder was killed) from the attribute. Every byte is untrusted.
 * Format: tools/perf/Documentation/perf.data-file-format.txt, HEADER_EVENT_DESC.
 */
#ifndef MISSTOP_SAMPLE_EVENT_DESC_H
#define MISSTOP_SAMPLE_EVENT_DESC_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { EVENT_DESC_FEATURE = 12, EVENT_DESC_FEATURES = 256 };

/*
 * Finds the section in a whole file: `features` is the bitmap of its header, `table_at` the end
 * of its data. NULL when there is none or it lies outside the file.
 */
const unsigned char *event_desc_find(const unsigned char *file, size_t file_size,
                                     const uint64_t features[EVENT_DESC_FEATURES / 64],
                                     uint64_t table_at, size_t *size);

/* Name of event `index` in the section, printable; false if the section does not hold it. */
bool event_desc_name(const unsigned char *section, size_t size, unsigned index, char *out,
                     size_t out_size);

/* "cpu-clock", "cache-misses", "r01cd of PMU 4": what the attribute alone tells. */
void event_desc_guess(const struct perf_event_attr *attr, char *out, size_t out_size);

#endif
