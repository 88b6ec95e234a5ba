/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Part of struct snapshot: exact totals of a program that runs under a simulated cache. */
#ifndef MISSTOP_SNAPSHOT_SIMULATION_H
#define MISSTOP_SNAPSHOT_SIMULATION_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

enum { SIMULATION_LEVELS_MAX = 4 };

struct simulation_level {
    uint64_t size_bytes;
    uint32_t ways;
    uint32_t line_bytes;
    uint64_t load_misses; /* exact, since the start; a modify counts as a load */
    uint64_t store_misses;
};

enum simulation_pause {
    SIMULATION_STARTING, /* Valgrind is starting: the program has not begun */
    SIMULATION_PAUSED,   /* paused by the user */
    SIMULATION_BEFORE,  /* the function that starts counting (--sim-from) has not been called yet */
    SIMULATION_OUTSIDE, /* the function that stops counting (--sim-to) was called last */
    SIMULATION_PAUSE_COUNT
};

struct snapshot_simulation {
    uint32_t level_count; /* 0: nothing is simulated, and the other members are undefined */
    struct simulation_level level[SIMULATION_LEVELS_MAX];
    uint64_t loads; /* exact, since the start; a modify counts as both */
    uint64_t stores;
    uint64_t accesses; /* a modify counts once */
    /* One in this many of the most frequent misses is sampled now; 1: every miss. */
    uint32_t miss_period;
    uint64_t dropped; /* misses without a sample; other samples represent them */
    bool counting;
    uint8_t pause; /* enum simulation_pause, if not counting */
};

const char *simulation_pause_name(enum simulation_pause pause);

/* Questions about other layouts, each for one object, and the simulation's answers so far. */
enum whatif_state {
    WHATIF_NONE,    /* nothing was asked, and the other members are undefined */
    WHATIF_PENDING, /* waits for the object to appear, or for its blocks to be listed */
    WHATIF_COUNTING,
    WHATIF_REFUSED /* `reason` has the cause */
};

struct snapshot_whatif_level {
    double before;
    double after;
    double object_before; /* fraction of `before` to the object */
    double object_after;
    /* Fraction of object_after on lines fetched only since the question; NAN: nothing moved. */
    double cold_share;
};

/* At most SIM_QUESTIONS_MAX (sim_abi.h) questions can be active at once. */
enum { WHATIF_MAX = 4, WHATIF_PAST_MAX = 8, WHATIF_OBJECT = 256, WHATIF_QUESTION = 160 };

struct snapshot_whatif_past {
    char object[WHATIF_OBJECT];
    uint32_t object_id;
    char question[WHATIF_QUESTION];
    double stall_change; /* relative change of the cycles */
};

struct snapshot_whatif {
    enum whatif_state state;
    char object[WHATIF_OBJECT];     /* its name */
    uint32_t object_id;             /* 0: it has not appeared yet */
    char question[WHATIF_QUESTION]; /* question in the syntax of --what-if: "split=vy" */
    char layout[192];               /* a sentence: the layout in question; "": not planned yet */
    char reason[512];               /* it waits, or was refused; "": it counts */
    bool settled;                   /* the second model's contents have reached a steady state */
    double blocks;                  /* of the object, now; those below are none of them */
    double blocks_left_out;         /* found no room: they count as others */
    double blocks_small;            /* blocks not moved: smaller than an element */
    double accesses; /* number since the question was asked or settled, as for all members below */
    double object_accesses;
    double split_accesses; /* accesses that the new layout splits into several parts */
    uint32_t level_count;
    struct snapshot_whatif_level level[SIMULATION_LEVELS_MAX];
    double stall_before; /* cycles, with the latencies of whatif_miss_cycles() (profile/whatif.h) */
    double stall_after;
    uint32_t number;
};

/* Active questions: largest saving first, those without an answer last. */
struct snapshot_whatifs {
    struct snapshot_whatif list[WHATIF_MAX];
    uint32_t count;
    struct snapshot_whatif_past past[WHATIF_PAST_MAX]; /* newest first */
    uint32_t past_count;
};

/* Returns the relative change of the cycles waited; NAN if nothing was counted yet. */
static inline double snapshot_whatif_change(const struct snapshot_whatif *answer)
{
    return answer->state == WHATIF_COUNTING && answer->stall_before > 0
               ? answer->stall_after / answer->stall_before - 1
               : NAN;
}

#endif
