/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An exact simulated cache hierarchy: which level served an access, why it missed, what evicted the
 * line, and how much of the line was used. Freestanding C, because it is compiled into the Valgrind
 * tool (no libc there) and natively into tests and benchmarks: no allocation of its own, no errno,
 * no floating point. It does not count: it reports, and its host counts. A model is called from one
 * thread at a time (Valgrind runs threads one after another).
 *
 * Replacement is LRU. An access that straddles lines counts as at most one miss at each level. If
 * one of its lines misses, the next level is searched for all of them. A modify counts once
 * (cachegrind's manual, "simulation details").
 */
#ifndef MISSTOP_SIM_MODEL_MODEL_H
#define MISSTOP_SIM_MODEL_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The cause of a miss at a level, checked in this order. Hill's three Cs, from a parallel fully
 * associative LRU cache of the same size (Hill and Smith 1989); invalidations by the bytes that
 * other threads have written since (Torrellas, Lam, Hennessy 1994, by the access that misses).
 */
enum model_cause {
    MODEL_CAUSE_UNKNOWN,     /* not requested, or a table was full */
    MODEL_FIRST,             /* first reference to the line */
    MODEL_FIRST_HERE,        /* referenced before, but not by this thread (private levels) */
    MODEL_INVALIDATED_TRUE,  /* another thread wrote bytes that this access uses */
    MODEL_INVALIDATED_FALSE, /* another thread wrote other bytes of the line */
    /* A fully associative cache of this size would have the line. 5 is an eviction by an inclusive
     * level below, which this model does not have. */
    MODEL_CONFLICT = 6,
    MODEL_CAPACITY,
    MODEL_CAUSES
};

/* The reason that a line left a level. */
enum model_reason {
    MODEL_REPLACED,
    MODEL_INVALIDATED, /* another thread wrote to it */
    MODEL_END          /* model_finish() */
};

enum model_use_class {
    MODEL_LOAD_INTEGER,
    MODEL_LOAD_FLOAT,
    MODEL_STORE_INTEGER, /* a modify is a store */
    MODEL_STORE_FLOAT,
    MODEL_USE_CLASSES
};

/* Use of one line. One bit per byte; in lines longer than 64 bytes, one bit per line / 64 bytes. */
struct model_use {
    uint64_t touched;
    uint64_t written;
    uint64_t touched_bytes; /* sum of the access sizes: SIP's reuse count */
    uint64_t uses[MODEL_USE_CLASSES];
};

/* Specification of a simulated cache hierarchy: plain numbers, filled in by the caller
 * (src/sim/tool, tests, benchmarks). Text is parsed elsewhere (profile/cache/geometry.h). */
enum {
    MODEL_LEVELS_MAX = 4,    /* as SIM_LEVELS_MAX and RELAYOUT_LEVELS_MAX */
    MODEL_THREADS_MAX = 126, /* private hierarchies; one byte per line identifies one */
    MODEL_WAYS_MAX = 65536,
    MODEL_LINE_MIN = 4,
    MODEL_LINE_MAX = 4096
};

struct model_level_spec {
    uint64_t size_bytes; /* sets * ways * line; the number of sets need not be a power of two */
    uint32_t ways;
    uint32_t line_bytes; /* a power of two, 4 to 4096; at least the line of the level above */
    bool shared; /* one for all threads; levels below a shared one are shared; never the first */
};

struct model_spec {
    struct model_level_spec level[MODEL_LEVELS_MAX]; /* [0] is the nearest */
    uint32_t level_count;                            /* 1 .. MODEL_LEVELS_MAX */
    /* At the first level; size 0: instruction fetches are not simulated. */
    struct model_level_spec instruction;
    uint32_t threads; /* 1 .. MODEL_THREADS_MAX */

    bool causes; /* first reference, capacity, conflict, invalidation, and the evictor */
    bool use;    /* the bytes of a line used before eviction (SIP) */
    /* For one in this many incoming lines, at random; a power of two; 0: all. */
    uint32_t use_one_in;
    uint32_t use_first; /* exception: the first lines of each cache are all sampled */
    /* Statements that used and evicted lines fetched by others, for one in this many lines; a power
     * of two; 0: none. */
    uint32_t users_one_in;
    uint32_t reuse_lines;  /* lines with sampled reuse distances; 0: none */
    uint32_t reuse_one_in; /* initially one in this many lines; 0: all. The rate only falls */

    /* Limits of memory; 0: the value of model_spec_complete(). */
    uint32_t evicted_max;       /* evicted lines per level with a stored evictor */
    uint32_t pairs_max;         /* pairs in each table of enum model_pairs */
    uint64_t lines_limit_bytes; /* for the tables of lines ever referenced */
};

/* Sets the limits that are 0. */
void model_spec_complete(struct model_spec *spec);

/* Returns NULL if a model can be made, otherwise a short reason ("ways of level 2 are 0"). */
const char *model_spec_refuse(const struct model_spec *spec);

struct model;

/* Kind of an access. Load and store together: a modify. FLOAT is combined with any of them. */
enum model_kind {
    MODEL_LOAD = 1,
    MODEL_STORE = 2,
    MODEL_MODIFY = MODEL_LOAD | MODEL_STORE,
    MODEL_FLOAT = 4,
    MODEL_INSTRUCTION = 8 /* alone; uses the instruction cache if the spec has one */
};

/* Owner of an access: a statement (the caller's number of the instruction, dense, from 0). */
struct model_who {
    uint32_t ip;      /* MODEL_NONE: not known */
    uint64_t address; /* address that it accessed; 0: not known */
};

enum { MODEL_NONE = UINT32_MAX };

/* A level that an access missed. */
struct model_missed {
    uint8_t cause; /* enum model_cause */
    /* thread of the evictor (model_thread.running_thread); MODEL_NONE: not known */
    uint32_t evictor_thread;
    struct model_who evictor; /* the access that evicted or invalidated the missed line */
};

/* An access that missed at least the first level. Valid during the call. */
struct model_miss {
    uint64_t address;
    uint32_t size_bytes;
    uint32_t thread;
    uint32_t kind;      /* enum model_kind */
    uint32_t hit_level; /* level that had it; level_count: memory. The levels before it missed */
    struct model_who who;
    struct model_missed level[MODEL_LEVELS_MAX]; /* [0] .. [served - 1] */
};

/* A line that left a level. Valid during the call. */
struct model_eviction {
    uint64_t address; /* address of the line */
    uint32_t level;
    struct model_who fetched; /* the access that fetched it, always with an address in the line */
    uint32_t weight;          /* number of lines it represents */
    struct model_use use;     /* all 0 unless the spec has `use` */
    uint32_t used_bytes;      /* number of distinct bytes touched */
};

/* A use of a line with sampled reuse distances (reuse.c). Valid during the call. */
struct model_reuse {
    struct model_who who;
    uint64_t distance; /* other lines used since the last use; MODEL_NO_DISTANCE: not used before */
    uint64_t weight_256ths; /* number of uses of all lines it represents, times 256 */
};

#define MODEL_NO_DISTANCE UINT64_MAX

/* Supplied by the caller; allocate and fail are mandatory. No callback may call the model. */
struct model_host {
    void *context;
    /* Returns memory that is zeroed and aligned to 64; NULL: no memory. */
    void *(*allocate)(void *context, size_t size_bytes);
    void (*fail)(void *context, const char *text); /* called once, before NULL is returned */
    void (*miss)(void *context, const struct model_miss *miss);
    /* Returns true if the cause of the current miss is needed; level `hit_level` has the line (as
     * in struct model_miss). No function: always needed. */
    bool (*asks_causes)(void *context, uint32_t served);
    /* Called for the sampled lines (use_one_in). */
    void (*eviction)(void *context, const struct model_eviction *eviction);
    void (*reuse)(void *context, const struct model_reuse *reuse);
    /* Returns zeroed memory for a kind of pairs (enum model_pairs) at a level, which is read while
     * it is updated: struct tally_pair (tables.h). NULL, or no function: not counted. */
    void *(*allocate_pairs)(void *context, uint32_t which, uint32_t level, size_t size_bytes);
};

/* Returns NULL after fail() if the spec is refused or memory runs out. Memory is never freed. */
struct model *model_new(const struct model_spec *spec, const struct model_host *host);

/* Use of a line as written by the fast path: two words per access. */
struct model_hits {
    uint64_t loaded; /* as model_use.touched, for loads */
    uint64_t stored;
    uint64_t uses[MODEL_USE_CLASSES]; /* number of uses * 2^32 + sum of their bytes */
};

/* Use of a line in a cache since the last report to the level below. */
union model_line {
    struct model_hits hits; /* first level */
    struct model_use use;
};

/* A line that plain accesses can hit without a report, in the slot of the low bits of its number.
 * An empty slot holds an address that belongs to another slot, so nothing matches. */
struct model_fast {
    uint64_t address; /* address of the line */
    uint32_t index;   /* in model_thread.lines */
    /* Kinds of access (enum model_kind) excluded from the fast path, including MODEL_INSTRUCTION;
     * and MODEL_COUNTS_USE: hits have to record their use. */
    uint32_t excluded_kinds;
};

enum { MODEL_COUNTS_USE = 16 }; /* in addition to enum model_kind */

/* Entry of one thread into the hierarchy; open for the fast path only. Made on the first request;
 * numbers from the spec's `threads` on share those below (modulo). NULL after fail(). */
struct model_thread {
    const struct model_fast *fast;
    uint64_t fast_mask;
    union model_line *lines; /* of the first level */
    uint64_t *stamps;        /* time of each line's last use */
    uint64_t *clock;         /* shared by all threads */
    uint32_t line_shift;     /* log2 of the line's bytes */
    uint32_t line_bytes;
    uint32_t grain_shift; /* log2 of the bytes that one bit of a use represents */
    uint32_t number;
    uint32_t running_thread; /* thread of the accesses, a number below 65536; set by the caller */
    struct model *model;
    /* For instructions: by set (line number % fetch_sets), the number + 1 of the last fetched line;
     * fetching it again changes nothing. NULL: not simulated. */
    const uint64_t *fetched;
    uint64_t fetch_sets;
};

struct model_thread *model_thread(struct model *model, uint32_t thread);

/* Like model_access(), for accesses that the fast path does not handle. */
uint32_t model_access_slow(struct model_thread *thread, uint64_t address, uint32_t size_bytes,
                           uint32_t kind, uint32_t ip);

static inline uint64_t model_grains(uint32_t offset, uint32_t size_bytes, uint32_t grain_shift)
{
    uint32_t first = offset >> grain_shift;
    uint32_t last = (offset + size_bytes - 1) >> grain_shift;
    return (UINT64_MAX >> (63 - (last - first))) << first;
}

/* Returns the enum model_use_class of an access. */
static inline uint32_t model_class(uint32_t kind)
{
    return (kind & MODEL_STORE) | (kind & MODEL_FLOAT ? 1 : 0);
}

enum { MODEL_USES_SHIFT = 32 };

static inline void model_count_hit(struct model_hits *hits, uint64_t grains, uint32_t size_bytes,
                                   uint32_t kind)
{
    if (kind & MODEL_STORE)
        hits->stored |= grains;
    else
        hits->loaded |= grains;
    hits->uses[model_class(kind)] += (UINT64_C(1) << MODEL_USES_SHIFT) + size_bytes;
}

/* Returns true if the line of an access is in the table, and handles the hit. Otherwise call
 * model_access_slow() next. *now: the clock, or a copy that is written back before that call. */
static inline bool model_hit(const struct model_thread *thread, uint64_t *now, uint64_t address,
                             uint32_t size_bytes, uint32_t kind)
{
    const struct model_fast *place =
        &thread->fast[address >> thread->line_shift & thread->fast_mask];
    uint64_t offset = address - place->address;
    if (offset >= thread->line_bytes || size_bytes - 1 >= thread->line_bytes - (uint32_t)offset ||
        kind & place->excluded_kinds)
        return false;
    thread->stamps[place->index] = ++*now;
    if (place->excluded_kinds & MODEL_COUNTS_USE)
        model_count_hit(&thread->lines[place->index].hits,
                        model_grains((uint32_t)offset, size_bytes, thread->grain_shift), size_bytes,
                        kind);
    return true;
}

/* Returns the level that served 1 .. 4096 bytes: 0 is the first level, level_count memory. Costs a
 * load and a compare if the line is in the table, otherwise a call. */
static inline uint32_t model_access(struct model_thread *thread, uint64_t address,
                                    uint32_t size_bytes, uint32_t kind, uint32_t ip)
{
    return model_hit(thread, thread->clock, address, size_bytes, kind)
               ? 0
               : model_access_slow(thread, address, size_bytes, kind, ip);
}

/* Must be called at least once per MODEL_SETTLE_EVERY accesses if the spec has `use`: the counters
 * of a line in the first level overflow after that. */
enum { MODEL_SETTLE_EVERY = 1 << 23 };
void model_settle(struct model *model);

/* Counts the remaining lines as evicted (reason END), once, at the end. */
void model_finish(struct model *model);

/* Pairs of statements at a level, counted in host.allocate_pairs() as struct tally_pair. */
enum model_pairs {
    MODEL_IP_EVICTED_BY_IP, /* (fetched a line, evicted it) */
    MODEL_IP_USED_BY_IP, /* (fetched a line, used it): uses of sampled lines, times users_one_in */
    MODEL_PAIRS
};

#endif
