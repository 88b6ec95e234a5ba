/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A segment of the past: places as rows (place_row.h), told by their difference from an earlier
 * one of the same instruction, as in FILE.misstop; but each segment can be read by itself.
 * What codes writes one, or reads one, from its first place on. For store/past*.c only.
 */
#ifndef MISSTOP_STORE_PAST_SEGMENT_H
#define MISSTOP_STORE_PAST_SEGMENT_H

#include "place.h"
#include "store/form_items.h"
#include "store/number.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SEGMENT_BYTES = 1 << 16,
    SEGMENT_FILLED = SEGMENT_BYTES / 8 * 7, /* a new one: half of two of them is to fit in one */
    SEGMENT_SLOTS = 1 << 8, /* few, so that they stay in the caches and are soon forgotten */
    SEGMENT_COUNT = PLACE_ROW_FIELDS, /* field behind those of a place: how many it stands for */
    SEGMENT_FIELDS
};

struct segment {
    unsigned char *bytes; /* [SEGMENT_BYTES] */
    size_t used_bytes;
    uint64_t start_ns; /* of its first place and of its last */
    uint64_t end_ns;
    uint64_t kept;
    uint64_t seen; /* of the run, that these stand for */
};

struct coder {
    uint64_t slots[SEGMENT_SLOTS][SEGMENT_FIELDS];
    uint64_t time_ns;
    size_t at_bytes; /* reading */
};

/* What stands in a segment for `count` places of the run. */
struct kept_place {
    struct place place;
    uint64_t count;
};

/* At the first place of an empty segment, or of one that is to be read. */
void coder_begin(struct coder *coder);

/* false: it has no room; nothing is written. */
bool coder_put(struct coder *coder, struct segment *segment, size_t limit_bytes,
               const struct place *place, uint64_t count);

/* false: there is no more. */
bool coder_get(struct coder *coder, const struct segment *segment, struct kept_place *kept);

#endif
