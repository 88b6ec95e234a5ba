/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A test's own answers to the questions of profile, one function per question, and typed wrappers
 * for asking questions. */
#ifndef MISSTOP_TESTS_UNIT_NAMES_H
#define MISSTOP_TESTS_UNIT_NAMES_H

#include <string.h>

#include "place.h"

/* A NULL member means not known. */
struct fake_names {
    bool (*object)(void *context, uint32_t id, struct object_desc *desc);
    bool (*function)(void *context, uint32_t id, struct function_desc *desc);
    bool (*caller)(void *context, uint32_t node, struct caller_desc *desc);
    bool (*type)(void *context, uint32_t id, struct type_desc *desc);
    bool (*instruction)(void *context, uint64_t address, struct instruction_desc *desc);
    bool (*extent)(void *context, uint64_t address, struct object_extent *extent);
    bool (*heap)(void *context, struct heap_summary *summary);
    bool (*heap_bin)(void *context, uint32_t index, struct heap_bin *bin);
    bool (*thread)(void *context, uint32_t tid, char *out, size_t out_size);
    void (*memory)(void *context, uint64_t address, struct memory_use *use);
    bool (*word)(void *context, uint64_t address, uint64_t *value);
    bool (*other)(enum place_question question, uint64_t number, union place_answer *answer);
    void *context;
};

static inline bool fake_names_answer(void *context, enum place_question question, uint64_t number,
                                     union place_answer *answer)
{
    const struct fake_names *fake = context;
    uint32_t id = (uint32_t)number;
    switch (question) {
    case PLACE_OBJECT:
        return fake->object && fake->object(fake->context, id, &answer->object);
    case PLACE_FUNCTION:
        return fake->function && fake->function(fake->context, id, &answer->function);
    case PLACE_CALLER:
        return fake->caller && fake->caller(fake->context, id, &answer->caller);
    case PLACE_TYPE:
        return fake->type && fake->type(fake->context, id, &answer->type);
    case PLACE_INSTRUCTION:
        return fake->instruction && fake->instruction(fake->context, number, &answer->instruction);
    case PLACE_EXTENT:
        return fake->extent && fake->extent(fake->context, number, &answer->extent);
    case PLACE_HEAP:
        return fake->heap && fake->heap(fake->context, &answer->heap);
    case PLACE_BIN:
        return fake->heap_bin && fake->heap_bin(fake->context, id, &answer->bin);
    case PLACE_THREAD:
        return fake->thread &&
               fake->thread(fake->context, id, answer->thread, sizeof answer->thread);
    case PLACE_MEMORY:
        if (fake->memory)
            fake->memory(fake->context, number, &answer->memory);
        return fake->memory;
    case PLACE_WORD:
        return fake->word && fake->word(fake->context, number, &answer->word);
    default:
        return fake->other && fake->other(question, number, answer);
    }
}

/* `fake` must outlive the names. */
#define FAKE_NAMES(fake) ((struct place_names){fake_names_answer, (void *)(uintptr_t)(fake)})

/* Returns zeros if not known. */
#define ASK(question, number, member, out)                                                         \
    union place_answer answer;                                                                     \
    bool known = place_ask(names, question, number, &answer);                                      \
    memset(out, 0, sizeof *(out));                                                                 \
    if (known)                                                                                     \
        *(out) = answer.member;                                                                    \
    return known

static inline bool ask_object(const struct place_names *names, uint32_t id,
                              struct object_desc *desc)
{
    ASK(PLACE_OBJECT, id, object, desc);
}

static inline bool ask_function(const struct place_names *names, uint32_t id,
                                struct function_desc *desc)
{
    ASK(PLACE_FUNCTION, id, function, desc);
}

static inline bool ask_caller(const struct place_names *names, uint32_t node,
                              struct caller_desc *desc)
{
    ASK(PLACE_CALLER, node, caller, desc);
}

static inline bool ask_type(const struct place_names *names, uint32_t id, struct type_desc *desc)
{
    ASK(PLACE_TYPE, id, type, desc);
}

static inline bool ask_instruction(const struct place_names *names, uint64_t address,
                                   struct instruction_desc *desc)
{
    ASK(PLACE_INSTRUCTION, address, instruction, desc);
}

static inline bool ask_extent(const struct place_names *names, uint64_t address,
                              struct object_extent *extent)
{
    ASK(PLACE_EXTENT, address, extent, extent);
}

static inline bool ask_bin(const struct place_names *names, uint32_t index, struct heap_bin *bin)
{
    ASK(PLACE_BIN, index, bin, bin);
}

#endif
