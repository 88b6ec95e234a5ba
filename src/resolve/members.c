/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/members.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "place.h"

static uint32_t members_find(const struct type_desc *type, uint64_t offset, uint64_t size,
                             uint64_t *folded);

/* ---- names of members ---- */

enum { PATH_PIECES = TYPE_DEPTH_MAX + 1 };

static const char *skip_type_keyword(const char *name)
{
    static const char *const keywords[] = {"struct ", "union ", "class ", "enum "};
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (!strncmp(name, keywords[i], strlen(keywords[i])))
            return name + strlen(keywords[i]);
    return name;
}

static void write_path(char *out, size_t out_size, const struct type_desc *type, uint32_t member)
{
    const struct type_member *pieces[PATH_PIECES];
    size_t count = 0;
    bool named = false;
    while (member < type->member_count && count < PATH_PIECES) {
        pieces[count++] = &type->members[member];
        member = type->members[member].parent;
    }
    while (count--) {
        if (!pieces[count]->name[0] || pieces[count]->kind == MEMBER_WRAPPER)
            continue;
        text_append(out, out_size, "%s%s%s", named ? "." : "", pieces[count]->name,
                    pieces[count]->stride ? "[*]" : "");
        named = true;
    }
}

const char *type_path(const struct type_desc *type, uint32_t member, char *out, size_t out_size)
{
    if (!out_size)
        return out;
    out[0] = 0;
    write_path(out, out_size, type, member);
    return out;
}

const char *type_bare_name(const struct type_desc *type)
{
    return skip_type_keyword(type->name);
}

static bool is_in_wrapper(const struct type_desc *type, uint32_t member)
{
    while (member < type->member_count && type->members[member].kind != MEMBER_WRAPPER)
        member = type->members[member].parent;
    return member < type->member_count;
}

static const char *write_type_name(const struct type_desc *type, uint32_t member, uint64_t offset,
                                   char *out, size_t out_size)
{
    if (!out_size)
        return out;
    snprintf(out, out_size, "%s%s", skip_type_keyword(type->name),
             type->member_count && member != TYPE_NO_MEMBER ? "." : "");
    if (!type->member_count)
        return out;
    size_t bare = strlen(out);
    write_path(out, out_size, type, member);
    bool nameless = !out[bare]; /* padding, or nothing on the path has a name */
    bool wrapped = nameless && is_in_wrapper(type, member);
    if (wrapped && type->members[member].size == type->size) {
        out[bare - 1] = 0;
    } else if (wrapped) {
        text_append(out, out_size, "value");
    } else if (nameless) {
        text_append(out, out_size, "+%llu", (unsigned long long)offset);
    }
    return out;
}

const char *type_member_name(const struct type_desc *type, uint32_t member, char *out,
                             size_t out_size)
{
    uint64_t offset = member < type->member_count ? type->members[member].offset : 0;
    return write_type_name(type, member, offset, out, out_size);
}

const char *type_bits_name(const struct type_desc *type, uint64_t offset, uint64_t bytes, char *out,
                           size_t out_size)
{
    const struct type_member *last = NULL;
    uint64_t folded;
    uint32_t member = members_find(type, offset, 0, &folded);
    write_type_name(type, member, folded, out, out_size);
    if (member == TYPE_NO_MEMBER || !type->members[member].bit_size)
        return out;
    for (uint32_t i = member + 1; i < type->member_count; i++)
        if (type->members[i].parent == type->members[member].parent && type->members[i].name[0] &&
            type_has_bits(&type->members[i], folded, bytes ? bytes : 1))
            last = &type->members[i];
    if (last)
        text_append(out, out_size, "..%s", last->name);
    return out;
}

const char *type_field_name(const struct type_desc *type, uint64_t offset, uint64_t size, char *out,
                            size_t out_size)
{
    uint64_t folded;
    uint32_t member = members_find(type, offset, size, &folded);
    if (type_shares_byte(type, member, folded))
        return type_bits_name(type, offset, 1, out, out_size);
    return write_type_name(type, member, folded, out, out_size);
}

