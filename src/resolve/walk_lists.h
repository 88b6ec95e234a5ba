/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Free chunks whose header says in use, because their neighbours must not be merged with
 * them: those in a thread's cache and those in an arena's fast bins (glibc malloc/malloc.c).
 * Private to the walk.
 */
#ifndef MISSTOP_RESOLVE_WALK_LISTS_H
#define MISSTOP_RESOLVE_WALK_LISTS_H

#include "resolve/walk_state.h"

enum walk_listed { WALK_LISTED_NO, WALK_LISTED_YES, WALK_LISTED_UNSURE };

void walk_lists_init(struct walk_lists *lists);
void walk_lists_fini(struct walk_lists *lists);

/* A place that a list's pointer can have: in a heap, or in a mapping that may be one. */
bool walk_lists_in_heap(const struct walk *walk, uint64_t address);

/* Whether a block looks as if it were in a cache, before any list is read. */
bool walk_lists_suspect(const struct walk *walk, const struct walk_chunk *chunk);

/* Whether a chunk that looks in use is free after all. */
enum walk_listed walk_lists_hold(struct walk *walk, const struct walk_chunk *chunk, uint32_t arena);

/* Puts the address of every chunk in a list into the set. 0 or -ENOMEM. */
int walk_lists_collect(struct walk *walk, struct hash *chunks);

/* The same for one cache, found late. */
int walk_lists_collect_cache(struct walk *walk, uint64_t cache, struct hash *chunks);

#endif
