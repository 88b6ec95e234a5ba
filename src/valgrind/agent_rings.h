/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the allocation agent in the program tells (agent_abi.h), read where it writes it: an
 * allocation is known here before the program's next access. For whatif.c; misstop reads the same
 * rings for itself (src/resolve/feed_rings.c).
 */
#ifndef MISSTOP_VALGRIND_AGENT_RINGS_H
#define MISSTOP_VALGRIND_AGENT_RINGS_H

#include "pub_tool_basics.h"

struct agent_event {
    Addr address;
    ULong bytes; /* 0: it was freed */
    UInt path;
};

/* Code of the agent runs: there may be something to read. Set by translated code. */
extern UChar agent_rings_ran;

/* Where the agent's memory is mapped. */
void agent_rings_mapped(Addr start, SizeT length);

/* What comes from now on is to be read. False: there is no agent. */
Bool agent_rings_begin(void);

/* Tells of all blocks of malloc and its kin since the last time. False: some were missed. */
Bool agent_rings_follow(void (*told)(const struct agent_event *event));

#endif