/* How well a member fits an access; the first of the best members is used. */
enum fit {
    FIT_NONE,
    FIT_STORAGE, /* only the word that contains a bit-field */
    FIT_COVERS,
    FIT_WHOLE,  /* as large as the access, but its parts are not */
    FIT_ELEMENT /* the innermost member, or an element of it, is as large as the access */
};

struct found {
    uint32_t member;
    enum fit fit;
    uint64_t folded;
};

static bool is_flexible(const struct type_member *member)
{
    return member->stride && !member->count;
}

static uint64_t fold_offset(const struct type_member *member, uint64_t offset)
{
    if (!member->stride)
        return offset;
    return member->offset + (offset - member->offset) % member->stride;
}

/* Returns the array without a length at the end of a type; NULL: none. */
static const struct type_member *flexible_end(const struct type_desc *type)
{
    const struct type_member *last = NULL;
    for (uint32_t i = 0; i < type->member_count; i++)
        last = type->members[i].depth ? last : &type->members[i];
    return last && is_flexible(last) ? last : NULL;
}

bool type_is_flexible(const struct type_desc *type)
{
    return flexible_end(type);
}

uint64_t type_extent(const struct type_desc *type)
{
    const struct type_member *end = flexible_end(type);
    uint64_t extent = end ? end->offset + end->stride : 0;
    return extent > type->size ? extent : type->size;
}

uint64_t type_in_element(const struct type_desc *type, uint64_t offset)
{
    const struct type_member *end = flexible_end(type);
    if (end)
        return offset < end->offset ? offset : fold_offset(end, offset);
    return type->size ? offset % type->size : offset;
}

static enum fit member_covers(const struct type_member *member, uint64_t offset)
{
    if (offset < member->offset)
        return FIT_NONE;
    uint64_t inside = offset - member->offset;
    if (is_flexible(member))
        return FIT_COVERS;
    if (inside >= member->size)
        return FIT_NONE;
    if (!member->bit_size)
        return FIT_COVERS;
    unsigned end = (unsigned)member->bit_offset + member->bit_size;
    return inside >= member->bit_offset / 8u && inside < (end + 7) / 8 ? FIT_COVERS : FIT_STORAGE;
}

/* Returns the fit of a member without members. */
static enum fit leaf_fit(const struct type_member *member, uint64_t size)
{
    uint64_t element = member->stride ? member->stride : member->size;
    if (!size || member->bit_size)
        return FIT_COVERS;
    return element == size ? FIT_ELEMENT : member->size == size ? FIT_WHOLE : FIT_COVERS;
}

static bool has_members(const struct type_desc *type, uint32_t member)
{
    return member + 1 < type->member_count &&
           type->members[member + 1].depth > type->members[member].depth;
}

static struct found members_find_at(const struct type_desc *type, uint32_t first, uint64_t offset,
                                    uint64_t size);

/* Finds the best member inside one that covers the offset. */
static struct found find_inside(const struct type_desc *type, uint32_t at, enum fit fit,
                                uint64_t offset, uint64_t size)
{
    const struct type_member *member = &type->members[at];
    uint64_t folded = fold_offset(member, offset);
    if (!has_members(type, at))
        return (struct found){.member = at,
                              .fit = fit == FIT_COVERS ? leaf_fit(member, size) : fit,
                              .folded = folded};
    struct found found = members_find_at(type, at + 1, folded, size);
    if (found.fit == FIT_COVERS && size && member->size == size)
        found.fit = FIT_WHOLE;
    return found;
}

/* Finds the best of a member and its later siblings. Recursion is bounded by the maximum depth. */
static struct found members_find_at(const struct type_desc *type, uint32_t first, uint64_t offset,
                                    uint64_t size)
{
    struct found best = {.member = TYPE_NO_MEMBER, .folded = offset};
    unsigned depth = first < type->member_count ? type->members[first].depth : 0;
    bool entered = false;
    for (uint32_t i = first; i < type->member_count && type->members[i].depth >= depth; i++) {
        const struct type_member *member = &type->members[i];
        enum fit fit = member->depth == depth && depth <= TYPE_DEPTH_MAX
                           ? member_covers(member, offset)
                           : FIT_NONE;
        if (fit == FIT_NONE)
            continue;
        struct found found = find_inside(type, i, fit, offset, size);
        if (found.fit > best.fit || !entered)
            best = found;
        entered = true;
    }
    return best;
}

