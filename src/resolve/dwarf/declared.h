/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the variables that DWARF places at an instruction say of registers and of the frame. For
 * flow.c, step.c and access.c.
 */
#ifndef MISSTOP_RESOLVE_DWARF_DECLARED_H
#define MISSTOP_RESOLVE_DWARF_DECLARED_H

#include "resolve/dwarf/step.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Where in a variable a stack address points: a POINTER; a DIFFERENCE where the address of a
 * variable of that shape is kept, in a word that no type stands for; UNKNOWN: in no variable.
 */
struct value declared_in_frame(const struct scene *scene, const struct state *state, uint64_t pc,
                               const struct value *place);

/* Lets variables that stand in registers at an address say what those hold; `mask` of enum
 * sample_register. */
void declared_in_registers(const struct scene *scene, struct state *state, uint64_t pc,
                           uint32_t mask);

/* The variable that stands in memory exactly there, of which nothing else is known: a parameter
 * passed by its address. UNKNOWN: none. */
struct value declared_through(const struct scene *scene, uint64_t pc, uint8_t base,
                              int64_t displacement);

/* A variable's word goes over what was followed, unless that says more. */
void declared_over(struct shapes *shapes, struct value *known, const struct value *told);

#endif
