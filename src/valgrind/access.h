/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What an access of the program does: to the model, to the exact counts, and to the ring. The
 * functions are called from translated code (instrument.c), after access_start(). Kept in `access`:
 * who runs and whether anything counts.
 */
#ifndef MISSTOP_VALGRIND_ACCESS_H
#define MISSTOP_VALGRIND_ACCESS_H

#include "sim_abi.h"
#include "pub_tool_basics.h"

void access_start(void);

/* From here on thread `number` (of threads.c) runs; `totals` are its counts. Now and then for who
 * runs already, too: it is when the user's wish to pause is heard. */
void access_runs(UInt number, struct sim_thread *totals);

/* Misses there are not the program's: of libc's functions that the allocation agent calls on memory
 * of its own. */
void access_leave_out(Addr start, SizeT length);
Bool access_is_left_out(Addr address);

/* Whether what follows counts. */
void access_count(Bool on);

/* At the program's end, once: what still lies in the caches counts as used so far. */
void access_finish(void);

/* Called at the entry of a function that begins (ends) the counting. */
VG_REGPARM(1) void access_turn(UWord on);

/* Lower bits of `what`: enum model_kind. */
enum { ACCESS_KIND_BITS = 8 };

/* One access at `address`, by the instruction of `place`; `what`: its bytes, and its kind. */
VG_REGPARM(3) void access_memory(struct sim_instruction *place, Addr address, UWord what);

#endif