/* Combines type_member_at() and type_fold() for an access of that size. */
static uint32_t members_find(const struct type_desc *type, uint64_t offset, uint64_t size,
                             uint64_t *folded)
{
    struct found found = members_find_at(type, 0, offset, size);
    *folded = found.folded;
    return found.member;
}

uint32_t type_member_at(const struct type_desc *type, uint64_t offset, uint64_t size)
{
    return members_find_at(type, 0, offset, size).member;
}

/* Bit-fields */

static uint64_t first_bit_of(const struct type_member *member)
{
    return member->offset * 8 + member->bit_offset;
}

static bool has_bits(const struct type_member *member, uint64_t first, uint64_t end)
{
    return member->bit_size && first_bit_of(member) < end &&
           first_bit_of(member) + member->bit_size > first;
}

bool type_has_bits(const struct type_member *member, uint64_t offset, uint64_t bytes)
{
    return has_bits(member, offset * 8, (offset + bytes) * 8);
}

/* Counts the bit-fields of a parent with a bit in [first, end); *one is the first of them. */
static unsigned count_bits(const struct type_desc *type, uint32_t parent, uint64_t first,
                           uint64_t end, uint32_t *one)
{
    unsigned count = 0;
    for (uint32_t i = 0; i < type->member_count; i++)
        if (type->members[i].parent == parent && has_bits(&type->members[i], first, end) &&
            !count++)
            *one = i;
    return count;
}

/* Returns a byte that only this bit-field uses, otherwise its first byte. */
static uint64_t unshared_byte(const struct type_desc *type, const struct type_member *member)
{
    uint64_t first = first_bit_of(member);
    uint32_t one;
    for (uint64_t byte = first / 8; byte * 8 < first + member->bit_size; byte++)
        if (count_bits(type, member->parent, byte * 8, byte * 8 + 8, &one) == 1)
            return byte;
    return first / 8;
}

int64_t type_bits_at(const struct type_desc *type, uint64_t offset, uint64_t first, uint64_t end,
                     bool *several)
{
    struct found found = members_find_at(type, 0, offset, 0);
    uint32_t one = 0;
    *several = false;
    if (found.member == TYPE_NO_MEMBER || !type->members[found.member].bit_size)
        return 0;
    uint32_t parent = type->members[found.member].parent;
    uint64_t start = found.folded * 8;
    unsigned count = count_bits(type, parent, start + first, start + end, &one);
    *several = count > 1;
    return count == 1 ? (int64_t)(unshared_byte(type, &type->members[one]) - found.folded) : 0;
}

bool type_shares_byte(const struct type_desc *type, uint32_t member, uint64_t offset)
{
    uint32_t one;
    return member < type->member_count && type_has_bits(&type->members[member], offset, 1) &&
           count_bits(type, type->members[member].parent, offset * 8, offset * 8 + 8, &one) > 1;
}

uint64_t type_fold(const struct type_desc *type, uint64_t offset)
{
    return members_find_at(type, 0, offset, 0).folded;
}

/* Returns true if two descriptions may be of the same bytes: see type_holds(). */
static bool is_same_member(const struct type_member *a, const struct type_member *b, uint64_t from)
{
    return a->offset - from == b->offset && a->size == b->size && a->stride == b->stride &&
           a->bit_size == b->bit_size && !strcmp(a->name, b->name);
}

/* Compares the members of two types. Nested members may be missing in the more deeply nested type,
 * so only members in both count. */
