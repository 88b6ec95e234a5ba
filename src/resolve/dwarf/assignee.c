/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the variable that the result of a call is assigned to, after which MemSpy (section 5.2)
 * names a heap bin. The result is in RAX (System V ABI AMD64, 3.2.3). It is followed until it is
 * stored, or is in a register that holds a variable. A function that returns it as void * or bytes
 * is a wrapper of an allocator: the variable is in its caller.
 */
#include <ctype.h>
#include <dwarf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "decode/insn.h"
#include "resolve/dwarf/program.h"
#include "resolve/library_types.h"
#include "resolve/members.h"

enum { POINTER_BYTES = 8, NAME_BYTES = 512, SCOPE_BYTES = 8192, BACK_MAX = 32 };

/* The place of a pointer: in a variable, or in memory that another pointer points to. */
struct pointer_place {
    const char *variable; /* NULL: none */
    Dwarf_Die type;       /* type of the variable, or pointee of the other pointer */
    uint64_t type_offset; /* bytes from the start of that type */
};

/* Returns the description of the type that the pointer points to; NULL: it has no name. */
static const struct type_desc *pointee_of(struct program *program, struct pointer_place *spot,
                                          uint64_t offset, uint32_t *type)
{
    struct shapes *shapes = &program->shapes;
    uint32_t shape = shapes_of(shapes, &spot->type);
    struct shape_leaf leaf;
    if (!shapes_leaf(shapes, shape, offset, &leaf) ||
        shapes_at(shapes, leaf.shape)->kind != SHAPE_POINTER)
        return NULL;
    struct shape pointee = *shapes_at(shapes, shapes_at(shapes, leaf.shape)->pointee);
    if (pointee.kind == SHAPE_VOID || pointee.kind == SHAPE_FUNCTION)
        return NULL;
    *type = program_type(program, &pointee.die);
    return program_described(program, *type);
}

/* Writes the path of the member at the offset: "" if the variable itself is the pointer. */
static void write_path(struct program *program, struct pointer_place *spot, uint64_t *offset,
                       char path[NAME_BYTES])
{
    uint32_t type = program_type(program, &spot->type);
    const struct type_desc *desc = program_described(program, type);
    path[0] = 0;
    if (!desc || !desc->size)
        return;
    *offset %= desc->size; /* drop the index of an array element */
    uint32_t member = type_member_at(desc, *offset, POINTER_BYTES);
    if (member != TYPE_NO_MEMBER)
        type_path(desc, member, path, NAME_BYTES);
}

/* Returns true for names reserved for the C++ library (ISO C++, lex.name) and for `this`. They are
 * not the program's names. */
static bool is_reserved_name(const char *variable)
{
    return (variable[0] == '_' && (variable[1] == '_' || isupper((unsigned char)variable[1]))) ||
           !strcmp(variable, "this");
}

/* Sets "TYPE.VARIABLE" or "TYPE.FIELD", where TYPE is what the stored pointer points to, and that
 * type. Returns false if it is not specific, as for a void pointer. */
static bool assignee_answer(struct program *program, struct pointer_place *spot,
                            struct dwarf_answer *answer)
{
    char path[NAME_BYTES];
    char name[3 * NAME_BYTES];
    uint64_t offset = spot->type_offset;
    uint32_t type;
    write_path(program, spot, &offset, path);
    const struct type_desc *pointee = pointee_of(program, spot, offset, &type);
    if (!pointee || (!spot->variable && !path[0]))
        return false;
    const char *variable = spot->variable ? spot->variable : "";
    if (is_reserved_name(*variable ? variable : path))
        snprintf(name, sizeof name, "%s", type_bare_name(pointee));
    else
        snprintf(name, sizeof name, "%.*s.%s%s%s", NAME_BYTES, type_bare_name(pointee), variable,
                 *variable && path[0] ? "." : "", path);
    answer->name = program_text(program, name);
    answer->type = type;
    answer->untyped = UNTYPED_NO_REASON;
    return true;
}

static bool name_variable(struct program *program, Dwarf_Die *variable, uint64_t inside,
                          struct dwarf_answer *answer)
{
    struct pointer_place spot = {.variable = dwarf_diename(variable), .type_offset = inside};
    return spot.variable && die_type(variable, &spot.type) &&
           assignee_answer(program, &spot, answer);
}

