/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The hit of an access in translated code: it looks into the model's table of lines that need
 * nobody to be told (struct model_fast) and calls access_memory() only where the line is not there.
 * What is the same for all accesses of a stretch without a way out is done once, at its end. Used
 * by instrument.c.
 */
#ifndef MISSTOP_VALGRIND_HIT_H
#define MISSTOP_VALGRIND_HIT_H

#include "sim_abi.h"
#include "pub_tool_basics.h"
#include "pub_tool_tooliface.h"
#include "valgrind/stretch.h"

/* A block of code being translated; all 0 at first, but for `out`. */
struct hit_block {
    IRSB *out;
    IRExpr *table; /* of who runs, or the one where nothing is; NULL: to be loaded */
    IRExpr *clock; /* when that was loaded */
    UInt since;    /* accesses since then */
    UInt fetches;  /* of lines of instructions, so far */
    UInt untold;   /* ... since the clock was put forward: those of the stretch */
    struct stretch_access stretch[STRETCH_MAX];
    IRExpr *calls[STRETCH_MAX]; /* the argument of each call that says which of them it is */
};

/* Once, before the first statement: `accesses` is how many there are at most. */
void hit_begin(struct hit_block *block, UInt accesses);

/* One access; `kind`: enum model_kind. */
void hit_access(struct hit_block *block, struct sim_instruction *place, UInt kind, IRExpr *address,
                Int size_bytes);

/* The same where `guard` says whether it takes place. */
void hit_guarded(struct hit_block *block, struct sim_instruction *place, UInt kind, IRExpr *address,
                 Int size_bytes, IRExpr *guard);

/* Before whatever may leave the block, or call what looks at the counts. */
void hit_flush(struct hit_block *block);

/* After a call that may have begun or ended the counting. */
void hit_reload(struct hit_block *block);

#endif
