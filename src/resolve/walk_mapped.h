/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What anonymous mappings hold of the heap, segment by segment, for the kernel makes one
 * mapping of several that touch: heaps of thread arenas on 64 MiB boundaries, blocks that are
 * a mapping of their own, and memory of the main arena that brk could not give. Private to
 * the walk.
 */
#ifndef MISSTOP_RESOLVE_WALK_MAPPED_H
#define MISSTOP_RESOLVE_WALK_MAPPED_H

#include "resolve/walk_state.h"

void walk_mapped_fini(struct walk_mapped *mapped);

/* The block of its own mapping that holds the address. */
bool walk_mapped_find(struct walk *walk, uint64_t address, struct walk_block *block);

/* Whether the block, found before, still stands there; what it is now. */
bool walk_mapped_check(struct walk *walk, const struct walk_mapped_block *found,
                       struct walk_block *block);

/* The span of the heap that holds the address, found if need be. NULL: none. */
struct walk_span *walk_mapped_span(struct walk *walk, uint64_t address);

/* Finds every span and block in the anonymous mappings. */
void walk_mapped_search(struct walk *walk);

#endif
