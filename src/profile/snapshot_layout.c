/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The picture of a type as the samples on one object see it: members and holes in order with
 * their heat. The cache lines that cut it: snapshot_lines.c.
 */
#include "profile/drawing.h"

#include "resolve/members.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LAYOUTS = 4,         /* of one object */
    LAYOUT_BYTES = 65536 /* larger types have no lines */
};

static const double shown_from = 0.05; /* share of the object's samples */

static void add_row(struct drawing *drawing, const struct snapshot_layout_row *row)
{
    if (drawing->row_count < drawing->row_room)
        drawing->rows[drawing->row_count++] = *row;
}

static void add_gap(struct drawing *drawing, uint64_t from, uint64_t to, uint16_t depth, bool end)
{
    struct snapshot_layout_row row = {
        .kind = end ? LAYOUT_PADDING : LAYOUT_HOLE,
        .member = {.name = "", .offset = from, .size = to - from, .depth = depth},
        .index = TYPE_NO_MEMBER};
    add_row(drawing, &row);
}

static uint64_t end_of(const struct type_member *member)
{
    return member->offset + member->size;
}

static uint32_t draw_members(struct drawing *drawing, uint32_t first, uint32_t parent,
                             uint64_t from, uint64_t to);

static uint32_t draw_member(struct drawing *drawing, uint32_t index)
{
    const struct type_member *member = &drawing->type.members[index];
    bool parts =
        index + 1 < drawing->type.member_count && drawing->type.members[index + 1].parent == index;
    const double *heat = &drawing->heat[(size_t)index * 3];
    struct snapshot_layout_row row = {.kind = LAYOUT_MEMBER,
                                      .member = *member,
                                      .index = index,
                                      .has_members = parts,
                                      .samples = heat[0],
                                      .loads = heat[1],
                                      .stores = heat[2]};
    row.member.name = arena_string(drawing->build->arena, member->name);
    row.member.type = arena_string(drawing->build->arena, member->type);
    add_row(drawing, &row);
    uint64_t end = member->offset + (member->stride ? member->stride : member->size);
    return parts ? draw_members(drawing, index + 1, index, member->offset, end) : index + 1;
}

/* The members of one parent, and the bytes between them; a union's all begin where it does. */
static uint32_t draw_members(struct drawing *drawing, uint32_t first, uint32_t parent,
                             uint64_t from, uint64_t to)
{
    uint64_t covered = from;
    uint32_t index = first;
    uint16_t depth = first < drawing->type.member_count ? drawing->type.members[first].depth : 0;
    while (index < drawing->type.member_count && drawing->type.members[index].parent == parent) {
        const struct type_member *member = &drawing->type.members[index];
        if (member->offset > covered)
            add_gap(drawing, covered, member->offset, depth, false);
        covered = end_of(member) > covered ? end_of(member) : covered;
        index = draw_member(drawing, index);
    }
    if (covered < to)
        add_gap(drawing, covered, to, depth, parent == TYPE_NO_MEMBER);
    return index;
}

static void warm(struct drawing *drawing, uint32_t member, const struct snapshot_field *field)
{
    double *heat = &drawing->heat[(size_t)member * 3];
    heat[0] += field->samples;
    heat[1] += field->loads;
    heat[2] += field->stores;
}

/* Samples of each member, and of all that it is part of. What is for one of several bit-fields,
 * and not known which, is shown at each. */
static void warm_members(struct drawing *drawing)
{
    const struct type_desc *type = &drawing->type;
    for (size_t i = 0; i < drawing->field_count; i++) {
        const struct snapshot_field *field = &drawing->fields[i];
        uint32_t member = type_member_at(type, field->offset, field->size);
        uint64_t first = type_fold(type, field->offset);
        for (uint32_t k = member + 1; member < k && k < type->member_count; k++)
            if (type->members[member].bit_size &&
                type->members[k].parent == type->members[member].parent &&
                type_has_bits(&type->members[k], first, field->unit ? field->unit : 1))
                warm(drawing, k, field);
        for (; member < type->member_count; member = type->members[member].parent)
            warm(drawing, member, field);
    }
}

/* Without a type: the offsets that were seen. */
static void draw_offsets(struct drawing *drawing)
{
    for (size_t i = 0; i < drawing->field_count; i++) {
        const struct snapshot_field *field = &drawing->fields[i];
        struct snapshot_layout_row *last =
            drawing->row_count ? &drawing->rows[drawing->row_count - 1] : NULL;
        if (last && last->member.offset == field->offset) {
            last->samples += field->samples;
            last->loads += field->loads;
            last->stores += field->stores;
            continue;
        }
        struct snapshot_layout_row row = {
            .kind = LAYOUT_UNKNOWN,
            .member = {.name = arena_printf(drawing->build->arena, "+%llu",
                                            (unsigned long long)field->offset),
                       .type = "",
                       .offset = field->offset,
                       .size = field->size},
            .index = TYPE_NO_MEMBER,
            .samples = field->samples,
            .loads = field->loads,
            .stores = field->stores};
        add_row(drawing, &row);
    }
}