static bool name_slot(struct program *program, const struct insn *insn, int64_t slot,
                      struct dwarf_answer *answer)
{
    struct home_place place;
    struct home home;
    return home_place(program, insn->address, &place) && home_find(&place, slot, &home) &&
           name_variable(program, &home.variable, home.variable_offset, answer);
}

static bool name_global(struct program *program, const struct insn *insn, uint64_t address,
                        struct dwarf_answer *answer)
{
    const struct global *global = globals_find(program, address, insn->address);
    if (!global)
        return false;
    Dwarf_Die variable = global->die;
    return name_variable(program, &variable, address - global->start, answer);
}

/* Finds the fixed address that a register was given shortly before; returns false if none. */
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

/* Names an element of a global array: its address is in a register, an index in another. */
static bool name_element(struct program *program, const struct flow_at *at,
                         const struct insn_memory *memory, struct dwarf_answer *answer)
{
    const uint8_t regs[] = {memory->base, memory->index};
    uint64_t address;
    for (size_t i = 0; i < sizeof regs; i++)
        if (regs[i] < SREG_COUNT && find_address(at, regs[i], &address) &&
            name_global(program, at->insn, address + (uint64_t)memory->displacement, answer))
            return true;
    return false;
}

/* Names the target of a store: a variable, or a field of a pointer's target. */
static bool assignee_stored(struct program *program, const struct flow_at *at,
                            struct dwarf_answer *answer)
{
    const struct insn_memory *memory = &at->insn->memory[0];
    if (!at->insn->memory_count || memory->size != POINTER_BYTES || memory->segment)
        return false;
    if (memory->base == SREG_NONE)
        return name_global(program, at->insn, (uint64_t)memory->displacement, answer);
    struct value place = operand_address(&at->scene, &at->state, at->insn, memory);
    if (place.kind == VALUE_FRAME)
        return !place.indexed && name_slot(program, at->insn, place.offset, answer);
    if (name_element(program, at, memory, answer))
        return true;
    if (place.kind != VALUE_POINTER || !value_folded(at->scene.shapes, &place) || place.offset < 0)
        return false;
    struct pointer_place spot = {.type = shapes_at(at->scene.shapes, place.shape)->die,
                                 .type_offset = (uint64_t)place.offset};
    return assignee_answer(program, &spot, answer);
}

enum { STEPS_MAX = 48, FORKS_MAX = 3 };

static const struct value call_result = {.kind = VALUE_POINTER, .how = DWARF_HOW_FOLLOWED};

/* Returns true for the result, plus any constant: a wrapper may keep a header in front. */
static bool is_in_result(const struct value *value)
{
    return value->kind == VALUE_POINTER && value->how == DWARF_HOW_FOLLOWED && !value->indexed;
}

static bool is_result(const struct value *value)
{
    return is_in_result(value) && value->offset == 0;
}

/* Returns a mask of the registers that hold the result. */
static uint32_t results_in(const struct state *state)
{
    uint32_t registers = 0;
    for (unsigned reg = 0; reg < SREG_COUNT; reg++)
        registers |= (uint32_t)is_result(&state->regs[reg]) << reg;
    return registers;
}

static bool stores_in_frame(const struct flow_at *at)
{
    const struct insn_memory *memory = &at->insn->memory[0];
    return at->insn->memory_count &&
           operand_address(&at->scene, &at->state, at->insn, memory).kind == VALUE_FRAME;
}

static bool state_has_result(const struct state *state)
{
    for (unsigned reg = 0; reg < SREG_COUNT; reg++)
        if (is_in_result(&state->regs[reg]))
            return true;
    for (uint32_t i = 0; i < state->slot_count; i++)
        if (is_in_result(&state->slots[i].value))
            return true;
    return false;
}

/* Returns true if the function around an address returns void *, or a pointer to bytes. */
static bool returns_memory(struct program *program, uint64_t pc)
{
    Dwarf_Die functions[PROGRAM_FUNCTIONS];
    Dwarf_Die type;
    Dwarf_Die pointee;
    uint64_t size;
    unsigned count = program_functions(program, pc, functions);
    if (!count || !die_type(&functions[count - 1], &type) || !die_peel(&type, &type) ||
        dwarf_tag(&type) != DW_TAG_pointer_type)
        return false;
    return !die_pointee(&type, &pointee) || (die_size(&pointee, &size) && size == 1);
}

