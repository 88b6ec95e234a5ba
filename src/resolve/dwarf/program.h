/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One file's debug information, opened for questions in the process that reads it (see reader.h) or
 * in a test. Shared by the files of this folder. Everything in the file is hostile: every walk is
 * bounded, and no offset, depth or count is trusted.
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

/* Opens a module of the resolver. Returns NULL if it has no debug information or out of memory. */
struct program *program_new(struct module *module);
void program_free(struct program *program);

/* Answers one question; strings live until the next question. Never fails: unknown is an answer. */
void program_answer(struct program *program, const struct dwarf_question *question,
                    struct dwarf_answer *answer);

/* Returns the next type found since the last call, oldest first; NULL: no more. */
const struct dwarf_type *program_next_type(struct program *program);

/* For the files of this folder */

struct program {
    struct module *module;
    struct debuginfo *debuginfo;
    Dwfl_Module *dwfl;
    struct decoder *decoder; /* for the file's own bytes */
    struct scopes scopes;
    struct describe *types;
    struct globals globals; /* variables at fixed places */
    struct shapes shapes;
    struct routines routines;
    struct links links;
    struct flows *flows; /* targets of registers */
    struct arena answer; /* strings of the last answer */
};

/* An address in a unit. DWARF's own addresses are run-time addresses - bias. */
struct program_place {
    Dwarf_Die unit;
    Dwarf_Addr bias;
    Dwarf_Addr address; /* as DWARF counts, without bias */
};

/* Finds the unit with the code at an address. Returns false if there is none. */
bool program_place(struct program *program, uint64_t address, struct program_place *place);

/* Returns call frame information (.eh_frame, otherwise .debug_frame) and its bias; NULL: none. */
Dwarf_CFI *program_frames(struct program *program, Dwarf_Addr *bias);

/* Computes the canonical frame address at an address as CFA = reg + offset. Returns false if the
 * rule is an expression, or there is no frame information. */
bool program_cfa(struct program *program, uint64_t address, uint8_t *reg, int64_t *offset);

/* Disassembles the function around an address; the caller frees the result. */
bool program_insns(struct program *program, uint64_t address, struct insn **insns, size_t *count);

/* Finds the bounds of the function around an address. Returns false if they are not known. */
bool program_function(struct program *program, uint64_t address, uint64_t *start, uint64_t *end);

/* Returns the reference of a type, peeled of typedefs and qualifiers. The first call for a type
 * describes it and queues it for program_next_type(). 0: void, or too many types. (describe.c) */
uint32_t program_type(struct program *program, Dwarf_Die *type);
const struct type_desc *program_described(const struct program *program, uint32_t type);

/* Returns a sanitised copy that lives until the next answer. NULL stays NULL. */
const char *program_text(struct program *program, const char *text);

/* Finds the functions that an address is in, innermost first: the inlined functions, then the
 * function around them. Returns their number. */
enum { PROGRAM_FUNCTIONS = 32 };
unsigned program_functions(struct program *program, uint64_t address,
                           Dwarf_Die functions[PROGRAM_FUNCTIONS]);

/* Each of these is in a file of its own. */
void access_answer(struct program *program, struct dwarf_answer *answer);
void variable_answer(struct program *program, struct dwarf_answer *answer);
void slot_answer(struct program *program, struct dwarf_answer *answer);
void call_answer(struct program *program, struct dwarf_answer *answer);
void node_answer(struct program *program, struct dwarf_answer *answer);

/*
 * Types of one file under references of our own: each described once, as struct type_desc, and
 * handed out once in the order they were found. Equal ones of several units become one in typing.h.
 */

/* Returns NULL if out of memory. */
struct describe *describe_new(struct scopes *scopes);
void describe_free(struct describe *describe);

#endif
