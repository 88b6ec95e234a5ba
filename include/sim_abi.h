/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The memory that misstop and its Valgrind tool (src/sim/tool) share: fixed width, versioned.
 * misstop makes it (src/sample/simulated/sim_memory.c) and treats all that the tool wrote as
 * hostile, because the target can write to it too; the tool maps it and writes. No pointers cross,
 * and no size is read back from it: all are fixed here. Used by src/sim/tool, src/sample/simulated
 * and src/simulation.c, which fills in the geometry.
 *
 * In order: header (a page), threads, instructions, pairs, ring, and the questions about another
 * layout. The target's threads run one at a time under Valgrind, so the ring has one producer. head
 * and tail count units and never wrap; the place in the ring is their low bits.
 */
#ifndef MISSTOP_SIM_ABI_H
#define MISSTOP_SIM_ABI_H

#include "new_layout.h"

#include <stdint.h>

#define SIM_MAGIC   UINT64_C(0x6d6953706f747373) /* "sstopSim" */
#define SIM_VERSION 4u

enum {
    SIM_HEADER_BYTES = 4096,
    SIM_LEVELS_MAX = 4,
    SIM_NAME_BYTES = 256,
    SIM_THREADS_MAX = 1024,         /* at a time or after each other; more share the last one */
    SIM_INSTRUCTIONS_MAX = 1 << 20, /* that access memory; more are counted in the totals only */
    SIM_RING_UNITS = 1 << 19,
    SIM_RING_RESERVE = SIM_RING_UNITS / 8, /* kept free of misses: for what may not be lost */
    SIM_PATH_UNITS_MAX = 64,
    SIM_PAIRS_MAX = 1 << 16,   /* of instructions, of each kind and level; and */
    SIM_PAIR_PLACES = 1 << 17, /* places in their table, so that few are searched */
    SIM_REUSE_ONE_IN = 32,     /* one in so many lines has its reuse reported, or fewer where there
                                  are many lines: */
    SIM_REUSE_LINES = 4096,    /* at most so many */
    SIM_QUESTIONS_MAX = 4,     /* at a time */
    SIM_BLOCKS_MAX = 1 << 20,  /* that a question begins with */
    SIM_PATHS_MAX = 1 << 20    /* of allocations, that can be distinguished for a question */
};

enum sim_state { SIM_ABSENT, SIM_RUNNING, SIM_GAVE_UP, SIM_ENDED };

enum sim_clock { SIM_TSC, SIM_MONOTONIC };

enum sim_flags {
    SIM_WANT_CAUSES = 1,
    SIM_WAIT = 2,      /* nothing is left out: the program waits while the ring is full */
    SIM_WANT_USE = 4,  /* of lines, and how far apart their uses are */
    SIM_WANT_CODE = 8, /* instructions are fetched too, through a first level like that of data */
    SIM_EXACT = 16     /* the use of all lines is counted, not of one in so many */
};

/* Counts of accesses by enum sim_op; of a modify both bits are set. */
enum { SIM_OPS = 4 };

/* One cache level; size = sets * ways * line. */
struct sim_geometry {
    uint64_t size_bytes;
    uint32_t ways;
    uint32_t line_bytes;
};

struct sim_header {
    /* Written by misstop before the target starts. */
    uint64_t magic;
    uint32_t version;
    uint32_t clock;         /* enum sim_clock: what stamps are in */
    uint32_t level_count;   /* 1 to SIM_LEVELS_MAX */
    uint32_t access_period; /* one in so many accesses is reported; 0: none */
    uint32_t flags;         /* enum sim_flags */
    uint32_t unused0;
    struct sim_geometry levels[SIM_LEVELS_MAX];
    char from[SIM_NAME_BYTES]; /* function that begins counting; "": the program's start does */
    char to[SIM_NAME_BYTES];   /* function that ends it; "": none */
    char agent[SIM_NAME_BYTES * 4]; /* file of the agent, left out of the program's code; "":
                                       none */
    /* Written by misstop at any time. */
    uint32_t stop;          /* misstop left */
    uint32_t paused;        /* the user wants nothing counted now */
    uint64_t reads;         /* how often misstop has looked: it is alive where this grows */
    uint32_t evictor_level; /* the level of misses that report their evictor */
    uint32_t use_levels;    /* bit by level: lines that leave it are reported */
    uint8_t unused[48];
    /* Written by the tool. */
    uint32_t state; /* enum sim_state */
    uint32_t pid;
    uint32_t counting; /* whether accesses count now */
    uint32_t threads_used;
    uint32_t instructions_used;
    uint32_t period_now;     /* one in so many misses of the commonest level is reported; 1: all */
    uint64_t misses_dropped; /* thinned out of the ring, their weight went to others */
    uint64_t lost;           /* units that may not be lost and were: the ring was full */
    char trouble[SIM_NAME_BYTES]; /* with SIM_GAVE_UP: why */
};

