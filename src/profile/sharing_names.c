/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions, source lines and fields of those who share a line; declared in snapshot_sharing.h. */
#include "profile/snapshot_sharing.h"

#include "resolve/members.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 160, FIELDS_NAMED = 3 };

/* Below this part of its side's samples an instruction does not count for what is wanted; one
 * that stores: of its side's stores, which are quick and seldom sampled. */
static const double now_and_then = 0.01;

const char *sharing_describe(struct build *build, uint32_t object, struct object_desc *desc)
{
    const struct place_names *names = &build->profile->options.names;
    *desc = (struct object_desc){0};
    bool known = names->object && names->object(names->context, object, desc);
    return arena_string(build->arena, known && desc->name ? desc->name : "unknown");
}

static uint64_t base_of(const struct sharing_line *line, const struct sharing_spot *spot,
                        uint64_t *size)
{
    for (int i = 0; i < line->owner_count; i++)
        if (line->owners[i].object == spot->object) {
            *size = line->owners[i].size;
            return line->owners[i].base;
        }
    *size = 0;
    return line->address;
}

/* "[3].hits" of an array's element, "[3]" of one without members. */
static void name_element(const struct type_desc *type, uint64_t offset, const char *name, char *out,
                         size_t size)
{
    const char *path = type->member_count ? strchr(name, '.') : "";
    snprintf(out, size, "[%llu]%s", (unsigned long long)(offset / type->size), path ? path : "");
}

static const char *field_of(struct build *build, const struct sharing_line *line,
                            const struct sharing_spot *spot)
{
    struct object_desc object;
    struct type_desc type;
    char name[NAME_BYTES];
    char element[NAME_BYTES];
    uint64_t size;
    uint64_t base = base_of(line, spot, &size);
    uint64_t offset = spot->address - base;
    const char *object_name = sharing_describe(build, spot->object, &object);
    bool by_code = build_type(build, spot->type, &type) && type.size;
    if (!object_name || (!by_code && (!build_type(build, object.type_id, &type) || !type.size)))
        return arena_printf(build->arena, "+%llu", (unsigned long long)offset);
    uint64_t into = by_code ? spot->type_offset : type_in_element(&type, offset);
    if (!type.member_count && size == type.size)
        return object_name;
    type_field_name(&type, into, spot->size, name, sizeof name);
    bool array = (!by_code || spot->type == object.type_id) && size >= 2 * type.size;
    if (!array)
        return arena_string(build->arena, name);
    name_element(&type, offset, name, element, sizeof element);
    return arena_string(build->arena, element);
}

static void fill_code(struct build *build, const struct sharing_line *line,
                      const struct sharing_spot *spot, struct snapshot_sharing_code *code)
{
    const struct place_names *names = &build->profile->options.names;
    struct function_desc function = {0};
    struct instruction_desc source = {0};
    bool named = names->function && names->function(names->context, spot->function, &function);
    bool placed = names->instruction && names->instruction(names->context, spot->ip, &source);
    *code = (struct snapshot_sharing_code){
        .address = spot->ip,
        .function = arena_string(build->arena, named && function.name ? function.name : "unknown"),
        .file = placed ? arena_string(build->arena, source.file) : NULL,
        .line = placed ? source.line : 0,
        .id = spot->function,
        .share = build_read(build, &spot->samples),
        .read = spot->read,
        .written = spot->written,
        .field = field_of(build, line, spot),
        .locked = spot->locked};
    build->failed |= !code->function || !code->field;
    if (!code->file || !code->line)
        return;
    const char *slash = strrchr(code->file, '/');
    code->where = arena_printf(build->arena, "%s:%u", slash ? slash + 1 : code->file, code->line);
    build->failed |= !code->where;
}

static int most_samples(const void *left, const void *right)
{
    const struct snapshot_sharing_code *a = left;
    const struct snapshot_sharing_code *b = right;
    if (a->share != b->share)
        return a->share > b->share ? -1 : 1;
    return a->address < b->address ? -1 : a->address > b->address;
}

static int by_offset(const void *left, const void *right)
{
    const struct snapshot_sharing_code *a = *(const struct snapshot_sharing_code *const *)left;
    const struct snapshot_sharing_code *b = *(const struct snapshot_sharing_code *const *)right;
    uint64_t first = a->read | a->written;
    uint64_t second = b->read | b->written;
    first &= -first; /* the lowest bit */
    second &= -second;
    return first < second ? -1 : first > second;
}

/* "hits, misses": in order of offset, for which has more samples changes all the time. Each
 * field once. */
static const char *fields_in_order(struct build *build, const struct snapshot_sharing_code **named,
                                   size_t count)
{
    char fields[FIELDS_NAMED * (NAME_BYTES + 2)] = "";
    size_t used = 0;
    if (!count)
        return NULL;
    qsort(named, count, sizeof *named, by_offset);
    for (size_t i = 0; i < count; i++) {
        int length =
            snprintf(fields + used, sizeof fields - used, "%s%s", i ? ", " : "", named[i]->field);
        used += (size_t)length < sizeof fields - used ? (size_t)length : 0;
    }
    const char *text = arena_string(build->arena, fields);
    build->failed |= !text;
    return text;
}

/* The field that is named already does not come twice. */
static bool named_before(const struct snapshot_sharing_code *const *named, size_t count,
                         const struct snapshot_sharing_code *code)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(named[i]->field, code->field))
            return true;
    return false;
}

static void sum_up(struct build *build, struct snapshot_sharing_side *side)
{
    const struct snapshot_sharing_code *named[FIELDS_NAMED];
    size_t count = 0;
    double written = side->samples > 0 ? fmin(1, side->stores / side->samples) : 1;
    for (size_t i = 0; i < side->code_count; i++) {
        const struct snapshot_sharing_code *code = &side->codes[i];
        if (code->share < now_and_then * (code->written ? written : 1))
            continue;
        side->read |= code->read;
        side->written |= code->written;
        side->locked |= code->locked;
        if (count < FIELDS_NAMED && !named_before(named, count, code))
            named[count++] = code;
    }
    side->fields = fields_in_order(build, named, count);
}

void sharing_fill_codes(struct build *build, const struct sharing_line *line,
                        const struct sharing_side *from, struct snapshot_sharing_side *side)
{
    const struct sharing_spot *most = NULL;
    struct object_desc desc;
    for (int i = 0; i < SHARING_SPOTS; i++) {
        const struct sharing_spot *spot = &from->spots[i];
        if (!(spot->credit > 0) || !(build_read(build, &spot->samples) > 0))
            continue;
        fill_code(build, line, spot, &side->codes[side->code_count++]);
        if (!most || build_read(build, &spot->samples) > build_read(build, &most->samples))
            most = spot;
    }
    if (build->failed)
        return;
    qsort(side->codes, side->code_count, sizeof *side->codes, most_samples);
    for (size_t i = 0; i < side->code_count; i++)
        side->codes[i].share = side->samples > 0 ? side->codes[i].share / side->samples : 0;
    sum_up(build, side);
    side->object = most ? build_object_index(build, most->object) : UINT32_MAX;
    side->name = most ? sharing_describe(build, most->object, &desc) : "unknown";
    build->failed |= !side->name;
}
