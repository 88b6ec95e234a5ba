/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdbool.h>
#include <string.h>

#include "resolve/object_types.h"
#include "unit.h"
#include "unit/resolve/small_types.h"

enum { ID = 3 }; /* id of the object in most tests */

static struct types types;
static struct small_ids small;
static struct object_types typed;
static struct type_instances instances;
static uint32_t message;
static uint32_t cells;

static int start(void **state)
{
    (void)state;
    types_init(&types);
    small = small_types_add(&types);
    message = types_add(&types, 1, 6, &small_message);
    cells = types_add(&types, 1, 7, &small_cells);
    typed = (struct object_types){0};
    return type_instances_init(&instances);
}

static int end(void **state)
{
    (void)state;
    object_types_fini(&typed);
    type_instances_fini(&instances);
    types_fini(&types);
    return 0;
}

static struct located in_block(enum allocation_kind kind, uint64_t base, uint64_t size)
{
    return (struct located){.key = 7,
                            .base = base,
                            .end = base + size,
                            .kind = OBJECT_HEAP,
                            .name = "[heap]",
                            .module = "",
                            .bin = kind == ALLOCATION_NONE ? 0 : 5,
                            .allocation = kind};
}

static struct located in_kind(enum object_kind kind, uint64_t base, uint64_t size)
{
    struct located located = in_block(ALLOCATION_NONE, base, size);
    located.kind = kind;
    return located;
}

static struct typed_answer operand_of(uint32_t type, int64_t offset)
{
    return (struct typed_answer){.type = type, .offset = offset};
}

static struct typed_answer indexed_operand_of(uint32_t type, int64_t offset)
{
    return (struct typed_answer){.type = type, .offset = offset, .indexed = true};
}

static const struct typed_answer void_answer = {.untyped = UNTYPED_VOID};

/* Returns the place of an access with this operand. */
static struct place place_in(uint32_t object, const struct located *located, uint64_t address,
                             const struct typed_answer *operand)
{
    struct place place = {.access = {.address = address},
                          .object = object,
                          .base = located->base,
                          .size_bytes = located->end - located->base};
    object_types_place(&typed, &types, located, operand, &place);
    return place;
}

static void vote(uint32_t object, const struct located *located, uint64_t address, uint32_t type,
                 int64_t offset, int times)
{
    struct typed_answer operand = operand_of(type, offset);
    while (times--)
        place_in(object, located, address, &operand);
}

static void expect(struct place place, enum typed how, uint32_t type, uint32_t offset)
{
    assert_int_equal(place.typed, how);
    assert_int_equal(place.type, type);
    assert_int_equal(place.type_offset, offset);
    assert_int_equal(place.untyped, UNTYPED_NO_REASON);
    assert_int_equal(place.by_member, types_at(&types, type)->member_count != 0);
}

static void untyped_access_has_a_reason(void **state)
{
    (void)state;
    struct located global = in_kind(OBJECT_GLOBAL, 0x5000, 64);
    struct place place = place_in(ID, &global, 0x5008, NULL);
    assert_int_equal(place.typed, TYPED_NONE);
    assert_int_equal(place.untyped, UNTYPED_WAITING);
    assert_int_equal(place.type, 0);
    assert_false(place.by_member);
    place = place_in(ID, &global, 0x5008, &void_answer);
    assert_int_equal(place.typed, TYPED_NONE);
    assert_int_equal(place.untyped, UNTYPED_VOID);
}

