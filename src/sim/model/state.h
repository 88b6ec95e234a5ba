/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef MISSTOP_SIM_MODEL_STATE_H
#define MISSTOP_SIM_MODEL_STATE_H

#include "sim/model/cache.h"
#include "sim/model/tables.h"

/* The byte of a line in model.lines: whether it was referenced, and which thread may have it in its
 * private levels, so that the others need not be searched. Lines of the first level. */
enum {
    STATE_REFERENCED = 0x80,
    STATE_HOLDER = 0x7f, /* 0: none; thread + 1 */
    STATE_HOLDERS = 0x7f /* any number of threads */
};

struct state_thread {
    struct model_thread fast; /* first member: same address as the caller's pointer */
    struct cache *path[MODEL_LEVELS_MAX];
    struct cache *instruction;
    struct lines referenced; /* one bit per line: referenced by this thread */
};

struct model {
    uint32_t running; /* thread of the current access (model_thread.running_thread) */
    struct model_spec spec;
    struct memory memory;
    struct state_thread *threads[MODEL_THREADS_MAX];
    struct cache *shared[MODEL_LEVELS_MAX]; /* NULL: private */
    uint32_t threads_end;                   /* highest thread number in use, + 1 */
    bool evictors_settled;                  /* cause_evictors_settle() */
    bool is_single_line;                    /* one line length and one thread: walk_single_line() */
    bool needs_coherence;                   /* threads with private levels, which need coherence */
    uint32_t private_levels; /* number of private levels, from the first: at least 1 */
    uint32_t caches;         /* number of caches so far; the next id */
    uint32_t line_shift;     /* of the first level */
    bool track_all; /* lines in private levels: written bytes separate true from false sharing */
    uint64_t clock; /* counts uses */
    uint64_t lines_left_bytes;
    struct lines lines;
    struct evicted evicted[MODEL_LEVELS_MAX];
    struct evicted invalidated; /* lines that another thread's store invalidated, by owner */
    uint32_t invalidated_from[MODEL_THREADS_MAX]; /* lines ever invalidated; 0: skip the search */
    struct tally pairs[MODEL_PAIRS][MODEL_LEVELS_MAX];
    struct users users;
    struct sampling reuse;
};

struct state_access {
    struct model *model;
    struct state_thread *thread;
    struct cache *first;           /* of data or of instructions */
    struct model_miss miss;        /* filled in progressively */
    uint32_t missed;               /* missed levels, one bit each */
    uint32_t at[MODEL_LEVELS_MAX]; /* index of the last line looked up; arbitrary if none was */
    uint32_t victim;               /* victim in `first` if already known; otherwise CACHE_NONE */
    bool absent;                   /* `first` is known not to have the line */
};

static inline uint32_t state_part(const struct cache *cache, uint64_t address, uint32_t size_bytes)
{
    uint32_t left_bytes = cache->line_bytes - ((uint32_t)address & (cache->line_bytes - 1));
    return size_bytes < left_bytes ? size_bytes : left_bytes;
}

static inline bool cause_is_asked(const struct model *model, uint32_t served)
{
    const struct model_host *host = &model->memory.host;
    return !host->asks_causes || host->asks_causes(host->context, served);
}

/* Fills in access->miss.level[]. `in_shadow`: the parallel fully associative cache had the line. */
void cause_of(struct state_access *access, const struct cache *cache, uint64_t address,
              uint32_t size_bytes, bool in_shadow);

/* Determines the causes for all levels that an access of walk_single_line() missed, if the host
 * needs them; `in_shadow`: one bit per level. A line that any level has was referenced. */
void cause_plain(struct state_access *access, uint32_t in_shadow);

void cause_referenced(struct state_access *access, uint64_t address);

/* Moves the evictors stored in a second level to the table; later ones go there too. */
void cause_evictors_settle(struct model *model, const struct cache *first);

void cause_report(struct state_access *access);

/*
 * A store invalidates the line in the other threads' levels (MSI; a clean exclusive state would
 * only save searches). The written bytes are stored for the threads that lost the line: their next
 * miss is true sharing if it accesses those bytes.
 */

/* Records the lines that the first thread, `thread`, has when a second appears. */
void coherence_begin(struct model *model, uint32_t thread);

/* Announces that a thread is about to read a line that its first level does not have, or to write a
 * line that it may not own. */
void coherence_take(struct model *model, uint32_t thread, uint64_t number, bool write,
                    struct model_who who);

bool coherence_shared(struct model *model, uint64_t number);

/* Records a thread's writes to a line when they leave its private levels. */
void coherence_note_writes(struct model *model, uint32_t thread, uint64_t number, uint64_t grains);

/* Returns the bytes written since a line was taken from a thread, when it misses the line. */
uint64_t coherence_written_since(struct model *model, uint32_t thread, uint64_t number);

void coherence_returned(struct model *model, uint32_t thread, uint64_t number);

/* Returns the thread that may have lines of [address, address + size): 0 none, thread + 1, or
 * STATE_HOLDERS. */
uint32_t coherence_holders(struct model *model, uint64_t address, uint32_t size_bytes);

/* Removes the line at `index`; `who` evicted it. */
void departure_of(struct model *model, struct cache *cache, uint32_t index, struct model_who who,
                  enum model_reason reason);

/* Adds the uses of a line since the last report to the next level that has it. */
void departure_report_below(struct model *model, struct cache *cache, uint32_t index);

/* Does the same in all levels above with parts of the line at `address`, before a level gets or
 * loses it. */
void departure_report_above(struct model *model, struct cache *cache, uint64_t address);

#endif
