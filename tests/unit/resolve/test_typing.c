/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which questions are asked and when, and how answers are used. This test plays the readers. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "resolve/elf/module.h"
#include "resolve/object_types.h"
#include "resolve/typing.h"
#include "unit.h"
#include "unit/resolve/small_types.h"

enum { ASKED_MAX = 1 << 19 };

struct module {
    uint32_t serial;
};

struct readers {
    struct readers_take take;
    struct {
        struct dwarf_question question;
        uint32_t serial;
    } * queries;
    size_t count;
    size_t forgotten; /* questions before this one were dropped */
    bool busy;        /* accepts no questions */
    bool without;     /* the file is known to have no debug information */
};

const struct readers_limits readers_usual;
static struct readers *readers;
static struct typing *typing;
static const struct module one = {1};
static const struct module two = {2};

struct readers *readers_new(const struct readers_limits *limits, const struct readers_take *take)
{
    (void)limits;
    readers = calloc(1, sizeof *readers);
    readers->queries = calloc(ASKED_MAX, sizeof *readers->queries);
    readers->take = *take;
    return readers;
}

void readers_free(struct readers *given)
{
    free(given->queries);
    free(given);
}

bool readers_ask(struct readers *given, const struct module *module,
                 const struct dwarf_question *question)
{
    if (given->busy)
        return false;
    assert_true(given->count < ASKED_MAX);
    given->queries[given->count].question = *question;
    given->queries[given->count++].serial = module->serial;
    return true;
}

void readers_expect(struct readers *given, const struct module *module)
{
    (void)given;
    (void)module;
}

size_t readers_run(struct readers *given, uint64_t now_ns)
{
    (void)given;
    return now_ns ? 0 : 1;
}

void readers_forget(struct readers *given)
{
    given->forgotten = given->count;
}

bool readers_without(const struct readers *given, const struct module *module)
{
    (void)module;
    return given->without;
}

void readers_wait(const struct readers *given)
{
    (void)given;
}

struct readers_status readers_status(const struct readers *given)
{
    return (struct readers_status){.pending_requests = (uint32_t)given->count};
}

uint32_t module_serial(const struct module *module)
{
    return module->serial;
}

static int start(void **state)
{
    (void)state;
    typing = typing_new();
    return !typing;
}

static int end(void **state)
{
    (void)state;
    typing_free(typing);
    return 0;
}

static void report_type(uint32_t serial, uint32_t reference, const struct type_desc *desc)
{
    readers->take.type(readers->take.context, serial,
                       &(struct dwarf_type){.type = reference, .desc = *desc});
}

/* Answers the i-th question with the fields set in `answer`. */
static void answer(size_t i, struct dwarf_answer answer)
{
    answer.question = readers->queries[i].question;
    readers->take.answer(readers->take.context, readers->queries[i].serial, &answer);
}

static struct access access_at(uint64_t ip, int64_t displacement)
{
    return (struct access){
        .ip = ip, .displacement = displacement, .base = SREG_BX, .index = SREG_NONE, .size = 8};
}

static const struct typed_answer *operand(uint64_t ip, int64_t displacement)
{
    struct access access = access_at(ip, displacement);
    return typing_operand(typing, &one, &access);
}

static void each_typing_question_is_asked_once(void **state)
{
    (void)state;
    for (int again = 0; again < 3; again++) {
        assert_null(operand(0x1000, 8));
        assert_null(operand(0x1000, 16));
        assert_null(operand(0x1004, 8));
        assert_null(typing_answer(typing, &one, DWARF_VARIABLE, 0x1000, 0x5000));
        assert_null(typing_answer(typing, &one, DWARF_VARIABLE, 0x1004,
                                  0x5000)); /* whatever code accesses it */
        assert_null(typing_answer(typing, &two, DWARF_VARIABLE, 0x1000, 0x5000));
        assert_null(typing_answer(typing, &one, DWARF_TLS, 0x1000, 0x5000));
        assert_null(typing_slot(typing, &one, 0x1000, -24));
        assert_null(typing_slot(typing, &one, 0x1000, -16));
        assert_null(typing_slot(typing, &one, 0x1004, -16));
        assert_null(typing_line(typing, &one, 0x1000));
        assert_null(typing_answer(typing, &one, DWARF_CALL, 0x1000, 0));
    }
    assert_int_equal(readers->count, 11);
    answer(0, (struct dwarf_answer){.untyped = UNTYPED_VOID});
    for (int again = 0; again < 3; again++)
        assert_int_equal(operand(0x1000, 8)->untyped, UNTYPED_VOID);
    assert_int_equal(readers->count, 11);
}

