/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/insn.h"

#include "decode/insn_part.h"

static enum insn_flow flow_of(const cs_insn *in)
{
    switch (in->id) {
    case X86_INS_JMP:
    case X86_INS_LJMP:
        return INSN_JUMP;
    case X86_INS_CALL:
    case X86_INS_LCALL:
        return INSN_CALL;
    case X86_INS_RET:
    case X86_INS_RETF:
    case X86_INS_IRETQ:
        return INSN_RETURN;
    case X86_INS_SYSCALL:
    case X86_INS_SYSENTER:
        return INSN_SYSCALL;
    case X86_INS_HLT:
    case X86_INS_UD2:
    case X86_INS_INT3:
        return INSN_STOP;
    case X86_INS_LOOP:
    case X86_INS_LOOPE:
    case X86_INS_LOOPNE:
    case X86_INS_JRCXZ:
    case X86_INS_JECXZ:
        return INSN_CONDITIONAL;
    default:
        break;
    }
    for (int i = 0; i < in->detail->groups_count; i++)
        if (in->detail->groups[i] == CS_GRP_JUMP)
            return INSN_CONDITIONAL;
    return INSN_PLAIN;
}

/* The condition is the low half of the opcode: 70+cc short, 0f 80+cc near. */
static uint8_t condition_of(const cs_insn *in)
{
    const uint8_t *opcode = in->detail->x86.opcode;
    if (opcode[0] >= 0x70 && opcode[0] <= 0x7f)
        return opcode[0] & 0xf;
    if (opcode[0] == 0x0f && opcode[1] >= 0x80 && opcode[1] <= 0x8f)
        return opcode[1] & 0xf;
    return INSN_CONDITION_NONE;
}

bool insn_condition_holds(uint8_t condition, uint64_t flags)
{
    bool carry = flags & 1, parity = flags >> 2 & 1, zero = flags >> 6 & 1;
    bool sign = flags >> 7 & 1, overflow = flags >> 11 & 1;
    const bool holds[] = {overflow,
                          carry,
                          zero,
                          carry || zero,
                          sign,
                          parity,
                          sign != overflow,
                          zero || sign != overflow};
    return holds[condition >> 1 & 7] != (condition & 1);
}

void insn_from_capstone(struct insn *out, const struct cs_insn *in)
{
    const cs_x86 *x86 = &in->detail->x86;
    *out = (struct insn){
        .address = in->address, .length = (uint8_t)in->size, .condition = INSN_CONDITION_NONE};
    /* Intel SDM vol. 2, XCHG: locks with a memory operand, whether there is a prefix or not. */
    out->locked = x86->prefix[0] == X86_PREFIX_LOCK || in->id == X86_INS_XCHG;
    out->flow = (uint8_t)flow_of(in);
    out->is_nop = in->id == X86_INS_NOP;
    if (out->flow == INSN_CONDITIONAL)
        out->condition = condition_of(in);
    if (out->flow != INSN_PLAIN && x86->op_count && x86->operands[0].type == X86_OP_IMM)
        out->target = (uint64_t)x86->operands[0].imm;
    insn_add_memory(out, in);
    insn_add_operation(out, in);
}
