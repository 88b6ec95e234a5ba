/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The tool's side of the memory shared with misstop (sim_abi.h): mapped once, written by whichever
 * thread runs (Valgrind lets one at a time). Everyone in src/valgrind may use it.
 */
#ifndef MISSTOP_VALGRIND_SHARED_H
#define MISSTOP_VALGRIND_SHARED_H

#include "sim_abi.h"
#include "pub_tool_basics.h"

/* NULL: there is none, and the program runs on unwatched. */
extern struct sim_shared *shared;

/* Maps the file `path`. False, and nothing is watched: it is not there, is no memory of misstop's,
 * or belongs to a process that this one was forked from. */
Bool shared_open(const HChar *path);

/* In a forked child: what it does is not told, but written to memory of its own. */
void shared_leave(void);

/* Now, by the clock that misstop named. */
ULong shared_stamp(void);

/*
 * Room for `count` units behind each other in the order of the ring, NULL: there is none.
 * `may_wait`: misses, which leave the reserve to what cannot be told again.
 */
Bool shared_room(UInt count, Bool may_wait);
/* Unit `index` of those; to be filled and then published all at once. */
union sim_unit *shared_unit(UInt index);
void shared_publish(UInt count);

/* Units that misstop has not read yet. */
UInt shared_waiting(void);

#endif
