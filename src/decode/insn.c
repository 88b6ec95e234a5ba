/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/insn.h"

#include <capstone/capstone.h>
#include <string.h>

struct part {
    uint8_t reg;   /* enum sample_register, SREG_NONE */
    uint8_t width; /* bytes; 0: the high byte of AX..DX, which is not followed */
};

/* Register families by their names in every width. */
static const struct {
    uint8_t reg;
    x86_reg wide, dword, word, byte, high;
} families[] = {
    {SREG_AX, X86_REG_RAX, X86_REG_EAX, X86_REG_AX, X86_REG_AL, X86_REG_AH},
    {SREG_BX, X86_REG_RBX, X86_REG_EBX, X86_REG_BX, X86_REG_BL, X86_REG_BH},
    {SREG_CX, X86_REG_RCX, X86_REG_ECX, X86_REG_CX, X86_REG_CL, X86_REG_CH},
    {SREG_DX, X86_REG_RDX, X86_REG_EDX, X86_REG_DX, X86_REG_DL, X86_REG_DH},
    {SREG_SI, X86_REG_RSI, X86_REG_ESI, X86_REG_SI, X86_REG_SIL, X86_REG_INVALID},
    {SREG_DI, X86_REG_RDI, X86_REG_EDI, X86_REG_DI, X86_REG_DIL, X86_REG_INVALID},
    {SREG_BP, X86_REG_RBP, X86_REG_EBP, X86_REG_BP, X86_REG_BPL, X86_REG_INVALID},
    {SREG_SP, X86_REG_RSP, X86_REG_ESP, X86_REG_SP, X86_REG_SPL, X86_REG_INVALID},
    {SREG_R8, X86_REG_R8, X86_REG_R8D, X86_REG_R8W, X86_REG_R8B, X86_REG_INVALID},
    {SREG_R9, X86_REG_R9, X86_REG_R9D, X86_REG_R9W, X86_REG_R9B, X86_REG_INVALID},
    {SREG_R10, X86_REG_R10, X86_REG_R10D, X86_REG_R10W, X86_REG_R10B, X86_REG_INVALID},
    {SREG_R11, X86_REG_R11, X86_REG_R11D, X86_REG_R11W, X86_REG_R11B, X86_REG_INVALID},
    {SREG_R12, X86_REG_R12, X86_REG_R12D, X86_REG_R12W, X86_REG_R12B, X86_REG_INVALID},
    {SREG_R13, X86_REG_R13, X86_REG_R13D, X86_REG_R13W, X86_REG_R13B, X86_REG_INVALID},
    {SREG_R14, X86_REG_R14, X86_REG_R14D, X86_REG_R14W, X86_REG_R14B, X86_REG_INVALID},
    {SREG_R15, X86_REG_R15, X86_REG_R15D, X86_REG_R15W, X86_REG_R15B, X86_REG_INVALID},
};

static struct part part_of(unsigned reg)
{
    for (size_t i = 0; reg && i < sizeof families / sizeof *families; i++) {
        if (reg == families[i].wide)
            return (struct part){families[i].reg, 8};
        if (reg == families[i].dword)
            return (struct part){families[i].reg, 4};
        if (reg == families[i].word)
            return (struct part){families[i].reg, 2};
        if (reg == families[i].byte)
            return (struct part){families[i].reg, 1};
        if (reg == families[i].high)
            return (struct part){families[i].reg, 0};
    }
    return (struct part){SREG_NONE, 0};
}

static bool is_vector(unsigned reg)
{
    return (reg >= X86_REG_XMM0 && reg <= X86_REG_XMM31) ||
           (reg >= X86_REG_YMM0 && reg <= X86_REG_YMM31) ||
           (reg >= X86_REG_ZMM0 && reg <= X86_REG_ZMM31);
}

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
    const bool holds[] = {overflow, carry, zero, carry || zero, sign, parity, sign != overflow,
                          zero || sign != overflow};
    return holds[condition >> 1 & 7] != (condition & 1);
}

/* capstone 4 takes stores of movups, movdqa, vmovdqu and others for loads: with memory first and
 * a vector register second there are only stores (Intel SDM vol. 2). */
static bool stores_vector(const cs_x86 *x86, const cs_x86_op *op)
{
    return x86->op_count == 2 && op == &x86->operands[0] && x86->operands[1].type == X86_OP_REG &&
           is_vector(x86->operands[1].reg);
}

