/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/answers.h"

#include <stdio.h>
#include <stdlib.h>

enum { STRINGS_MAX = 64 << 20 };

void answers_init(struct answers *answers, const struct types *types)
{
    *answers = (struct answers){.types = types};
    arena_init(&answers->strings);
}

void answers_fini(struct answers *answers)
{
    arena_fini(&answers->strings);
    hash_fini(&answers->of_question);
    for (size_t i = 0; i < sizeof answers->blocks / sizeof *answers->blocks; i++)
        free(answers->blocks[i]);
}

void answers_clear(struct answers *answers)
{
    hash_clear(&answers->of_question);
    answers->count = 0;
}

static struct answered *answered_at(const struct answers *answers, uint32_t index)
{
    return &answers->blocks[index / ANSWERS_BLOCK][index % ANSWERS_BLOCK];
}

/* Which code touched a variable only helps to find it. */
static uint64_t key_of(uint32_t serial, const struct dwarf_question *question)
{
    bool fixed = question->ask == DWARF_VARIABLE || question->ask == DWARF_TLS;
    uint64_t pc = fixed ? 0 : question->pc;
    uint64_t operand = (uint64_t)question->displacement << 24 ^ (uint64_t)question->base << 16 ^
                       (uint64_t)question->index << 8 ^ question->size;
    return hash_mix(pc ^ hash_mix(question->address ^ (uint64_t)question->slot)) ^
           hash_mix(operand + question->ask) ^ (uint64_t)serial << 40;
}

static const char *keep(struct answers *answers, const char *text)
{
    return answers->strings.used_bytes < STRINGS_MAX ? arena_string(&answers->strings, text) : NULL;
}

static struct answered *add(struct answers *answers, uint64_t key)
{
    struct answered **block = &answers->blocks[answers->count / ANSWERS_BLOCK];
    if (!*block)
        *block = malloc(ANSWERS_BLOCK * sizeof **block);
    uint32_t *slot = *block ? hash_insert(&answers->of_question, key, NULL) : NULL;
    if (!slot)
        return NULL;
    *slot = answers->count;
    return answered_at(answers, answers->count++);
}

struct answered *answers_find(const struct answers *answers, uint32_t serial,
                              const struct dwarf_question *question)
{
    const uint32_t *index = hash_find(&answers->of_question, key_of(serial, question));
    return index ? answered_at(answers, *index) : NULL;
}

struct answered *answers_expect(struct answers *answers, uint32_t serial,
                                const struct dwarf_question *question)
{
    struct answered *answered = add(answers, key_of(serial, question));
    if (answered)
        *answered = (struct answered){.serial = serial};
    return answered;
}

/* "min < clamp" of the functions inlined at an instruction. */
static const char *join_inlined(struct answers *answers, const struct dwarf_answer *answer)
{
    char text[512] = "";
    size_t used = 0;
    for (uint32_t i = 0; i < answer->inlined_count && i < DWARF_INLINED_MAX; i++) {
        int more = snprintf(text + used, sizeof text - used, "%s%s", i ? " < " : "",
                            answer->inlined[i] ? answer->inlined[i] : "?");
        if (more < 0 || used + (size_t)more >= sizeof text)
            break;
        used += (size_t)more;
    }
    return used ? keep(answers, text) : NULL;
}

static void fill(struct answers *answers, struct answered *known, const struct dwarf_answer *answer)
{
    uint32_t type = types_of_file(answers->types, known->serial, answer->type);
    uint8_t untyped = type ? 0 : answer->untyped ? answer->untyped : (uint8_t)UNTYPED_NO_VARIABLE;
    switch (answer->question.ask) {
    case DWARF_ACCESS:
        known->operand = (struct typed_operand){.type = type,
                                                .offset = answer->offset,
                                                .untyped = untyped,
                                                .how = answer->how,
                                                .indexed = answer->indexed,
                                                .bits_at = answer->bits_at,
                                                .unit = answer->unit};
        break;
    case DWARF_LINE:
        known->line = (struct typed_line){.file = keep(answers, answer->file),
                                          .inlined = join_inlined(answers, answer),
                                          .line = answer->line};
        break;
    case DWARF_CALL:
        known->call = (struct typed_call){keep(answers, answer->name), type};
        break;
    default:
        known->variable = (struct typed_variable){.type = type,
                                                  .count = answer->count,
                                                  .size = answer->size,
                                                  .offset = answer->offset,
                                                  .name = keep(answers, answer->name),
                                                  .untyped = untyped,
                                                  .slot = answer->slot};
    }
}

void answers_take(struct answers *answers, uint32_t serial, const struct dwarf_answer *answer)
{
    struct answered *expected = answers_find(answers, serial, &answer->question);
    if (!expected || expected->answered)
        return;
    expected->answered = true;
    fill(answers, expected, answer);
}
