/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lookups in types: members, paths, folding, containment. */
#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "resolve/dwarf/die.h"
#include "resolve/elf/module.h"
#include "resolve/members.h"
#include "unit.h"

enum { NONE = TYPE_NO_MEMBER };

/* struct body { char tag; vec pos; double m[2][2]; part parts[4]; unsigned a:3, b:9; union u; node
 * *next; char rest[]; } with vec { double x, y; }, part { int id; short k[3]; } */
static const struct type_member body_members[] = {
    {.name = "tag", .type = "char", .size = 1, .parent = NONE},
    {.name = "pos", .type = "vec", .offset = 8, .size = 16, .parent = NONE},
    {.name = "x", .type = "double", .offset = 8, .size = 8, .parent = 1, .depth = 1},
    {.name = "y", .type = "double", .offset = 16, .size = 8, .parent = 1, .depth = 1},
    {.name = "m",
     .type = "double [2][2]",
     .offset = 24,
     .size = 32,
     .count = 4,
     .stride = 8,
     .parent = NONE},
    {.name = "parts",
     .type = "struct part [4]",
     .offset = 56,
     .size = 48,
     .count = 4,
     .stride = 12,
     .parent = NONE},
    {.name = "id", .type = "int", .offset = 56, .size = 4, .parent = 5, .depth = 1},
    {.name = "k",
     .type = "short [3]",
     .offset = 60,
     .size = 6,
     .count = 3,
     .stride = 2,
     .parent = 5,
     .depth = 1},
    {.name = "a", .type = "unsigned int", .offset = 104, .size = 4, .parent = NONE, .bit_size = 3},
    {.name = "b",
     .type = "unsigned int",
     .offset = 104,
     .size = 4,
     .parent = NONE,
     .bit_offset = 16,
     .bit_size = 9},
    {.name = "u", .type = "union u", .offset = 112, .size = 8, .parent = NONE},
    {.name = "", .type = "struct {...}", .offset = 112, .size = 8, .parent = 10, .depth = 1},
    {.name = "low", .type = "int", .offset = 112, .size = 4, .parent = 11, .depth = 2},
    {.name = "high", .type = "int", .offset = 116, .size = 4, .parent = 11, .depth = 2},
    {.name = "whole", .type = "long", .offset = 112, .size = 8, .parent = 10, .depth = 1},
    {.name = "bytes",
     .type = "char [8]",
     .offset = 112,
     .size = 8,
     .count = 8,
     .stride = 1,
     .parent = 10,
     .depth = 1},
    {.name = "next", .type = "struct node *", .offset = 120, .size = 8, .parent = NONE},
    {.name = "rest", .type = "char []", .offset = 128, .stride = 1, .parent = NONE}};

static const struct type_desc body = {.name = "struct body",
                                      .kind = TYPE_STRUCT,
                                      .size = 128,
                                      .members = body_members,
                                      .member_count = sizeof body_members / sizeof *body_members};

static const struct type_member part_members[] = {
    {.name = "id", .type = "int", .size = 4, .parent = NONE},
    {.name = "k",
     .type = "short [3]",
     .offset = 4,
     .size = 6,
     .count = 3,
     .stride = 2,
     .parent = NONE}};
static const struct type_desc part = {.name = "struct part",
                                      .kind = TYPE_STRUCT,
                                      .size = 12,
                                      .members = part_members,
                                      .member_count = 2};
static const struct type_desc vec = {
    .name = "vec", .kind = TYPE_STRUCT, .size = 16, .members = &body_members[2], .member_count = 0};
static const struct type_desc number = {.name = "double", .kind = TYPE_SCALAR, .size = 8};
static const struct type_desc pointer = {.name = "void *", .kind = TYPE_POINTER, .size = 8};

static const char *path_at(uint64_t offset, uint64_t size)
{
    static char out[128];
    uint32_t member = type_member_at(&body, offset, size);
    return member == NONE ? "(none)" : type_path(&body, member, out, sizeof out);
}

