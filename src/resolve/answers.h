/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What debugging information has answered, each question once. For typing.c. */
#ifndef MISSTOP_RESOLVE_ANSWERS_H
#define MISSTOP_RESOLVE_ANSWERS_H

#include "base/array.h"
#include "base/hash.h"
#include "resolve/dwarf/question.h"
#include "resolve/types.h"

#include <stdbool.h>
#include <stdint.h>

/* What an instruction's operand points into. */
struct typed_operand {
    uint32_t type;  /* 0: see untyped */
    int64_t offset; /* of the access from the start of the type, index taken as 0 */
    uint8_t untyped;
    uint8_t how; /* enum dwarf_how */
    bool indexed;
    uint8_t bits_at; /* bytes from there to the bit-field that is used of the word */
    uint8_t unit;    /* bytes of bit-fields of which any may be used; 0: no such */
};

/* A variable of a module, of a thread, or of a frame. */
struct typed_variable {
    uint32_t type;    /* of it, or of its elements; 0: see untyped */
    uint64_t count;   /* elements; 0: no array */
    uint64_t size;    /* 0: not known */
    int64_t offset;   /* of the place asked about */
    const char *name; /* NULL: none */
    uint8_t untyped;
    uint8_t slot; /* enum dwarf_slot, of a frame's */
};

struct typed_line {
    const char *file; /* NULL: not known */
    const char *inlined;
    uint32_t line;
};

/* "TYPE.VARIABLE" that the call before a return address assigns to. */
struct typed_call {
    const char *name; /* NULL: nothing it can be called after */
    uint32_t type;    /* of what is allocated; 0: not known */
};

/* Found by a hash of the question: of a quarter million, two have the same once in 10^8 runs. */
struct answered {
    uint32_t serial; /* of the module */
    bool answered;   /* else it has been asked */
    union {
        struct typed_operand operand;
        struct typed_variable variable;
        struct typed_line line;
        struct typed_call call;
    };
};

enum { ANSWERS_MAX = 1 << 18, ANSWERS_BLOCK = 1 << 10 };

struct answers {
    const struct types *types;
    struct arena strings;
    struct hash of_question; /* index of the answer */
    struct answered
        *blocks[ANSWERS_MAX / ANSWERS_BLOCK]; /* as they fill up: answers stay in place */
    uint32_t count;
};

void answers_init(struct answers *answers, const struct types *types);
void answers_fini(struct answers *answers);

/* Addresses mean something else now: no question has been asked. */
void answers_clear(struct answers *answers);

/* NULL: never asked. */
struct answered *answers_find(const struct answers *answers, uint32_t serial,
                              const struct dwarf_question *question);

/* A question that has been asked; at most ANSWERS_MAX. NULL: no memory. */
struct answered *answers_expect(struct answers *answers, uint32_t serial,
                                const struct dwarf_question *question);

/* What was not expected, or is answered, is left as it is. */
void answers_take(struct answers *answers, uint32_t serial, const struct dwarf_answer *answer);

#endif
