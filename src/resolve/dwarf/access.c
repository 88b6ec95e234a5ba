/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/dwarf/declared.h"
#include "resolve/dwarf/flow.h"
#include "resolve/dwarf/operand.h"
#include "resolve/dwarf/program.h"

#include <errno.h>

/* The instruction's operand that is asked for. */
static const struct insn_memory *operand(const struct insn *insn,
                                         const struct dwarf_question *question)
{
    for (unsigned i = 0; i < insn->memory_count; i++) {
        const struct insn_memory *memory = &insn->memory[i];
        if (memory->base == question->base && memory->index == question->index &&
            (int32_t)memory->displacement == (int32_t)question->displacement)
            return memory;
    }
    return insn->memory_count ? &insn->memory[0] : NULL;
}

/* Why what is known of a place is no type. */
static enum untyped reason_of(const struct value *place)
{
    switch (place->kind) {
    case VALUE_CONFLICT:
        return UNTYPED_CONFLICT;
    case VALUE_FRAME:
        return UNTYPED_SPILL;
    case VALUE_NUMBER:
    case VALUE_DIFFERENCE:
        return UNTYPED_NO_POINTER;
    default:
        return UNTYPED_NO_VARIABLE;
    }
}

static enum untyped check(const struct scene *scene, struct value *place,
                          const struct dwarf_question *question)
{
    struct shapes *shapes = scene->shapes;
    const struct shape *shape = shapes_at(shapes, place->shape);
    bool record = shape->kind == SHAPE_RECORD || shape->kind == SHAPE_UNION;
    if (place->kind != VALUE_POINTER)
        return reason_of(place);
    if (shape->descriptor)
        return UNTYPED_NO_VARIABLE;
    if (shape->kind == SHAPE_VOID || shape->kind == SHAPE_FUNCTION ||
        (shape->kind == SHAPE_BYTE && question->size > shape->size))
        return UNTYPED_VOID;
    int64_t asked = place->offset;
    if (!value_folded(shapes, place))
        return declared_around(scene, question->pc, place) ? UNTYPED_NO_REASON : UNTYPED_OUTSIDE;
    bool crosses = (uint64_t)place->offset + question->size > shape->size;
    if (record && crosses && place->offset == asked && !place->indexed &&
        asked < (int64_t)shape->size)
        return UNTYPED_OUTSIDE;
    return UNTYPED_NO_REASON;
}

/* A variable in the frame is what a stack address points into. */
static struct value place_of(const struct flow_at *at, const struct insn_memory *memory)
{
    struct value place = operand_address(&at->scene, &at->state, at->insn, memory);
    if (place.kind != VALUE_FRAME)
        return place;
    struct value variable = declared_in_frame(&at->scene, &at->state, at->insn->address, &place);
    return variable.kind == VALUE_POINTER ? variable : place;
}

void access_answer(struct program *program, struct dwarf_answer *answer)
{
    const struct dwarf_question *question = &answer->question;
    struct flow_at at;
    int failed = flows_at(program_flows(program), question->pc, &at);
    const struct insn_memory *memory = failed ? NULL : operand(at.insn, question);
    if (!memory) {
        answer->untyped = failed == -ENOENT   ? UNTYPED_NO_UNIT
                          : failed == -ENOMEM ? UNTYPED_GAVE_UP
                                              : UNTYPED_NO_CODE;
        return;
    }
    struct value place = place_of(&at, memory);
    answer->untyped = (uint8_t)check(&at.scene, &place, question);
    if (answer->untyped)
        return;
    const struct shape *shape = shapes_at(at.scene.shapes, place.shape);
    Dwarf_Die die = shape->die;
    bool scalar = shape->kind != SHAPE_RECORD && shape->kind != SHAPE_UNION;
    answer->type = program_type(program, &die);
    answer->untyped = answer->type ? UNTYPED_NO_REASON : UNTYPED_VOID;
    answer->offset = scalar ? 0 : place.offset;
    answer->indexed = place.indexed;
    answer->how = place.how;
}
