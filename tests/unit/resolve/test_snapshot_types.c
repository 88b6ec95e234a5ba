/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Members, layouts and instructions in snapshots, from places as the resolver returns them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "profile/profile.h"
#include "resolve/members.h"
#include "unit.h"
#include "unit/resolve/small_types.h"
#include "unit/names.h"

enum {
    NONE,
    PARTICLE,
    NODE,
    MESSAGE,
    CHOICE,
    CELLS,
    OTHER,
    LISTED,
    MANY = 100,
    NUMBER,
    TREE,
    LIST
};
enum { BASE = 0x100000 };

static const struct type_desc *const listed[LISTED] = {
    NULL, &small_particle, &small_node, &small_message, &small_choice, &small_cells, &small_other};

/* Two types that begin with a struct node. */
static const struct type_member derived_members[] = {
    {.name = "node", .type = "struct node", .size = 16, .parent = TYPE_NO_MEMBER},
    {.name = "next", .type = "struct node *", .size = 8, .depth = 1},
    {.name = "value", .type = "int", .offset = 8, .size = 4, .depth = 1},
    {.name = "price", .type = "double", .offset = 16, .size = 8, .parent = TYPE_NO_MEMBER}};
static const struct type_desc derived[] = {{.name = "struct tree",
                                            .kind = TYPE_STRUCT,
                                            .size = 24,
                                            .members = derived_members,
                                            .member_count = 4},
                                           {.name = "struct list",
                                            .kind = TYPE_STRUCT,
                                            .size = 24,
                                            .members = derived_members,
                                            .member_count = 4}};

static uint32_t declared; /* type of all objects */
static uint32_t voted;    /* accesses that agree; 0: the type is declared */
static uint32_t by_code;  /* type of a number that the code reads */
static enum object_kind kind;
static bool alone;   /* each instance has one element */
static bool managed; /* types are of a language runtime */
static bool parts;   /* objects from 2 on are shown under object 1 */
static struct profile *profile;
static uint64_t now_ns;

static bool fake_object(void *context, uint32_t object, struct object_desc *desc)
{
    (void)context;
    *desc = (struct object_desc){.name = "thing",
                                 .module = "m",
                                 .kind = kind,
                                 .size_bytes = alone ? 64 : 960000,
                                 .type_id = declared,
                                 .type_votes = voted,
                                 .part_of = parts && object > 1 ? 1 : 0,
                                 .address = object * UINT64_C(0x100000)};
    return true;
}

static bool fake_function(void *context, uint32_t function, struct function_desc *desc)
{
    (void)context;
    *desc =
        (struct function_desc){.name = function == 1 ? "one" : "two", .module = "m", .file = ""};
    return true;
}

/* Higher ids are copies of the listed types, to get many types. */
static bool fake_type(void *context, uint32_t type, struct type_desc *desc)
{
    (void)context;
    if (type == NUMBER)
        *desc = small_double;
    if (type == TREE || type == LIST)
        *desc = derived[type == LIST];
    if (!type || type > MANY)
        return type >= NUMBER && type <= LIST;
    *desc = *listed[1 + (type - 1) % (LISTED - 1)];
    desc->managed = managed;
    return true;
}

static bool fake_instruction(void *context, uint64_t address, struct instruction_desc *desc)
{
    (void)context;
    *desc = (struct instruction_desc){.file = "a.c", .line = (uint32_t)(address % 1000)};
    if (address == 0x1004)
        desc->inlined = "min < clamp";
    return address < 0x2000;
}

static void start_with(double half_life_s)
{
    static const struct fake_names answers = {.object = fake_object,
                                              .function = fake_function,
                                              .type = fake_type,
                                              .instruction = fake_instruction};
    struct profile_options options = {.names = FAKE_NAMES(&answers),
                                      .half_life_s = half_life_s,
                                      .ways = 10,
                                      .event_count = 1,
                                      .window_entries = 4096};
    assert_int_equal(geometry_parse(&options.geometry, "L1=32K,8,64", "/", NULL), 0);
    assert_int_equal(profile_new(&profile, &options, NULL), 0);
    declared = voted = by_code = 0;
    managed = false;
    kind = OBJECT_GLOBAL;
    now_ns = 1;
}

static int start(void **state)
{
    (void)state;
    start_with(0);
    return 0;
}

static int end(void **state)
{
    (void)state;
    profile_free(profile);
    return 0;
}

