/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/trace.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static uint32_t trace_writes(const struct trace *trace, size_t i, size_t at);
static bool trace_undo(struct trace_values *values, uint8_t reg, size_t at, uint64_t *value);
static bool reload_value(struct trace_values *values, const struct insn *insn, uint8_t width,
                         size_t at, uint64_t *value);

static uint64_t trace_truncate(uint64_t value, uint8_t width)
{
    return width >= 8 ? value : value & ((UINT64_C(1) << width * 8) - 1);
}

/* Finds the other operand of an instruction, from the values after it. */
static bool source_value_after(struct trace_values *values, const struct insn *insn, uint8_t reg,
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
        if (!source_value_after(values, insn, reg, at, &source))
            return false;
        *value = insn->op == INSN_OP_ADD   ? *value - source
                 : insn->op == INSN_OP_SUB ? *value + source
                                           : *value ^ source;
        break;
    default:
        return false;
    }
    /* A 32-bit operation clears the upper half, which was most likely zero before. */
    *value = trace_truncate(*value, insn->width);
    return true;
}

static bool invert_instruction(struct trace_values *values, size_t at, uint8_t reg, uint64_t *value)
{
    const struct insn *insn = values->trace->insns[at];
    values->used_inversion = true;
    if (insn->stack_step && reg == SREG_SP && insn->dest != SREG_SP) {
        *value -= (uint64_t)(int64_t)insn->stack_step;
        return true;
    }
    /* The direction flag is clear by the ABI. For a repeated instruction, undo the last step. */
    if (insn->string_step && (reg == SREG_SI || reg == SREG_DI)) {
        *value -= insn->string_step;
        return true;
    }
    if (insn->op == INSN_OP_EXCHANGE && insn->source != SREG_NONE)
        return trace_undo(values, insn->dest == reg ? insn->source : insn->dest, at + 1, value);
    uint64_t added;
    bool adds = insn->partial_op == INSN_PARTIAL_ADD || insn->partial_op == INSN_PARTIAL_SUB;
    if (adds && insn->dest == reg && insn->source == SREG_NONE && insn->memory_count &&
        !(insn_memory_uses(&insn->memory[0]) >> reg & 1) &&
        reload_value(values, insn, insn->width, at, &added)) {
        *value = insn->partial_op == INSN_PARTIAL_ADD ? *value - added : *value + added;
        return true;
    }
    return insn->dest == reg && invert_operation(values, insn, reg, at, value);
}

/* Undoes later changes. Returns false if an instruction in between lost the value. */
static bool trace_undo(struct trace_values *values, uint8_t reg, size_t at, uint64_t *value)
{
    if (!values->steps_left)
        return false;
    values->steps_left--;
    if (values->unknown_registers >> reg & 1) {
        values->no_register = true;
        return false;
    }
    *value = values->regs[reg];
    if (!(values->trace->written[at] >> reg & 1))
        return true;
    for (size_t i = values->trace->count; i > at; i--)
        if (trace_writes(values->trace, i - 1, at) >> reg & 1 &&
            !invert_instruction(values, i - 1, reg, value))
            return false;
    return true;
}

enum {
    RED_ZONE_BYTES = 128, /* System V ABI AMD64, 3.2.2: below the stack pointer of leaf functions */
    RETURNED_BYTES = 65536,
    FRAME_BYTES = 1024 /* compared at most */
};

static uint64_t extend_value(uint64_t value, uint8_t width, bool sign)
{
    uint64_t low = trace_truncate(value, width);
    uint64_t top = width < 8 ? UINT64_C(1) << (width * 8 - 1) : 0;
    return sign && low & top ? low | ~((top << 1) - 1) : low;
}

static bool writes_register(const struct insn *insn, uint8_t reg)
{
    return insn->writes >> reg & 1;
}

static const uint32_t preserved = 1u << SREG_BX | 1u << SREG_BP | 1u << SREG_SP | 1u << SREG_R12 |
                                  1u << SREG_R13 | 1u << SREG_R14 | 1u << SREG_R15;

/* Returns the registers that instruction `i` writes, as seen from before instruction `at`. */
static uint32_t trace_writes(const struct trace *trace, size_t i, size_t at)
{
    uint32_t writes = trace->insns[i]->writes;
    for (size_t s = 0; s < trace->segment_count; s++)
        if (at <= trace->segments[s].call && i >= trace->segments[s].call &&
            i < trace->segments[s].end)
            return writes & ~preserved;
    return writes;
}

