/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/dwarf/variable.h"

#include "resolve/dwarf/describe.h"
#include "resolve/dwarf/descriptor.h"
#include "resolve/dwarf/die.h"
#include "resolve/dwarf/globals.h"
#include "resolve/dwarf/scopes.h"

#include <dwarf.h>
#include <stdio.h>

enum { NAME_BYTES = 512 };

static const char *full_name(struct program *program, Dwarf_Die *variable)
{
    char prefix[NAME_BYTES];
    char name[2 * NAME_BYTES];
    const char *own = dwarf_diename(variable);
    if (!own)
        return NULL;
    scopes_prefix(describe_scopes(program_types(program)), variable, prefix, sizeof prefix);
    snprintf(name, sizeof name, "%s%s", prefix, own);
    return program_text(program, name);
}

static void tell_type(struct program *program, Dwarf_Die *type, struct dwarf_answer *answer)
{
    Dwarf_Die element;
    Dwarf_Die peeled;
    uint64_t size = 0;
    unsigned rank = die_peel(type, &peeled) ? descriptor_rank(&peeled) : 0;
    answer->type = program_type(program, type);
    answer->untyped = answer->type ? UNTYPED_NO_REASON : UNTYPED_GAVE_UP;
    if (die_size(type, &size) && size)
        answer->size = size;
    if (rank || !die_array(type, &element, &answer->count))
        answer->count = 0;
    /* "struct point points[];" told in one unit, and how many in another. */
    const struct type_desc *desc = program_described(program, answer->type);
    if (!rank && !answer->count && desc && desc->size && answer->size > desc->size &&
        dwarf_tag(&peeled) == DW_TAG_array_type)
        answer->count = answer->size / desc->size;
}

void variable_tell(struct program *program, Dwarf_Die *variable, struct dwarf_answer *answer)
{
    Dwarf_Die type;
    answer->name = full_name(program, variable);
    answer->untyped = UNTYPED_NO_VARIABLE;
    if (die_type(variable, &type))
        tell_type(program, &type, answer);
}

void variable_answer(struct program *program, struct dwarf_answer *answer)
{
    const struct dwarf_question *question = &answer->question;
    struct globals *globals = program_globals(program);
    const struct global *global = question->ask == DWARF_TLS
                                      ? globals_find_tls(globals, question->address, question->pc)
                                      : globals_find(globals, question->address, question->pc);
    answer->untyped = UNTYPED_NO_VARIABLE;
    if (!global)
        return;
    Dwarf_Die die = global->die;
    answer->size = global->size;
    answer->offset = (int64_t)(question->address - global->start);
    variable_tell(program, &die, answer);
}
