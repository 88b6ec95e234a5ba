/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/dwarf/entry.h"

#include "resolve/dwarf/program.h"
#include "resolve/dwarf/prototype.h"
#include "resolve/symbols.h"

#include <dwarf.h>
#include <string.h>

static void take_argument(void *context, uint8_t reg, int64_t slot, const struct value *value)
{
    struct state *state = context;
    if (reg != SREG_NONE)
        state->regs[reg] = *value;
    else
        state_store(state, slot, value);
}

/*
 * Compilers change parameters of functions that nobody else calls. gcc gives those another name
 * ("f.isra.0"), clang does not; both may say that they are not to be called from a debugger.
 */
static bool keeps_parameters(const struct program *program, struct routine *routine)
{
    const struct symbol *symbol = program_code(program, routine->entry);
    const char *name = symbol ? symbol->name : NULL;
    Dwarf_Attribute attribute;
    Dwarf_Die unit;
    Dwarf_Word convention = 0;
    bool external = false;
    dwarf_formudata(dwarf_attr_integrate(&routine->die, DW_AT_calling_convention, &attribute),
                    &convention);
    if (convention == DW_CC_nocall)
        return false;
    dwarf_formflag(dwarf_attr_integrate(&routine->die, DW_AT_external, &attribute), &external);
    if (external)
        return true;
    const char *producer =
        dwarf_diecu(&routine->die, &unit, NULL, NULL)
            ? dwarf_formstring(dwarf_attr_integrate(&unit, DW_AT_producer, &attribute))
            : NULL;
    bool clone = !name || strstr(name, ".isra") || strstr(name, ".constprop") ||
                 strstr(name, ".part") || strstr(name, ".cold");
    return !clone && producer && !strncmp(producer, "GNU ", 4);
}

void entry_state(const struct scene *scene, struct routine *routine, uint64_t start,
                 struct state *state)
{
    memset(state, 0, sizeof *state);
    for (unsigned reg = 0; reg < SREG_COUNT; reg++)
        state->regs[reg] = value_of_kind(VALUE_UNKNOWN);
    if (routine->entry != start)
        return;
    state->regs[SREG_SP] = (struct value){.kind = VALUE_FRAME, .offset = -8};
    if (keeps_parameters(scene->program, routine))
        prototype_arguments(scene->shapes, &routine->die, take_argument, state);
}