static const char *field(const struct type_desc *type, uint64_t offset, uint64_t size)
{
    static char out[128];
    return type_field_name(type, offset, size, out, sizeof out);
}

static void innermost_member_is_found(void **state)
{
    (void)state;
    assert_string_equal(path_at(0, 1), "tag");
    assert_string_equal(path_at(8, 8), "pos.x");
    assert_string_equal(path_at(23, 0), "pos.y");
    assert_string_equal(path_at(24, 8), "m[*]");
    assert_string_equal(path_at(55, 1), "m[*]");
    assert_string_equal(path_at(56, 4), "parts[*].id");
    assert_string_equal(path_at(56 + 36 + 9, 2), "parts[*].k[*]");
    assert_string_equal(path_at(120, 8), "next");
}

static void padding_and_outside_have_no_member(void **state)
{
    (void)state;
    assert_string_equal(path_at(1, 1), "(none)");
    assert_string_equal(path_at(7, 0), "(none)");
    assert_string_equal(path_at(56 + 10, 2), "(none)");
    assert_string_equal(path_at(108, 4), "(none)");
    assert_int_equal(type_member_at(&part, 12, 4), NONE);
    assert_int_equal(type_member_at(&number, 0, 8), NONE);
    assert_int_equal(type_member_at(&part, UINT64_MAX, 8), NONE);
}

static void word_access_selects_first_bit_field(void **state)
{
    (void)state;
    assert_string_equal(path_at(104, 4), "a");
    assert_string_equal(path_at(104, 1), "a");
    assert_string_equal(path_at(106, 2), "b");
    assert_string_equal(path_at(107, 1), "b");
    /* Byte 1 belongs to no field: the first of the word is used. */
    assert_string_equal(path_at(105, 1), "a");
}

/* struct { unsigned lo:10, hi:22; unsigned a:3, b:3, c:10; unsigned long big:40, rest:24; } */
static const struct type_member packed_members[] = {
    {.name = "lo", .type = "unsigned", .size = 4, .parent = NONE, .bit_size = 10},
    {.name = "hi", .type = "unsigned", .size = 4, .parent = NONE, .bit_offset = 10, .bit_size = 22},
    {.name = "a", .type = "unsigned", .offset = 4, .size = 4, .parent = NONE, .bit_size = 3},
    {.name = "b",
     .type = "unsigned",
     .offset = 4,
     .size = 4,
     .parent = NONE,
     .bit_offset = 3,
     .bit_size = 3},
    {.name = "c",
     .type = "unsigned",
     .offset = 4,
     .size = 4,
     .parent = NONE,
     .bit_offset = 6,
     .bit_size = 10},
    {.name = "big",
     .type = "unsigned long",
     .offset = 8,
     .size = 8,
     .parent = NONE,
     .bit_size = 40},
    {.name = "rest",
     .type = "unsigned long",
     .offset = 8,
     .size = 8,
     .parent = NONE,
     .bit_offset = 40,
     .bit_size = 24}};
static const struct type_desc packed = {.name = "struct packed",
                                        .kind = TYPE_STRUCT,
                                        .size = 16,
                                        .members = packed_members,
                                        .member_count = 7};

/* Returns the name of an access of `size` bytes that uses the bits [first, end). */
static const char *bits_name(uint64_t offset, uint64_t size, uint64_t first, uint64_t end)
{
    static char out[64];
    bool several;
    int64_t step = type_bits_at(&packed, offset, first, end, &several);
    return type_bits_name(&packed, offset + (uint64_t)step, several ? size : 0, out, sizeof out);
}

