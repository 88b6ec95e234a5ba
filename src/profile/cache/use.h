/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Spatial and temporal use of lines before eviction, for each object, field, function and
 * instruction that had fetched them, each level apart: SIP's measures (Berg and Hagersten 2004,
 * section 5.2). A line counts for its fetcher, as its miss did, so an object's use and its misses
 * are of the same lines. Heap blocks may be freed when a line leaves: the object of a fetch is
 * remembered by address, the newest in each place. Private to src/profile; no memory is taken
 * before the first of either. Rows are bounded.
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
    struct counted followed; /* lines that were reported, for themselves and others */
    struct counted squares;  /* of used bytes */
};

/* Where the access fell that fetched a line. */
struct use_fetch {
    uint64_t address;
    uint64_t offset; /* key of its field */
    uint32_t object;
    uint16_t event;
};

struct use {
    struct hash index; /* use_key() -> row */
    struct use_sums *rows;
    size_t count;
    size_t room;
    struct use_fetch *fetches; /* [USE_FETCHES]; NULL: none yet */
    struct use_sums all[USE_LEVELS];
    uint8_t level_of[SAMPLE_EVENTS_MAX]; /* + 1; 0: not known */
};

enum use_of { USE_OBJECT = 1, USE_FIELD, USE_FUNCTION, USE_INSTRUCTION };

/* Of a field: the object, and its offset as offset_key() has it. */
uint64_t use_key(enum use_of of, uint8_t level, uint32_t id, uint64_t offset);

void use_fini(struct use *use);
void use_clear(struct use *use);
void use_rescale(struct use *use, double factor);

/* A miss of an object, that fetches a line: remembered where lines are reported. */
void use_fetched(struct use *use, const struct place *place, uint32_t object, uint64_t offset);

/* Where the fetch fell, if it is still known; else *object and *offset stay. */
void use_find_fetch(const struct use *use, const struct line_event *line, uint32_t *object,
                    uint64_t *offset);

/* A line left; ids as the tables count them. */
void use_add(struct use *use, const struct line_event *line, uint32_t object, uint64_t offset,
             uint32_t function, double scale);

/* Counts of one key belong to the other. */
void use_join(struct use *use, uint64_t key, uint64_t into);

/* NULL: nothing was counted of it. */
const struct use_sums *use_row(const struct use *use, uint64_t key);

/*
 * Reuse distances of the accesses to each object, and of each instruction: how many other lines
 * were used since the line was used last. Distances of at least the lines of a cache are misses of
 * that cache, if it is fully associative with LRU (Mattson, Gecsei, Slutz, Traiger 1970). Sampled
 * by the simulation (src/sim/model/reuse.c). Private to src/profile. Memory is taken at the first
 * distance; uses without a row count in the whole only.
 */
enum {
    DISTANCE_STEPS = 4, /* of a factor of two */
    DISTANCE_BUCKETS = 28 * DISTANCE_STEPS,
    DISTANCE_ROWS = 1 << 12
};

struct distances_counts {
    struct counted uses;  /* sampled uses */
    struct counted all;   /* uses represented by these */
    struct counted first; /* of lines that were not used before */
    struct counted bucket[DISTANCE_BUCKETS];
};

struct distances_row {
    uint64_t id;
    uint32_t of;       /* enum distances_of */
    uint32_t function; /* of an instruction */
    struct distances_counts counts;
};

struct distances {
    struct hash index; /* by the kind of thing and its id */
    struct distances_row *rows;
    size_t count;
    size_t room;
    struct distances_counts all;
    uint32_t line_bytes; /* unit of distances; 0: none yet */
};

/* Ids: of an object; the address of an instruction. */
enum distances_of { DISTANCES_MOVED, DISTANCES_OBJECT, DISTANCES_INSTRUCTION };

void distances_fini(struct distances *distances);
void distances_rescale(struct distances *distances, double factor);

void distances_add(struct distances *distances, const struct line_event *line, uint32_t object,
                   uint32_t function, double scale);

/* Counts of one object belong to the other. */
void distances_join(struct distances *distances, uint32_t object, uint32_t into);

/* Miss ratio of a fully associative LRU cache of `lines`, under a basis; NAN: no distances. */
double distances_miss_ratio(const struct distances_counts *counts, enum snapshot_basis basis,
                            double lines);

/* The smallest size up from `lines`, and the largest down, between which counts are equal. */
double distances_step_up(double lines);
double distances_step_down(double lines);

#endif
