/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where the operand of an instruction points, and constants and thread-local storage as places in
 * variables. For step.c and access.c.
 */
#ifndef MISSTOP_RESOLVE_DWARF_OPERAND_H
#define MISSTOP_RESOLVE_DWARF_OPERAND_H

#include "resolve/dwarf/step.h"

#include <stdint.h>

struct value operand_address(const struct scene *scene, const struct state *state,
                             const struct insn *insn, const struct insn_memory *memory);

/* The variable at a constant address, or at a place of thread-local storage; else the value. */
struct value operand_settled(const struct scene *scene, uint64_t pc, struct value value);

/* What the dynamic linker put into a word at a run-time address. */
struct value operand_linked(const struct scene *scene, uint64_t pc, uint64_t place);

/* What __tls_get_addr() returns for its argument; unknown: it is not its argument. */
struct value operand_dynamic(const struct scene *scene, uint64_t pc, const struct value *argument);

#endif
