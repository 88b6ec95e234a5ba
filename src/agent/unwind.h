/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The stack of the calling thread, from a wrapper's frame outwards, by rules that are kept per
 * return address. A frame that was in the same place the time before needs no rule: the frames
 * outside of it were found then, and are only checked again. Reads only memory that is known to be
 * readable stack, so that wrong call frame information or a stack of the program's own making ends
 * a path early and does no harm.
 */
#ifndef MISSTOP_AGENT_UNWIND_H
#define MISSTOP_AGENT_UNWIND_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/session.h"

/*
 * How to get from a return address to the caller's frame: .eh_frame reduced to the rules that
 * stepping needs on x86-64, the CFA and the frame pointer (DWARF 5, 6.4; LSB on .eh_frame). The
 * return address is always just below the CFA. Used by unwind.c, which keeps rules.
 */
enum rule_cfa {
    RULE_UNKNOWN,   /* no call frame information: generated code, perhaps with frame pointers */
    RULE_END,       /* outermost frame, signal frame, or a rule too odd to follow */
    RULE_STACK,     /* CFA = rsp + cfa_offset */
    RULE_FRAME,     /* CFA = rbp + cfa_offset */
    RULE_REALIGNED, /* CFA = *(rbp + cfa_offset): functions that realign their stack */
};

enum rule_rbp {
    RULE_KEPT,   /* the function did not touch rbp */
    RULE_AT_CFA, /* saved at CFA + rbp_offset */
    RULE_AT_RBP, /* saved at rbp + rbp_offset */
};

struct rule {
    uint64_t return_address; /* its key; 0: the slot is empty */
    int32_t cfa_offset;
    int16_t rbp_offset;
    uint8_t cfa; /* enum rule_cfa */
    uint8_t rbp; /* enum rule_rbp */
};

struct dl_phdr_info;

/* The program or library around an address: its dlpi_addr, dlpi_phdr and dlpi_phnum. Takes ld.so's
 * lock. */
bool unwind_find_library(uint64_t address, struct dl_phdr_info *library);

/* Finds libc's function that locates code. Once, before the first rule_find(). */
void rule_start(void);

/* The rule for a return address. Takes no lock with glibc 2.35 or later. */
struct rule rule_find(uint64_t return_address);

enum { UNWIND_RULE_BITS = 14 };

enum unwind_way {
    UNWIND_BY_RULE,  /* not to be repeated without looking at the rule */
    UNWIND_BY_STACK, /* the distance to the next frame is always the same */
    UNWIND_BY_FRAME, /* ... for the same rbp */
};

struct unwound_frame {
    uint64_t address; /* a return address */
    uint64_t slot;    /* its position on the stack */
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

/* Where the call frame information of an address is in memory. Used by unwind.c. */
/* The description of one function, and of what functions of its kind have in common. */
struct frame_entry {
    const uint8_t *common; /* initial instructions */
    const uint8_t *common_end;
    const uint8_t *own; /* the function's instructions */
    const uint8_t *own_end;
    uint64_t start; /* of the function */
    uint64_t code_align;
    int64_t data_align;
    bool is_signal;
};

#endif