static void declared_type_covers_the_variable(void **state)
{
    (void)state;
    struct located global = in_kind(OBJECT_GLOBAL, 0x5000, 64 * 10);
    struct typed_answer agrees = operand_of(small.particle, 56);
    struct typed_answer agrees_as_part = operand_of(small.vec3, 8);
    struct typed_answer agrees_as_number = operand_of(small.number, 0);
    struct typed_answer differs = operand_of(small.other, 8);
    object_types_declare(&typed, ID, small.particle, 10);
    expect(place_in(ID, &global, 0x5000 + 3 * 64 + 56, NULL), TYPED_DATA, small.particle, 56);
    expect(place_in(ID, &global, 0x5000 + 3 * 64 + 56, &void_answer), TYPED_DATA, small.particle,
           56);
    expect(place_in(ID, &global, 0x5000 + 3 * 64 + 56, &agrees), TYPED_AGREED, small.particle, 56);
    expect(place_in(ID, &global, 0x5000 + 3 * 64 + 32, &agrees_as_part), TYPED_AGREED,
           small.particle, 32);
    expect(place_in(ID, &global, 0x5000 + 3 * 64 + 48, &agrees_as_number), TYPED_AGREED,
           small.particle, 48);
    /* The declaration takes precedence. */
    expect(place_in(ID, &global, 0x5000 + 3 * 64 + 56, &differs), TYPED_DISAGREED, small.particle,
           56);
    expect(place_in(ID, &global, 0x5000 + 3 * 64 + 48, &agrees), TYPED_DISAGREED, small.particle,
           48);
    expect(place_in(ID, &global, 0x5000 + 3 * 64 + 40, &agrees_as_part), TYPED_DISAGREED,
           small.particle, 40);
}

/* Memory after a variable that is not an array belongs to something else. */
static void memory_after_single_variable_is_untyped(void **state)
{
    (void)state;
    struct located global = in_kind(OBJECT_GLOBAL, 0x5000, 200);
    struct typed_answer operand = operand_of(small.node, 8);
    object_types_declare(&typed, ID, small.particle, 0);
    expect(place_in(ID, &global, 0x5000 + 48, NULL), TYPED_DATA, small.particle, 48);
    assert_int_equal(place_in(ID, &global, 0x5000 + 64, NULL).typed, TYPED_NONE);
    expect(place_in(ID, &global, 0x5000 + 64, &operand), TYPED_CODE, small.node, 8);
}

/* Links at the start of nodes: the value after them is not part of the links. */
static void type_at_block_start_is_no_array(void **state)
{
    (void)state;
    struct located block = in_block(ALLOCATION_RECORDED, 0x5000, 72);
    vote(ID, &block, 0x5008, small.vec3, 8, 100);
    expect(place_in(ID, &block, 0x5010, &void_answer), TYPED_DATA, small.vec3, 16);
    assert_int_equal(place_in(ID, &block, 0x5028, &void_answer).typed, TYPED_NONE);
    /* Code that accesses further elements shows that it is an array. */
    vote(ID, &block, 0x5030, small.vec3, 0, 1);
    expect(place_in(ID, &block, 0x5028, &void_answer), TYPED_DATA, small.vec3, 16);
}

static void votes_for_part_confirm_assigned_type(void **state)
{
    (void)state;
    struct located block = in_block(ALLOCATION_RECORDED, 0x5000, 64);
    object_types_assign(&typed, ID, small.particle);
    vote(ID, &block, 0x5008, small.vec3, 8, 100);
    expect(place_in(ID, &block, 0x5030, &void_answer), TYPED_DATA, small.particle, 48);
    /* For another type the votes count. */
    vote(ID, &block, 0x5008, small.other, 8, 1000);
    expect(place_in(ID, &block, 0x5008, &void_answer), TYPED_DATA, small.other, 8);
}

static void nested_array_offsets_are_folded(void **state)
{
    (void)state;
    struct located global = in_kind(OBJECT_GLOBAL, 0x5000, 96);
    struct typed_answer same = operand_of(cells, 32);
    struct typed_answer part = operand_of(small.vec3, 16);
    object_types_declare(&typed, ID, cells, 0);
    expect(place_in(ID, &global, 0x5000 + 32 + 24, &same), TYPED_AGREED, cells, 56);
    expect(place_in(ID, &global, 0x5000 + 32 + 24 + 16, &part), TYPED_AGREED, cells, 72);
}

