/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/trace_undo.h"

uint64_t trace_truncate(uint64_t value, uint8_t width)
{
    return width >= 8 ? value : value & ((UINT64_C(1) << width * 8) - 1);
}

/* The other operand of an instruction, from what holds after it. */
static bool source_after(struct trace_values *values, const struct insn *insn, uint8_t reg,
                         size_t at, uint64_t *source)
{
    if (insn->source == SREG_NONE) {
        *source = (uint64_t)insn->immediate;
        return true;
    }
    return insn->source != reg && trace_undo(values, insn->source, at, source);
}

static bool invert_operation(struct trace_values *values, const struct insn *insn, uint8_t reg,
                             size_t at, uint64_t *value)
{
    uint64_t source = 0;
    switch (insn->op) {
    case INSN_OP_NOT:
        *value = ~*value;
        break;
    case INSN_OP_NEG:
        *value = -*value;
        break;
    case INSN_OP_LEA:
        if (insn->memory[0].base != reg || insn->memory[0].index != SREG_NONE)
            return false;
        *value -= (uint64_t)insn->memory[0].displacement;
        break;
    case INSN_OP_ADD:
    case INSN_OP_SUB:
    case INSN_OP_XOR:
        if (!source_after(values, insn, reg, at, &source))
            return false;
        *value = insn->op == INSN_OP_ADD   ? *value - source
                 : insn->op == INSN_OP_SUB ? *value + source
                                           : *value ^ source;
        break;
    default:
        return false;
    }
    /* A 32-bit operation cleared the upper half; what was there before it was most likely
     * zero too, for the compiler keeps a 32-bit value there. */
    *value = trace_truncate(*value, insn->width);
    return true;
}

/* Takes a value back over one instruction that wrote the register. */
static bool invert(struct trace_values *values, size_t at, uint8_t reg, uint64_t *value)
{
    const struct insn *insn = values->trace->insns[at];
    values->undone = true;
    if (insn->stack_step && reg == SREG_SP && insn->dest != SREG_SP) {
        *value -= (uint64_t)(int64_t)insn->stack_step;
        return true;
    }
    /* The direction flag is clear by the ABI; of a repeated one, the last step counts. */
    if (insn->string_step && (reg == SREG_SI || reg == SREG_DI)) {
        *value -= insn->string_step;
        return true;
    }
    if (insn->op == INSN_OP_EXCHANGE && insn->source != SREG_NONE)
        return trace_undo(values, insn->dest == reg ? insn->source : insn->dest, at + 1, value);
    return insn->dest == reg && invert_operation(values, insn, reg, at, value);
}

bool trace_undo(struct trace_values *values, uint8_t reg, size_t at, uint64_t *value)
{
    if (!values->budget)
        return false;
    values->budget--;
    if (values->missing >> reg & 1) {
        values->no_register = true;
        return false;
    }
    *value = values->regs[reg];
    if (!(values->trace->written[at] >> reg & 1))
        return true;
    for (size_t i = values->trace->count; i > at; i--)
        if (trace_writes(values->trace, i - 1, at) >> reg & 1 && !invert(values, i - 1, reg, value))
            return false;
    return true;
}
