/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Part of struct snapshot (snapshot.h, where its rules stand): exact totals of a program that runs
 * under a simulated cache. */
#ifndef MISSTOP_SNAPSHOT_SIMULATION_H
#define MISSTOP_SNAPSHOT_SIMULATION_H

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

/* Why nothing is counted. */
enum simulation_pause {
    SIMULATION_STARTING, /* Valgrind comes up: the program has not begun */
    SIMULATION_PAUSED,   /* by the user */
    SIMULATION_BEFORE,   /* the function that begins it (--sim-from) was not called yet */
    SIMULATION_OUTSIDE,  /* the one that ends it (--sim-to) was called last */
    SIMULATION_PAUSE_COUNT
};

struct snapshot_simulation {
    uint32_t level_count; /* 0: nothing is simulated, and nothing else here means anything */
    struct simulation_level level[SIMULATION_LEVELS_MAX];
    uint64_t loads; /* exact, since the start; a modify is both */
    uint64_t stores;
    uint64_t accesses; /* a modify is one */
    uint32_t one_in;   /* of the commonest misses is a sample now; 1: every one */
    uint64_t untold;   /* misses that are no samples; others stand for them */
    bool counting;
    uint8_t pause; /* enum simulation_pause, where it does not count */
};

/* "starting", ...: as in JSON. */
const char *simulation_pause_name(enum simulation_pause pause);

#endif