static struct place at(uint64_t base, uint32_t type, uint64_t element, uint32_t offset,
                       unsigned size)
{
    uint64_t stride = listed[type] ? listed[type]->size : 0;
    struct place place = {.object = 1,
                          .function = 1,
                          .base = base,
                          .size_bytes = 100 * stride,
                          .type = type,
                          .type_offset = offset,
                          .by_member = type != NONE,
                          .typed = type ? TYPED_CODE : TYPED_NONE};
    place.access = (struct access){.ip = 0x1000,
                                   .weight = 1,
                                   .tid = 1,
                                   .kind = ACCESS_LOAD,
                                   .size = (uint8_t)size,
                                   .address = base + element * stride + offset};
    return place;
}

static void add(struct place place, int times)
{
    while (times--) {
        place.access.time_ns = ++now_ns;
        profile_add(profile, &place);
    }
}

static const struct snapshot *take_snapshot(void)
{
    struct snapshot head = {.iteration = 1};
    const struct snapshot *snapshot = profile_snapshot(profile, &head, now_ns);
    assert_non_null(snapshot);
    return snapshot;
}

static const struct snapshot_field *field_named(const struct snapshot_object *object,
                                                const char *name)
{
    const struct snapshot_field *found = NULL;
    for (size_t i = 0; i < object->field_count; i++)
        if (!strcmp(object->fields[i].name, name)) {
            assert_null(found); /* only once */
            found = &object->fields[i];
        }
    if (!found)
        fail_msg("object has no field %s", name);
    return found;
}

static void each_member_is_one_row(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 50; i++)
        add(at(BASE, PARTICLE, i, 32, 8), 2);
    struct place store = at(BASE, PARTICLE, 7, 48, 8);
    store.access.kind = ACCESS_STORE;
    add(store, 30);
    add(at(BASE, PARTICLE, 8, 52, 4), 10); /* second half of mass */
    add(at(BASE, PARTICLE, 3, 61, 1), 5);  /* kind is in its second byte, alive in its first */
    add(at(BASE, PARTICLE, 3, 60, 1), 4);
    const struct snapshot *snapshot = take_snapshot();
    const struct snapshot_object *object = &snapshot->objects[0];
    assert_int_equal(object->field_count, 4);
    const struct snapshot_field *field = field_named(object, "particle.vel.y");
    assert_true(field == &object->fields[0]);
    assert_true(field->samples == 100 && field->loads == 100 && field->stores == 0);
    assert_int_equal(field->offset, 32);
    assert_int_equal(field->type_id, PARTICLE);
    assert_string_equal(field->type, "double");
    field = field_named(object, "particle.mass");
    assert_true(field->samples == 40 && field->loads == 10 && field->stores == 30);
    assert_int_equal(field->member, 8);
    assert_true(field_named(object, "particle.kind")->samples == 5);
    assert_true(field_named(object, "particle.alive")->samples == 4);
    assert_true(fabs(field->share - 40.0 / 149) < 1e-12);
    snapshot_free(snapshot);
}

/* Accesses from before the object's type was known are counted by offset. */
static void counts_before_the_type_are_merged(void **state)
{
    (void)state;
    struct place untyped = at(BASE, PARTICLE, 5, 32, 8);
    untyped.type = 0;
    untyped.by_member = false;
    add(untyped, 20);
    add(at(BASE, PARTICLE, 6, 32, 8), 30);
    declared = PARTICLE;
    const struct snapshot *snapshot = take_snapshot();
    assert_int_equal(snapshot->objects[0].field_count, 1);
    assert_true(field_named(&snapshot->objects[0], "particle.vel.y")->samples == 50);
    assert_int_equal(snapshot->objects[0].layout_count, 1);
    assert_true(snapshot->objects[0].layouts[0].samples == 50);
    snapshot_free(snapshot);
}

static void nested_array_is_one_row(void **state)
{
    (void)state;
    add(at(BASE, CELLS, 1, 32 + 8, 8), 10);
    add(at(BASE, CELLS, 2, 32 + 24 + 8, 8), 20);
    add(at(BASE, CELLS, 3, 84, 1), 1); /* a hole */
    for (uint32_t i = 0; i < 4; i++)   /* alternating between the members of a union */
        add(at(BASE, CELLS, i, i * 8, i % 2 ? 4 : 8), 3);
    const struct snapshot *snapshot = take_snapshot();
    const struct snapshot_object *object = &snapshot->objects[0];
    assert_true(field_named(object, "cells.vecs[*].y")->samples == 30);
    assert_true(field_named(object, "cells.cells[*].whole")->samples == 6);
    assert_true(field_named(object, "cells.cells[*].pair.low")->samples == 6);
    assert_true(field_named(object, "cells+84")->samples == 1);
    assert_int_equal(object->field_count, 4);
    snapshot_free(snapshot);
}

