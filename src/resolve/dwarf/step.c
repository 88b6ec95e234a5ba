/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <dwarf.h>
#include <string.h>

#include "resolve/dwarf/die.h"
#include "resolve/dwarf/flow.h"
#include "resolve/dwarf/question.h"
#include "sample.h"

enum { EIGHTBYTE = 8, INTEGERS = 6, FLOATS = 8, CHILDREN_MAX = 1 << 16 };

enum passing { CLASS_NONE, CLASS_INTEGER, CLASS_FLOAT, CLASS_MEMORY };

static const uint8_t integer_registers[INTEGERS] = {SREG_DI, SREG_SI, SREG_DX,
                                                    SREG_CX, SREG_R8, SREG_R9};

/* A parameter or result: its type, and the classes of its eightbytes. */
struct passed_value {
    uint32_t shape;
    uint64_t size;
    enum passing classes[2];
    bool reference; /* C++: not trivially copyable, so passed by its address */
};

static bool is_float(const struct shape *shape)
{
    Dwarf_Die die = shape->die;
    Dwarf_Word encoding = 0;
    if (shape->kind != SHAPE_SCALAR)
        return false;
    die_number(&die, DW_AT_encoding, &encoding);
    return encoding == DW_ATE_float || encoding == DW_ATE_complex_float;
}

static enum passing passing_class(struct shapes *shapes, const struct passed_value *passed,
                                  uint64_t eightbyte)
{
    enum passing passing = CLASS_NONE;
    for (uint64_t at = eightbyte; at < eightbyte + EIGHTBYTE && at < passed->size; at++) {
        struct shape_leaf leaf;
        if (!shapes_leaf(shapes, passed->shape, at, &leaf))
            continue;
        if (!is_float(shapes_at(shapes, leaf.shape)))
            return CLASS_INTEGER;
        passing = CLASS_FLOAT;
    }
    return passing;
}

static bool passes_by_reference(Dwarf_Die *type)
{
    Dwarf_Word convention = 0;
    return die_number(type, DW_AT_calling_convention, &convention) &&
           convention == DW_CC_pass_by_reference;
}

/* Classifies a parameter or result. Returns false if the type is void or not known. */
static bool classify_passed(struct shapes *shapes, Dwarf_Die *die, struct passed_value *passed)
{
    Dwarf_Die type;
    *passed = (struct passed_value){0};
    if (!die_type(die, &type) || !die_peel(&type, &type))
        return false;
    passed->shape = shapes_of(shapes, &type);
    if (!die_size(&type, &passed->size) || !passed->size)
        return false;
    const struct shape *shape = shapes_at(shapes, passed->shape);
    bool record = shape->kind == SHAPE_RECORD || shape->kind == SHAPE_UNION;
    passed->reference = record && passes_by_reference(&type);
    if (passed->reference) {
        passed->classes[0] = CLASS_INTEGER;
        passed->size = EIGHTBYTE;
    } else if (passed->size > 2 * EIGHTBYTE || (is_float(shape) && passed->size == 2 * EIGHTBYTE)) {
        passed->classes[0] = CLASS_MEMORY; /* also long double (class X87) */
    } else {
        passed->classes[0] = passing_class(shapes, passed, 0);
        passed->classes[1] = passing_class(shapes, passed, EIGHTBYTE);
    }
    return true;
}

struct argument_placement {
    struct shapes *shapes;
    struct state *state;
    unsigned integers;
    unsigned floats;
    int64_t slot;
};

static struct value part_value(const struct argument_placement *placing,
                               const struct passed_value *passed, uint64_t part)
{
    return passed->reference
               ? value_pointer(passed->shape, 0, DWARF_HOW_ARGUMENT)
               : value_loaded(placing->shapes, passed->shape, part, DWARF_HOW_ARGUMENT);
}

static uint32_t slot_index(const struct state *state, int64_t offset)
{
    uint32_t at = 0;
    while (at < state->slot_count && state->slots[at].offset < offset)
        at++;
    return at;
}

static bool state_has_slot(const struct state *state, uint32_t at, int64_t offset)
{
    return at < state->slot_count && state->slots[at].offset == offset;
}

