/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sample -> profile: how a line was used before it left a cache, or how many other lines were used
 * before it was reused; simulation only (--sim). The resolver adds the object. */
#ifndef MISSTOP_SIMULATED_LINE_H
#define MISSTOP_SIMULATED_LINE_H

#include <stdbool.h>
#include <stdint.h>

enum line_event_kind { LINE_LEFT, LINE_REUSED };

/* In the order of enum model_use_class (src/sim/model/model.h). A modify counts as a store. */
enum line_use {
    LINE_LOADS_INTEGER,
    LINE_LOADS_FLOAT,
    LINE_STORES_INTEGER,
    LINE_STORES_FLOAT,
    LINE_USES
};

#define LINE_NO_DISTANCE UINT64_MAX

struct line_event {
    uint64_t ip;      /* address of the instruction that fetched the line, or uses it */
    uint64_t address; /* address accessed by that instruction */
    uint64_t weight;  /* lines or uses that this event represents */
    /* Other lines used in between, of the first level's line size; LINE_NO_DISTANCE: first use. */
    uint64_t distance;
    uint32_t tid;           /* running thread */
    uint16_t event;         /* LINE_LEFT: event of the misses of the level it left */
    uint8_t kind;           /* enum line_event_kind */
    uint8_t level;          /* LINE_LEFT: index of that level; 0: nearest */
    uint16_t line_bytes;    /* line size */
    uint16_t used_bytes;    /* LINE_LEFT: distinct bytes of it that were used */
    uint32_t touched_bytes; /* LINE_LEFT: bytes used, every touch counted */
    uint32_t uses[LINE_USES];
};

enum line_pairs {
    LINE_EVICTED_BY, /* evicted them; counts lines */
    LINE_USED_BY,    /* used them; counts accesses, estimated */
    LINE_PAIRS
};

struct line_pair {
    uint64_t first;  /* address of the fetching instruction */
    uint64_t second; /* address of the other instruction */
    uint64_t count;
    uint32_t slot; /* in the table of its kind and level */
};

/* Number by which a pair is asked for: the first one there from `slot` on. */
static inline uint64_t line_pair_number(enum line_pairs kind, uint8_t level, uint32_t place)
{
    return (uint64_t)kind << 40 | (uint64_t)level << 32 | place;
}

static inline uint32_t line_pair_kind(uint64_t number)
{
    return (uint32_t)(number >> 40);
}

static inline uint32_t line_pair_level(uint64_t number)
{
    return number >> 32 & 0xff;
}

#endif
