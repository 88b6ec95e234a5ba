/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/dwarf/describe.h"

#include "base/array.h"
#include "base/hash.h"
#include "resolve/dwarf/alias.h"
#include "resolve/dwarf/descriptor.h"
#include "resolve/dwarf/die.h"
#include "resolve/dwarf/fields.h"
#include "resolve/dwarf/program.h"
#include "resolve/dwarf/strings.h"
#include "resolve/dwarf/typename.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

enum { TYPES_MAX = 1 << 17, MEMBERS_MAX = 1 << 21 };

/* One that was described. Equal ones of several units are one. */
struct described {
    struct dwarf_type told;
    uint32_t same_hash; /* the next of the same hash; 0: none */
};

struct describe {
    struct program *program;
    struct scopes *scopes;
    struct strings strings;
    struct arena arena;
    struct described **types; /* by reference - 1 */
    uint32_t count;
    size_t room;
    uint32_t handed;       /* told to program.c so far */
    uint64_t member_total; /* of all of them */
    struct hash by_die;    /* from where an entry lies to its reference */
    struct aliases aliases;
    struct hash by_shape; /* from a hash of name, size and members to a reference */
    struct type_member members[TYPE_MEMBERS_MAX];
};

/* A type on its way to being described. */
struct subject {
    Dwarf_Die die; /* peeled, defined, of an array its elements */
    Dwarf_Die alias;
    bool aliased; /* by the typedef that stands nearest to it */
};

struct describe *describe_new(struct program *program)
{
    struct describe *describe = calloc(1, sizeof *describe);
    if (!describe)
        return NULL;
    describe->program = program;
    strings_init(&describe->strings);
    arena_init(&describe->arena);
    describe->scopes = scopes_new(program);
    if (!describe->scopes) {
        describe_free(describe);
        return NULL;
    }
    return describe;
}

void describe_free(struct describe *describe)
{
    if (!describe)
        return;
    scopes_free(describe->scopes);
    strings_fini(&describe->strings);
    arena_fini(&describe->arena);
    aliases_fini(&describe->aliases);
    hash_fini(&describe->by_die);
    hash_fini(&describe->by_shape);
    free(describe->types);
    free(describe);
}

struct scopes *describe_scopes(const struct describe *describe)
{
    return describe->scopes;
}

/* Down to what has a shape: aliases, and arrays that are arrays, not descriptors. */
static bool find_subject(struct describe *describe, const Dwarf_Die *type, struct subject *subject)
{
    Dwarf_Die at = *type;
    subject->aliased = false;
    for (unsigned i = 0; i < DIE_HOPS_MAX; i++) {
        int tag = dwarf_tag(&at);
        bool array = tag == DW_TAG_array_type && !descriptor_rank(&at);
        if (!array && !die_is_alias(tag)) {
            scopes_definition(describe->scopes, &at, &subject->die);
            return true;
        }
        if (tag == DW_TAG_typedef)
            subject->alias = at;
        subject->aliased = tag == DW_TAG_typedef || (subject->aliased && !array);
        Dwarf_Die next;
        if (!die_type(&at, &next))
            return false;
        at = next;
    }
    return false;
}

static bool has_members(int tag)
{
    return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type ||
           tag == DW_TAG_interface_type;
}

static const char *subject_name(struct describe *describe, struct subject *subject)
{
    char name[TYPENAME_BYTES];
    int tag = dwarf_tag(&subject->die);
    bool nameless =
        (has_members(tag) || tag == DW_TAG_enumeration_type) && !dwarf_diename(&subject->die);
    bool by_alias = nameless && (subject->aliased ||
                                 alias_of(&describe->aliases, &subject->die, &subject->alias));
    typename_write(describe->scopes, by_alias ? &subject->alias : &subject->die, name);
    return strings_keep(&describe->strings, name);
}

static enum type_kind kind_of(int tag)
{
    switch (tag) {
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_interface_type:
    case DW_TAG_array_type: /* a descriptor */
        return TYPE_STRUCT;
    case DW_TAG_union_type:
        return TYPE_UNION;
    case DW_TAG_base_type:
    case DW_TAG_enumeration_type:
    case DW_TAG_subrange_type:
    case DW_TAG_string_type:
        return TYPE_SCALAR;
    case DW_TAG_pointer_type:
    case DW_TAG_reference_type:
    case DW_TAG_rvalue_reference_type:
    case DW_TAG_ptr_to_member_type:
        return TYPE_POINTER;
    default:
        return TYPE_OTHER;
    }
}

