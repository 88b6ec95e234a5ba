/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a pointer is stored to, as "TYPE.VARIABLE" or "TYPE.FIELD": TYPE is what it points to. For
 * call.c.
 */
#ifndef MISSTOP_RESOLVE_DWARF_ASSIGNEE_H
#define MISSTOP_RESOLVE_DWARF_ASSIGNEE_H

#include "decode/insn.h"
#include "resolve/dwarf/program.h"

#include <stdbool.h>

/* Each fills name and type of the answer; false: it says nothing, as a void pointer does. */

/* A variable that a register holds at an address. */
bool assignee_held(struct program *program, uint64_t address, uint8_t reg,
                   struct dwarf_answer *answer);

/* Where an instruction stores one. */
bool assignee_stored(struct program *program, const struct insn *insn, struct dwarf_answer *answer);

#endif
