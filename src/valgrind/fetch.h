/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fetches of instructions, where they are simulated (SIM_WANT_CODE): they have a first level of
 * their own, and from the second on their lines stand beside those of data. They are not counted as
 * accesses. A line is fetched once where the instructions of a block follow each other in it: more
 * would change nothing. Used by instrument.c.
 */
#ifndef MISSTOP_VALGRIND_FETCH_H
#define MISSTOP_VALGRIND_FETCH_H

#include "valgrind/hit.h"

/* Before an instruction is executed; *fetched: line + 1 of the one before in the block, 0: none. */
void fetch_instruction(struct hit_block *block, UWord *fetched, Addr ip, UInt length);

#endif