/* An array in a frame: a slot is rarely accessed twice, and one answer applies to all slots. */
static void frame_variable_is_asked_about_once(void **state)
{
    const struct dwarf_answer table = {
        .slot = DWARF_SLOT_VARIABLE, .name = "table", .size = 800, .count = 100, .offset = 40};
    const struct dwarf_answer spill = {.slot = DWARF_SLOT_SPILL, .untyped = UNTYPED_SPILL};
    (void)state;
    for (int64_t slot = -760; slot < -400; slot += 8) /* without one question per slot */
        assert_null(typing_slot(typing, &one, 0x1000, slot));
    assert_int_equal(readers->count, 2);
    answer(0, table); /* begins at -800 */
    const struct typed_answer *variable = typing_slot(typing, &one, 0x1000, -800);
    assert_non_null(variable);
    assert_int_equal(variable->offset, 0);
    assert_int_equal(typing_slot(typing, &one, 0x1000, -1)->offset, 799);
    assert_int_equal(typing_slot(typing, &one, 0x1000, -760)->offset, 40);
    assert_string_equal(typing_slot(typing, &one, 0x1000, -96)->name, "table");
    assert_int_equal(readers->count, 2);
    assert_null(typing_slot(typing, &one, 0x1000, 0)); /* outside it */
    assert_null(typing_slot(typing, &one, 0x1000, -808));
    assert_null(typing_slot(typing, &two, 0x1000, -760)); /* in another file */
    assert_null(typing_slot(typing, &one, 0x1004, -760));
    assert_int_equal(readers->count, 5);
    struct dwarf_answer second = table;
    second.offset = 48;
    answer(1, second);
    answer(2, spill); /* applies to one slot only */
    assert_int_equal(typing_slot(typing, &one, 0x1000, 0)->slot, DWARF_SLOT_SPILL);
    assert_null(typing_slot(typing, &one, 0x1000, 8));
    assert_int_equal(readers->count, 6);
    typing_forget(typing);
    assert_null(typing_slot(typing, &one, 0x1000, -800));
}

static void operands_differing_in_any_part_are_asked_separately(void **state)
{
    (void)state;
    struct access usual = access_at(0x1000, 8);
    struct access differ[4] = {usual, usual, usual, usual};
    differ[0].base = SREG_BP;
    differ[1].index = SREG_CX;
    differ[2].size = 4;
    differ[3].displacement = -8;
    typing_operand(typing, &one, &usual);
    for (size_t i = 0; i < 4; i++) {
        typing_operand(typing, &one, &differ[i]);
        assert_int_equal(readers->count, i + 2);
        const struct dwarf_question *question = &readers->queries[i + 1].question;
        assert_int_equal(question->ask, DWARF_ACCESS);
        assert_int_equal(question->pc, 0x1000);
        assert_int_equal(question->base, differ[i].base);
        assert_int_equal(question->index, differ[i].index);
        assert_int_equal(question->size, differ[i].size);
        assert_true(question->displacement == differ[i].displacement);
    }
}

/* Answers the last question first: each answer goes to its own question. */
static void answers_may_arrive_in_any_order(void **state)
{
    (void)state;
    enum { QUESTIONS = 1000 };
    report_type(1, 5, &small_particle);
    for (uint64_t i = 0; i < QUESTIONS; i++)
        operand(0x1000 + i, 8);
    for (size_t i = QUESTIONS; i-- > 0;)
        answer(i, (struct dwarf_answer){.type = 5, .offset = (int64_t)i, .indexed = i % 2});
    for (uint64_t i = 0; i < QUESTIONS; i++) {
        const struct typed_answer *known = operand(0x1000 + i, 8);
        assert_non_null(known);
        assert_int_equal(known->type, 1);
        assert_int_equal(known->offset, i);
        assert_int_equal(known->indexed, i % 2);
        assert_int_equal(known->untyped, 0);
    }
    assert_int_equal(readers->count, QUESTIONS);
}