static void bits_select_the_field_or_field_range(void **state)
{
    bool several;
    (void)state;
    assert_string_equal(bits_name(0, 4, 0, 10), "packed.lo");
    assert_string_equal(bits_name(0, 4, 10, 32), "packed.hi");
    assert_string_equal(bits_name(0, 4, 0, 32), "packed.lo..hi");
    assert_string_equal(bits_name(0, 2, 8, 16), "packed.lo..hi");
    assert_string_equal(bits_name(0, 8, 32 + 6, 32 + 16), "packed.c");
    assert_string_equal(bits_name(0, 8, 0, 64), "packed.lo..c");
    assert_string_equal(bits_name(4, 4, 3, 6), "packed.a..c"); /* it shares all its bytes */
    assert_string_equal(bits_name(8, 8, 0, 64), "packed.big..rest");
    assert_string_equal(bits_name(8, 8, 40, 64), "packed.rest");
    assert_string_equal(bits_name(8, 8, 0, 40), "packed.big");
    assert_string_equal(bits_name(13, 4, 0, 24), "packed.rest");
    assert_int_equal(type_bits_at(&packed, 100, 0, 8, &several), 0);
    assert_false(several);
    assert_int_equal(type_bits_at(&part, 4, 3, 8, &several), 0);
    assert_false(several);
    assert_true(type_shares_byte(&packed, 0, 1) && type_shares_byte(&packed, 1, 1));
    assert_false(type_shares_byte(&packed, 0, 0) || type_shares_byte(&packed, 1, 0));
    assert_false(type_shares_byte(&packed, NONE, 0) || type_shares_byte(&part, 0, 0));
}

static void union_member_is_chosen_by_size(void **state)
{
    (void)state;
    assert_string_equal(path_at(112, 8), "u.whole");
    assert_string_equal(path_at(112, 4), "u.low");
    assert_string_equal(path_at(116, 4), "u.high");
    assert_string_equal(path_at(112, 1), "u.bytes[*]");
    assert_string_equal(path_at(115, 1), "u.bytes[*]");
    assert_string_equal(path_at(112, 0), "u.low");
    assert_string_equal(path_at(112, 2), "u.low");
}

static void union_member_with_smaller_size_is_fallback(void **state)
{
    static const struct type_member members[] = {
        {.name = "one", .type = "char", .size = 1, .parent = NONE},
        {.name = "six", .type = "short [3]", .size = 6, .count = 3, .stride = 2, .parent = NONE}};
    static const struct type_desc choice = {.name = "union choice",
                                            .kind = TYPE_UNION,
                                            .size = 6,
                                            .members = members,
                                            .member_count = 2};
    (void)state;
    assert_string_equal(field(&choice, 0, 6), "choice.six[*]");
    assert_string_equal(field(&choice, 0, 1), "choice.one");
    assert_string_equal(field(&choice, 0, 2), "choice.six[*]");
    assert_string_equal(field(&choice, 1, 0), "choice.six[*]");
}

static void flexible_array_member_is_unbounded(void **state)
{
    (void)state;
    assert_string_equal(path_at(128, 1), "rest[*]");
    assert_string_equal(path_at(1 << 20, 1), "rest[*]");
}

/* struct part [4] is four parts in sequence; a struct body is followed by more of its array. */
static void offsets_are_reduced_to_an_element(void **state)
{
    (void)state;
    assert_false(type_is_flexible(&part));
    assert_int_equal(type_extent(&part), part.size);
    assert_int_equal(type_in_element(&part, 3 * part.size + 4), 4);
    assert_true(type_is_flexible(&body));
    assert_int_equal(type_extent(&body), body.size + 1);
    assert_int_equal(type_in_element(&body, 127), 127);
    assert_int_equal(type_in_element(&body, 2 * body.size + 8), body.size);
}

static void nested_arrays_fold_to_first_element(void **state)
{
    (void)state;
    assert_int_equal(type_fold(&body, 0), 0);
    assert_int_equal(type_fold(&body, 12), 12);
    assert_int_equal(type_fold(&body, 50), 26);
    assert_int_equal(type_fold(&body, 56 + 12 + 1), 57);
    assert_int_equal(type_fold(&body, 56 + 24 + 8), 60);
    assert_int_equal(type_fold(&body, 56 + 24 + 10), 66); /* padding of an element */
    assert_int_equal(type_fold(&body, 1000), 128);
    assert_int_equal(type_fold(&part, 1000), 1000);
}

