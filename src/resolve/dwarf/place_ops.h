/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A location expression as where.h tells places: DWARF 5, 2.6. What takes more than a register and
 * an offset is left out. For where.c.
 */
#ifndef MISSTOP_RESOLVE_DWARF_PLACE_OPS_H
#define MISSTOP_RESOLVE_DWARF_PLACE_OPS_H

#include "resolve/dwarf/where.h"

#include <elfutils/libdw.h>
#include <stddef.h>

/* What DW_OP_fbreg counts from. */
struct place_frame {
    uint8_t reg; /* enum sample_register, WHERE_CFA, or SREG_NONE: not that simple */
    int64_t offset;
};

void place_frame(struct place_frame *frame, Dwarf_Die *function);

/* Told of each piece: kind, reg, offset, part and size are set. */
typedef void place_take(void *context, const struct where *piece);

/* `size`: of the variable, 0: not known. */
void place_ops(const Dwarf_Op *ops, size_t count, const struct place_frame *frame, uint64_t size,
               place_take *take, void *context);

#endif
