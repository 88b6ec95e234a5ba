/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/dwarf/program.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/text.h"
#include "place.h"
#include "resolve/library_types.h"

/* The typedefs that are the only names of nameless types ("typedef struct {...} point;"). They may
 * come after the type, so the top level of a unit is read once for all of them. */
struct aliases {
    struct hash units;     /* units read, by the address of their entry */
    struct hash by_target; /* from the type's entry to an index of `typedefs` */
    Dwarf_Die *typedefs;
    size_t count;
    size_t room;
};

/* A type while it is read. */
struct fields {
    struct scopes *scopes;
    struct arena *arena;         /* of names */
    struct type_member *members; /* [TYPE_MEMBERS_MAX], owned by the caller */
    uint32_t count;
    unsigned entries; /* entries read so far */
    bool is_truncated;
    bool variants; /* the type itself has variants: a Rust enum with data */
};

/* The virtual bases of a class and its bases, each once. */
enum { VBASES_MAX = 16 };

struct virtual_bases {
    Dwarf_Die entries[VBASES_MAX]; /* DW_TAG_inheritance, in the order of the inheritance graph */
    const void *types[VBASES_MAX]; /* addresses of the entries of their types */
    unsigned count;
    unsigned left; /* entries that may still be read */
};

enum { UNIT_ENTRIES_MAX = 1 << 16, ALIASES_MAX = 1 << 20 };

static uint64_t alias_key_of(const Dwarf_Die *die)
{
    return (uint64_t)(uintptr_t)die->addr;
}

/* Adds an alias; the first of several aliases is kept. */
static void aliases_add(struct aliases *aliases, const Dwarf_Die *target, const Dwarf_Die *alias)
{
    bool created = false;
    if (!array_reserve_next(&aliases->typedefs, &aliases->room, aliases->count,
                            sizeof *aliases->typedefs, ALIASES_MAX))
        return;
    uint32_t *index = hash_insert(&aliases->by_target, alias_key_of(target), &created);
    if (!index || !created)
        return;
    *index = (uint32_t)aliases->count;
    aliases->typedefs[aliases->count++] = *alias;
}

static void read_unit(struct aliases *aliases, Dwarf_Die *unit)
{
    bool created = false;
    Dwarf_Die child;
    Dwarf_Die target;
    if (!hash_insert(&aliases->units, alias_key_of(unit), &created) || !created ||
        dwarf_child(unit, &child))
        return;
    for (unsigned i = 0; i < UNIT_ENTRIES_MAX; i++) {
        if (dwarf_tag(&child) == DW_TAG_typedef && die_type(&child, &target) &&
            !dwarf_diename(&target))
            aliases_add(aliases, &target, &child);
        if (dwarf_siblingof(&child, &child))
            return;
    }
}

/* Finds the alias of a type. Returns false if it has none, or there are too many. */
static bool alias_of(struct aliases *aliases, Dwarf_Die *type, Dwarf_Die *alias)
{
    Dwarf_Die unit;
    if (!dwarf_diecu(type, &unit, NULL, NULL))
        return false;
    read_unit(aliases, &unit);
    const uint32_t *index = hash_find(&aliases->by_target, alias_key_of(type));
    if (index)
        *alias = aliases->typedefs[*index];
    return index != NULL;
}

enum { STRING_BYTES = 1024 };

/* Returns a sanitised copy in the describer's memory; "" for NULL or if out of memory. */
static const char *keep_text(struct arena *arena, const char *text)
{
    char safe[STRING_BYTES];
    if (!text || !*text)
        return "";
    text_sanitise(safe, sizeof safe, text, strlen(text));
    const char *copy = arena_string(arena, safe);
    return copy ? copy : "";
}

/* Computes the bits from the start of the type to the least significant bit of the field. */
static bool compute_first_bit(Dwarf_Die *die, const struct type_member *member, uint64_t base,
                              uint64_t size, uint64_t *first)
{
    Dwarf_Attribute attribute;
    Dwarf_Word from_start;
    Dwarf_Word storage = member->size;
    Dwarf_Sword from_top;
    if (die_number(die, DW_AT_data_bit_offset, &from_start)) {
        *first = from_start;
        return true;
    }
    if (dwarf_formsdata(dwarf_attr(die, DW_AT_bit_offset, &attribute), &from_top))
        return false;
    die_number(die, DW_AT_byte_size, &storage);
    *first = (member->offset - base + storage) * 8 - (uint64_t)from_top - size;
    return true;
}

/* Sets offset, bit_offset and bit_size of a bit-field member. `base` is the offset of the type that
 * contains the member. */