/* Layouts */

struct drawn {
    enum layout_row_kind kind;
    uint16_t depth;
    uint64_t offset;
    uint64_t size;
    const char *name;
};

static void expect_rows(const struct snapshot_layout *layout, const struct drawn *rows,
                        size_t count)
{
    assert_int_equal(layout->row_count, count);
    for (size_t i = 0; i < count; i++) {
        const struct snapshot_layout_row *row = &layout->rows[i];
        assert_int_equal(row->kind, rows[i].kind);
        assert_int_equal(row->member.depth, rows[i].depth);
        assert_int_equal(row->member.offset, rows[i].offset);
        assert_int_equal(row->member.size, rows[i].size);
        assert_string_equal(row->member.name, rows[i].name);
    }
}

static void check_layout_rows(uint32_t type, uint64_t phase, const struct drawn *rows, size_t count)
{
    profile_free(profile);
    start_with(0);
    add(at(BASE + phase, type, 0, 0, 4), 20);
    const struct snapshot *snapshot = take_snapshot();
    assert_int_equal(snapshot->objects[0].layout_count, 1);
    expect_rows(&snapshot->objects[0].layouts[0], rows, count);
    snapshot_free(snapshot);
}

static void layout_rows_cover_every_byte(void **state)
{
    (void)state;
#define PICTURE(TYPE, ...)                                                                         \
    do {                                                                                           \
        static const struct drawn rows[] = {__VA_ARGS__};                                          \
        check_layout_rows(TYPE, 0, rows, sizeof rows / sizeof *rows);                              \
    } while (0)
    PICTURE(NODE, {LAYOUT_MEMBER, 0, 0, 8, "next"}, {LAYOUT_MEMBER, 0, 8, 4, "value"},
            {LAYOUT_PADDING, 0, 12, 4, ""});
    PICTURE(CHOICE, {LAYOUT_MEMBER, 0, 0, 4, "tag"}, {LAYOUT_HOLE, 0, 4, 4, ""},
            {LAYOUT_MEMBER, 0, 8, 8, ""}, {LAYOUT_MEMBER, 1, 8, 8, "whole"},
            {LAYOUT_MEMBER, 1, 8, 8, "pair"}, {LAYOUT_MEMBER, 2, 8, 4, "low"},
            {LAYOUT_MEMBER, 2, 12, 4, "high"}, {LAYOUT_MEMBER, 0, 16, 8, "values"});
    PICTURE(CELLS, {LAYOUT_MEMBER, 0, 0, 32, "cells"}, {LAYOUT_MEMBER, 1, 0, 8, "whole"},
            {LAYOUT_MEMBER, 1, 0, 8, "pair"}, {LAYOUT_MEMBER, 2, 0, 4, "low"},
            {LAYOUT_MEMBER, 2, 4, 4, "high"}, {LAYOUT_MEMBER, 0, 32, 48, "vecs"},
            {LAYOUT_MEMBER, 1, 32, 8, "x"}, {LAYOUT_MEMBER, 1, 40, 8, "y"},
            {LAYOUT_MEMBER, 1, 48, 8, "z"}, {LAYOUT_MEMBER, 0, 80, 4, "n"},
            {LAYOUT_HOLE, 0, 84, 4, ""}, {LAYOUT_MEMBER, 0, 88, 8, "last"});
    PICTURE(MESSAGE, {LAYOUT_MEMBER, 0, 0, 4, "length"}, {LAYOUT_HOLE, 0, 4, 4, ""},
            {LAYOUT_MEMBER, 0, 8, 8, "body"}, {LAYOUT_MEMBER, 0, 16, 0, "tail"},
            {LAYOUT_MEMBER, 1, 16, 8, "x"}, {LAYOUT_MEMBER, 1, 24, 8, "y"},
            {LAYOUT_MEMBER, 1, 32, 8, "z"});
}

static const struct snapshot_layout_row *row_named(const struct snapshot_layout *layout,
                                                   const char *name, uint64_t offset)
{
    for (size_t i = 0; i < layout->row_count; i++)
        if (!strcmp(layout->rows[i].member.name, name) && layout->rows[i].member.offset == offset)
            return &layout->rows[i];
    fail_msg("layout has no row %s", name);
    return NULL;
}

