/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * False and true sharing: cache lines that several threads touch, as samples of their accesses
 * show them. Private to src/profile; judged by sharing.h, shown by sharing.c.
 *
 * Two steps, so that lines of one thread cost one cache miss a sample: a direct-mapped table
 * remembers who touched a line last and whether there was a store. Where two threads and a store
 * have come together (or the hardware reports HITM), the line gets a row; 1,024 rows in buckets,
 * where the coldest goes (tally.h). All memory is fixed; nothing allocates after sharing_init().
 *
 * Two threads on a line are no contention yet: one may have filled it in long before the other
 * read it. Evidence is how often an access came soon after one of another thread on another CPU
 * with a store among the two (a turn), compared with how often that would be if the accesses of
 * all sides were shuffled.
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

/*
 * One shared cache line: its threads, the instructions of each with the bytes they read and wrote,
 * the objects on it, and how often the threads took turns. Private to src/profile.
 */
enum {
    SHARING_LINE_BYTES = 64, /* x86; a bit each in a uint64_t */
    SHARING_SIDES = 6,       /* threads counted one by one on a line */
    SHARING_SPOTS = 4,       /* instructions of a side */
    SHARING_OWNERS = 3,      /* objects on a line */
};

/* An instruction of one thread on a line. */
struct sharing_spot {
    uint64_t ip;
    uint64_t read; /* bit i: byte i of the line */
    uint64_t written;
    uint64_t address; /* of its last access, with its type */
    double credit;    /* stored weight, less what others wore down; 0: free */
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
    uint32_t cpu; /* last one; SAMPLE_NO_CPU */
    uint64_t last_ns;
    struct counted samples;
    struct counted loads;
    struct counted stores;
    struct counted hitm;
    struct sharing_spot spots[SHARING_SPOTS];
};

/* An object on the line: where it lay, so that memory used anew is noticed. */
struct sharing_owner {
    uint64_t base;
    uint64_t size; /* 0: not known */
    uint32_t object;
    bool from_end; /* of a frame: the base is its end */
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
    uint32_t others; /* accesses by threads beyond SHARING_SIDES */
    struct counted samples;
    struct counted pairs; /* accesses that came soon after another */
    struct counted turns; /* ... of another thread on another CPU, a store among the two */
    struct counted hitm;
    struct counted snooped; /* accesses with a snoop result of the hardware */
    struct sharing_owner owners[SHARING_OWNERS];
    struct sharing_side sides[SHARING_SIDES];
};

static inline bool sharing_writes(const struct access *access)
{
    return access->kind == ACCESS_STORE || access->kind == ACCESS_LOAD_STORE;
}

enum { SHARING_LINES = 1024, SHARING_WATCHED = 1 << 15 };

/* Last thread and kind of access of a line, and its history so far: one cache line. */
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
    struct sharing_watch *watched; /* [SHARING_WATCHED], on cache lines */
    void *memory;                  /* of these */
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

/*
 * Verdict on a shared line: false sharing, true sharing, contention. Pure functions. Private to
 * src/profile.
 */
/* From this many turns on a line is listed, and from this many its verdict is given. */
enum { SHARING_TURNS_LISTED = 4, SHARING_TURNS_SURE = 8, SHARING_HITM_SURE = 5 };

/* Counts under one basis. */
struct sharing_judged {
    enum sharing_verdict verdict;
    enum sharing_evidence evidence;
    bool listed; /* there is evidence at all */
    bool sure;
    double samples;
    double turns;
    double pairs;
    double expected; /* turns if the accesses of all sides were shuffled */
    double hitm;     /* NAN: not measured */
    double overlap;  /* part of the contention that is for the same bytes; NAN: none is seen */
};

struct sharing_judged sharing_judge(const struct sharing_line *line, enum snapshot_basis basis,
                                    double scale);

#endif
