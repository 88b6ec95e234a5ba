/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * misstop's side of questions to the simulation (struct sim_question): asked, blocks listed,
 * answers read. Each has a number below SIM_QUESTIONS_MAX, under which one is asked at a time. What
 * the tool wrote is hostile: numbers are only numbers, texts are made printable. Used by
 * src/engine/whatif.c.
 */
#ifndef MISSTOP_SAMPLE_SIM_WHATIF_H
#define MISSTOP_SAMPLE_SIM_WHATIF_H

#include "sample/sim_memory.h"

#include <stdbool.h>
#include <stdint.h>

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

/* A block that there is, for the question asked last; false: the list is full. */
bool sim_whatif_block(struct sim_memory *memory, unsigned number, uint64_t start, uint64_t bytes);
/* All are listed: counting may begin. */
void sim_whatif_listed(struct sim_memory *memory, unsigned number);

/* What allocations by a call path are; paths beyond the table stay unknown. */
void sim_whatif_path(struct sim_memory *memory, unsigned number, uint32_t path, enum sim_path is);

/* All models count anew. */
void sim_whatif_zero(struct sim_memory *memory);

/* A copy, with `why` printable; .state SIM_ANSWER_NONE: the question has not been heard yet. */
struct sim_answer sim_whatif_answer(const struct sim_memory *memory, unsigned number);

#endif