/* Returns the value in a slot; NULL: not known. */
static const struct value *state_slot(const struct state *state, int64_t offset)
{
    uint32_t at = slot_index(state, offset);
    return state_has_slot(state, at, offset) ? &state->slots[at].value : NULL;
}

/* Storing an unknown value removes the slot. Without room, drops the slot farthest from the frame's
 * end: the outgoing arguments. */
static void state_store(struct state *state, int64_t offset, const struct value *value)
{
    uint32_t at = slot_index(state, offset);
    if (state_has_slot(state, at, offset)) {
        state->slots[at].value = *value;
        return;
    }
    if (value->kind <= VALUE_NUMBER)
        return;
    if (state->slot_count == STATE_SLOTS) {
        if (!at)
            return;
        memmove(&state->slots[0], &state->slots[1], (--at) * sizeof *state->slots);
        state->slots[at] = (struct state_slot){offset, *value};
        return;
    }
    memmove(&state->slots[at + 1], &state->slots[at],
            (state->slot_count++ - at) * sizeof *state->slots);
    state->slots[at] = (struct state_slot){offset, *value};
}

static void place_in_memory(struct argument_placement *placing, const struct passed_value *passed)
{
    for (uint64_t part = 0; part < passed->size && passed->size <= 4096; part += EIGHTBYTE) {
        struct value value = part_value(placing, passed, part);
        state_store(placing->state, placing->slot, &value);
        placing->slot += EIGHTBYTE;
    }
}

/* Places a parameter: all its eightbytes in registers, or all in memory. */
static void place_parameter(struct argument_placement *placing, const struct passed_value *passed)
{
    unsigned integers = 0;
    unsigned floats = 0;
    for (unsigned i = 0; i < 2; i++) {
        integers += passed->classes[i] == CLASS_INTEGER;
        floats += passed->classes[i] == CLASS_FLOAT;
    }
    if (passed->classes[0] == CLASS_MEMORY || placing->integers + integers > INTEGERS ||
        placing->floats + floats > FLOATS) {
        place_in_memory(placing, passed);
        return;
    }
    for (unsigned i = 0; i < 2; i++) {
        if (passed->classes[i] != CLASS_INTEGER)
            continue;
        placing->state->regs[integer_registers[placing->integers++]] =
            part_value(placing, passed, i * (uint64_t)EIGHTBYTE);
    }
    placing->floats += floats;
}

void prototype_arguments(struct shapes *shapes, Dwarf_Die *function, struct state *state)
{
    struct argument_placement placing = {.shapes = shapes, .state = state};
    struct passed_value passed;
    Dwarf_Die child;
    /* The address of a result in memory is the first argument. */
    if (classify_passed(shapes, function, &passed) &&
        (passed.classes[0] == CLASS_MEMORY || passed.reference)) {
        state->regs[integer_registers[placing.integers++]] =
            value_pointer(passed.shape, 0, DWARF_HOW_ARGUMENT);
    }
    if (dwarf_child(function, &child))
        return;
    for (unsigned i = 0; i < CHILDREN_MAX; i++) {
        if (dwarf_tag(&child) == DW_TAG_formal_parameter &&
            classify_passed(shapes, &child, &passed))
            place_parameter(&placing, &passed);
        if (dwarf_siblingof(&child, &child))
            return;
    }
}

/* Finds the types of AX and DX after a call of a function, directly or through a pointer. */
static void prototype_results(struct shapes *shapes, Dwarf_Die *function, struct value *ax,
                              struct value *dx)
{
    struct passed_value passed;
    struct value *registers[] = {ax, dx};
    unsigned used = 0;
    *ax = *dx = value_of_kind(VALUE_UNKNOWN);
    if (!classify_passed(shapes, function, &passed))
        return;
    if (passed.reference || passed.classes[0] == CLASS_MEMORY) {
        if (!is_float(shapes_at(shapes, passed.shape)))
            *ax = value_pointer(passed.shape, 0, DWARF_HOW_RESULT);
        return;
    }
    for (unsigned i = 0; i < 2; i++)
        if (passed.classes[i] == CLASS_INTEGER)
            *registers[used++] =
                value_loaded(shapes, passed.shape, i * (uint64_t)EIGHTBYTE, DWARF_HOW_RESULT);
}