static void finish_rows(struct drawing *drawing)
{
    struct snapshot_layout *layout = drawing->layout;
    layout->rows = arena_array(drawing->build->arena, drawing->row_count, sizeof *layout->rows);
    if (!layout->rows)
        return;
    layout->row_count = drawing->row_count;
    for (size_t i = 0; i < drawing->row_count; i++) {
        struct snapshot_layout_row *row = &layout->rows[i];
        *row = drawing->rows[i];
        row->share = layout->samples > 0 ? row->samples / layout->samples : NAN;
        row->line = drawing_line(drawing, row->member.offset);
    }
}

static void draw(struct drawing *drawing, uint32_t object)
{
    struct snapshot_layout *layout = drawing->layout;
    /* A gap before each member, and one at the end of each that has parts. */
    drawing->row_room = drawing->field_count + 3 * (size_t)drawing->type.member_count + 1;
    drawing->rows = calloc(drawing->row_room, sizeof *drawing->rows);
    drawing->heat = calloc((size_t)drawing->type.member_count * 3 + 1, sizeof *drawing->heat);
    drawing->touched = calloc(drawing->extent < LAYOUT_BYTES ? drawing->extent + 1 : 1, 1);
    if (drawing->rows && drawing->heat && drawing->touched) {
        drawing_find_phase(drawing, object);
        if (layout->inferred) {
            draw_offsets(drawing);
        } else {
            warm_members(drawing);
            draw_members(drawing, 0, TYPE_NO_MEMBER, 0, layout->size);
        }
        if (drawing->extent < LAYOUT_BYTES)
            drawing_cut_into_lines(drawing);
        finish_rows(drawing);
        drawing_measure_spread(drawing);
        layout->reading = drawing_reading(drawing);
    }
    free(drawing->rows);
    free(drawing->heat);
    free(drawing->touched);
}

/* One layout for each run of fields of one type; those of no type are the inferred element's. */
static bool begin(struct build *build, const struct snapshot_object *object,
                  const struct snapshot_field *fields, size_t count, struct drawing *drawing,
                  struct snapshot_layout *layout)
{
    *layout = (struct snapshot_layout){.type = fields[0].type_id};
    *drawing = (struct drawing){.build = build,
                                .layout = layout,
                                .fields = fields,
                                .field_count = count,
                                .line = build->profile->sets.geometry.line_bytes};
    for (size_t i = 0; i < count; i++)
        layout->samples += fields[i].samples;
    layout->share = object->samples > 0 ? layout->samples / object->samples : 0;
    layout->inferred = !layout->type;
    if (layout->inferred) {
        layout->size = object->element_size > 8 ? object->element_size : 0;
        layout->name = arena_printf(build->arena, "element of %llu bytes (inferred)",
                                    (unsigned long long)layout->size);
    } else if (build_type(build, layout->type, &drawing->type)) {
        layout->size = drawing->type.size;
        layout->name = arena_string(build->arena, drawing->type.name);
    }
    drawing->extent = drawing->type.member_count ? type_extent(&drawing->type) : layout->size;
    drawing->array = layout->size && object->size >= 2 * layout->size;
    return layout->name && layout->size && layout->share >= shown_from;
}

static void put_in_order(struct snapshot_object *object, const struct snapshot_layout *layout)
{
    size_t at = object->layout_count;
    while (at > 0 && object->layouts[at - 1].samples < layout->samples)
        at--;
    if (at == LAYOUTS)
        return;
    size_t kept = object->layout_count < LAYOUTS ? object->layout_count : LAYOUTS - 1;
    memmove(&object->layouts[at + 1], &object->layouts[at], (kept - at) * sizeof *object->layouts);
    object->layouts[at] = *layout;
    object->layout_count = kept + 1;
}

void build_layouts(struct build *build, struct snapshot_object *object,
                   const struct snapshot_field *fields, size_t count)
{
    enum { OBJECTS = 100 };
    if (object >= build->snapshot->objects + OBJECTS)
        return;
    object->layouts = arena_array(build->arena, LAYOUTS, sizeof *object->layouts);
    build->failed |= !object->layouts;
    for (size_t i = 0, next; object->layouts && i < count; i = next) {
        struct drawing drawing;
        struct snapshot_layout layout;
        for (next = i; next < count && fields[next].type_id == fields[i].type_id; next++)
            continue;
        if (!begin(build, object, fields + i, next - i, &drawing, &layout))
            continue;
        draw(&drawing, object->id);
        put_in_order(object, &layout);
    }
}