static void field_names_omit_struct_keyword(void **state)
{
    (void)state;
    assert_string_equal(field(&body, 16, 8), "body.pos.y");
    assert_string_equal(field(&body, 70, 0), "body.parts[*].id");
    assert_string_equal(field(&number, 0, 8), "double");
    assert_string_equal(field(&body, 3, 1), "body+3");
    assert_string_equal(field(&body, 56 + 12 + 11, 1), "body+67");
}

static void type_path_is_truncated_to_the_buffer(void **state)
{
    char out[6];
    (void)state;
    assert_string_equal(type_path(&body, 3, out, sizeof out), "pos.y");
    assert_string_equal(type_path(&body, 7, out, sizeof out), "parts");
    assert_string_equal(type_field_name(&body, 16, 8, out, sizeof out), "body.");
    out[0] = 'x';
    type_path(&body, 3, out, 0);
    assert_int_equal(out[0], 'x');
    assert_string_equal(type_path(&body, 3, out, 1), "");
    assert_string_equal(type_path(&body, NONE, out, sizeof out), "");
}

/* Data received from a process that read hostile input. */
static void damaged_member_parents_terminate(void **state)
{
    char out[64];
    struct type_member members[40];
    struct type_desc type = {
        .name = "struct bad", .size = 8, .members = members, .member_count = 40};
    (void)state;
    for (uint32_t i = 0; i < 40; i++)
        members[i] = (struct type_member){
            .name = "m", .type = "bad", .size = 8, .parent = i, .depth = (uint16_t)i};
    type_path(&type, 39, out, sizeof out);
    type_field_name(&type, 0, 8, out, sizeof out);
    type_fold(&type, 4);
    assert_false(type_holds(&type, 0, &body, 0));
}

static void type_holds_its_parts(void **state)
{
    (void)state;
    assert_true(type_holds(&body, 16, &body, 16));
    assert_false(type_holds(&body, 16, &body, 8));
    assert_true(type_holds(&body, 56 + 12, &part, 0));
    assert_true(type_holds(&body, 56 + 36 + 6, &part, 6));
    assert_false(type_holds(&body, 56 + 36 + 6, &part, 4));
    assert_false(type_holds(&body, 8, &part, 0));
    assert_true(type_holds(&body, 16, &vec, 8));
}

static void scalars_hold_scalars_of_same_size(void **state)
{
    (void)state;
    assert_true(type_holds(&body, 8, &number, 0));
    assert_true(type_holds(&body, 8, &pointer, 0));
    assert_true(type_holds(&body, 48, &number, 0));
    assert_false(type_holds(&body, 57, &number, 0));
    assert_false(type_holds(&body, 56, &number, 0));
    assert_true(type_holds(&number, 0, &pointer, 0));
    assert_false(type_holds(&number, 0, &part, 0));
    assert_true(type_holds(&body, 112, &number, 0)); /* u.whole */
}

/* A member of type "part_t" is "struct part" if it has the same layout. */
static void typedef_member_with_same_layout_is_a_part(void **state)
{
    struct type_member members[3];
    struct type_desc outer = {
        .name = "struct outer", .kind = TYPE_STRUCT, .size = 16, .members = members};
    (void)state;
    members[0] = (struct type_member){
        .name = "p", .type = "part_t", .offset = 4, .size = 12, .parent = NONE};
    members[1] = part_members[0];
    members[2] = part_members[1];
    for (int i = 1; i < 3; i++) {
        members[i].offset += 4;
        members[i].depth = 1;
        members[i].parent = 0;
    }
    outer.member_count = 3;
    assert_true(type_holds(&outer, 8, &part, 4));
    members[2].name = "other";
    assert_false(type_holds(&outer, 8, &part, 4));
}

