/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/dwarf/operand.h"

#include "resolve/dwarf/declared.h"
#include "resolve/dwarf/die.h"
#include "resolve/dwarf/globals.h"
#include "resolve/dwarf/program.h"
#include "resolve/dwarf/question.h"
#include "resolve/symbols.h"

enum { CONSTANTS_MAX = 4096 }; /* below it there is nothing */

static struct value constant(int64_t number)
{
    return (struct value){.kind = VALUE_CONSTANT, .offset = number};
}

/* A place in a variable; `size` is the variable's, which may be an array. */
static struct value in_variable(const struct scene *scene, Dwarf_Die die, uint64_t size,
                                const struct value *place, uint64_t start)
{
    Dwarf_Die type;
    if (!die_type(&die, &type))
        return *place;
    struct value value =
        value_pointer(shapes_of(scene->shapes, &type), (int64_t)((uint64_t)place->offset - start),
                      DWARF_HOW_GLOBAL);
    value.indexed = place->indexed || size > shapes_at(scene->shapes, value.shape)->size;
    return value;
}

/* A variable of another file that was copied into this one, as the unit declares it. */
static struct value in_copied(const struct scene *scene, uint64_t pc, const struct value *place)
{
    const struct symbol *symbol = program_object(scene->program, (uint64_t)place->offset);
    Dwarf_Die die;
    if (!symbol || !globals_declared(program_globals(scene->program), symbol->name, pc, &die))
        return *place;
    return in_variable(scene, die, symbol->end - symbol->start, place, symbol->start);
}

static struct value in_thread(const struct scene *scene, uint64_t pc, const struct value *place)
{
    uint64_t offset = (uint64_t)place->offset;
    if (place->shape == VALUE_THREAD_DISTANCE ||
        (place->shape == VALUE_THREAD_POINTER &&
         !links_thread(scene->links, place->offset, &offset)))
        return *place;
    const struct global *global = globals_find_tls(program_globals(scene->program), offset, pc);
    if (!global)
        return *place;
    return in_variable(scene, global->die, global->size, place,
                       (uint64_t)place->offset - (offset - global->start));
}

struct value operand_settled(const struct scene *scene, uint64_t pc, struct value value)
{
    if (value.kind == VALUE_THREAD)
        return in_thread(scene, pc, &value);
    if (value.kind != VALUE_CONSTANT || (value.offset >= 0 && value.offset < CONSTANTS_MAX))
        return value;
    const struct global *global =
        globals_find(program_globals(scene->program), (uint64_t)value.offset, pc);
    return global ? in_variable(scene, global->die, global->size, &value, global->start)
                  : in_copied(scene, pc, &value);
}

struct value operand_linked(const struct scene *scene, uint64_t pc, uint64_t place)
{
    const struct link *link = links_find(scene->links, place);
    struct value value = value_of_kind(VALUE_UNKNOWN);
    Dwarf_Die die;
    Dwarf_Die type;
    if (!link || link->kind == LINK_DYNAMIC)
        return value;
    if (link->kind == LINK_ADDRESS)
        return operand_settled(scene, pc, constant((int64_t)link->value));
    if (link->kind == LINK_THREAD)
        return (struct value){
            .kind = VALUE_THREAD, .shape = VALUE_THREAD_DISTANCE, .offset = (int64_t)link->value};
    if (globals_declared(program_globals(scene->program), link->name, pc, &die) &&
        die_type(&die, &type))
        value = value_pointer(shapes_of(scene->shapes, &type), 0, DWARF_HOW_GLOBAL);
    return value;
}

struct value operand_dynamic(const struct scene *scene, uint64_t pc, const struct value *argument)
{
    const struct link *link = argument->kind == VALUE_CONSTANT
                                  ? links_find(scene->links, (uint64_t)argument->offset)
                                  : NULL;
    if (!link || link->kind != LINK_DYNAMIC)
        return value_of_kind(VALUE_UNKNOWN);
    return operand_settled(scene, pc,
                           (struct value){.kind = VALUE_THREAD,
                                          .shape = VALUE_THREAD_PLACE,
                                          .offset = (int64_t)link->value});
}

static struct value of_register(const struct state *state, uint8_t reg)
{
    return reg < SREG_COUNT ? state->regs[reg] : constant(0);
}

/* %fs: the thread pointer comes on top. */
static struct value with_segment(const struct value *sum, uint8_t segment)
{
    struct value pointer = {.kind = VALUE_THREAD, .shape = VALUE_THREAD_POINTER};
    return segment == 1 ? value_sum(&pointer, sum, 1) : value_of_kind(VALUE_UNKNOWN);
}

struct value operand_address(const struct scene *scene, const struct state *state,
                             const struct insn *insn, const struct insn_memory *memory)
{
    struct value base = of_register(state, memory->base);
    struct value index = of_register(state, memory->index);
    /* The address of an array may stand in the displacement alone. */
    if (memory->base == SREG_NONE && !memory->segment) {
        base = operand_settled(scene, insn->address, constant(memory->displacement));
        return value_sum(&base, &index, memory->scale);
    }
    struct value sum = value_shifted(value_sum(&base, &index, memory->scale), memory->displacement);
    if (memory->segment)
        sum = with_segment(&sum, memory->segment);
    else if (sum.kind == VALUE_UNKNOWN && memory->index == SREG_NONE)
        sum = declared_through(scene, insn->address, memory->base, memory->displacement);
    return operand_settled(scene, insn->address, sum);
}
