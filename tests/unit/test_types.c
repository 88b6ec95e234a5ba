/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include "resolve/typing.h"
#include "small_types.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct types types;

static int start(void **state)
{
    (void)state;
    types_init(&types);
    return 0;
}

static int end(void **state)
{
    (void)state;
    types_fini(&types);
    return 0;
}

static void ids_are_dense_from_one(void **state)
{
    (void)state;
    assert_int_equal(types_add(&types, 1, 10, &small_int), 1);
    assert_int_equal(types_add(&types, 1, 11, &small_particle), 2);
    assert_int_equal(types_add(&types, 1, 12, &small_vec3), 3);
    assert_null(types_at(&types, 0));
    assert_null(types_at(&types, 4));
    assert_null(types_at(&types, UINT32_MAX));
    assert_string_equal(types_at(&types, 1)->name, "int");
    assert_int_equal(types_at(&types, 1)->member_count, 0);
    assert_int_equal(types_at(&types, 2)->member_count, small_particle.member_count);
}

static void what_two_files_tell_is_one(void **state)
{
    (void)state;
    uint32_t first = types_add(&types, 1, 10, &small_particle);
    assert_int_equal(types_add(&types, 2, 77, &small_particle), first);
    assert_int_equal(types_add(&types, 1, 11, &small_particle), first);
    assert_int_equal(types.count, 1);
    assert_int_equal(types_of_file(&types, 1, 10), first);
    assert_int_equal(types_of_file(&types, 2, 77), first);
    assert_int_equal(types_of_file(&types, 2, 10), 0);
    assert_int_equal(types_of_file(&types, 3, 77), 0);
}

/* Nothing of what was told is pointed to: the reader's memory goes. */
static void copies_are_deep(void **state)
{
    (void)state;
    char name[] = "struct gone";
    char of_member[] = "member";
    char type_of_member[] = "long";
    struct type_member member = {
        .name = of_member, .type = type_of_member, .size = 8, .parent = TYPE_NO_MEMBER};
    struct type_desc desc = {
        .name = name, .kind = TYPE_STRUCT, .size = 8, .members = &member, .member_count = 1};
    const struct type_desc *kept = types_at(&types, types_add(&types, 1, 1, &desc));
    memset(name, 'x', sizeof name - 1);
    memset(of_member, 'x', sizeof of_member - 1);
    memset(type_of_member, 'x', sizeof type_of_member - 1);
    member.size = 1;
    assert_string_equal(kept->name, "struct gone");
    assert_string_equal(kept->members[0].name, "member");
    assert_string_equal(kept->members[0].type, "long");
    assert_int_equal(kept->members[0].size, 8);
}

/* Every part of a description tells two types apart. */
static void any_difference_is_another_type(void **state)
{
    (void)state;
    struct type_member members[3];
    struct type_desc desc = small_vec3;
    desc.members = members;
    memcpy(members, small_vec3.members, sizeof members);
    uint32_t first = types_add(&types, 1, 1, &desc);
#define DIFFERS(PLACE, VALUE)                                                                      \
    do {                                                                                           \
        desc = small_vec3;                                                                         \
        desc.members = members;                                                                    \
        memcpy(members, small_vec3.members, sizeof members);                                       \
        (PLACE) = (VALUE);                                                                         \
        uint32_t before = types.count;                                                             \
        assert_int_equal(types_add(&types, 1, 2, &desc), before + 1);                              \
    } while (0)
    DIFFERS(desc.name, "struct vec");
    DIFFERS(desc.size, 32);
    DIFFERS(desc.kind, TYPE_UNION);
    DIFFERS(desc.member_count, 2);
    DIFFERS(desc.cut, true);
    DIFFERS(members[1].name, "w");
    DIFFERS(members[1].type, "long");
    DIFFERS(members[1].offset, 9);
    DIFFERS(members[1].size, 4);
    DIFFERS(members[1].count, 2);
    DIFFERS(members[1].stride, 4);
    DIFFERS(members[1].parent, 0);
    DIFFERS(members[1].depth, 1);
    DIFFERS(members[1].kind, MEMBER_BASE);
    DIFFERS(members[1].bit_offset, 3);
    DIFFERS(members[1].bit_size, 3);
#undef DIFFERS
    assert_int_equal(types_of_file(&types, 1, 1), first);
}

