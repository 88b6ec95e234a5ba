/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which object anonymous memory without a name is, however its mappings grow, split and are made anew: a
 * run of mappings side by side is one, and stays the one it was as it grows. Many apart from each other of
 * one size are an allocator's (pages of a garbage collector): together they are one. Where two turn out to
 * be one, a join says so. Owned by the space.
 */
#ifndef MISSTOP_RESOLVE_REGIONS_H
#define MISSTOP_RESOLVE_REGIONS_H

#include "resolve/maps.h"
#include "resolve/stacks.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { REGIONS_MAX = 4096, REGIONS_SAME_SIZE = 3 };

struct region {
    uint64_t start;
    uint64_t end;
    uint64_t key;   /* of the object */
    bool is_of_bin; /* one of many of this size */
};

/* Objects by their keys: what was counted for one is the other's. */
struct region_join {
    uint64_t from;
    uint64_t to;
};

struct regions {
    struct region *list;
    size_t count;
    size_t room;
    size_t recent; /* the last one that was found: only a hint */
    struct region_join *joins;
    size_t join_count;
    size_t join_room;
};

/* What anonymous memory is part of. */
struct region_found {
    uint64_t key;
    uint64_t start; /* of the run of mappings, or of the mapping where it is one of many */
    uint64_t size_bytes; /* of the whole object */
    uint32_t blocks;     /* it has */
    bool is_of_bin;
};

void regions_fini(struct regions *regions);
void regions_forget(struct regions *regions);

/* The object of [start, end), which is what `map` has around an address beside stacks. `key`: of a new
 * one. false: there is no room for more. */
bool regions_find(struct regions *regions, const struct maps *maps, const struct stacks *stacks,
                  const struct map *map, uint64_t start, uint64_t end, uint64_t key,
                  struct region_found *found);

#endif