/* Two libraries may have different structs of the same name. */
static void same_name_with_other_layout_is_no_part(void **state)
{
    struct type_member members[3];
    struct type_desc outer = {.name = "struct outer",
                              .kind = TYPE_STRUCT,
                              .size = 16,
                              .members = members,
                              .member_count = 3};
    struct type_desc twin = part;
    struct type_member twin_members[2] = {part_members[0], part_members[1]};
    struct type_desc opaque = {.name = "struct part", .kind = TYPE_STRUCT, .size = 12};
    (void)state;
    members[0] =
        (struct type_member){.name = "p", .type = "part", .offset = 4, .size = 12, .parent = NONE};
    for (int i = 0; i < 2; i++) {
        members[1 + i] = part_members[i];
        members[1 + i].offset += 4;
        members[1 + i].depth = 1;
        members[1 + i].parent = 0;
    }
    twin.members = twin_members;
    twin_members[1].name = "other";
    assert_true(type_holds(&outer, 8, &part, 4));
    assert_true(type_has_part(&outer, &part));
    assert_false(type_holds(&outer, 8, &twin, 4));
    assert_false(type_has_part(&outer, &twin));
    members[0].type = "const part";
    assert_true(type_has_part(&outer, &part));
    members[0].type = "part";
    assert_false(type_holds(&part, 4, &twin, 4));
    assert_true(type_holds(&part, 4, &opaque, 4)); /* its members are not known */
    assert_true(type_holds(&outer, 8, &opaque, 4));
    members[0].type = "party";
    assert_false(type_holds(&outer, 8, &opaque, 4));
    assert_false(type_has_part(&outer, &part));
}

/* A deeply nested type may lack its innermost members. */
static void members_beyond_depth_limit_are_ignored(void **state)
{
    static const struct type_member inner_members[] = {
        {.name = "a", .type = "pair", .size = 8, .parent = NONE},
        {.name = "x", .type = "int", .size = 4, .parent = 0, .depth = 1},
        {.name = "b", .type = "long", .offset = 8, .size = 8, .parent = NONE},
    };
    struct type_member outer_members[] = {
        {.name = "p", .type = "part", .offset = 8, .size = 16, .parent = NONE},
        {.name = "a", .type = "pair", .offset = 8, .size = 8, .parent = 0, .depth = 1},
        {.name = "b", .type = "long", .offset = 16, .size = 8, .parent = 0, .depth = 1},
    };
    const struct type_desc inner = {.name = "part",
                                    .kind = TYPE_STRUCT,
                                    .size = 16,
                                    .members = inner_members,
                                    .member_count = 3};
    struct type_desc outer = {.name = "outer",
                              .kind = TYPE_STRUCT,
                              .size = 24,
                              .members = outer_members,
                              .member_count = 3,
                              .is_truncated = true};
    (void)state;
    assert_true(type_has_part(&outer, &inner));
    outer.is_truncated = false;
    assert_false(type_has_part(&outer, &inner));
    outer.is_truncated = true;
    outer_members[2].name = "c";
    assert_false(type_has_part(&outer, &inner));
}

static void typing_reasons_have_names(void **state)
{
    (void)state;
    assert_string_equal(typed_name(TYPED_CODE), "by-code");
    assert_string_equal(typed_name(TYPED_DISAGREED), "disagreed");
    assert_string_equal(typed_name((enum typed)99), "?");
    assert_string_equal(untyped_name(UNTYPED_NO_DEBUG), "no-debug-information");
    assert_string_equal(untyped_name(UNTYPED_GAVE_UP), "gave-up");
    assert_string_equal(untyped_name((enum untyped)99), "?");
    for (int i = 1; i < UNTYPED_COUNT; i++) {
        assert_true(strlen(untyped_name((enum untyped)i)) > 3);
        assert_true(strlen(untyped_text((enum untyped)i)) > 10);
    }
}