/* Exact totals of a thread. missed[i]: accesses that level i did not hold. */
struct sim_thread {
    uint32_t tid;
    uint32_t unused;
    uint64_t counts[SIM_OPS]; /* [0] is unused */
    uint64_t load_misses[SIM_LEVELS_MAX];
    uint64_t store_misses[SIM_LEVELS_MAX];
    uint64_t unused2[3];
};

/* Exact counts of an instruction that accesses memory. */
struct sim_instruction {
    uint64_t ip;
    uint64_t counts[SIM_OPS - 1]; /* [op - 1] */
    uint64_t misses[SIM_LEVELS_MAX];
};

enum sim_kind {
    SIM_MISS = 1, /* struct sim_miss */
    SIM_ACCESS,   /* struct sim_miss, too: a sampled access, weight accesses */
    SIM_EXEC,     /* struct sim_mapping: another program; its path follows */
    SIM_MAPPING,  /* struct sim_mapping: memory mapped; its path follows */
    SIM_THREAD,   /* struct sim_miss: a thread began, tid */
    SIM_EXIT,     /* ... or ended */
    SIM_LEFT,     /* struct sim_line: a line left a cache */
    SIM_REUSED    /* struct sim_line: a line was used, again or for the first time */
};

/* Both: a modify. */
enum sim_op { SIM_LOAD = 1, SIM_STORE = 2 };

/* In the order of enum model_cause (src/sim/model/model.h). */
enum sim_cause {
    SIM_CAUSE_UNKNOWN,
    SIM_FIRST,
    SIM_FIRST_HERE,
    SIM_INVALIDATED_TRUE,
    SIM_INVALIDATED_FALSE,
    SIM_INCLUSION,
    SIM_CONFLICT,
    SIM_CAPACITY,
    SIM_CAUSES
};

/* A miss, or a sampled access. */
struct sim_miss {
    uint64_t stamp;
    uint8_t kind;          /* enum sim_kind: the same byte in every unit that begins something */
    uint8_t op;            /* enum sim_op */
    uint8_t served;        /* index of the level that had it; level_count: memory */
    uint8_t evictor_level; /* header.evictor_level at the time: the level with a known evictor */
    uint16_t size;         /* bytes */
    uint16_t causes;       /* enum sim_cause of each level missed: sim_cause_of() */
    uint32_t tid;
    uint32_t weight; /* misses (accesses) it represents */
    uint64_t ip;
    uint64_t address;
    uint64_t evictor_ip;      /* instruction that evicted the line from that level; 0: not known */
    uint64_t evictor_address; /* ... to make room for this, */
    uint32_t evictor_tid;     /* by this thread's access; 0: not known */
    uint32_t unused;
};

enum { SIM_CAUSE_BITS = 4 };

static inline unsigned sim_cause_of(const struct sim_miss *miss, unsigned level)
{
    return miss->causes >> level * SIM_CAUSE_BITS & ((1u << SIM_CAUSE_BITS) - 1);
}

/* Uses of a line, in the order of enum model_use_class (src/sim/model/model.h). */
enum { SIM_USES = 4 };

#define SIM_NO_DISTANCE UINT64_MAX

/* Use of a line while it was in a cache; or one use of it. */
struct sim_line {
    uint64_t stamp;
    uint8_t kind;
    uint8_t level;          /* index of the one it left */
    uint16_t used_bytes;    /* different bytes of it */
    uint32_t tid;           /* of who runs */
    uint32_t weight;        /* lines (uses) it represents */
    uint32_t touched_bytes; /* every touch counted; the most there can be represents more */
    uint64_t ip;            /* that fetched it; that uses it */
    uint64_t address;       /* which that one accessed */
    union {
        uint32_t uses[SIM_USES];
        uint64_t distance; /* SIM_REUSED: other lines used since; SIM_NO_DISTANCE: never used */
    };
    uint64_t unused;
};

/*
 * Evictor and evicted instruction pairs, and pairs of fetching and using instructions, by index of
 * instruction; of the misses, uses and lines of all threads. A slot with count 0 is empty; a used
 * slot keeps its pair. Slots are in no order.
 */
struct sim_pair {
    uint64_t count;
    uint32_t first;
    uint32_t second;
};

enum sim_pairs {
    SIM_EVICTED_BY, /* lines: (fetched it, threw it out); with SIM_WANT_CAUSES */
    SIM_USED_BY,    /* uses, estimated from some lines: (fetched it, used it) */
    SIM_PAIRS
};