static bool has_same_members(const struct type_desc *outer, uint32_t first, uint32_t count,
                             uint64_t from, const struct type_desc *inner)
{
    if (!count || !inner->member_count ||
        (count != inner->member_count && !outer->is_truncated && !inner->is_truncated))
        return false;
    const struct type_member *member = &outer->members[first];
    const struct type_member *end = member + count;
    const struct type_member *other = inner->members;
    unsigned down = member->depth - other->depth;
    while (member < end && other < inner->members + inner->member_count) {
        unsigned depth = other->depth + down;
        if (depth == member->depth && !is_same_member(member, other, from))
            return false;
        bool left_out = outer->is_truncated && depth > member->depth;
        bool other_left_out = inner->is_truncated && depth < member->depth;
        if (depth != member->depth && !left_out && !other_left_out)
            return false;
        member += !left_out;
        other += !other_left_out;
    }
    return true;
}

static uint32_t part_count(const struct type_desc *type, uint32_t member)
{
    uint32_t end = member + 1;
    while (end < type->member_count && type->members[end].depth > type->members[member].depth)
        end++;
    return end - member - 1;
}

/* A member's type is written with dimensions: "struct atom [3]" matches "struct atom". */
/* A key of a map is const; code that accesses it need not know that. */
static bool member_is_named(const struct type_member *member, const char *type)
{
    static const char constant[] = "const ";
    bool skip = !strncmp(member->type, constant, strlen(constant));
    const char *name = skip_type_keyword(member->type + (skip ? strlen(constant) : 0));
    const char *wanted = skip_type_keyword(type);
    size_t length = strlen(wanted);
    return !strncmp(name, wanted, length) &&
           (!name[length] || (member->stride && !strncmp(name + length, " [", 2)));
}

static bool is_plain(const struct type_desc *type)
{
    return type->kind == TYPE_SCALAR || type->kind == TYPE_POINTER;
}

/* Returns true if a member is of the inner type. Two units or files may have different structs of
 * one name, so the members decide if they are known. */
static bool member_is(const struct type_desc *outer, uint32_t member, const struct type_desc *inner)
{
    const struct type_member *whole = &outer->members[member];
    uint32_t parts = part_count(outer, member);
    uint64_t size = whole->stride ? whole->stride : whole->size;
    if (size != inner->size || whole->bit_size)
        return false;
    if (parts && inner->member_count)
        return has_same_members(outer, member + 1, parts, whole->offset, inner);
    return is_plain(inner) ? !parts : member_is_named(whole, inner->name);
}

static bool is_same_type(const struct type_desc *a, const struct type_desc *b)
{
    if (a == b)
        return true;
    if (a->size != b->size)
        return false;
    if (is_plain(a) && is_plain(b))
        return true;
    return !strcmp(skip_type_keyword(a->name), skip_type_keyword(b->name)) &&
           (!a->member_count || !b->member_count || has_same_members(a, 0, a->member_count, 0, b));
}

bool type_find_part(const struct type_desc *outer, const struct type_desc *inner, uint64_t *offset)
{
    unsigned found = 0;
    if (!inner->member_count || outer->size < inner->size)
        return false;
    for (uint32_t i = 0; i < outer->member_count && found < 2; i++) {
        uint32_t part = i;
        while (part != TYPE_NO_MEMBER && !outer->members[part].stride)
            part = outer->members[part].parent;
        if (!member_is(outer, i, inner) || (found && outer->members[i].offset == *offset))
            continue;
        found += part == TYPE_NO_MEMBER ? 1 : 2;
        *offset = outer->members[i].offset;
    }
    return found == 1;
}

bool type_has_part(const struct type_desc *outer, const struct type_desc *inner)
{
    if (outer->size < inner->size || !inner->size)
        return false;
    for (uint32_t i = 0; i < outer->member_count; i++)
        if (member_is_named(&outer->members[i], inner->name) && member_is(outer, i, inner))
            return true;
    return false;
}

