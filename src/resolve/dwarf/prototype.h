/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which registers a function's parameters and results are in, by its declaration: the System V
 * ABI AMD64 1.0, 3.2.3. For the files of this folder.
 */
#ifndef MISSTOP_RESOLVE_DWARF_PROTOTYPE_H
#define MISSTOP_RESOLVE_DWARF_PROTOTYPE_H

#include "resolve/dwarf/value.h"

#include <elfutils/libdw.h>
#include <stdint.h>

/* Told for each eightbyte: a register (enum sample_register), or SREG_NONE and its distance from
 * the canonical frame address. */
typedef void prototype_take(void *context, uint8_t reg, int64_t slot, const struct value *value);

/* What is in registers and on the stack where calls of a function (its entry) arrive. */
void prototype_arguments(struct shapes *shapes, Dwarf_Die *function, prototype_take *take,
                         void *context);

/* What AX and DX hold after a call of a function, or of what a function pointer points to. */
void prototype_results(struct shapes *shapes, Dwarf_Die *function, struct value *ax,
                       struct value *dx);

#endif
