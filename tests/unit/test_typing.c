/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is asked, when, and what becomes of the answers: the readers are played by this test. */
#include "unit.h"

#include "resolve/elf/module.h"
#include "resolve/typing.h"
#include "small_types.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { ASKED_MAX = 1 << 19 };

struct module {
    uint32_t serial;
};

struct readers {
    struct readers_take take;
    struct {
        struct dwarf_question question;
        uint32_t serial;
    } * asked;
    size_t count;
    size_t forgotten; /* asked before this were dropped */
    bool busy;        /* takes no questions */
    bool without;     /* the file is known to have nothing */
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
    readers->asked = calloc(ASKED_MAX, sizeof *readers->asked);
    readers->take = *take;
    return readers;
}

void readers_free(struct readers *given)
{
    free(given->asked);
    free(given);
}

bool readers_ask(struct readers *given, const struct module *module,
                 const struct dwarf_question *question)
{
    if (given->busy)
        return false;
    assert_true(given->count < ASKED_MAX);
    given->asked[given->count].question = *question;
    given->asked[given->count++].serial = module->serial;
    return true;
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

struct readers_status readers_status(const struct readers *given)
{
    return (struct readers_status){.waiting = (uint32_t)given->count};
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

static void tell(uint32_t serial, uint32_t reference, const struct type_desc *desc)
{
    readers->take.type(readers->take.context, serial,
                       &(struct dwarf_type){.type = reference, .desc = *desc});
}

/* Answers the i-th question with what is set in `answer`. */
static void answer(size_t i, struct dwarf_answer answer)
{
    answer.question = readers->asked[i].question;
    readers->take.answer(readers->take.context, readers->asked[i].serial, &answer);
}

static struct access access_at(uint64_t ip, int64_t displacement)
{
    return (struct access){
        .ip = ip, .displacement = displacement, .base = SREG_BX, .index = SREG_NONE, .size = 8};
}

static const struct typed_operand *operand(uint64_t ip, int64_t displacement)
{
    struct access access = access_at(ip, displacement);
    return typing_operand(typing, &one, &access);
}

static void each_question_is_asked_once(void **state)
{
    (void)state;
    for (int again = 0; again < 3; again++) {
        assert_null(operand(0x1000, 8));
        assert_null(operand(0x1000, 16));
        assert_null(operand(0x1004, 8));
        assert_null(typing_global(typing, &one, 0x5000, 0x1000));
        assert_null(typing_global(typing, &one, 0x5000, 0x1004)); /* whoever touches it */
        assert_null(typing_global(typing, &two, 0x5000, 0x1000));
        assert_null(typing_tls(typing, &one, 0x5000, 0x1000));
        assert_null(typing_slot(typing, &one, 0x1000, -24));
        assert_null(typing_slot(typing, &one, 0x1000, -16));
        assert_null(typing_slot(typing, &one, 0x1004, -16));
        assert_null(typing_line(typing, &one, 0x1000));
        assert_null(typing_call(typing, &one, 0x1000));
    }
    assert_int_equal(readers->count, 11);
    answer(0, (struct dwarf_answer){.untyped = UNTYPED_VOID});
    for (int again = 0; again < 3; again++)
        assert_int_equal(operand(0x1000, 8)->untyped, UNTYPED_VOID);
    assert_int_equal(readers->count, 11);
}

/* An array in a frame: its slots are hardly touched twice, and one answer is for all of them. */
static void a_variable_in_a_frame_is_asked_about_once(void **state)
{
    const struct dwarf_answer table = {
        .slot = DWARF_SLOT_VARIABLE, .name = "table", .size = 800, .count = 100, .offset = 40};
    const struct dwarf_answer spill = {.slot = DWARF_SLOT_SPILL, .untyped = UNTYPED_SPILL};
    (void)state;
    for (int64_t slot = -760; slot < -400; slot += 8) /* not one question for each */
        assert_null(typing_slot(typing, &one, 0x1000, slot));
    assert_int_equal(readers->count, 2);
    answer(0, table); /* it begins at -800 */
    const struct typed_variable *variable = typing_slot(typing, &one, 0x1000, -800);
    assert_non_null(variable);
    assert_int_equal(variable->offset, 0);
    assert_int_equal(typing_slot(typing, &one, 0x1000, -1)->offset, 799);
    assert_int_equal(typing_slot(typing, &one, 0x1000, -760)->offset, 40);
    assert_string_equal(typing_slot(typing, &one, 0x1000, -96)->name, "table");
    assert_int_equal(readers->count, 2);
    assert_null(typing_slot(typing, &one, 0x1000, 0)); /* beside it */
    assert_null(typing_slot(typing, &one, 0x1000, -808));
    assert_null(typing_slot(typing, &two, 0x1000, -760)); /* another file, another place */
    assert_null(typing_slot(typing, &one, 0x1004, -760));
    assert_int_equal(readers->count, 5);
    struct dwarf_answer second = table;
    second.offset = 48;
    answer(1, second);
    answer(2, spill); /* it is of one slot only */
    assert_int_equal(typing_slot(typing, &one, 0x1000, 0)->slot, DWARF_SLOT_SPILL);
    assert_null(typing_slot(typing, &one, 0x1000, 8));
    assert_int_equal(readers->count, 6);
    typing_forget(typing);
    assert_null(typing_slot(typing, &one, 0x1000, -800));
}

static void every_part_of_an_operand_is_asked_about(void **state)
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
        const struct dwarf_question *question = &readers->asked[i + 1].question;
        assert_int_equal(question->ask, DWARF_ACCESS);
        assert_int_equal(question->pc, 0x1000);
        assert_int_equal(question->base, differ[i].base);
        assert_int_equal(question->index, differ[i].index);
        assert_int_equal(question->size, differ[i].size);
        assert_true(question->displacement == differ[i].displacement);
    }
}

