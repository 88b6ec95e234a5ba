/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Accesses that the program makes equally often, for no way out of the block lies between them:
 * translated code counts their stretch, and the counts of instructions are made of that when
 * somebody is to read them. hit.c finds stretches while translating; access.c has them told.
 */
#ifndef MISSTOP_VALGRIND_STRETCH_H
#define MISSTOP_VALGRIND_STRETCH_H

#include "sim_abi.h"
#include "pub_tool_basics.h"

enum { STRETCH_MAX = 64 };

struct stretch_access {
    struct sim_instruction *place;
    uint64_t left_out; /* passes on which it did not count */
    UInt op;           /* enum sim_op */
};

/* The first two members are those of VgHashNode. */
struct stretch {
    struct stretch *next;
    UWord hash;
    uint64_t passes; /* not told yet */
    UInt count;
    struct stretch_access accesses[];
};

void stretch_start(void);

/* The one of these accesses, 1 to STRETCH_MAX, in this order: it may be there already. */
struct stretch *stretch_of(const struct stretch_access *accesses, UInt count);

/* Adds to the counts of instructions what was counted since the last time. */
void stretch_tell(void);

#endif
