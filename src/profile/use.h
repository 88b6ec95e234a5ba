/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How lines were used before they left a cache, for each object, field, function and instruction
 * that had fetched them, each level apart: SIP's spatial and temporal use (Berg and Hagersten 2004,
 * section 5.2). A line counts for what fetched it, as its miss did, so an object's use and its
 * misses speak of the same lines. Heap blocks may be gone when a line leaves: where a fetch fell is
 * remembered by its address, the newest in each place. Private to src/profile; no memory is taken
 * before the first of either. Rows are bounded, and what found no room is counted.
 */
#ifndef MISSTOP_PROFILE_USE_H
#define MISSTOP_PROFILE_USE_H

#include "place.h"
#include "profile/decay.h"

#include <stdbool.h>
#include <stddef.h>

enum { USE_LEVELS = 4, USE_ROWS = 1 << 16, USE_FETCHES = 1 << 18 };

struct use_sums {
    struct counted lines;
    struct counted fetched_bytes;
    struct counted used_bytes;
    struct counted touched_bytes;
    struct counted uses[LINE_USES];
};

struct use_row {
    uint64_t key; /* use_key(); 0: empty */
    struct use_sums sums;
};

/* Where the access fell that fetched a line. */
struct use_fetch {
    uint64_t address;
    uint64_t offset; /* key of its field */
    uint32_t object;
    uint16_t event;
};

struct use {
    struct use_row *rows;
    struct use_fetch *fetches;
    struct use_sums all[USE_LEVELS];
    uint64_t count;  /* rows */
    uint64_t untold; /* lines that found no row, for one of the things they count for */
    uint8_t level_of[SAMPLE_EVENTS_MAX]; /* + 1; 0: none told */
    bool failed;                         /* no memory: nothing more is counted */
};

enum use_of { USE_OBJECT = 1, USE_FIELD, USE_FUNCTION, USE_INSTRUCTION };

/* Of a field: the object, and its offset as offset_key() has it. */
uint64_t use_key(enum use_of of, uint8_t level, uint32_t id, uint64_t offset);

void use_fini(struct use *use);
void use_clear(struct use *use);
void use_rescale(struct use *use, double factor);

/* A miss of an object, that fetches a line: where lines are told, it is remembered. */
void use_fetched(struct use *use, const struct place *place, uint32_t object, uint64_t offset);

/* Where the fetch fell, if it is still known; else *object and *offset stay. */
void use_find_fetch(const struct use *use, const struct line_told *line, uint32_t *object,
                    uint64_t *offset);

/* A line left; ids as the tables count them. */
void use_add(struct use *use, const struct line_told *line, uint32_t object, uint64_t offset,
             uint32_t function, double scale);

/* What is counted under one key was of the other. */
void use_join(struct use *use, uint64_t key, uint64_t into);

/* NULL: nothing was told of it. */
const struct use_sums *use_row(const struct use *use, uint64_t key);

#endif
