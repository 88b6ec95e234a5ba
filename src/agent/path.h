/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The call path of an allocation as an id. A thread remembers paths under (return address, stack
 * pointer) with the place and value of every return address on the stack. As long as each still is
 * in its place the path is the same: a frame's return address and position fix where the next one
 * is, except in frames that measure from the frame pointer (rbp), so that one is compared too where
 * the unwinding used it.
 *
 * Where paths of one wrapper at one depth take turns, remembering them whole does not pay (tried:
 * each costs many cache lines, and stepping by known rules is as fast). Such a place is left alone
 * for a while, and the stack unwound.
 *
 * Entries are as long as their paths and contiguous, so that a thread with few paths touches few
 * pages; where there is no room left all are forgotten.
 */
#ifndef MISSTOP_AGENT_PATH_H
#define MISSTOP_AGENT_PATH_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/session.h"
#include "agent/unwind.h"

enum { PATH_INDEX_BITS = 10, PATH_STEP = 8, PATH_TRUST = 2 };

struct path_frame {
    uint32_t slot; /* words from the stack pointer to where the return address is */
    uint32_t low;  /* the address's low half */
};

struct path_known {
    uint64_t return_address;
    uint64_t stack_pointer; /* the caller's, after the return; 0: nothing here */
    uint64_t frame_pointer; /* where uses_frame_pointer */
    uint32_t path;
    uint16_t span_words; /* from the stack pointer to past the last slot */
    uint8_t count;       /* of frames, the first (the return address itself) left out */
    bool uses_frame_pointer;
    uint8_t trust;    /* held lately; at 0 another path may take the place */
    uint8_t patience; /* searches until it is tried again */
    uint8_t room;     /* frames that it can hold */
    struct path_frame frames[];
};

struct path_cache {
    struct unwind unwind;
    uint32_t room_bytes; /* of entries */
    uint32_t used_bytes;
    uint16_t index[1 << PATH_INDEX_BITS]; /* entry / PATH_STEP; 0: the one that never fits */
    char entries[] __attribute__((aligned(PATH_STEP)));
};

/* A zeroed one of so many bytes. */
void path_cache_start(struct path_cache *cache, size_t size_bytes);

/* Unwinds, and remembers the path if the one remembered at this place of the index is invalid.
 * Keeps errno. */
uint32_t path_unwind(struct path_cache *cache, uint16_t *place, void *const *frame);

/* For AGENT_CHECK_PATHS: counts whether this path is what unwinding gives now. */
void path_check(struct path_cache *cache, const struct path_known *known, void *const *frame);

static inline struct path_known *path_at(struct path_cache *cache, uint16_t place)
{
    return (struct path_known *)(cache->entries + (size_t)place * PATH_STEP);
}

/* Whether the entry is for this caller at this depth, and its stack may be looked at. */
static inline bool path_fits(const struct path_cache *cache, const struct path_known *known,
                             void *const *frame)
{
    uint64_t pointer = (uint64_t)(uintptr_t)(frame + 2);
    return known->stack_pointer == pointer &&
           known->return_address == (uint64_t)(uintptr_t)frame[1] &&
           (!known->uses_frame_pointer || known->frame_pointer == (uint64_t)(uintptr_t)frame[0]) &&
           unwind_may_read(&cache->unwind, pointer, pointer + 8u * known->span_words);
}

static inline bool path_holds(const struct path_known *known, void *const *frame)
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
    struct path_known *known = path_at(cache, *place);
    if (UNLIKELY(known->patience || !path_fits(cache, known, frame) || !path_holds(known, frame)))
        return path_unwind(cache, place, frame);
    known->trust = PATH_TRUST;
    if (UNLIKELY(gate.check))
        path_check(cache, known, frame);
    return known->path;
}

/*
 * Every distinct path once: ids count up from 1, and misstop reads the paths themselves from the
 * ring of words (agent_abi.h). Written by all threads without locks; used by path.c.
 */
/* Before the gate opens. */
int path_table_start(void);

#endif