static void layout_row_samples_add_up(void **state)
{
    (void)state;
    struct place store = at(BASE, PARTICLE, 2, 24, 8);
    store.access.kind = ACCESS_STORE;
    add(store, 10);
    add(at(BASE, PARTICLE, 1, 32, 8), 30);
    add(at(BASE, PARTICLE, 4, 48, 8), 60);
    const struct snapshot *snapshot = take_snapshot();
    const struct snapshot_layout *layout = &snapshot->objects[0].layouts[0];
    const struct snapshot_layout_row *row = row_named(layout, "vel", 24);
    assert_true(row->has_members && row->samples == 40 && row->loads == 30 && row->stores == 10);
    assert_true(row_named(layout, "y", 32)->samples == 30);
    assert_true(row_named(layout, "pos", 0)->samples == 0);
    row = row_named(layout, "mass", 48);
    assert_true(row->samples == 60 && fabs(row->share - 0.6) < 1e-12 && !row->has_members);
    assert_int_equal(row->index, 8);
    snapshot_free(snapshot);
}

/* Elements begin 16 bytes into a line: the second line has 16 bytes of each. */
static void layout_lines_follow_the_actual_phase(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 60; i++)
        add(at(BASE + 16, PARTICLE, i, 32, 8), 1);
    for (uint64_t i = 0; i < 30; i++)
        add(at(BASE + 16, PARTICLE, i, 48, 8), 1);
    for (uint64_t i = 0; i < 10; i++)
        add(at(BASE + 16, PARTICLE, i, 40, 16), 1); /* 8 bytes before the end of the line */
    const struct snapshot *snapshot = take_snapshot();
    const struct snapshot_layout *layout = &snapshot->objects[0].layouts[0];
    assert_int_equal(layout->phase, 16);
    assert_int_equal(layout->phases, 1);
    assert_true(layout->phase_share == 1);
    assert_true(fabs(layout->straddling - 0.1) < 1e-12);
    assert_int_equal(layout->line_count, 2);
    assert_true(layout->lines[0].start == 0 && layout->lines[0].end == 48);
    assert_true(layout->lines[1].start == 48 && layout->lines[1].end == 64);
    assert_int_equal(layout->lines[0].used, 16); /* vel.y, vel.z */
    assert_int_equal(layout->lines[0].cold, 32);
    assert_int_equal(layout->lines[1].used, 8);
    assert_int_equal(layout->lines[1].cold, 8);
    assert_true(fabs(layout->lines[0].share - 0.7) < 1e-12);
    assert_true(fabs(layout->lines[1].share - 0.3) < 1e-12);
    assert_int_equal(row_named(layout, "y", 32)->line, 0);
    assert_int_equal(row_named(layout, "mass", 48)->line, 1);
    assert_int_equal(layout->hot_span, 2);
    assert_int_equal(layout->hot_lines, 1);
    /* Each line contains 64 bytes of two elements, and 24 of them are used. */
    assert_int_equal(layout->reading, LAYOUT_SPREAD);
    assert_true(fabs(layout->unused - 0.625) < 1e-12 && !layout->unused_is_lower_bound);
    snapshot_free(snapshot);
}

/* The member is chosen by the size of the accesses, like the field. */
static void union_member_of_instruction_is_chosen_by_size(void **state)
{
    (void)state;
    declared = CHOICE;
    for (uint64_t i = 0; i < 20; i++)
        add(at(BASE, CHOICE, i, 12, 4), 1);
    const struct snapshot *snapshot = take_snapshot();
    assert_string_equal(snapshot->objects[0].fields[0].name, "choice.pair.high");
    assert_string_equal(snapshot->code[0].instructions[0].field, "choice.pair.high");
    snapshot_free(snapshot);
}

/* Blocks without a name of their own: together they are the object of an instruction. */
static void blocks_in_one_row_are_one_instruction_object(void **state)
{
    (void)state;
    declared = PARTICLE;
    parts = true;
    struct place place = at(BASE, PARTICLE, 0, 32, 8);
    place.object = 2;
    place.type = 0;
    place.by_member = false;
    add(place, 3); /* debug information not available yet */
    for (uint32_t i = 0; i < 20; i++) {
        place = at(BASE + 128 * i, PARTICLE, 0, 32, 8);
        place.object = 3 + i;
        add(place, 1);
    }
    const struct snapshot *snapshot = take_snapshot();
    const struct snapshot_instruction *row = &snapshot->code[0].instructions[0];
    assert_string_equal(row->field, "particle.vel.y");
    assert_true(fabs(row->object_share - 1) < 1e-12);
    assert_int_equal(row->objects, 1);
    snapshot_free(snapshot);
    parts = false;
}

