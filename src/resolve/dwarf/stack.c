/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/dwarf/stack.h"

#include "access.h"
#include "decode/insn.h"

enum { INSNS_MAX = 1 << 15, ENTRY_DEPTH = 8, ARGUMENTS_BYTES = 256 };

/* A function gone through from its start, in the order of addresses. */
struct course {
    struct program *program;
    struct stack *stack;
    uint64_t pc;
    int64_t slot;
    int64_t depth;  /* of the stack below the canonical frame address; the entry's is 8 */
    int64_t before; /* depth before the frame was given up */
    bool loaded;    /* the slot is */
    bool stored;    /* ... through the stack pointer */
    bool pushed;
    bool addressed; /* its address is taken */
    bool calls;
    uint32_t
        copies; /* registers that are copies of the stack pointer: clang puts arguments by them */
    int64_t copied[SREG_COUNT];
};

static bool is_push(const struct insn *insn)
{
    return insn->stack_step < 0 && insn->flow != INSN_CALL;
}

static bool is_copy(const struct course *course, uint8_t reg)
{
    return course->copies >> reg & 1;
}

static void note_copies(struct course *course, const struct insn *insn)
{
    if (insn->is_target || insn->flow == INSN_CALL)
        course->copies = 0;
    course->copies &= ~insn->writes;
    if (insn->op != INSN_OP_MOVE || insn->source != SREG_SP || insn->dest >= SREG_COUNT ||
        insn->dest == SREG_BP || insn->width != 8)
        return;
    course->copies |= 1u << insn->dest;
    course->copied[insn->dest] = -course->depth;
}

/* The distance of an operand from the canonical frame address, as far as that is constant. */
static bool operand_slot(struct course *course, const struct insn *insn,
                         const struct insn_memory *memory, int64_t *slot)
{
    uint8_t reg;
    int64_t offset;
    if (memory->index != SREG_NONE || memory->segment || memory->base >= SREG_COUNT)
        return false;
    if (is_copy(course, memory->base)) {
        *slot = memory->displacement + course->copied[memory->base];
        return true;
    }
    if (memory->base == SREG_SP) {
        *slot = memory->displacement - course->depth;
        return true;
    }
    if (memory->base != SREG_BP)
        return false;
    if (!program_cfa(course->program, insn->address, &reg, &offset) || reg != SREG_BP)
        return false;
    *slot = memory->displacement - offset;
    return true;
}

static bool covers(int64_t start, uint64_t size, int64_t slot)
{
    return slot >= start && (uint64_t)(slot - start) < (size ? size : 8);
}

/* All of one register, to one place, every time. */
static void note_store(struct course *course, const struct insn *insn, int64_t start,
                       uint8_t size_bytes)
{
    struct stack *stack = course->stack;
    bool same = !stack->store_count || stack->start == start;
    if (insn->stored == SREG_NONE || size_bytes < 4 || !same ||
        stack->store_count >= STACK_STORES) {
        stack->store_count = STACK_STORES + 1;
        return;
    }
    stack->start = start;
    stack->stores[stack->store_count++] = (struct stack_store){insn->address, insn->stored};
}

static void note_uses(struct course *course, const struct insn *insn)
{
    int64_t start;
    /* What LEA computes it does not access. */
    unsigned count = insn->op == INSN_OP_LEA ? 1 : insn->memory_count;
    for (unsigned i = 0; i < count; i++) {
        const struct insn_memory *memory = &insn->memory[i];
        if (!operand_slot(course, insn, memory, &start) ||
            !covers(start, memory->size, course->slot))
            continue;
        if (insn->op != INSN_OP_LEA && memory->kind != ACCESS_LOAD)
            note_store(course, insn, start, memory->size);
        if (insn->op == INSN_OP_LEA)
            course->addressed = true;
        else if (memory->kind == ACCESS_LOAD || memory->kind == ACCESS_LOAD_STORE ||
                 memory->base == SREG_BP)
            course->loaded = true;
        else /* a store, or a vector's, of which the decoder does not always tell */
            course->stored = true;
    }
    if (is_push(insn) && covers(-course->depth - 8, 8, course->slot))
        course->pushed = true;
}

