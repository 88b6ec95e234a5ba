/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the members that members.c finds are called. */
#include "resolve/members.h"

#include "resolve/members_state.h"

#include <stdio.h>
#include <string.h>

enum { PATH_PIECES = TYPE_DEPTH_MAX + 1 };

const char *members_bare(const char *name)
{
    static const char *const keywords[] = {"struct ", "union ", "class ", "enum "};
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (!strncmp(name, keywords[i], strlen(keywords[i])))
            return name + strlen(keywords[i]);
    return name;
}

/* A string that is written piece by piece and cut where it ends. */
struct writing {
    char *out;
    size_t size;
    size_t used;
};

static void write_text(struct writing *writing, const char *text)
{
    size_t room = writing->size - writing->used;
    int length = snprintf(writing->out + writing->used, room, "%s", text);
    writing->used += length > 0 && (size_t)length < room ? (size_t)length : room - 1;
}

static void write_path(struct writing *writing, const struct type_desc *type, uint32_t member)
{
    const struct type_member *pieces[PATH_PIECES];
    size_t count = 0;
    bool named = false;
    while (member < type->member_count && count < PATH_PIECES) {
        pieces[count++] = &type->members[member];
        member = type->members[member].parent;
    }
    while (count--) {
        if (!pieces[count]->name[0])
            continue;
        if (named)
            write_text(writing, ".");
        write_text(writing, pieces[count]->name);
        if (pieces[count]->stride)
            write_text(writing, "[*]");
        named = true;
    }
}

const char *type_path(const struct type_desc *type, uint32_t member, char *out, size_t out_size)
{
    struct writing writing = {.out = out, .size = out_size};
    if (!out_size)
        return out;
    out[0] = 0;
    write_path(&writing, type, member);
    return out;
}

const char *type_bare_name(const struct type_desc *type)
{
    return members_bare(type->name);
}

static const char *write_name(const struct type_desc *type, uint32_t member, uint64_t offset,
                              char *out, size_t out_size)
{
    struct writing writing = {.out = out, .size = out_size};
    char number[24];
    if (!out_size)
        return out;
    out[0] = 0;
    write_text(&writing, members_bare(type->name));
    if (!type->member_count)
        return out;
    size_t bare = writing.used;
    if (member != TYPE_NO_MEMBER) {
        write_text(&writing, ".");
        bare = writing.used;
        write_path(&writing, type, member);
    }
    if (writing.used == bare) { /* padding, or nothing on the way has a name */
        snprintf(number, sizeof number, "+%llu", (unsigned long long)offset);
        write_text(&writing, number);
    }
    return out;
}

const char *type_member_name(const struct type_desc *type, uint32_t member, char *out,
                             size_t out_size)
{
    uint64_t offset = member < type->member_count ? type->members[member].offset : 0;
    return write_name(type, member, offset, out, out_size);
}

const char *type_bits_name(const struct type_desc *type, uint64_t offset, uint64_t bytes, char *out,
                           size_t out_size)
{
    const struct type_member *last = NULL;
    uint64_t folded;
    uint32_t member = members_find(type, offset, 0, &folded);
    write_name(type, member, folded, out, out_size);
    if (member == TYPE_NO_MEMBER || !type->members[member].bit_size)
        return out;
    for (uint32_t i = member + 1; i < type->member_count; i++)
        if (type->members[i].parent == type->members[member].parent && type->members[i].name[0] &&
            type_has_bits(&type->members[i], folded, bytes ? bytes : 1))
            last = &type->members[i];
    size_t used = strlen(out);
    if (last)
        snprintf(out + used, out_size - used, "..%s", last->name);
    return out;
}

const char *type_field_name(const struct type_desc *type, uint64_t offset, uint64_t size, char *out,
                            size_t out_size)
{
    uint64_t folded;
    uint32_t member = members_find(type, offset, size, &folded);
    if (type_shares_byte(type, member, folded))
        return type_bits_name(type, offset, 1, out, out_size);
    return write_name(type, member, folded, out, out_size);
}
