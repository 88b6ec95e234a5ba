/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sample -> profile: line events, which only a simulation reports (--sim): how a line was used
 * before it left a cache, or after how many others it was used again. A plain value; the resolver
 * adds the object.
 */
#ifndef MISSTOP_SIMULATED_LINE_H
#define MISSTOP_SIMULATED_LINE_H

#include <stdbool.h>
#include <stdint.h>

enum line_what { LINE_LEFT, LINE_REUSED };

/* In the order of enum model_use_class (src/sim/model/model.h). A modify is a store. */
enum line_use {
    LINE_LOADS_INTEGER,
    LINE_LOADS_FLOAT,
    LINE_STORES_INTEGER,
    LINE_STORES_FLOAT,
    LINE_USES
};

#define LINE_NO_DISTANCE UINT64_MAX

struct line_event {
    uint64_t ip;            /* that fetched it into the cache; that uses it */
    uint64_t address;       /* which that one accessed */
    uint64_t weight;        /* lines (uses) that this one represents */
    uint64_t distance;      /* LINE_REUSED: other lines, of the first level's length, used between;
                               LINE_NO_DISTANCE: it was not used before */
    uint32_t tid;           /* of who ran */
    uint16_t event;         /* LINE_LEFT: of misses of the level it left */
    uint8_t what;           /* enum line_what */
    uint8_t level;          /* LINE_LEFT: index of that level, 0 the nearest */
    uint16_t line_bytes;    /* its length; */
    uint16_t used_bytes;    /* LINE_LEFT: how many different ones of them were used; */
    uint32_t touched_bytes; /* every touch counted */
    uint32_t uses[LINE_USES];
};

/* Relations of an instruction to lines that another one, or the same, had fetched. */
enum line_pairs {
    LINE_EVICTED_BY, /* threw them out: lines */
    LINE_USED_BY,    /* used them: accesses, estimated */
    LINE_PAIRS
};

struct line_pair {
    uint64_t first;  /* address of the one that fetched */
    uint64_t second; /* of the other */
    uint64_t count;
    uint32_t place; /* in the table of its kind and level */
};

/* Number by which a pair is asked for: the first one there from `place` on. */
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
