/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Members and holes of a type in order with their samples on one object, and their cache lines. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "profile/state.h"
#include "resolve/members.h"

struct layout_build {
    struct build *build;
    struct snapshot_layout *layout;
    struct type_desc type;               /* no members: inferred element */
    const struct snapshot_field *fields; /* fields of the type, by offset; offsets as sampled */
    size_t field_count;
    uint32_t line;
    uint64_t extent; /* size, with one element of a flexible array */
    bool array;      /* the object has several adjacent elements */
    struct snapshot_layout_row *rows;
    size_t row_count;
    size_t row_room;
    double *heat; /* [members][4]: samples, loads, stores, count_excess, including nested members */
    uint8_t *touched; /* per byte */
};

/* Cache lines of a type, from the observed start of its instances. */

enum {
    PHASE_SAMPLES_MIN = 16,
    UNKNOWN_SIZE = 8 /* assumed bytes of an access of unknown size */
};

/* Thresholds of the suggestions. Those of findings are stricter (profile/findings). */
static const double most_of_heat = 0.9;
static const double straddling_min = 0.05;
static const double unused_min = 0.25;

/* Finds the offset in a line at which most instances begin, and the share of accesses that straddle
 * lines, from the window. */
static void drawing_find_phase(struct layout_build *drawing, uint32_t object)
{
    struct snapshot_layout *layout = drawing->layout;
    const struct window *window = &drawing->build->profile->window;
    uint32_t *begins = calloc(drawing->line, sizeof *begins);
    uint32_t all = 0;
    uint32_t straddling = 0;
    for (uint32_t i = 0; begins && i < window->used; i++) {
        const struct window_entry *entry = window_at(window, i);
        if (entry->object != object || entry->type != layout->type)
            continue;
        uint64_t into = layout->inferred ? entry->offset % layout->size : entry->type_offset;
        begins[(entry->address - into) % drawing->line]++;
        straddling += entry->address % drawing->line + entry->size > drawing->line;
        all++;
    }
    layout->phase_share = layout->straddling = NAN;
    for (uint32_t i = 0; begins && i < drawing->line; i++) {
        layout->phases += begins[i] > 0;
        if (begins[i] > begins[layout->phase])
            layout->phase = i;
    }
    if (begins && all >= PHASE_SAMPLES_MIN) {
        layout->phase_share = (double)begins[layout->phase] / all;
        layout->straddling = (double)straddling / all;
    }
    free(begins);
}

/* Returns the cache line of an offset, for the most frequent phase. */
static uint32_t drawing_line(const struct layout_build *drawing, uint64_t offset)
{
    return (uint32_t)((offset + drawing->layout->phase) / drawing->line);
}

static void mark_touched_bytes(struct layout_build *drawing)
{
    for (size_t i = 0; i < drawing->field_count; i++) {
        const struct snapshot_field *field = &drawing->fields[i];
        uint64_t end = field->offset + (field->size ? field->size : UNKNOWN_SIZE);
        for (uint64_t at = field->offset; at < end && at < drawing->extent; at++)
            drawing->touched[at] |= field->samples > 0;
    }
}

/* Computes the lines, their used bytes and their share of the samples. */
static void drawing_cut_into_lines(struct layout_build *drawing)
{
    struct snapshot_layout *layout = drawing->layout;
    uint64_t size = drawing->extent;
    size_t count = drawing_line(drawing, size - 1) + 1;
    layout->lines = arena_array(drawing->build->arena, count, sizeof *layout->lines);
    if (!layout->lines)
        return;
    layout->line_count = count;
    mark_touched_bytes(drawing);
    for (size_t i = 0; i < count; i++) {
        struct snapshot_layout_line *line = &layout->lines[i];
        uint64_t end = (i + 1) * drawing->line - layout->phase;
        line->start = i ? i * drawing->line - layout->phase : 0;
        line->end = end < size ? end : size;
        for (uint64_t at = line->start; at < line->end; at++)
            line->used += drawing->touched[at];
        line->cold = (uint32_t)(line->end - line->start) - line->used;
    }
    for (size_t i = 0; i < drawing->field_count; i++) {
        size_t at = drawing_line(drawing, drawing->fields[i].offset);
        if (at < count && layout->samples > 0)
            layout->lines[at].share += drawing->fields[i].samples / layout->samples;
    }
}

