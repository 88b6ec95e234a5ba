/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/dwarf/program.h"

#include <dwarf.h>
#include <stdlib.h>

#include "access.h"
#include "decode/insn.h"
#include "resolve/elf/cfi.h"

bool home_place(struct program *program, uint64_t pc, struct home_place *place)
{
    place->wheres = wheres_at(program, pc);
    place->pc = pc;
    if (!program_cfa(program, pc, &place->cfa_register, &place->cfa_offset))
        place->cfa_register = SREG_NONE;
    return place->wheres;
}

/* Computes the distance of a variable from the canonical frame address. */
static bool slot_of(const struct home_place *place, const struct where *where, int64_t *slot)
{
    if (where->reg == WHERE_CFA)
        *slot = where->offset;
    else if (where->reg == place->cfa_register)
        *slot = (int64_t)((uint64_t)where->offset - (uint64_t)place->cfa_offset);
    else
        return false;
    return true;
}

static bool is_in_slot(const struct home_place *place, const struct where *where, int64_t slot,
                       uint64_t *inside)
{
    int64_t start;
    if (where->kind != WHERE_MEMORY || !slot_of(place, where, &start))
        return false;
    *inside = (uint64_t)slot - (uint64_t)start;
    return *inside < (where->size ? where->size : 1);
}

/* Returns true if a variable is better than the best one so far: variables of outer scopes are
 * preferred, because an inlined function may have another name for the same place. */
static bool is_outer(const struct where *where, const struct where *best)
{
    return !best || where->depth < best->depth ||
           (where->depth == best->depth && where->variable.addr < best->variable.addr);
}

bool home_find(const struct home_place *place, int64_t slot, struct home *home)
{
    const struct where_list *list = &place->wheres->in_memory;
    const struct where *best = NULL;
    const struct where *where;
    size_t next = 0;
    uint64_t inside;
    while ((where = where_next(list, place->pc, &next)))
        if (is_in_slot(place, where, slot, &inside) && is_outer(where, best)) {
            best = where;
            *home = (struct home){where->variable, where->part + inside};
        }
    if (best)
        return true;
    for (size_t i = 0; i < list->count; i++) {
        where = &list->at[i];
        if (!is_in_slot(place, where, slot, &inside))
            continue;
        if (best && best->variable.addr != where->variable.addr)
            return false;
        best = where;
        *home = (struct home){where->variable, where->part + inside};
    }
    return best;
}

/* Returns true for a variable-length array, which has no size. */
static bool is_dynamic_array(const struct where *where)
{
    Dwarf_Die variable = where->variable;
    Dwarf_Die type;
    Dwarf_Die element;
    uint64_t count;
    return die_type(&variable, &type) && die_array(&type, &element, &count) && !count;
}

/* Returns true if the pointer is specific. The void *p of an inlined wrapper is not. */
static bool is_specific(const struct where *where)
{
    Dwarf_Die variable = where->variable;
    Dwarf_Die type;
    Dwarf_Die pointer;
    Dwarf_Die target;
    Dwarf_Die pointee;
    return die_type(&variable, &type) && die_strip(&type, &pointer) && die_is_pointer(&pointer) &&
           die_type(&pointer, &target) && die_strip(&target, &pointee);
}

bool home_held(const struct wheres *wheres, uint64_t pc, uint8_t reg, bool pointers,
               Dwarf_Die *variable)
{
    const struct where *best = NULL;
    const struct where *where;
    size_t next = 0;
    while ((where = where_next(&wheres->in_register, pc, &next)))
        if (where->kind == WHERE_HELD && where->reg == reg && !where->part &&
            is_outer(where, best) && (!pointers || is_specific(where)))
            best = where;
    if (best)
        *variable = best->variable;
    return best;
}

