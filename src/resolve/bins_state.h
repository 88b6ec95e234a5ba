/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The inside of bins.h, for bins.c, bins_names.c and bins_group.c only. */
#ifndef MISSTOP_RESOLVE_BINS_STATE_H
#define MISSTOP_RESOLVE_BINS_STATE_H

#include "resolve/bins.h"

#include "base/hash.h"

struct bin {
    struct bin_stats stats;
    uint64_t tick_allocations; /* as they were at the last tick */
    uint64_t tick_frees;
    uint64_t full_name_hash;
    char *full_name;
    char *short_name;
    char *new_name;   /* by the rules, or NULL */
    uint64_t path_at; /* into bins.words */
    uint16_t depth;
    uint32_t type;
    bool unsure; /* the short name may become better */
    uint32_t lead;
    uint32_t next;      /* of the group */
    uint32_t next_same; /* of the same hash of paths */
};

struct bins {
    struct bin *at; /* [id]; 0 is unused */
    uint32_t count; /* the highest id */
    uint32_t room;
    uint32_t most;
    uint32_t named;  /* ids up to here have names */
    uint32_t unsure; /* of them, how many are */
    bool ask_again;
    uint64_t *words; /* the paths, one after the other */
    uint64_t words_count;
    uint64_t words_room;
    struct hash by_path; /* hash of a path -> the newest bin of it */
    uint64_t tick_ns;
    uint64_t mark_ns;
};

#endif