static void type_references_are_per_file(void **state)
{
    (void)state;
    report_type(1, 5, &small_particle);
    report_type(2, 5, &small_node);
    report_type(2, 6, &small_particle);
    typing_answer(typing, &one, DWARF_VARIABLE, 0, 0x5000);
    typing_answer(typing, &two, DWARF_VARIABLE, 0, 0x6000);
    typing_answer(typing, &two, DWARF_VARIABLE, 0, 0x7000);
    typing_answer(typing, &two, DWARF_VARIABLE, 0, 0x8000);
    answer(0, (struct dwarf_answer){.type = 5, .count = 7, .size = 448, .name = "particles"});
    answer(1, (struct dwarf_answer){.type = 5, .offset = 8});
    answer(2, (struct dwarf_answer){.type = 6});
    answer(3, (struct dwarf_answer){.type = 7}); /* never reported */
    const struct typed_answer *known = typing_answer(typing, &one, DWARF_VARIABLE, 0, 0x5000);
    assert_string_equal(known->name, "particles");
    assert_int_equal(known->count, 7);
    assert_int_equal(known->size, 448);
    uint32_t particle = known->type;
    const struct types *types = typing_types(typing);
    assert_string_equal(types_at(types, particle)->name, "struct particle");
    known = typing_answer(typing, &two, DWARF_VARIABLE, 0, 0x6000);
    assert_string_equal(types_at(types, known->type)->name, "struct node");
    assert_int_equal(known->offset, 8);
    assert_null(known->name);
    assert_int_equal(typing_answer(typing, &two, DWARF_VARIABLE, 0, 0x7000)->type, particle);
    known = typing_answer(typing, &two, DWARF_VARIABLE, 0, 0x8000);
    assert_int_equal(known->type, 0);
    assert_int_equal(known->untyped, UNTYPED_GAVE_UP);
    report_type(1, 5, &small_node); /* another process reads the file */
    typing_answer(typing, &one, DWARF_VARIABLE, 0, 0x9000);
    answer(4, (struct dwarf_answer){.type = 5});
    known = typing_answer(typing, &one, DWARF_VARIABLE, 0, 0x9000);
    assert_string_equal(types_at(types, known->type)->name, "struct node");
}

/* The reader's strings are valid only until its next answer. */
static void reader_strings_are_copied(void **state)
{
    (void)state;
    char file[] = "/src/a.c";
    char inner[] = "min";
    char outer[] = "clamp";
    char name[] = "struct node.list";
    typing_line(typing, &one, 0x1000);
    typing_answer(typing, &one, DWARF_CALL, 0x1000, 0);
    typing_line(typing, &one, 0x2000);
    answer(0, (struct dwarf_answer){
                  .file = file, .line = 12, .inlined_count = 2, .inlined = {inner, outer}});
    answer(1, (struct dwarf_answer){.name = name});
    answer(2, (struct dwarf_answer){.file = NULL});
    memset(file, 'x', sizeof file - 1);
    memset(inner, 'x', sizeof inner - 1);
    memset(outer, 'x', sizeof outer - 1);
    memset(name, 'x', sizeof name - 1);
    const struct typed_line *line = typing_line(typing, &one, 0x1000);
    assert_string_equal(line->file, "/src/a.c");
    assert_string_equal(line->inlined, "min < clamp");
    assert_int_equal(line->line, 12);
    assert_string_equal(typing_answer(typing, &one, DWARF_CALL, 0x1000, 0)->name,
                        "struct node.list");
    line = typing_line(typing, &one, 0x2000);
    assert_null(line->file);
    assert_null(line->inlined);
}

/* A line of an inlined library function is not the program's. */
static void own_line_is_outside_inlined_library_code(void **state)
{
    (void)state;
    static const char library[] = "/usr/include/c++/12/bits/new_allocator.h";
    typing_line(typing, &one, 0x1000);
    typing_line(typing, &one, 0x2000);
    typing_line(typing, &one, 0x3000);
    answer(0, (struct dwarf_answer){.file = library,
                                    .line = 137,
                                    .inlined_count = 3,
                                    .inlined = {"allocate", "push_back", "fill"},
                                    .inlined_file = {library, "/home/me/usr/include/a.h", "/b.c"},
                                    .inlined_line = {500, 15, 20}});
    answer(1, (struct dwarf_answer){.file = "/b.c",
                                    .line = 3,
                                    .inlined_count = 1,
                                    .inlined = {"min"},
                                    .inlined_file = {"/c.c"},
                                    .inlined_line = {4}});
    answer(2, (struct dwarf_answer){.file = library,
                                    .line = 137,
                                    .inlined_count = 2,
                                    .inlined = {"allocate", "push_back"},
                                    .inlined_file = {library, library},
                                    .inlined_line = {500, 600}});
    const struct typed_line *line = typing_line(typing, &one, 0x1000);
    assert_int_equal(line->line, 137);
    assert_string_equal(line->own_file, "/home/me/usr/include/a.h");
    assert_int_equal(line->own_line, 15);
    line = typing_line(typing, &one, 0x2000);
    assert_string_equal(line->own_file, "/b.c");
    assert_int_equal(line->own_line, 3);
    line = typing_line(typing, &one, 0x3000);
    assert_string_equal(line->own_file, library);
    assert_int_equal(line->own_line, 600);
}

