/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is told of a variable once its entry is found. For variable.c and slot.c. */
#ifndef MISSTOP_RESOLVE_DWARF_VARIABLE_H
#define MISSTOP_RESOLVE_DWARF_VARIABLE_H

#include "resolve/dwarf/program.h"

/* Fills name, type, count and size; size stays what it is where the type tells none. */
void variable_tell(struct program *program, Dwarf_Die *variable, struct dwarf_answer *answer);

#endif
