/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Variables and parameters that stand in a function's frame, by their distance from its canonical
 * frame address. For slot.c.
 */
#ifndef MISSTOP_RESOLVE_DWARF_HOME_H
#define MISSTOP_RESOLVE_DWARF_HOME_H

#include "resolve/dwarf/program.h"
#include "resolve/dwarf/routine.h"

#include <stdbool.h>
#include <stdint.h>

struct home {
    Dwarf_Die variable;
    uint64_t inside; /* bytes from the variable's start to the slot */
};

/* A function and an instruction of it. */
struct home_place {
    struct routine routine;
    Dwarf_Addr address;   /* in DWARF's terms */
    uint8_t cfa_register; /* SREG_NONE: not that simple */
    int64_t cfa_offset;
};

/* False: no debugging information covers the instruction. */
bool home_place(struct program *program, uint64_t pc, struct home_place *place);

/* The variable that stands in a slot at the instruction; else the only one that stands there
 * elsewhere in the function. */
bool home_find(const struct home_place *place, int64_t slot, struct home *home);

/* The variable that a register holds at an address of the function; false: none, or several. */
bool home_find_held(const struct home_place *place, uint64_t pc, uint8_t reg, Dwarf_Die *variable);

/* The outermost of those variables that is a pointer to something. */
bool home_find_pointer(const struct home_place *place, uint64_t pc, uint8_t reg,
                       Dwarf_Die *variable);

/* The array of variable length in the instruction's scopes; false: none, or there are several. */
bool home_find_dynamic(const struct home_place *place, Dwarf_Die *variable);

#endif
