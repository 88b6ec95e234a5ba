/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a simulated cache hierarchy is to be: plain numbers, filled by whoever makes a model
 * (src/valgrind, tests, benches). Text is parsed elsewhere (profile/geometry.h).
 */
#ifndef MISSTOP_SIM_SPEC_H
#define MISSTOP_SIM_SPEC_H

#include <stdbool.h>
#include <stdint.h>

enum {
    MODEL_LEVELS_MAX = 4,
    MODEL_THREADS_MAX = 126, /* private hierarchies; a byte per line names one of them */
    MODEL_WAYS_MAX = 65536,
    MODEL_TREE_WAYS_MAX = 64, /* a set's tree is one word */
    MODEL_LINE_MIN = 4,
    MODEL_LINE_MAX = 4096
};

enum model_policy { MODEL_LRU, MODEL_TREE_PLRU, MODEL_RANDOM };

/*
 * Next line: the line behind one that missed. Stride: what an instruction does twice the same way
 * it is expected to do again (Chen and Baer's reference prediction table). Both see what misses
 * and the first use of what they fetched themselves.
 */
enum model_prefetch { MODEL_NO_PREFETCH, MODEL_NEXT_LINE, MODEL_STRIDE };

struct model_level_spec {
    uint64_t size_bytes; /* sets * ways * line; sets need not be a power of two */
    uint32_t ways;
    uint32_t line_bytes; /* a power of two, 4 to 4096; not shorter than the level's above */
    uint8_t policy;      /* enum model_policy; the tree wants 2, 4 .. 64 ways */
    bool inclusive;      /* what it throws out leaves the levels above it too */
    bool shared;         /* one for all threads; below a shared level all are shared */
};

struct model_spec {
    struct model_level_spec level[MODEL_LEVELS_MAX]; /* [0] is the nearest */
    uint32_t level_count;                            /* 1 .. MODEL_LEVELS_MAX */
    struct model_level_spec instruction; /* beside [0], shared as that is; size 0: fetches of
                                            instructions are not simulated */
    uint32_t threads;                    /* 1 .. MODEL_THREADS_MAX */
    bool no_write_allocate;              /* a store that misses fetches nothing */
    bool whole_access_below; /* where one line of an access missed, the next level is asked for all
                                its lines, as cachegrind does; not with inclusive levels */
    uint8_t prefetch;        /* enum model_prefetch */
    uint8_t prefetch_level;  /* index of the level that fetches ahead */

    bool causes;     /* first reference, capacity, conflict, invalidation, and who threw it out */
    bool no_figures; /* the host counts what it is told: there are none of all, statements and bins
                      */
    bool use;        /* which bytes of a line were used before it left (SIP) */
    uint32_t users_one_in; /* statements that used and threw out what another fetched, for one
                              line in so many; a power of two; 0: not at all */
    uint32_t reuse_lines;  /* lines whose reuse distances are sampled; 0: none */
    uint32_t reuse_one_in; /* at first one line in so many is; 0: all. More never are */

    /* Bounds of memory; 0 takes what model_spec_complete() sets. */
    uint32_t ips_max;           /* instructions with figures of their own, from id 0 */
    uint32_t bins_max;          /* bins with figures of their own, from 0 */
    uint32_t evicted_max;       /* lines per level whose evictor is remembered */
    uint32_t pairs_max;         /* pairs in each table of who did what to whom */
    uint64_t lines_limit_bytes; /* of the tables of lines ever referenced */
    uint64_t seed;              /* of random replacement */
};

/* Sets the bounds that are 0. */
void model_spec_complete(struct model_spec *spec);

/* NULL: a model can be made of it. Else why not, in a few words ("ways of level 2 are 0"). */
const char *model_spec_refuse(const struct model_spec *spec);

#endif