/* More members than a type may have are left out, and that is told. */
static void too_many_members_are_cut(void **state)
{
    (void)state;
    enum { MANY = TYPE_MEMBERS_MAX * 4 };
    struct type_member *members = calloc(MANY, sizeof *members);
    for (uint32_t i = 0; i < MANY; i++)
        members[i] = (struct type_member){
            .name = "m", .type = "int", .offset = i * 4, .size = 4, .parent = TYPE_NO_MEMBER};
    struct type_desc desc = {
        .name = "struct wide", .kind = TYPE_STRUCT, .size = MANY * 4, .members = members};
    desc.member_count = MANY;
    const struct type_desc *kept = types_at(&types, types_add(&types, 1, 1, &desc));
    free(members);
    assert_non_null(kept);
    assert_int_equal(kept->member_count, TYPE_MEMBERS_MAX);
    assert_true(kept->cut);
}

/* What is known stays found when there is no room for more; what is new is not known. */
static void it_can_be_full(void **state)
{
    (void)state;
    char name[32];
    struct type_desc desc = {.name = name, .kind = TYPE_SCALAR, .size = 8};
    uint32_t last = 0;
    for (uint32_t i = 0; i < 1 << 17; i++) {
        snprintf(name, sizeof name, "enum e%u", i);
        uint32_t type = types_add(&types, 1, i + 1, &desc);
        assert_true(type == last + 1 || !type);
        last = type ? type : last;
        if (!type)
            break;
    }
    assert_true(last < 1 << 17);
    assert_int_equal(types_add(&types, 2, 1, &small_double), 0);
    assert_int_equal(types_of_file(&types, 2, 1), 0);
    strcpy(name, "enum e5");
    assert_int_equal(types_add(&types, 2, 2, &desc), 6);
    assert_int_equal(types_of_file(&types, 2, 2), 6);
}

/* The bound is one of bytes too: long names, many members. */
static void its_memory_is_bounded(void **state)
{
    (void)state;
    enum { LONG = 4000, TOLD = 40000 };
    char *name = calloc(1, LONG + 1);
    memset(name, 'n', LONG);
    struct type_desc desc = {.name = name, .kind = TYPE_SCALAR, .size = 8};
    size_t told = 0;
    for (uint32_t i = 0; i < TOLD; i++) {
        snprintf(name, 16, "%015u", i);
        name[15] = 'n';
        told += types_add(&types, 1, i + 1, &desc) != 0;
    }
    free(name);
    assert_true(told > 1000 && told < TOLD);
    assert_true(types.memory.used_bytes < 80u << 20);
}

static void containing_is_by_members(void **state)
{
    (void)state;
    uint32_t particle = types_add(&types, 1, 1, &small_particle);
    uint32_t vec3 = types_add(&types, 1, 2, &small_vec3);
    uint32_t number = types_add(&types, 1, 3, &small_double);
    uint32_t node = types_add(&types, 1, 4, &small_node);
    uint32_t cells = types_add(&types, 1, 5, &small_cells);
    assert_true(types_contains(&types, particle, vec3));
    assert_true(types_contains(&types, particle, number)); /* deep */
    assert_true(types_contains(&types, cells, vec3));      /* an element of an array */
    assert_false(types_contains(&types, vec3, particle));
    assert_false(types_contains(&types, particle, node));
    assert_false(types_contains(&types, node, node)); /* a pointer to it is no part */
    assert_false(types_contains(&types, particle, 0));
    assert_false(types_contains(&types, 0, vec3));
    assert_false(types_contains(&types, particle, 99));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, start, end)
    const struct CMUnitTest tests[] = {
        TEST(ids_are_dense_from_one),   TEST(what_two_files_tell_is_one),
        TEST(copies_are_deep),          TEST(any_difference_is_another_type),
        TEST(too_many_members_are_cut), TEST(it_can_be_full),
        TEST(its_memory_is_bounded),    TEST(containing_is_by_members),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