/* Finds the variable-length array in the instruction's scopes; returns false if none or several. */
static bool home_find_dynamic(const struct home_place *place, Dwarf_Die *variable)
{
    const struct where *where;
    size_t next = 0;
    int64_t slot;
    variable->addr = NULL;
    while ((where = where_next(&place->wheres->in_memory, place->pc, &next))) {
        if (where->kind != WHERE_POINTED || !slot_of(place, where, &slot) ||
            !is_dynamic_array(where))
            continue;
        if (variable->addr && variable->addr != where->variable.addr)
            return false;
        *variable = where->variable;
    }
    return variable->addr;
}

enum { WORD = 8 };

/* Returns true if the frame's rules at an address save a register of the caller in the slot. */
static bool rules_save(struct program *program, uint64_t address, int64_t slot)
{
    Dwarf_Addr bias;
    Dwarf_Frame *frame = NULL;
    bool saved = false;
    Dwarf_CFI *frames = program_frames(program, &bias);
    if (!frames || dwarf_cfi_addrframe(frames, address - bias, &frame))
        return false;
    for (unsigned i = 0; i <= CFI_RETURN_ADDRESS && !saved; i++) {
        struct cfi_saved at;
        saved = cfi_saved(frame, i, &at) && at.in == CFI_AT_CFA &&
                (uint64_t)slot - (uint64_t)at.offset < WORD;
    }
    free(frame);
    return saved;
}

/* Returns true if the slot holds a saved register or return address. A push of the prologue is in
 * the rules of the next instruction. A call pushes its return address below the frame, where a
 * function that calls others keeps nothing. This also applies after the call, because its return
 * has loaded the slot. */
static bool is_saved(struct program *program, const struct dwarf_question *question,
                     const struct stack *stack)
{
    int64_t slot = question->slot;
    if (slot >= -WORD && slot < 0)
        return true;
    if (stack->calls && !stack->pushes && stack->pointer && slot >= stack->pointer - WORD &&
        slot < stack->pointer)
        return true;
    return rules_save(program, question->pc, slot) ||
           (stack->length && rules_save(program, question->pc + stack->length, slot));
}

static enum dwarf_slot slot_kind_of(struct program *program, const struct dwarf_question *question,
                                    const struct stack *stack)
{
    if (question->slot >= 0)
        return DWARF_SLOT_ARGUMENT;
    if (stack->dynamic && question->slot < -stack->fixed)
        return DWARF_SLOT_DYNAMIC;
    if (stack->argument)
        return DWARF_SLOT_ARGUMENT;
    Dwarf_Addr bias;
    return program_frames(program, &bias) ? DWARF_SLOT_SPILL : DWARF_SLOT_UNKNOWN;
}

/* Finds the variable in the register of every store to the slot. At -O1 and higher DWARF loses a
 * parameter's position after it was stored. */
static bool find_kept(const struct home_place *place, const struct stack *stack, Dwarf_Die *kept)
{
    if (!stack->store_count || stack->store_count > STACK_STORES)
        return false;
    for (unsigned i = 0; i < stack->store_count; i++) {
        const struct stack_store *store = &stack->stores[i];
        Dwarf_Die variable;
        if (!home_held(place->wheres, store->address, store->reg, false, &variable) ||
            (i && variable.addr != kept->addr))
            return false;
        *kept = variable;
    }
    return true;
}

static void fill_from_home(struct program *program, const struct home *home,
                           struct dwarf_answer *answer)
{
    Dwarf_Die variable = home->variable;
    answer->slot = DWARF_SLOT_VARIABLE;
    answer->offset = (int64_t)home->inside;
    variable_fill(program, &variable, answer);
}

/* Names the variable-length array, if there is only one. Its length and place are not recorded. */
static void fill_dynamic(struct program *program, const struct home_place *place,
                         struct dwarf_answer *answer)
{
    Dwarf_Die variable;
    struct dwarf_answer variable_answer = {0};
    if (!home_find_dynamic(place, &variable))
        return;
    variable_fill(program, &variable, &variable_answer);
    answer->name = variable_answer.name;
}