static void block_type_is_learned_by_votes(void **state)
{
    (void)state;
    struct located block = in_block(ALLOCATION_RECORDED, 0x9000, 64 * 4);
    struct typed_answer operand = operand_of(small.particle, 48);
    for (int i = 0; i < VOTES_MIN; i++)
        expect(place_in(ID, &block, 0x9000 + 64 + 48, &operand), TYPED_CODE, small.particle, 48);
    expect(place_in(ID, &block, 0x9000 + 64 + 48, &operand), TYPED_AGREED, small.particle, 48);
    /* This also works if the code has no type, and in another block of the bin. */
    struct located second = in_block(ALLOCATION_RECORDED, 0xa000, 64 * 4);
    expect(place_in(ID, &second, 0xa000 + 128 + 24, &void_answer), TYPED_DATA, small.particle, 24);
    expect(place_in(ID, &second, 0xa000 + 128 + 24, NULL), TYPED_DATA, small.particle, 24);
    /* A type that was not declared is a guess: the code is believed. */
    struct typed_answer differs = operand_of(small.other, 8);
    expect(place_in(ID, &second, 0xa000 + 128 + 8, &differs), TYPED_DISAGREED, small.other, 8);
    struct object_desc desc = {0};
    assert_string_equal(object_types_describe(&typed, &types, ID, &desc), "struct particle");
    assert_int_equal(desc.type_id, small.particle);
    assert_int_equal(desc.type_votes, VOTES_MIN + 1);
    assert_int_equal(desc.type_votes_against, 1);
}

/* A node in a block of 40 bytes would begin at 8, so the block does not consist of nodes. */
static void misfitting_accesses_reject_the_block_type(void **state)
{
    (void)state;
    struct located block = in_block(ALLOCATION_RECORDED, 0x9000, 40);
    vote(ID, &block, 0x9000 + 8 + 8, small.node, 8, 40);
    assert_int_equal(place_in(ID, &block, 0x9010, &void_answer).typed, TYPED_NONE);
    /* An indexed access may be to any element, so it is no misfit. */
    struct typed_answer operand = indexed_operand_of(small.node, 8);
    for (int i = 0; i < 400; i++)
        place_in(ID, &block, 0x9000 + 8 + 8, &operand);
    assert_int_equal(place_in(ID, &block, 0x9010, &void_answer).type, small.node);
}

static void flexible_array_is_not_a_second_instance(void **state)
{
    (void)state;
    struct located block = in_block(ALLOCATION_RECORDED, 0x9000, 16 + 24 * 10);
    struct typed_answer tail = operand_of(message, 16 + 8);
    vote(ID, &block, 0x9000, message, 0, 20);
    expect(place_in(ID, &block, 0x9000 + 16 + 24 * 7 + 8, &void_answer), TYPED_DATA, message, 24);
    expect(place_in(ID, &block, 0x9000 + 16 + 24 * 7 + 8, &tail), TYPED_AGREED, message, 24);
    struct located walked = in_block(ALLOCATION_WALKED, 0xa000, 16 + 24 * 10);
    struct access access = {.address = 0xa000 + 24};
    assert_int_equal(type_instances_rename(&instances, &types, &walked, &access, &tail), message);
    assert_string_equal(walked.name, "struct message");
    assert_int_equal(walked.end, 0xa000 + 16 + 24 * 10);
}

/* Mappings and stacks are not arrays of a type somewhere in them. */
static void mappings_and_stacks_are_untyped(void **state)
{
    (void)state;
    static const enum object_kind kinds[] = {OBJECT_STACK, OBJECT_ANON, OBJECT_CODE, OBJECT_HEAP};
    for (uint32_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct located map = in_kind(kinds[i], 0x10000, 0x100000);
        struct typed_answer operand = operand_of(small.particle, 8);
        vote(ID + i, &map, 0x10000 + 24 + 8, small.particle, 8, 100);
        expect(place_in(ID + i, &map, 0x10000 + 24 + 8, &operand), TYPED_CODE, small.particle, 8);
        assert_int_equal(place_in(ID + i, &map, 0x10000 + 24 + 8, &void_answer).typed, TYPED_NONE);
    }
}

