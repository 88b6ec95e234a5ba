/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages of readers: what goes in comes out, and what no honest process would send does not. */
#include "unit.h"

#include "base/hash.h"
#include "resolve/dwarf/wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct channel_bytes line;
static struct arena strings;
static struct wire_message taken;

static int end(void **state)
{
    (void)state;
    free(line.at);
    line = (struct channel_bytes){0};
    arena_fini(&strings);
    return 0;
}

static void put(enum wire_kind kind, struct wire_message message)
{
    assert_true(wire_put(&line, kind, &message));
}

static enum wire_kind take(void)
{
    return wire_take(&line, &taken, &strings);
}

static struct dwarf_answer some_answer(void)
{
    return (struct dwarf_answer){.untyped = UNTYPED_VOID,
                                 .how = DWARF_HOW_STACK,
                                 .slot = DWARF_SLOT_SPILL,
                                 .type = 9,
                                 .count = 1ull << 40,
                                 .offset = -8,
                                 .indexed = true,
                                 .size = 64,
                                 .name = "list",
                                 .file = "/src/a.c",
                                 .line = 77,
                                 .inlined_count = 2,
                                 .inlined = {"min", NULL},
                                 .inlined_file = {NULL, "b.h"},
                                 .inlined_line = {3, 4}};
}

static const struct type_member two_members[] = {
    {.name = "at", .type = "struct point", .size = 16, .parent = TYPE_NO_MEMBER},
    {.name = "y",
     .type = "double",
     .offset = 8,
     .size = 8,
     .parent = 0,
     .depth = 1,
     .bit_offset = 3,
     .bit_size = 5}};

static struct dwarf_type some_type(void)
{
    return (struct dwarf_type){.type = 3,
                               .desc = {.name = "struct atom",
                                        .kind = TYPE_STRUCT,
                                        .size = 24,
                                        .members = two_members,
                                        .member_count = 2}};
}

static void a_question_crosses(void **state)
{
    (void)state;
    const struct dwarf_question question = {.ask = DWARF_SLOT,
                                            .pc = 1,
                                            .address = 1ull << 63,
                                            .slot = -16,
                                            .displacement = INT64_MIN,
                                            .base = 3,
                                            .index = 4,
                                            .size = 5};
    put(WIRE_QUESTION, (struct wire_message){.number = 12, .question = question});
    assert_int_equal(take(), WIRE_QUESTION);
    assert_int_equal(taken.number, 12);
    assert_int_equal(taken.question.ask, DWARF_SLOT);
    assert_int_equal(taken.question.address, 1ull << 63);
    assert_int_equal(taken.question.slot, -16);
    assert_true(taken.question.displacement == INT64_MIN);
    assert_int_equal(taken.question.base, 3);
    assert_int_equal(taken.question.index, 4);
    assert_int_equal(taken.question.size, 5);
    assert_int_equal(take(), WIRE_NOTHING);
}

static void an_answer_crosses(void **state)
{
    (void)state;
    put(WIRE_ANSWER, (struct wire_message){.number = 1, .answer = some_answer()});
    assert_int_equal(take(), WIRE_ANSWER);
    assert_int_equal(taken.answer.untyped, UNTYPED_VOID);
    assert_int_equal(taken.answer.how, DWARF_HOW_STACK);
    assert_int_equal(taken.answer.slot, DWARF_SLOT_SPILL);
    assert_int_equal(taken.answer.type, 9);
    assert_int_equal(taken.answer.count, 1ull << 40);
    assert_int_equal(taken.answer.offset, -8);
    assert_true(taken.answer.indexed);
    assert_string_equal(taken.answer.name, "list");
    assert_string_equal(taken.answer.file, "/src/a.c");
    assert_int_equal(taken.answer.line, 77);
    assert_string_equal(taken.answer.inlined[0], "min");
    assert_null(taken.answer.inlined[1]);
    assert_string_equal(taken.answer.inlined_file[1], "b.h");
    assert_int_equal(taken.answer.inlined_line[1], 4);
}

static void a_type_crosses(void **state)
{
    (void)state;
    put(WIRE_TYPE, (struct wire_message){.type = some_type()});
    assert_int_equal(take(), WIRE_TYPE);
    const struct type_desc *desc = &taken.type.desc;
    assert_int_equal(taken.type.type, 3);
    assert_string_equal(desc->name, "struct atom");
    assert_int_equal(desc->kind, TYPE_STRUCT);
    assert_int_equal(desc->size, 24);
    assert_int_equal(desc->member_count, 2);
    assert_false(desc->cut);
    assert_string_equal(desc->members[1].name, "y");
    assert_string_equal(desc->members[1].type, "double");
    assert_int_equal(desc->members[1].offset, 8);
    assert_int_equal(desc->members[1].parent, 0);
    assert_int_equal(desc->members[1].bit_size, 5);
}

/* By all but the reference, so that it is known when it is told again. */
static void types_are_told_apart_by_content(void **state)
{
    (void)state;
    struct dwarf_type type = some_type();
    uint64_t contents[3];
    for (int i = 0; i < 3; i++) {
        put(WIRE_TYPE, (struct wire_message){.type = type});
        assert_int_equal(take(), WIRE_TYPE);
        contents[i] = taken.content;
        type.type = 4;
        type.desc.size = 24 + (uint64_t)i;
    }
    assert_true(contents[0] == contents[1]);
    assert_true(contents[1] != contents[2]);
}

