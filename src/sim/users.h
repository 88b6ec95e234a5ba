/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which statements use what a statement fetched (what SIP left for later): for lines sampled by
 * address, at every level where they lie. Bounded. Used inside src/sim only.
 */
#ifndef MISSTOP_SIM_USERS_H
#define MISSTOP_SIM_USERS_H

#include "sim/memory.h"
#include "sim/tally.h"

enum { USERS_OF_LINE = 8 };

struct users_line {
    uint64_t tag;   /* line number + 1; 0: empty */
    uint32_t cache; /* its id */
    uint32_t fetched_by;
    uint32_t ips[USERS_OF_LINE];
    uint32_t uses[USERS_OF_LINE]; /* 0: empty */
    uint64_t others;              /* uses by more statements than have room */
};

struct users {
    struct users_line *lines; /* NULL: not asked for */
    uint64_t mask;
    uint64_t count;
    uint64_t untold; /* uses that found no room */
    uint32_t one_in;
    uint32_t region_shift; /* of addresses that are sampled together: the longest line's */
};

/* `lines`: most that can be watched at once. -1: no memory. */
int users_init(struct users *users, uint64_t lines, uint32_t one_in, uint32_t region_shift,
               struct memory *memory);

static inline bool users_watch(const struct users *users, uint64_t address)
{
    return users->lines &&
           !(memory_hash(address >> users->region_shift) >> 20 & (users->one_in - 1));
}

/* A watched line came into a cache, was used there, and left it. */
void users_fetched(struct users *users, uint64_t number, uint32_t cache, uint32_t ip);
void users_used(struct users *users, uint64_t number, uint32_t cache, uint32_t ip);
void users_left(struct users *users, uint64_t number, uint32_t cache, struct tally *tally,
                struct memory *memory);

#endif