static bool holds_type_at(const struct type_desc *outer, uint32_t first, uint64_t offset,
                          const struct type_desc *inner, uint64_t inner_offset)
{
    unsigned depth = first < outer->member_count ? outer->members[first].depth : 0;
    for (uint32_t i = first; i < outer->member_count && outer->members[i].depth >= depth; i++) {
        const struct type_member *member = &outer->members[i];
        if (member->depth != depth || depth > TYPE_DEPTH_MAX || !member_covers(member, offset))
            continue;
        uint64_t folded = fold_offset(member, offset);
        if (folded - member->offset == inner_offset && member_is(outer, i, inner))
            return true;
        if (has_members(outer, i) && holds_type_at(outer, i + 1, folded, inner, inner_offset))
            return true;
    }
    return false;
}

bool type_holds(const struct type_desc *outer, uint64_t offset, const struct type_desc *inner,
                uint64_t inner_offset)
{
    return (offset == inner_offset && is_same_type(outer, inner)) ||
           holds_type_at(outer, 0, offset, inner, inner_offset);
}

/* Text for how a type is known, and why it is not. */

const char *typed_name(enum typed typed)
{
    static const char *const names[TYPED_COUNT] = {[TYPED_NONE] = "not",
                                                   [TYPED_CODE] = "by-code",
                                                   [TYPED_DATA] = "by-data",
                                                   [TYPED_AGREED] = "agreed",
                                                   [TYPED_DISAGREED] = "disagreed"};
    return (unsigned)typed < TYPED_COUNT ? names[typed] : "?";
}

static const struct {
    const char *name;
    const char *text;
} reasons[UNTYPED_COUNT] = {
    [UNTYPED_NO_REASON] = {"", ""},
    [UNTYPED_WAITING] = {"waiting", "the debug information is still being read"},
    [UNTYPED_NO_DEBUG] = {"no-debug-information", "the code's file has no debug information"},
    [UNTYPED_NO_UNIT] = {"no-unit", "the debug information does not cover this code"},
    [UNTYPED_NO_CODE] = {"no-code", "the instruction could not be read from a file"},
    [UNTYPED_NO_VARIABLE] = {"no-variable", "no variable is known for the address register"},
    [UNTYPED_NO_POINTER] = {"no-pointer",
                            "by its type, the address register does not hold a pointer"},
    [UNTYPED_VOID] = {"void", "the pointer points to void or plain bytes"},
    [UNTYPED_OUTSIDE] = {"outside-type", "the access is outside the type pointed to"},
    [UNTYPED_CONFLICT] = {"conflict", "different paths to this instruction give different types"},
    [UNTYPED_SPILL] = {"spill", "a stack slot that is not a variable of the program"},
    [UNTYPED_GAVE_UP] = {"gave-up", "reading the debug information failed or was stopped"},
    [UNTYPED_RARE] = {"few-samples", "start-up code of the dynamic linker with few samples"}};

const char *untyped_name(enum untyped untyped)
{
    return (unsigned)untyped < UNTYPED_COUNT ? reasons[untyped].name : "?";
}

const char *untyped_text(enum untyped untyped)
{
    return (unsigned)untyped < UNTYPED_COUNT ? reasons[untyped].text : "?";
}

static bool variable_has_name(const char *name, const char *module, const char *wanted)
{
    const char *colon = strrchr(wanted, ':');
    return !strcmp(name, wanted) ||
           (colon && !strcmp(name, colon + 1) && strlen(module) == (size_t)(colon - wanted) &&
            !strncmp(module, wanted, strlen(module)));
}

void object_search_look(struct object_search *search, uint32_t object, const char *name,
                        const char *module)
{
    bool exact = variable_has_name(name, module, search->name);
    if (search->exact || (!exact && !strstr(name, search->name)))
        return;
    search->found = object;
    search->exact = exact;
    search->match_count = exact ? 1 : search->match_count + 1;
}

/* Everything except the names themselves, which need a demangler. */

const char *object_kind_name(enum object_kind kind)
{
    static const char *const kinds[OBJECT_KIND_COUNT] = {
        "unknown", "global", "heap", "stack", "tls", "map", "anon", "code", "jit"};
    return kind < OBJECT_KIND_COUNT ? kinds[kind] : "unknown";
}
