/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How to get from a return address to the caller's frame: .eh_frame boiled down to what stepping
 * needs on x86-64, the CFA and the frame pointer (DWARF 5, 6.4; LSB on .eh_frame). The return
 * address always stands just below the CFA. Used by unwind.c, which keeps rules.
 */
#ifndef MISSTOP_AGENT_RULE_H
#define MISSTOP_AGENT_RULE_H

#include <stdint.h>

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
    uint64_t return_address; /* whom it is for; 0: nobody */
    int32_t cfa_offset;
    int16_t rbp_offset;
    uint8_t cfa; /* enum rule_cfa */
    uint8_t rbp; /* enum rule_rbp */
};

/* Finds out how libc tells where code lies. Once, before the first rule_find(). */
void rule_start(void);

/* The rule for a return address. Takes no lock with glibc 2.35 or later. */
struct rule rule_find(uint64_t return_address);

#endif
