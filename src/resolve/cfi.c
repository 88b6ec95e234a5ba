/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/cfi.h"

#include "sample.h"

#include <dwarf.h>

uint8_t cfi_register(unsigned number)
{
    static const uint8_t registers[] = {SREG_AX,  SREG_DX,  SREG_CX,  SREG_BX, SREG_SI,  SREG_DI,
                                        SREG_BP,  SREG_SP,  SREG_R8,  SREG_R9, SREG_R10, SREG_R11,
                                        SREG_R12, SREG_R13, SREG_R14, SREG_R15};
    return number < sizeof registers ? registers[number] : (uint8_t)SREG_NONE;
}

bool cfi_register_offset(const Dwarf_Op *op, unsigned *number, int64_t *offset)
{
    bool extended = op->atom == DW_OP_bregx;
    *number = extended ? (unsigned)op->number : (unsigned)op->atom - DW_OP_breg0;
    *offset = (int64_t)(extended ? op->number2 : op->number);
    return extended || (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31);
}

bool cfi_saved(Dwarf_Frame *frame, unsigned number, struct cfi_saved *saved)
{
    Dwarf_Op memory[3];
    Dwarf_Op *ops;
    size_t count;
    *saved = (struct cfi_saved){.in = CFI_KEPT};
    if (dwarf_frame_register(frame, (int)number, memory, &ops, &count))
        return false;
    /* elfutils 0.188 has rbx undefined where nothing is said of it, taking register 0 for it; who
     * calls relies on it being kept. */
    if (!count)
        return true;
    if (!ops || ops[0].atom != DW_OP_call_frame_cfa || count > 2)
        return false;
    /* An expression begins with the CFA; what it adds to, or puts on top of that. */
    saved->in = count == 2 && ops[1].atom == DW_OP_breg6 ? CFI_AT_FRAME_POINTER : CFI_AT_CFA;
    saved->offset = count == 2 ? (int64_t)ops[1].number : 0;
    return count == 1 || saved->in == CFI_AT_FRAME_POINTER || ops[1].atom == DW_OP_plus_uconst;
}
