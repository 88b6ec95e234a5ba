/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Part of struct snapshot (snapshot.h, where its rules stand): bins of the heap beside their
 * misses. */
#ifndef MISSTOP_SNAPSHOT_HEAP_H
#define MISSTOP_SNAPSHOT_HEAP_H

#include "heap_bin.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One bin of the heap beside its misses. */
struct snapshot_bin {
    struct heap_bin heap; /* strings in the snapshot's arena */
    uint32_t object;      /* index into objects, UINT32_MAX: not listed there */
    double samples;       /* under the basis */
    double share;         /* of all attributed weight of the ranking event */
    const char *called; /* name and first caller on whom it differs from others of that name; NULL:
                           no other has it */
    bool touched;       /* a sample has fallen on it since start or zero */
    bool suspect;       /* grows, is old, never touched: perhaps a leak */
};

struct snapshot_heap {
    struct heap_summary summary;
    struct snapshot_bin *bins; /* most samples first, then most bytes */
    size_t bin_count;
    size_t bins_left_out;
};

#endif
