/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/insn_part.h"

/* capstone 4 takes stores of movups, movdqa, vmovdqu and others for loads: with memory first and
 * a vector register second there are only stores (Intel SDM vol. 2). */
static bool stores_vector(const cs_x86 *x86, const cs_x86_op *op)
{
    return x86->op_count == 2 && op == &x86->operands[0] && x86->operands[1].type == X86_OP_REG &&
           insn_is_vector(x86->operands[1].reg);
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

struct insn_memory insn_memory_of(const cs_insn *in, const cs_x86_op *op)
{
    struct insn_part base = insn_part(op->mem.base);
    struct insn_memory memory = {
        .base = base.reg,
        .index = insn_part(op->mem.index).reg,
        .scale = (uint8_t)op->mem.scale,
        .size = (uint8_t)op->size,
        .segment = op->mem.segment == X86_REG_FS   ? 1
                   : op->mem.segment == X86_REG_GS ? 2
                                                   : 0,
        .kind = (uint8_t)kind_of(in, op),
        .narrow = in->detail->x86.addr_size == 4,
        .vector = insn_is_vector(op->mem.index),
        .displacement = op->mem.disp,
    };
    if (op->mem.base == X86_REG_RIP || op->mem.base == X86_REG_EIP)
        memory.displacement += (int64_t)(in->address + in->size);
    return memory;
}

static struct insn_memory stack_memory(int64_t displacement, enum access_kind kind)
{
    return (struct insn_memory){.base = SREG_SP,
                                .index = SREG_NONE,
                                .scale = 1,
                                .size = 8,
                                .kind = (uint8_t)kind,
                                .displacement = displacement};
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

void insn_add_memory(struct insn *out, const struct cs_insn *in)
{
    const cs_x86 *x86 = &in->detail->x86;
    for (int i = 0; i < x86->op_count && touches_memory(in); i++)
        if (x86->operands[i].type == X86_OP_MEM)
            add_memory(out, insn_memory_of(in, &x86->operands[i]));
    add_stack(out, in);
    note_string(out, in);
}