/* Computes the number of lines that hold the hottest members, and the number they would need. */
static void drawing_measure_spread(struct layout_build *drawing)
{
    struct snapshot_layout *layout = drawing->layout;
    const struct snapshot_layout_row **rows = calloc(drawing->row_count + 1, sizeof *rows);
    uint8_t *lines = calloc(layout->line_count + 1, 1);
    size_t count = 0;
    uint64_t bytes = 0;
    double heat = 0;
    for (size_t i = 0; rows && i < drawing->row_count; i++)
        if (!drawing->rows[i].has_members && drawing->rows[i].samples > 0)
            rows[count++] = &drawing->rows[i];
    if (rows)
        SORT_POINTERS(rows, count, LARGEST(struct snapshot_layout_row, samples));
    for (size_t i = 0; lines && i < count && heat < most_of_heat * layout->samples; i++) {
        const struct type_member *member = &rows[i]->member;
        uint64_t size = member->stride ? member->stride : member->size;
        size_t last = drawing_line(drawing, member->offset + (size ? size - 1 : 0));
        for (size_t k = drawing_line(drawing, member->offset); k <= last && k < layout->line_count;
             k++)
            lines[k] = 1;
        bytes += size;
        heat += rows[i]->samples;
    }
    for (size_t i = 0; lines && i < layout->line_count; i++)
        layout->hot_span += lines[i];
    layout->hot_lines = (bytes + drawing->line - 1) / drawing->line;
    free(rows);
    free(lines);
}

/* Returns the unused bytes of a line outside this element. Adjacent elements of an array are used
 * like this one; the use of other neighbours is not known, so their bytes count as used. */
static uint32_t cold_neighbour_bytes(const struct layout_build *drawing, size_t index, bool *known)
{
    const struct snapshot_layout_line *line = &drawing->layout->lines[index];
    uint64_t size = drawing->extent;
    uint64_t before = index ? 0 : drawing->layout->phase;
    uint64_t after = drawing->line - before - (line->end - line->start);
    uint32_t cold = 0;
    *known &= drawing->array || !(before + after);
    for (uint64_t i = 0; drawing->array && i < before; i++)
        cold += !drawing->touched[size - 1 - i % size];
    for (uint64_t i = 0; drawing->array && i < after; i++)
        cold += !drawing->touched[i % size];
    return cold;
}

/* Returns the share of the fetched bytes that is not used, weighted by the samples on each line. */
static double cold_share(const struct layout_build *drawing, bool *known)
{
    const struct snapshot_layout *layout = drawing->layout;
    double cold = 0;
    *known = true;
    for (size_t i = 0; i < layout->line_count; i++)
        cold += layout->lines[i].share *
                (layout->lines[i].cold + cold_neighbour_bytes(drawing, i, known)) / drawing->line;
    return cold;
}

static enum layout_reading drawing_reading(const struct layout_build *drawing)
{
    const struct snapshot_layout *layout = drawing->layout;
    if (drawing->type.managed)
        return LAYOUT_MANAGED;
    if (layout->samples < PHASE_SAMPLES_MIN || !layout->line_count)
        return LAYOUT_TOO_FEW;
    return layout->size < drawing->line && !drawing->array ? LAYOUT_SHORT
           : layout->hot_span > layout->hot_lines          ? LAYOUT_SPREAD
           : layout->straddling > straddling_min           ? LAYOUT_STRADDLES
           : layout->unused > unused_min                   ? LAYOUT_UNUSED
                                                           : LAYOUT_FITS;
}

enum {
    LAYOUTS = 4,         /* maximum layouts of an object */
    LAYOUT_BYTES = 65536 /* larger types have no lines */
};

static const double shown_from = 0.05; /* minimum share of the object's samples */

static void add_row(struct layout_build *drawing, const struct snapshot_layout_row *row)
{
    if (drawing->row_count < drawing->row_room)
        drawing->rows[drawing->row_count++] = *row;
}

static void add_gap(struct layout_build *drawing, uint64_t from, uint64_t to, uint16_t depth,
                    bool end)
{
    struct snapshot_layout_row row = {
        .kind = end ? LAYOUT_PADDING : LAYOUT_HOLE,
        .member = {.name = "", .offset = from, .size = to - from, .depth = depth},
        .index = TYPE_NO_MEMBER};
    add_row(drawing, &row);
}

static uint64_t member_end(const struct type_member *member)
{
    return member->offset + member->size;
}

static uint32_t draw_members(struct layout_build *drawing, uint32_t first, uint32_t parent,
                             uint64_t from, uint64_t to);

static uint32_t draw_member(struct layout_build *drawing, uint32_t index)
{
    const struct type_member *member = &drawing->type.members[index];
    bool parts =
        index + 1 < drawing->type.member_count && drawing->type.members[index + 1].parent == index;
    const double *heat = &drawing->heat[(size_t)index * 4];
    struct snapshot_layout_row row = {.kind = LAYOUT_MEMBER,
                                      .member = *member,
                                      .index = index,
                                      .has_members = parts,
                                      .samples = heat[0],
                                      .loads = heat[1],
                                      .stores = heat[2],
                                      .count_excess = heat[3]};
    row.member.name = arena_string(drawing->build->arena, member->name);
    row.member.type = arena_string(drawing->build->arena, member->type);
    add_row(drawing, &row);
    uint64_t end = member->offset + (member->stride ? member->stride : member->size);
    return parts ? draw_members(drawing, index + 1, index, member->offset, end) : index + 1;
}