/* Stack taken by a computed amount: alloca, an array of variable length. */
static bool is_dynamic(const struct insn *insn)
{
    if (insn->dest != SREG_SP)
        return false;
    switch (insn->op) {
    case INSN_OP_SUB:
    case INSN_OP_ADD:
        return insn->source != SREG_NONE;
    case INSN_OP_MOVE:
        return insn->source != SREG_BP && insn->source != SREG_NONE;
    case INSN_OP_LEA:
        return insn->memory[0].index != SREG_NONE;
    default:
        return false;
    }
}

/* What an instruction does to the depth; frames that are given up come back after the return. */
static void follow(struct course *course, const struct insn *insn)
{
    if (insn->flow == INSN_RETURN || insn->flow == INSN_JUMP) {
        course->depth = course->before ? course->before : course->depth;
        course->before = 0;
        return;
    }
    if (insn->flow == INSN_CALL)
        return;
    int64_t depth = course->depth - insn->stack_step;
    if (insn->dest == SREG_SP && insn->source == SREG_NONE && insn->op == INSN_OP_SUB)
        depth += insn->immediate;
    else if (insn->dest == SREG_SP && insn->source == SREG_NONE && insn->op == INSN_OP_ADD)
        depth -= insn->immediate;
    else if (insn->dest == SREG_SP && insn->op == INSN_OP_LEA && insn->memory[0].base == SREG_SP)
        depth -= insn->memory[0].displacement;
    else if (insn->dest == SREG_SP && insn->source == SREG_BP)
        depth = 2 * ENTRY_DEPTH;
    if (depth < course->depth && !course->before && depth < 2 * ENTRY_DEPTH + 1)
        course->before = course->depth;
    course->depth = depth;
}

/* Where the frame is found by the stack pointer, the tables say its depth exactly. */
static void correct(struct course *course, const struct insn *insn)
{
    uint8_t reg;
    int64_t offset;
    bool matters = insn->stack_step || insn->dest == SREG_SP || insn->memory_count ||
                   insn->address == course->pc;
    if (matters && program_cfa(course->program, insn->address, &reg, &offset) && reg == SREG_SP)
        course->depth = offset;
}

static void go(struct course *course, const struct insn *insns, size_t count)
{
    struct stack *stack = course->stack;
    for (size_t i = 0; i < count && i < INSNS_MAX; i++) {
        const struct insn *insn = &insns[i];
        correct(course, insn);
        if (insn->address <= course->pc && course->pc < insn->address + insn->length) {
            stack->is_call = insn->flow == INSN_CALL && insn->address == course->pc;
            stack->length = insn->address == course->pc ? insn->length : 0;
            stack->pointer = -course->depth;
        }
        if (!stack->dynamic && is_dynamic(insn)) {
            stack->dynamic = true;
            stack->fixed = course->depth;
        }
        course->calls |= insn->flow == INSN_CALL;
        note_uses(course, insn);
        note_copies(course, insn);
        follow(course, insn);
    }
}

bool stack_read(struct program *program, uint64_t pc, int64_t slot, struct stack *stack)
{
    const struct insn *insns;
    size_t count;
    uint64_t start;
    uint64_t end;
    struct course course = {
        .program = program, .stack = stack, .pc = pc, .slot = slot, .depth = ENTRY_DEPTH};
    *stack = (struct stack){0};
    /* A return address - 1 is inside an instruction: the function is asked for by its start. */
    if (!program_function(program, pc, &start, &end) ||
        !program_insns(program, start, &insns, &count))
        return false;
    go(&course, insns, count);
    bool lowest = slot - stack->pointer < ARGUMENTS_BYTES;
    stack->argument = course.calls && !course.addressed && lowest && slot < 0 &&
                      (course.pushed || (course.stored && !course.loaded));
    return true;
}
