/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Spatial and temporal use of lines before eviction, by the object, field, function and instruction
 * that fetched them, separately for each level: SIP's measures (Berg and Hagersten 2004, section
 * 5.2). A line counts for its fetcher, as its miss did, so an object's use and its misses refer to
 * the same lines. A heap block may have been freed when its line is evicted, so the object of a
 * fetch is stored by address, the newest in each slot. Private to src/profile; allocates memory at
 * the first fetch or eviction. The number of rows is bounded.
 */
#ifndef MISSTOP_PROFILE_CACHE_USE_H
#define MISSTOP_PROFILE_CACHE_USE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/hash.h"
#include "place.h"
#include "profile/time/decay.h"
#include "simulated_line.h"

enum { USE_LEVELS = 4, USE_ROWS = 3 << 14, USE_FETCHES = 1 << 18 };

struct use_sums {
    struct counted lines;
    struct counted fetched_bytes;
    struct counted used_bytes;
    struct counted touched_bytes;
    struct counted uses[LINE_USES];
    struct counted followed_lines; /* lines reported; each also represents others */
    struct counted squares;        /* sum of squares of used bytes */
};

/* The object and field of the access that fetched a line. */
struct use_fetch {
    uint64_t address;
    uint64_t offset; /* key of its field */
    uint32_t object;
    uint16_t event;
};

struct use {
    struct hash index; /* use_key() to row */
    struct use_sums *rows;
    size_t count;
    size_t room;
    struct use_fetch *fetches; /* [USE_FETCHES]; NULL: none yet */
    struct use_sums all[USE_LEVELS];
    uint8_t level_of[SAMPLE_EVENTS_MAX]; /* level + 1; 0: not known */
};

enum use_of { USE_OBJECT = 1, USE_FIELD, USE_FUNCTION, USE_INSTRUCTION };

/* Returns the key of a row. A field is identified by its object and offset_key(). */
uint64_t use_key(enum use_of of, uint8_t level, uint32_t id, uint64_t offset);

void use_fini(struct use *use);
void use_clear(struct use *use);
void use_rescale(struct use *use, double factor);

/* Records the object and field of a miss that fetches a line. */
void use_fetched(struct use *use, const struct place *place, uint32_t object, uint64_t offset);

/* Finds object and field of the fetch. Leaves them unchanged if they are no longer known. */
void use_find_fetch(const struct use *use, const struct line_event *line, uint32_t *object,
                    uint64_t *offset);

/* Adds an evicted line; ids as in the tables. */
void use_add(struct use *use, const struct line_event *line, uint32_t object, uint64_t offset,
             uint32_t function, double scale);

void use_join(struct use *use, uint64_t key, uint64_t into);

/* Returns the row of a key; NULL: none. */
const struct use_sums *use_row(const struct use *use, uint64_t key);

/*
 * Reuse distances of the accesses to each object and of each instruction: the number of other lines
 * used since the last use of a line. An access with a distance of at least the number of lines of a
 * cache misses in that cache, if the cache is fully associative with LRU (Mattson, Gecsei, Slutz,
 * Traiger 1970). Sampled by the simulation (src/sim/model/reuse.c). Private to src/profile.
 * Allocates memory at the first distance; uses without a row count only in `all`.
 */
enum {
    DISTANCE_STEPS = 4, /* per factor of two */
    DISTANCE_BUCKETS = 28 * DISTANCE_STEPS,
    DISTANCE_ROWS = 1 << 12
};

struct distances_counts {
    struct counted uses;   /* sampled uses */
    struct counted weight; /* weight of these */
    struct counted first;  /* uses of lines not used before */
    struct counted bucket[DISTANCE_BUCKETS];
};

struct distances_row {
    uint64_t id;
    uint32_t counted_by; /* enum distances_of */
    uint32_t function;   /* function of an instruction */
    struct distances_counts counts;
};

struct distances {
    struct hash index; /* by kind and id */
    struct distances_row *rows;
    size_t count;
    size_t room;
    struct distances_counts all;
    uint32_t line_bytes; /* unit of distances; 0: none yet */
};

/* Ids: an object id; the address of an instruction. */
enum distances_of { DISTANCES_MOVED, DISTANCES_OBJECT, DISTANCES_INSTRUCTION };

void distances_fini(struct distances *distances);
void distances_rescale(struct distances *distances, double factor);

void distances_add(struct distances *distances, const struct line_event *line, uint32_t object,
                   uint32_t function, double scale);

void distances_join(struct distances *distances, uint32_t object, uint32_t into);

/* Returns the miss ratio of a fully associative LRU cache of `lines`; NAN: no distances. */
double distances_miss_ratio(const struct distances_counts *counts, enum snapshot_basis basis,
                            double lines);

/* Return the upper and the lower end of the range of sizes around `lines` in one bucket. */
double distances_step_up(double lines);
double distances_step_down(double lines);

#endif