/* Finds a variable that a register holds. */
static bool find_register_variable(struct program *program, const struct flow_at *at,
                                   uint32_t registers, struct dwarf_answer *answer)
{
    for (uint8_t reg = 0; reg < SREG_COUNT; reg++) {
        Dwarf_Die variable;
        if (registers >> reg & 1 &&
            home_find_in_register(at->scene.wheres, at->insn->address, reg, true, &variable) &&
            name_variable(program, &variable, 0, answer))
            return true;
    }
    return false;
}

/* Returns NULL if no instruction begins there. */
static const struct insn *find_insn_at(const struct flow_at *at, uint64_t address)
{
    size_t low = SORTED_BELOW(at->insns, at->count, address, address);
    return low < at->count && at->insns[low].address == address ? &at->insns[low] : NULL;
}

/* Returns true at a return, and at a jump to another function. */
static bool ends_function(const struct flow_at *at)
{
    return at->insn->flow == INSN_RETURN ||
           (at->insn->flow == INSN_JUMP && at->insn->target && !find_insn_at(at, at->insn->target));
}

/* Returns true if the function returns the result as plain memory: after a header, or without a
 * variable that says more. */
static bool is_wrapper(struct program *program, const struct value *returned,
                       const struct dwarf_answer *answer)
{
    const struct type_desc *type = program_described(program, answer->type);
    return is_in_result(returned) &&
           (returned->offset || !answer->name || (type && type->size == 1));
}

/* Follows the result. At a conditional jump (usually a check for failure) both ways are tried: one
 * of them leads to the assignment. `may_wrap`: the function may be a wrapper. It is not if it also
 * stores the result outside its frame, as an arena does, which serves many callers from a block.
 * A call with it as the first argument is taken to return it, as memset() does. */
static bool follow_result(struct program *program, struct flow_at at, unsigned *steps,
                          unsigned forks, bool may_wrap, struct dwarf_answer *answer)
{
    const struct insn *end = at.insns + at.count;
    bool passed = false; /* RAX has the result of a call that got the block */
    while (at.insn && at.insn < end && (*steps)++ < STEPS_MAX) {
        const struct insn *insn = at.insn;
        uint32_t registers = results_in(&at.state);
        if (!state_has_result(&at.state) && !passed)
            return false;
        bool stores = insn->stored_register < SREG_COUNT && registers >> insn->stored_register & 1;
        if (!answer->name && !find_register_variable(program, &at, registers, answer) && stores)
            assignee_stored(program, &at, answer);
        may_wrap &= !stores || stores_in_frame(&at);
        if (answer->name && !may_wrap)
            return true;
        const struct value *regs = at.state.regs;
        const struct value *returned = insn->flow != INSN_RETURN ? &regs[SREG_DI]
                                       : passed                  ? &call_result
                                                                 : &regs[SREG_AX];
        if (may_wrap && ends_function(&at) && is_wrapper(program, returned, answer)) {
            answer->name = "";
            answer->type = 0;
            answer->untyped = UNTYPED_NO_VARIABLE;
            return true;
        }
        if (insn->flow == INSN_RETURN || insn->flow == INSN_STOP)
            return false;
        bool passes = insn->flow == INSN_CALL && is_result(&at.state.regs[SREG_DI]);
        passed = passes || (passed && !(insn->writes >> SREG_AX & 1));
        step_over(&at.scene, &at.state, insn);
        at.insn = insn + 1;
        if (insn->flow == INSN_CONDITIONAL && insn->target && forks < FORKS_MAX &&
            follow_result(program, at, steps, forks + 1, may_wrap, answer))
            return true;
        if (insn->target && insn->flow != INSN_CALL)
            at.insn = find_insn_at(&at, insn->target);
    }
    return false;
}

