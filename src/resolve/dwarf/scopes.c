/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/hash.h"
#include "resolve/dwarf/die.h"

struct scope {
    Dwarf_Die die;
    uint64_t hash;   /* hash of the names from the outermost scope to this one */
    uint32_t parent; /* index + 1; 0: the unit */
};

enum {
    DEPTH_MAX = 32,
    SCOPES_MAX = 1 << 20,
    DEFINITIONS_MAX = 1 << 19,
    UNIT_ENTRIES_MAX = 1 << 22,
};

struct walk {
    struct scopes *scopes;
    unsigned left;  /* entries that may still be read */
    bool remembers; /* record the enclosing scopes; false: only definitions */
};

void scopes_fini(struct scopes *scopes)
{
    hash_fini(&scopes->enclosing);
    hash_fini(&scopes->read);
    hash_fini(&scopes->by_name);
    free(scopes->scopes);
    free(scopes->definitions);
}

static uint64_t scopes_key_of(const Dwarf_Die *die)
{
    return (uint64_t)(uintptr_t)die->addr;
}

/* Returns the hash of a name in the scope with hash `hash`; 0: none. NULL: no name. */
static uint64_t scopes_hash(uint64_t hash, const char *name)
{
    return hash_mix(hash ^ (name ? hash_bytes(name, strlen(name)) : 1));
}

static bool is_type(int tag)
{
    return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type ||
           tag == DW_TAG_enumeration_type || tag == DW_TAG_interface_type;
}

static bool is_scope(int tag)
{
    return tag == DW_TAG_namespace || tag == DW_TAG_module ||
           (is_type(tag) && tag != DW_TAG_enumeration_type);
}

static uint32_t add_scope(struct scopes *scopes, const struct scope *scope)
{
    if (!array_reserve_next(&scopes->scopes, &scopes->room, scopes->count, sizeof *scopes->scopes,
                            SCOPES_MAX))
        return 0;
    scopes->scopes[scopes->count++] = *scope;
    return scopes->count;
}

/* Adds a definition, unless the name has one. C++ allows only one; in C they are usually alike. */
static void add_definition(struct scopes *scopes, uint64_t hash, const Dwarf_Die *die)
{
    bool created = false;
    if (!array_reserve_next(&scopes->definitions, &scopes->definition_room,
                            scopes->definition_count, sizeof *scopes->definitions, DEFINITIONS_MAX))
        return;
    uint32_t *slot = hash_insert(&scopes->by_name, hash, &created);
    if (slot && created) {
        *slot = scopes->definition_count;
        scopes->definitions[scopes->definition_count++] = *die;
    }
}

/* Returns the name of an entry. The skeleton of a class in a type unit has its name there. */
static const char *entry_name(Dwarf_Die *die)
{
    Dwarf_Die definition;
    const char *name = dwarf_diename(die);
    return !name && die_signed(die, &definition) ? dwarf_diename(&definition) : name;
}

static void walk_scope(struct walk *walk, Dwarf_Die *die, uint32_t enclosing, uint64_t hash,
                       unsigned depth)
{
    bool created;
    Dwarf_Die child;
    if (depth >= DEPTH_MAX || dwarf_child(die, &child))
        return;
    do {
        int tag = dwarf_tag(&child);
        if (!walk->left || !walk->left--)
            return;
        if (walk->remembers && enclosing) {
            uint32_t *slot = hash_insert(&walk->scopes->enclosing, scopes_key_of(&child), &created);
            if (slot)
                *slot = enclosing;
        }
        if (!is_scope(tag) && !is_type(tag))
            continue;
        const char *name = entry_name(&child);
        uint64_t inner = scopes_hash(hash, name);
        if (is_type(tag) && name && !die_is_declaration(&child) &&
            !dwarf_hasattr(&child, DW_AT_specification) && !dwarf_hasattr(&child, DW_AT_signature))
            add_definition(walk->scopes, inner, &child);
        if (!is_scope(tag))
            continue;
        uint32_t scope =
            walk->remembers ? add_scope(walk->scopes, &(struct scope){child, inner, enclosing}) : 0;
        if (scope || !walk->remembers)
            walk_scope(walk, &child, scope, inner, depth + 1);
    } while (!dwarf_siblingof(&child, &child));
}

static void scopes_clear_if_full(struct scopes *scopes)
{
    if (scopes->count < SCOPES_MAX / 2 && scopes->enclosing.count < SCOPES_MAX)
        return;
    hash_clear(&scopes->enclosing);
    hash_clear(&scopes->read);
    scopes->count = 0;
}

