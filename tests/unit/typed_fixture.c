/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "typed_fixture.h"

#include <math.h>
#include <string.h>

enum { LINE_BYTES = 64, PARTICLE = 1, ORDER, NODE, EDGE };

struct row {
    enum layout_row_kind kind;
    uint16_t depth;
    const char *name;
    const char *type;
    uint64_t offset;
    uint64_t size;
    double share;
    uint8_t member_kind;
    uint8_t bit_offset;
    uint8_t bit_size;
    uint64_t count;
};

static const struct row particle[] = {
    {LAYOUT_MEMBER, 0, "pos", "double [3]", 0, 24, 0.12, 0, 0, 0, 3},
    {LAYOUT_MEMBER, 0, "vel", "struct vec3", 24, 24, 0.66, 0, 0, 0, 0},
    {LAYOUT_MEMBER, 1, "x", "double", 24, 8, 0.03, 0, 0, 0, 0},
    {LAYOUT_MEMBER, 1, "y", "double", 32, 8, 0.63, 0, 0, 0, 0},
    {LAYOUT_MEMBER, 1, "z", "double", 40, 8, 0, 0, 0, 0, 0},
    {LAYOUT_MEMBER, 0, "mass", "double", 48, 8, 0.2, 0, 0, 0, 0},
    {LAYOUT_MEMBER, 0, "id", "uint32_t", 56, 4, 0.02, 0, 0, 0, 0},
    {LAYOUT_MEMBER, 0, "alive", "unsigned int", 60, 4, 0, 0, 0, 1, 0},
    {LAYOUT_MEMBER, 0, "kind", "unsigned int", 60, 4, 0, 0, 1, 3, 0},
};

static const struct row order[] = {
    {LAYOUT_MEMBER, 0, "", "order_book::entry", 0, 16, 0.1, MEMBER_BASE, 0, 0, 0},
    {LAYOUT_MEMBER, 1, "", "int (**)(void)", 0, 8, 0.1, MEMBER_VTABLE, 0, 0, 0},
    {LAYOUT_MEMBER, 1, "tag", "char", 8, 1, 0, 0, 0, 0, 0},
    {LAYOUT_HOLE, 1, "", NULL, 9, 7, 0, 0, 0, 0, 0},
    {LAYOUT_MEMBER, 0, "", "union", 16, 32, 0.05, 0, 0, 0, 0},
    {LAYOUT_MEMBER, 1, "limit", "struct limit", 16, 32, 0.05, 0, 0, 0, 0},
    {LAYOUT_MEMBER, 2, "price", "double", 16, 8, 0.05, 0, 0, 0, 0},
    {LAYOUT_MEMBER, 2, "name", "char [24]", 24, 24, 0, 0, 0, 0, 24},
    {LAYOUT_MEMBER, 1, "id", "uint64_t", 16, 8, 0, 0, 0, 0, 0},
    {LAYOUT_MEMBER, 0, "split", "long double", 56, 16, 0.25, 0, 0, 0, 0},
    {LAYOUT_MEMBER, 0, "history", "struct tick [20]", 72, 480, 0.2, 0, 0, 0, 20},
    {LAYOUT_MEMBER, 1, "at", "uint64_t", 72, 8, 0.15, 0, 0, 0, 0},
    {LAYOUT_MEMBER, 1, "price", "double", 80, 8, 0.05, 0, 0, 0, 0},
    {LAYOUT_MEMBER, 1, "by", "struct trader *", 88, 8, 0, 0, 0, 0, 0},
    {LAYOUT_MEMBER, 0, "next", "struct order *", 552, 8, 0.4, 0, 0, 0, 0},
    {LAYOUT_MEMBER, 0, "last", "char", 560, 1, 0, 0, 0, 0, 0},
    {LAYOUT_PADDING, 0, "", NULL, 561, 15, 0, 0, 0, 0, 0},
};

static const struct row node[] = {
    {LAYOUT_MEMBER, 0, "next", "struct node *", 0, 8, 0.9, 0, 0, 0, 0},
    {LAYOUT_MEMBER, 0, "value", "int", 8, 4, 0.1, 0, 0, 0, 0},
    {LAYOUT_PADDING, 0, "", NULL, 12, 4, 0, 0, 0, 0, 0},
};

