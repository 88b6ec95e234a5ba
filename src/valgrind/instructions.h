/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where the counts of each instruction stand in the shared memory: one place for an address,
 * however often it is translated. Used by instrument.c, while translating only.
 */
#ifndef MISSTOP_VALGRIND_INSTRUCTIONS_H
#define MISSTOP_VALGRIND_INSTRUCTIONS_H

#include "sim_abi.h"
#include "pub_tool_basics.h"

void instructions_start(void);

/* Never NULL: where the table is full, one that many share, whose counts are told as lost. */
struct sim_instruction *instructions_place(Addr ip);

#endif
