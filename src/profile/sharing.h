/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Cache lines that several threads touch, as samples of their accesses show them. Private to
 * src/profile; judged by sharing_verdict.h, shown by snapshot_sharing.c.
 *
 * Two steps, so that lines of one thread cost one cache miss a sample: a direct-mapped table
 * remembers who touched a line last and whether anybody wrote. Where two threads and a store
 * have come together (or the hardware says HITM), the line gets a row; 1,024 rows in buckets,
 * where the coldest goes (pairs.h). All memory is fixed; nothing allocates after sharing_init().
 *
 * That two threads have touched a line is no contention: one may have filled it in long before
 * the other read it. What counts is how often an access came soon after one of another thread on
 * another CPU with a store among the two (a turn), and how often that would be if the accesses
 * of all sides were shuffled.
 */
#ifndef MISSTOP_PROFILE_SHARING_H
#define MISSTOP_PROFILE_SHARING_H

#include "place.h"
#include "profile/pairs.h"
#include "profile/sharing_line.h"

#include <stdbool.h>
#include <stdint.h>

enum { SHARING_LINES = 1024, SHARING_WATCHED = 1 << 15 };

/* Who touched a line last, how, and what has been seen of it: one cache line. */
struct sharing_watch {
    uint64_t time_ns;
    uint64_t address;
    uint64_t ip;
    uint32_t tid;
    uint32_t cpu;
    uint32_t object;
    uint32_t function;
    uint32_t type; /* 0: not by member */
    uint32_t type_offset;
    uint8_t size;
    uint8_t kind;
    bool locked;
    uint8_t flags;
    uint32_t unused[2];
};

struct sharing {
    struct sharing_watch *watched; /* [SHARING_WATCHED] */
    struct sharing_line *lines;    /* [SHARING_LINES], in the order of ranking.at */
    struct pairs ranking;          /* which lines have a row */
};

/* -ENOMEM. */
int sharing_init(struct sharing *sharing);
void sharing_fini(struct sharing *sharing);
void sharing_clear(struct sharing *sharing);
void sharing_rescale(struct sharing *sharing, double factor);

/* Asks for the line sharing_add() will look at first. */
void sharing_prefetch(const struct sharing *sharing, uint64_t address);

/* One attributed sample; `scale` as decay.h has it. */
void sharing_add(struct sharing *sharing, const struct place *place, double scale);

#endif