static void half_a_message_waits_for_the_rest(void **state)
{
    (void)state;
    put(WIRE_ANSWER, (struct wire_message){.answer = some_answer()});
    size_t whole = line.end;
    for (line.end = 0; line.end < whole; line.end++)
        assert_int_equal(take(), WIRE_NOTHING);
    assert_int_equal(take(), WIRE_ANSWER);
}

static void strings_are_sanitised_again(void **state)
{
    (void)state;
    struct dwarf_answer answer = some_answer();
    answer.name = "a\033[2Jb";
    put(WIRE_ANSWER, (struct wire_message){.answer = answer});
    assert_int_equal(take(), WIRE_ANSWER);
    assert_string_equal(taken.answer.name, "a?[2Jb");
}

static void a_type_too_large_is_cut(void **state)
{
    (void)state;
    static char name[WIRE_TEXT_MAX + 1];
    static struct type_member members[TYPE_MEMBERS_MAX + 10];
    memset(name, 'x', WIRE_TEXT_MAX);
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        members[i] = (struct type_member){.name = name, .type = name, .parent = TYPE_NO_MEMBER};
    struct dwarf_type type = some_type();
    type.desc.members = members;
    type.desc.member_count = TYPE_MEMBERS_MAX + 10;
    put(WIRE_TYPE, (struct wire_message){.type = type});
    assert_int_equal(take(), WIRE_TYPE);
    assert_in_range(taken.type.desc.member_count, 100, 200);
    assert_true(taken.type.desc.cut);
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        members[i].name = members[i].type = "x";
    put(WIRE_TYPE, (struct wire_message){.type = type});
    assert_int_equal(take(), WIRE_TYPE);
    assert_int_equal(taken.type.desc.member_count, TYPE_MEMBERS_MAX);
    assert_true(taken.type.desc.cut);
}

/* The members after one that makes no sense are left out with it. */
static void members_out_of_place_are_cut(void **state)
{
    (void)state;
    const struct type_member wrong[] = {
        {.name = "a", .type = "int", .parent = 1, .depth = 1},
        {.name = "a", .type = "int", .parent = 0, .depth = 2},
        {.name = "a", .type = "int", .parent = TYPE_NO_MEMBER, .depth = 1},
        {.name = "a", .type = "int", .parent = TYPE_NO_MEMBER, .kind = 9},
        {.name = "a", .type = "int", .parent = TYPE_NO_MEMBER, .count = 4},
        {.name = "a", .type = "int", .parent = TYPE_NO_MEMBER, .offset = 8, .size = UINT64_MAX},
        {.type = "int", .parent = TYPE_NO_MEMBER}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct type_member members[3] = {two_members[0], wrong[i], two_members[1]};
        struct dwarf_type type = some_type();
        type.desc.members = members;
        type.desc.member_count = 3;
        put(WIRE_TYPE, (struct wire_message){.type = type});
        assert_int_equal(take(), WIRE_TYPE);
        assert_int_equal(taken.type.desc.member_count, 1);
        assert_true(taken.type.desc.cut);
    }
}

/* Any bytes at all: never outside of what came, never more than it could hold. */
static void changed_messages_do_no_harm(void **state)
{
    (void)state;
    struct prng prng = {.state = 4};
    unsigned kinds[WIRE_ANSWER + 1] = {0};
    for (int i = 0; i < 20000; i++) {
        put(WIRE_TYPE, (struct wire_message){.type = some_type()});
        put(WIRE_ANSWER, (struct wire_message){.answer = some_answer()});
        /* To its exact size, so that a sanitizer sees a step beyond. */
        unsigned char *exact = malloc(line.end);
        struct channel_bytes hostile = {.at = exact, .end = line.end, .room = line.end};
        memcpy(exact, line.at, line.end);
        for (int changes = 0; changes < 3; changes++)
            exact[prng_below(&prng, (uint32_t)line.end)] = (unsigned char)prng_next(&prng);
        enum wire_kind kind;
        while ((kind = wire_take(&hostile, &taken, &strings)) > WIRE_BROKEN) {
            if (kind == WIRE_TYPE)
                assert_in_range(taken.type.desc.member_count, 0, 2);
            kinds[kind]++;
        }
        kinds[kind]++;
        assert_true(strings.used_bytes < 65536);
        arena_fini(&strings);
        free(exact);
        line.start = line.end = 0;
    }
    assert_true(kinds[WIRE_BROKEN] > 100 && kinds[WIRE_TYPE] > 100 && kinds[WIRE_ANSWER] > 100);
}

#define TEST(test) cmocka_unit_test_teardown(test, end)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(a_question_crosses),
                                       TEST(an_answer_crosses),
                                       TEST(a_type_crosses),
                                       TEST(types_are_told_apart_by_content),
                                       TEST(half_a_message_waits_for_the_rest),
                                       TEST(strings_are_sanitised_again),
                                       TEST(a_type_too_large_is_cut),
                                       TEST(members_out_of_place_are_cut),
                                       TEST(changed_messages_do_no_harm)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
