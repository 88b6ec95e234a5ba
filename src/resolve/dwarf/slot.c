/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/cfi.h"
#include "resolve/dwarf/home.h"
#include "resolve/dwarf/program.h"
#include "resolve/dwarf/stack.h"
#include "resolve/dwarf/variable.h"

#include <stdlib.h>

enum { WORD = 8 };

/* Whether the frame's rules at an address keep a register of the caller in the slot. */
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

/* A push of the prologue is in the rules of what follows it; a call pushes below the frame. */
static bool is_saved(struct program *program, const struct dwarf_question *question,
                     const struct stack *stack)
{
    int64_t slot = question->slot;
    if (slot >= -WORD && slot < 0)
        return true;
    if (stack->is_call && stack->pointer && slot >= stack->pointer - WORD && slot < stack->pointer)
        return true;
    return rules_save(program, question->pc, slot) ||
           (stack->length && rules_save(program, question->pc + stack->length, slot));
}

static enum dwarf_slot kind_of(struct program *program, const struct dwarf_question *question,
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

/* The one variable whose register every store to the slot keeps there: at -O1 and more, DWARF
 * forgets where a parameter went that was stored away. */
static bool find_kept(const struct home_place *place, const struct stack *stack, Dwarf_Die *kept)
{
    if (!stack->store_count || stack->store_count > STACK_STORES)
        return false;
    for (unsigned i = 0; i < stack->store_count; i++) {
        const struct stack_store *store = &stack->stores[i];
        Dwarf_Die variable;
        if (!home_find_held(place, store->address, store->reg, &variable) ||
            (i && variable.addr != kept->addr))
            return false;
        *kept = variable;
    }
    return true;
}

static void tell_home(struct program *program, const struct home *home, struct dwarf_answer *answer)
{
    Dwarf_Die variable = home->variable;
    answer->slot = DWARF_SLOT_VARIABLE;
    answer->offset = (int64_t)home->inside;
    variable_tell(program, &variable, answer);
}

/* An array of variable length: which, if there is one; how long and where is not told. */
static void tell_dynamic(struct program *program, const struct home_place *place,
                         struct dwarf_answer *answer)
{
    Dwarf_Die variable;
    struct dwarf_answer told = {0};
    if (!home_find_dynamic(place, &variable))
        return;
    variable_tell(program, &variable, &told);
    answer->name = told.name;
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
        tell_home(program, &home, answer);
        return;
    }
    stack_read(program, question->pc, question->slot, &stack);
    if (is_saved(program, question, &stack)) {
        answer->slot = DWARF_SLOT_SAVED;
        return;
    }
    if (placed && find_kept(&place, &stack, &home.variable)) {
        home.inside = (uint64_t)(question->slot - stack.start);
        tell_home(program, &home, answer);
        return;
    }
    answer->slot = kind_of(program, question, &stack);
    if (answer->slot == DWARF_SLOT_UNKNOWN)
        answer->untyped = placed ? UNTYPED_NO_VARIABLE : UNTYPED_NO_UNIT;
    if (placed && answer->slot == DWARF_SLOT_DYNAMIC)
        tell_dynamic(program, &place, answer);
}
