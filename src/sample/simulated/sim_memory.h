/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The memory through which misstop's Valgrind tool reports a simulated run (sim_abi.h): made here,
 * before the program starts, and sealed, so that the target cannot shrink it under our feet. Owned
 * by main (src/simulation.c), read by sim_session.c. Whatever the tool wrote is hostile.
 */
#ifndef MISSTOP_SAMPLE_SIMULATED_SIM_MEMORY_H
#define MISSTOP_SAMPLE_SIMULATED_SIM_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "sim_abi.h"
#include "simulated_line.h"

/* Settings of the tool. Texts longer than the memory has room for are refused. */
struct sim_wanted {
    struct sim_geometry levels[SIM_LEVELS_MAX];
    uint32_t level_count;
    const char *from;  /* function that begins counting; NULL: counted from the start */
    const char *to;    /* function that ends it; NULL: none */
    const char *agent; /* path of the allocation agent; its code is not counted; NULL: none */
    bool exact;        /* the use of all lines is counted; so it is where nothing is left out */
    bool code;         /* fetches of instructions take their place from the second level on */
    bool causes;       /* of misses, and who threw the line out */
    bool use;          /* of lines, how far apart uses are, and who used what another fetched */
    uint32_t period;   /* one in so many accesses is reported, and every miss, for which the program
                          waits where it must; 0: what misstop can keep up with */
};

struct sim_memory {
    int fd;
    struct sim_shared *shared;
    struct sim_wanted wanted; /* our copy; the shared one is for the tool. Texts are not kept */
    uint64_t asked[SIM_QUESTIONS_MAX]; /* number of the last question (sim_memory.h) */
};

/* 0, or a negative errno with the cause; then there is nothing to free. */
int sim_memory_open(struct sim_memory *memory, const struct sim_wanted *wanted,
                    struct error *error);
/* The tool, if it still runs, counts no more. */
void sim_memory_close(struct sim_memory *memory);

/* The path that the tool opens. */
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

/* A pair of instructions by line_pair_number(); false: there are no more. The memory is untrusted:
 * both must be existing instructions. */
bool sim_memory_pair(const struct sim_memory *memory, uint64_t number, struct line_pair *out);

enum sim_state sim_memory_state(const struct sim_memory *memory);

/* Why the tool gave up, printable; "": it did not. */
void sim_memory_trouble(const struct sim_memory *memory, char *out, size_t size);

/*
 * misstop's side of questions to the simulation (struct sim_question): asks, lists blocks, reads
 * answers. Each has a number below SIM_QUESTIONS_MAX, under which one is asked at a time. The
 * tool's memory is hostile: numbers are only numbers, texts are made printable. Used by
 * src/engine/whatif.c.
 */
/* Ends the one before under its number. `follows`: blocks come and go by the paths that are said.
 * Returns how often was asked under it. */
uint64_t sim_whatif_ask(struct sim_memory *memory, unsigned number, const struct relayout *layout,
                        bool follows);

/* Ends a question. */
void sim_whatif_end(struct sim_memory *memory, unsigned number);

/* So many questions will come, which the program is to wait for when it has made so many accesses;
 * 0: it need not. */
void sim_whatif_await(struct sim_memory *memory, uint64_t accesses, unsigned count);
/* After how many it waits; 0: it does not. */
uint64_t sim_whatif_waits(const struct sim_memory *memory);

/* Adds an existing block, for the question asked last; false: the list is full. */
bool sim_whatif_block(struct sim_memory *memory, unsigned number, uint64_t start, uint64_t bytes);
/* All are listed: counting may begin. */
void sim_whatif_listed(struct sim_memory *memory, unsigned number);

/* Assigns the allocations by a call path; paths beyond the table stay unknown. */
void sim_whatif_path(struct sim_memory *memory, unsigned number, uint32_t path, enum sim_path is);

/* All models count anew. */
void sim_whatif_zero(struct sim_memory *memory);

/* A copy, with `why` printable; .state SIM_ANSWER_NONE: the question has not been heard yet. */
struct sim_answer sim_whatif_answer(const struct sim_memory *memory, unsigned number);

#endif