static void inlined_function_names_are_bounded(void **state)
{
    (void)state;
    char name[301];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = 0;
    struct dwarf_answer reported = {.inlined_count = UINT32_MAX};
    for (int i = 0; i < DWARF_INLINED_MAX; i++)
        reported.inlined[i] = i == 1 ? NULL : name;
    typing_line(typing, &one, 0x1000);
    answer(0, reported);
    const struct typed_line *line = typing_line(typing, &one, 0x1000);
    assert_in_range(strlen(line->inlined), 300, 512);
    assert_memory_equal(line->inlined + 300, " < ?", 4);
}

static void unrequested_answers_are_ignored(void **state)
{
    (void)state;
    struct dwarf_answer stray = {.question = {.ask = DWARF_LINE, .pc = 0x1000}, .line = 5};
    readers->take.answer(readers->take.context, 1, &stray);
    assert_null(typing_line(typing, &one, 0x1000));
    answer(0, (struct dwarf_answer){.line = 6});
    answer(0, (struct dwarf_answer){.line = 7}); /* the first one is kept */
    assert_int_equal(typing_line(typing, &one, 0x1000)->line, 6);
    struct dwarf_answer of_another = {.question = {.ask = DWARF_LINE, .pc = 0x2000}, .line = 8};
    assert_null(typing_line(typing, &two, 0x2000));
    readers->take.answer(readers->take.context, 1, &of_another);
    assert_null(typing_line(typing, &two, 0x2000));
}

static void busy_readers_are_asked_again(void **state)
{
    (void)state;
    readers->busy = true;
    assert_null(operand(0x1000, 8));
    assert_null(operand(0x1000, 8));
    readers->busy = false;
    assert_null(operand(0x1000, 8));
    assert_null(operand(0x1000, 8));
    assert_int_equal(readers->count, 1);
}

/* Types are kept, but results for addresses are dropped; a pending answer is harmless. */
static void forgotten_addresses_are_asked_again(void **state)
{
    (void)state;
    report_type(1, 5, &small_particle);
    operand(0x1000, 8);
    operand(0x2000, 8);
    answer(0, (struct dwarf_answer){.type = 5});
    typing_forget(typing);
    assert_int_equal(readers->forgotten, 2);
    assert_string_equal(types_at(typing_types(typing), 1)->name, "struct particle");
    answer(1, (struct dwarf_answer){.type = 5});
    assert_null(operand(0x1000, 8));
    assert_null(operand(0x2000, 8));
    assert_int_equal(readers->count, 4);
    answer(3, (struct dwarf_answer){.type = 5, .offset = 40});
    assert_int_equal(operand(0x2000, 8)->offset, 40);
}

static void code_without_file_is_untyped_at_once(void **state)
{
    (void)state;
    struct access access = access_at(0x1000, 8);
    assert_int_equal(typing_operand(typing, NULL, &access)->untyped, UNTYPED_NO_CODE);
    assert_int_equal(readers->count, 0);
}

static void files_without_debug_info_are_not_asked(void **state)
{
    (void)state;
    readers->without = true;
    assert_int_equal(operand(0x1000, 8)->untyped, UNTYPED_NO_DEBUG);
    assert_int_equal(typing_slot(typing, &one, 0x1000, 8)->untyped, UNTYPED_NO_DEBUG);
    assert_null(typing_line(typing, &one, 0x1000)->file);
    assert_int_equal(readers->count, 0);
}