/* Names a block after the container that allocated it. The class of an allocator gives the type. */
static void name_library_block(struct program *program, struct dwarf_answer *answer)
{
    struct scopes *scopes = &program->scopes;
    Dwarf_Die functions[PROGRAM_FUNCTIONS];
    char scope[SCOPE_BYTES];
    char name[TYPENAME_BYTES] = "";
    char text[sizeof name + sizeof "multi"];
    unsigned count = program_functions(program, answer->question.pc - 1, functions);
    enum library_block block = LIBRARY_BLOCK_NOT_KNOWN;
    bool equals = false;
    bool in_tree = true;
    for (unsigned i = 0; i < count && block != LIBRARY_BLOCK_NONE && in_tree; i++) {
        Dwarf_Attribute attribute;
        Dwarf_Die class;
        Dwarf_Die allocated;
        const char *function =
            dwarf_formstring(dwarf_attr_integrate(&functions[i], DW_AT_name, &attribute));
        scopes_prefix(scopes, &functions[i], scope, sizeof scope);
        size_t length = strlen(scope);
        scope[length > 2 ? length - 2 : 0] = 0; /* removes "::" */
        /* Stop outside the container's own tree: another container may use it for its elements. */
        in_tree = block != LIBRARY_BLOCK_KNOWN || library_tree(scope) || library_allocator(scope);
        equals |= in_tree && library_allows_equals(scope, function ? function : "");
        if (block == LIBRARY_BLOCK_KNOWN)
            continue;
        block = library_block(scope, function ? function : "", name, sizeof name);
        /* A program's own allocator of a container (ISO C++, allocator.requirements). */
        if (block == LIBRARY_BLOCK_NONE && function && !strcmp(function, "allocate"))
            block = LIBRARY_BLOCK_NOT_KNOWN;
        if (library_allocator(scope) && scopes_class(scopes, &functions[i], &class) &&
            die_argument(&class, &allocated))
            answer->type = program_type(program, &allocated);
    }
    /* A multimap has the same nodes as a map. */
    bool multi = equals && (!strncmp(name, "map<", 4) || !strncmp(name, "set<", 4));
    snprintf(text, sizeof text, "%s%s", multi ? "multi" : "", name);
    if (block == LIBRARY_BLOCK_KNOWN)
        answer->name = program_text(program, text);
    if (answer->type)
        answer->untyped = UNTYPED_NO_REASON;
}

/* Drops the name of a library's variable, which does not belong to the program. Keeps its type,
 * except for plain bytes. */
static void drop_library_name(struct program *program, struct dwarf_answer *answer)
{
    Dwarf_Die functions[PROGRAM_FUNCTIONS];
    char scope[SCOPE_BYTES];
    const struct type_desc *type = program_described(program, answer->type);
    if (!answer->name || !*answer->name ||
        !program_functions(program, answer->question.pc - 1, functions))
        return;
    scopes_prefix(&program->scopes, &functions[0], scope, sizeof scope);
    if (!library_function(scope))
        return;
    bool plain = !type || !type->member_count;
    answer->name = plain ? NULL : program_text(program, type_bare_name(type));
    answer->type = plain ? 0 : answer->type;
    answer->untyped = plain ? (uint8_t)UNTYPED_NO_VARIABLE : (uint8_t)UNTYPED_NO_REASON;
}

void call_answer(struct program *program, struct dwarf_answer *answer)
{
    uint64_t back = answer->question.pc;
    struct flow_at at;
    unsigned steps = 0;
    uint64_t start;
    uint64_t end;
    answer->untyped = UNTYPED_NO_VARIABLE;
    /* A call that does not return may be the last of its function. */
    if (program_function(program, back - 1, &start, &end) && back < end &&
        !flows_at(program->flows, back, &at)) {
        at.state.regs[SREG_AX] = call_result;
        follow_result(program, at, &steps, 0, returns_memory(program, back - 1), answer);
        drop_library_name(program, answer);
    }
    name_library_block(program, answer);
}

/* Finds the node type of a container: a member type, or a template of the same namespace, because
 * compilers leave out member types that a unit does not use. */
void node_answer(struct program *program, struct dwarf_answer *answer)
{
    struct scopes *scopes = &program->scopes;
    Dwarf_Die functions[PROGRAM_FUNCTIONS];
    unsigned count = program_functions(program, answer->question.pc, functions);
    answer->untyped = UNTYPED_NO_VARIABLE;
    for (unsigned i = 0; i < count && !answer->type; i++) {
        struct typename_raw raw;
        Dwarf_Die class;
        Dwarf_Die node;
        if (!scopes_class(scopes, &functions[i], &class) || !typename_raw(scopes, &class, &raw))
            continue;
        const struct library_rule *rule = library_rule(raw.text);
        if (die_member_type(&class, rule->link_type, &node) ||
            die_sibling(&class, rule->node, &node))
            answer->type = program_type(program, &node);
    }
    if (answer->type)
        answer->untyped = UNTYPED_NO_REASON;
}