/* memcached's .bss is not a mutex. */
static void module_sections_are_untyped(void **state)
{
    (void)state;
    int module;
    struct located section = in_kind(OBJECT_GLOBAL, 0x10000, 0x1000);
    section.in_module = (const struct module *)&module;
    struct object_desc desc = {0};
    for (int i = 0; i < 100; i++) {
        struct typed_answer operand = operand_of(small.particle, 8);
        place_in(ID, &section, 0x10000 + 8, &operand);
    }
    assert_null(object_types_describe(&typed, &types, ID, &desc));
    section.variable_of = section.in_module;
    for (int i = 0; i < 100; i++) {
        struct typed_answer operand = operand_of(small.particle, 8);
        place_in(ID + 1, &section, 0x10000 + 8, &operand);
    }
    assert_string_equal(object_types_describe(&typed, &types, ID + 1, &desc), "struct particle");
}

/* Renames, names and places an access like the resolver. */
static struct place name_and_place(struct located *located, uint64_t address,
                                   const struct typed_answer *operand)
{
    struct access access = {.address = address};
    uint32_t type = type_instances_rename(&instances, &types, located, &access, operand);
    uint32_t object = type ? 100 + type : 1;
    if (type)
        object_types_call(&typed, object, type);
    return place_in(object, located, address, operand);
}

static void walked_blocks_are_named_after_their_type(void **state)
{
    (void)state;
    struct typed_answer operand = operand_of(small.particle, 48);
    struct located one = in_block(ALLOCATION_WALKED, 0x9000, 72);
    struct place place = name_and_place(&one, 0x9000 + 48, &operand);
    expect(place, TYPED_CODE, small.particle, 48); /* only one source */
    assert_string_equal(one.name, "struct particle");
    struct located block = in_block(ALLOCATION_WALKED, 0x9000, 72);
    assert_true(type_instances_is_whole(&one, &block));
    assert_true(one.is_named_by_type && one.base == 0x9000 && one.end == 0x9000 + 72 && !one.bin);
    /* An instance at a multiple of its size may be chance; another one makes it an array. */
    struct located many = in_block(ALLOCATION_WALKED, 0xa000, 64 * 8 + 8);
    for (int same = 0; same < 2; same++) {
        place = name_and_place(&many, 0xa000 + 64 * 2 + 48, &operand);
        expect(place, TYPED_CODE, small.particle, 48);
        assert_string_equal(many.name, "struct particle");
        many = in_block(ALLOCATION_WALKED, 0xa000, 64 * 8 + 8);
    }
    struct located untyped = in_block(ALLOCATION_WALKED, 0xa000, 64 * 8 + 8);
    assert_int_equal(name_and_place(&untyped, 0xa000 + 8, &void_answer).typed, TYPED_NONE);
    place = name_and_place(&many, 0xa000 + 64 * 5 + 48, &operand);
    expect(place, TYPED_CODE, small.particle, 48);
    assert_string_equal(many.name, "struct particle []");
    assert_true(many.key != one.key);
    struct located again = in_block(ALLOCATION_WALKED, 0xa000, 64 * 8 + 8);
    expect(name_and_place(&again, 0xa000 + 64 * 5 + 24, &void_answer), TYPED_DATA, small.particle,
           24);
    assert_int_equal(again.key, many.key);
}

static const char *name_at(uint64_t base, uint64_t size, uint64_t address,
                           const struct typed_answer *operand)
{
    static struct located block;
    block = in_block(ALLOCATION_WALKED, base, size);
    name_and_place(&block, address, operand);
    return block.name;
}

/* Neither a header followed by other data nor a page with its header at the end is an array. Blocks
 * of the same size together show whether they are arrays, because each block is seen only once or
 * twice. */
