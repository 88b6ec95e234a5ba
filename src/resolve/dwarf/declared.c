/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/dwarf/declared.h"

#include "resolve/dwarf/question.h"

enum { POINTER_BYTES = 8 };

/* How far a place in the frame is behind a variable's start. Below the fixed frame ("indexed") only
 * what stands there too is compared. */
static bool inside_of(const struct state *state, const struct where *where,
                      const struct value *place, uint64_t *inside)
{
    const struct value *base = where->reg == WHERE_CFA ? NULL : &state->regs[where->reg];
    if (base && (base->kind != VALUE_FRAME || (base->indexed && !place->indexed)))
        return false;
    *inside =
        (uint64_t)place->offset - (base ? (uint64_t)base->offset : 0) - (uint64_t)where->offset;
    if (where->kind == WHERE_POINTED)
        return *inside < POINTER_BYTES;
    return where->size ? *inside < where->size : base && base->indexed;
}

struct value declared_in_frame(const struct scene *scene, const struct state *state, uint64_t pc,
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

enum { WORTH_TRUST = 3 }; /* a pointer to something that is no character and not void */

void declared_over(struct shapes *shapes, struct value *known, const struct value *told)
{
    unsigned worth = value_worth(shapes, told);
    if (is_copy(shapes, known, told))
        return;
    if (worth < WORTH_TRUST && value_worth(shapes, known) >= worth)
        return;
    bool same = known->kind == VALUE_POINTER && told->kind == VALUE_POINTER &&
                shapes_same(shapes, known->shape, told->shape);
    bool indexed = same && known->indexed;
    *known = *told;
    known->indexed |= indexed;
}

static uint64_t size_of(const struct shapes *shapes, const struct value *value)
{
    return shapes_at(shapes, value->shape)->size;
}

/* A variable that stands there now and then is believed where it says more than what is known: of
 * two structs, the larger has the other for its head. */
static bool adds(const struct shapes *shapes, const struct value *known, const struct value *told)
{
    unsigned worth = value_worth(shapes, known);
    return worth < WORTH_TRUST || (worth > WORTH_TRUST && value_worth(shapes, told) == worth &&
                                   size_of(shapes, told) > size_of(shapes, known));
}

static struct value best_of(const struct scene *scene, uint64_t pc, uint8_t reg,
                            const struct value *followed)
{
    const struct where *where;
    struct value best = value_of_kind(VALUE_UNKNOWN);
    size_t next = 0;
    while ((where = where_next(&scene->wheres->in_register, pc, &next))) {
        if (where->reg != reg)
            continue;
        struct value value = held(scene->shapes, where);
        if (where->anywhere && !adds(scene->shapes, followed, &value))
            continue;
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
    return shape->kind == SHAPE_RECORD || shape->kind == SHAPE_UNION || shape->descriptor ||
           !where->size;
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
        declared_over(scene->shapes, &state->regs[where->reg], &value);
    }
}

void declared_in_registers(const struct scene *scene, struct state *state, uint64_t pc,
                           uint32_t mask)
{
    for (uint8_t reg = 0; reg < SREG_COUNT; reg++) {
        if (!(mask >> reg & 1) || reg == SREG_SP)
            continue;
        struct value told = best_of(scene, pc, reg, &state->regs[reg]);
        if (told.kind != VALUE_UNKNOWN)
            declared_over(scene->shapes, &state->regs[reg], &told);
    }
    declare_pointed(scene, state, pc, mask);
}

struct value declared_through(const struct scene *scene, uint64_t pc, uint8_t base,
                              int64_t displacement)
{
    const struct where *where;
    size_t next = 0;
    while (base < SREG_COUNT && (where = where_next(&scene->wheres->in_memory, pc, &next))) {
        uint64_t inside = (uint64_t)(displacement - where->offset);
        if (where->kind == WHERE_MEMORY && where->reg == base && inside < where->size)
            return value_pointer(where->shape, (int64_t)(inside + where->part), DWARF_HOW_VARIABLE);
    }
    return value_of_kind(VALUE_UNKNOWN);
}