/* The last question first: each gets its own. */
static void answers_come_in_any_order(void **state)
{
    (void)state;
    enum { QUESTIONS = 1000 };
    tell(1, 5, &small_particle);
    for (uint64_t i = 0; i < QUESTIONS; i++)
        operand(0x1000 + i, 8);
    for (size_t i = QUESTIONS; i-- > 0;)
        answer(i, (struct dwarf_answer){.type = 5, .offset = (int64_t)i, .indexed = i % 2});
    for (uint64_t i = 0; i < QUESTIONS; i++) {
        const struct typed_operand *known = operand(0x1000 + i, 8);
        assert_non_null(known);
        assert_int_equal(known->type, 1);
        assert_int_equal(known->offset, i);
        assert_int_equal(known->indexed, i % 2);
        assert_int_equal(known->untyped, 0);
    }
    assert_int_equal(readers->count, QUESTIONS);
}

static void references_are_the_files_own(void **state)
{
    (void)state;
    tell(1, 5, &small_particle);
    tell(2, 5, &small_node);
    tell(2, 6, &small_particle);
    typing_global(typing, &one, 0x5000, 0);
    typing_global(typing, &two, 0x6000, 0);
    typing_global(typing, &two, 0x7000, 0);
    typing_global(typing, &two, 0x8000, 0);
    answer(0, (struct dwarf_answer){.type = 5, .count = 7, .size = 448, .name = "particles"});
    answer(1, (struct dwarf_answer){.type = 5, .offset = 8});
    answer(2, (struct dwarf_answer){.type = 6});
    answer(3, (struct dwarf_answer){.type = 7}); /* never told */
    const struct typed_variable *known = typing_global(typing, &one, 0x5000, 0);
    assert_string_equal(known->name, "particles");
    assert_int_equal(known->count, 7);
    assert_int_equal(known->size, 448);
    uint32_t particle = known->type;
    const struct types *types = typing_types(typing);
    assert_string_equal(types_at(types, particle)->name, "struct particle");
    known = typing_global(typing, &two, 0x6000, 0);
    assert_string_equal(types_at(types, known->type)->name, "struct node");
    assert_int_equal(known->offset, 8);
    assert_null(known->name);
    assert_int_equal(typing_global(typing, &two, 0x7000, 0)->type, particle);
    known = typing_global(typing, &two, 0x8000, 0);
    assert_int_equal(known->type, 0);
    assert_int_not_equal(known->untyped, UNTYPED_NO_REASON);
}