/* The data that shares cache lines with a single instance is not known. */
static void unused_bytes_of_single_instances_are_a_minimum(void **state)
{
    (void)state;
    kind = OBJECT_HEAP;
    alone = true;
    for (uint64_t i = 0; i < 60; i++)
        add(at(BASE + 16 + i * 128, PARTICLE, 0, 0, 8), 1);
    const struct snapshot *snapshot = take_snapshot();
    const struct snapshot_layout *layout = &snapshot->objects[0].layouts[0];
    assert_int_equal(layout->phase, 16);
    assert_int_equal(layout->reading, LAYOUT_UNUSED);
    assert_true(fabs(layout->unused - 0.625) < 1e-12 && layout->unused_is_lower_bound);
    snapshot_free(snapshot);
    alone = false;
}

/* Members of two types with the same name share one row. */
static void members_of_same_named_types_are_merged(void **state)
{
    (void)state;
    enum { SAME = PARTICLE + LISTED - 1 };
    struct place place = at(BASE, PARTICLE, 0, 48, 8);
    kind = OBJECT_HEAP;
    add(place, 3);
    place.type = SAME;
    add(place, 2);
    const struct snapshot *snapshot = take_snapshot();
    assert_int_equal(snapshot->objects[0].field_count, 1);
    assert_string_equal(snapshot->objects[0].fields[0].name, "particle.mass");
    assert_float_equal(snapshot->objects[0].fields[0].samples, 5, 1e-6);
    assert_float_equal(snapshot->objects[0].fields[0].loads, 5, 1e-6);
    snapshot_free(snapshot);
}

/* Four nodes per line: all phases are equally frequent. */
static void small_elements_have_several_phases(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 40; i++)
        add(at(BASE, NODE, i, 0, 8), 1);
    add(at(BASE, NODE, 1, 0, 8), 1);
    const struct snapshot *snapshot = take_snapshot();
    const struct snapshot_layout *layout = &snapshot->objects[0].layouts[0];
    assert_int_equal(layout->phases, 4);
    assert_int_equal(layout->phase, 16);
    assert_true(fabs(layout->phase_share - 11.0 / 41) < 1e-12);
    assert_true(layout->straddling == 0);
    assert_int_equal(layout->line_count, 1);
    assert_int_equal(layout->reading, LAYOUT_UNUSED);
    assert_true(fabs(layout->unused - 0.5) < 1e-12); /* of each line */
    snapshot_free(snapshot);
    managed = true;
    snapshot = take_snapshot();
    assert_int_equal(snapshot->objects[0].layouts[0].reading, LAYOUT_MANAGED);
    snapshot_free(snapshot);
}

static void few_samples_give_no_phase(void **state)
{
    (void)state;
    add(at(BASE, NODE, 1, 0, 8), 5);
    const struct snapshot *snapshot = take_snapshot();
    const struct snapshot_layout *layout = &snapshot->objects[0].layouts[0];
    assert_true(isnan(layout->phase_share) && isnan(layout->straddling));
    assert_int_equal(layout->reading, LAYOUT_TOO_FEW);
    snapshot_free(snapshot);
}

/* Adds elements of 48 bytes with misses at two offsets, three times and once. */
static void add_elements(void)
{
    uint64_t random = 12345;
    for (int i = 0; i < 4000; i++) {
        struct place place = at(BASE, NONE, 0, 0, 8);
        random = random * 6364136223846793005u + 1442695040888963407u;
        place.access.address += (random >> 40) % 20000 * 48 + (i % 4 ? 40 : 8);
        place.size_bytes = 960000;
        place.type = by_code;
        place.typed = by_code ? TYPED_CODE : TYPED_NONE;
        add(place, 1);
        if (i == 2000)
            snapshot_free(take_snapshot());
    }
}

