/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is kept of one shared cache line: its threads, the instructions of each with the bytes
 * they read and wrote, the objects that lie on it, and how often the threads took turns.
 * Private to src/profile: filled by sharing.c, judged by sharing_verdict.c.
 */
#ifndef MISSTOP_PROFILE_SHARING_LINE_H
#define MISSTOP_PROFILE_SHARING_LINE_H

#include "access.h"
#include "place.h"
#include "profile/decay.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    SHARING_LINE_BYTES = 64, /* x86; a bit each in a uint64_t */
    SHARING_SIDES = 6,       /* threads told apart on a line */
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
    struct counted snooped; /* accesses of which the hardware told what other caches answered */
    struct sharing_owner owners[SHARING_OWNERS];
    struct sharing_side sides[SHARING_SIDES];
};

/* Begins a line anew with the access to come. */
void sharing_line_start(struct sharing_line *line, uint64_t address);

/* One access to it. Where its memory has become another object, the line begins anew. */
void sharing_line_add(struct sharing_line *line, const struct place *place,
                      const struct data_source *source, double scale);

void sharing_line_rescale(struct sharing_line *line, double factor);

static inline bool sharing_writes(const struct access *access)
{
    return access->kind == ACCESS_STORE || access->kind == ACCESS_LOAD_STORE;
}

#endif