static const struct row edge[] = {
    {LAYOUT_MEMBER, 0, "from", "struct node *", 0, 8, 0.5, 0, 0, 0, 0},
    {LAYOUT_MEMBER, 0, "to", "struct node *", 8, 8, 0.5, 0, 0, 0, 0},
};

#define ROWS(list) list, sizeof list / sizeof *list
static const struct made {
    const char *object;
    const char *type; /* of the object */
    const char *name;
    uint32_t id;
    uint64_t size;
    const struct row *rows;
    size_t row_count;
    uint32_t phase;
    double share;
    uint32_t votes;
    uint32_t against;
    const char *reading;
} types[] = {
    {"particles", "struct particle [524288]", "struct particle", PARTICLE, 64, ROWS(particle), 16,
     1, 0, 0,
     "vel.y and mass, which take 83 % of the samples, lie on 2 cache lines; side by side they "
     "would need 1."},
    {"std::unordered_map<std::string, std::vector<order_book::price_level>>::instance_table",
     "struct order [1024]", "struct order", ORDER, 576, ROWS(order), 0, 1, 4312, 12,
     "next is fetched with 56 cold bytes; split straddles two lines."},
    {"[heap]", "struct node", "struct node", NODE, 16, ROWS(node), 0, 0.7, 900, 300, NULL},
    {"[heap]", "struct node", "struct edge", EDGE, 16, ROWS(edge), 0, 0.3, 0, 0, NULL},
};

static struct snapshot_object *find(struct snapshot *snapshot, const char *name)
{
    for (size_t i = 0; i < snapshot->object_count; i++)
        if (!strcmp(snapshot->objects[i].name, name))
            return &snapshot->objects[i];
    return NULL;
}

static void make_rows(struct arena *arena, struct snapshot_layout *layout, const struct made *made,
                      double samples)
{
    uint32_t index = 0;
    layout->row_count = made->row_count;
    layout->rows = arena_array(arena, made->row_count, sizeof *layout->rows);
    for (size_t i = 0; i < made->row_count; i++) {
        const struct row *row = &made->rows[i];
        layout->rows[i] = (struct snapshot_layout_row){
            .kind = row->kind,
            .member = {.name = row->name,
                       .type = row->type,
                       .offset = row->offset,
                       .size = row->size,
                       .count = row->count,
                       .stride = row->count ? (uint32_t)(row->size / row->count) : 0,
                       .depth = row->depth,
                       .kind = row->member_kind,
                       .bit_offset = row->bit_offset,
                       .bit_size = row->bit_size},
            .index = row->kind == LAYOUT_MEMBER ? index++ : TYPE_NO_MEMBER,
            .has_members = i + 1 < made->row_count && made->rows[i + 1].depth > row->depth,
            .samples = floor(samples * row->share),
            .share = row->share,
            .loads = floor(samples * row->share * 0.9),
            .stores = floor(samples * row->share) - floor(samples * row->share * 0.9),
            .line = (uint32_t)((made->phase + row->offset) / LINE_BYTES)};
    }
}

/* Each line's share and bytes from the rows without members of their own. */
static void make_lines(struct arena *arena, struct snapshot_layout *layout)
{
    layout->line_count = (layout->phase + layout->size + LINE_BYTES - 1) / LINE_BYTES;
    layout->lines = arena_array(arena, layout->line_count, sizeof *layout->lines);
    for (size_t i = 0; i < layout->line_count; i++) {
        struct snapshot_layout_line *line = &layout->lines[i];
        line->start = i ? i * LINE_BYTES - layout->phase : 0;
        line->end = (i + 1) * LINE_BYTES - layout->phase;
        if (line->end > layout->size)
            line->end = layout->size;
        for (size_t k = 0; k < layout->row_count; k++) {
            const struct snapshot_layout_row *row = &layout->rows[k];
            if (row->has_members || row->line != i || !(row->samples > 0))
                continue;
            line->share += row->share;
            line->used += (uint32_t)(row->member.count ? row->member.stride : row->member.size);
        }
        line->cold = (uint32_t)(line->end - line->start) - line->used;
    }
}

