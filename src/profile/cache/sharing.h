/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Cache lines that several threads touch, from samples of their accesses.
 *
 * There are two steps, so that a line used by one thread costs one cache miss per sample. A
 * direct-mapped table holds the last thread of each line, and whether the line was stored to. If
 * two threads and a store coincide, or the hardware reports HITM, the line gets a row. The 1,024
 * rows are in buckets that evict the coldest row (tally.h). All memory is fixed; nothing allocates
 * after sharing_init().
 *
 * Two threads on a line are not yet contention: one may have initialised the line long before the
 * other read it. The evidence is how often an access came soon after an access of another thread on
 * another CPU, with a store among the two (a turn), compared with how often that happens if the
 * accesses of all sides are shuffled.
 */
#ifndef MISSTOP_PROFILE_CACHE_SHARING_H
#define MISSTOP_PROFILE_CACHE_SHARING_H

#include <stdbool.h>
#include <stdint.h>

#include "access.h"
#include "place.h"
#include "profile/tables/tally.h"
#include "profile/time/decay.h"
#include "snapshot.h"

/* One shared cache line: its threads, their instructions with the bytes they read and wrote, the
 * objects on the line, and the number of turns. */
enum {
    SHARING_LINE_BYTES = 64,  /* x86; one bit per byte in a uint64_t */
    SHARING_SIDES = 6,        /* threads counted separately on a line */
    SHARING_INSTRUCTIONS = 4, /* instructions of a side */
    SHARING_OWNERS = 3,       /* objects on a line */
};

struct sharing_instruction {
    uint64_t ip;
    uint64_t read; /* bit i: byte i of the line */
    uint64_t written;
    uint64_t address; /* of its last access, as is the type */
    double credit;    /* stored weight, reduced by instructions without a spot (tally.h); 0: free */
    struct counted samples;
    uint32_t function;
    uint32_t object;
    uint32_t type; /* 0: not by member */
    uint32_t type_offset;
    uint8_t size; /* widest access, bytes */
    bool locked;
};

struct sharing_side {
    uint32_t tid;
    uint32_t cpu; /* last CPU; SAMPLE_NO_CPU */
    uint64_t last_ns;
    struct counted samples;
    struct counted loads;
    struct counted stores;
    struct counted hitm;
    struct sharing_instruction instructions[SHARING_INSTRUCTIONS];
};

/* An object on the line, with its extent, to detect that the memory was reused. */
struct sharing_owner {
    uint64_t base;
    uint64_t size; /* 0: not known */
    uint32_t object;
    bool from_end; /* for a stack frame, `base` is its end */
    struct counted samples;
};

struct sharing_line {
    uint64_t address; /* of its first byte; 0: none */
    uint64_t last_ns;
    uint32_t last_tid;
    uint32_t last_cpu;
    bool last_wrote;
    uint8_t side_count;
    uint8_t owner_count;
    uint32_t other_accesses; /* accesses by threads without a side */
    struct counted samples;
    struct counted close_accesses; /* accesses that came soon after another */
    /* pairs from two threads on different CPUs, with at least one store */
    struct counted alternations;
    struct counted hitm;
    struct counted snooped; /* accesses with a snoop result */
    struct sharing_owner owners[SHARING_OWNERS];
    struct sharing_side sides[SHARING_SIDES];
};

static inline bool sharing_writes(const struct access *access)
{
    return access->kind == ACCESS_STORE || access->kind == ACCESS_LOAD_STORE;
}

enum { SHARING_LINES = 1024, SHARING_LAST_ACCESSES = 1 << 15 };

/* Last access of a line, and flags of its history; fits in one cache line. */
struct sharing_last_access {
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
    struct sharing_last_access *last_accesses; /* [SHARING_LAST_ACCESSES], aligned to cache lines */
    void *memory;                              /* allocation of `last_accesses` */
    struct sharing_line *lines;                /* [SHARING_LINES], in the order of ranking.at */
    struct pairs ranking;                      /* the lines that have a row */
};

/* Returns 0 or -ENOMEM. */
int sharing_init(struct sharing *sharing);
void sharing_fini(struct sharing *sharing);
void sharing_clear(struct sharing *sharing);
void sharing_rescale(struct sharing *sharing, double factor);

/* Prefetches the cache line that sharing_add() reads first. */
void sharing_prefetch(const struct sharing *sharing, uint64_t address);

/* Adds one attributed sample; `scale` as in decay.h. */
void sharing_add(struct sharing *sharing, const struct place *place, double scale);

/* Minimum turns for a line to be listed, and minimum turns or HITM for a verdict. */
enum { SHARING_TURNS_LISTED = 4, SHARING_TURNS_SURE = 8, SHARING_HITM_SURE = 5 };

struct sharing_assessment {
    enum sharing_verdict verdict;
    enum sharing_evidence evidence;
    bool listed; /* there is any evidence */
    bool has_enough_samples;
    double samples;
    double alternations;
    double close_accesses;
    double expected_alternations; /* turns if the accesses of all sides were shuffled */
    double hitm;                  /* NAN: not measured */
    double overlap; /* share of the contention on the same bytes; NAN: no contention seen */
};

struct sharing_assessment sharing_judge(const struct sharing_line *line, enum snapshot_basis basis,
                                        double scale);

#endif