enum { POINTER_BYTES = 8 };

/* Registers that a call may change. */
static const uint32_t scratch = 1u << SREG_AX | 1u << SREG_CX | 1u << SREG_DX | 1u << SREG_SI |
                                1u << SREG_DI | 1u << SREG_R8 | 1u << SREG_R9 | 1u << SREG_R10 |
                                1u << SREG_R11;

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
    declare_value(scene->shapes, &best, &value);
    return best;
}

/* Returns true for the first word at the thread pointer, which is the thread pointer itself. */
static bool is_thread_pointer(const struct value *place)
{
    return place->kind == VALUE_THREAD && place->shape == VALUE_THREAD_POINTER && !place->offset &&
           !place->indexed;
}

static struct value loaded_value(const struct scene *scene, const struct state *state,
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

static struct value source_value(const struct state *state, const struct insn *insn)
{
    return insn->source == SREG_NONE ? value_constant(insn->immediate) : state->regs[insn->source];
}

static struct value masked_value(const struct value *value, const struct value *mask)
{
    bool pointer = value->kind == VALUE_POINTER;
    /* A mask of low bits removes a tag. A larger mask gives an aligned block: not a known place. */
    if (pointer && mask->kind == VALUE_CONSTANT && mask->offset < 0 && mask->offset >= -16)
        return *value;
    return value_of_kind(pointer || value->kind == VALUE_FRAME ? VALUE_UNKNOWN : VALUE_NUMBER);
}

static struct value result_value(const struct scene *scene, const struct state *state,
                                 const struct insn *insn)
{
    const struct value dest = state->regs[insn->dest];
    const struct value source = source_value(state, insn);
    bool clears = insn->source == insn->dest;
    switch (insn->op) {
    case INSN_OP_MOVE:
        /* A zero- or sign-extension keeps the value of a number. */
        if (insn->source != SREG_NONE && (insn->width < 8 || insn->source_width < 8))
            return value_scaled(&source, 1);
        return operand_settled(scene, insn->address, source);
    case INSN_OP_LOAD:
        return insn->width == 8 && insn->source_width == 8
                   ? loaded_value(scene, state, insn, &insn->memory[0])
                   : value_of_kind(VALUE_NUMBER);
    case INSN_OP_LEA:
        return operand_address(scene, state, insn, &insn->memory[0]);
    case INSN_OP_ADD:
        return value_sum(&dest, &source, 1);
    case INSN_OP_SUB:
        return clears ? value_constant(0) : value_difference(&dest, &source);
    case INSN_OP_XOR:
        return clears ? value_constant(0) : value_of_kind(VALUE_NUMBER);
    case INSN_OP_AND:
        return masked_value(&dest, &source);
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

/* Handles operations that the decoder describes only in part. */
static struct value partial_result(const struct scene *scene, const struct state *state,
                                   const struct insn *insn)
{
    const struct value dest = state->regs[insn->dest];
    struct value source = insn->source == SREG_NONE
                              ? loaded_value(scene, state, insn, &insn->memory[0])
                              : state->regs[insn->source];
    switch (insn->partial_op) {
    case INSN_PARTIAL_CHOOSE:
        return value_joined(scene->shapes, &dest, &source);
    case INSN_PARTIAL_ADD:
        return value_sum(&dest, &source, 1);
    case INSN_PARTIAL_SUB:
        return value_difference(&dest, &source);
    default:
        return value_of_kind(VALUE_UNKNOWN);
    }
}

/* Finds the callee: from DWARF for this call, from its address, or from the pointer used. */
static bool callee_of(const struct scene *scene, const struct state *state, const struct insn *insn,
                      Dwarf_Die *callee)
{
    const Dwarf_Die *named = wheres_callee(scene->wheres, insn->address + insn->length);
    struct routine routine;
    struct value pointer = value_of_kind(VALUE_UNKNOWN);
    if (named) {
        *callee = *named;
        return true;
    }
    if (insn->target) {
        *callee =
            routines_find(scene->program, insn->target, &routine) ? routine.die : (Dwarf_Die){0};
        return callee->addr;
    }
    if (insn->memory_count == 2 || (insn->memory_count && insn->memory[0].kind == ACCESS_LOAD))
        pointer = loaded_value(scene, state, insn, &insn->memory[0]);
    else if (insn->dest < SREG_COUNT)
        pointer = state->regs[insn->dest];
    const struct shape *shape = shapes_at(scene->shapes, pointer.shape);
    *callee = shape->die;
    return pointer.kind == VALUE_POINTER && shape->kind == SHAPE_FUNCTION;
}

static void step_call(const struct scene *scene, struct state *state, const struct insn *insn)
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

/* Applies stores to the frame: a spilled or saved register, or an unknown value. */
static void step_store(const struct scene *scene, struct state *state, const struct insn *insn)
{
    for (unsigned i = 0; i < insn->memory_count; i++) {
        const struct insn_memory *memory = &insn->memory[i];
        if (memory->kind != ACCESS_STORE && memory->kind != ACCESS_LOAD_STORE)
            continue;
        /* A call stores its return address. */
        struct value place = operand_address(scene, state, insn, memory);
        bool kept = insn->stored_register < SREG_COUNT && memory->size == POINTER_BYTES;
        struct value value =
            kept ? state->regs[insn->stored_register] : value_of_kind(VALUE_UNKNOWN);
        if (place.kind == VALUE_FRAME && !place.indexed)
            state_store(state, place.offset, &value);
    }
}

static bool is_pop(const struct insn *insn)
{
    return insn->flow == INSN_PLAIN && insn->stack_step == POINTER_BYTES && insn->memory_count &&
           insn->dest < SREG_COUNT && insn->memory[0].kind == ACCESS_LOAD;
}

/* Clears all registers that are written but not followed. */
static void clear_written_registers(struct state *state, const struct insn *insn)
{
    for (unsigned reg = 0; reg < SREG_COUNT; reg++) {
        struct value *value = &state->regs[reg];
        if (!(insn->writes >> reg & 1))
            continue;
        /* A string instruction advances the pointers that it uses. */
        if (insn->string_step && value->kind >= VALUE_FRAME)
            value->indexed = true;
        else
            *value = value_of_kind(VALUE_UNKNOWN);
    }
}

/* Computes the new value of the destination. Returns false if it is not written, or not known. */
static bool destination_value(const struct scene *scene, const struct state *state,
                              const struct insn *insn, struct value *outcome)
{
    if (insn->dest >= SREG_COUNT)
        return false;
    if (insn->op == INSN_OP_EXCHANGE)
        *outcome = insn->source < SREG_COUNT && insn->width == 8 ? state->regs[insn->source]
                                                                 : value_of_kind(VALUE_UNKNOWN);
    else if (insn->op != INSN_OP_NONE)
        *outcome = result_value(scene, state, insn);
    else if (insn->partial_op)
        *outcome = partial_result(scene, state, insn);
    else if (is_pop(insn))
        *outcome = loaded_value(scene, state, insn, &insn->memory[0]);
    else
        return false;
    return true;
}

/* Marks a computed pointer as followed: it is no longer the variable's own value. */
static void mark_followed(struct state *state, const struct insn *insn)
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
        step_call(scene, state, insn);
        return;
    }
    struct value stack = value_shifted(state->regs[SREG_SP], insn->stack_step);
    bool known = destination_value(scene, state, insn, &outcome);
    if (known)
        traded = state->regs[insn->dest];
    step_store(scene, state, insn);
    clear_written_registers(state, insn);
    if (insn->stack_step)
        state->regs[SREG_SP] = stack;
    if (known)
        state->regs[insn->dest] = outcome;
    if (known && insn->op == INSN_OP_EXCHANGE && insn->source < SREG_COUNT)
        state->regs[insn->source] = traded;
    mark_followed(state, insn);
}

void state_join(struct shapes *shapes, struct state *state, const struct state *other)
{
    for (unsigned reg = 0; reg < SREG_COUNT; reg++)
        state->regs[reg] = value_joined(shapes, &state->regs[reg], &other->regs[reg]);
    for (uint32_t i = 0; i < other->slot_count; i++) {
        const struct state_slot *slot = &other->slots[i];
        const struct value *known = state_slot(state, slot->offset);
        struct value value = known ? value_joined(shapes, known, &slot->value) : slot->value;
        state_store(state, slot->offset, &value);
    }
}
