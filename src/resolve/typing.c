/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/typing.h"

#include "base/clock.h"
#include "resolve/module.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { NAP_NS = 50000 }; /* while an answer is waited for */

/* The operand an instruction had when it was asked about last, for every sample asks. */
struct recent {
    uint64_t pc;
    uint64_t operand; /* 0: empty */
    uint32_t serial;
    const struct answered *known; /* answered */
};

enum { RECENT = 1 << 10 }; /* direct-mapped */

/* A question about a stack slot whose answer, if it is a variable, holds for all of its slots:
 * those of an array are hardly asked about twice. */
struct slot_asked {
    uint64_t pc;
    int64_t slot;
    uint32_t serial; /* 0: empty */
    const struct answered *known;
};

enum { SLOT_SETS = 1 << 8, SLOT_WAYS = 4, SLOTS_WAITING = 2 /* at once, for one pc */ };

struct typing {
    struct readers *readers;
    struct types types;
    struct answers answers;
    uint64_t patience_ns;
    struct recent recent[RECENT];
    struct slot_asked slots[SLOT_SETS][SLOT_WAYS];
    unsigned next_way;
    struct typed_variable slot; /* typing_slot()'s last, of another slot of a variable */
};

static void take_type(void *context, uint32_t serial, const struct dwarf_type *type)
{
    struct typing *typing = context;
    types_add(&typing->types, serial, type->type, &type->desc);
}

static void take_answer(void *context, uint32_t serial, const struct dwarf_answer *answer)
{
    struct typing *typing = context;
    answers_take(&typing->answers, serial, answer);
}

struct typing *typing_new(void)
{
    struct typing *typing = calloc(1, sizeof *typing);
    if (!typing)
        return NULL;
    struct readers_take take = {.context = typing, .type = take_type, .answer = take_answer};
    types_init(&typing->types);
    answers_init(&typing->answers, &typing->types);
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
    answers_fini(&typing->answers);
    free(typing);
}

size_t typing_run(struct typing *typing, uint64_t now_ns)
{
    return readers_run(typing->readers, now_ns);
}

void typing_forget(struct typing *typing)
{
    readers_forget(typing->readers);
    answers_clear(&typing->answers);
    memset(typing->recent, 0, sizeof typing->recent);
    memset(typing->slots, 0, sizeof typing->slots);
}

void typing_be_patient(struct typing *typing, uint64_t patience_ns)
{
    typing->patience_ns = patience_ns;
}

/* A recording waits for nobody: what its samples need can be waited for. */
static void wait_for(struct typing *typing, const struct answered *known)
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
static const struct answered *refused(enum dwarf_ask ask, bool without)
{
    static const struct answered operand[] = {{.operand = {.untyped = UNTYPED_GAVE_UP}},
                                              {.operand = {.untyped = UNTYPED_NO_DEBUG}}};
    static const struct answered variable[] = {{.variable = {.untyped = UNTYPED_GAVE_UP}},
                                               {.variable = {.untyped = UNTYPED_NO_DEBUG}}};
    static const struct answered nothing;
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
static const struct answered *ask(struct typing *typing, const struct module *module,
                                  const struct dwarf_question *question)
{
    uint32_t serial = module_serial(module);
    struct answered *known = answers_find(&typing->answers, serial, question);
    if (known)
        return known->answered ? known : NULL;
    bool without = readers_without(typing->readers, module);
    if (without || typing->answers.count == ANSWERS_MAX)
        return refused(question->ask, without);
    if (!readers_ask(typing->readers, module, question))
        return NULL;
    known = answers_expect(&typing->answers, serial, question);
    if (!known)
        return NULL;
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
    const struct answered *known = ask(typing, module, &question);
    /* What is refused is nobody's answer. */
    now.known = known;
    if (known && known->serial == now.serial)
        *recent = now;
    return known ? &known->operand : NULL;
}

static const struct typed_variable *variable(struct typing *typing, const struct module *module,
                                             const struct dwarf_question *question)
{
    const struct answered *known = ask(typing, module, question);
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

/* Whether what was answered for one slot holds for another of the same function. */
static bool covers(const struct slot_asked *asked, int64_t slot)
{
    const struct typed_variable *variable = &asked->known->variable;
    if (variable->slot != DWARF_SLOT_VARIABLE || !variable->size)
        return slot == asked->slot;
    return (uint64_t)(slot - (asked->slot - variable->offset)) < variable->size;
}

const struct typed_variable *typing_slot(struct typing *typing, const struct module *module,
                                         uint64_t pc, int64_t slot)
{
    struct dwarf_question question = {.ask = DWARF_SLOT, .pc = pc, .slot = slot};
    uint32_t serial = module_serial(module);
    struct slot_asked *set = typing->slots[hash_mix(pc + serial) % SLOT_SETS];
    unsigned waiting = 0;
    for (unsigned i = 0; i < SLOT_WAYS; i++) {
        bool same = set[i].known && set[i].serial == serial && set[i].pc == pc;
        if (same && set[i].known->answered && covers(&set[i], slot)) {
            typing->slot = set[i].known->variable;
            typing->slot.offset += slot - set[i].slot;
            return &typing->slot;
        }
        waiting += same && !set[i].known->answered;
    }
    if (waiting >= SLOTS_WAITING)
        return NULL;
    const struct typed_variable *answer = variable(typing, module, &question);
    const struct answered *known = answers_find(&typing->answers, serial, &question);
    if (known)
        set[typing->next_way++ % SLOT_WAYS] =
            (struct slot_asked){.pc = pc, .slot = slot, .serial = serial, .known = known};
    return answer;
}

const struct typed_line *typing_line(struct typing *typing, const struct module *module,
                                     uint64_t pc)
{
    const struct answered *known =
        ask(typing, module, &(struct dwarf_question){.ask = DWARF_LINE, .pc = pc});
    return known ? &known->line : NULL;
}

const struct typed_call *typing_call(struct typing *typing, const struct module *module,
                                     uint64_t address)
{
    const struct answered *known =
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
