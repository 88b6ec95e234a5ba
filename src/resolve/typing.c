/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/typing.h"

#include "base/clock.h"
#include "base/hash.h"
#include "resolve/module.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ANSWERS_MAX = 1 << 18, ANSWERS_BLOCK = 1 << 10, STRINGS_MAX = 64 << 20 };
enum { NAP_NS = 50000 }; /* while an answer is waited for */

/* Found by a hash of the question: of a quarter million, two have the same once in 10^8 runs. */
struct known {
    uint32_t serial;
    bool answered;
    union {
        struct typed_operand operand;
        struct typed_variable variable;
        struct typed_line line;
        struct typed_call call;
    };
};

/* The operand an instruction had when it was asked about last, for every sample asks. */
struct recent {
    uint64_t pc;
    uint64_t operand; /* 0: empty */
    uint32_t serial;
    const struct known *known; /* answered */
};

enum { RECENT = 1 << 10 }; /* direct-mapped */

struct typing {
    struct readers *readers;
    struct types types;
    struct arena strings;
    struct hash of_question;                           /* index into known */
    struct known *blocks[ANSWERS_MAX / ANSWERS_BLOCK]; /* as they fill up: answers stay in place */
    uint32_t count;
    uint64_t patience_ns;
    struct recent recent[RECENT];
};

static struct known *known_at(const struct typing *typing, uint32_t index)
{
    return &typing->blocks[index / ANSWERS_BLOCK][index % ANSWERS_BLOCK];
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

static const char *keep(struct typing *typing, const char *text)
{
    return typing->strings.used_bytes < STRINGS_MAX ? arena_string(&typing->strings, text) : NULL;
}

static void take_type(void *context, uint32_t serial, const struct dwarf_type *type)
{
    struct typing *typing = context;
    types_add(&typing->types, serial, type->type, &type->desc);
}

/* "min < clamp" of the functions inlined at an instruction. */
static const char *join_inlined(struct typing *typing, const struct dwarf_answer *answer)
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
    return used ? keep(typing, text) : NULL;
}

static void fill(struct typing *typing, struct known *known, const struct dwarf_answer *answer)
{
    uint32_t type = types_of_file(&typing->types, known->serial, answer->type);
    uint8_t untyped = type ? 0 : answer->untyped ? answer->untyped : (uint8_t)UNTYPED_NO_VARIABLE;
    switch (answer->question.ask) {
    case DWARF_ACCESS:
        known->operand = (struct typed_operand){.type = type,
                                                .offset = answer->offset,
                                                .untyped = untyped,
                                                .how = answer->how,
                                                .indexed = answer->indexed};
        break;
    case DWARF_LINE:
        known->line = (struct typed_line){.file = keep(typing, answer->file),
                                          .inlined = join_inlined(typing, answer),
                                          .line = answer->line};
        break;
    case DWARF_CALL:
        known->call = (struct typed_call){keep(typing, answer->name), type};
        break;
    default:
        known->variable = (struct typed_variable){.type = type,
                                                  .count = answer->count,
                                                  .size = answer->size,
                                                  .offset = answer->offset,
                                                  .name = keep(typing, answer->name),
                                                  .untyped = untyped,
                                                  .slot = answer->slot};
    }
}

static void take_answer(void *context, uint32_t serial, const struct dwarf_answer *answer)
{
    struct typing *typing = context;
    const uint32_t *index = hash_find(&typing->of_question, key_of(serial, &answer->question));
    struct known *known = index ? known_at(typing, *index) : NULL;
    if (!known || known->answered)
        return;
    known->answered = true;
    fill(typing, known, answer);
}

struct typing *typing_new(void)
{
    struct typing *typing = calloc(1, sizeof *typing);
    if (!typing)
        return NULL;
    struct readers_take take = {.context = typing, .type = take_type, .answer = take_answer};
    types_init(&typing->types);
    arena_init(&typing->strings);
    typing->readers = readers_new(&readers_usual, &take);
    if (!typing->readers) {
        typing_free(typing);
        return NULL;
    }
    return typing;
}

void typing_free(struct typing *typing)
{
    if (!typing)
        return;
    if (typing->readers)
        readers_free(typing->readers);
    types_fini(&typing->types);
    arena_fini(&typing->strings);
    hash_fini(&typing->of_question);
    for (size_t i = 0; i < sizeof typing->blocks / sizeof *typing->blocks; i++)
        free(typing->blocks[i]);
    free(typing);
}

size_t typing_run(struct typing *typing, uint64_t now_ns)
{
    return readers_run(typing->readers, now_ns);
}

void typing_forget(struct typing *typing)
{
    readers_forget(typing->readers);
    hash_clear(&typing->of_question);
    memset(typing->recent, 0, sizeof typing->recent);
    typing->count = 0;
}

static struct known *add(struct typing *typing, uint64_t key)
{
    struct known **block = &typing->blocks[typing->count / ANSWERS_BLOCK];
    if (!*block)
        *block = malloc(ANSWERS_BLOCK * sizeof **block);
    uint32_t *slot = *block ? hash_insert(&typing->of_question, key, NULL) : NULL;
    if (!slot)
        return NULL;
    *slot = typing->count;
    return known_at(typing, typing->count++);
}

void typing_be_patient(struct typing *typing, uint64_t patience_ns)
{
    typing->patience_ns = patience_ns;
}

