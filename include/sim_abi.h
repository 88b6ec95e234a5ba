/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Memory shared by misstop and its Valgrind tool (src/sim/tool): fixed width, versioned. misstop
 * creates it (src/sample/simulated/sim_memory.c) and treats everything the tool wrote as hostile,
 * because the target can write to it too. It contains no pointers, and no size is read back from
 * it: all sizes are fixed here.
 *
 * Layout in order: header (one page), threads, instructions, pairs, ring, and the questions about
 * another layout. The target's threads run one at a time under Valgrind, so the ring has one
 * producer. head and tail count units and never wrap; their low bits are the index in the ring.
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
    SIM_THREADS_MAX = 1024, /* maximum during the whole run; further threads share the last entry */
    /* Instructions that access memory; further ones are counted only in the totals. */
    SIM_INSTRUCTIONS_MAX = 1 << 20,
    SIM_RING_UNITS = 1 << 19,
    /* Kept free of misses, for units that must not be lost. */
    SIM_RING_RESERVE = SIM_RING_UNITS / 8,
    SIM_PATH_UNITS_MAX = 64,
    SIM_PAIRS_MAX = 1 << 16,  /* maximum number of instruction pairs, per kind and level */
    SIM_PAIR_SLOTS = 1 << 17, /* hash table slots for them, so that searches are short */
    /* One in this many lines reports its reuse; fewer if there are many lines. */
    SIM_REUSE_ONE_IN = 32,
    SIM_REUSE_LINES = 4096,   /* upper bound of the lines with reported reuse */
    SIM_QUESTIONS_MAX = 4,    /* maximum number of questions at a time */
    SIM_BLOCKS_MAX = 1 << 20, /* maximum number of blocks that exist when a question begins */
    SIM_PATHS_MAX = 1 << 20   /* allocation paths that a question can distinguish */
};

enum sim_state { SIM_ABSENT, SIM_RUNNING, SIM_GAVE_UP, SIM_ENDED };

enum sim_clock { SIM_TSC, SIM_MONOTONIC };

enum sim_flags {
    SIM_WANT_CAUSES = 1,
    SIM_WAIT = 2,      /* never drop anything: the program waits while the ring is full */
    SIM_WANT_USE = 4,  /* use of lines, and reuse distances */
    SIM_WANT_CODE = 8, /* simulate instruction fetches too, through an L1 like that for data */
    SIM_EXACT = 16     /* count the use of all lines instead of a sample */
};

/* Counts of accesses, indexed by enum sim_op; a modify has both bits set. */
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
    uint32_t clock;         /* enum sim_clock: clock of the stamps */
    uint32_t level_count;   /* 1 to SIM_LEVELS_MAX */
    uint32_t access_period; /* one in this many accesses is reported; 0: none */
    uint32_t flags;         /* enum sim_flags */
    uint32_t unused0;
    struct sim_geometry levels[SIM_LEVELS_MAX];
    char count_from[SIM_NAME_BYTES]; /* function that starts counting; "": the program's start */
    char count_to[SIM_NAME_BYTES];   /* function that stops counting; "": none */
    /* File of the agent, excluded from the program's code; "": none. */
    char agent_path[SIM_NAME_BYTES * 4];
    /* Written by misstop at any time. */
    uint32_t stop;          /* misstop has ended */
    uint32_t paused;        /* the user has paused counting */
    uint64_t reads;         /* number of reads by misstop: it is alive if this grows */
    uint32_t evictor_level; /* misses of this level report their evictor */
    uint32_t use_levels;    /* bit by level: lines that leave the level are reported */
    uint8_t unused[48];
    /* Written by the tool. */
    uint32_t state; /* enum sim_state */
    uint32_t pid;
    uint32_t counting; /* true while accesses are counted */
    uint32_t threads_used;
    uint32_t instructions_used;
    /* One in this many misses of the most frequent level is reported; 1: all. */
    uint32_t miss_period;
    uint64_t misses_dropped; /* not written to the ring; their weight is added to other misses */
    uint64_t lost;           /* units that must not be lost but were: the ring was full */
    char failure[SIM_NAME_BYTES]; /* with SIM_GAVE_UP: the cause */
};

