/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each instruction, variable and stack slot is asked about once (dwarf/reader.h); answers are
 * cached and found with one probe. Until the answer arrives, the result is not known. */
#ifndef MISSTOP_RESOLVE_TYPING_H
#define MISSTOP_RESOLVE_TYPING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "access.h"
#include "base/array.h"
#include "base/hash.h"
#include "place.h"
#include "resolve/dwarf/question.h"
#include "resolve/dwarf/reader.h"

/* Dense ids from 1. The same type in two files is one type (name, size and members equal). Copies
 * are kept until the end. Bounded: when full, new types are not known. */
struct types {
    struct arena memory;
    struct type_desc *types; /* [count], from id 1 */
    uint32_t count;
    size_t room;
    struct hash of_content; /* content hash -> newest id with that hash */
    struct hash of_file;    /* (module serial, reference) -> id */
};

void types_init(struct types *types);
void types_fini(struct types *types);

/* Returns the id of a type that a file calls `reference`; 0: full. */
uint32_t types_add(struct types *types, uint32_t serial, uint32_t reference,
                   const struct type_desc *desc);

/* Returns the id of a file's reference; 0: not reported. */
uint32_t types_of_file(const struct types *types, uint32_t serial, uint32_t reference);

static inline const struct type_desc *types_at(const struct types *types, uint32_t type)
{
    return type && type <= types->count ? &types->types[type] : NULL;
}

bool types_contains(const struct types *types, uint32_t outer, uint32_t inner);

/* The type of an operand's target, of a variable of a module, thread or frame, or of the variable
 * that the result of a call is assigned to. */
struct typed_answer {
    uint32_t type;            /* or of the elements; 0: see untyped */
    uint8_t untyped;          /* enum untyped */
    uint8_t how;              /* enum dwarf_how, of an operand */
    uint8_t slot;             /* enum dwarf_slot, for a slot of a frame */
    bool indexed;             /* an operand: an index or a loop moves over elements */
    uint8_t bit_field_offset; /* ... bytes from there to the bit-field that is used of the word */
    uint8_t unit;             /* ... bytes of bit-fields that may be used; 0: no such */
    int64_t offset;   /* in the type, with index 0: of the access, or of the place in a variable */
    uint64_t count;   /* elements of a variable; 0: no array */
    uint64_t size;    /* of a variable; 0: not known */
    const char *name; /* of a variable; of a call "TYPE.VARIABLE"; NULL: none */
};

struct typed_line {
    const char *file; /* NULL: not known */
    const char *inlined;
    const char *own_file; /* innermost file and line outside inlined library functions */
    uint32_t own_line;
    uint32_t line;
};

struct module;
struct typing;

/* Returns NULL if out of memory. */
struct typing *typing_new(void);
void typing_free(struct typing *typing);

/* Makes questions wait for answers, up to this time in total; 0: no waiting. For recordings. */
void typing_set_patience(struct typing *typing, uint64_t patience_ns);

/* Returns the id of a type that no debug information describes; 0: full. */
uint32_t typing_declare(struct typing *typing, const struct type_desc *desc);

/* Receives answers; called between samples. Returns the number of answers. */
size_t typing_run(struct typing *typing, uint64_t now_ns);

/* Announces samples of the file's code: its debug information may be opened in advance. */
void typing_expect(struct typing *typing, const struct module *module);

/* Forgets the types at addresses, because code has changed; keeps the types themselves. */
void typing_forget(struct typing *typing);

/* These functions return NULL if the answer is not known yet. `module` is the module of the code;
 * NULL: none. Answers stay valid until the next typing_forget(). */
const struct typed_answer *typing_operand(struct typing *typing, const struct module *module,
                                          const struct access *access);
/* Asks about a variable (DWARF_VARIABLE, DWARF_TLS; `pc` touched it), a call (DWARF_CALL), or a
 * container's node, by a call of its member function (DWARF_NODE). */
const struct typed_answer *typing_answer(struct typing *typing, const struct module *module,
                                         enum dwarf_ask what, uint64_t pc, uint64_t address);
const struct typed_answer *typing_slot(struct typing *typing, const struct module *module,
                                       uint64_t pc, int64_t slot);
const struct typed_line *typing_line(struct typing *typing, const struct module *module,
                                     uint64_t pc);

const struct types *typing_types(const struct typing *typing);
struct readers_status typing_status(const struct typing *typing);

#endif
