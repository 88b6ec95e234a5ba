/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A region of the n-way search: what it holds, whether and where it is split.
 * Owned by search.c and its queue.
 */
#ifndef MISSTOP_PROFILE_SEARCH_REGION_H
#define MISSTOP_PROFILE_SEARCH_REGION_H

#include "place.h"
#include "snapshot.h"

enum { SEARCH_PAGE = 4096, SEARCH_OPEN_BYTES = 16 * SEARCH_PAGE };

struct region {
    uint64_t base;
    uint64_t bound;
    double weight;    /* counter of the running interval */
    uint64_t samples; /* the same, in samples */
    double hits;      /* weight over all its measurements */
    double total;     /* all misses during them */
    double total_samples;
    double share; /* hits / total; what it is ranked by */
    uint32_t iterations;
    uint32_t depth;
    uint32_t parent;      /* splits have numbers: halves of one split share theirs */
    uint32_t object;      /* the only object it holds; 0: none or several */
    uint32_t zero_rounds; /* intervals it was kept without a miss */
    double ranked_share; /* share for which it, or its parent, was chosen; 0: never */
    enum region_state state;
    bool final;         /* one object, or one line: not split */
    bool open;          /* part of one object that is searched inside */
    const char *reason; /* static text */
};

/*
 * Finds out what the region holds and sets object, open, final; a region shrinks to what is
 * mapped in it, and one with one object to that. `inside`: the user searches within an object.
 */
void region_identify(struct region *region, const struct place_names *names, bool inside,
                     uint32_t line_bytes);

/* Where to halve a region that is not one object: the middle, moved so that no object is cut.
 * False: cannot be split. */
bool region_split_point(const struct region *region, const struct place_names *names,
                        uint32_t line_bytes, uint64_t *point);

static inline uint64_t region_size(const struct region *region)
{
    return region->bound - region->base;
}

#endif
