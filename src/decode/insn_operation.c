/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/insn_part.h"

static const struct {
    unsigned id;
    enum insn_op op;
} operations[] = {
    {X86_INS_MOV, INSN_OP_MOVE},   {X86_INS_MOVABS, INSN_OP_MOVE}, {X86_INS_MOVZX, INSN_OP_MOVE},
    {X86_INS_MOVSX, INSN_OP_MOVE}, {X86_INS_MOVSXD, INSN_OP_MOVE}, {X86_INS_LEA, INSN_OP_LEA},
    {X86_INS_ADD, INSN_OP_ADD},    {X86_INS_SUB, INSN_OP_SUB},     {X86_INS_AND, INSN_OP_AND},
    {X86_INS_OR, INSN_OP_OR},      {X86_INS_XOR, INSN_OP_XOR},     {X86_INS_SHL, INSN_OP_SHL},
    {X86_INS_SAL, INSN_OP_SHL},    {X86_INS_SHR, INSN_OP_SHR},     {X86_INS_SAR, INSN_OP_SAR},
    {X86_INS_IMUL, INSN_OP_MUL},   {X86_INS_NOT, INSN_OP_NOT},     {X86_INS_NEG, INSN_OP_NEG},
    {X86_INS_INC, INSN_OP_ADD},    {X86_INS_DEC, INSN_OP_SUB},     {X86_INS_XCHG, INSN_OP_EXCHANGE},
};

static enum insn_op operation_of(unsigned id)
{
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (operations[i].id == id)
            return operations[i].op;
    return INSN_OP_NONE;
}

/* Second operand: register, immediate, or memory (a load). False: not followed. */
static bool set_source(struct insn *out, const cs_x86_op *op)
{
    struct insn_part part;
    out->source = SREG_NONE;
    switch (op->type) {
    case X86_OP_IMM:
        out->immediate = op->imm;
        out->source_width = out->width;
        return true;
    case X86_OP_REG:
        part = insn_part(op->reg);
        out->source = part.reg;
        out->source_width = part.width;
        return part.reg != SREG_NONE && part.width;
    case X86_OP_MEM:
        out->source_width = (uint8_t)op->size;
        if (out->op == INSN_OP_MOVE)
            out->op = INSN_OP_LOAD;
        /* Other operations with a memory operand are not followed. */
        return out->op == INSN_OP_LOAD || out->op == INSN_OP_LEA;
    default:
        return false;
    }
}

/* cdqe and cwde widen the accumulator in place; they name no operands. */
static void set_widening(struct insn *out, uint8_t width)
{
    out->op = INSN_OP_MOVE;
    out->dest = out->source = SREG_AX;
    out->width = width;
    out->source_width = width / 2;
    out->sign_extends = true;
    out->writes |= 1u << SREG_AX;
}

/* What the instruction does to its destination, where that is followed. */
static void set_operation(struct insn *out, const cs_insn *in)
{
    const cs_x86 *x86 = &in->detail->x86;
    out->dest = out->source = SREG_NONE;
    if (in->id == X86_INS_CDQE || in->id == X86_INS_CWDE) {
        set_widening(out, in->id == X86_INS_CDQE ? 8 : 4);
        return;
    }
    struct insn_part dest = x86->op_count && x86->operands[0].type == X86_OP_REG
                                ? insn_part(x86->operands[0].reg)
                                : (struct insn_part){SREG_NONE, 0};
    out->op = (uint8_t)operation_of(in->id);
    out->source = SREG_NONE;
    out->dest = dest.reg;
    out->width = dest.width;
    out->sign_extends = in->id == X86_INS_MOVSX || in->id == X86_INS_MOVSXD;
    bool followed = out->op != INSN_OP_NONE && dest.reg != SREG_NONE && dest.width >= 4;
    if (followed && x86->op_count == 1) {
        /* inc, dec, shifts by one, not, neg; imul by one operand writes two registers */
        out->immediate = 1;
        followed = out->op != INSN_OP_MUL;
    } else if (followed && x86->op_count == 2) {
        followed = set_source(out, &x86->operands[1]);
    } else if (followed && out->op == INSN_OP_MUL && x86->op_count == 3) {
        out->op = INSN_OP_MUL3;
        followed = set_source(out, &x86->operands[1]) && x86->operands[2].type == X86_OP_IMM;
        out->immediate = x86->operands[2].imm;
        followed &= out->source != SREG_NONE;
    } else {
        followed = false;
    }
    if (!followed)
        out->op = INSN_OP_NONE;
    if (followed && out->op == INSN_OP_LEA) {
        out->memory[0] = insn_memory_of(in, &x86->operands[1]);
        out->memory_count = 0;
    }
}