struct sim_mapping {
    uint64_t stamp;
    uint8_t kind;
    uint8_t protection; /* PROT_* */
    uint16_t path_units;
    uint32_t major;
    uint64_t start;
    uint64_t length;
    uint64_t offset;
    uint64_t inode;
    uint32_t minor;
    uint32_t unused;
};

/* A path goes on over as many units as it needs, NUL-ended in the last. */
union sim_unit {
    struct sim_miss miss;
    struct sim_mapping mapping;
    struct sim_line line;
    char path[64];
    uint64_t words[8];
};

/* Producer and consumer on cache lines of their own. */
struct sim_ring {
    uint64_t head; /* units written */
    uint64_t unused[7];
    uint64_t tail; /* units read */
    uint64_t unused2[7];
};

/* misstop's answer for a call path of allocations (agent_abi.h). */
enum sim_path { SIM_PATH_UNKNOWN, SIM_PATH_OTHER, SIM_PATH_ASKED };

/*
 * "What if this object had another layout." Written by misstop: all but `asked`, then `asked`. The
 * tool takes it, follows the agent's rings from then on and says so; misstop, having followed them
 * as far itself, lists the blocks that there are; then both models count.
 */
struct sim_question {
    uint64_t asked;  /* number of the question; 0: none, the last one has ended */
    uint64_t listed; /* number of the question that the listed blocks belong to */
    uint32_t block_count;
    uint32_t follows; /* blocks of SIM_PATH_ASKED come and go; 0: those listed are all */
    struct relayout layout;
};

/* Control of all questions. Written by misstop, except `waits`. */
struct sim_asked {
    uint64_t zeroed;        /* grows: count anew */
    uint64_t awaited;       /* questions will come, for which the program waits after so many
                               accesses; 0; the tool sets it back */
    uint64_t awaited_count; /* how many of them, from the first on */
    uint64_t waits;         /* for them, after so many accesses; 0: it does not */
};

struct sim_block {
    uint64_t start;
    uint64_t bytes;
};

enum sim_answer_state { SIM_ANSWER_NONE, SIM_ANSWER_TAKEN, SIM_ANSWER_COUNTS, SIM_ANSWER_REFUSED };

/* Written by the tool, now and then; misses as in struct sim_thread, of loads and stores. */
struct sim_answer {
    uint64_t of;                 /* number of the question */
    uint64_t stamp;              /* when it was taken */
    uint32_t state;              /* enum sim_answer_state */
    uint32_t settled;            /* the second model holds what it would hold by now */
    uint64_t blocks;             /* of the object, now */
    uint64_t blocks_refused;     /* not followed: there was no room */
    uint64_t blocks_small;       /* shorter than an element: they stayed where they are */
    uint64_t blocks_unknown;     /* misstop has not said yet whether they are the object's */
    struct whatif_counts counts; /* since then */
    char why[SIM_NAME_BYTES];    /* with SIM_ANSWER_REFUSED */
};

/* All of it, in the order of the file. */
struct sim_shared {
    union {
        struct sim_header header;
        uint8_t page[SIM_HEADER_BYTES];
    };
    struct sim_thread threads[SIM_THREADS_MAX];
    struct sim_instruction instructions[SIM_INSTRUCTIONS_MAX];
    struct sim_pair pairs[SIM_PAIRS][SIM_LEVELS_MAX][SIM_PAIR_PLACES];
    struct sim_ring ring;
    union sim_unit units[SIM_RING_UNITS];
    struct sim_asked asked;
    struct sim_question questions[SIM_QUESTIONS_MAX];
    struct sim_answer answers[SIM_QUESTIONS_MAX];
    struct sim_block blocks[SIM_QUESTIONS_MAX][SIM_BLOCKS_MAX];
    uint8_t paths[SIM_QUESTIONS_MAX][SIM_PATHS_MAX]; /* enum sim_path, by the agent's number */
};

_Static_assert(sizeof(struct sim_header) <= SIM_HEADER_BYTES, "the header is a page");
_Static_assert((int)SIM_LEVELS_MAX == (int)RELAYOUT_LEVELS_MAX, "answers count every level");
_Static_assert(SIM_LEVELS_MAX *SIM_CAUSE_BITS <= 16, "causes of all levels find room");
_Static_assert(sizeof(union sim_unit) == 64, "a unit is a cache line");
_Static_assert(sizeof(struct sim_instruction) == 64, "an instruction is a cache line");
_Static_assert(sizeof(struct sim_thread) == 128, "threads share no line");

#endif
