/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/snapshot_field_names.h"

#include "resolve/members.h"

#include <stdio.h>
#include <string.h>

enum { NAME_BYTES = 256 };

bool field_is_short_array(const struct type_desc *type, uint32_t member)
{
    enum { SHORT = 16 };
    const struct type_member *array = &type->members[member];
    bool parts = member + 1 < type->member_count && type->members[member + 1].parent == member;
    return array->stride && array->count && array->count <= SHORT && !parts;
}

/* "words[*]" to "words[5]". */
static void name_element(const struct type_member *member, const struct snapshot_field *field,
                         char *name, size_t size)
{
    size_t length = strlen(name);
    if (length >= 3 && !strcmp(name + length - 3, "[*]"))
        snprintf(name + length - 3, size - (length - 3), "[%llu]",
                 (unsigned long long)((field->offset - member->offset) / member->stride));
}

static void name_member(struct build *build, const struct folding *folding,
                        struct snapshot_field *field)
{
    struct type_desc type;
    char name[NAME_BYTES];
    if (!build_type(build, field->type_id, &type))
        return;
    if (field->member == TYPE_NO_MEMBER)
        type_field_name(&type, field->offset, field->size, name, sizeof name);
    else if (field->unit)
        type_bits_name(&type, field->offset, field->unit, name, sizeof name);
    else
        type_member_name(&type, field->member, name, sizeof name);
    if (folding->exact && field->member != TYPE_NO_MEMBER &&
        field_is_short_array(&type, field->member))
        name_element(&type.members[field->member], field, name, sizeof name);
    field->name = arena_string(build->arena, name);
    if (field->member != TYPE_NO_MEMBER)
        field->type = arena_string(build->arena, type.members[field->member].type);
}

/* "[12]" of an array of scalars, "[*]+8" of an inferred element, "+40". */
static void name_offset(struct build *build, const struct folding *folding,
                        struct snapshot_field *field)
{
    unsigned long long offset = field->offset;
    uint64_t size = folding->type_id && !folding->type.member_count ? folding->type.size : 0;
    if (size && offset % size == 0)
        field->name = arena_printf(build->arena, "[%llu]", (unsigned long long)(offset / size));
    else
        field->name = arena_printf(build->arena,
                                   !size && folding->element > 8 ? "[*]+%llu" : "+%llu", offset);
    if (size)
        field->type = arena_string(build->arena, folding->type.name);
}

void field_name(struct build *build, const struct folding *folding, struct snapshot_field *field)
{
    if (field->type_id)
        name_member(build, folding, field);
    if (!field->name)
        name_offset(build, folding, field);
}