/* Wrappers of libraries have no name in paths: "set<long> node.value", "unique_ptr<part>". */
static void wrapper_members_are_omitted_from_paths(void **state)
{
    static const struct type_member members[] = {
        {.name = "next", .type = "long", .size = 8, .parent = NONE},
        {.name = "_M_storage",
         .type = "struct part",
         .offset = 8,
         .size = 12,
         .parent = NONE,
         .kind = MEMBER_WRAPPER},
        {.name = "id", .type = "int", .offset = 8, .size = 4, .parent = 1, .depth = 1},
        {.name = "_M_data",
         .type = "long",
         .offset = 24,
         .size = 8,
         .parent = NONE,
         .kind = MEMBER_WRAPPER}};
    struct type_desc node = {
        .name = "set<part> node", .size = 32, .members = members, .member_count = 4};
    struct type_desc unique = {
        .name = "unique_ptr<part>", .size = 8, .members = members + 3, .member_count = 1};
    struct type_member only = members[3];
    char name[64];
    (void)state;
    assert_string_equal(type_field_name(&node, 8, 4, name, sizeof name), "set<part> node.id");
    assert_string_equal(type_field_name(&node, 24, 8, name, sizeof name), "set<part> node.value");
    assert_string_equal(type_field_name(&node, 20, 4, name, sizeof name), "set<part> node+20");
    only.offset = 0;
    unique.members = &only;
    assert_string_equal(type_field_name(&unique, 0, 8, name, sizeof name), "unique_ptr<part>");
}

static void unique_part_of_a_type_is_found(void **state)
{
    static const struct type_member point[] = {
        {.name = "x", .type = "int", .size = 4, .parent = NONE}};
    static const struct type_member one[] = {
        {.name = "", .type = "struct point", .offset = 8, .size = 4, .parent = NONE},
        {.name = "x", .type = "int", .offset = 8, .size = 4, .parent = 0, .depth = 1}};
    static const struct type_member two[] = {
        {.name = "a", .type = "struct point", .size = 4, .parent = NONE},
        {.name = "x", .type = "int", .size = 4, .parent = 0, .depth = 1},
        {.name = "b", .type = "struct point", .offset = 4, .size = 4, .parent = NONE},
        {.name = "x", .type = "int", .offset = 4, .size = 4, .parent = 2, .depth = 1}};
    static const struct type_member array[] = {
        {.name = "a",
         .type = "struct point [1]",
         .size = 4,
         .count = 1,
         .stride = 4,
         .parent = NONE},
        {.name = "x", .type = "int", .size = 4, .parent = 0, .depth = 1}};
    struct type_desc point_desc = {
        .name = "struct point", .size = 4, .members = point, .member_count = 1};
    struct type_desc whole = {
        .name = "struct whole", .size = 16, .members = one, .member_count = 2};
    struct type_desc pair = {.name = "struct pair", .size = 8, .members = two, .member_count = 4};
    struct type_desc many = {.name = "struct many", .size = 8, .members = array, .member_count = 2};
    struct type_desc plain = {.name = "int", .kind = TYPE_SCALAR, .size = 4};
    uint64_t at = 0;
    (void)state;
    assert_true(type_find_part(&whole, &point_desc, &at));
    assert_int_equal(at, 8);
    assert_false(type_find_part(&pair, &point_desc, &at));
    assert_false(type_find_part(&many, &point_desc, &at));
    assert_false(type_find_part(&whole, &plain, &at));
    assert_false(type_find_part(&point_desc, &whole, &at));
}

static uint32_t search(const char *name)
{
    struct object_search search = {.name = name};
    object_search_look(&search, 1, "table", "libx.so");
    object_search_look(&search, 2, "table_of_rows", "program");
    object_search_look(&search, 3, "rows", "program");
    object_search_look(&search, 4, "rows", "libx.so");
    return search.match_count == 1 ? search.found : 0;
}

static void objects_are_found_by_name_or_substring(void **state)
{
    (void)state;
    assert_int_equal(search("table"), 1); /* although another name contains it */
    assert_int_equal(search("_of_"), 2);
    assert_int_equal(search("ows"), 0); /* matches three names */
    assert_int_equal(search("rows"), 3);
    assert_int_equal(search("libx.so:rows"), 4);
    assert_int_equal(search("lib:rows"), 0);
    assert_int_equal(search("column"), 0);
}