/* Without debug information, element and offsets are inferred from the samples. */
static void layouts_are_inferred_without_debug_info(void **state)
{
    (void)state;
    add_elements();
    const struct snapshot *snapshot = take_snapshot();
    const struct snapshot_object *object = &snapshot->objects[0];
    assert_int_equal(object->element_size, 48);
    assert_int_equal(object->layout_count, 1);
    const struct snapshot_layout *layout = &object->layouts[0];
    assert_true(layout->inferred && layout->size == 48 && layout->type == 0);
    assert_int_equal(layout->row_count, 2);
    assert_int_equal(layout->rows[0].kind, LAYOUT_UNKNOWN);
    assert_int_equal(layout->rows[0].member.offset, 8);
    assert_int_equal(layout->rows[1].member.offset, 40);
    assert_string_equal(layout->rows[1].member.name, "+40");
    assert_true(layout->rows[0].samples == 1000 && layout->rows[1].samples == 3000);
    assert_int_equal(layout->phases, 4); /* 48 and 64 have the common divisor 16 */
    snapshot_free(snapshot);
}

/* A loop with steps over an array of numbers: the step is not an element, and the remainder of an
 * offset is not an index. */
static void stride_over_numbers_is_not_an_element(void **state)
{
    (void)state;
    for (int by_votes = 0; by_votes < 2; by_votes++) {
        voted = by_votes ? 4000 : 0;
        declared = NUMBER;
        add_elements();
        const struct snapshot *snapshot = take_snapshot();
        const struct snapshot_object *object = &snapshot->objects[0];
        assert_int_equal(object->element_size, 0);
        assert_int_equal(object->layout_count, 0);
        assert_true(object->field_count > 1 && object->fields[0].share < 0.05);
        snapshot_free(snapshot);
        profile_free(profile);
        start_with(0);
    }
}

/* A hot element is reported, even in a large array. */
static void hot_array_elements_are_reported(void **state)
{
    (void)state;
    declared = NUMBER;
    add_elements();
    struct place place = at(BASE, NONE, 0, 0, 8);
    place.access.address = BASE + 3 * 8;
    add(place, 4000);
    const struct snapshot *snapshot = take_snapshot();
    assert_true(fabs(field_named(&snapshot->objects[0], "[3]")->share - 0.5) < 0.01);
    snapshot_free(snapshot);
}

/* Numbers in an object without a known type, and memory that an allocator subdivides. */
static void numbers_and_allocator_memory_have_no_elements(void **state)
{
    static const enum object_kind dealt_out[] = {OBJECT_ANON, OBJECT_MAP, OBJECT_HEAP};
    (void)state;
    by_code = NUMBER;
    add_elements();
    const struct snapshot *snapshot = take_snapshot();
    assert_int_equal(snapshot->objects[0].element_size, 0);
    snapshot_free(snapshot);
    by_code = NONE;
    for (size_t i = 0; i < sizeof dealt_out / sizeof *dealt_out; i++) {
        profile_free(profile);
        start_with(0);
        kind = dealt_out[i];
        add_elements();
        snapshot = take_snapshot();
        assert_int_equal(snapshot->objects[0].element_size, 0);
        assert_int_equal(snapshot->objects[0].layout_count, 0);
        snapshot_free(snapshot);
    }
}

/* An access to any of several bit-fields must not count for the first one. */
static void ambiguous_bit_field_access_is_a_range(void **state)
{
    (void)state;
    add(at(BASE, PARTICLE, 0, 60, 4), 30); /* alive */
    struct place place = at(BASE, PARTICLE, 1, 60, 4);
    place.unit = 4;
    add(place, 50);
    add(at(BASE, PARTICLE, 2, 62, 1), 20); /* kind */
    const struct snapshot *snapshot = take_snapshot();
    const struct snapshot_object *object = &snapshot->objects[0];
    assert_int_equal(object->field_count, 3);
    assert_true(fabs(field_named(object, "particle.alive..kind")->share - 0.5) < 1e-9);
    assert_true(fabs(field_named(object, "particle.alive")->share - 0.3) < 1e-9);
    assert_true(fabs(field_named(object, "particle.kind")->share - 0.2) < 1e-9);
    snapshot_free(snapshot);
}

static void each_type_of_an_object_has_a_layout(void **state)
{
    (void)state;
    add(at(BASE, NODE, 0, 0, 8), 20);
    add(at(BASE, PARTICLE, 1, 48, 8), 70);
    add(at(BASE, CHOICE, 2, 0, 4), 8);
    add(at(BASE, OTHER, 3, 8, 8), 2); /* too few to be shown */
    const struct snapshot *snapshot = take_snapshot();
    const struct snapshot_object *object = &snapshot->objects[0];
    assert_int_equal(object->layout_count, 3);
    assert_string_equal(object->layouts[0].name, "struct particle");
    assert_string_equal(object->layouts[1].name, "struct node");
    assert_string_equal(object->layouts[2].name, "struct choice");
    assert_true(fabs(object->layouts[0].share - 0.7) < 1e-12);
    assert_int_equal(object->field_count, 4);
    snapshot_free(snapshot);
}