/* Draws the members of one parent and the gaps; members of a union all start at its offset. */
static uint32_t draw_members(struct layout_build *drawing, uint32_t first, uint32_t parent,
                             uint64_t from, uint64_t to)
{
    uint64_t covered = from;
    uint32_t index = first;
    uint16_t depth = first < drawing->type.member_count ? drawing->type.members[first].depth : 0;
    while (index < drawing->type.member_count && drawing->type.members[index].parent == parent) {
        const struct type_member *member = &drawing->type.members[index];
        if (member->offset > covered)
            add_gap(drawing, covered, member->offset, depth, false);
        covered = member_end(member) > covered ? member_end(member) : covered;
        index = draw_member(drawing, index);
    }
    if (covered < to)
        add_gap(drawing, covered, to, depth, parent == TYPE_NO_MEMBER);
    return index;
}

static void add_member_heat(struct layout_build *drawing, uint32_t member,
                            const struct snapshot_field *field)
{
    double *heat = &drawing->heat[(size_t)member * 4];
    heat[0] += field->samples;
    heat[1] += field->loads;
    heat[2] += field->stores;
    heat[3] += field->count_excess;
}

/* Adds samples to a member and to all members that contain it. Samples of one of several bit-fields
 * are added to each, because it is not known which. */
static void add_heat_to_members(struct layout_build *drawing)
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
                add_member_heat(drawing, k, field);
        for (; member < type->member_count; member = type->members[member].parent)
            add_member_heat(drawing, member, field);
    }
}

/* Draws the sampled offsets of an element without a type. */
static void draw_offsets(struct layout_build *drawing)
{
    for (size_t i = 0; i < drawing->field_count; i++) {
        const struct snapshot_field *field = &drawing->fields[i];
        struct snapshot_layout_row *last =
            drawing->row_count ? &drawing->rows[drawing->row_count - 1] : NULL;
        if (last && last->member.offset == (uint64_t)field->offset) {
            last->samples += field->samples;
            last->loads += field->loads;
            last->stores += field->stores;
            last->count_excess += field->count_excess;
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
            .stores = field->stores,
            .count_excess = field->count_excess};
        add_row(drawing, &row);
    }
}

static void finish_rows(struct layout_build *drawing)
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

static void layout_draw_rows(struct layout_build *drawing, uint32_t object)
{
    struct snapshot_layout *layout = drawing->layout;
    /* One gap before each member, and one at the end of each member that has parts. */
    drawing->row_room = drawing->field_count + 3 * (size_t)drawing->type.member_count + 1;
    drawing->rows = calloc(drawing->row_room, sizeof *drawing->rows);
    drawing->heat = calloc((size_t)drawing->type.member_count * 4 + 1, sizeof *drawing->heat);
    drawing->touched = calloc(drawing->extent < LAYOUT_BYTES ? drawing->extent + 1 : 1, 1);
    if (drawing->rows && drawing->heat && drawing->touched) {
        drawing_find_phase(drawing, object);
        if (layout->inferred) {
            draw_offsets(drawing);
        } else {
            add_heat_to_members(drawing);
            draw_members(drawing, 0, TYPE_NO_MEMBER, 0, layout->size);
        }
        if (drawing->extent < LAYOUT_BYTES)
            drawing_cut_into_lines(drawing);
        finish_rows(drawing);
        drawing_measure_spread(drawing);
        bool known;
        layout->unused = cold_share(drawing, &known);
        layout->unused_is_lower_bound = !known;
        layout->line_bytes = drawing->line;
        layout->reading = drawing_reading(drawing);
    }
    free(drawing->rows);
    free(drawing->heat);
    free(drawing->touched);
}

/* Starts the layout of a run of fields of one type; fields without a type belong to the inferred
 * element. Returns false if it is not worth showing. */
static bool layout_begin(struct build *build, const struct snapshot_object *object,
                         const struct snapshot_field *fields, size_t count,
                         struct layout_build *drawing, struct snapshot_layout *layout)
{
    *layout = (struct snapshot_layout){.type = fields[0].type_id};
    *drawing = (struct layout_build){.build = build,
                                     .layout = layout,
                                     .fields = fields,
                                     .field_count = count,
                                     .line = build->profile->sets.geometry.line_bytes};
    for (size_t i = 0; i < count; i++) {
        layout->samples += fields[i].samples;
        layout->count_excess += fields[i].count_excess;
    }
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

void build_layouts(struct build *build, struct snapshot_object *object,
                   const struct snapshot_field *fields, size_t count)
{
    enum { OBJECTS = 100 };
    if (object >= build->snapshot->objects + OBJECTS)
        return;
    object->layouts = build_array(build, LAYOUTS, sizeof *object->layouts);
    for (size_t i = 0, next; object->layouts && i < count; i = next) {
        struct layout_build drawing;
        struct snapshot_layout layout;
        for (next = i; next < count && fields[next].type_id == fields[i].type_id; next++)
            continue;
        if (!layout_begin(build, object, fields + i, next - i, &drawing, &layout))
            continue;
        layout_draw_rows(&drawing, object->id);
        KEEP(object->layouts, &object->layout_count, LAYOUTS, &layout,
             LARGEST(struct snapshot_layout, samples));
    }
}
