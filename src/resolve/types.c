/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/types.h"

#include "base/array.h"
#include "resolve/members.h"

#include <stdlib.h>
#include <string.h>

enum { TYPES_MAX = 1 << 16, TYPES_BYTES_MAX = 64 << 20 };

void types_init(struct types *types)
{
    *types = (struct types){0};
    arena_init(&types->memory);
}

void types_fini(struct types *types)
{
    arena_fini(&types->memory);
    hash_fini(&types->of_content);
    hash_fini(&types->of_file);
    free(types->types);
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
    return hash_mix(hash ^ hash_bytes(text, strlen(text)));
}

static uint64_t content_of_member(uint64_t hash, const struct type_member *member)
{
    uint64_t place = (uint64_t)member->depth << 32 | (uint64_t)member->kind << 16 |
                     (uint64_t)member->bit_offset << 8 | member->bit_size;
    hash = hash_text(hash_text(hash, member->name), member->type);
    hash = hash_mix(hash + member->offset);
    hash = hash_mix(hash + member->size);
    hash = hash_mix(hash + member->count);
    hash = hash_mix(hash + ((uint64_t)member->parent << 32 | member->stride));
    return hash_mix(hash + place);
}

static uint64_t content_of(const struct type_desc *desc)
{
    uint64_t shape = desc->member_count | (uint64_t)desc->kind << 48 | (uint64_t)desc->cut << 56;
    uint64_t hash = hash_text(hash_mix(desc->size) ^ shape, desc->name);
    for (uint32_t i = 0; i < desc->member_count; i++)
        hash = content_of_member(hash, &desc->members[i]);
    return hash;
}

static bool copy_members(struct types *types, struct type_desc *kept, const struct type_desc *desc)
{
    struct type_member *members =
        arena_array(&types->memory, desc->member_count, sizeof *desc->members);
    for (uint32_t i = 0; members && i < desc->member_count; i++) {
        members[i] = desc->members[i];
        members[i].name = arena_string(&types->memory, desc->members[i].name);
        members[i].type = arena_string(&types->memory, desc->members[i].type);
        if (!members[i].name || !members[i].type)
            return false;
    }
    kept->members = members;
    return members;
}

static bool make_room(struct types *types)
{
    struct type_desc *more =
        array_more(types->types, &types->room, types->count + 1, sizeof *more, ARRAY_UNBOUNDED);
    if (!more)
        return false;
    types->types = more;
    return true;
}

static uint32_t add_new(struct types *types, const struct type_desc *desc, uint64_t content)
{
    if (types->count == TYPES_MAX || types->memory.used_bytes > TYPES_BYTES_MAX ||
        !make_room(types))
        return 0;
    struct type_desc *kept = &types->types[types->count + 1];
    *kept = *desc;
    kept->name = arena_string(&types->memory, desc->name);
    uint32_t *slot = kept->name && copy_members(types, kept, desc)
                         ? hash_insert(&types->of_content, content, NULL)
                         : NULL;
    return slot ? *slot = ++types->count : 0;
}

static uint64_t file_key(uint32_t serial, uint32_t reference)
{
    return (uint64_t)serial << 32 | reference;
}

uint32_t types_add(struct types *types, uint32_t serial, uint32_t reference,
                   const struct type_desc *told)
{
    struct type_desc desc = *told;
    if (desc.member_count > TYPE_MEMBERS_MAX) {
        desc.member_count = TYPE_MEMBERS_MAX;
        desc.cut = true;
    }
    uint64_t content = content_of(&desc);
    const uint32_t *known = hash_find(&types->of_content, content);
    uint32_t type = known ? *known : add_new(types, &desc, content);
    uint32_t *slot = type ? hash_insert(&types->of_file, file_key(serial, reference), NULL) : NULL;
    if (slot)
        *slot = type;
    return type;
}

uint32_t types_of_file(const struct types *types, uint32_t serial, uint32_t reference)
{
    const uint32_t *type = hash_find(&types->of_file, file_key(serial, reference));
    return type ? *type : 0;
}

const struct type_desc *types_at(const struct types *types, uint32_t type)
{
    return type && type <= types->count ? &types->types[type] : NULL;
}

bool types_contains(const struct types *types, uint32_t outer, uint32_t inner)
{
    const struct type_desc *whole = types_at(types, outer);
    const struct type_desc *part = types_at(types, inner);
    return whole && part && type_has_part(whole, part);
}
