/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The stack of the calling thread, from a wrapper's frame outwards, by rules that are kept per
 * return address. A frame that stood in the same place the time before needs no rule: what lies
 * outside of it was found then, and is only looked at again. Reads nothing but what is known to be
 * readable stack, so that wrong call frame information or a stack of the program's own making ends
 * a path early and does no harm.
 */
#ifndef MISSTOP_AGENT_UNWIND_H
#define MISSTOP_AGENT_UNWIND_H

#include "agent/rule.h"
#include "agent/session.h"

#include <stdbool.h>
#include <stdint.h>

enum { UNWIND_RULE_BITS = 14 };

enum unwind_way {
    UNWIND_BY_RULE,  /* not to be repeated without looking at the rule */
    UNWIND_BY_STACK, /* the distance to the next frame is always the same */
    UNWIND_BY_FRAME, /* ... for the same rbp */
};

struct unwound_frame {
    uint64_t address; /* a return address */
    uint64_t slot;    /* where on the stack it stands */
    uint64_t frame;   /* rbp where it leads to */
    int32_t saved;    /* from the slot to where the next frame's rbp is; 0: it is the same */
    uint32_t way;     /* enum unwind_way: how the next frame was found */
};

struct unwound {
    unsigned count;
    bool used_frame_pointer; /* the value rbp had in the wrapper's caller decided something */
    uint64_t hash;           /* of all addresses in their order */
    struct unwound_frame frames[AGENT_DEPTH_MAX]; /* innermost first */
};

/* One thread's; zeroed to begin with. */
struct unwind {
    uint64_t low; /* readable: [low, high), around the stack pointer */
    uint64_t high;
    uint64_t unmaps; /* gate.unmaps when that was found out */
    uint64_t unloads;
    unsigned current; /* which of the two is the latest */
    struct unwound stacks[2];
};

/* The rules that all threads share. Before the first unwind(); -1: no memory. */
int unwind_start(void);

/*
 * `frame`: __builtin_frame_address(0) of a function; the path starts at its return address. The
 * result holds until the next call but one.
 */
const struct unwound *unwind(struct unwind *unwind, void *const *frame);

/* Whether [from, to) is stack known to be readable now. */
static inline bool unwind_may_read(const struct unwind *unwind, uint64_t from, uint64_t to)
{
    return from >= unwind->low && to <= unwind->high && unwind->unmaps == gate.unmaps;
}

#endif
