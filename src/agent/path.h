/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The call path of an allocation as an id. A thread caches paths by (return address, stack
 * pointer), with the position and value of every return address on the stack. The path is the same
 * while all of them are unchanged: a frame's return address and position determine the position of
 * the next frame. Frames that are unwound by the frame pointer (rbp) are the exception, so rbp is
 * compared too if the unwinder used it.
 *
 * If paths of one wrapper at one depth alternate, caching each of them is not worth it (tried: each
 * costs many cache lines, and unwinding by cached rules is as fast). Such an entry is not used for
 * a while, and the stack is unwound.
 *
 * Entries are as long as their paths and contiguous, so that a thread with few paths touches few
 * pages. If there is no room left, the cache is cleared.
 */
#ifndef MISSTOP_AGENT_PATH_H
#define MISSTOP_AGENT_PATH_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/session.h"
#include "agent/unwind.h"

enum { PATH_INDEX_BITS = 10, PATH_STEP = 8, PATH_HIT_CREDIT = 2 };

struct path_frame {
    uint32_t slot; /* words from the stack pointer to the return address */
    uint32_t low;  /* low half of the return address */
};

struct cached_path {
    uint64_t return_address;
    uint64_t stack_pointer; /* the caller's, after the return; 0: empty entry */
    uint64_t frame_pointer; /* valid if uses_frame_pointer */
    uint32_t path;
    uint16_t span_words; /* from the stack pointer to past the last slot */
    uint8_t count;       /* number of frames without the first (the return address itself) */
    bool uses_frame_pointer;
    uint8_t hit_credit;    /* reset by a hit; at 0 another path may replace the entry */
    uint8_t skip_searches; /* searches until the entry is used again */
    uint8_t frames_max;    /* capacity in frames */
    struct path_frame frames[];
};

struct path_cache {
    struct unwind unwind;
    uint32_t room_bytes; /* size of the entries */
    uint32_t used_bytes;
    uint16_t index[1 << PATH_INDEX_BITS]; /* entry / PATH_STEP; 0: the entry that never fits */
    char entries[] __attribute__((aligned(PATH_STEP)));
};

/* Initialises a zeroed cache of `size_bytes`. */
void path_cache_start(struct path_cache *cache, size_t size_bytes);

/* Unwinds the stack, and caches the path if the entry at this index is invalid. Keeps errno. */
uint32_t path_unwind(struct path_cache *cache, uint16_t *place, void *const *frame);

/* Counts whether unwinding now gives the same path, for AGENT_CHECK_PATHS. */
void path_check(struct path_cache *cache, const struct cached_path *known, void *const *frame);

static inline struct cached_path *path_at(struct path_cache *cache, uint16_t place)
{
    return (struct cached_path *)(cache->entries + (size_t)place * PATH_STEP);
}

/* Returns true if the entry is for this caller at this depth, with its stack readable. */
static inline bool path_fits(const struct path_cache *cache, const struct cached_path *known,
                             void *const *frame)
{
    uint64_t pointer = (uint64_t)(uintptr_t)(frame + 2);
    return known->stack_pointer == pointer &&
           known->return_address == (uint64_t)(uintptr_t)frame[1] &&
           (!known->uses_frame_pointer || known->frame_pointer == (uint64_t)(uintptr_t)frame[0]) &&
           unwind_may_read(&cache->unwind, pointer, pointer + 8u * known->span_words);
}

static inline bool path_holds(const struct cached_path *known, void *const *frame)
{
    const char *stack = (const char *)(frame + 2);
    uint32_t different = 0;
    for (unsigned i = 0; i < known->count; i++)
        different |=
            *(const uint32_t *)(stack + 8 * (uint64_t)known->frames[i].slot) ^ known->frames[i].low;
    return !different;
}

static inline uint32_t path_find(struct path_cache *cache, void *const *frame)
{
    uint64_t key = (uint64_t)(uintptr_t)frame[1] * UINT64_C(0x9e3779b97f4a7c15) ^
                   (uint64_t)(uintptr_t)frame * UINT64_C(0xc2b2ae3d27d4eb4f);
    uint16_t *place = &cache->index[key >> (64 - PATH_INDEX_BITS)];
    struct cached_path *known = path_at(cache, *place);
    if (UNLIKELY(known->skip_searches || !path_fits(cache, known, frame) ||
                 !path_holds(known, frame)))
        return path_unwind(cache, place, frame);
    known->hit_credit = PATH_HIT_CREDIT;
    if (UNLIKELY(gate.checks_paths))
        path_check(cache, known, frame);
    return known->path;
}

/* The table of all distinct paths: ids count up from 1, and misstop reads the paths themselves from
 * the ring of words (agent_abi.h). Written by all threads without locks; used by path.c. */

/* Allocates the table. Call before the gate opens. */
int path_table_start(void);

#endif