void trace_seal(const struct trace *trace)
{
    uint32_t *written = trace->written;
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

/* Returns true for lea of a register plus a constant, which is a copy plus a sum. */
static bool is_lea_sum(const struct insn *insn, uint8_t reg)
{
    return insn->op == INSN_OP_LEA && insn->width == 8 && insn->memory[0].base == reg &&
           insn->memory[0].index == SREG_NONE && !insn->memory[0].has_32bit_address;
}

static bool is_copy(struct trace_values *values, uint8_t reg, size_t i, uint64_t *value)
{
    const struct insn *insn = values->trace->insns[i];
    if (is_lea_sum(insn, reg) && insn->dest != reg &&
        trace_undo(values, insn->dest, i + 1, value)) {
        *value -= (uint64_t)insn->memory[0].displacement;
        values->used_inversion = true;
        return true;
    }
    bool copies = insn->op == INSN_OP_MOVE && insn->source == reg && insn->width == 8 &&
                  insn->source_width == 8 && trace_undo(values, insn->dest, i + 1, value);
    values->used_inversion |= copies;
    return copies;
}

/* Takes the value from a register that has a copy, made later or earlier than `at`. */
static bool value_from_copy(struct trace_values *values, uint8_t reg, size_t at, uint64_t *value)
{
    for (size_t i = at; i < values->trace->count; i++) {
        if (is_copy(values, reg, i, value))
            return true;
        if (writes_register(values->trace->insns[i], reg))
            break;
    }
    for (size_t i = at; i > 0 && !writes_register(values->trace->insns[i - 1], reg); i--)
        if (is_copy(values, reg, i - 1, value))
            return true;
    return false;
}

static bool apply_operation(enum insn_op op, uint64_t left, uint64_t right, uint8_t width,
                            uint64_t *value)
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
        *value = (uint64_t)((int64_t)extend_value(left, width, true) >> shift);
        return true;
    case INSN_OP_MUL:
        *value = left * right;
        return true;
    case INSN_OP_NOT:
        *value = ~left;
        return true;
    case INSN_OP_NEG:
        *value = -left;
        return true;
    default:
        return false;
    }
}

/* Returns true if the sampled leaf function has not returned: the stack above it is unchanged. */
static bool is_still_in_leaf(const struct trace_values *values)
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
    bool known = values->stack && !(values->unknown_registers >> SREG_SP & 1);
    if (known && address >= stack && address - stack + size <= values->stack_bytes) {
        memcpy(out, values->stack + (address - stack), size);
        return true;
    }
    if (!target->memory)
        return false;
    if (values->returned && address < stack && stack - address <= RETURNED_BYTES)
        return false;
    if (known && address < stack && stack - address <= RED_ZONE_BYTES) {
        values->used_leaf_frame = values->used_stale_memory = true;
        return is_still_in_leaf(values) && target->memory(target->context, address, out, size);
    }
    return target->memory(target->context, address, out, size);
}

/* Returns the position before a function that returned at `i`, if it preserved the register. */
static size_t position_before_callee(const struct trace *trace, uint8_t reg, size_t i)
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

static bool is_stack_operand(const struct insn_memory *memory)
{
    return (memory->base == SREG_BP || memory->base == SREG_SP) && memory->index == SREG_NONE &&
           !memory->segment;
}

static bool operands_overlap(const struct insn_memory *a, const struct insn_memory *b)
{
    return a->base == b->base && a->displacement < b->displacement + b->size &&
           b->displacement < a->displacement + a->size;
}

/* Finds the value that an earlier instruction stored in the stack slot that `at` loads from, even
 * if the slot has changed since. Returns false if no instruction of the trace stored it. */
static bool value_from_store(struct trace_values *values, size_t at, uint8_t width, uint64_t *value)
{
    const struct insn_memory *slot = &values->trace->insns[at]->memory[0];
    if (!is_stack_operand(slot))
        return false;
    for (size_t i = at; (i = position_before_callee(values->trace, slot->base, i)) > 0; i--) {
        const struct insn *insn = values->trace->insns[i - 1];
        const struct insn_memory *stored = &insn->memory[0];
        if (insn->writes >> slot->base & 1)
            return false;
        if (!insn->memory_count || stored->kind == ACCESS_LOAD || !is_stack_operand(stored) ||
            !operands_overlap(stored, slot))
            continue;
        return insn->stored_register != SREG_NONE && stored->displacement == slot->displacement &&
               stored->size >= width && trace_register(values, insn->stored_register, i - 1, value);
    }
    return false;
}