static void add_layout(struct arena *arena, struct snapshot_object *object, const struct made *made)
{
    struct snapshot_layout *layouts = arena_array(arena, object->layout_count + 1, sizeof *layouts);
    if (object->layout_count)
        memcpy(layouts, object->layouts, object->layout_count * sizeof *layouts);
    object->layouts = layouts;
    struct snapshot_layout *layout = &layouts[object->layout_count++];
    *layout = (struct snapshot_layout){.type = made->id,
                                       .name = made->name,
                                       .size = made->size,
                                       .samples = floor(object->samples * made->share),
                                       .share = made->share,
                                       .phase = made->phase,
                                       .phase_share = 0.93,
                                       .phases = 4,
                                       .straddling = made->id == ORDER ? 0.124 : NAN,
                                       .hot_span = 2,
                                       .hot_lines = 1,
                                       .reading = made->reading};
    make_rows(arena, layout, made, layout->samples);
    make_lines(arena, layout);
}

/* The rows that are hit, as the fields of the object. */
static void name_fields(struct arena *arena, struct snapshot_object *object)
{
    const struct snapshot_layout *layout = object->layouts;
    object->fields = arena_array(arena, layout->row_count, sizeof *object->fields);
    object->field_count = 0;
    for (double before = 2, next = 0; next >= 0; before = next) {
        next = -1;
        for (size_t i = 0; i < layout->row_count; i++)
            if (!layout->rows[i].has_members && layout->rows[i].share > 0 &&
                layout->rows[i].share < before && layout->rows[i].share > next)
                next = layout->rows[i].share;
        for (size_t i = 0; next > 0 && i < layout->row_count; i++) {
            const struct snapshot_layout_row *row = &layout->rows[i];
            if (row->has_members || row->share != next)
                continue;
            const char *inner = row->member.depth && layout->type == PARTICLE ? "vel." : "";
            object->fields[object->field_count++] = (struct snapshot_field){
                .name = arena_printf(arena, "%s.%s%s", strrchr(layout->name, ' ') + 1, inner,
                                     *row->member.name ? row->member.name : "vtable"),
                .type = row->member.type,
                .type_id = layout->type,
                .member = row->index,
                .offset = row->member.offset,
                .size = 8,
                .samples = row->samples,
                .share = row->share,
                .loads = row->loads,
                .stores = row->stores};
        }
    }
}

static void type_objects(struct arena *arena, struct snapshot *snapshot)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        struct snapshot_object *object = find(snapshot, types[i].object);
        if (!object)
            continue;
        if (!object->layout_count) {
            object->type = types[i].type;
            object->type_votes = types[i].votes;
            object->type_against = types[i].against;
            object->typed[TYPED_AGREED] = floor(object->samples * 0.7);
            object->typed[TYPED_DISAGREED] = types[i].against ? floor(object->samples * 0.04) : 0;
            object->typed[TYPED_CODE] =
                object->samples - object->typed[TYPED_AGREED] - object->typed[TYPED_DISAGREED];
        }
        add_layout(arena, object, &types[i]);
    }
    for (size_t i = 0; i < snapshot->object_count; i++)
        if (snapshot->objects[i].layout_count)
            name_fields(arena, &snapshot->objects[i]);
}

static uint32_t index_of(const struct snapshot *snapshot, const char *name)
{
    for (uint32_t i = 0; i < snapshot->object_count; i++)
        if (!strcmp(snapshot->objects[i].name, name))
            return i;
    return UINT32_MAX;
}