static void array_needs_evidence_in_several_places(void **state)
{
    (void)state;
    struct typed_answer operand = operand_of(small.node, 8);
    for (uint64_t i = 0; i < 20; i++)
        assert_string_equal(name_at(0x9000 + i * 0x1000, 4096, 0x9008 + i * 0x1000, &operand),
                            "struct node");
    for (uint64_t i = 0; i < 20; i++)
        assert_string_equal(
            name_at(0x90000 + i * 0x1000, 4096 + 16, 0x90000 + i * 0x1000 + 4096 + 8, &operand),
            "struct node");
    for (uint64_t i = 0; i < 20; i++)
        assert_string_equal(
            name_at(0x200000 + i * 256, 200, 0x200000 + i * 256 + i % 10 * 16 + 8, &operand),
            i ? "struct node []" : "struct node");
    /* A single instance in its block is another object. */
    assert_string_equal(name_at(0x300000, 24, 0x300008, &operand), "struct node");
    /* Members of the elements of a larger type; every second is a multiple of its size away. */
    for (uint64_t i = 0; i < 20; i++)
        assert_string_equal(name_at(0x400000, 1000, 0x400008 + i * 24 + 8, &operand),
                            "struct node");
}

/* C++ stores the number of elements before an array of a type with a destructor. */
static void array_with_cookie_is_recognised(void **state)
{
    (void)state;
    struct typed_answer operand = operand_of(small.node, 8);
    struct located block = in_block(ALLOCATION_WALKED, 0x9000, 168);
    name_and_place(&block, 0x9000 + 8 + 3 * 16 + 8, &operand);
    assert_string_equal(block.name, "struct node");
    block = in_block(ALLOCATION_WALKED, 0x9000, 168);
    name_and_place(&block, 0x9000 + 8 + 5 * 16 + 8, &operand);
    assert_string_equal(block.name, "struct node []");
    assert_int_equal(block.type_base, 0x9008);
    assert_int_equal(block.base, 0x9000);
    /* Also if the code has no type. */
    block = in_block(ALLOCATION_WALKED, 0x9000, 168);
    expect(name_and_place(&block, 0x9000 + 8 + 6 * 16 + 8, &void_answer), TYPED_DATA, small.node,
           8);
    /* Further from the start it is part of another type. */
    for (uint64_t i = 1; i < 4; i++)
        assert_string_equal(name_at(0xa000, 400, 0xa000 + 40 + i * 64 + 8,
                                    &(struct typed_answer){.type = small.particle, .offset = 8}),
                            "struct particle");
}

/* First code that knows the base class, then the whole type, then the base class again. */
static void largest_containing_type_names_the_block(void **state)
{
    (void)state;
    struct typed_answer part = operand_of(small.vec3, 8);
    struct typed_answer whole = operand_of(small.particle, 48);
    struct typed_answer second_part = operand_of(small.vec3, 16);
    struct located located = in_block(ALLOCATION_WALKED, 0x9000, 72);
    assert_int_equal(name_and_place(&located, 0x9000 + 8, &part).type, small.vec3);
    located = in_block(ALLOCATION_WALKED, 0x9000, 72);
    assert_int_equal(name_and_place(&located, 0x9000 + 48, &whole).type, small.particle);
    located = in_block(ALLOCATION_WALKED, 0x9000, 72);
    expect(name_and_place(&located, 0x9000 + 8, &part), TYPED_CODE, small.particle, 8);
    located = in_block(ALLOCATION_WALKED, 0x9000, 72);
    expect(name_and_place(&located, 0x9000 + 24 + 16, &second_part), TYPED_CODE, small.particle,
           40);
    assert_string_equal(located.name, "struct particle");
}