static bool is_slot_overwritten(const struct trace_values *values, size_t at)
{
    const struct insn_memory *slot = &values->trace->insns[at]->memory[0];
    for (size_t i = at + 1; is_stack_operand(slot) && i < values->trace->count; i++) {
        const struct insn *insn = values->trace->insns[i];
        if (insn->writes >> slot->base & 1)
            return false;
        if (insn->memory_count && insn->memory[0].kind != ACCESS_LOAD &&
            is_stack_operand(&insn->memory[0]) && operands_overlap(&insn->memory[0], slot))
            return true;
    }
    return false;
}

static bool reload_value(struct trace_values *values, const struct insn *insn, uint8_t width,
                         size_t at, uint64_t *value)
{
    uint64_t address;
    uint64_t read = 0;
    if (!width || width > 8)
        return false;
    if (value_from_store(values, at, width, &read)) {
        *value = extend_value(read, width, insn->sign_extends);
        return true;
    }
    if (!trace_address(values, &insn->memory[0], at, &address) ||
        !trace_memory(values, address, &read, width))
        return false;
    values->used_reread = true;
    values->used_stale_memory |= is_slot_overwritten(values, at);
    *value = extend_value(read, width, insn->sign_extends);
    return true;
}

static bool recompute_memory_add(struct trace_values *values, const struct insn *insn, size_t at,
                                 uint64_t *value)
{
    uint64_t left;
    uint64_t right;
    if (!trace_register(values, insn->dest, at, &left) ||
        !reload_value(values, insn, insn->width, at, &right))
        return false;
    *value = insn->partial_op == INSN_PARTIAL_ADD ? left + right : left - right;
    return true;
}

static bool operand_value_before(struct trace_values *values, const struct insn *insn, size_t at,
                                 uint64_t *value)
{
    if (insn->source != SREG_NONE)
        return trace_register(values, insn->source, at, value);
    *value = (uint64_t)insn->immediate;
    return true;
}

/* Computes the value that an instruction wrote to its destination. */
static bool compute_result(struct trace_values *values, const struct insn *insn, size_t at,
                           uint64_t *value)
{
    uint64_t left;
    uint64_t right = 0;
    bool known = false;
    switch (insn->op) {
    case INSN_OP_NONE:
        known = recompute_memory_add(values, insn, at, value);
        break;
    case INSN_OP_MOVE:
        known = operand_value_before(values, insn, at, &right);
        *value = extend_value(right, insn->source_width, insn->sign_extends);
        break;
    case INSN_OP_LOAD:
        known = reload_value(values, insn, insn->source_width, at, value);
        break;
    case INSN_OP_LEA:
        known = trace_address(values, &insn->memory[0], at, value);
        break;
    case INSN_OP_MUL3:
        known = operand_value_before(values, insn, at, &left);
        *value = known ? left * (uint64_t)insn->immediate : 0;
        break;
    case INSN_OP_XOR:
    case INSN_OP_SUB:
        /* xor r,r and sub r,r give zero for any value. */
        if (insn->source == insn->dest) {
            *value = 0;
            return true;
        }
        /* fall through */
    default:
        known = trace_register(values, insn->dest, at, &left) &&
                operand_value_before(values, insn, at, &right) &&
                apply_operation(insn->op, left, right, insn->width, value);
    }
    *value = trace_truncate(*value, insn->width);
    return known;
}

static bool value_from_writer(struct trace_values *values, uint8_t reg, size_t at, uint64_t *value)
{
    for (size_t i = at; (i = position_before_callee(values->trace, reg, i)) > 0; i--) {
        const struct insn *insn = values->trace->insns[i - 1];
        if (!writes_register(insn, reg))
            continue;
        *value = 0;
        values->used_inversion = true;
        if (reg == SREG_SP && insn->stack_step && insn->dest != SREG_SP) {
            bool known = trace_register(values, SREG_SP, i - 1, value);
            *value += (uint64_t)(int64_t)insn->stack_step;
            return known;
        }
        bool adds = insn->partial_op == INSN_PARTIAL_ADD || insn->partial_op == INSN_PARTIAL_SUB;
        return insn->dest == reg &&
               (insn->op != INSN_OP_NONE || (adds && insn->source == SREG_NONE)) &&
               insn->op != INSN_OP_EXCHANGE && compute_result(values, insn, i - 1, value);
    }
    return false;
}