/* The reader's strings last until its next answer only. */
static void strings_are_kept(void **state)
{
    (void)state;
    char file[] = "/src/a.c";
    char inner[] = "min";
    char outer[] = "clamp";
    char name[] = "struct node.list";
    typing_line(typing, &one, 0x1000);
    typing_call(typing, &one, 0x1000);
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
    assert_string_equal(typing_call(typing, &one, 0x1000)->name, "struct node.list");
    line = typing_line(typing, &one, 0x2000);
    assert_null(line->file);
    assert_null(line->inlined);
}

static void inlined_names_are_bounded(void **state)
{
    (void)state;
    char name[301];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = 0;
    struct dwarf_answer told = {.inlined_count = UINT32_MAX};
    for (int i = 0; i < DWARF_INLINED_MAX; i++)
        told.inlined[i] = i == 1 ? NULL : name;
    typing_line(typing, &one, 0x1000);
    answer(0, told);
    const struct typed_line *line = typing_line(typing, &one, 0x1000);
    assert_in_range(strlen(line->inlined), 300, 512);
    assert_memory_equal(line->inlined + 300, " < ?", 4);
}

static void what_nobody_asked_is_no_answer(void **state)
{
    (void)state;
    struct dwarf_answer stray = {.question = {.ask = DWARF_LINE, .pc = 0x1000}, .line = 5};
    readers->take.answer(readers->take.context, 1, &stray);
    assert_null(typing_line(typing, &one, 0x1000));
    answer(0, (struct dwarf_answer){.line = 6});
    answer(0, (struct dwarf_answer){.line = 7}); /* the first one counts */
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

/* Types stay, what was known of addresses does not; an answer under way does no harm. */
static void forgetting_asks_anew(void **state)
{
    (void)state;
    tell(1, 5, &small_particle);
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

static void code_without_a_file_is_told_at_once(void **state)
{
    (void)state;
    struct access access = access_at(0x1000, 8);
    assert_int_equal(typing_operand(typing, NULL, &access)->untyped, UNTYPED_NO_CODE);
    assert_int_equal(readers->count, 0);
}

static void files_without_are_not_asked(void **state)
{
    (void)state;
    readers->without = true;
    assert_int_equal(operand(0x1000, 8)->untyped, UNTYPED_NO_DEBUG);
    assert_int_equal(typing_slot(typing, &one, 0x1000, 8)->untyped, UNTYPED_NO_DEBUG);
    assert_null(typing_line(typing, &one, 0x1000)->file);
    assert_int_equal(readers->count, 0);
}

/* Then what is known stays known, and what is new is given up at once, not waited for. */
static void it_can_be_full(void **state)
{
    (void)state;
    uint64_t asked = 0;
    while (asked < ASKED_MAX && !operand(0x1000 + asked, 8))
        asked++;
    assert_true(asked < ASKED_MAX);
    assert_int_equal(readers->count, asked);
    assert_int_equal(operand(0x1000 + asked, 8)->untyped, UNTYPED_GAVE_UP);
    assert_int_equal(typing_global(typing, &one, 0x5000, 0)->untyped, UNTYPED_GAVE_UP);
    assert_int_equal(typing_global(typing, &one, 0x5000, 0)->type, 0);
    assert_null(typing_line(typing, &one, 0x5000)->file);
    assert_null(typing_call(typing, &one, 0x5000)->name);
    answer(77, (struct dwarf_answer){.untyped = UNTYPED_VOID});
    assert_int_equal(operand(0x1000 + 77, 8)->untyped, UNTYPED_VOID);
    typing_forget(typing);
    assert_null(operand(0x1000 + asked, 8));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, start, end)
    const struct CMUnitTest tests[] = {
        TEST(each_question_is_asked_once),
        TEST(every_part_of_an_operand_is_asked_about),
        TEST(answers_come_in_any_order),
        TEST(references_are_the_files_own),
        TEST(strings_are_kept),
        TEST(inlined_names_are_bounded),
        TEST(what_nobody_asked_is_no_answer),
        TEST(a_variable_in_a_frame_is_asked_about_once),
        TEST(busy_readers_are_asked_again),
        TEST(forgetting_asks_anew),
        TEST(code_without_a_file_is_told_at_once),
        TEST(files_without_are_not_asked),
        TEST(it_can_be_full),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
