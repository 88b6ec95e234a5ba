/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Placement of an object's elements in another layout ("What if the struct were split here, padded,
 * or aligned?"): planned in src/profile/whatif.c, passed on in sim_abi.h, applied by src/sim. */
#ifndef MISSTOP_NEW_LAYOUT_H
#define MISSTOP_NEW_LAYOUT_H

#include <stdint.h>

enum {
    RELAYOUT_LEVELS_MAX = 4,
    RELAYOUT_PARTS_MAX = 32,
    RELAYOUT_ELEMENT_MAX = 1 << 20,
    RELAYOUT_STRIDE_MAX = 1 << 21
};

/* Moves bytes [from, end) of each element to offset `at` in an element of an array. */
struct relayout_part {
    uint32_t from_bytes;
    uint32_t end_bytes;
    uint32_t array;
    uint32_t at_bytes;
};

struct relayout_array {
    uint32_t stride_bytes; /* distance between elements */
    uint32_t align_bytes;  /* alignment of each block's array; a power of two */
};

struct relayout {
    uint32_t element_bytes; /* in the current layout; not 0 if there are parts */
    uint32_t phase_bytes;   /* offset of the first array in its page, if nothing is aligned */
    uint32_t part_count;    /* 0: nothing is moved */
    uint32_t array_count;
    struct relayout_part part[RELAYOUT_PARTS_MAX]; /* sorted by from_bytes; no overlaps */
    struct relayout_array array[RELAYOUT_PARTS_MAX];
};

/* Misses by level. An access that is split by the move counts once per part. */
struct whatif_misses {
    uint64_t all[RELAYOUT_LEVELS_MAX];
    uint64_t object[RELAYOUT_LEVELS_MAX];
};

struct whatif_counts {
    uint64_t accesses;
    uint64_t object_accesses;
    uint64_t split_accesses; /* of these, accesses split into several parts */
    struct whatif_misses before;
    struct whatif_misses after; /* all 0 if nothing is moved */
    /* Misses in after.object on lines not touched since the start, which might have hit by then. */
    uint64_t cold_misses[RELAYOUT_LEVELS_MAX];
};

#endif
