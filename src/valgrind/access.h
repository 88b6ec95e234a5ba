/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What an access of the program does: to the model, to the exact counts, and to the ring. The
 * functions are called from translated code (hit.c), after access_start(). A plain hit is done by
 * the translated code itself, which looks into `access_now` and writes the counts.
 */
#ifndef MISSTOP_VALGRIND_ACCESS_H
#define MISSTOP_VALGRIND_ACCESS_H

#include "sim_abi.h"
#include "pub_tool_basics.h"

struct model_fast;
struct model_thread;
struct stretch_access;

/* What translated code reads. */
struct access_now {
    struct model_fast
        *table; /* of who runs; nothing is found in it while every access is to call */
    struct model_thread *fetcher; /* who runs; NULL: nothing counts */
    const uint64_t *fetched;      /* as in the model_thread of who runs */
    uint64_t next;                /* time on the model's clock, at which an access is told */
    Long counts[SIM_OPS];         /* not in the thread's totals yet: stores and modifies */
};
extern struct access_now access_now;
#define ACCESS_NEVER UINT64_MAX

/* What is the same for all threads while the program runs. */
struct access_shape {
    uint64_t *clock; /* of the model */
    uint64_t mask;   /* places of the table - 1 */
    UInt line_shift;
    UInt line_bytes;
    Bool timed; /* hits write down when they were */
    Bool use;   /* hits write down what they used: each access may have one bit a byte */
    struct model_unread *unread;
    uint64_t fetch_sets; /* of the cache of instructions; 0: there is none */
};
const struct access_shape *access_shape(void);

void access_start(void);

/* From here on thread `number` (of threads.c) runs; `totals` are its counts. Now and then for who
 * runs already, too: it is when the user's wish to pause is heard. */
void access_runs(UInt number, struct sim_thread *totals);

/* Brings the exact counts up to date, also those of instructions if `all`. */
void access_tell(Bool all);

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

/* Bits of `what`: enum model_kind, the size in bytes, and how many accesses there were since the
 * clock was put forward. */
enum { ACCESS_SIZE_SHIFT = 8, ACCESS_BEFORE_SHIFT = 32 };

/* One access at `address`, which translated code counts. */
VG_REGPARM(3) void access_memory(struct stretch_access *access, Addr address, UWord what);
/* The same by the instruction of `place`, counted here. */
VG_REGPARM(3) void access_guarded(struct sim_instruction *place, Addr address, UWord what);

/* The time for an access to be told is near: each has to call. */
void access_due(void);

#endif
