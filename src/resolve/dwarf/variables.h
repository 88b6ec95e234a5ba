/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Variables at fixed places by address: variables of units and namespaces, Fortran's common blocks,
 * and static variables in functions. Units are read on demand and kept; all are read if the unit of
 * the asking code does not have the variable.
 */
#ifndef MISSTOP_RESOLVE_DWARF_VARIABLES_H
#define MISSTOP_RESOLVE_DWARF_VARIABLES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"
#include "resolve/dwarf/flow.h"

struct dwarf_answer;
struct program;

struct global {
    uint64_t start; /* run-time address; for a thread-local variable its offset in the image */
    uint64_t size;  /* bytes; 0: not known */
    Dwarf_Die die;
};

struct globals_index {
    struct global *globals;
    size_t count;
    size_t room;
    bool sorted;
    struct expression *expressions;
    size_t expression_count;
    size_t expression_room;
    bool expressions_read;
};

enum { GLOBALS_DECLARED_MAX = 256 };

struct globals {
    struct globals_index fixed;
    struct globals_index tls;
    struct hash units;    /* units read, by the address of their entry */
    struct hash declared; /* names of each unit, mapped to an index in `names`; 0: no such name */
    Dwarf_Die names[GLOBALS_DECLARED_MAX];
    bool all_read;
};

void globals_fini(struct globals *globals);

/* Finds the variable at a run-time address, or an offset into the TLS image; NULL: none. Searches
 * the unit of `pc`, code that accesses it, first; 0: not known. Valid until the next question. */
const struct global *globals_find(struct program *program, uint64_t address, uint64_t pc);
const struct global *globals_find_tls(struct program *program, uint64_t offset, uint64_t pc);

/* Finds a variable by name that the unit of a piece of code declares, wherever it is defined. */
bool globals_declared(struct program *program, const char *name, uint64_t pc, Dwarf_Die *die);

/* Fills in name, type, count and size; size is unchanged if the type has none. */
void variable_fill(struct program *program, Dwarf_Die *variable, struct dwarf_answer *answer);

/* Variables and parameters in a frame, by distance from its canonical frame address (CFA). */
struct home {
    Dwarf_Die variable;
    uint64_t variable_offset; /* bytes from the start of the variable to the slot */
};

struct home_place {
    const struct wheres *wheres;
    uint64_t pc;
    uint8_t cfa_register; /* SREG_NONE: the rule for the CFA is more complex */
    int64_t cfa_offset;
};

/* Returns false if no debug information covers the instruction. */
bool home_place(struct program *program, uint64_t pc, struct home_place *place);

/* Finds the variable that is in a slot at the instruction; otherwise the only variable that is
 * there elsewhere in the function. */
bool home_find(const struct home_place *place, int64_t slot, struct home *home);

/* Finds the outermost variable in a register; `pointers`: only pointers to named types. */
bool home_find_in_register(const struct wheres *wheres, uint64_t pc, uint8_t reg, bool pointers,
                           Dwarf_Die *variable);

#endif
