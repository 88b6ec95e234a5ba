/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The memory through which misstop's Valgrind tool reports a simulated run (sim_abi.h). Created
 * here before the program starts, and sealed so that the target cannot shrink it while it is
 * mapped. Owned by main (src/simulation.c), read by sim_session.c. Everything that the tool writes
 * is untrusted.
 */
#ifndef MISSTOP_SAMPLE_SIMULATED_SIM_MEMORY_H
#define MISSTOP_SAMPLE_SIMULATED_SIM_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "sim_abi.h"
#include "simulated_line.h"

/* Settings of the tool. Texts that do not fit into the memory are refused. */
struct sim_settings {
    struct sim_geometry levels[SIM_LEVELS_MAX];
    uint32_t level_count;
    const char *count_from; /* function that starts the counting; NULL: count from the start */
    const char *count_to;   /* function that stops it; NULL: none */
    const char *agent_path; /* path of the allocation agent; its code is not counted; NULL: none */
    bool exact;             /* count the use of every line; implied if `period` is set */
    bool code;              /* instruction fetches are simulated from the second level on */
    bool causes;            /* causes of misses, and the evictor of each line */
    bool use;               /* use of lines, reuse distances, pairs that fetch and use a line */
    /* Report one in this many accesses, and every miss; the program waits if necessary.
     * 0: report what misstop can keep up with. */
    uint32_t period;
};

struct sim_memory {
    int fd;
    struct sim_shared *shared;
    struct sim_settings settings; /* our copy; the shared one is for the tool. Texts are not kept */
    uint64_t asked[SIM_QUESTIONS_MAX]; /* number of the last question under each number */
};

/* Returns 0, or a negative errno with the cause; then there is nothing to free. */
int sim_memory_open(struct sim_memory *memory, const struct sim_settings *settings,
                    struct error *error);
/* Stops the counting of the tool if it still runs. */
void sim_memory_close(struct sim_memory *memory);

/* Returns the path that the tool opens. */
void sim_memory_path(const struct sim_memory *memory, char *out, size_t size);

/* Exact totals of all threads. A miss of level i is an access that level i did not hold. */
struct sim_totals {
    uint64_t accesses; /* a modify counts once */
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

/* Explains why the tool gave up, printable; "": it did not. */
void sim_memory_trouble(const struct sim_memory *memory, char *out, size_t size);

/*
 * misstop's side of questions (struct sim_question): asks, lists blocks, reads answers. Each number
 * below SIM_QUESTIONS_MAX has at most one open question. The tool's memory is untrusted: numbers
 * are checked, texts are made printable.
 */

/* Asks a question and ends the previous one under its number. `follows`: blocks are added and
 * removed by the given paths. Returns how many questions have been asked under the number. */
uint64_t sim_whatif_ask(struct sim_memory *memory, unsigned number, const struct relayout *layout,
                        bool follows);

void sim_whatif_end(struct sim_memory *memory, unsigned number);

/* The program is to wait for `count` questions after `accesses` accesses; 0: it need not wait. */
void sim_whatif_await(struct sim_memory *memory, uint64_t accesses, unsigned count);
/* Returns the number of accesses after which the program waits; 0: it does not. */
uint64_t sim_whatif_waits(const struct sim_memory *memory);

/* Adds an existing block to the last question. Returns false if the list is full. */
bool sim_whatif_block(struct sim_memory *memory, unsigned number, uint64_t start, uint64_t bytes);
/* Ends the list of blocks: counting may begin. */
void sim_whatif_listed(struct sim_memory *memory, unsigned number);

/* Assigns the allocations of a call path; paths beyond the table stay unknown. */
void sim_whatif_path(struct sim_memory *memory, unsigned number, uint32_t path, enum sim_path is);

/* Resets the counts of all models. */
void sim_whatif_zero(struct sim_memory *memory);

/* Returns a copy with `why` printable; SIM_ANSWER_NONE: the tool has not seen the question. */
struct sim_answer sim_whatif_answer(const struct sim_memory *memory, unsigned number);

#endif