static int run_members(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(innermost_member_is_found),
                                       cmocka_unit_test(padding_and_outside_have_no_member),
                                       cmocka_unit_test(wrapper_members_are_omitted_from_paths),
                                       cmocka_unit_test(unique_part_of_a_type_is_found),
                                       cmocka_unit_test(word_access_selects_first_bit_field),
                                       cmocka_unit_test(bits_select_the_field_or_field_range),
                                       cmocka_unit_test(union_member_is_chosen_by_size),
                                       cmocka_unit_test(union_member_with_smaller_size_is_fallback),
                                       cmocka_unit_test(flexible_array_member_is_unbounded),
                                       cmocka_unit_test(offsets_are_reduced_to_an_element),
                                       cmocka_unit_test(nested_arrays_fold_to_first_element),
                                       cmocka_unit_test(field_names_omit_struct_keyword),
                                       cmocka_unit_test(type_path_is_truncated_to_the_buffer),
                                       cmocka_unit_test(damaged_member_parents_terminate),
                                       cmocka_unit_test(type_holds_its_parts),
                                       cmocka_unit_test(scalars_hold_scalars_of_same_size),
                                       cmocka_unit_test(typedef_member_with_same_layout_is_a_part),
                                       cmocka_unit_test(same_name_with_other_layout_is_no_part),
                                       cmocka_unit_test(members_beyond_depth_limit_are_ignored),
                                       cmocka_unit_test(typing_reasons_have_names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Addresses of an ELF file's parts, from made-up headers. */

/* Only headers: without sections libelf has nothing else to read. */
static struct {
    Elf64_Ehdr header;
    Elf64_Phdr parts[24];
} file;

static Elf *elf;
static struct layout layout;

static int begin(void **state)
{
    (void)state;
    memset(&file, 0, sizeof file);
    memset(&layout, 0, sizeof layout);
    memcpy(file.header.e_ident, ELFMAG "\2\1\1", 7);
    file.header.e_type = ET_DYN;
    file.header.e_machine = EM_X86_64;
    file.header.e_version = EV_CURRENT;
    file.header.e_phoff = sizeof file.header;
    file.header.e_ehsize = sizeof file.header;
    file.header.e_phentsize = sizeof file.parts[0];
    elf_version(EV_CURRENT);
    return 0;
}

static int end(void **state)
{
    (void)state;
    elf_end(elf);
    return 0;
}

static void add(uint32_t type, uint32_t rights, uint64_t offset, uint64_t address,
                uint64_t file_bytes, uint64_t bytes)
{
    file.parts[file.header.e_phnum++] = (Elf64_Phdr){.p_type = type,
                                                     .p_flags = rights,
                                                     .p_offset = offset,
                                                     .p_vaddr = address,
                                                     .p_filesz = file_bytes,
                                                     .p_memsz = bytes,
                                                     .p_align = 4096};
}

static bool read_at(uint64_t start, uint64_t offset, bool writable, bool executable)
{
    elf = elf_memory((char *)&file, sizeof file);
    struct map map = {
        .start = start, .offset = offset, .writable = writable, .executable = executable};
    return layout_read_segments(&layout, elf, &map);
}

/* The usual layout today: the data begins in the page of the file in which the constants end. */
static void add_usual_segments(void)
{
    add(PT_LOAD, PF_R, 0, 0, 0x600, 0x600);
    add(PT_LOAD, PF_R | PF_X, 0x1000, 0x1000, 0x500, 0x500);
    add(PT_LOAD, PF_R, 0x2000, 0x2000, 0xdf0, 0xdf0);
    add(PT_LOAD, PF_R | PF_W, 0x2df0, 0x3df0, 0x250, 0x2000);
}

static void every_mapping_gives_the_same_bias(void **state)
{
    (void)state;
    static const struct map mappings[] = {{.start = 0x10000},
                                          {.start = 0x11000, .offset = 0x1000, .executable = true},
                                          {.start = 0x12000, .offset = 0x2000},
                                          {.start = 0x13000, .offset = 0x2000, .writable = true}};
    add_usual_segments();
    for (size_t i = 0; i < 4; i++) {
        memset(&layout, 0, sizeof layout);
        assert_true(read_at(mappings[i].start, mappings[i].offset, mappings[i].writable,
                            mappings[i].executable));
        assert_int_equal(layout.bias, 0x10000);
        assert_true(layout_fits(&layout, mappings[i].start, mappings[i].offset));
        elf_end(elf);
    }
    elf = NULL;
    assert_false(layout_fits(&layout, 0x21000, 0x1000)); /* another copy */
    assert_false(layout_fits(&layout, 0x11000, 0));
}

static void module_range_includes_bss(void **state)
{
    (void)state;
    uint64_t start;
    uint64_t bound;
    add_usual_segments();
    assert_true(read_at(0x10000, 0, false, false));
    layout_range(&layout, &start, &bound);
    assert_int_equal(start, 0x10000);
    assert_int_equal(bound, 0x10000 + 0x3df0 + 0x2000);
    assert_non_null(layout_segment(&layout, 0x13df0 + 0x24f));
    assert_null(layout_segment(&layout, 0x13df0 + 0x250)); /* .bss has no bytes in the file */
    assert_null(layout_segment(&layout, 0xffff));
}

static void mapping_outside_segments_is_refused(void **state)
{
    (void)state;
    add_usual_segments();
    assert_false(read_at(0x10000, 0x9000, false, false));
}

static void invalid_segments_are_ignored(void **state)
{
    (void)state;
    add_usual_segments();
    add(PT_LOAD, PF_R, 0, UINT64_MAX - 10, 100, 100);    /* wraps */
    add(PT_LOAD, PF_R, 0x4000, 0x9000, UINT64_MAX, 100); /* larger in the file than in memory */
    assert_true(read_at(0x10000, 0, false, false));
    assert_int_equal(layout.segment_count, 4);
}

static void segment_count_is_bounded(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 24; i++)
        add(PT_LOAD, PF_R, i * 4096, i * 4096, 4096, 4096);
    assert_true(read_at(0x10000, 0, false, false));
    assert_int_equal(layout.segment_count, LAYOUT_SEGMENTS_MAX);
}

static void tls_size_is_rounded_without_overflow(void **state)
{
    (void)state;
    add_usual_segments();
    add(PT_TLS, PF_R, 0x2df0, 0x3df0, 0x10, 0x51);
    file.parts[4].p_align = 64;
    assert_true(read_at(0x10000, 0, false, false));
    assert_int_equal(layout.tls_bytes, 0x80);
    elf_end(elf);
    file.parts[4].p_memsz = UINT64_MAX;
    assert_true(read_at(0x10000, 0, false, false));
    assert_int_equal(layout.tls_bytes, 0);
    elf_end(elf);
    file.parts[4].p_align = 0;
    file.parts[4].p_memsz = 0x51;
    assert_true(read_at(0x10000, 0, false, false));
    assert_int_equal(layout.tls_bytes, 0x51);
}

static int run_layout(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_mapping_gives_the_same_bias, begin, end),
        cmocka_unit_test_setup_teardown(module_range_includes_bss, begin, end),
        cmocka_unit_test_setup_teardown(mapping_outside_segments_is_refused, begin, end),
        cmocka_unit_test_setup_teardown(invalid_segments_are_ignored, begin, end),
        cmocka_unit_test_setup_teardown(segment_count_is_bounded, begin, end),
        cmocka_unit_test_setup_teardown(tls_size_is_rounded_without_overflow, begin, end),
        cmocka_unit_test(objects_are_found_by_name_or_substring),
    };
    return cmocka_run_group_tests_name("layout", tests, NULL, NULL);
}

int main(void)
{
    int failed = 0;
    failed += run_members();
    failed += run_layout();
    return failed;
}