static bool read_unit(struct scopes *scopes, Dwarf_Die *die)
{
    bool created = false;
    Dwarf_Die unit;
    if (!dwarf_diecu(die, &unit, NULL, NULL))
        return false;
    if (!hash_find(&scopes->read, scopes_key_of(&unit)))
        scopes_clear_if_full(scopes);
    if (!hash_insert(&scopes->read, scopes_key_of(&unit), &created))
        return false;
    struct walk walk = {.scopes = scopes, .left = UNIT_ENTRIES_MAX, .remembers = true};
    if (created)
        walk_scope(&walk, &unit, 0, 0, 0);
    return true;
}

/* Returns the entry that was given the name: a definition may be elsewhere. */
static Dwarf_Die named_entry(Dwarf_Die *die)
{
    static const unsigned to[] = {DW_AT_specification, DW_AT_abstract_origin};
    Dwarf_Die at = *die;
    for (unsigned i = 0; i < DIE_HOPS_MAX; i++) {
        Dwarf_Attribute attribute;
        Dwarf_Die next;
        if (!dwarf_formref_die(dwarf_attr(&at, to[0], &attribute), &next) &&
            !dwarf_formref_die(dwarf_attr(&at, to[1], &attribute), &next))
            break;
        at = next;
    }
    return at;
}

/* Returns index + 1 of the scope that contains an entry; 0: the unit. */
static uint32_t enclosing_scope(struct scopes *scopes, Dwarf_Die *die)
{
    Dwarf_Die at = named_entry(die);
    const uint32_t *known =
        read_unit(scopes, &at) ? hash_find(&scopes->enclosing, scopes_key_of(&at)) : NULL;
    return known ? *known : 0;
}

uint64_t scopes_path(struct scopes *scopes, Dwarf_Die *die)
{
    uint32_t around = enclosing_scope(scopes, die);
    return around ? scopes->scopes[around - 1].hash : 0;
}

static const char *scope_name(Dwarf_Die *scope)
{
    const char *name = entry_name(scope);
    if (name)
        return name;
    return dwarf_tag(scope) == DW_TAG_namespace ? "(anonymous namespace)" : NULL;
}

void scopes_prefix(struct scopes *scopes, Dwarf_Die *die, char *out, size_t out_size)
{
    uint32_t chain[DEPTH_MAX];
    size_t count = 0;
    size_t used = 0;
    out[0] = 0;
    for (uint32_t at = enclosing_scope(scopes, die); at && count < DEPTH_MAX;
         at = scopes->scopes[at - 1].parent)
        chain[count++] = at - 1;
    while (count--) {
        Dwarf_Die *scope = &scopes->scopes[chain[count]].die;
        const char *name = scope_name(scope);
        /* Inline namespaces, such as std::__cxx11, are not part of shown names. */
        if (!name || die_flag(scope, DW_AT_export_symbols))
            continue;
        int length = snprintf(out + used, out_size - used, "%s::", name);
        if (length < 0 || (size_t)length >= out_size - used)
            break;
        used += (size_t)length;
    }
}

bool scopes_class(struct scopes *scopes, Dwarf_Die *die, Dwarf_Die *class)
{
    uint32_t at = enclosing_scope(scopes, die);
    int tag = at ? dwarf_tag(&scopes->scopes[at - 1].die) : 0;
    if (at)
        *class = scopes->scopes[at - 1].die;
    return tag == DW_TAG_class_type || tag == DW_TAG_structure_type || tag == DW_TAG_union_type;
}

/* Adds the types that a unit defines to by_name, without recording scopes. */
static void scopes_read_definitions(struct scopes *scopes, Dwarf_Die *unit)
{
    struct walk walk = {.scopes = scopes, .left = UNIT_ENTRIES_MAX};
    walk_scope(&walk, unit, 0, 0, 0);
}

/* Search for the definitions of entries that are only declared. */

enum { SEARCH_MS = 100 /* per declaration; the next search continues where this one stopped */ };

static bool find_definition(const struct scopes *scopes, uint64_t hash, const Dwarf_Die *declared,
                            Dwarf_Die *definition)
{
    const uint32_t *known = hash_find(&scopes->by_name, hash);
    if (!known)
        return false;
    *definition = scopes->definitions[*known];
    /* "struct a" is not "enum a", even if their hashes are equal. */
    Dwarf_Die asked = *declared;
    const char *name = dwarf_diename(&asked);
    const char *found = dwarf_diename(definition);
    return name && found && !strcmp(name, found) &&
           (dwarf_tag(&asked) == DW_TAG_enumeration_type) ==
               (dwarf_tag(definition) == DW_TAG_enumeration_type);
}

/* Reads further units of the file until the name is defined, all are read, or time is up. */
static bool scopes_search_definition(struct scopes *scopes, uint64_t hash,
                                     const Dwarf_Die *declared, Dwarf_Die *definition)
{
    Dwarf_Addr bias;
    Dwarf *dwarf = dwfl_module_getdwarf(scopes->dwfl, &bias);
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
        scopes_search_definition(scopes, hash, declared, definition))
        return true;
    *definition = *declared;
    return false;
}
