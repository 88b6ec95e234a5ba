/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/dwarf/place_ops.h"

#include "resolve/cfi.h"
#include "sample.h"

#include <dwarf.h>

/* DW_OP_regN or DW_OP_bregN; SREG_NONE: another operation. */
static uint8_t register_of(const Dwarf_Op *op)
{
    if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31)
        return cfi_register(op->atom - DW_OP_reg0);
    if (op->atom == DW_OP_regx)
        return cfi_register((unsigned)op->number);
    return SREG_NONE;
}

static bool based(const Dwarf_Op *op, const struct place_frame *frame, uint8_t *reg,
                  int64_t *offset)
{
    unsigned number;
    *reg = SREG_NONE;
    if (cfi_register_offset(op, &number, offset)) {
        *reg = cfi_register(number);
    } else if (op->atom == DW_OP_fbreg && frame) {
        *reg = frame->reg;
        *offset = (int64_t)(op->number + (uint64_t)frame->offset);
    } else if (op->atom == DW_OP_call_frame_cfa) {
        *reg = WHERE_CFA;
        *offset = 0;
    }
    return *reg != SREG_NONE;
}

void place_frame(struct place_frame *frame, Dwarf_Die *function)
{
    Dwarf_Attribute attribute;
    Dwarf_Op *ops;
    size_t count = 0;
    *frame = (struct place_frame){.reg = SREG_NONE};
    if (!dwarf_attr_integrate(function, DW_AT_frame_base, &attribute))
        return;
    /* DWARF 2 cannot name the canonical frame address: gcc tells where it is instead, in a list,
     * or once where the function begins. */
    if (dwarf_getlocation(&attribute, &ops, &count) || (count && ops[0].atom == DW_OP_breg7)) {
        frame->reg = WHERE_CFA;
        return;
    }
    if (count != 1)
        return;
    frame->reg = register_of(&ops[0]);
    if (frame->reg == SREG_NONE)
        based(&ops[0], NULL, &frame->reg, &frame->offset);
}

static bool is_piece(const Dwarf_Op *op)
{
    return op->atom == DW_OP_piece || op->atom == DW_OP_bit_piece;
}

static uint64_t piece_bytes(const Dwarf_Op *op)
{
    return op->atom == DW_OP_piece ? op->number : op->number / 8;
}

/* The operations up to a piece's size, or all there are. */
static bool understand(const Dwarf_Op *ops, size_t count, const struct place_frame *frame,
                       struct where *piece)
{
    size_t at = 1;
    if (!count)
        return false; /* optimised away */
    piece->reg = register_of(&ops[0]);
    piece->offset = 0;
    piece->kind = WHERE_HELD;
    if (piece->reg != SREG_NONE)
        return count == 1;
    if (!based(&ops[0], frame, &piece->reg, &piece->offset))
        return false;
    for (; at < count && (ops[at].atom == DW_OP_plus_uconst || ops[at].atom == DW_OP_nop); at++)
        if (ops[at].atom == DW_OP_plus_uconst)
            piece->offset = (int64_t)((uint64_t)piece->offset + ops[at].number);
    piece->kind = WHERE_MEMORY;
    if (at < count && ops[at].atom == DW_OP_stack_value) {
        piece->kind = WHERE_COMPUTED;
        at++;
    } else if (at < count && ops[at].atom == DW_OP_deref) {
        bool value = at + 1 < count && ops[at + 1].atom == DW_OP_stack_value;
        piece->kind = value ? WHERE_MEMORY : WHERE_POINTED;
        at += value ? 2 : 1;
    }
    return at == count;
}

void place_ops(const Dwarf_Op *ops, size_t count, const struct place_frame *frame, uint64_t size,
               place_take *take, void *context)
{
    struct where piece = {0};
    for (size_t start = 0; start < count;) {
        size_t end = start;
        while (end < count && !is_piece(&ops[end]))
            end++;
        piece.size = end < count ? piece_bytes(&ops[end]) : size;
        if (understand(ops + start, end - start, frame, &piece))
            take(context, &piece);
        piece.part += piece.size;
        start = end + 1;
    }
}
