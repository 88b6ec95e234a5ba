/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/dwarf/operand.h"
#include "resolve/dwarf/assignee.h"

#include "resolve/dwarf/die.h"
#include "resolve/dwarf/flow.h"
#include "resolve/dwarf/globals.h"
#include "resolve/dwarf/home.h"
#include "resolve/dwarf/stack.h"
#include "resolve/members.h"

#include <stdio.h>

enum { POINTER_BYTES = 8, NAME_BYTES = 512, BACK_MAX = 32 };

/* A pointer's place: in a variable, or in what another pointer points into. */
struct spot {
    const char *variable; /* NULL: none */
    Dwarf_Die type;       /* of the variable, or the other's pointee */
    uint64_t inside;      /* bytes from its start */
};

/* What the pointer that stands there points to, described; NULL: nothing that has a name. */
static const struct type_desc *pointee_of(struct program *program, struct spot *spot,
                                          uint64_t offset, uint32_t *type)
{
    struct shapes *shapes = flows_shapes(program_flows(program));
    uint32_t shape = shapes_of(shapes, &spot->type);
    struct shape_leaf leaf;
    if (!shapes_leaf(shapes, shape, offset, &leaf) ||
        shapes_at(shapes, leaf.shape)->kind != SHAPE_POINTER)
        return NULL;
    struct shape pointee = *shapes_at(shapes, shapes_at(shapes, leaf.shape)->pointee);
    /* A pointer to pointers says little: the variable says it all. */
    if (pointee.kind == SHAPE_VOID || pointee.kind == SHAPE_POINTER ||
        pointee.kind == SHAPE_FUNCTION)
        return NULL;
    *type = program_type(program, &pointee.die);
    return program_described(program, *type);
}

/* The path of the member that stands there: "" if the variable itself is the pointer. */
static void write_path(struct program *program, struct spot *spot, uint64_t *offset,
                       char path[NAME_BYTES])
{
    uint32_t type = program_type(program, &spot->type);
    const struct type_desc *desc = program_described(program, type);
    path[0] = 0;
    if (!desc || !desc->size)
        return;
    *offset %= desc->size; /* of an array: which element is not told */
    uint32_t member = type_member_at(desc, *offset, POINTER_BYTES);
    if (member != TYPE_NO_MEMBER)
        type_path(desc, member, path, NAME_BYTES);
}

static bool tell(struct program *program, struct spot *spot, struct dwarf_answer *answer)
{
    char path[NAME_BYTES];
    char name[3 * NAME_BYTES];
    uint64_t offset = spot->inside;
    uint32_t type;
    write_path(program, spot, &offset, path);
    const struct type_desc *pointee = pointee_of(program, spot, offset, &type);
    if (!pointee || (!spot->variable && !path[0]))
        return false;
    snprintf(name, sizeof name, "%.*s.%s%s%s", NAME_BYTES, type_bare_name(pointee),
             spot->variable ? spot->variable : "", spot->variable && path[0] ? "." : "", path);
    answer->name = program_text(program, name);
    answer->type = type;
    answer->untyped = UNTYPED_NO_REASON;
    return true;
}

static bool tell_variable(struct program *program, Dwarf_Die *variable, uint64_t inside,
                          struct dwarf_answer *answer)
{
    struct spot spot = {.variable = dwarf_diename(variable), .inside = inside};
    return spot.variable && die_type(variable, &spot.type) && tell(program, &spot, answer);
}

bool assignee_held(struct program *program, uint64_t address, uint8_t reg,
                   struct dwarf_answer *answer)
{
    struct home_place place;
    Dwarf_Die variable;
    return home_place(program, address, &place) &&
           home_find_pointer(&place, address, reg, &variable) &&
           tell_variable(program, &variable, 0, answer);
}

/* A slot of the frame, by the frame's rules or by what the code did to the stack so far. */
static bool find_slot(struct program *program, const struct insn *insn,
                      const struct insn_memory *memory, int64_t *slot)
{
    uint8_t reg;
    int64_t offset;
    struct stack stack;
    if (program_cfa(program, insn->address, &reg, &offset) && reg == memory->base) {
        *slot = memory->displacement - offset;
        return true;
    }
    if (memory->base != SREG_SP || !stack_read(program, insn->address, 0, &stack) || !stack.pointer)
        return false;
    *slot = memory->displacement + stack.pointer;
    return true;
}

static bool tell_slot(struct program *program, const struct insn *insn, int64_t slot,
                      struct dwarf_answer *answer)
{
    struct home_place place;
    struct home home;
    return home_place(program, insn->address, &place) && home_find(&place, slot, &home) &&
           tell_variable(program, &home.variable, home.inside, answer);
}

static bool tell_global(struct program *program, const struct insn *insn, uint64_t address,
                        struct dwarf_answer *answer)
{
    const struct global *global = globals_find(program_globals(program), address, insn->address);
    if (!global)
        return false;
    Dwarf_Die variable = global->die;
    return tell_variable(program, &variable, address - global->start, answer);
}

/* The fixed address that a register was given shortly before; false: it was not. */
static bool find_address(const struct flow_at *at, uint8_t reg, uint64_t *address)
{
    const struct insn *insn = at->insn;
    for (unsigned i = 0; i < BACK_MAX && insn > at->insns; i++) {
        insn--;
        if (!(insn->writes >> reg & 1))
            continue;
        *address = (uint64_t)insn->memory[0].displacement;
        return insn->op == INSN_OP_LEA && insn->memory[0].base == SREG_NONE &&
               insn->memory[0].index == SREG_NONE;
    }
    return false;
}

/* An element of a global array: its address is in a register, an index in another. */
static bool tell_element(struct program *program, const struct flow_at *at,
                         const struct insn_memory *memory, struct dwarf_answer *answer)
{
    const uint8_t regs[] = {memory->base, memory->index};
    uint64_t address;
    for (size_t i = 0; i < sizeof regs; i++)
        if (regs[i] < SREG_COUNT && find_address(at, regs[i], &address) &&
            tell_global(program, at->insn, address + (uint64_t)memory->displacement, answer))
            return true;
    return false;
}

/* Through a pointer: a field of what that points to. */
static bool tell_field(struct program *program, const struct insn *insn,
                       const struct insn_memory *memory, struct dwarf_answer *answer)
{
    struct flow_at at;
    if (flows_at(program_flows(program), insn->address, &at))
        return false;
    if (tell_element(program, &at, memory, answer))
        return true;
    struct value value = operand_address(&at.scene, &at.state, at.insn, memory);
    if (value.kind != VALUE_POINTER || !value_folded(at.scene.shapes, &value) || value.offset < 0)
        return false;
    struct spot spot = {.type = shapes_at(at.scene.shapes, value.shape)->die,
                        .inside = (uint64_t)value.offset};
    return tell(program, &spot, answer);
}

bool assignee_stored(struct program *program, const struct insn *insn, struct dwarf_answer *answer)
{
    const struct insn_memory *memory = &insn->memory[0];
    int64_t slot;
    if (!insn->memory_count || memory->size != POINTER_BYTES || memory->segment)
        return false;
    if (memory->base == SREG_NONE)
        return tell_global(program, insn, (uint64_t)memory->displacement, answer);
    if (memory->index == SREG_NONE && find_slot(program, insn, memory, &slot))
        return tell_slot(program, insn, slot, answer);
    return tell_field(program, insn, memory, answer);
}
