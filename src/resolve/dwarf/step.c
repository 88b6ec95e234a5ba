/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/dwarf/step.h"

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

/* ---- variables ---- */

/* How far a place in the frame is behind a variable's start. Below the fixed frame ("indexed") only
 * what stands there too is compared. */
static bool inside_of(const struct state *state, const struct where *where,
                      const struct value *place, uint64_t *inside)
{
    const struct value *base = where->reg == WHERE_CFA ? NULL : &state->regs[where->reg];
    if (base && (base->kind != VALUE_FRAME || (base->indexed && !place->indexed)))
        return false;
    *inside = (uint64_t)(place->offset - (base ? base->offset : 0) - where->offset);
    if (where->kind == WHERE_POINTED)
        return *inside < POINTER_BYTES;
    return where->size ? *inside < where->size : base && base->indexed;
}

struct value step_variable(const struct scene *scene, const struct state *state, uint64_t pc,
                           const struct value *place)
{
    const struct where *where;
    struct value best = value_of_kind(VALUE_UNKNOWN);
    uint64_t smallest = UINT64_MAX;
    size_t next = 0;
    while ((where = where_next(&scene->wheres->in_memory, pc, &next))) {
        uint64_t inside;
        if (!where->shape || where->size > smallest || !inside_of(state, where, place, &inside))
            continue;
        smallest = where->size;
        best = value_pointer(where->shape, (int64_t)(inside + where->part), DWARF_HOW_STACK);
        best.indexed = place->indexed || where->size > shapes_at(scene->shapes, where->shape)->size;
        /* A pointer that the compiler made, which no type stands for. */
        if (where->kind == WHERE_POINTED)
            best = (struct value){.kind = VALUE_DIFFERENCE, .shape = where->shape};
    }
    return best;
}

static struct value held(struct shapes *shapes, const struct where *where)
{
    struct value value = value_loaded(shapes, where->shape, where->part, DWARF_HOW_VARIABLE);
    if (where->kind == WHERE_COMPUTED)
        return value_shifted(value, -where->offset);
    return value;
}

/* Bytes that were a void pointer, unless fresh from an allocator, are something else copied. */
static bool is_copy(const struct shapes *shapes, const struct value *known,
                    const struct value *told)
{
    return told->kind == VALUE_POINTER && shapes_at(shapes, told->shape)->kind == SHAPE_BYTE &&
           known->kind == VALUE_POINTER && !known->shape && known->how != DWARF_HOW_RESULT;
}

/* A variable's word goes over what was followed, unless that says more. */
static void declare(struct shapes *shapes, struct value *known, const struct value *told)
{
    unsigned worth = value_worth(shapes, told);
    if (is_copy(shapes, known, told))
        return;
    if (worth < 3 && value_worth(shapes, known) >= worth)
        return;
    bool same = known->kind == VALUE_POINTER && known->shape == told->shape;
    bool indexed = same && known->indexed;
    *known = *told;
    known->indexed |= indexed;
}

static struct value best_of(const struct scene *scene, uint64_t pc, uint8_t reg)
{
    const struct where *where;
    struct value best = value_of_kind(VALUE_UNKNOWN);
    size_t next = 0;
    while ((where = where_next(&scene->wheres->in_register, pc, &next))) {
        if (where->reg != reg)
            continue;
        struct value value = held(scene->shapes, where);
        unsigned worth = value_worth(scene->shapes, &value);
        unsigned known = value_worth(scene->shapes, &best);
        if (is_copy(scene->shapes, &best, &value) || is_copy(scene->shapes, &value, &best)) {
            best = value_pointer(SHAPE_NOTHING, 0, DWARF_HOW_VARIABLE);
            continue;
        }
        /* Of two structs the larger: what has the other for its head. */
        if (worth > known || (worth == known && shapes_at(scene->shapes, value.shape)->size >
                                                    shapes_at(scene->shapes, best.shape)->size))
            best = value;
        else if (best.kind == VALUE_UNKNOWN)
            best = value;
    }
    return best;
}

/* A record, or an array of variable length. A number may as well be a part of what is there. */
static bool is_whole(const struct shapes *shapes, const struct where *where)
{
    const struct shape *shape = shapes_at(shapes, where->shape);
    return shape->kind == SHAPE_RECORD || shape->kind == SHAPE_UNION || !where->size;
}

/* Variables passed by their address: "in memory at the register". */
static void declare_pointed(const struct scene *scene, struct state *state, uint64_t pc,
                            uint32_t mask)
{
    const struct where *where;
    size_t next = 0;
    while ((where = where_next(&scene->wheres->in_memory, pc, &next))) {
        if (where->kind != WHERE_MEMORY || where->reg == WHERE_CFA || where->reg == SREG_SP ||
            !(mask >> where->reg & 1) || state->regs[where->reg].kind == VALUE_FRAME ||
            !is_whole(scene->shapes, where))
            continue;
        struct value value =
            value_pointer(where->shape, (int64_t)where->part - where->offset, DWARF_HOW_VARIABLE);
        declare(scene->shapes, &state->regs[where->reg], &value);
    }
}

void step_declare(const struct scene *scene, struct state *state, uint64_t pc, uint32_t mask)
{
    for (uint8_t reg = 0; reg < SREG_COUNT; reg++) {
        if (!(mask >> reg & 1) || reg == SREG_SP)
            continue;
        struct value told = best_of(scene, pc, reg);
        if (told.kind != VALUE_UNKNOWN)
            declare(scene->shapes, &state->regs[reg], &told);
    }
    declare_pointed(scene, state, pc, mask);
}

/* ---- instructions ---- */

static struct value loaded_from_frame(const struct scene *scene, const struct state *state,
                                      uint64_t pc, const struct value *at)
{
    const struct value *slot = at->indexed ? NULL : state_slot(state, at->offset);
    struct value place = step_variable(scene, state, pc, at);
    struct value value = value_of_kind(VALUE_UNKNOWN);
    if (place.kind == VALUE_DIFFERENCE)
        value = value_pointer(place.shape, 0, DWARF_HOW_STACK);
    else if (place.kind == VALUE_POINTER && value_folded(scene->shapes, &place))
        value = value_loaded(scene->shapes, place.shape, (uint64_t)place.offset, DWARF_HOW_STACK);
    if (!slot)
        return value;
    struct value best = *slot;
    declare(scene->shapes, &best, &value);
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