static enum access_kind kind_of(const cs_insn *in, const cs_x86_op *op)
{
    if (stores_vector(&in->detail->x86, op))
        return ACCESS_STORE;
    switch (in->id) {
    case X86_INS_PREFETCH:
    case X86_INS_PREFETCHNTA:
    case X86_INS_PREFETCHT0:
    case X86_INS_PREFETCHT1:
    case X86_INS_PREFETCHT2:
    case X86_INS_PREFETCHW:
        return ACCESS_PREFETCH;
    case X86_INS_CLFLUSH:
    case X86_INS_CLFLUSHOPT:
    case X86_INS_CLWB:
        return ACCESS_STORE;
    default:
        break;
    }
    bool reads = op->access & CS_AC_READ;
    bool writes = op->access & CS_AC_WRITE;
    return reads && writes ? ACCESS_LOAD_STORE
           : writes        ? ACCESS_STORE
           : reads         ? ACCESS_LOAD
                           : ACCESS_UNKNOWN_KIND;
}

static bool touches_memory(const cs_insn *in)
{
    return in->id != X86_INS_LEA && in->id != X86_INS_NOP && in->id != X86_INS_ENDBR64;
}

static void add_memory(struct insn *out, struct insn_memory memory)
{
    if (out->memory_count < INSN_MEMORY_MAX)
        out->memory[out->memory_count++] = memory;
}

static struct insn_memory memory_of(const cs_insn *in, const cs_x86_op *op)
{
    struct part base = part_of(op->mem.base);
    struct insn_memory memory = {
        .base = base.reg,
        .index = part_of(op->mem.index).reg,
        .scale = (uint8_t)op->mem.scale,
        .size = (uint8_t)op->size,
        .segment = op->mem.segment == X86_REG_FS ? 1 : op->mem.segment == X86_REG_GS ? 2 : 0,
        .kind = (uint8_t)kind_of(in, op),
        .narrow = in->detail->x86.addr_size == 4,
        .vector = is_vector(op->mem.index),
        .displacement = op->mem.disp,
    };
    if (op->mem.base == X86_REG_RIP || op->mem.base == X86_REG_EIP)
        memory.displacement += (int64_t)(in->address + in->size);
    return memory;
}

static struct insn_memory stack_memory(int64_t displacement, enum access_kind kind)
{
    return (struct insn_memory){.base = SREG_SP, .index = SREG_NONE, .scale = 1, .size = 8,
                                .kind = (uint8_t)kind, .displacement = displacement};
}

/* Operands that the encoding does not name, in terms of RSP before the instruction. */
static void add_stack(struct insn *out, const cs_insn *in)
{
    switch (in->id) {
    case X86_INS_PUSH:
    case X86_INS_PUSHFQ:
        out->stack_step = -8;
        add_memory(out, stack_memory(-8, ACCESS_STORE));
        break;
    case X86_INS_CALL:
        out->stack_step = -8;
        add_memory(out, stack_memory(-8, ACCESS_STORE));
        break;
    case X86_INS_POP:
    case X86_INS_POPFQ:
        out->stack_step = 8;
        add_memory(out, stack_memory(0, ACCESS_LOAD));
        break;
    case X86_INS_RET:
        out->stack_step = 8;
        add_memory(out, stack_memory(0, ACCESS_LOAD));
        break;
    case X86_INS_LEAVE: {
        struct insn_memory frame = stack_memory(0, ACCESS_LOAD);
        frame.base = SREG_BP;
        add_memory(out, frame);
        break;
    }
    default:
        break;
    }
}

static void note_string(struct insn *out, const cs_insn *in)
{
    static const struct {
        unsigned first, last;
    } strings[] = {{X86_INS_MOVSB, X86_INS_MOVSB}, {X86_INS_MOVSW, X86_INS_MOVSW},
                   {X86_INS_MOVSQ, X86_INS_MOVSQ}, {X86_INS_STOSB, X86_INS_STOSB},
                   {X86_INS_STOSW, X86_INS_STOSW}, {X86_INS_STOSD, X86_INS_STOSD},
                   {X86_INS_STOSQ, X86_INS_STOSQ}, {X86_INS_LODSB, X86_INS_LODSB},
                   {X86_INS_LODSD, X86_INS_LODSD}, {X86_INS_LODSQ, X86_INS_LODSQ},
                   {X86_INS_SCASB, X86_INS_SCASB}, {X86_INS_SCASD, X86_INS_SCASD},
                   {X86_INS_SCASQ, X86_INS_SCASQ}, {X86_INS_CMPSB, X86_INS_CMPSB},
                   {X86_INS_CMPSQ, X86_INS_CMPSQ}};
    bool string = in->id == X86_INS_MOVSD && out->memory_count == 2;
    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++)
        string |= in->id >= strings[i].first && in->id <= strings[i].last;
    if (!string || !out->memory_count)
        return;
    uint8_t prefix = in->detail->x86.prefix[0];
    out->string_step = out->memory[0].size;
    out->repeats = prefix == X86_PREFIX_REP || prefix == X86_PREFIX_REPNE;
    /* The source is what waits; the destination goes through the store buffer. */
    if (out->memory_count == 2 && out->memory[0].kind == ACCESS_STORE) {
        struct insn_memory store = out->memory[0];
        out->memory[0] = out->memory[1];
        out->memory[1] = store;
    }
}