/* A recording waits for nobody: what its samples need can be waited for. */
static void wait_for(struct typing *typing, const struct known *known)
{
    const struct timespec nap = {.tv_nsec = NAP_NS};
    uint64_t start_ns = clock_now_ns();
    uint64_t passed_ns = 0;
    while (!known->answered && passed_ns < typing->patience_ns) {
        readers_run(typing->readers, start_ns + passed_ns);
        if (!known->answered)
            nanosleep(&nap, NULL);
        passed_ns = clock_now_ns() - start_ns;
    }
    typing->patience_ns -= passed_ns < typing->patience_ns ? passed_ns : typing->patience_ns;
}

/* What is said of a question there is no room for, or whose file is known to have no answers. */
static const struct known *refused(enum dwarf_ask ask, bool without)
{
    static const struct known operand[] = {{.operand = {.untyped = UNTYPED_GAVE_UP}},
                                           {.operand = {.untyped = UNTYPED_NO_DEBUG}}};
    static const struct known variable[] = {{.variable = {.untyped = UNTYPED_GAVE_UP}},
                                            {.variable = {.untyped = UNTYPED_NO_DEBUG}}};
    static const struct known nothing;
    switch (ask) {
    case DWARF_ACCESS:
        return &operand[without];
    case DWARF_LINE:
    case DWARF_CALL:
        return &nothing;
    default:
        return &variable[without];
    }
}

/* The answer, or NULL while there is none; asked for where it never was. */
static const struct known *ask(struct typing *typing, const struct module *module,
                               const struct dwarf_question *question)
{
    uint32_t serial = module_serial(module);
    uint64_t key = key_of(serial, question);
    const uint32_t *index = hash_find(&typing->of_question, key);
    if (index)
        return known_at(typing, *index)->answered ? known_at(typing, *index) : NULL;
    bool without = readers_without(typing->readers, module);
    if (without || typing->count == ANSWERS_MAX)
        return refused(question->ask, without);
    if (!readers_ask(typing->readers, module, question))
        return NULL;
    struct known *known = add(typing, key);
    if (!known)
        return NULL;
    *known = (struct known){.serial = serial};
    if (typing->patience_ns)
        wait_for(typing, known);
    return known->answered ? known : NULL;
}

static struct recent recent_of(const struct module *module, const struct access *access)
{
    uint64_t operand = (uint64_t)(uint32_t)access->displacement << 32 |
                       (uint64_t)access->base << 24 | (uint64_t)access->index << 16 |
                       (uint64_t)access->size << 8 | 1;
    return (struct recent){access->ip, operand, module_serial(module), NULL};
}

static struct recent *recent_at(struct typing *typing, uint64_t pc)
{
    return &typing->recent[(pc ^ pc / RECENT) % RECENT];
}

static bool same(const struct recent *a, const struct recent *b)
{
    return a->pc == b->pc && a->operand == b->operand && a->serial == b->serial;
}

const struct typed_operand *typing_operand(struct typing *typing, const struct module *module,
                                           const struct access *access)
{
    static const struct typed_operand no_code = {.untyped = UNTYPED_NO_CODE};
    struct dwarf_question question = {.ask = DWARF_ACCESS,
                                      .pc = access->ip,
                                      .displacement = access->displacement,
                                      .base = access->base,
                                      .index = access->index,
                                      .size = access->size};
    if (!module)
        return &no_code;
    struct recent now = recent_of(module, access);
    struct recent *recent = recent_at(typing, access->ip);
    if (same(recent, &now))
        return &recent->known->operand;
    const struct known *known = ask(typing, module, &question);
    /* What is refused is nobody's answer. */
    now.known = known;
    if (known && known->serial == now.serial)
        *recent = now;
    return known ? &known->operand : NULL;
}

static const struct typed_variable *variable(struct typing *typing, const struct module *module,
                                             const struct dwarf_question *question)
{
    const struct known *known = ask(typing, module, question);
    return known ? &known->variable : NULL;
}

const struct typed_variable *typing_global(struct typing *typing, const struct module *module,
                                           uint64_t address, uint64_t pc)
{
    return variable(typing, module,
                    &(struct dwarf_question){.ask = DWARF_VARIABLE, .address = address, .pc = pc});
}

const struct typed_variable *typing_tls(struct typing *typing, const struct module *module,
                                        uint64_t offset, uint64_t pc)
{
    return variable(typing, module,
                    &(struct dwarf_question){.ask = DWARF_TLS, .address = offset, .pc = pc});
}

const struct typed_variable *typing_slot(struct typing *typing, const struct module *module,
                                         uint64_t pc, int64_t slot)
{
    return variable(typing, module,
                    &(struct dwarf_question){.ask = DWARF_SLOT, .pc = pc, .slot = slot});
}

const struct typed_line *typing_line(struct typing *typing, const struct module *module,
                                     uint64_t pc)
{
    const struct known *known =
        ask(typing, module, &(struct dwarf_question){.ask = DWARF_LINE, .pc = pc});
    return known ? &known->line : NULL;
}

const struct typed_call *typing_call(struct typing *typing, const struct module *module,
                                     uint64_t address)
{
    const struct known *known =
        ask(typing, module, &(struct dwarf_question){.ask = DWARF_CALL, .pc = address});
    return known ? &known->call : NULL;
}

const struct types *typing_types(const struct typing *typing)
{
    return &typing->types;
}

struct readers_status typing_status(const struct typing *typing)
{
    return readers_status(typing->readers);
}
