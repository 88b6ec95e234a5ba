/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/dwarf/program.h"

#include <dwarf.h>
#include <stdlib.h>

#include "access.h"
#include "decode/insn.h"
#include "resolve/elf/cfi.h"

bool home_place(struct program *program, uint64_t pc, struct home_place *place)
{
    place->wheres = flows_wheres(program->flows, pc);
    place->pc = pc;
    if (!program_cfa(program, pc, &place->cfa_register, &place->cfa_offset))
        place->cfa_register = SREG_NONE;
    return place->wheres;
}

/* Computes the distance of a variable from the canonical frame address. */
static bool where_slot(const struct home_place *place, const struct where *where, int64_t *slot)
{
    if (where->reg == WHERE_CFA)
        *slot = where->offset;
    else if (where->reg == place->cfa_register)
        *slot = (int64_t)((uint64_t)where->offset - (uint64_t)place->cfa_offset);
    else
        return false;
    return true;
}

static bool where_covers_slot(const struct home_place *place, const struct where *where,
                              int64_t slot, uint64_t *inside)
{
    int64_t start;
    if (where->kind != WHERE_MEMORY || !where_slot(place, where, &start))
        return false;
    *inside = (uint64_t)slot - (uint64_t)start;
    return *inside < (where->size ? where->size : 1);
}

/* Returns true if a variable is better than the best one so far: variables of outer scopes are
 * preferred, because an inlined function may have another name for the same place. */
static bool is_outer_variable(const struct where *where, const struct where *best)
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
        if (where_covers_slot(place, where, slot, &inside) && is_outer_variable(where, best)) {
            best = where;
            *home = (struct home){where->variable, where->piece_offset + inside};
        }
    if (best)
        return true;
    for (size_t i = 0; i < list->count; i++) {
        where = &list->at[i];
        if (!where_covers_slot(place, where, slot, &inside))
            continue;
        if (best && best->variable.addr != where->variable.addr)
            return false;
        best = where;
        *home = (struct home){where->variable, where->piece_offset + inside};
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
static bool is_specific_pointer(const struct where *where)
{
    Dwarf_Die variable = where->variable;
    Dwarf_Die type;
    Dwarf_Die pointer;
    Dwarf_Die target;
    Dwarf_Die pointee;
    return die_type(&variable, &type) && die_strip(&type, &pointer) && die_is_pointer(&pointer) &&
           die_type(&pointer, &target) && die_strip(&target, &pointee);
}

bool home_find_in_register(const struct wheres *wheres, uint64_t pc, uint8_t reg, bool pointers,
                           Dwarf_Die *variable)
{
    const struct where *best = NULL;
    const struct where *where;
    size_t next = 0;
    while ((where = where_next(&wheres->in_register, pc, &next)))
        if (where->kind == WHERE_HELD && where->reg == reg && !where->piece_offset &&
            is_outer_variable(where, best) && (!pointers || is_specific_pointer(where)))
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
        if (where->kind != WHERE_POINTED || !where_slot(place, where, &slot) ||
            !is_dynamic_array(where))
            continue;
        if (variable->addr && variable->addr != where->variable.addr)
            return false;
        *variable = where->variable;
    }
    return variable->addr;
}

enum { WORD = 8, STACK_STORES = 8, ARGUMENTS_BYTES = 256 };

/* A store of a register to the slot. */
struct stack_store {
    uint64_t address; /* of the instruction */
    uint8_t reg;
};

/* A function's use of its stack, for slots that are no variables. */
struct stack {
    uint64_t pc; /* the instruction asked about, */
    int64_t slot;
    bool dynamic;    /* stack space of a computed size is used */
    int64_t fixed;   /* dynamic: size of the fixed part, up to the canonical frame address */
    bool calls;      /* the function calls others */
    bool pushes;     /* the instruction in the question is a push */
    uint8_t length;  /* length of that instruction; 0: none at that address */
    int64_t pointer; /* stack pointer at that instruction, relative to the CFA; 0: not known */
    bool loaded;     /* the slot is */
    bool stored;     /* ... stored through the stack pointer */
    bool pushed;
    bool addressed; /* its address is taken */
    int64_t start;  /* start of the stores */
    struct stack_store stores[STACK_STORES];
    uint8_t store_count; /* more than STACK_STORES: not only stores of whole registers */
};

/* Returns true if the frame's rules at an address save a register of the caller in the slot. */
static bool cfi_saves_slot(struct program *program, uint64_t address, int64_t slot)
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
static bool slot_is_saved(struct program *program, const struct stack *stack)
{
    int64_t slot = stack->slot;
    if (slot >= -WORD && slot < 0)
        return true;
    if (stack->calls && !stack->pushes && stack->pointer && slot >= stack->pointer - WORD &&
        slot < stack->pointer)
        return true;
    return cfi_saves_slot(program, stack->pc, slot) ||
           (stack->length && cfi_saves_slot(program, stack->pc + stack->length, slot));
}

/* The place of a call's argument is only written, by a push or at the stack pointer. */
static bool is_argument(const struct stack *stack)
{
    bool lowest = stack->pointer && stack->slot - stack->pointer < ARGUMENTS_BYTES;
    return stack->calls && !stack->addressed && lowest &&
           (stack->pushed || (stack->stored && !stack->loaded));
}

