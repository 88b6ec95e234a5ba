/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Internal state of a model; open inside src/sim only. */
#ifndef MISSTOP_SIM_MODEL_STATE_H
#define MISSTOP_SIM_MODEL_STATE_H

#include "sim/model/cache.h"
#include "sim/model/tables.h"

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
    struct lines referenced; /* bits: by this thread */
};

struct model {
    uint32_t running; /* thread of the present access (model_thread.runs) */
    struct model_spec spec;
    struct memory memory;
    struct state_thread *threads[MODEL_THREADS_MAX];
    struct cache *shared[MODEL_LEVELS_MAX]; /* NULL: private */
    uint32_t threads_end;                   /* the highest number of a thread that was made, + 1 */
    bool evictors_settled;                  /* cause_evictors_settle() */
    bool plain;   /* lines of all levels have one length, and one thread uses them: walk_plain() */
    bool several; /* threads with private levels: they hear of each other's accesses */
    uint32_t private_levels; /* how many, from the first: 1 or more */
    uint32_t caches;         /* ids given */
    uint32_t line_shift;     /* of the first level */
    bool
        track_all; /* in private levels: true sharing is separated from false by what was written */
    uint64_t clock; /* of uses */
    uint64_t lines_left_bytes;
    struct lines lines;
    struct evicted evicted[MODEL_LEVELS_MAX];
    struct evicted taken;                   /* lines that another thread wrote to, by owner */
    uint32_t taken_from[MODEL_THREADS_MAX]; /* lines ever taken: 0 spares the search */
    struct tally pairs[MODEL_PAIRS][MODEL_LEVELS_MAX];
    struct users users;
    struct sampling reuse;
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
};

/* Number of bytes of `size_bytes` from `address` on in its line. */
static inline uint32_t state_part(const struct cache *cache, uint64_t address, uint32_t size_bytes)
{
    uint32_t left_bytes = cache->line_bytes - ((uint32_t)address & (cache->line_bytes - 1));
    return size_bytes < left_bytes ? size_bytes : left_bytes;
}

/* Why a line was missed. Used inside src/sim only. */
static inline bool cause_is_asked(const struct model *model, uint32_t served)
{
    const struct model_host *host = &model->memory.host;
    return !host->asks_causes || host->asks_causes(host->context, served);
}

/*
 * An access to bytes [address, address + size) of the line missed it in a cache. `in_shadow`: the
 * fully associative cache beside had it. Fills access->miss.level[].
 */
void cause_of(struct state_access *access, const struct cache *cache, uint64_t address,
              uint32_t size_bytes, bool in_shadow);

/* The same at once for all levels that an access of walk_plain() missed, if the host asks for it;
 * `in_shadow` by level. A line that any level has was referenced. */
void cause_plain(struct state_access *access, uint32_t in_shadow);

/* The line was referenced by this thread: it will not be a first reference again. */
void cause_referenced(struct state_access *access, uint64_t address);

/* Evictors that a second level keeps are from now on where those of other levels are. */
void cause_evictors_settle(struct model *model, const struct cache *first);

/* Reports the levels that the access missed to the host. */
void cause_report(struct state_access *access);

/*
 * Private levels of several threads: a line that one writes to leaves the others (MSI; the clean
 * exclusive state only spares searches). The written bytes are kept for the threads that lost the
 * line: their next miss is true sharing if it accesses those bytes. Used inside src/sim only.
 */
/* A second thread comes: what the first, `thread`, has is written down. Until then nothing was. */
void coherence_begin(struct model *model, uint32_t thread);

/* A thread is about to read a line that it has not in its first level, or to write one that it may
 * not have for itself. */
void coherence_take(struct model *model, uint32_t thread, uint64_t number, bool write,
                    struct model_who who);

/* Whether several threads may have a line. */
bool coherence_shared(struct model *model, uint64_t number);

/* A thread's writes to a line, as they leave its private levels. */
void coherence_wrote(struct model *model, uint32_t thread, uint64_t number, uint64_t grains);

/* Bytes written since a line was taken from a thread; they are asked for once it misses. */
uint64_t coherence_written_since(struct model *model, uint32_t thread, uint64_t number);

/* The thread has the line again. */
void coherence_returned(struct model *model, uint32_t thread, uint64_t number);

/* Which thread may have lines of [address, address + size): 0 none, thread + 1, STATE_HOLDERS. */
uint32_t coherence_holders(struct model *model, uint64_t address, uint32_t size_bytes);

/*
 * A line leaves a level: its use is reported to the level below and to the host, and the evictor is
 * remembered. Used inside src/sim only.
 */
/* `who` sent it away. Nothing is at `index` afterwards. */
void departure_of(struct model *model, struct cache *cache, uint32_t index, struct model_who who,
                  enum model_reason reason);

/* Adds what was done to a line since the last time to the next level that has it. */
void departure_report_below(struct model *model, struct cache *cache, uint32_t index);

/* The same by all levels above with parts of the line at `address`, which one gets or loses. */
void departure_report_above(struct model *model, struct cache *cache, uint64_t address);

#endif
