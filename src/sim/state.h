/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a model is made of; open inside src/sim only. */
#ifndef MISSTOP_SIM_STATE_H
#define MISSTOP_SIM_STATE_H

#include "sim/cache.h"
#include "sim/evicted.h"
#include "sim/ids.h"
#include "sim/lines.h"
#include "sim/prefetch.h"
#include "sim/sampling.h"
#include "sim/tally.h"
#include "sim/users.h"

/*
 * The byte of a line in model.lines: referenced or not, and which thread may have it in its private
 * levels, so that the others need not be searched. Numbers are of lines of the first level.
 */
enum {
    STATE_REFERENCED = 0x80,
    STATE_HOLDER = 0x7f, /* 0: none; thread + 1 */
    STATE_HOLDERS = 0x7f /* any number of threads */
};

struct state_thread {
    struct model_thread fast; /* first: the caller's pointer is this one's */
    struct cache *path[MODEL_LEVELS_MAX];
    struct cache *instruction;
    struct lines referenced; /* bits: by this thread; unused with one thread */
};

struct model {
    uint32_t running; /* whose access is under way (model_thread.runs) */
    struct model_spec spec;
    struct memory memory;
    struct state_thread *threads[MODEL_THREADS_MAX];
    struct cache *shared[MODEL_LEVELS_MAX]; /* NULL: private */
    struct cache *shared_instruction;       /* NULL: private, or none */
    uint32_t threads_end;                   /* the highest number of a thread that was made, + 1 */
    bool several;            /* threads with private levels: they hear of each other's accesses */
    uint32_t private_levels; /* how many, from the first; 0 with one thread */
    uint32_t caches;         /* ids given */
    uint32_t line_shift;     /* of the first level */
    bool track_use;          /* for the figures, or of several threads to tell true from false
                                sharing */
    uint64_t clock;          /* of uses; MODEL_CLOCK_STEP an access, where hits are timed */
    uint64_t lines_left_bytes;
    struct lines lines;
    struct evicted evicted[MODEL_LEVELS_MAX];
    struct evicted taken; /* lines that another thread wrote to, by whose they were */
    uint32_t taken_from[MODEL_THREADS_MAX]; /* lines ever taken: 0 spares the search */
    struct model_figures total[MODEL_LEVELS_MAX];
    uint64_t instruction_misses[MODEL_LEVELS_MAX];
    struct ids ips;  /* model_figures[level_count] */
    struct ids bins; /* the same */
    struct tally pairs[MODEL_PAIRS][MODEL_LEVELS_MAX];
    struct users users;
    struct prefetch prefetch;
    struct sampling reuse;
    struct model_limits limits;
};

/* One access on its way through the levels. */
struct state_access {
    struct model *model;
    struct state_thread *thread;
    struct cache *first;           /* of data or of instructions */
    struct model_miss miss;        /* filled as it goes */
    uint32_t missed;               /* levels: bit by level */
    uint32_t at[MODEL_LEVELS_MAX]; /* index of the last line looked at in each level that was asked;
                                      else any index */
    uint32_t victim;               /* of `first`, where it is known already; else CACHE_NONE */
    bool absent;                   /* it is known that `first` has it not */
    uint32_t
        replaced; /* levels that were missed, whose evictor is looked for when it is asked: bit */
    uint32_t in_shadow; /* of these: the shadow had the line */
    bool bin_known;
    bool fetch_ahead; /* something that the prefetcher watches happened */
};

/* Whether an access of this kind leaves a line where it missed it. */
static inline bool state_fetches(const struct model *model, uint32_t kind)
{
    return !model->spec.no_write_allocate || !(kind & MODEL_STORE) || kind & MODEL_LOAD;
}

/* How many of `size_bytes` from `address` on lie in its line. */
static inline uint32_t state_part(const struct cache *cache, uint64_t address, uint32_t size_bytes)
{
    uint32_t left_bytes = cache->line_bytes - ((uint32_t)address & (cache->line_bytes - 1));
    return size_bytes < left_bytes ? size_bytes : left_bytes;
}

/* Who accesses; the bin is asked for once. */
static inline struct model_who state_who(struct state_access *access)
{
    const struct model_host *host = &access->model->memory.host;
    if (!access->bin_known && host->bin_of)
        access->miss.who.bin = host->bin_of(host->context, access->miss.address);
    access->bin_known = true;
    return access->miss.who;
}

#endif
