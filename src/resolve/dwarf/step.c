/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/dwarf/step.h"

#include "resolve/dwarf/declared.h"
#include "resolve/dwarf/operand.h"
#include "resolve/dwarf/prototype.h"
#include "resolve/dwarf/question.h"

#include <dwarf.h>

enum { POINTER_BYTES = 8 };

/* Registers that a call may change. */
static const uint32_t scratch = 1u << SREG_AX | 1u << SREG_CX | 1u << SREG_DX | 1u << SREG_SI |
                                1u << SREG_DI | 1u << SREG_R8 | 1u << SREG_R9 | 1u << SREG_R10 |
                                1u << SREG_R11;

static struct value constant(int64_t number)
{
    return (struct value){.kind = VALUE_CONSTANT, .offset = number};
}

static struct value loaded_from_frame(const struct scene *scene, const struct state *state,
                                      uint64_t pc, const struct value *at)
{
    const struct value *slot = at->indexed ? NULL : state_slot(state, at->offset);
    struct value place = declared_in_frame(scene, state, pc, at);
    struct value value = value_of_kind(VALUE_UNKNOWN);
    if (place.kind == VALUE_DIFFERENCE)
        value = value_pointer(place.shape, 0, DWARF_HOW_STACK);
    else if (place.kind == VALUE_POINTER && value_folded(scene->shapes, &place))
        value = value_loaded(scene->shapes, place.shape, (uint64_t)place.offset, DWARF_HOW_STACK);
    if (!slot)
        return value;
    struct value best = *slot;
    declared_over(scene->shapes, &best, &value);
    return best;
}

/* The first word of what the thread pointer points to is that pointer. */
static bool is_thread_pointer(const struct value *place)
{
    return place->kind == VALUE_THREAD && place->shape == VALUE_THREAD_POINTER && !place->offset &&
           !place->indexed;
}

static struct value loaded(const struct scene *scene, const struct state *state,
                           const struct insn *insn, const struct insn_memory *memory)
{
    struct value place = operand_address(scene, state, insn, memory);
    if (place.kind == VALUE_FRAME)
        return loaded_from_frame(scene, state, insn->address, &place);
    if (is_thread_pointer(&place))
        return place;
    if (place.kind == VALUE_CONSTANT && !place.indexed)
        return operand_linked(scene, insn->address, (uint64_t)place.offset);
    if (place.kind != VALUE_POINTER || !value_folded(scene->shapes, &place))
        return value_of_kind(VALUE_UNKNOWN);
    return value_loaded(scene->shapes, place.shape, (uint64_t)place.offset,
                        place.how == DWARF_HOW_GLOBAL ? DWARF_HOW_GLOBAL : DWARF_HOW_MEMBER);
}

static struct value source_of(const struct state *state, const struct insn *insn)
{
    return insn->source == SREG_NONE ? constant(insn->immediate) : state->regs[insn->source];
}

static struct value masked(const struct value *value, const struct value *mask)
{
    bool pointer = value->kind == VALUE_POINTER;
    /* Tags in the low bits, or the start of a block that is aligned: a place no more. */
    if (pointer && mask->kind == VALUE_CONSTANT && mask->offset < 0 && mask->offset >= -16)
        return *value;
    return value_of_kind(pointer || value->kind == VALUE_FRAME ? VALUE_UNKNOWN : VALUE_NUMBER);
}

/* What the destination holds after an operation that is followed. */
static struct value result(const struct scene *scene, const struct state *state,
                           const struct insn *insn)
{
    const struct value dest = state->regs[insn->dest];
    const struct value source = source_of(state, insn);
    bool clears = insn->source == insn->dest;
    switch (insn->op) {
    case INSN_OP_MOVE:
        /* What is extended keeps the constant in it, if it is a number. */
        if (insn->source != SREG_NONE && (insn->width < 8 || insn->source_width < 8))
            return value_scaled(&source, 1);
        return operand_settled(scene, insn->address, source);
    case INSN_OP_LOAD:
        return insn->width == 8 && insn->source_width == 8
                   ? loaded(scene, state, insn, &insn->memory[0])
                   : value_of_kind(VALUE_NUMBER);
    case INSN_OP_LEA:
        return operand_address(scene, state, insn, &insn->memory[0]);
    case INSN_OP_ADD:
        return value_sum(&dest, &source, 1);
    case INSN_OP_SUB:
        return clears ? constant(0) : value_difference(&dest, &source);
    case INSN_OP_XOR:
        return clears ? constant(0) : value_of_kind(VALUE_NUMBER);
    case INSN_OP_AND:
        return masked(&dest, &source);
    case INSN_OP_OR:
        return dest.kind == VALUE_POINTER ? dest : value_of_kind(VALUE_NUMBER);
    case INSN_OP_SHL:
        return source.kind == VALUE_CONSTANT && source.offset >= 0 && source.offset < 16
                   ? value_scaled(&dest, (int64_t)1 << source.offset)
                   : value_of_kind(VALUE_NUMBER);
    case INSN_OP_MUL3:
        return value_scaled(&source, insn->immediate);
    default:
        return value_of_kind(VALUE_NUMBER);
    }
}

/* Operations of which only this much is told. */
static struct value vague_result(const struct scene *scene, const struct state *state,
                                 const struct insn *insn)
{
    const struct value dest = state->regs[insn->dest];
    struct value source = insn->source == SREG_NONE ? loaded(scene, state, insn, &insn->memory[0])
                                                    : state->regs[insn->source];
    switch (insn->vague) {
    case INSN_VAGUE_CHOOSE:
        return value_joined(scene->shapes, &dest, &source);
    case INSN_VAGUE_ADD:
        return value_sum(&dest, &source, 1);
    case INSN_VAGUE_SUB:
        return value_difference(&dest, &source);
    default:
        return value_of_kind(VALUE_UNKNOWN);
    }
}