static bool is_choice(unsigned id)
{
    switch (id) {
    case X86_INS_CMOVA:
    case X86_INS_CMOVAE:
    case X86_INS_CMOVB:
    case X86_INS_CMOVBE:
    case X86_INS_CMOVE:
    case X86_INS_CMOVG:
    case X86_INS_CMOVGE:
    case X86_INS_CMOVL:
    case X86_INS_CMOVLE:
    case X86_INS_CMOVNE:
    case X86_INS_CMOVNO:
    case X86_INS_CMOVNP:
    case X86_INS_CMOVNS:
    case X86_INS_CMOVO:
    case X86_INS_CMOVP:
    case X86_INS_CMOVS:
        return true;
    default:
        return false;
    }
}

/* What types need beyond set_operation(): chosen and added pointers, and what is stored. */
static void set_vague(struct insn *out, const cs_insn *in)
{
    const cs_x86 *x86 = &in->detail->x86;
    bool moves = in->id == X86_INS_MOV || in->id == X86_INS_PUSH;
    const cs_x86_op *last = x86->op_count ? &x86->operands[x86->op_count - 1] : NULL;
    struct insn_part source =
        last && last->type == X86_OP_REG ? insn_part(last->reg) : (struct insn_part){SREG_NONE, 0};
    out->stored = SREG_NONE;
    if (moves && out->dest == (in->id == X86_INS_PUSH ? source.reg : SREG_NONE) &&
        source.width >= 4)
        out->stored = source.reg;
    if (out->op != INSN_OP_NONE || x86->op_count != 2 || out->dest == SREG_NONE || out->width != 8)
        return;
    bool memory = last->type == X86_OP_MEM;
    if (is_choice(in->id) && (memory || source.reg != SREG_NONE))
        out->vague = INSN_VAGUE_CHOOSE;
    else if (memory && (in->id == X86_INS_ADD || in->id == X86_INS_SUB))
        out->vague = in->id == X86_INS_ADD ? INSN_VAGUE_ADD : INSN_VAGUE_SUB;
    if (out->vague)
        out->source = source.reg;
}

static void set_written(struct insn *out, const cs_insn *in)
{
    const cs_detail *detail = in->detail;
    for (int i = 0; i < detail->regs_write_count; i++) {
        struct insn_part part = insn_part(detail->regs_write[i]);
        if (part.reg != SREG_NONE)
            out->writes |= 1u << part.reg;
        out->changes_flags |= detail->regs_write[i] == X86_REG_EFLAGS;
    }
    for (int i = 0; i < detail->x86.op_count; i++) {
        const cs_x86_op *op = &detail->x86.operands[i];
        struct insn_part part =
            op->type == X86_OP_REG ? insn_part(op->reg) : (struct insn_part){SREG_NONE, 0};
        /* Some of capstone's access flags are missing; the first operand is the usual one. */
        bool compares = in->id == X86_INS_CMP || in->id == X86_INS_TEST || in->id == X86_INS_PUSH;
        if (part.reg != SREG_NONE && (op->access & CS_AC_WRITE || (i == 0 && !compares)))
            out->writes |= 1u << part.reg;
    }
    if (out->stack_step)
        out->writes |= 1u << SREG_SP;
    if (in->id == X86_INS_XCHG && out->source != SREG_NONE)
        out->writes |= 1u << out->source;
}

void insn_add_operation(struct insn *out, const struct cs_insn *in)
{
    set_operation(out, in);
    set_vague(out, in);
    set_written(out, in);
}