static void set_bit_field(Dwarf_Die *die, struct type_member *member, uint64_t base)
{
    Dwarf_Word size;
    uint64_t first;
    if (!die_number(die, DW_AT_bit_size, &size) || !size || size > 128)
        return;
    if (!compute_first_bit(die, member, base, size, &first))
        first = (member->offset - base) * 8;
    /* Count from the start of the aligned word of the field's type that holds all of it. If the
     * field crosses a word, as in a packed struct, count from the byte in which it begins. */
    uint64_t word = member->size ? member->size * 8 : 8;
    uint64_t start = first / word * word;
    if (first + size > start + word || first - start > UINT8_MAX)
        start = first / 8 * 8;
    member->offset = base + start / 8;
    member->bit_offset = (uint8_t)(first - start);
    member->bit_size = (uint8_t)size;
}

enum { DEPTH_MAX = 12, VBASES_ENTRIES_MAX = 1 << 14 };

static bool is_virtual(Dwarf_Die *inheritance)
{
    Dwarf_Word virtuality;
    return die_number(inheritance, DW_AT_virtuality, &virtuality) &&
           virtuality == DW_VIRTUALITY_virtual;
}

static void vbases_add(struct virtual_bases *vbases, const Dwarf_Die *inheritance,
                       const Dwarf_Die *type)
{
    for (unsigned i = 0; i < vbases->count; i++)
        if (vbases->types[i] == type->addr)
            return;
    if (vbases->count == VBASES_MAX)
        return;
    vbases->entries[vbases->count] = *inheritance;
    vbases->types[vbases->count++] = type->addr;
}

static void vbases_find_below(struct virtual_bases *vbases, struct scopes *scopes, Dwarf_Die *type,
                              unsigned depth)
{
    Dwarf_Die child;
    if (depth >= DEPTH_MAX || dwarf_child(type, &child))
        return;
    do {
        Dwarf_Die of;
        Dwarf_Die stripped;
        Dwarf_Die base;
        if (!vbases->left || !vbases->left--)
            return;
        if (dwarf_tag(&child) != DW_TAG_inheritance || !die_type(&child, &of) ||
            !die_strip(&of, &stripped) || !scopes_definition(scopes, &stripped, &base))
            continue;
        if (is_virtual(&child))
            vbases_add(vbases, &child, &base);
        vbases_find_below(vbases, scopes, &base, depth + 1);
    } while (!dwarf_siblingof(&child, &child));
}

static void vbases_find(struct virtual_bases *vbases, struct scopes *scopes, Dwarf_Die *type)
{
    vbases->count = 0;
    vbases->left = VBASES_ENTRIES_MAX;
    vbases_find_below(vbases, scopes, type, 0);
}

enum { FIELDS_ENTRIES_MAX = 1 << 16 };

/* Parent and offset under which the members of a part are added. */
struct member_context {
    uint64_t offset;
    uint32_t parent;
    uint16_t depth;
    const struct library_rule *rule; /* of the type they are members of */
    const Dwarf_Die *argument;       /* first template argument of that type; NULL: none */
};

static void read_members(struct fields *fields, Dwarf_Die *type, struct member_context under);

static bool has_members(int tag)
{
    return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type ||
           tag == DW_TAG_interface_type;
}

static struct type_member *fields_append(struct fields *fields, struct member_context under)
{
    if (fields->count == TYPE_MEMBERS_MAX) {
        fields->is_truncated = true;
        return NULL;
    }
    struct type_member *member = &fields->members[fields->count++];
    *member = (struct type_member){.name = "",
                                   .type = "",
                                   .offset = under.offset,
                                   .parent = under.parent,
                                   .depth = under.depth};
    return member;
}

/* Rust numbers the parts of a tuple from "__0"; its programmers write ".0". */
static const char *rust_field_name(const char *name)
{
    if (name && !strncmp(name, "__", 2) && name[2] >= '0' && name[2] <= '9')
        return name + 2;
    return name;
}

/* g++ and clang++ name it _vptr.Class and _vptr$Class. */
static bool is_vtable(Dwarf_Die *die, const char *name)
{
    return name && !strncmp(name, "_vptr", 5) && (!name[5] || name[5] == '.' || name[5] == '$') &&
           dwarf_hasattr(die, DW_AT_artificial);
}

static void describe_array(struct type_member *member, Dwarf_Die *element, uint64_t count)
{
    uint64_t stride = 0;
    if (!die_size(element, &stride) || !stride || stride > UINT32_MAX)
        return;
    if (__builtin_mul_overflow(count, stride, &member->size))
        count = member->size = 0;
    member->count = count;
    member->stride = (uint32_t)stride;
}

