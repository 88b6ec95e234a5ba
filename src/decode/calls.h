/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How functions were seen to be entered. The return address tells, but it stands on a stack that
 * goes on while it is read: often another call has written there since. Then the way seen before
 * is taken: a call through memory if its operand leads there with the registers of now too, a
 * push if nothing else was ever seen. Owned by the decoder; for call.c.
 */
#ifndef MISSTOP_DECODE_CALLS_H
#define MISSTOP_DECODE_CALLS_H

#include "decode/insn.h"

#include <stdint.h>

enum { CALLS_MAX = 4096 };

enum call_way {
    CALL_NEVER,  /* not seen yet */
    CALL_PUSHES, /* direct, or by a register: it writes the return address */
    CALL_LOADS,  /* its target, or a stub does */
    CALL_VARIES
};

struct call_seen {
    uint64_t entry;
    uint64_t ip;               /* of the call that loads, seen last; 0: it goes through a stub */
    struct insn_memory memory; /* ... its operand, or the stub's */
    uint8_t way;               /* enum call_way */
};

struct calls {
    struct call_seen seen[CALLS_MAX]; /* by entry; what meets displaces */
};

/* What is known of an entry; it may be of another, whose place this then takes. */
static inline struct call_seen *calls_at(struct calls *calls, uint64_t entry)
{
    struct call_seen *seen = &calls->seen[(entry >> 2) % CALLS_MAX];
    if (seen->entry != entry)
        *seen = (struct call_seen){.entry = entry};
    return seen;
}

static inline void call_noted(struct call_seen *seen, enum call_way way)
{
    seen->way =
        seen->way == CALL_NEVER || seen->way == (uint8_t)way ? (uint8_t)way : (uint8_t)CALL_VARIES;
}

#endif
