/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/trace.h"

#include "decode/trace_undo.h"

#include <string.h>

enum {
    RED_ZONE_BYTES =
        128, /* System V ABI AMD64, 3.2.2: below the stack pointer, of leaf functions */
    RETURNED_BYTES = 65536,
    FRAME_BYTES = 1024 /* compared at most */
};

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

static const uint32_t preserved = 1u << SREG_BX | 1u << SREG_BP | 1u << SREG_SP | 1u << SREG_R12 |
                                  1u << SREG_R13 | 1u << SREG_R14 | 1u << SREG_R15;

uint32_t trace_writes(const struct trace *trace, size_t i, size_t at)
{
    uint32_t writes = trace->insns[i]->writes;
    for (size_t s = 0; s < trace->segment_count; s++)
        if (at <= trace->segments[s].call && i >= trace->segments[s].call &&
            i < trace->segments[s].end)
            return writes & ~preserved;
    return writes;
}

void trace_seal(const struct trace *trace, uint32_t *written)
{
    written[trace->count] = 0;
    for (size_t at = trace->count; at > 0; at--) {
        written[at - 1] = written[at] | trace->insns[at - 1]->writes;
        for (size_t s = 0; s < trace->segment_count; s++) {
            if (trace->segments[s].call != at - 1)
                continue;
            written[at - 1] = 0;
            for (size_t i = at - 1; i < trace->count; i++)
                written[at - 1] |= trace_writes(trace, i, at - 1);
        }
    }
}

/* lea with a constant is a copy, and a sum. */
static bool is_sum(const struct insn *insn, uint8_t reg)
{
    return insn->op == INSN_OP_LEA && insn->width == 8 && insn->memory[0].base == reg &&
           insn->memory[0].index == SREG_NONE && !insn->memory[0].narrow;
}

static bool is_copy(struct trace_values *values, uint8_t reg, size_t i, uint64_t *value)
{
    const struct insn *insn = values->trace->insns[i];
    if (is_sum(insn, reg) && insn->dest != reg && trace_undo(values, insn->dest, i + 1, value)) {
        *value -= (uint64_t)insn->memory[0].displacement;
        values->undone = true;
        return true;
    }
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

/* The sampled leaf function has not returned: the stack above it is unchanged. */
static bool still_in_leaf(const struct trace_values *values)
{
    unsigned char now[FRAME_BYTES];
    size_t bytes = values->stack_bytes < sizeof now ? values->stack_bytes : sizeof now;
    return bytes &&
           values->target->memory(values->target->context, values->regs[SREG_SP], now, bytes) &&
           !memcmp(now, values->stack, bytes);
}

bool trace_memory(struct trace_values *values, uint64_t address, void *out, size_t size)
{
    const struct decode_target *target = values->target;
    uint64_t stack = values->regs[SREG_SP];
    bool known = values->stack && !(values->missing >> SREG_SP & 1);
    if (known && address >= stack && address - stack + size <= values->stack_bytes) {
        memcpy(out, values->stack + (address - stack), size);
        return true;
    }
    if (!target->memory)
        return false;
    if (values->returned && address < stack && stack - address <= RETURNED_BYTES)
        return false;
    if (known && address < stack && stack - address <= RED_ZONE_BYTES) {
        values->leaf = values->inferred = true;
        return still_in_leaf(values) && target->memory(target->context, address, out, size);
    }
    return target->memory(target->context, address, out, size);
}

/* Going back from before instruction `i`: over a function that returned there, for it preserved the
 * register. */
static size_t before_called(const struct trace *trace, uint8_t reg, size_t i)
{
    bool again = preserved >> reg & 1;
    while (again) {
        again = false;
        for (size_t s = 0; s < trace->segment_count; s++)
            if (trace->segments[s].end == i) {
                i = trace->segments[s].call;
                again = true;
            }
    }
    return i;
}

static bool is_slot(const struct insn_memory *memory)
{
    return (memory->base == SREG_BP || memory->base == SREG_SP) && memory->index == SREG_NONE &&
           !memory->segment;
}

static bool overlap(const struct insn_memory *a, const struct insn_memory *b)
{
    return a->base == b->base && a->displacement < b->displacement + b->size &&
           b->displacement < a->displacement + a->size;
}

/*
 * What an earlier instruction put into the slot of the frame that `at` loads from: as it was put,
 * whatever became of the slot. False: none of the trace did.
 */
static bool forwarded(struct trace_values *values, size_t at, uint8_t width, uint64_t *value)
{
    const struct insn_memory *slot = &values->trace->insns[at]->memory[0];
    if (!is_slot(slot))
        return false;
    for (size_t i = at; (i = before_called(values->trace, slot->base, i)) > 0; i--) {
        const struct insn *insn = values->trace->insns[i - 1];
        const struct insn_memory *stored = &insn->memory[0];
        if (insn->writes >> slot->base & 1)
            return false;
        if (!insn->memory_count || stored->kind == ACCESS_LOAD || !is_slot(stored) ||
            !overlap(stored, slot))
            continue;
        return insn->stored != SREG_NONE && stored->displacement == slot->displacement &&
               stored->size >= width && trace_register(values, insn->stored, i - 1, value);
    }
    return false;
}

/* Whether what ran afterwards wrote to the slot. */
static bool overwritten_later(const struct trace_values *values, size_t at)
{
    const struct insn_memory *slot = &values->trace->insns[at]->memory[0];
    for (size_t i = at + 1; is_slot(slot) && i < values->trace->count; i++) {
        const struct insn *insn = values->trace->insns[i];
        if (insn->writes >> slot->base & 1)
            return false;
        if (insn->memory_count && insn->memory[0].kind != ACCESS_LOAD &&
            is_slot(&insn->memory[0]) && overlap(&insn->memory[0], slot))
            return true;
    }
    return false;
}

static bool load_again(struct trace_values *values, const struct insn *insn, uint8_t width,
                       size_t at, uint64_t *value)
{
    uint64_t address;
    uint64_t read = 0;
    if (!width || width > 8)
        return false;
    if (forwarded(values, at, width, &read)) {
        *value = extend(read, width, insn->sign_extends);
        return true;
    }
    if (!trace_address(values, &insn->memory[0], at, &address) ||
        !trace_memory(values, address, &read, width))
        return false;
    values->reread = true;
    values->inferred |= overwritten_later(values, at);
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
    for (size_t i = at; (i = before_called(values->trace, reg, i)) > 0; i--) {
        const struct insn *insn = values->trace->insns[i - 1];
        if (!writes(insn, reg))
            continue;
        *value = 0;
        values->undone = true;
        if (reg == SREG_SP && insn->stack_step && insn->dest != SREG_SP) {
            bool known = trace_register(values, SREG_SP, i - 1, value);
            *value += (uint64_t)(int64_t)insn->stack_step;
            return known;
        }
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
    if (!values->budget)
        return false;
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