/* Reads the parts of a struct member or of an array of structs. A member without parts takes no
 * room, whatever its size: an empty base, Rust's None. */
static void read_parts(struct fields *fields, Dwarf_Die *type, uint32_t member,
                       struct member_context around)
{
    Dwarf_Die defined;
    struct member_context under = {.offset = fields->members[member].offset,
                                   .parent = member,
                                   .depth = (uint16_t)(fields->members[member].depth + 1),
                                   .rule = around.rule,
                                   .argument = around.argument};
    if (!has_members(dwarf_tag(type)))
        return;
    if (under.depth >= TYPE_DEPTH_MAX) {
        fields->is_truncated = true;
        return;
    }
    if (!scopes_definition(fields->scopes, type, &defined))
        return;
    read_members(fields, &defined, under);
    if (fields->count == member + 1 && !fields->is_truncated)
        fields->members[member].size = 0;
}

/* Finds the type of a member. For raw bytes, it is the type that a library's rule specifies. */
static bool member_type(Dwarf_Die *die, const Dwarf_Die *held, Dwarf_Die *type)
{
    uint64_t bytes;
    uint64_t held_bytes;
    if (!die_type(die, type))
        return false;
    Dwarf_Die argument = held ? *held : *type;
    if (held && die_size(type, &bytes) && die_size(&argument, &held_bytes) && held_bytes <= bytes)
        *type = argument;
    return true;
}

/* Reads name, type, size and parts of a member with a known offset. */
static struct type_member *read_typed(struct fields *fields, Dwarf_Die *die,
                                      struct member_context under, const Dwarf_Die *held)
{
    char name[TYPENAME_BYTES];
    Dwarf_Die type;
    Dwarf_Die peeled;
    Dwarf_Die element;
    uint64_t count = 0;
    uint32_t index = fields->count;
    struct type_member *member = fields_append(fields, under);
    if (!member || !member_type(die, held, &type) || !die_strip(&type, &peeled))
        return member;
    unsigned rank = descriptor_rank(&peeled);
    member->type = keep_text(fields->arena, typename_write(fields->scopes, &type, name));
    if (rank) {
        die_size(&peeled, &member->size);
        return member;
    }
    scopes_definition(fields->scopes, &peeled, &element);
    if (die_array(&peeled, &element, &count))
        describe_array(member, &element, count);
    else
        die_size(&element, &member->size);
    read_parts(fields, &element, index, under);
    return member;
}

static void read_field(struct fields *fields, Dwarf_Die *die, struct member_context under)
{
    uint64_t offset;
    const char *raw = dwarf_diename(die);
    const char *name = rust_field_name(raw);
    bool vtable = is_vtable(die, name);
    /* Static members are elsewhere; DWARF 5 describes them as variables. */
    if (dwarf_hasattr(die, DW_AT_external) || dwarf_hasattr(die, DW_AT_declaration) ||
        dwarf_hasattr(die, DW_AT_const_value) || !die_offset(die, &offset))
        return;
    under.offset += offset;
    enum library_member how = library_member(under.rule, raw ? raw : "");
    struct type_member *member =
        read_typed(fields, die, under, how == LIBRARY_VALUE_BYTES ? under.argument : NULL);
    if (!member)
        return;
    member->name = keep_text(fields->arena, vtable ? "_vptr" : name);
    member->kind = vtable ? MEMBER_VTABLE : how == LIBRARY_PLAIN ? MEMBER_FIELD : MEMBER_WRAPPER;
    set_bit_field(die, member, under.offset - offset);
}

static void read_base(struct fields *fields, Dwarf_Die *die, struct member_context under)
{
    uint64_t offset;
    /* The position of a virtual base is only in the vtable: see fields_read(). */
    if (!die_offset(die, &offset))
        return;
    under.offset += offset;
    struct type_member *member = read_typed(fields, die, under, NULL);
    if (member)
        member->kind = MEMBER_BASE;
}

static const struct library_rule *find_type_rule(struct fields *fields, Dwarf_Die *type)
{
    struct typename_raw raw;
    return typename_raw(fields->scopes, type, &raw) ? library_rule(raw.text) : &library_none;
}

/* Reads the members of a record, or its variants (DWARF 5, 5.7.10): each is a member with its
 * payload's struct as type. The discriminant has no name, and is beside or in the variants. */