/* Of the first function; the last one was inlined there from a header. */
static void add_instructions(struct arena *arena, struct snapshot *snapshot, bool lines)
{
    static const struct {
        uint64_t address;
        const char *file;
        uint32_t line;
        const char *inlined;
        double share;
        const char *object;
        const char *field;
        uint32_t type_id;
        uint32_t member;
    } made[] = {
        {0x401000, "/build/demo/src/demo.c", 74, NULL, 0.1, "particles", "particle.mass", PARTICLE,
         5},
        {0x401004, "/build/demo/src/demo.c", 75, NULL, 0.6, "particles", "particle.vel.y", PARTICLE,
         3},
        {0x401009, "/build/demo/src/demo.c", 75, NULL, 0.15, "particles", "particle.vel.x",
         PARTICLE, 2},
        {0x401011, "/build/demo/src/demo.c", 92, NULL, 0.05, "[heap]", "node.next", NODE, 0},
        {0x401016, "/build/demo/include/clamp.h", 12, "min < clamp", 0.08, "grid", NULL, 0,
         TYPE_NO_MEMBER},
        {0x40101c, NULL, 0, NULL, 0.02, NULL, NULL, 0, TYPE_NO_MEMBER},
    };
    enum { COUNT = sizeof made / sizeof *made };
    struct snapshot_code *code = &snapshot->code[0];
    code->instructions = arena_array(arena, COUNT, sizeof *code->instructions);
    code->instruction_count = COUNT;
    for (size_t i = 0; i < COUNT; i++)
        code->instructions[i] = (struct snapshot_instruction){
            .address = made[i].address,
            .file = lines ? made[i].file : NULL,
            .line = lines ? made[i].line : 0,
            .inlined = lines ? made[i].inlined : NULL,
            .samples = floor(code->samples * made[i].share),
            .share = made[i].share,
            .loads = floor(code->samples * made[i].share),
            .object = made[i].object ? index_of(snapshot, made[i].object) : UINT32_MAX,
            .object_share = made[i].object ? 0.97 : NAN,
            .objects = made[i].object ? 2 : 0,
            .field = lines ? made[i].field : NULL,
            .type_id = lines ? made[i].type_id : 0,
            .member = lines ? made[i].member : TYPE_NO_MEMBER,
            .offset = lines && made[i].type_id == PARTICLE ? particle[made[i].member].offset : 0};
}

void typed_fixture_types(struct arena *arena, struct snapshot *snapshot)
{
    type_objects(arena, snapshot);
    add_instructions(arena, snapshot, true);
    snapshot->code[0].file = "/build/demo/src/demo.c";
    snapshot->totals.typed[TYPED_CODE] = 21000;
    snapshot->totals.typed[TYPED_DATA] = 4000;
    snapshot->totals.typed[TYPED_AGREED] = 9800;
    snapshot->totals.typed[TYPED_DISAGREED] = 300;
    snapshot->totals.typed[TYPED_NOT] = 7200;
    snapshot->totals.untyped[UNTYPED_WAITING] = 200;
    snapshot->totals.untyped[UNTYPED_NO_DEBUG] = 5000;
    snapshot->totals.untyped[UNTYPED_NO_VARIABLE] = 2000;
    snapshot->reading = (struct reading_state){.waiting = 120,
                                               .processes = 1,
                                               .resident_bytes = 80 << 20,
                                               .busy_with = "libmatching.so.4"};
}

void typed_fixture_inferred(struct arena *arena, struct snapshot *snapshot)
{
    for (size_t i = 0; i < snapshot->object_count; i++) {
        struct snapshot_object *object = &snapshot->objects[i];
        for (size_t k = 0; k < object->field_count; k++)
            object->fields[k].member = TYPE_NO_MEMBER;
        if (!object->element_size)
            continue;
        object->layout_count = 1;
        object->layouts = arena_array(arena, 1, sizeof *object->layouts);
        struct snapshot_layout *layout = object->layouts;
        *layout = (struct snapshot_layout){.name = "",
                                           .size = object->element_size,
                                           .inferred = true,
                                           .samples = object->samples,
                                           .share = 1,
                                           .phase_share = NAN,
                                           .straddling = NAN,
                                           .row_count = 0};
        layout->rows = arena_array(arena, object->field_count, sizeof *layout->rows);
        for (uint64_t offset = 0; offset < object->element_size; offset++)
            for (size_t k = 0; k < object->field_count; k++) {
                const struct snapshot_field *field = &object->fields[k];
                if (field->offset == offset)
                    layout->rows[layout->row_count++] = (struct snapshot_layout_row){
                        .kind = LAYOUT_UNKNOWN,
                        .member = {.name = "", .offset = offset, .size = 8},
                        .index = TYPE_NO_MEMBER,
                        .samples = field->samples,
                        .share = field->share,
                        .loads = field->loads,
                        .stores = field->stores};
            }
    }
    add_instructions(arena, snapshot, false);
}