static void fill(struct describe *describe, struct subject *subject, struct type_desc *desc)
{
    struct fields fields = {
        .scopes = describe->scopes, .strings = &describe->strings, .members = describe->members};
    int tag = dwarf_tag(&subject->die);
    unsigned rank = descriptor_rank(&subject->die);
    *desc = (struct type_desc){.kind = kind_of(tag), .members = describe->members};
    desc->name = subject_name(describe, subject);
    if (rank) {
        descriptor_members(rank, describe->members);
        fields.count = DESCRIPTOR_MEMBERS;
    }
    die_size(&subject->die, &desc->size);
    if (has_members(tag))
        fields_read(&fields, &subject->die);
    if (fields.variants)
        desc->kind = TYPE_UNION;
    desc->member_count = fields.count;
    desc->cut = fields.cut;
}

static uint64_t hash_shape(const struct type_desc *desc)
{
    uint64_t hash = hash_mix(desc->size ^ hash_bytes(desc->name, strlen(desc->name)));
    for (uint32_t i = 0; i < desc->member_count; i++) {
        const struct type_member *member = &desc->members[i];
        hash = hash_mix(hash ^ (uint64_t)(uintptr_t)member->name ^ member->offset << 20);
        hash = hash_mix(hash ^ (uint64_t)(uintptr_t)member->type ^ member->size << 20);
    }
    return hash;
}

/* Strings are kept once: equal ones are the same. */
static bool same_member(const struct type_member *a, const struct type_member *b)
{
    return a->name == b->name && a->type == b->type && a->offset == b->offset &&
           a->size == b->size && a->count == b->count && a->stride == b->stride &&
           a->parent == b->parent && a->kind == b->kind && a->bit_offset == b->bit_offset &&
           a->bit_size == b->bit_size;
}

static bool same_shape(const struct type_desc *a, const struct type_desc *b)
{
    if (a->name != b->name || a->size != b->size || a->kind != b->kind ||
        a->member_count != b->member_count)
        return false;
    for (uint32_t i = 0; i < a->member_count; i++)
        if (!same_member(&a->members[i], &b->members[i]))
            return false;
    return true;
}

static bool make_room(struct describe *describe)
{
    struct described **more =
        array_more(describe->types, &describe->room, describe->count, sizeof *more, TYPES_MAX);
    if (!more)
        return false;
    describe->types = more;
    return true;
}

/* A copy of what stands in the describer's own memory; 0: there are too many. */
static uint32_t add(struct describe *describe, const struct type_desc *desc, uint32_t *chain)
{
    if (!make_room(describe) || describe->member_total + desc->member_count > MEMBERS_MAX)
        return 0;
    struct described *described = arena_alloc(&describe->arena, sizeof *described);
    struct type_member *members =
        arena_array(&describe->arena, desc->member_count, sizeof *members);
    if (!described || (!members && desc->member_count))
        return 0;
    if (desc->member_count)
        memcpy(members, desc->members, desc->member_count * sizeof *members);
    described->told.desc = *desc;
    described->told.desc.members = members;
    described->told.type = describe->count + 1;
    described->same_hash = *chain;
    describe->member_total += desc->member_count;
    describe->types[describe->count++] = described;
    *chain = describe->count;
    return describe->count;
}

static uint32_t find_or_add(struct describe *describe, const struct type_desc *desc)
{
    bool created;
    uint32_t *chain = hash_insert(&describe->by_shape, hash_shape(desc), &created);
    if (!chain)
        return 0;
    for (uint32_t type = *chain; type; type = describe->types[type - 1]->same_hash)
        if (same_shape(&describe->types[type - 1]->told.desc, desc))
            return type;
    return add(describe, desc, chain);
}

uint32_t describe_type(struct describe *describe, Dwarf_Die *type)
{
    struct subject subject;
    struct type_desc desc;
    bool created;
    if (!find_subject(describe, type, &subject) || dwarf_tag(&subject.die) <= 0)
        return 0;
    uint64_t key = (uint64_t)(uintptr_t)subject.die.addr;
    const uint32_t *known = hash_find(&describe->by_die, key);
    if (known)
        return *known;
    fill(describe, &subject, &desc);
    uint32_t found = find_or_add(describe, &desc);
    /* What is only declared may be defined by a unit that is read later. */
    uint32_t *slot = found && !die_is_declaration(&subject.die)
                         ? hash_insert(&describe->by_die, key, &created)
                         : NULL;
    if (slot)
        *slot = found;
    return found;
}

const struct type_desc *describe_found(const struct describe *describe, uint32_t type)
{
    return type && type <= describe->count ? &describe->types[type - 1]->told.desc : NULL;
}

const struct dwarf_type *describe_next(struct describe *describe)
{
    return describe->handed < describe->count ? &describe->types[describe->handed++]->told : NULL;
}