static void read_children(struct fields *fields, Dwarf_Die *die, struct member_context under)
{
    int parent = dwarf_tag(die);
    Dwarf_Die child;
    if (dwarf_child(die, &child))
        return;
    do {
        uint32_t index = fields->count;
        int tag = dwarf_tag(&child);
        if (fields->entries++ >= FIELDS_ENTRIES_MAX) {
            fields->is_truncated = true;
            return;
        }
        bool variants = tag == DW_TAG_variant_part && has_members(parent);
        if (tag == DW_TAG_member)
            read_field(fields, &child, under);
        else if (tag == DW_TAG_inheritance)
            read_base(fields, &child, under);
        else if (variants || (tag == DW_TAG_variant && parent == DW_TAG_variant_part))
            read_children(fields, &child, under);
        fields->variants |= variants && !under.depth;
        if (tag == DW_TAG_member && parent == DW_TAG_variant_part && fields->count > index)
            fields->members[index].name = "discriminant";
    } while (!dwarf_siblingof(&child, &child));
}

static void read_members(struct fields *fields, Dwarf_Die *type, struct member_context under)
{
    Dwarf_Die argument;
    if (dwarf_diename(type) || !under.depth) { /* a nameless union is part of its parent */
        under.rule = find_type_rule(fields, type);
        under.argument =
            under.rule->value_bytes && die_argument(type, &argument) ? &argument : NULL;
    }
    read_children(fields, type, under);
}

static uint64_t align_offset(uint64_t offset, uint64_t alignment)
{
    return (offset + alignment - 1) / alignment * alignment;
}

/* Returns the end of the members from `first` on, and the alignment of those that are scalars. */
static uint64_t fields_end_of(const struct fields *fields, uint32_t first, uint64_t *alignment)
{
    uint64_t end = 0;
    *alignment = 1;
    for (uint32_t i = first; i < fields->count; i++) {
        const struct type_member *member = &fields->members[i];
        bool has_parts = i + 1 < fields->count && fields->members[i + 1].depth > member->depth;
        uint64_t own = member->stride ? member->stride : member->size;
        if (has_parts)
            continue;
        if (own == 2 || own == 4 || own == 8 || own == 16)
            *alignment = own > *alignment ? own : *alignment;
        end = member->offset + member->size > end ? member->offset + member->size : end;
    }
    return end;
}

/*
 * Adds virtual bases, which follow the other members of the complete object in the order of the
 * inheritance graph (Itanium C++ ABI, 2.4). DWARF does not have their offsets; the computed offsets
 * are used only if the bases end where the type does.
 */
static void read_virtual_bases(struct fields *fields, Dwarf_Die *type)
{
    struct virtual_bases bases;
    uint64_t size;
    uint64_t alignment;
    uint64_t own_alignment;
    uint32_t first = fields->count;
    uint64_t end = fields_end_of(fields, 0, &alignment);
    vbases_find(&bases, fields->scopes, type);
    if (!bases.count)
        return;
    for (unsigned i = 0; i < bases.count; i++) {
        uint32_t at = fields->count;
        struct type_member *member = read_typed(
            fields, &bases.entries[i],
            (struct member_context){.offset = end, .parent = TYPE_NO_MEMBER, .rule = &library_none},
            NULL);
        if (!member)
            break;
        member->kind = MEMBER_BASE;
        fields_end_of(fields, at, &own_alignment);
        uint64_t shift = align_offset(end, own_alignment) - end;
        for (uint32_t part = at; part < fields->count; part++)
            fields->members[part].offset += shift;
        end = fields_end_of(fields, at, &own_alignment);
        alignment = own_alignment > alignment ? own_alignment : alignment;
    }
    if (!die_size(type, &size) || align_offset(end, alignment) != size)
        fields->count = first;
}

enum { TYPES_MAX = 1 << 17, MEMBERS_MAX = 1 << 21 };

struct describe {
    struct scopes *scopes;
    struct arena arena;       /* of members and names */
    struct dwarf_type *types; /* indexed by reference - 1 */
    uint32_t count;
    size_t room;
    uint32_t reported_count; /* number of types passed to program.c so far */
    uint64_t member_total;   /* members of all types */
    struct hash by_die;      /* from the address of an entry to its reference */
    struct aliases aliases;
    struct type_member members[TYPE_MEMBERS_MAX];
};

struct subject {
    Dwarf_Die die; /* peeled and defined; for an array, its elements */
    Dwarf_Die alias;
    bool aliased; /* the nearest typedef names it */
};

struct describe *describe_new(struct scopes *scopes)
{
    struct describe *describe = calloc(1, sizeof *describe);
    if (describe)
        describe->scopes = scopes;
    return describe;
}