static struct place derived_at(uint32_t type, uint32_t offset)
{
    struct place place = at(BASE, NODE, 0, offset, 8);
    place.type = type;
    return place;
}

/* In memory with several types, as an arena. */
static void base_type_is_shown_in_its_only_derived_type(void **state)
{
    (void)state;
    kind = OBJECT_HEAP;
    add(at(BASE, NODE, 0, 0, 8), 40);
    add(derived_at(TREE, 0), 30);
    add(derived_at(TREE, 16), 20);
    add(at(BASE, OTHER, 3, 8, 8), 10);
    const struct snapshot *snapshot = take_snapshot();
    const struct snapshot_object *object = &snapshot->objects[0];
    assert_int_equal(object->field_count, 3);
    assert_string_equal(object->fields[0].name, "tree.node.next");
    assert_true(fabs(object->fields[0].share - 0.7) < 1e-12);
    assert_int_equal(object->layout_count, 2);
    snapshot_free(snapshot);
    add(derived_at(LIST, 16), 20); /* now the base may be part of either */
    snapshot = take_snapshot();
    assert_int_equal(snapshot->objects[0].field_count, 5);
    assert_non_null(field_named(&snapshot->objects[0], "node.next"));
    snapshot_free(snapshot);
}

static void fields_of_unknown_types_are_offsets(void **state)
{
    (void)state;
    struct place place = at(BASE, PARTICLE, 1, 48, 8);
    place.type = MANY + 5;
    add(place, 20);
    const struct snapshot *snapshot = take_snapshot();
    const struct snapshot_object *object = &snapshot->objects[0];
    assert_int_equal(object->field_count, 1);
    assert_string_equal(object->fields[0].name, "+48");
    assert_int_equal(object->fields[0].type_id, 0);
    assert_int_equal(object->layout_count, 0);
    snapshot_free(snapshot);
}

/* An offset past the end of the type, whatever its cause. */
static void out_of_range_member_offsets_are_harmless(void **state)
{
    (void)state;
    static const uint32_t offsets[] = {16, 63, 64, 65, 4096, 65535, 1u << 20, UINT32_MAX};
    for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++)
        for (uint32_t type = 1; type < LISTED; type++)
            add(at(BASE + 56, type, 0, offsets[i], 64), 20);
    const struct snapshot *snapshot = take_snapshot();
    assert_int_equal(snapshot->objects[0].layout_count, 4);
    snapshot_free(snapshot);
}

/* Code */

static void instructions_have_line_object_and_field(void **state)
{
    (void)state;
    struct place place = at(BASE, PARTICLE, 1, 32, 8);
    place.access.ip = 0x1004;
    add(place, 60);
    place.object = 2;
    place.base = 0x900000;
    place.type_offset = 48;
    add(place, 20);
    place = at(BASE, NONE, 0, 24, 8);
    place.access.ip = 0x1001;
    place.access.kind = ACCESS_STORE;
    add(place, 20);
    place.access.ip = 0x5000; /* in another function, no line known */
    place.function = 2;
    add(place, 10);
    const struct snapshot *snapshot = take_snapshot();
    assert_int_equal(snapshot->code_count, 2);
    const struct snapshot_code *code = &snapshot->code[0];
    assert_string_equal(code->function, "one");
    assert_int_equal(code->instruction_count, 2);
    const struct snapshot_instruction *first = &code->instructions[0];
    const struct snapshot_instruction *second = &code->instructions[1];
    assert_true(first->address == 0x1001 && second->address == 0x1004);
    assert_true(first->samples == 20 && first->stores == 20 && first->objects == 1);
    assert_null(first->field);
    assert_null(first->inlined);
    assert_int_equal(first->member, TYPE_NO_MEMBER);
    assert_int_equal(first->type_id, 0);
    assert_int_equal(first->line, 97);
    assert_true(second->samples == 80 && second->loads == 80 && second->objects == 2);
    assert_true(fabs(second->share - 0.8) < 1e-12);
    assert_true(fabs(second->object_share - 0.75) < 1e-12);
    assert_int_equal(snapshot->objects[second->object].id, 1);
    assert_string_equal(second->field, "particle.vel.y"); /* on this object */
    assert_string_equal(second->inlined, "min < clamp");
    assert_string_equal(second->file, "a.c");
    assert_int_equal(second->line, 0x1004 % 1000);
    code = &snapshot->code[1];
    assert_int_equal(code->instruction_count, 1);
    assert_null(code->instructions[0].file);
    assert_int_equal(code->instructions[0].line, 0);
    snapshot_free(snapshot);
}

