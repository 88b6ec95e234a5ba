/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One file's debug information opened for questions, inside the process that reads it (see
 * reader.h) or in a test. Shared by the files of this folder. Everything in
 * the file is hostile: every walk is bounded, nothing trusts an offset, a depth or a count.
 */
#ifndef MISSTOP_RESOLVE_DWARF_PROGRAM_H
#define MISSTOP_RESOLVE_DWARF_PROGRAM_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "resolve/dwarf/die.h"
#include "resolve/dwarf/flow.h"
#include "resolve/dwarf/question.h"
#include "resolve/dwarf/variables.h"

struct debuginfo;
struct decoder;
struct describe;
struct module;
struct program;

/* From a module of the resolver. NULL: it has no debug information, or out of memory. */
struct program *program_new(struct module *module);
void program_free(struct program *program);

/* Answers one question; strings live until the next. Never fails: unknown is an answer. */
void program_answer(struct program *program, const struct dwarf_question *question,
                    struct dwarf_answer *answer);

/* Types found since the last call, oldest first; NULL: no more. */
const struct dwarf_type *program_next_type(struct program *program);

/* ---- for the files of this folder ---- */

struct program {
    struct module *module;
    struct debuginfo *debuginfo;
    Dwfl_Module *dwfl;
    struct decoder *decoder; /* of the file's own bytes */
    struct scopes scopes;
    struct describe *types;
    struct globals globals; /* variables at fixed places */
    struct shapes shapes;
    struct routines routines;
    struct links links;
    struct flows *flows; /* targets of registers */
    struct arena answer; /* strings of the last one */
};

/* An address in a unit: DWARF's own addresses are run-time addresses - bias. */
struct program_place {
    Dwarf_Die unit;
    Dwarf_Addr bias;
    Dwarf_Addr address; /* in DWARF's terms */
};

/* The unit with the code at the address; false: none. */
bool program_place(struct program *program, uint64_t address, struct program_place *place);

/* Call frame information (.eh_frame, else .debug_frame) and its bias; NULL: none. */
Dwarf_CFI *program_frames(struct program *program, Dwarf_Addr *bias);

/* Offset of the canonical frame address from a register at an address: CFA = reg + offset.
 * False: not that simple (an expression), or no frame information. */
bool program_cfa(struct program *program, uint64_t address, uint8_t *reg, int64_t *offset);

/* Disassembly of the function around an address, the caller's to free. */
bool program_insns(struct program *program, uint64_t address, struct insn **insns, size_t *count);

/* Start of the function around an address; false: not known. */
bool program_function(struct program *program, uint64_t address, uint64_t *start, uint64_t *end);

/* The reference of a type (typedefs and qualifiers peeled by the maker), described and queued
 * for program_next_type() the first time. 0: void, or too many types. (describe.c) */
uint32_t program_type(struct program *program, Dwarf_Die *type);
const struct type_desc *program_described(const struct program *program, uint32_t type);

/* A sanitised copy that lives until the next answer. NULL stays NULL. */
const char *program_text(struct program *program, const char *text);

/* The functions that an address is in, innermost first: those inlined there, and the one around
 * them. Number of them. */
enum { PROGRAM_FUNCTIONS = 32 };
unsigned program_functions(struct program *program, uint64_t address,
                           Dwarf_Die functions[PROGRAM_FUNCTIONS]);

/* One file each. */
void access_answer(struct program *program, struct dwarf_answer *answer);   /* access.c */
void variable_answer(struct program *program, struct dwarf_answer *answer); /* variables.c */
void slot_answer(struct program *program, struct dwarf_answer *answer);     /* slot.c */
void call_answer(struct program *program, struct dwarf_answer *answer);     /* assignee.c */
void node_answer(struct program *program, struct dwarf_answer *answer);     /* assignee.c */

/*
 * Types of one file under references of our own: each described once, as struct type_desc, and
 * handed out once in the order they were found. Equal ones of several units become one in typing.h.
 */
/* NULL: out of memory. */
struct describe *describe_new(struct scopes *scopes);
void describe_free(struct describe *describe);

#endif
