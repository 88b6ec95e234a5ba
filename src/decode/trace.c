/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/trace.h"

#include "decode/trace_undo.h"

static uint64_t extend(uint64_t value, uint8_t width, bool sign)
{
    uint64_t low = trace_truncate(value, width);
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

static bool is_copy(struct trace_values *values, uint8_t reg, size_t i, uint64_t *value)
{
    const struct insn *insn = values->trace->insns[i];
    bool copies = insn->op == INSN_OP_MOVE && insn->source == reg && insn->width == 8 &&
                  insn->source_width == 8 && trace_undo(values, insn->dest, i + 1, value);
    values->undone |= copies;
    return copies;
}

/* From a register that took a copy before the value was lost: since then, or already before. */
static bool copied(struct trace_values *values, uint8_t reg, size_t at, uint64_t *value)
{
    for (size_t i = at; i < values->trace->count; i++) {
        if (is_copy(values, reg, i, value))
            return true;
        if (writes(values->trace->insns[i], reg))
            break;
    }
    for (size_t i = at; i > 0 && !writes(values->trace->insns[i - 1], reg); i--)
        if (is_copy(values, reg, i - 1, value))
            return true;
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
        *value = trace_truncate(left, width) >> shift;
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

static bool load_again(struct trace_values *values, const struct insn *insn, uint8_t width,
                       size_t at, uint64_t *value)
{
    uint64_t address;
    uint64_t read = 0;
    if (!width || width > 8 || !values->target->memory ||
        !trace_address(values, &insn->memory[0], at, &address) ||
        !values->target->memory(values->target->context, address, &read, width))
        return false;
    values->reread = true;
    *value = extend(read, width, insn->sign_extends);
    return true;
}

/* add or sub of a memory operand */
static bool add_again(struct trace_values *values, const struct insn *insn, size_t at,
                      uint64_t *value)
{
    uint64_t left;
    uint64_t right;
    if (!trace_register(values, insn->dest, at, &left) ||
        !load_again(values, insn, insn->width, at, &right))
        return false;
    *value = insn->vague == INSN_VAGUE_ADD ? left + right : left - right;
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
    case INSN_OP_NONE:
        known = add_again(values, insn, at, value);
        break;
    case INSN_OP_MOVE:
        known = operand_before(values, insn, at, &right);
        *value = extend(right, insn->source_width, insn->sign_extends);
        break;
    case INSN_OP_LOAD:
        known = load_again(values, insn, insn->source_width, at, value);
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
    *value = trace_truncate(*value, insn->width);
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
        bool adds = insn->vague == INSN_VAGUE_ADD || insn->vague == INSN_VAGUE_SUB;
        return insn->dest == reg &&
               (insn->op != INSN_OP_NONE || (adds && insn->source == SREG_NONE)) &&
               insn->op != INSN_OP_EXCHANGE && compute(values, insn, i - 1, value);
    }
    return false;
}

bool trace_register(struct trace_values *values, uint8_t reg, size_t at, uint64_t *value)
{
    bool undone = values->undone;
    if (!((values->trace->written[at] | values->missing) >> reg & 1)) {
        *value = values->regs[reg];
        return true;
    }
    if (trace_undo(values, reg, at, value))
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
        *address = trace_truncate(*address, 4);
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
