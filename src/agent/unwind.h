/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Unwinds the stack of the calling thread, from a wrapper's frame outwards, by rules cached per
 * return address. A frame at the same position as in the previous unwinding needs no rule: the
 * frames outside it are known and only checked again. Reads only memory known to be readable stack,
 * so wrong call frame information or a custom stack ends a path early but does no harm.
 */
#ifndef MISSTOP_AGENT_UNWIND_H
#define MISSTOP_AGENT_UNWIND_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/session.h"

/* .eh_frame reduced to the rules that unwinding needs on x86-64, for the CFA and the frame pointer
 * (DWARF 5, 6.4; LSB on .eh_frame). The return address is always just below the CFA. */
enum rule_cfa {
    RULE_UNKNOWN,   /* no call frame information: generated code, possibly with frame pointers */
    RULE_END,       /* outermost frame, signal frame, or an unsupported rule */
    RULE_STACK,     /* CFA = rsp + cfa_offset */
    RULE_FRAME,     /* CFA = rbp + cfa_offset */
    RULE_REALIGNED, /* CFA = *(rbp + cfa_offset): functions that realign their stack */
};

enum rule_rbp {
    RULE_KEPT,   /* the function does not change rbp */
    RULE_AT_CFA, /* saved at CFA + rbp_offset */
    RULE_AT_RBP, /* saved at rbp + rbp_offset */
};

struct rule {
    uint64_t return_address; /* key; 0: empty slot */
    int32_t cfa_offset;
    int16_t rbp_offset;
    uint8_t cfa; /* enum rule_cfa */
    uint8_t rbp; /* enum rule_rbp */
};

struct dl_phdr_info;

/* Sets dlpi_addr, dlpi_phdr and dlpi_phnum. Takes ld.so's lock. */
bool unwind_find_library(uint64_t address, struct dl_phdr_info *library);

/* Finds libc's function that locates code. Call once, before the first rule_find(). */
void rule_start(void);

/* Returns the rule for a return address. Takes no lock with glibc 2.35 or later. */
struct rule rule_find(uint64_t return_address);

enum { UNWIND_RULE_BITS = 14 };

enum unwind_way {
    UNWIND_BY_RULE,  /* must not be repeated without the rule */
    UNWIND_BY_STACK, /* constant distance to the next frame */
    UNWIND_BY_FRAME, /* constant for the same rbp */
};

struct unwound_frame {
    uint64_t address; /* a return address */
    uint64_t slot;    /* its address on the stack */
    uint64_t frame;   /* rbp in the frame that it returns to */
    /* offset from the slot to the saved rbp of the next frame; 0: rbp unchanged */
    int32_t saved_rbp_offset;
    uint32_t found_by; /* enum unwind_way: how the next frame was found */
};

struct unwound {
    unsigned count;
    bool used_frame_pointer; /* the result depends on rbp of the wrapper's caller */
    uint64_t hash;           /* hash of all addresses in order */
    struct unwound_frame frames[AGENT_DEPTH_MAX]; /* innermost first */
};

/* State of one thread; initially zero. */
struct unwind {
    uint64_t low; /* readable: [low, high), around the stack pointer */
    uint64_t high;
    uint64_t unmaps; /* gate.unmaps when [low, high) was found out */
    uint64_t unloads;
    unsigned current; /* index of the latest stack */
    struct unwound stacks[2];
};

/* Call before the first unwind(). Returns -1 if out of memory. */
int unwind_start(void);

/* Unwinds the stack. `frame`: __builtin_frame_address(0) of a function; the path starts at its
 * return address. The result stays valid until the call after the next one. */
const struct unwound *unwind(struct unwind *unwind, void *const *frame);

/* Returns true if [from, to) is stack known to be readable now. */
static inline bool unwind_may_read(const struct unwind *unwind, uint64_t from, uint64_t to)
{
    return from >= unwind->low && to <= unwind->high && unwind->unmaps == gate.unmaps;
}

/* The FDE of one function, and its CIE. */
struct frame_entry {
    const uint8_t *cie_instructions; /* initial instructions */
    const uint8_t *cie_end;
    const uint8_t *fde_instructions; /* the function's instructions */
    const uint8_t *fde_end;
    uint64_t start; /* start of the function */
    uint64_t code_align;
    int64_t data_align;
    bool is_signal;
};

#endif
