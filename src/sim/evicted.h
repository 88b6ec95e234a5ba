/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Who threw lines out of a level, for when they are missed: a bounded table that forgets the oldest
 * of those that fall together. Beside, for private levels, what other threads wrote to lines since
 * they took them away. Used inside src/sim only.
 */
#ifndef MISSTOP_SIM_EVICTED_H
#define MISSTOP_SIM_EVICTED_H

#include "sim/memory.h"

struct evicted_line {
    uint64_t tag; /* line number + 1; 0: empty */
    union {
        struct model_who evictor;
        uint64_t written; /* of lines that were taken away: bytes, by others, since then */
    };
    uint16_t thread; /* whose cache it left; 0 for shared ones */
    uint16_t by;     /* whose access (model_thread.runs) */
    uint8_t reason;  /* enum model_reason */
};

struct evicted {
    struct evicted_line *lines; /* NULL: nothing is remembered */
    uint32_t group_mask;
};

/* -1: no memory. */
int evicted_init(struct evicted *evicted, uint32_t lines, struct memory *memory);

/* Takes the place of what was known of that line and thread. */
void evicted_put(struct evicted *evicted, uint64_t number, const struct evicted_line *line);

/* Asks for what the two others will read. */
void evicted_prefetch(const struct evicted *evicted, uint64_t number, uint32_t thread);

/* NULL: not known. */
struct evicted_line *evicted_find(struct evicted *evicted, uint64_t number, uint32_t thread);

#endif