static const struct {
    unsigned id;
    enum insn_op op;
} operations[] = {
    {X86_INS_MOV, INSN_OP_MOVE},  {X86_INS_MOVABS, INSN_OP_MOVE}, {X86_INS_MOVZX, INSN_OP_MOVE},
    {X86_INS_MOVSX, INSN_OP_MOVE}, {X86_INS_MOVSXD, INSN_OP_MOVE}, {X86_INS_LEA, INSN_OP_LEA},
    {X86_INS_ADD, INSN_OP_ADD},   {X86_INS_SUB, INSN_OP_SUB},     {X86_INS_AND, INSN_OP_AND},
    {X86_INS_OR, INSN_OP_OR},     {X86_INS_XOR, INSN_OP_XOR},     {X86_INS_SHL, INSN_OP_SHL},
    {X86_INS_SAL, INSN_OP_SHL},   {X86_INS_SHR, INSN_OP_SHR},     {X86_INS_SAR, INSN_OP_SAR},
    {X86_INS_IMUL, INSN_OP_MUL},  {X86_INS_NOT, INSN_OP_NOT},     {X86_INS_NEG, INSN_OP_NEG},
    {X86_INS_INC, INSN_OP_ADD},   {X86_INS_DEC, INSN_OP_SUB},     {X86_INS_XCHG, INSN_OP_EXCHANGE},
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
    struct part part;
    out->source = SREG_NONE;
    switch (op->type) {
    case X86_OP_IMM:
        out->immediate = op->imm;
        out->source_width = out->width;
        return true;
    case X86_OP_REG:
        part = part_of(op->reg);
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
    struct part dest = x86->op_count && x86->operands[0].type == X86_OP_REG
                           ? part_of(x86->operands[0].reg)
                           : (struct part){SREG_NONE, 0};
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
        out->memory[0] = memory_of(in, &x86->operands[1]);
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
    struct part source =
        last && last->type == X86_OP_REG ? part_of(last->reg) : (struct part){SREG_NONE, 0};
    out->stored = SREG_NONE;
    if (moves && out->dest == (in->id == X86_INS_PUSH ? source.reg : SREG_NONE) && source.width >= 4)
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
        struct part part = part_of(detail->regs_write[i]);
        if (part.reg != SREG_NONE)
            out->writes |= 1u << part.reg;
        out->changes_flags |= detail->regs_write[i] == X86_REG_EFLAGS;
    }
    for (int i = 0; i < detail->x86.op_count; i++) {
        const cs_x86_op *op = &detail->x86.operands[i];
        struct part part = op->type == X86_OP_REG ? part_of(op->reg)
                                                  : (struct part){SREG_NONE, 0};
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

void insn_from_capstone(struct insn *out, const struct cs_insn *in)
{
    const cs_x86 *x86 = &in->detail->x86;
    *out = (struct insn){.address = in->address, .length = (uint8_t)in->size,
                         .condition = INSN_CONDITION_NONE};
    /* Intel SDM vol. 2, XCHG: locks with a memory operand, whether there is a prefix or not. */
    out->locked = x86->prefix[0] == X86_PREFIX_LOCK || in->id == X86_INS_XCHG;
    out->flow = (uint8_t)flow_of(in);
    if (out->flow == INSN_CONDITIONAL)
        out->condition = condition_of(in);
    if (out->flow != INSN_PLAIN && x86->op_count && x86->operands[0].type == X86_OP_IMM)
        out->target = (uint64_t)x86->operands[0].imm;
    for (int i = 0; i < x86->op_count && touches_memory(in); i++)
        if (x86->operands[i].type == X86_OP_MEM)
            add_memory(out, memory_of(in, &x86->operands[i]));
    add_stack(out, in);
    note_string(out, in);
    set_operation(out, in);
    set_vague(out, in);
    set_written(out, in);
}