/* A part of a block of unknown type is named after its own type; the block keeps its bounds. */
static void part_of_unknown_block_is_named_after_itself(void **state)
{
    (void)state;
    struct typed_answer operand = operand_of(small.node, 8);
    struct located located = in_block(ALLOCATION_WALKED, 0x9000, 200);
    expect(name_and_place(&located, 0x9000 + 40 + 8, &operand), TYPED_CODE, small.node, 8);
    assert_string_equal(located.name, "struct node");
    assert_true(located.base == 0x9000 && located.end == 0x9000 + 200);
    struct located block = in_block(ALLOCATION_WALKED, 0x9000, 200);
    assert_false(type_instances_is_whole(&located, &block));
    located = in_block(ALLOCATION_WALKED, 0x9000, 200);
    assert_int_equal(name_and_place(&located, 0x9000, &void_answer).typed, TYPED_NONE);
    assert_string_equal(located.name, "[heap]");
}

static void reused_block_takes_its_new_type(void **state)
{
    (void)state;
    struct typed_answer first = operand_of(small.particle, 48);
    struct typed_answer now = operand_of(small.other, 8);
    struct located located = in_block(ALLOCATION_WALKED, 0x9000, 72);
    name_and_place(&located, 0x9030, &first);
    located = in_block(ALLOCATION_WALKED, 0x9000, 72);
    expect(name_and_place(&located, 0x9008, &now), TYPED_CODE, small.other, 8);
    located = in_block(ALLOCATION_WALKED, 0x9000, 72);
    expect(name_and_place(&located, 0x9008, &void_answer), TYPED_DATA, small.other, 8);
    /* With another size it is another block, about which nothing is known. */
    located = in_block(ALLOCATION_WALKED, 0x9000, 40);
    assert_int_equal(name_and_place(&located, 0x9008, &void_answer).typed, TYPED_NONE);
    located = in_block(ALLOCATION_WALKED, 0x9000, 24);
    struct typed_answer smaller = operand_of(small.vec3, 8);
    expect(name_and_place(&located, 0x9008, &smaller), TYPED_CODE, small.vec3, 8);
    type_instances_forget(&instances);
    located = in_block(ALLOCATION_WALKED, 0x9000, 24);
    assert_int_equal(name_and_place(&located, 0x9008, &void_answer).typed, TYPED_NONE);
}

/* In code the position of a virtual base is an index; its members are at their own offsets. */
static void indexed_access_gets_type_at_actual_offset(void **state)
{
    (void)state;
    struct typed_answer operand = indexed_operand_of(small.particle, 8);
    struct located block = in_block(ALLOCATION_WALKED, 0x9000, 72);
    expect(name_and_place(&block, 0x9000 + 56, &operand), TYPED_CODE, small.particle, 56);
    assert_int_equal(block.type_base, 0x9000);
}

/* Memory of the program's own allocator: each element is an instance. */
static void regions_are_named_after_element_type(void **state)
{
    (void)state;
    struct typed_answer operand = indexed_operand_of(small.particle, 48);
    struct located pool = in_kind(OBJECT_ANON, 0x100000, 0x100000);
    expect(name_and_place(&pool, 0x100000 + 5 * 64 + 48 + 8, &operand), TYPED_CODE, small.particle,
           48);
    assert_true(pool.base == 0x100000 + 5 * 64 + 8 && pool.end == pool.base + 64);
    assert_int_equal(pool.kind, OBJECT_HEAP);
    struct located heap = in_block(ALLOCATION_MAPPING, 0x200000, 0x100000);
    name_and_place(&heap, 0x200000 + 48, &operand);
    assert_int_equal(heap.key, pool.key); /* all private memory is one object */
    struct located file = in_kind(OBJECT_MAP, 0x300000, 0x100000);
    name_and_place(&file, 0x300000 + 48, &operand);
    assert_int_equal(file.kind, OBJECT_MAP);
    assert_true(file.key != pool.key);
}

/* free() and malloc() in memory without a known block. */
static void allocator_types_do_not_name_memory(void **state)
{
    (void)state;
    struct type_desc chunk = small_node;
    chunk.name = "struct malloc_chunk";
    struct typed_answer operand = operand_of(types_add(&types, 1, 9, &chunk), 8);
    struct located heap = in_kind(OBJECT_HEAP, 0x9000, 0x10000);
    name_and_place(&heap, 0x9100, &operand);
    assert_string_equal(heap.name, "[heap]");
    assert_int_equal(heap.base, 0x9000);
    for (int i = 0; i < 100; i++)
        place_in(ID, &heap, 0x9100, &operand);
    assert_null(object_types_describe(&typed, &types, ID, &(struct object_desc){0}));
}

