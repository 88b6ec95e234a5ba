/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The memory through which misstop's Valgrind tool tells of a simulated run (sim_abi.h): made here,
 * before the program starts, and sealed, so that the target cannot shrink it under our feet. Owned
 * by main (src/simulation.c), read by sim_session.c. Whatever the tool wrote is hostile.
 */
#ifndef MISSTOP_SAMPLE_SIM_MEMORY_H
#define MISSTOP_SAMPLE_SIM_MEMORY_H

#include "base/error.h"
#include "simulated_line.h"
#include "sim_abi.h"

#include <stdbool.h>
#include <stddef.h>

/* What the tool is to do. Texts longer than the memory has room for are refused. */
struct sim_wanted {
    struct sim_geometry levels[SIM_LEVELS_MAX];
    uint32_t level_count;
    const char *from;  /* function that begins counting; NULL: counted from the start */
    const char *to;    /* function that ends it; NULL: none */
    const char *agent; /* path of the allocation agent, whose code is not counted; NULL: none */
    bool code;         /* fetches of instructions take their place from the second level on */
    bool causes;       /* of misses, and who threw the line out */
    bool use;          /* of lines, how far apart uses are, and who used what another fetched */
    uint32_t period;   /* one in so many accesses is told, and every miss, for which the program
                          waits where it must; 0: what misstop can keep up with */
};

struct sim_memory {
    int fd;
    struct sim_shared *shared;
    struct sim_wanted
        wanted; /* ours; what stands in the memory is for the tool. Texts are not kept */
    uint64_t asked[SIM_QUESTIONS_MAX]; /* number of the last question (sim_whatif.h) */
};

/* 0, or a negative errno with the cause; then there is nothing to free. */
int sim_memory_open(struct sim_memory *memory, const struct sim_wanted *wanted,
                    struct error *error);
/* The tool, if it still runs, counts no more. */
void sim_memory_close(struct sim_memory *memory);

/* What the tool opens. */
void sim_memory_path(const struct sim_memory *memory, char *out, size_t size);

/* Exact totals of all threads. missed[i]: accesses that level i did not hold. */
struct sim_totals {
    uint64_t accesses; /* a modify is one */
    uint64_t loads;
    uint64_t stores;
    uint64_t load_misses[SIM_LEVELS_MAX];
    uint64_t store_misses[SIM_LEVELS_MAX];
};

struct sim_totals sim_memory_totals(const struct sim_memory *memory);

/* Counts of one instruction as they are now; false: there are not so many. Ordered by when they
 * were first met. */
bool sim_memory_instruction(const struct sim_memory *memory, uint32_t index,
                            struct sim_instruction *out);

/*
 * Pairs of instructions that one of `kind` and `level` tells of, one after another: *place starts
 * as 0. False: there are no more. What was written is checked: both are instructions there are.
 */
bool sim_memory_pair(const struct sim_memory *memory, enum line_pairs kind, uint32_t level,
                     uint32_t *place, struct line_pair *out);

enum sim_state sim_memory_state(const struct sim_memory *memory);

/* Why the tool gave up, printable; "": it did not. */
void sim_memory_trouble(const struct sim_memory *memory, char *out, size_t size);

#endif