void describe_free(struct describe *describe)
{
    if (!describe)
        return;
    arena_fini(&describe->arena);
    hash_fini(&describe->aliases.units);
    hash_fini(&describe->aliases.by_target);
    free(describe->aliases.typedefs);
    hash_fini(&describe->by_die);
    free(describe->types);
    free(describe);
}

/* Follows aliases and arrays, except descriptors, to the type that has members. */
static bool find_type_with_members(struct describe *describe, const Dwarf_Die *type,
                                   struct subject *subject)
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

static const char *subject_name(struct describe *describe, struct subject *subject)
{
    char name[TYPENAME_BYTES];
    int tag = dwarf_tag(&subject->die);
    bool nameless =
        (has_members(tag) || tag == DW_TAG_enumeration_type) && !dwarf_diename(&subject->die);
    bool by_alias = nameless && (subject->aliased ||
                                 alias_of(&describe->aliases, &subject->die, &subject->alias));
    typename_write(describe->scopes, by_alias ? &subject->alias : &subject->die, name);
    return keep_text(&describe->arena, name);
}

/* Returns the raw name, cut if long; NULL: the same as the shown name. */
static const char *type_raw_name(struct describe *describe, Dwarf_Die *type)
{
    struct typename_raw raw;
    char shown[TYPENAME_BYTES];
    bool same = !typename_raw(describe->scopes, type, &raw) ||
                !strcmp(raw.text, typename_write(describe->scopes, type, shown));
    return same ? NULL : keep_text(&describe->arena, raw.text);
}

static enum type_kind describe_kind_of(int tag)
{
    switch (tag) {
    case DW_TAG_structure_type:
    case DW_TAG_class_type:
    case DW_TAG_interface_type:
    case DW_TAG_array_type: /* an array descriptor */
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

static void describe_fill(struct describe *describe, struct subject *subject,
                          struct type_desc *desc)
{
    struct fields fields = {
        .scopes = describe->scopes, .arena = &describe->arena, .members = describe->members};
    int tag = dwarf_tag(&subject->die);
    unsigned rank = descriptor_rank(&subject->die);
    *desc = (struct type_desc){.kind = describe_kind_of(tag), .members = describe->members};
    desc->name = subject_name(describe, subject);
    desc->raw = type_raw_name(describe, &subject->die);
    if (rank) {
        descriptor_members(rank, describe->members);
        fields.count = DESCRIPTOR_MEMBERS;
    }
    die_size(&subject->die, &desc->size);
    if (has_members(tag)) {
        read_members(&fields, &subject->die, (struct member_context){.parent = TYPE_NO_MEMBER});
        read_virtual_bases(&fields, &subject->die);
    }
    if (fields.variants)
        desc->kind = TYPE_UNION;
    desc->member_count = fields.count;
    desc->is_truncated = fields.is_truncated;
}

/* Adds a copy in the describer's memory. Returns 0 if there are too many types. */
static uint32_t describe_add(struct describe *describe, const struct type_desc *desc)
{
    if (!array_reserve_next(&describe->types, &describe->room, describe->count,
                            sizeof *describe->types, TYPES_MAX) ||
        describe->member_total + desc->member_count > MEMBERS_MAX)
        return 0;
    struct dwarf_type *described = &describe->types[describe->count];
    struct type_member *members =
        arena_array(&describe->arena, desc->member_count, sizeof *members);
    if (!members && desc->member_count)
        return 0;
    if (desc->member_count)
        memcpy(members, desc->members, desc->member_count * sizeof *members);
    *described = (struct dwarf_type){.type = ++describe->count, .desc = *desc};
    described->desc.members = members;
    describe->member_total += desc->member_count;
    return describe->count;
}

uint32_t program_type(struct program *program, Dwarf_Die *type)
{
    struct describe *describe = program->types;
    struct subject subject;
    struct type_desc desc;
    if (!find_type_with_members(describe, type, &subject) || dwarf_tag(&subject.die) <= 0)
        return 0;
    uint32_t *known = hash_insert(&describe->by_die, (uint64_t)(uintptr_t)subject.die.addr, NULL);
    if (known && !*known) {
        describe_fill(describe, &subject, &desc);
        *known = describe_add(describe, &desc);
    }
    return known ? *known : 0;
}

const struct type_desc *program_described(const struct program *program, uint32_t type)
{
    const struct describe *describe = program->types;
    return type && type <= describe->count ? &describe->types[type - 1].desc : NULL;
}

const struct dwarf_type *program_next_type(struct program *program)
{
    struct describe *describe = program->types;
    return describe->reported_count < describe->count ? &describe->types[describe->reported_count++]
                                                      : NULL;
}
