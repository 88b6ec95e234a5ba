/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where what an entry of scopes.c merely declares is defined. */
#include "resolve/dwarf/scopes_state.h"

#include "base/clock.h"
#include "resolve/dwarf/die.h"
#include "resolve/dwarf/program.h"

#include <dwarf.h>
#include <string.h>

enum { SEARCH_MS = 100 /* for one declaration; the next goes on where this one stopped */ };

static bool find_definition(const struct scopes *scopes, uint64_t hash, const Dwarf_Die *declared,
                            Dwarf_Die *definition)
{
    const uint32_t *known = hash_find(&scopes->by_name, hash);
    if (!known)
        return false;
    *definition = scopes->definitions[*known];
    /* "struct a" is no "enum a", whatever the hash says. */
    Dwarf_Die asked = *declared;
    const char *name = dwarf_diename(&asked);
    const char *found = dwarf_diename(definition);
    return name && found && !strcmp(name, found) &&
           (dwarf_tag(&asked) == DW_TAG_enumeration_type) ==
               (dwarf_tag(definition) == DW_TAG_enumeration_type);
}

/* Reads on through the file's units until the name is defined, all are read, or time is up. */
static bool search(struct scopes *scopes, uint64_t hash, const Dwarf_Die *declared,
                   Dwarf_Die *definition)
{
    Dwarf_Addr bias;
    Dwarf *dwarf = dwfl_module_getdwarf(program_module(scopes->program), &bias);
    uint64_t until_ns = clock_now_ns() + (uint64_t)SEARCH_MS * 1000000;
    while (dwarf && !scopes->searched_all && clock_now_ns() < until_ns) {
        Dwarf_Die die;
        Dwarf_Die split;
        uint8_t kind;
        if (dwarf_get_units(dwarf, scopes->searched, &scopes->searched, NULL, &kind, &die, &split))
            scopes->searched_all = true;
        if (scopes->searched_all)
            break;
        scopes_read_definitions(scopes, kind == DW_UT_skeleton && split.addr ? &split : &die);
        if (find_definition(scopes, hash, declared, definition))
            return true;
    }
    return false;
}

bool scopes_definition(struct scopes *scopes, Dwarf_Die *declared, Dwarf_Die *definition)
{
    *definition = *declared;
    if (die_signed(declared, definition))
        return true;
    const char *name = dwarf_diename(declared);
    if (!die_is_declaration(declared) || !name)
        return !die_is_declaration(declared);
    uint64_t hash = scopes_hash(scopes_path(scopes, declared), name);
    if (find_definition(scopes, hash, declared, definition) ||
        search(scopes, hash, declared, definition))
        return true;
    *definition = *declared;
    return false;
}
