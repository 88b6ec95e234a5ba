/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An exact simulated cache hierarchy: which level served an access, why it missed, what evicted the
 * line, how much of it was used. Freestanding C, because it is compiled into the Valgrind tool (no
 * libc there) and natively into tests and benches: no allocation of its own, no errno, no floating
 * point. It counts nothing: it reports, and its host counts. A model is called from one thread at a
 * time (Valgrind runs threads one after another).
 *
 * Lines go by least recent use. An access that straddles lines counts at most one miss at each
 * level; where one of its lines missed, the next level is asked for all of them; a modify counts
 * once (cachegrind's manual, "simulation details").
 */
#ifndef MISSTOP_SIM_MODEL_MODEL_H
#define MISSTOP_SIM_MODEL_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Why an access missed a level, asked in this order. Hill's three Cs by a fully associative LRU
 * cache of the same size beside (Hill and Smith 1989); invalidations by the bytes that other
 * threads wrote since (Torrellas, Lam, Hennessy 1994, by the access that misses).
 */
enum model_cause {
    MODEL_CAUSE_UNKNOWN,     /* not asked for, or a table was full */
    MODEL_FIRST,             /* first reference to the line */
    MODEL_FIRST_HERE,        /* another thread did, this one not (private levels) */
    MODEL_INVALIDATED_TRUE,  /* another thread wrote bytes that are asked for now */
    MODEL_INVALIDATED_FALSE, /* another thread wrote to the line, but other bytes */
    MODEL_CONFLICT = 6,      /* a fully associative cache of this size would have it; 5 is that an
                                inclusive level below threw it out, which none here does */
    MODEL_CAPACITY,
    MODEL_CAUSES
};

/* Why a line left a level. */
enum model_reason {
    MODEL_REPLACED,
    MODEL_INVALIDATED, /* another thread wrote to it */
    MODEL_END          /* model_finish() */
};

/* Uses of a line, by what used it. */
enum model_use_class {
    MODEL_LOAD_INTEGER,
    MODEL_LOAD_FLOAT,
    MODEL_STORE_INTEGER, /* a modify is a store */
    MODEL_STORE_FLOAT,
    MODEL_USE_CLASSES
};

/* Use of one line. Bits represent bytes; for line / 64 bytes where lines are longer. */
struct model_use {
    uint64_t touched;
    uint64_t written;
    uint64_t touched_bytes; /* sum of the accesses' sizes: SIP's reuse count */
    uint64_t uses[MODEL_USE_CLASSES];
};

/*
 * Specification of a simulated cache hierarchy: plain numbers, filled in by the caller
 * (src/sim/tool, tests, benches). Text is parsed elsewhere (profile/cache/geometry.h).
 */
enum {
    MODEL_LEVELS_MAX = 4,    /* as SIM_LEVELS_MAX and RELAYOUT_LEVELS_MAX */
    MODEL_THREADS_MAX = 126, /* private hierarchies; a byte per line names one of them */
    MODEL_WAYS_MAX = 65536,
    MODEL_LINE_MIN = 4,
    MODEL_LINE_MAX = 4096
};

struct model_level_spec {
    uint64_t size_bytes; /* sets * ways * line; sets need not be a power of two */
    uint32_t ways;
    uint32_t line_bytes; /* a power of two, 4 to 4096; not shorter than the level's above */
    bool shared;         /* one for all threads; below a shared level all are; not the first */
};

struct model_spec {
    struct model_level_spec level[MODEL_LEVELS_MAX]; /* [0] is the nearest */
    uint32_t level_count;                            /* 1 .. MODEL_LEVELS_MAX */
    struct model_level_spec instruction; /* beside [0]; size 0: fetches of instructions are not
                                            simulated */
    uint32_t threads;                    /* 1 .. MODEL_THREADS_MAX */

    bool causes; /* first reference, capacity, conflict, invalidation, and who threw it out */
    bool use;    /* which bytes of a line were used before it left (SIP) */
    uint32_t use_one_in;   /* of one line in so many that come in, drawn; a power of two; 0: all */
    uint32_t use_first;    /* each cache's first lines are drawn whatever that says */
    uint32_t users_one_in; /* statements that used and evicted what another fetched, for one
                              line in so many; a power of two; 0: not at all */
    uint32_t reuse_lines;  /* lines with sampled reuse distances; 0: none */
    uint32_t reuse_one_in; /* at first one line in so many is; 0: all. More never are */

    /* Bounds of memory; 0 takes what model_spec_complete() sets. */
    uint32_t evicted_max;       /* evicted lines per level that keep their evictor */
    uint32_t pairs_max;         /* pairs in each table of who did what to whom */
    uint64_t lines_limit_bytes; /* of the tables of lines ever referenced */
};

/* Sets the bounds that are 0. */
void model_spec_complete(struct model_spec *spec);

/* NULL: a model can be made of it. Else why not, in a few words ("ways of level 2 are 0"). */
const char *model_spec_refuse(const struct model_spec *spec);

struct model;

/* Kind of an access. Load and store together: a modify. FLOAT is added to either. */
enum model_kind {
    MODEL_LOAD = 1,
    MODEL_STORE = 2,
    MODEL_MODIFY = MODEL_LOAD | MODEL_STORE,
    MODEL_FLOAT = 4,
    MODEL_INSTRUCTION = 8 /* alone; asks the instruction cache, if the spec has one */
};

/* Owner of an access: a statement (the caller's number of the instruction, dense, from 0). */
struct model_who {
    uint32_t ip;      /* MODEL_NONE: not known */
    uint64_t address; /* that it accessed; 0: not known */
};

enum { MODEL_NONE = UINT32_MAX };

/* One level that an access missed. */
struct model_missed {
    uint8_t cause;            /* enum model_cause */
    uint32_t evictor_thread;  /* thread of its access (model_thread.runs); MODEL_NONE: not known */
    struct model_who evictor; /* the access that evicted or invalidated the missed line */
};

/* An access that missed at least the first level. Valid during the call. */
struct model_miss {
    uint64_t address;
    uint32_t size_bytes;
    uint32_t thread;
    uint32_t kind;   /* enum model_kind */
    uint32_t served; /* level that had it; level_count: memory. Levels below it were missed */
    struct model_who who;
    struct model_missed level[MODEL_LEVELS_MAX]; /* [0] .. [served - 1] */
};

/* A line that left a level. Valid during the call. */
struct model_eviction {
    uint64_t address; /* of the line */
    uint32_t level;
    struct model_who fetched; /* the access that fetched it; an address that is in it, always */
    uint32_t weight;          /* for so many lines */
    struct model_use use;     /* all 0 unless the spec wants use */
    uint32_t used_bytes;      /* different bytes of it that were touched */
};

/* A use of a line with sampled reuse distances (reuse.c). Valid during the call. */
struct model_reuse {
    struct model_who who;
    uint64_t distance;      /* other lines used since; MODEL_NO_DISTANCE: it was not used before */
    uint64_t weight_256ths; /* for so many uses of all lines */
};

#define MODEL_NO_DISTANCE UINT64_MAX

/*
 * Functions that the caller supplies. Only allocate and fail must be there. No callback may call
 * the model.
 */
struct model_host {
    void *context;
    void *(*allocate)(void *context,
                      size_t size_bytes);          /* zeroed, aligned to 64; NULL: none left */
    void (*fail)(void *context, const char *text); /* called once, before NULL is returned */
    void (*miss)(void *context, const struct model_miss *miss);
    /* Whether it matters why the access on its way was missed, that level `served` has
     * (as in struct model_miss); if not, no cause of it need be known. No function: always. */
    bool (*asks_causes)(void *context, uint32_t served);
    /* Of the lines that are drawn (use_one_in). */
    void (*eviction)(void *context, const struct model_eviction *eviction);
    void (*reuse)(void *context, const struct model_reuse *reuse);
    /* Zeroed room for a kind of pairs (enum model_pairs) at a level, read while they are counted:
     * struct tally_pair (tables.h). NULL, or no function: they are not counted. */
    void *(*allocate_pairs)(void *context, uint32_t which, uint32_t level, size_t size_bytes);
};

/* NULL after fail(): the spec is refused, or there is no memory. Nothing is ever given back. */
struct model *model_new(const struct model_spec *spec, const struct model_host *host);

/* Use of a line as the fast path writes it: two words an access. */
struct model_hits {
    uint64_t loaded; /* as model_use.touched, by loads */
    uint64_t stored;
    uint64_t uses[MODEL_USE_CLASSES]; /* how many times 2^32, and the sum of their bytes */
};

/* Use of a line of a cache since the last report to the level below. */
union model_line {
    struct model_hits hits; /* first level */
    struct model_use use;
};

/*
 * A line that plain accesses may hit without a report, in the slot that the low bits of its number
 * select. An empty slot has an address of another slot: no access that looks here is in its line.
 */
struct model_fast {
    uint64_t address; /* of the line */
    uint32_t index;   /* in model_thread.lines */
    uint32_t slow;    /* kinds of access (enum model_kind) that the fast path leaves alone,
                         MODEL_INSTRUCTION among them, and MODEL_COUNTS_USE: hits have to say what they
                         used */
};

enum { MODEL_COUNTS_USE = 16 }; /* beside enum model_kind */

/*
 * One thread's way into the hierarchy; open for the fast path only. Made when first asked for;
 * threads at or beyond the spec's number share those below (modulo). NULL after fail().
 */
struct model_thread {
    const struct model_fast *fast;
    uint64_t fast_mask;
    union model_line *lines; /* of the first level */
    uint64_t *stamps;        /* when each was last used */
    uint64_t *clock;         /* of all threads */
    uint32_t line_shift;     /* log2 of the line's bytes */
    uint32_t line_bytes;
    uint32_t grain_shift; /* log2 of the bytes that one bit of a use represents */
    uint32_t number;
    uint32_t runs; /* thread of the accesses: any number below 65536; the caller's to set */
    struct model *model;
    /* Of instructions: by set (line number % fetch_sets) the number + 1 of the line fetched last;
     * fetching it again changes nothing. NULL: they are not simulated. */
    const uint64_t *fetched;
    uint64_t fetch_sets;
};

struct model_thread *model_thread(struct model *model, uint32_t thread);

/* As model_access(), for all that is not simple. */
uint32_t model_access_slow(struct model_thread *thread, uint64_t address, uint32_t size_bytes,
                           uint32_t kind, uint32_t ip);

/* Bits of a use for bytes [offset, offset + size) of a line. */
static inline uint64_t model_grains(uint32_t offset, uint32_t size_bytes, uint32_t grain_shift)
{
    uint32_t first = offset >> grain_shift;
    uint32_t last = (offset + size_bytes - 1) >> grain_shift;
    return (UINT64_MAX >> (63 - (last - first))) << first;
}

/* enum model_use_class of an access. */
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

/* Whether the line of an access is in the table: then all is done. Else model_access_slow() is to
 * be called next. *now: the clock, or a copy that is written back before that. */
static inline bool model_hit(const struct model_thread *thread, uint64_t *now, uint64_t address,
                             uint32_t size_bytes, uint32_t kind)
{
    const struct model_fast *place =
        &thread->fast[address >> thread->line_shift & thread->fast_mask];
    uint64_t offset = address - place->address;
    if (offset >= thread->line_bytes || size_bytes - 1 >= thread->line_bytes - (uint32_t)offset ||
        kind & place->slow)
        return false;
    thread->stamps[place->index] = ++*now;
    if (place->slow & MODEL_COUNTS_USE)
        model_count_hit(&thread->lines[place->index].hits,
                        model_grains((uint32_t)offset, size_bytes, thread->grain_shift), size_bytes,
                        kind);
    return true;
}

/*
 * The level that served an access of `size_bytes` (1 .. 4096) by statement `ip`: 0 the first,
 * level_count memory. A load and a compare where the line is in the table; else a call.
 */
static inline uint32_t model_access(struct model_thread *thread, uint64_t address,
                                    uint32_t size_bytes, uint32_t kind, uint32_t ip)
{
    return model_hit(thread, thread->clock, address, size_bytes, kind)
               ? 0
               : model_access_slow(thread, address, size_bytes, kind, ip);
}

/* To be called at least once in MODEL_SETTLE_EVERY accesses where the spec wants use: a line of the
 * first level has room for the bytes of so many. */
enum { MODEL_SETTLE_EVERY = 1 << 23 };
void model_settle(struct model *model);

/* Counts the lines still there as if they were evicted now (reason END), once, at the end. */
void model_finish(struct model *model);

/* Pairs of evictor and evicted (user and fetcher) at a level, counted in the room of
 * host.allocate_pairs(): struct tally_pair (tables.h). */
enum model_pairs {
    MODEL_IP_EVICTED_BY_IP, /* (statement that fetched a line, statement that threw it out) */
    MODEL_IP_USED_BY_IP,    /* (fetched, used): uses of sampled lines, times users_one_in */
    MODEL_PAIRS
};

#endif