/* What is called: as DWARF says of this call, by its address, or by the pointer it goes through. */
static bool callee_of(const struct scene *scene, const struct state *state, const struct insn *insn,
                      Dwarf_Die *callee)
{
    const Dwarf_Die *told = wheres_callee(scene->wheres, insn->address + insn->length);
    struct routine routine;
    struct value pointer = value_of_kind(VALUE_UNKNOWN);
    if (told) {
        *callee = *told;
        return true;
    }
    if (insn->target) {
        *callee =
            routines_find(scene->routines, insn->target, &routine) ? routine.die : (Dwarf_Die){0};
        return callee->addr;
    }
    if (insn->memory_count == 2 || (insn->memory_count && insn->memory[0].kind == ACCESS_LOAD))
        pointer = loaded(scene, state, insn, &insn->memory[0]);
    else if (insn->dest < SREG_COUNT)
        pointer = state->regs[insn->dest];
    const struct shape *shape = shapes_at(scene->shapes, pointer.shape);
    *callee = shape->die;
    return pointer.kind == VALUE_POINTER && shape->kind == SHAPE_FUNCTION;
}

static void call(const struct scene *scene, struct state *state, const struct insn *insn)
{
    struct value ax = value_of_kind(VALUE_UNKNOWN);
    struct value dx = ax;
    Dwarf_Die callee;
    struct value thread = operand_dynamic(scene, insn->address, &state->regs[SREG_DI]);
    if (thread.kind != VALUE_UNKNOWN)
        ax = thread;
    else if (callee_of(scene, state, insn, &callee))
        prototype_results(scene->shapes, &callee, &ax, &dx);
    for (unsigned reg = 0; reg < SREG_COUNT; reg++)
        if (scratch >> reg & 1)
            state->regs[reg] = value_of_kind(VALUE_UNKNOWN);
    state->regs[SREG_AX] = ax;
    state->regs[SREG_DX] = dx;
}

/* Stores to the frame: a register that is spilled or saved, or something that is forgotten. */
static void store(const struct scene *scene, struct state *state, const struct insn *insn)
{
    for (unsigned i = 0; i < insn->memory_count; i++) {
        const struct insn_memory *memory = &insn->memory[i];
        if (memory->kind != ACCESS_STORE && memory->kind != ACCESS_LOAD_STORE)
            continue;
        /* A call's own store is of the return address. */
        struct value place = operand_address(scene, state, insn, memory);
        bool kept = insn->stored < SREG_COUNT && memory->size == POINTER_BYTES;
        struct value value = kept ? state->regs[insn->stored] : value_of_kind(VALUE_UNKNOWN);
        if (place.kind == VALUE_FRAME && !place.indexed)
            state_store(state, place.offset, &value);
    }
}

static bool is_pop(const struct insn *insn)
{
    return insn->flow == INSN_PLAIN && insn->stack_step == POINTER_BYTES && insn->memory_count &&
           insn->dest < SREG_COUNT && insn->memory[0].kind == ACCESS_LOAD;
}

/* Everything that is written and not followed. */
static void forget(struct state *state, const struct insn *insn)
{
    for (unsigned reg = 0; reg < SREG_COUNT; reg++) {
        struct value *value = &state->regs[reg];
        if (!(insn->writes >> reg & 1))
            continue;
        /* A string instruction moves on in what it works on. */
        if (insn->string_step && value->kind >= VALUE_FRAME)
            value->indexed = true;
        else
            *value = value_of_kind(VALUE_UNKNOWN);
    }
}

/* What the destination becomes; false: it is not written, or nothing is known of it. */
static bool outcome_of(const struct scene *scene, const struct state *state,
                       const struct insn *insn, struct value *outcome)
{
    if (insn->dest >= SREG_COUNT)
        return false;
    if (insn->op == INSN_OP_EXCHANGE)
        *outcome = insn->source < SREG_COUNT && insn->width == 8 ? state->regs[insn->source]
                                                                 : value_of_kind(VALUE_UNKNOWN);
    else if (insn->op != INSN_OP_NONE)
        *outcome = result(scene, state, insn);
    else if (insn->vague)
        *outcome = vague_result(scene, state, insn);
    else if (is_pop(insn))
        *outcome = loaded(scene, state, insn, &insn->memory[0]);
    else
        return false;
    return true;
}

/* What was computed is not where a variable stands, but followed from there. */
static void note_followed(struct state *state, const struct insn *insn)
{
    for (unsigned reg = 0; reg < SREG_COUNT; reg++)
        if (insn->writes >> reg & 1 && state->regs[reg].how == DWARF_HOW_VARIABLE)
            state->regs[reg].how = DWARF_HOW_TRACKED;
}

void step_over(const struct scene *scene, struct state *state, const struct insn *insn)
{
    struct value outcome;
    struct value traded = value_of_kind(VALUE_UNKNOWN);
    if (insn->flow == INSN_CALL) {
        call(scene, state, insn);
        return;
    }
    struct value stack = value_shifted(state->regs[SREG_SP], insn->stack_step);
    bool known = outcome_of(scene, state, insn, &outcome);
    if (known)
        traded = state->regs[insn->dest];
    store(scene, state, insn);
    forget(state, insn);
    if (insn->stack_step)
        state->regs[SREG_SP] = stack;
    if (known)
        state->regs[insn->dest] = outcome;
    if (known && insn->op == INSN_OP_EXCHANGE && insn->source < SREG_COUNT)
        state->regs[insn->source] = traded;
    note_followed(state, insn);
}