bool trace_register(struct trace_values *values, uint8_t reg, size_t at, uint64_t *value)
{
    bool undone = values->used_inversion;
    if (!((values->trace->written[at] | values->unknown_registers) >> reg & 1)) {
        *value = values->regs[reg];
        return true;
    }
    if (trace_undo(values, reg, at, value))
        return true;
    values->used_inversion = undone;
    if (!values->steps_left)
        return false;
    return value_from_copy(values, reg, at, value) || value_from_writer(values, reg, at, value);
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
    if (memory->has_32bit_address)
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

enum { AGREES_BUDGET = 24 };

/* Finds an operand of a comparison, before it. */
static bool compared_operand(struct trace_values *values, size_t at, bool right, uint64_t *value)
{
    const struct insn *insn = values->trace->insns[at];
    uint8_t reg = right ? insn->compare_right : insn->compare_left;
    uint64_t address;
    if (reg != SREG_NONE)
        return trace_register(values, reg, at, value);
    *value = (uint64_t)insn->immediate;
    if (right && (insn->compare_left == SREG_NONE || !insn->memory_count))
        return true;
    *value = 0;
    values->used_reread = true;
    return trace_address(values, &insn->memory[0], at, &address) &&
           trace_memory(values, address, value, insn->compare_bytes);
}

/* Finds the flags in `mask` after instruction `at`. Returns false if not known. */
static bool flags_after_insn(struct trace_values *values, size_t at, uint64_t *flags,
                             uint64_t *mask)
{
    const struct insn *insn = values->trace->insns[at];
    uint64_t left;
    uint64_t right;
    if (insn->compare_op) {
        *mask = RFLAGS_RESULT;
        if (!compared_operand(values, at, false, &left) ||
            !compared_operand(values, at, true, &right))
            return false;
        *flags = insn_compare_flags((enum insn_compare)insn->compare_op, left, right,
                                    insn->compare_bytes);
        return true;
    }
    bool simple = insn->op == INSN_OP_ADD || insn->op == INSN_OP_SUB || insn->op == INSN_OP_AND ||
                  insn->op == INSN_OP_OR || insn->op == INSN_OP_XOR;
    if (!simple || !trace_register(values, insn->dest, at + 1, &left))
        return false;
    *mask = RFLAGS_VALUE;
    *flags = insn_compare_flags(INSN_COMPARE_AND, left, left, insn->width);
    return true;
}

/* Returns true if a condition depends only on these flags. */
static bool flags_decide_condition(uint64_t mask, uint8_t condition)
{
    return mask == RFLAGS_RESULT || condition >> 1 == 2 || condition >> 1 == 4 ||
           condition >> 1 == 5; /* zero, sign, parity */
}

static uint64_t next_address(const struct trace_values *values, size_t at)
{
    const struct trace *trace = values->trace;
    return at + 1u < trace->count ? trace->insns[at + 1]->address : values->regs[SREG_IP];
}

static bool jump_agrees(struct trace_values *values, size_t at)
{
    const struct insn *insn = values->trace->insns[at];
    uint64_t next = next_address(values, at);
    uint64_t flags;
    uint64_t mask;
    if (insn->flow == INSN_JUMP) {
        bool known = !insn->target && !insn->memory_count && insn->dest != SREG_NONE &&
                     trace_register(values, insn->dest, at, &flags);
        return !known || flags == next;
    }
    size_t by = at;
    while (by > 0 && !values->trace->insns[by - 1]->changes_flags)
        by--;
    if (!by || insn->condition == INSN_CONDITION_NONE ||
        !flags_after_insn(values, by - 1, &flags, &mask) ||
        !flags_decide_condition(mask, insn->condition))
        return true;
    bool taken = next != insn->address + insn->length;
    return insn_condition_holds(insn->condition, flags) == taken;
}

/* Returns the bits that the result of an instruction can have for any operands. */
static uint64_t result_mask(const struct insn *insn)
{
    bool copies = (insn->op == INSN_OP_LOAD || insn->op == INSN_OP_MOVE) && insn->source_width;
    bool masks = insn->op == INSN_OP_AND && insn->source == SREG_NONE;
    return trace_truncate(masks ? (uint64_t)insn->immediate : UINT64_MAX,
                          copies && !insn->sign_extends ? insn->source_width : insn->width);
}

/* Checks the value in a register that no later instruction writes. */
static bool value_agrees(struct trace_values *values, size_t at)
{
    const struct insn *insn = values->trace->insns[at];
    uint64_t value = 0;
    uint32_t unknown = values->trace->written[at + 1] | values->unknown_registers;
    if (insn->op == INSN_OP_NONE || insn->op == INSN_OP_EXCHANGE || insn->dest == SREG_NONE ||
        unknown >> insn->dest & 1 || insn->repeats)
        return true;
    return !(values->regs[insn->dest] & ~result_mask(insn)) &&
           (!compute_result(values, insn, at, &value) || value == values->regs[insn->dest]);
}

static bool flags_agree(struct trace_values *values, size_t at)
{
    const struct trace *trace = values->trace;
    uint64_t flags;
    uint64_t mask;
    if (!trace->insns[at]->changes_flags || values->unknown_registers >> SREG_FLAGS & 1)
        return true;
    for (size_t i = at + 1; i < trace->count; i++)
        if (trace->insns[i]->changes_flags)
            return true;
    return !flags_after_insn(values, at, &flags, &mask) ||
           !((flags ^ values->regs[SREG_FLAGS]) & mask);
}

static bool entry_values_agree(struct trace_values *values)
{
    uint64_t value;
    for (uint8_t reg = 0; reg < SREG_COUNT; reg++)
        if (values->trace->entry_registers >> reg & 1 &&
            (!trace_register(values, reg, 0, &value) || value == values->trace->insns[0]->address))
            return true;
    return !values->trace->entry_registers;
}

enum trace_agreement trace_agrees(const struct trace_values *values)
{
    enum trace_agreement agreement = TRACE_AGREES;
    struct trace_values start = *values;
    start.steps_left = AGREES_BUDGET;
    if (!entry_values_agree(&start))
        return start.used_reread || start.used_stale_memory ? TRACE_DOUBTED : TRACE_REFUTED;
    for (size_t at = 0; at < values->trace->count; at++) {
        struct trace_values now = *values;
        uint8_t flow = now.trace->insns[at]->flow;
        now.steps_left = AGREES_BUDGET;
        now.used_reread = now.used_stale_memory = false;
        if (flow == INSN_JUMP || flow == INSN_CONDITIONAL
                ? jump_agrees(&now, at)
                : value_agrees(&now, at) && flags_agree(&now, at))
            continue;
        if (!now.used_reread && !now.used_stale_memory)
            return TRACE_REFUTED;
        agreement = TRACE_DOUBTED;
    }
    return agreement;
}

enum {
    FOLLOWED_MAX = 56, /* instructions followed in a function */
    DEPTH_MAX = 4,     /* nested calls */
    PREFIX_MAX = 40,   /* instructions before a call or culprit */
    BRANCHES_MAX = 64, /* total number of branches tried */
    CALLERS_MAX = 2
};

/* The instructions of a trace being built, newest last. */
struct trace_builder {
    const struct call_trace_code *code;
    const struct insn *insns[CALL_TRACE_MAX];
    size_t count;
    struct trace_segment segments[TRACE_SEGMENTS_MAX];
    size_t segment_count;
    unsigned branches;
};

static bool course_append(struct trace_builder *course, const struct insn *insn)
{
    if (course->count == CALL_TRACE_MAX)
        return false;
    course->insns[course->count++] = insn;
    return true;
}

static bool course_follow_call(struct trace_builder *course, const struct insn *call,
                               unsigned depth);

/* Tries the fall-through first. Returns false if the path does not lead to a return. */
static bool course_follow(struct trace_builder *course, const struct function *function,
                          size_t index, size_t left, unsigned depth)
{
    for (; left && index < function->count; index++, left--) {
        const struct insn *insn = function_insn(function, index);
        if (index && left < FOLLOWED_MAX && !function_adjacent(function, index))
            return false;
        if (insn->flow == INSN_CALL ? !course_follow_call(course, insn, depth)
                                    : !course_append(course, insn))
            return false;
        if (insn->flow == INSN_RETURN)
            return true;
        if (insn->flow == INSN_SYSCALL || insn->flow == INSN_STOP)
            return false;
        if (insn->flow != INSN_JUMP && insn->flow != INSN_CONDITIONAL)
            continue;
        size_t target =
            insn->target > insn->address ? function_index(function, insn->target) : SIZE_MAX;
        if (course->branches++ >= BRANCHES_MAX)
            return false;
        size_t count = course->count;
        size_t segments = course->segment_count;
        if (insn->flow == INSN_CONDITIONAL && index + 1 < function->count &&
            course_follow(course, function, index + 1, left - 1, depth))
            return true;
        course->count = count;
        course->segment_count = segments;
        return target != SIZE_MAX && course_follow(course, function, target, left - 1, depth);
    }
    return false;
}

static bool course_follow_call(struct trace_builder *course, const struct insn *call,
                               unsigned depth)
{
    size_t at = course->count;
    if (!call->target || depth == DEPTH_MAX || course->segment_count == TRACE_SEGMENTS_MAX ||
        !course_append(course, call))
        return false;
    const struct function *callee = course->code->find(course->code->context, call->target);
    size_t segment = course->segment_count++;
    if (!callee || !course_follow(course, callee, function_index(callee, call->target),
                                  FOLLOWED_MAX, depth + 1))
        return false;
    course->segments[segment] =
        (struct trace_segment){.call = (uint8_t)at, .end = (uint8_t)course->count};
    return true;
}

/* Adds the straight-line code before an instruction, including calls that can be followed. */
static void course_prepend(struct trace_builder *course, const struct function *function,
                           size_t index)
{
    size_t first = index;
    while (first > 0 && index - first < PREFIX_MAX && !function->outlines[first].is_target &&
           function_adjacent(function, first) &&
           (function->outlines[first - 1].flow == INSN_PLAIN ||
            function->outlines[first - 1].flow == INSN_CONDITIONAL ||
            function->outlines[first - 1].flow == INSN_CALL))
        first--;
    for (size_t i = first; i < index; i++) {
        const struct insn *insn = function_insn(function, i);
        if (insn->flow != INSN_CALL) {
            if (!course_append(course, insn))
                return;
        } else if (!course_follow_call(course, insn, 0)) {
            course->count = course->segment_count = 0; /* earlier instructions are unusable */
        }
    }
}

static bool course_add_caller(struct trace_builder *course, struct trace_values *values,
                              const struct function *function, size_t culprit)
{
    uint64_t stack;
    uint64_t back;
    size_t first = culprit;
    while (first > 0 && culprit - first < PREFIX_MAX && !function->outlines[first].is_target &&
           function_adjacent(function, first) && function->outlines[first - 1].flow == INSN_PLAIN)
        first--;
    if (first || !function->is_complete)
        return false;
    struct trace_values entry = *values;
    const struct insn *start = function_insn(function, 0);
    if (values->trace->count == 0 || values->trace->insns[0] != start ||
        !trace_register(&entry, SREG_SP, 0, &stack) ||
        !trace_memory(&entry, stack, &back, sizeof back))
        return false;
    const struct function *caller = course->code->find(course->code->context, back);
    size_t index = caller ? function_index(caller, back) : SIZE_MAX;
    if (index == SIZE_MAX || !index || !function_adjacent(caller, index) ||
        caller->outlines[index - 1].flow != INSN_CALL ||
        (caller->outlines[index - 1].target &&
         caller->outlines[index - 1].target != start->address))
        return false;
    course_prepend(course, caller, index - 1);
    return course_append(course, function_insn(caller, index - 1));
}

bool trace_extend_across_calls(struct call_trace *out, const struct call_trace_code *code,
                               struct trace_values *values, size_t at)
{
    struct trace_builder course = {.code = code};
    const struct trace *known = values->trace;
    const struct insn *culprit = known->insns[at];
    const struct function *function = code->find(code->context, culprit->address);
    size_t index = function ? function_index(function, culprit->address) : SIZE_MAX;
    if (index == SIZE_MAX || !values->stack)
        return false;
    course_add_caller(&course, values, function, index);
    course_prepend(&course, function, index);
    if (course.count <= at || course.count + (known->count - at) > CALL_TRACE_MAX)
        return false;
    out->at = course.count;
    for (size_t i = at; i < known->count; i++)
        course_append(&course, known->insns[i]);
    memcpy(out->insns, course.insns, course.count * sizeof *out->insns);
    out->trace = (struct trace){
        .insns = out->insns, .written = out->written, .count = (uint8_t)course.count};
    memcpy(out->trace.segments, course.segments, sizeof out->trace.segments);
    out->trace.segment_count = (uint8_t)course.segment_count;
    trace_seal(&out->trace);
    return true;
}