static void variables_and_special_memory_keep_their_names(void **state)
{
    (void)state;
    static const enum object_kind kinds[] = {OBJECT_GLOBAL, OBJECT_TLS, OBJECT_STACK,
                                             OBJECT_CODE,   OBJECT_JIT, OBJECT_UNKNOWN};
    struct typed_answer operand = operand_of(small.particle, 48);
    struct typed_answer scalar = operand_of(small.number, 0);
    struct access access = {.address = 0x9000 + 48};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct located located = in_kind(kinds[i], 0x9000, 64);
        assert_int_equal(type_instances_rename(&instances, &types, &located, &access, &operand), 0);
        assert_string_equal(located.name, "[heap]");
    }
    struct located reported = in_block(ALLOCATION_RECORDED, 0x9000, 64);
    assert_int_equal(type_instances_rename(&instances, &types, &reported, &access, &operand), 0);
    struct located header = in_block(ALLOCATION_HEADER, 0x9000, 64);
    assert_int_equal(type_instances_rename(&instances, &types, &header, &access, &operand), 0);
    assert_false(type_instances_apply(&header)); /* no type is expected for it */
    struct located walked = in_block(ALLOCATION_WALKED, 0x9000, 64);
    assert_int_equal(type_instances_rename(&instances, &types, &walked, &access, &scalar), 0);
    assert_int_equal(type_instances_rename(&instances, &types, &walked, &access, NULL), 0);
    assert_int_equal(walked.bin, 5);
}

/* The answer comes from a file controlled by the target. */
static void hostile_type_offsets_stay_in_bounds(void **state)
{
    (void)state;
    static const int64_t offsets[] = {-1, -64, 64, INT64_MAX, INT64_MIN, 1ll << 40};
    for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++) {
        struct typed_answer operand = operand_of(small.particle, offsets[i]);
        struct located walked = in_block(ALLOCATION_WALKED, 0x9000, 72);
        struct place place = name_and_place(&walked, 0x9008, &operand);
        assert_true(place.type_offset < 64);
        assert_true(walked.base == 0x9000 && walked.end == 0x9048);
        struct located reported = in_block(ALLOCATION_RECORDED, 0x9000, 72);
        assert_true(place_in(ID, &reported, 0x9008, &operand).type_offset < 64);
    }
    struct typed_answer unknown = operand_of(999, 8);
    struct located walked = in_block(ALLOCATION_WALKED, 0xb000, 72);
    assert_int_equal(name_and_place(&walked, 0xb008, &unknown).typed, TYPED_NONE);
    struct type_desc nothing = {.name = "struct opaque", .kind = TYPE_STRUCT};
    struct typed_answer opaque = operand_of(types_add(&types, 1, 50, &nothing), 8);
    assert_int_equal(name_and_place(&walked, 0xb008, &opaque).typed, TYPED_CODE);
}

/* A size class may have blocks of several types. It has a type only if all accesses agree, and the
 * type in the code of one block does not apply to another. */
static void size_class_needs_unanimous_type(void **state)
{
    (void)state;
    struct object_desc desc = {0};
    struct located bin = in_block(ALLOCATION_WALKED, 0x9000, 64 * 4);
    for (int i = 0; i < 100; i++)
        object_types_vote(&typed, &types, &bin, 43, i % 5 ? small.particle : small.node, true);
    assert_null(object_types_describe(&typed, &types, 43, &desc));
    assert_int_equal(place_in(43, &bin, 0x9008, &void_answer).typed, TYPED_NONE);
    for (int i = 0; i < 100; i++)
        object_types_vote(&typed, &types, &bin, 44, small.particle, true);
    assert_string_equal(object_types_describe(&typed, &types, 44, &desc), "struct particle");
    assert_int_equal(place_in(44, &bin, 0x9008, &void_answer).typed, TYPED_NONE);
    for (int i = 0; i < 50; i++)
        place_in(44, &bin, 0x9008, &void_answer);
    assert_null(object_types_describe(&typed, &types, 44, &desc));
    /* Numbers count against it, even if there are fewer of them than of structs. */
    for (int i = 0; i < 100; i++)
        object_types_vote(&typed, &types, &bin, 45, i % 3 ? small.node : small.number, true);
    assert_null(object_types_describe(&typed, &types, 45, &desc));
}