static void fields_have_run_and_decayed_counts(void **state)
{
    (void)state;
    profile_free(profile);
    start_with(1);
    add(at(BASE, PARTICLE, 1, 32, 8), 100);
    now_ns += 3 * CLOCK_NS_PER_S; /* decayed to an eighth by then */
    add(at(BASE, PARTICLE, 1, 48, 8), 100);
    profile_set_basis(profile, BASIS_RUN);
    const struct snapshot *snapshot = take_snapshot();
    const struct snapshot_layout *layout = &snapshot->objects[0].layouts[0];
    assert_true(field_named(&snapshot->objects[0], "particle.vel.y")->samples == 100);
    assert_true(fabs(row_named(layout, "mass", 48)->share - 0.5) < 1e-9);
    assert_true(fabs(snapshot->code[0].instructions[0].samples - 200) < 1e-9);
    snapshot_free(snapshot);
    profile_set_basis(profile, BASIS_DECAYED);
    snapshot = take_snapshot();
    layout = &snapshot->objects[0].layouts[0];
    const struct snapshot_field *field = field_named(&snapshot->objects[0], "particle.vel.y");
    assert_true(fabs(field->samples - 12.5) < 1e-3);
    assert_true(fabs(field->share - 1 / 9.0) < 1e-4);
    assert_true(fabs(row_named(layout, "mass", 48)->share - 8 / 9.0) < 1e-4);
    assert_true(fabs(layout->lines[0].share - 1) < 1e-9);
    assert_true(fabs(snapshot->code[0].instructions[0].samples - 112.5) < 1e-3);
    snapshot_free(snapshot);
}

/* The time is only printed. */
static void snapshot_lists_all_of_thousand_objects(void **state)
{
    (void)state;
    enum { OBJECTS = 1000, SAMPLES = 200000 };
    for (uint32_t i = 0; i < SAMPLES; i++) {
        uint32_t hash = i * 2654435761u;
        struct place place = at(BASE, NONE, 0, 0, 8);
        place.object = 1 + i % OBJECTS;
        place.base = place.object * UINT64_C(0x100000);
        place.type = 1 + hash % MANY;
        place.by_member = true;
        place.type_offset = (hash >> 8) % 3 * 8;
        place.access.address = place.base + (hash >> 12) % 1000 * 64 + place.type_offset;
        place.access.ip = 0x1000 + hash % 997;
        add(place, 1);
    }
    for (int i = 0; i < 2; i++) {
        uint64_t begin = clock_now_ns();
        const struct snapshot *snapshot = take_snapshot();
        print_message("snapshot of %zu objects, %d types: %.1f ms\n", snapshot->object_count, MANY,
                      (double)(clock_now_ns() - begin) / 1e6);
        assert_int_equal(snapshot->object_count, OBJECTS);
        snapshot_free(snapshot);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, start, end)
    const struct CMUnitTest tests[] = {
        TEST(each_member_is_one_row),
        TEST(counts_before_the_type_are_merged),
        TEST(nested_array_is_one_row),
        TEST(layout_rows_cover_every_byte),
        TEST(layout_row_samples_add_up),
        TEST(layout_lines_follow_the_actual_phase),
        TEST(unused_bytes_of_single_instances_are_a_minimum),
        TEST(union_member_of_instruction_is_chosen_by_size),
        TEST(blocks_in_one_row_are_one_instruction_object),
        TEST(small_elements_have_several_phases),
        TEST(members_of_same_named_types_are_merged),
        TEST(few_samples_give_no_phase),
        TEST(layouts_are_inferred_without_debug_info),
        TEST(stride_over_numbers_is_not_an_element),
        TEST(hot_array_elements_are_reported),
        TEST(numbers_and_allocator_memory_have_no_elements),
        TEST(ambiguous_bit_field_access_is_a_range),
        TEST(each_type_of_an_object_has_a_layout),
        TEST(base_type_is_shown_in_its_only_derived_type),
        TEST(fields_of_unknown_types_are_offsets),
        TEST(out_of_range_member_offsets_are_harmless),
        TEST(instructions_have_line_object_and_field),
        TEST(fields_have_run_and_decayed_counts),
        TEST(snapshot_lists_all_of_thousand_objects),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
