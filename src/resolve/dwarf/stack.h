/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a function's code does with its stack, for slots that are no variables: where the part of
 * fixed size ends, and whether a slot is one that arguments of calls are put in. For slot.c.
 */
#ifndef MISSTOP_RESOLVE_DWARF_STACK_H
#define MISSTOP_RESOLVE_DWARF_STACK_H

#include "resolve/dwarf/program.h"

#include <stdbool.h>
#include <stdint.h>

enum { STACK_STORES = 8 };

/* A register kept in the slot. */
struct stack_store {
    uint64_t address; /* of the instruction */
    uint8_t reg;
};

struct stack {
    bool dynamic;    /* the code takes stack by an amount it computes */
    int64_t fixed;   /* dynamic: bytes from there up to the canonical frame address are not */
    bool argument;   /* the slot is only written, by a push or at the stack pointer */
    bool is_call;    /* the instruction asked about is a call */
    uint8_t length;  /* of it, bytes; 0: there is none at that address */
    int64_t pointer; /* of the stack at that instruction, from the canonical frame address;
                        0: not known */
    int64_t start;   /* where the stores begin */
    struct stack_store stores[STACK_STORES];
    uint8_t store_count; /* more than STACK_STORES: of something else than a whole register too */
};

/* False: the code cannot be read. */
bool stack_read(struct program *program, uint64_t pc, int64_t slot, struct stack *stack);

#endif