static void bin_type_is_its_accesses_container(void **state)
{
    (void)state;
    struct object_desc desc = {0};
    struct located bin = in_block(ALLOCATION_RECORDED, 0x9000, 64 * 4);
    assert_null(object_types_describe(&typed, &types, 40, &desc));
    for (int i = 0; i < 20; i++)
        object_types_vote(&typed, &types, &bin, 40, i % 5 ? small.node : small.particle, true);
    assert_string_equal(object_types_describe(&typed, &types, 40, &desc), "struct node");
    assert_int_equal(desc.type_votes, 16);
    assert_int_equal(desc.type_votes_against, 4);
    /* A declared type is not subject to votes. */
    object_types_declare(&typed, 41, small.particle, 1000);
    object_types_vote(&typed, &types, &bin, 41, small.node, true);
    desc = (struct object_desc){0};
    assert_string_equal(object_types_describe(&typed, &types, 41, &desc), "struct particle [1000]");
    assert_int_equal(desc.type_votes + desc.type_votes_against, 0);
    object_types_declare(&typed, 41, small.particle, 2000);
    assert_string_equal(object_types_describe(&typed, &types, 41, &desc), "struct particle [2000]");
}

static void sparse_object_ids_are_supported(void **state)
{
    (void)state;
    struct object_desc desc;
    object_types_declare(&typed, 5, small.node, 0);
    object_types_declare(&typed, 70000, small.particle, 0);
    object_types_declare(&typed, 1023, small.vec3, 0);
    assert_string_equal(object_types_describe(&typed, &types, 5, &desc), "struct node");
    assert_string_equal(object_types_describe(&typed, &types, 70000, &desc), "struct particle");
    assert_string_equal(object_types_describe(&typed, &types, 1023, &desc), "struct vec3");
    assert_null(object_types_describe(&typed, &types, 1024, &desc));
    assert_null(object_types_describe(&typed, &types, UINT32_MAX, &desc));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, start, end)
    const struct CMUnitTest tests[] = {
        TEST(untyped_access_has_a_reason),
        TEST(declared_type_covers_the_variable),
        TEST(memory_after_single_variable_is_untyped),
        TEST(type_at_block_start_is_no_array),
        TEST(votes_for_part_confirm_assigned_type),
        TEST(nested_array_offsets_are_folded),
        TEST(block_type_is_learned_by_votes),
        TEST(misfitting_accesses_reject_the_block_type),
        TEST(flexible_array_is_not_a_second_instance),
        TEST(mappings_and_stacks_are_untyped),
        TEST(module_sections_are_untyped),
        TEST(walked_blocks_are_named_after_their_type),
        TEST(array_needs_evidence_in_several_places),
        TEST(array_with_cookie_is_recognised),
        TEST(largest_containing_type_names_the_block),
        TEST(part_of_unknown_block_is_named_after_itself),
        TEST(reused_block_takes_its_new_type),
        TEST(indexed_access_gets_type_at_actual_offset),
        TEST(regions_are_named_after_element_type),
        TEST(allocator_types_do_not_name_memory),
        TEST(variables_and_special_memory_keep_their_names),
        TEST(hostile_type_offsets_stay_in_bounds),
        TEST(size_class_needs_unanimous_type),
        TEST(bin_type_is_its_accesses_container),
        TEST(sparse_object_ids_are_supported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