/* When full, known answers stay valid, and new questions fail at once instead of waiting. */
static void full_typing_refuses_new_questions(void **state)
{
    (void)state;
    uint64_t queries = 0;
    while (queries < ASKED_MAX && !operand(0x1000 + queries, 8))
        queries++;
    assert_true(queries < ASKED_MAX);
    assert_int_equal(readers->count, queries);
    assert_int_equal(operand(0x1000 + queries, 8)->untyped, UNTYPED_GAVE_UP);
    assert_int_equal(typing_answer(typing, &one, DWARF_VARIABLE, 0, 0x5000)->untyped,
                     UNTYPED_GAVE_UP);
    assert_int_equal(typing_answer(typing, &one, DWARF_VARIABLE, 0, 0x5000)->type, 0);
    assert_null(typing_line(typing, &one, 0x5000)->file);
    assert_null(typing_answer(typing, &one, DWARF_CALL, 0x5000, 0)->name);
    answer(77, (struct dwarf_answer){.untyped = UNTYPED_VOID});
    assert_int_equal(operand(0x1000 + 77, 8)->untyped, UNTYPED_VOID);
    typing_forget(typing);
    assert_null(operand(0x1000 + queries, 8));
}

static int run_typing(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, start, end)
    const struct CMUnitTest tests[] = {
        TEST(each_typing_question_is_asked_once),
        TEST(operands_differing_in_any_part_are_asked_separately),
        TEST(answers_may_arrive_in_any_order),
        TEST(type_references_are_per_file),
        TEST(reader_strings_are_copied),
        TEST(own_line_is_outside_inlined_library_code),
        TEST(inlined_function_names_are_bounded),
        TEST(unrequested_answers_are_ignored),
        TEST(frame_variable_is_asked_about_once),
        TEST(busy_readers_are_asked_again),
        TEST(forgotten_addresses_are_asked_again),
        TEST(code_without_file_is_untyped_at_once),
        TEST(files_without_debug_info_are_not_asked),
        TEST(full_typing_refuses_new_questions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#undef TEST

static struct types types_types;

static int types_start(void **state)
{
    (void)state;
    types_init(&types_types);
    return 0;
}

static int types_end(void **state)
{
    (void)state;
    types_fini(&types_types);
    return 0;
}

static void type_ids_are_dense_from_one(void **state)
{
    (void)state;
    assert_int_equal(types_add(&types_types, 1, 10, &small_int), 1);
    assert_int_equal(types_add(&types_types, 1, 11, &small_particle), 2);
    assert_int_equal(types_add(&types_types, 1, 12, &small_vec3), 3);
    assert_null(types_at(&types_types, 0));
    assert_null(types_at(&types_types, 4));
    assert_null(types_at(&types_types, UINT32_MAX));
    assert_string_equal(types_at(&types_types, 1)->name, "int");
    assert_int_equal(types_at(&types_types, 1)->member_count, 0);
    assert_int_equal(types_at(&types_types, 2)->member_count, small_particle.member_count);
}

static void equal_types_of_two_files_are_merged(void **state)
{
    (void)state;
    uint32_t first = types_add(&types_types, 1, 10, &small_particle);
    assert_int_equal(types_add(&types_types, 2, 77, &small_particle), first);
    assert_int_equal(types_add(&types_types, 1, 11, &small_particle), first);
    assert_int_equal(types_types.count, 1);
    assert_int_equal(types_of_file(&types_types, 1, 10), first);
    assert_int_equal(types_of_file(&types_types, 2, 77), first);
    assert_int_equal(types_of_file(&types_types, 2, 10), 0);
    assert_int_equal(types_of_file(&types_types, 3, 77), 0);
}

/* Keeps no pointers into the reader's memory, which is freed. */
static void type_copies_are_deep(void **state)
{
    (void)state;
    char name[] = "struct gone";
    char of_member[] = "member";
    char type_of_member[] = "long";
    struct type_member member = {
        .name = of_member, .type = type_of_member, .size = 8, .parent = TYPE_NO_MEMBER};
    struct type_desc desc = {
        .name = name, .kind = TYPE_STRUCT, .size = 8, .members = &member, .member_count = 1};
    const struct type_desc *stored = types_at(&types_types, types_add(&types_types, 1, 1, &desc));
    memset(name, 'x', sizeof name - 1);
    memset(of_member, 'x', sizeof of_member - 1);
    memset(type_of_member, 'x', sizeof type_of_member - 1);
    member.size = 1;
    assert_string_equal(stored->name, "struct gone");
    assert_string_equal(stored->members[0].name, "member");
    assert_string_equal(stored->members[0].type, "long");
    assert_int_equal(stored->members[0].size, 8);
}

/* Any difference in a description makes two types different. */
static void any_difference_makes_another_type(void **state)
{
    (void)state;
    struct type_member members[3];
    struct type_desc desc = small_vec3;
    desc.members = members;
    memcpy(members, small_vec3.members, sizeof members);
    uint32_t first = types_add(&types_types, 1, 1, &desc);
#define DIFFERS(PLACE, VALUE)                                                                      \
    do {                                                                                           \
        desc = small_vec3;                                                                         \
        desc.members = members;                                                                    \
        memcpy(members, small_vec3.members, sizeof members);                                       \
        (PLACE) = (VALUE);                                                                         \
        uint32_t before = types_types.count;                                                       \
        assert_int_equal(types_add(&types_types, 1, 2, &desc), before + 1);                        \
    } while (0)
    DIFFERS(desc.name, "struct vec");
    DIFFERS(desc.size, 32);
    DIFFERS(desc.kind, TYPE_UNION);
    DIFFERS(desc.member_count, 2);
    DIFFERS(desc.is_truncated, true);
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
    assert_int_equal(types_of_file(&types_types, 1, 1), first);
}

/* Members beyond the maximum are dropped, and `is_truncated` is set. */
static void excess_type_members_are_cut(void **state)
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
    const struct type_desc *stored = types_at(&types_types, types_add(&types_types, 1, 1, &desc));
    free(members);
    assert_non_null(stored);
    assert_int_equal(stored->member_count, TYPE_MEMBERS_MAX);
    assert_true(stored->is_truncated);
}

/* When there is no more room, known types are still found, and new types are not known. */
static void full_type_table_keeps_known_types(void **state)
{
    (void)state;
    char name[32];
    struct type_desc desc = {.name = name, .kind = TYPE_SCALAR, .size = 8};
    uint32_t last = 0;
    for (uint32_t i = 0; i < 1 << 17; i++) {
        snprintf(name, sizeof name, "enum e%u", i);
        uint32_t type = types_add(&types_types, 1, i + 1, &desc);
        assert_true(type == last + 1 || !type);
        last = type ? type : last;
        if (!type)
            break;
    }
    assert_true(last < 1 << 17);
    assert_int_equal(types_add(&types_types, 2, 1, &small_double), 0);
    assert_int_equal(types_of_file(&types_types, 2, 1), 0);
    strcpy(name, "enum e5");
    assert_int_equal(types_add(&types_types, 2, 2, &desc), 6);
    assert_int_equal(types_of_file(&types_types, 2, 2), 6);
}

/* The bound also limits bytes: long names, many members. */
static void type_table_memory_is_bounded(void **state)
{
    (void)state;
    enum { LONG = 4000, REPORTED = 40000 };
    char *name = calloc(1, LONG + 1);
    memset(name, 'n', LONG);
    struct type_desc desc = {.name = name, .kind = TYPE_SCALAR, .size = 8};
    size_t reported = 0;
    for (uint32_t i = 0; i < REPORTED; i++) {
        snprintf(name, 16, "%015u", i);
        name[15] = 'n';
        reported += types_add(&types_types, 1, i + 1, &desc) != 0;
    }
    free(name);
    assert_true(reported > 1000 && reported < REPORTED);
    assert_true(types_types.memory.used_bytes < 80u << 20);
}

static void type_contains_its_member_types(void **state)
{
    (void)state;
    uint32_t particle = types_add(&types_types, 1, 1, &small_particle);
    uint32_t vec3 = types_add(&types_types, 1, 2, &small_vec3);
    uint32_t number = types_add(&types_types, 1, 3, &small_double);
    uint32_t node = types_add(&types_types, 1, 4, &small_node);
    uint32_t cells = types_add(&types_types, 1, 5, &small_cells);
    assert_true(types_contains(&types_types, particle, vec3));
    assert_true(types_contains(&types_types, particle, number)); /* nested */
    assert_true(types_contains(&types_types, cells, vec3));      /* in an array */
    assert_false(types_contains(&types_types, vec3, particle));
    assert_false(types_contains(&types_types, particle, node));
    assert_false(types_contains(&types_types, node, node)); /* a pointer is not a part */
    assert_false(types_contains(&types_types, particle, 0));
    assert_false(types_contains(&types_types, 0, vec3));
    assert_false(types_contains(&types_types, particle, 99));
}

static int run_types(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, types_start, types_end)
    const struct CMUnitTest tests[] = {
        TEST(type_ids_are_dense_from_one),  TEST(equal_types_of_two_files_are_merged),
        TEST(type_copies_are_deep),         TEST(any_difference_makes_another_type),
        TEST(excess_type_members_are_cut),  TEST(full_type_table_keeps_known_types),
        TEST(type_table_memory_is_bounded), TEST(type_contains_its_member_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#undef TEST

static struct types votes_types;
static struct small_ids small;

static int votes_start(void **state)
{
    (void)state;
    types_init(&votes_types);
    small = small_types_add(&votes_types);
    return 0;
}

static int votes_end(void **state)
{
    (void)state;
    types_fini(&votes_types);
    return 0;
}

static void add(struct votes *votes, uint32_t type, uint32_t count)
{
    while (count--)
        votes_add(votes, &votes_types, type, true);
}

static void few_votes_have_no_leader(void **state)
{
    (void)state;
    struct votes votes = {0};
    assert_int_equal(votes_leader(&votes, &votes_types), 0);
    for (uint32_t i = 1; i <= VOTES_MIN; i++) {
        add(&votes, small.particle, 1);
        assert_int_equal(votes_leader(&votes, &votes_types), i < VOTES_MIN ? 0 : small.particle);
    }
}

static void leader_needs_a_clear_majority(void **state)
{
    (void)state;
    struct votes votes = {0};
    add(&votes, small.particle, 40);
    add(&votes, small.node, 30);
    add(&votes, small.other, 30);
    assert_int_equal(votes_leader(&votes, &votes_types), 0);
    add(&votes, small.particle, 60);
    assert_int_equal(votes_leader(&votes, &votes_types), small.particle);
    uint32_t own;
    uint32_t against;
    votes_count(&votes, &votes_types, small.particle, &own, &against);
    assert_int_equal(own, 100);
    assert_int_equal(against, 60);
}

/* Votes for a member count for the type that contains it, even if they are more numerous. */
static void member_votes_count_for_containing_type(void **state)
{
    (void)state;
    struct votes votes = {0};
    uint32_t own;
    uint32_t against;
    add(&votes, small.vec3, 70);
    add(&votes, small.particle, 30);
    add(&votes, small.node, 20);
    assert_int_equal(votes_leader(&votes, &votes_types), small.particle);
    votes_count(&votes, &votes_types, small.particle, &own, &against);
    assert_int_equal(own, 100);
    assert_int_equal(against, 20);
}

/* A struct that would not fit into the block is not its type. */
static void misfitting_type_does_not_lead(void **state)
{
    (void)state;
    struct votes votes = {0};
    add(&votes, small.particle, 60);
    for (int i = 0; i < 40; i++)
        votes_add(&votes, &votes_types, small.particle, false);
    assert_int_equal(votes_leader(&votes, &votes_types), 0);
    add(&votes, small.particle, 200);
    assert_int_equal(votes_leader(&votes, &votes_types), small.particle);
}

/* Copies as plain numbers do not hide a struct; a few structs do not hide an array of numbers. */
static void scalars_lead_only_without_structs(void **state)
{
    (void)state;
    struct votes votes = {0};
    add(&votes, small.number, 85);
    add(&votes, small.particle, 15);
    assert_int_equal(votes_leader(&votes, &votes_types), small.particle);
    struct votes array = {0};
    add(&array, small.number, 95);
    add(&array, small.particle, 5);
    assert_int_equal(votes_leader(&array, &votes_types), small.number);
}

/* The same if there are more kinds of plain numbers than are counted. */
static void many_scalar_types_do_not_hide_a_struct(void **state)
{
    (void)state;
    struct votes votes = {0};
    uint32_t scalars[6];
    for (uint32_t i = 0; i < 6; i++) {
        struct type_desc desc = {.name = (const char *[]){"a", "b", "c", "d", "e", "f"}[i],
                                 .kind = TYPE_SCALAR,
                                 .size = 4};
        scalars[i] = types_add(&votes_types, 1, 20 + i, &desc);
    }
    for (uint32_t i = 0; i < 3000; i++)
        votes_add(&votes, &votes_types, i % 4 ? scalars[i % 6] : small.particle, true);
    assert_int_equal(votes_leader(&votes, &votes_types), small.particle);
}

static void vote_leader_can_change(void **state)
{
    (void)state;
    struct votes votes = {0};
    add(&votes, small.particle, 1 << 21);
    assert_int_equal(votes_leader(&votes, &votes_types), small.particle);
    assert_true(votes.all <= 1 << 20);
    add(&votes, small.node, 1 << 21);
    assert_int_equal(votes_leader(&votes, &votes_types), small.node);
    assert_true(votes.all <= 1 << 20);
}

/* A type that comes after a leader was decremented away gets a clean slot. */
static void vote_slots_are_cleared_on_reuse(void **state)
{
    (void)state;
    struct votes votes = {0};
    uint32_t structs[VOTES_STRUCTS] = {small.particle, small.vec3, small.other,
                                       types_add(&votes_types, 1, 7, &small_cells)};
    for (uint32_t i = 0; i < VOTES_STRUCTS * 3; i++)
        votes_add(&votes, &votes_types, structs[i % VOTES_STRUCTS], false);
    for (int k = 0; k < 3; k++)
        votes_add(&votes, &votes_types, small.node, true); /* decrements all of them */
    for (unsigned i = 0; i < VOTES_TYPES; i++)
        assert_int_equal(votes.count[i], 0);
    add(&votes, small.node, 40);
    assert_int_equal(votes_leader(&votes, &votes_types), small.node);
    for (unsigned i = 0; i < VOTES_TYPES; i++)
        assert_true(votes.misfits[i] == 0 && (votes.type[i] == 0 || votes.type[i] == small.node));
}

/* Any number of votes for numbers in a struct does not decide between structs. */
static void scalar_votes_do_not_decide_between_structs(void **state)
{
    (void)state;
    struct votes votes = {0};
    add(&votes, small.number, 400); /* small.particle has such members, small.node has none */
    add(&votes, small.particle, 20);
    add(&votes, small.node, 80);
    assert_int_equal(votes_leader(&votes, &votes_types), small.node);
}

/* Adds structs (0 to 19) and scalars (20 to 39). */
static void report_many_types(uint32_t ids[40])
{
    char name[8];
    struct type_member member = {.name = "m", .type = "int", .size = 4, .parent = TYPE_NO_MEMBER};
    for (uint32_t i = 0; i < 40; i++) {
        struct type_desc desc = {
            .name = name, .size = 4, .members = &member, .member_count = i < 20};
        snprintf(name, sizeof name, "t%u", i);
        ids[i] = types_add(&votes_types, 1, 100 + i, &desc);
    }
}

static void check_counts(const struct votes *votes, const uint32_t *truth)
{
    uint64_t sum = 0;
    for (unsigned k = 0; k < VOTES_TYPES; k++) {
        assert_true(!votes->count[k] == !votes->type[k]);
        assert_true(!votes->count[k] || votes->count[k] <= truth[votes->type[k]]);
        assert_true(votes->misfits[k] <= votes->count[k]);
        sum += votes->count[k];
    }
    assert_true(sum <= votes->all);
}

/* No count is ever too high, and misfits are a part of it. A struct with more than a fifth of the
 * votes for structs is counted. */
static void vote_counts_never_exceed_the_truth(void **state)
{
    (void)state;
    enum { KINDS = 40, FAVOURITE = 7, VOTES = 20000 };
    uint32_t ids[KINDS];
    report_many_types(ids);
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct prng prng = {seed};
        struct votes votes = {0};
        uint32_t truth[64] = {0};
        for (uint32_t i = 0; i < VOTES; i++) {
            uint32_t kind = (uint32_t)prng_below(&prng, 1 + prng_below(&prng, KINDS));
            uint32_t type = ids[prng_below(&prng, 4) ? kind : FAVOURITE];
            truth[type]++;
            votes_add(&votes, &votes_types, type, prng_below(&prng, 2));
            check_counts(&votes, truth);
        }
        uint32_t structs = 0;
        for (unsigned i = 0; i < 20; i++)
            structs += truth[ids[i]];
        assert_int_equal(votes.all, VOTES);
        assert_int_equal(votes.struct_votes, structs);
        bool counted = truth[ids[FAVOURITE]] <= structs / (VOTES_STRUCTS + 1);
        for (unsigned k = 0; k < VOTES_STRUCTS; k++)
            counted |= votes.type[k] == ids[FAVOURITE];
        assert_true(counted);
    }
}

static int run_votes(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, votes_start, votes_end)
    const struct CMUnitTest tests[] = {
        TEST(few_votes_have_no_leader),
        TEST(leader_needs_a_clear_majority),
        TEST(member_votes_count_for_containing_type),
        TEST(misfitting_type_does_not_lead),
        TEST(scalars_lead_only_without_structs),
        TEST(many_scalar_types_do_not_hide_a_struct),
        TEST(vote_leader_can_change),
        TEST(vote_slots_are_cleared_on_reuse),
        TEST(scalar_votes_do_not_decide_between_structs),
        TEST(vote_counts_never_exceed_the_truth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#undef TEST

int main(void)
{
    int failed = 0;
    failed += run_typing();
    failed += run_types();
    failed += run_votes();
    return failed;
}