static enum dwarf_slot slot_kind_of(struct program *program, const struct stack *stack)
{
    Dwarf_Addr bias;
    if (stack->slot >= 0)
        return DWARF_SLOT_ARGUMENT;
    if (stack->dynamic && stack->slot < -stack->fixed)
        return DWARF_SLOT_DYNAMIC;
    if (is_argument(stack))
        return DWARF_SLOT_ARGUMENT;
    return program_frames(program, &bias) ? DWARF_SLOT_SPILL : DWARF_SLOT_UNKNOWN;
}

/* Finds the variable in the register of every store to the slot. At -O1 and higher DWARF loses a
 * parameter's position after it was stored. */
static bool find_stored_variable(const struct home_place *place, const struct stack *stack,
                                 Dwarf_Die *kept)
{
    if (!stack->store_count || stack->store_count > STACK_STORES)
        return false;
    for (unsigned i = 0; i < stack->store_count; i++) {
        const struct stack_store *store = &stack->stores[i];
        Dwarf_Die variable;
        if (!home_find_in_register(place->wheres, store->address, store->reg, false, &variable) ||
            (i && variable.addr != kept->addr))
            return false;
        *kept = variable;
    }
    return true;
}

static bool is_push(const struct insn *insn)
{
    return insn->stack_step < 0 && insn->flow != INSN_CALL;
}

static bool variable_covers_slot(int64_t start, uint64_t size, int64_t slot)
{
    return slot >= start && (uint64_t)(slot - start) < (size ? size : WORD);
}

/* Records a store to the slot. It must store a whole register, always to the same place. */
static void note_store(struct stack *stack, const struct insn *insn, int64_t start,
                       uint8_t size_bytes)
{
    bool same = !stack->store_count || stack->start == start;
    if (insn->stored_register == SREG_NONE || size_bytes < 4 || !same ||
        stack->store_count >= STACK_STORES) {
        stack->store_count = STACK_STORES + 1;
        return;
    }
    stack->start = start;
    stack->stores[stack->store_count++] =
        (struct stack_store){insn->address, insn->stored_register};
}

static void stack_note_operands(struct stack *stack, const struct flow_at *at)
{
    const struct insn *insn = at->insn;
    bool lea = insn->op == INSN_OP_LEA; /* it does not access the address it computes */
    for (unsigned i = 0; i < (lea ? 1 : insn->memory_count); i++) {
        const struct insn_memory *memory = &insn->memory[i];
        struct value place = memory->base == SREG_NONE
                                 ? value_of_kind(VALUE_UNKNOWN)
                                 : operand_address(&at->scene, &at->state, insn, memory);
        if (place.kind != VALUE_FRAME || place.indexed ||
            !variable_covers_slot(place.offset, memory->size, stack->slot))
            continue;
        /* A store through a pointer to the frame clears the whole variable. */
        bool direct = memory->base == SREG_SP || memory->base == SREG_BP;
        if (!lea && direct && memory->kind != ACCESS_LOAD)
            note_store(stack, insn, place.offset, memory->size);
        stack->pushed |= is_push(insn) && memory->kind == ACCESS_STORE;
        if (lea)
            stack->addressed = true;
        else if (memory->kind == ACCESS_LOAD || memory->kind == ACCESS_LOAD_STORE ||
                 memory->base == SREG_BP)
            stack->loaded = true;
        else /* a store; the decoder does not report every vector store as one */
            stack->stored = true;
    }
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

/* Called for each instruction of the function, in the order of addresses. */
static bool stack_note_insn(void *context, const struct flow_at *at)
{
    struct stack *stack = context;
    const struct insn *insn = at->insn;
    const struct value *pointer = &at->state.regs[SREG_SP];
    if (insn->address <= stack->pc && stack->pc < insn->address + insn->length) {
        stack->pushes = is_push(insn);
        stack->length = insn->address == stack->pc ? insn->length : 0;
        stack->pointer = pointer->kind == VALUE_FRAME && !pointer->indexed ? pointer->offset : 0;
    }
    if (!stack->dynamic && is_dynamic(insn) && pointer->kind == VALUE_FRAME) {
        stack->dynamic = true;
        stack->fixed = -pointer->offset;
    }
    stack->calls |= insn->flow == INSN_CALL;
    stack_note_operands(stack, at);
    return true;
}

static void fill_answer_from_home(struct program *program, const struct home *home,
                                  struct dwarf_answer *answer)
{
    Dwarf_Die variable = home->variable;
    answer->slot = DWARF_SLOT_VARIABLE;
    answer->offset = (int64_t)home->variable_offset;
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
    struct stack stack = {.pc = question->pc, .slot = question->slot};
    bool placed = home_place(program, question->pc, &place);
    answer->untyped = UNTYPED_SPILL;
    if (placed && home_find(&place, question->slot, &home)) {
        fill_answer_from_home(program, &home, answer);
        return;
    }
    flows_each(program->flows, question->pc, stack_note_insn, &stack);
    if (slot_is_saved(program, &stack)) {
        answer->slot = DWARF_SLOT_SAVED;
        return;
    }
    if (placed && find_stored_variable(&place, &stack, &home.variable)) {
        home.variable_offset = (uint64_t)(question->slot - stack.start);
        fill_answer_from_home(program, &home, answer);
        return;
    }
    answer->slot = slot_kind_of(program, &stack);
    if (answer->slot == DWARF_SLOT_UNKNOWN)
        answer->untyped = placed ? UNTYPED_NO_VARIABLE : UNTYPED_NO_UNIT;
    if (placed && answer->slot == DWARF_SLOT_DYNAMIC)
        fill_dynamic(program, &place, answer);
}
