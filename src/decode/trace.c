/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/trace.h"

static uint64_t truncate_to(uint64_t value, uint8_t width)
{
    return width >= 8 ? value : value & ((UINT64_C(1) << width * 8) - 1);
}

static uint64_t extend(uint64_t value, uint8_t width, bool sign)
{
    uint64_t low = truncate_to(value, width);
    uint64_t top = width < 8 ? UINT64_C(1) << (width * 8 - 1) : 0;
    return sign && low & top ? low | ~((top << 1) - 1) : low;
}

static bool writes(const struct insn *insn, uint8_t reg)
{
    return insn->writes >> reg & 1;
}

void trace_seal(struct trace *trace)
{
    trace->written[trace->count] = 0;
    for (size_t i = trace->count; i > 0; i--)
        trace->written[i - 1] = trace->written[i] | trace->insns[i - 1]->writes;
}

static bool forward(struct trace_values *values, uint8_t reg, size_t at, uint64_t *value);

/* The other operand of an instruction, from what holds after it. */
static bool source_after(struct trace_values *values, const struct insn *insn, uint8_t reg,
                         size_t at, uint64_t *source)
{
    if (insn->source == SREG_NONE) {
        *source = (uint64_t)insn->immediate;
        return true;
    }
    return insn->source != reg && forward(values, insn->source, at, source);
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
    *value = truncate_to(*value, insn->width);
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
        return forward(values, insn->dest == reg ? insn->source : insn->dest, at + 1, value);
    return insn->dest == reg && invert_operation(values, insn, reg, at, value);
}

/* From the present back to `at`, over changes that can be undone. */
static bool forward(struct trace_values *values, uint8_t reg, size_t at, uint64_t *value)
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
        if (writes(values->trace->insns[i - 1], reg) && !invert(values, i - 1, reg, value))
            return false;
    return true;
}

/* From a register that took a copy before the value was lost. */
static bool copied(struct trace_values *values, uint8_t reg, size_t at, uint64_t *value)
{
    for (size_t i = at; i < values->trace->count; i++) {
        const struct insn *insn = values->trace->insns[i];
        if (insn->op == INSN_OP_MOVE && insn->source == reg && insn->width == 8 &&
            insn->source_width == 8 && forward(values, insn->dest, i + 1, value)) {
            values->undone = true;
            return true;
        }
        if (writes(insn, reg))
            return false;
    }
    return false;
}

static bool apply(enum insn_op op, uint64_t left, uint64_t right, uint8_t width, uint64_t *value)
{
    unsigned shift = (unsigned)right & (width == 8 ? 63 : 31);
    switch (op) {
    case INSN_OP_ADD:
        *value = left + right;
        return true;
    case INSN_OP_SUB:
        *value = left - right;
        return true;
    case INSN_OP_AND:
        *value = left & right;
        return true;
    case INSN_OP_OR:
        *value = left | right;
        return true;
    case INSN_OP_XOR:
        *value = left ^ right;
        return true;
    case INSN_OP_SHL:
        *value = left << shift;
        return true;
    case INSN_OP_SHR:
        *value = truncate_to(left, width) >> shift;
        return true;
    case INSN_OP_SAR:
        *value = (uint64_t)((int64_t)extend(left, width, true) >> shift);
        return true;
    case INSN_OP_MUL:
        *value = left * right;
        return true;
    default:
        return false;
    }
}

static bool load_again(struct trace_values *values, const struct insn *insn, size_t at,
                       uint64_t *value)
{
    uint64_t address;
    uint64_t read = 0;
    if (!insn->source_width || insn->source_width > 8 || !values->target->memory ||
        !trace_address(values, &insn->memory[0], at, &address) ||
        !values->target->memory(values->target->context, address, &read, insn->source_width))
        return false;
    values->reread = true;
    *value = extend(read, insn->source_width, insn->sign_extends);
    return true;
}

static bool operand_before(struct trace_values *values, const struct insn *insn, size_t at,
                           uint64_t *value)
{
    if (insn->source != SREG_NONE)
        return trace_register(values, insn->source, at, value);
    *value = (uint64_t)insn->immediate;
    return true;
}

/* What an instruction put into its destination. */
static bool compute(struct trace_values *values, const struct insn *insn, size_t at,
                    uint64_t *value)
{
    uint64_t left;
    uint64_t right = 0;
    bool known = false;
    switch (insn->op) {
    case INSN_OP_MOVE:
        known = operand_before(values, insn, at, &right);
        *value = extend(right, insn->source_width, insn->sign_extends);
        break;
    case INSN_OP_LOAD:
        known = load_again(values, insn, at, value);
        break;
    case INSN_OP_LEA:
        known = trace_address(values, &insn->memory[0], at, value);
        break;
    case INSN_OP_MUL3:
        known = operand_before(values, insn, at, &left);
        *value = known ? left * (uint64_t)insn->immediate : 0;
        break;
    case INSN_OP_XOR:
    case INSN_OP_SUB:
        /* xor r,r and sub r,r make zero of whatever was there. */
        if (insn->source == insn->dest) {
            *value = 0;
            return true;
        }
        /* fall through */
    default:
        known = trace_register(values, insn->dest, at, &left) &&
                operand_before(values, insn, at, &right) &&
                apply(insn->op, left, right, insn->width, value);
    }
    *value = truncate_to(*value, insn->width);
    return known;
}

/* Computed again from what made it, the last write before `at`. */
static bool backward(struct trace_values *values, uint8_t reg, size_t at, uint64_t *value)
{
    for (size_t i = at; i > 0; i--) {
        const struct insn *insn = values->trace->insns[i - 1];
        if (!writes(insn, reg))
            continue;
        *value = 0;
        values->undone = true;
        return insn->dest == reg && insn->op != INSN_OP_NONE && insn->op != INSN_OP_EXCHANGE &&
               compute(values, insn, i - 1, value);
    }
    return false;
}

bool trace_register(struct trace_values *values, uint8_t reg, size_t at, uint64_t *value)
{
    bool undone = values->undone;
    if (forward(values, reg, at, value))
        return true;
    values->undone = undone;
    return copied(values, reg, at, value) || backward(values, reg, at, value);
}

bool trace_address(struct trace_values *values, const struct insn_memory *memory, size_t at,
                   uint64_t *address)
{
    uint64_t part = 0;
    *address = (uint64_t)memory->displacement;
    if (memory->base != SREG_NONE) {
        if (!trace_register(values, memory->base, at, &part))
            return false;
        *address += part;
    }
    if (memory->index != SREG_NONE) {
        if (!trace_register(values, memory->index, at, &part))
            return false;
        *address += part * memory->scale;
    }
    if (memory->narrow)
        *address = truncate_to(*address, 4);
    if (memory->segment) {
        enum decode_segment segment = memory->segment == 1 ? DECODE_FS : DECODE_GS;
        if (!values->target->segment ||
            !values->target->segment(values->target->context, values->tid, segment, &part)) {
            values->no_segment = true;
            return false;
        }
        *address += part;
    }
    return true;
}
