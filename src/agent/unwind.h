/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The stack of the calling thread, from a wrapper's frame outwards, by rules that are kept per
 * return address. Reads nothing but what is known to be readable stack, so that wrong call frame
 * information or a stack of the program's own making ends a path early and does no harm.
 */
#ifndef MISSTOP_AGENT_UNWIND_H
#define MISSTOP_AGENT_UNWIND_H

#include "agent/rule.h"
#include "agent/session.h"

#include <stdbool.h>
#include <stdint.h>

enum { UNWIND_RULE_BITS = 12 };

/* One thread's; zeroed to begin with. */
struct unwind {
    uint64_t low; /* readable: [low, high), around the stack pointer */
    uint64_t high;
    uint64_t unmaps; /* gate->unmaps when that was found out */
    uint64_t unloads;
    struct rule rules[1 << UNWIND_RULE_BITS];
};

struct unwound {
    unsigned count;
    uint64_t hash; /* of all addresses in their order */
    bool used_frame_pointer; /* the value rbp had in the wrapper's caller decided something */
    uint64_t addresses[AGENT_DEPTH_MAX]; /* return addresses, innermost first */
    uint64_t slots[AGENT_DEPTH_MAX];     /* where on the stack each stands */
};

/* `frame`: __builtin_frame_address(0) of a function; the path starts at its return address. */
void unwind(struct unwind *unwind, void *const *frame, struct unwound *out);

/* Whether [from, to) is stack known to be readable now. */
static inline bool unwind_may_read(const struct unwind *unwind, uint64_t from, uint64_t to)
{
    return from >= unwind->low && to <= unwind->high && unwind->unmaps == gate->unmaps;
}

#endif