/* Exact totals of a thread. load_misses[i], store_misses[i]: accesses that level i did not hold. */
struct sim_thread {
    uint32_t tid;
    uint32_t unused;
    uint64_t counts[SIM_OPS]; /* [0] is unused */
    uint64_t load_misses[SIM_LEVELS_MAX];
    uint64_t store_misses[SIM_LEVELS_MAX];
    uint64_t unused2[3];
};

struct sim_instruction {
    uint64_t ip;
    uint64_t counts[SIM_OPS - 1]; /* [op - 1] */
    uint64_t misses[SIM_LEVELS_MAX];
};

enum sim_kind {
    SIM_MISS = 1, /* struct sim_miss */
    SIM_ACCESS,   /* struct sim_miss: a sampled access that represents `weight` accesses */
    SIM_EXEC,     /* struct sim_mapping: the process runs another program; its path follows */
    SIM_MAPPING,  /* struct sim_mapping: memory mapped; its path follows */
    SIM_THREAD,   /* struct sim_miss: thread `tid` began */
    SIM_EXIT,     /* ... or ended */
    SIM_LEFT,     /* struct sim_line: a line left a cache */
    SIM_REUSED    /* struct sim_line: a line was used, for the first time or again */
};

/* A modify has both bits set. */
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

struct sim_miss {
    uint64_t stamp;
    /* An enum sim_kind: the first byte after the stamp of every unit that begins a record. */
    uint8_t kind;
    uint8_t op;            /* enum sim_op */
    uint8_t hit_level;     /* index of the level that held it; level_count: memory */
    uint8_t evictor_level; /* header.evictor_level at that time: the level with a known evictor */
    uint16_t size;         /* bytes */
    uint16_t causes;       /* enum sim_cause per missed level: sim_cause_of() */
    uint32_t tid;
    uint32_t weight; /* misses or accesses it represents */
    uint64_t ip;
    uint64_t address;
    uint64_t evictor_ip;      /* instruction that evicted the line from that level; 0: not known */
    uint64_t evictor_address; /* address accessed by evictor_ip */
    uint32_t evictor_tid;     /* thread that evicted the line; 0: not known */
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

/* Use of a line while it was in a cache, or a single use of it. */
struct sim_line {
    uint64_t stamp;
    uint8_t kind;
    uint8_t level;          /* index of the level it left */
    uint16_t used_bytes;    /* distinct bytes of it that were used */
    uint32_t tid;           /* running thread */
    uint32_t weight;        /* lines or uses it represents */
    uint32_t touched_bytes; /* bytes accessed, every access counted; saturates */
    uint64_t ip;            /* address of the instruction that fetched the line, or uses it */
    uint64_t address;       /* address accessed by that instruction */
    union {
        uint32_t uses[SIM_USES];
        uint64_t distance; /* SIM_REUSED: other lines used since; SIM_NO_DISTANCE: first use */
    };
    uint64_t unused;
};

/* Pairs of evictor and evicted instructions, or of fetching and using instructions, by index, with
 * counts of all threads. Unordered; a slot with count 0 is empty, a used slot keeps its pair. */
struct sim_pair {
    uint64_t count;
    uint32_t first;
    uint32_t second;
};

enum sim_pairs {
    SIM_EVICTED_BY, /* lines: (fetched it, evicted it); with SIM_WANT_CAUSES */
    SIM_USED_BY,    /* uses, estimated from a sample of lines: (fetched it, used it) */
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

/* A path occupies as many units as it needs and is NUL-terminated in the last. */
union sim_unit {
    struct sim_miss miss;
    struct sim_mapping mapping;
    struct sim_line line;
    char path[64];
    uint64_t words[8];
};

/* Producer and consumer use separate cache lines. */
struct sim_ring {
    uint64_t head; /* units written */
    uint64_t unused[7];
    uint64_t tail; /* units read */
    uint64_t unused2[7];
};

/* misstop's classification of an allocation path (agent_abi.h). */
enum sim_path { SIM_PATH_UNKNOWN, SIM_PATH_OTHER, SIM_PATH_ASKED };

/*
 * "What if this object had another layout?" misstop writes every member except `number`, then
 * `number`. The tool accepts the question, follows the agent's rings from then on and reports that.
 * misstop follows the rings up to the same point and lists the existing blocks; from then on both
 * models count.
 */
struct sim_question {
    uint64_t number;        /* number of the question; 0: none, the previous question has ended */
    uint64_t listed_number; /* number of the question that the listed blocks belong to */
    uint32_t block_count;
    /* blocks of SIM_PATH_ASKED are followed; 0: only the listed blocks */
    uint32_t follows_new_blocks;
    struct relayout layout;
};

/* Control of all questions. Written by misstop, except `waiting_at_access`. */
struct sim_question_control {
    uint64_t resets; /* incremented to reset the counts */
    /* Accesses after which the program waits for questions; 0: never. Cleared by the tool. */
    uint64_t wait_at_access;
    uint64_t wait_question_count; /* number of questions to wait for, starting with the first */
    /* number of accesses at which the program now waits; 0: it does not wait */
    uint64_t waiting_at_access;
};

struct sim_block {
    uint64_t start;
    uint64_t bytes;
};

enum sim_answer_state { SIM_ANSWER_NONE, SIM_ANSWER_TAKEN, SIM_ANSWER_COUNTS, SIM_ANSWER_REFUSED };

/* Written periodically by the tool; misses as in struct sim_thread, loads and stores together. */
struct sim_answer {
    uint64_t question;           /* number of the question */
    uint64_t stamp;              /* time at which it was accepted */
    uint32_t state;              /* enum sim_answer_state */
    uint32_t settled;            /* the second model's contents have reached a steady state */
    uint64_t blocks;             /* number of blocks of the object at present */
    uint64_t blocks_refused;     /* number of blocks not followed: no free slot */
    uint64_t blocks_small;       /* number of blocks not moved: smaller than an element */
    uint64_t blocks_unknown;     /* number of blocks that misstop has not classified yet */
    struct whatif_counts counts; /* since then */
    char why[SIM_NAME_BYTES];    /* cause of SIM_ANSWER_REFUSED */
};

struct sim_shared {
    union {
        struct sim_header header;
        uint8_t page[SIM_HEADER_BYTES];
    };
    struct sim_thread threads[SIM_THREADS_MAX];
    struct sim_instruction instructions[SIM_INSTRUCTIONS_MAX];
    struct sim_pair pairs[SIM_PAIRS][SIM_LEVELS_MAX][SIM_PAIR_SLOTS];
    struct sim_ring ring;
    union sim_unit units[SIM_RING_UNITS];
    struct sim_question_control control;
    struct sim_question questions[SIM_QUESTIONS_MAX];
    struct sim_answer answers[SIM_QUESTIONS_MAX];
    struct sim_block blocks[SIM_QUESTIONS_MAX][SIM_BLOCKS_MAX];
    uint8_t paths[SIM_QUESTIONS_MAX][SIM_PATHS_MAX]; /* enum sim_path, by the agent's path id */
};

_Static_assert(sizeof(struct sim_header) <= SIM_HEADER_BYTES, "the header is a page");
_Static_assert((int)SIM_LEVELS_MAX == (int)RELAYOUT_LEVELS_MAX, "answers count every level");
_Static_assert(SIM_LEVELS_MAX *SIM_CAUSE_BITS <= 16, "causes of all levels find room");
_Static_assert(sizeof(union sim_unit) == 64, "a unit is a cache line");
_Static_assert(sizeof(struct sim_instruction) == 64, "an instruction is a cache line");
_Static_assert(sizeof(struct sim_thread) == 128, "threads share no line");

#endif