void slot_answer(struct program *program, struct dwarf_answer *answer)
{
    const struct dwarf_question *question = &answer->question;
    struct home_place place;
    struct home home;
    struct stack stack = {0};
    bool placed = home_place(program, question->pc, &place);
    answer->untyped = UNTYPED_SPILL;
    if (placed && home_find(&place, question->slot, &home)) {
        fill_from_home(program, &home, answer);
        return;
    }
    stack_read(program, question->pc, question->slot, &stack);
    if (is_saved(program, question, &stack)) {
        answer->slot = DWARF_SLOT_SAVED;
        return;
    }
    if (placed && find_kept(&place, &stack, &home.variable)) {
        home.inside = (uint64_t)(question->slot - stack.start);
        fill_from_home(program, &home, answer);
        return;
    }
    answer->slot = slot_kind_of(program, question, &stack);
    if (answer->slot == DWARF_SLOT_UNKNOWN)
        answer->untyped = placed ? UNTYPED_NO_VARIABLE : UNTYPED_NO_UNIT;
    if (placed && answer->slot == DWARF_SLOT_DYNAMIC)
        fill_dynamic(program, &place, answer);
}

enum { INSNS_MAX = 1 << 15, ENTRY_DEPTH = 8, ARGUMENTS_BYTES = 256 };

/* State of following a function from its start, in address order. */
struct course {
    struct program *program;
    struct stack *stack;
    uint64_t pc;
    int64_t slot;
    int64_t depth;  /* stack depth below the canonical frame address; 8 at the entry */
    int64_t before; /* depth before the frame was released */
    bool loaded;    /* the slot is loaded */
    bool stored;    /* ... stored through the stack pointer */
    bool pushed;
    bool addressed;  /* its address is taken */
    uint32_t copies; /* copies of the stack pointer: clang stores arguments through them */
    int64_t copied[SREG_COUNT];
};

static bool is_push(const struct insn *insn)
{
    return insn->stack_step < 0 && insn->flow != INSN_CALL;
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

/* Computes the distance of an operand from the canonical frame address, if that is constant. */
static bool operand_slot(struct course *course, const struct insn *insn,
                         const struct insn_memory *memory, int64_t *slot)
{
    uint8_t reg;
    int64_t offset;
    if (memory->index != SREG_NONE || memory->segment || memory->base >= SREG_COUNT)
        return false;
    if (course->copies >> memory->base & 1) {
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

/* Records a store to the slot. It must store a whole register, always to the same place. */
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
    /* LEA does not access the address that it computes. */
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
        else /* a store; the decoder does not report every vector store as one */
            course->stored = true;
    }
    if (is_push(insn) && covers(-course->depth - 8, 8, course->slot))
        course->pushed = true;
}

/* Returns true if stack space of a computed size is taken: alloca, a variable-length array. */
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

/* Updates the depth for one instruction. A released frame is restored after the return. */
static void stack_follow(struct course *course, const struct insn *insn)
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

/* Corrects the depth: if the tables give the frame by the stack pointer, it is exact. */
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
            stack->pushes = is_push(insn);
            stack->length = insn->address == course->pc ? insn->length : 0;
            stack->pointer = -course->depth;
        }
        if (!stack->dynamic && is_dynamic(insn)) {
            stack->dynamic = true;
            stack->fixed = course->depth;
        }
        stack->calls |= insn->flow == INSN_CALL;
        note_uses(course, insn);
        note_copies(course, insn);
        stack_follow(course, insn);
    }
}

bool stack_read(struct program *program, uint64_t pc, int64_t slot, struct stack *stack)
{
    struct insn *insns;
    size_t count;
    uint64_t start;
    uint64_t end;
    struct course course = {
        .program = program, .stack = stack, .pc = pc, .slot = slot, .depth = ENTRY_DEPTH};
    *stack = (struct stack){0};
    /* A return address - 1 is inside an instruction, so look up the function's start. */
    if (!program_function(program, pc, &start, &end) ||
        !program_insns(program, start, &insns, &count))
        return false;
    go(&course, insns, count);
    free(insns);
    bool lowest = slot - stack->pointer < ARGUMENTS_BYTES;
    stack->argument = stack->calls && !course.addressed && lowest && slot < 0 &&
                      (course.pushed || (course.stored && !course.loaded));
    return true;
}
