/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Variables. At fixed places, by address: those of units, namespaces, Fortran's common blocks and
 * the static ones inside functions. Read unit by unit as they are needed, kept, all at once when
 * the unit of the code that asks does not know.
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
    uint64_t start; /* run-time address; of a thread-local one its offset in the image */
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
    struct hash declared; /* names of a unit, as index of `names`; 0: no such name */
    Dwarf_Die names[GLOBALS_DECLARED_MAX];
    bool all_read;
};

void globals_fini(struct globals *globals);

/*
 * The variable that covers a run-time address, or the offset into the image of thread-local ones;
 * `pc` is code that touches it: its unit is searched first; 0: not known. NULL: none. Valid until
 * the next question.
 */
const struct global *globals_find(struct program *program, uint64_t address, uint64_t pc);
const struct global *globals_find_tls(struct program *program, uint64_t offset, uint64_t pc);

/* The variable of a name that the unit of a piece of code declares, wherever it is defined. */
bool globals_declared(struct program *program, const char *name, uint64_t pc, Dwarf_Die *die);

/* The description of a variable once its entry is found. */
/* Fills name, type, count and size; size stays as it was where the type has none. */
void variable_fill(struct program *program, Dwarf_Die *variable, struct dwarf_answer *answer);

/*
 * Variables and parameters that are in a function's frame, by their distance from its canonical
 * frame address.
 */
struct home {
    Dwarf_Die variable;
    uint64_t inside; /* bytes from the variable's start to the slot */
};

/* An instruction of a function, and the function's variables. */
struct home_place {
    const struct wheres *wheres;
    uint64_t pc;
    uint8_t cfa_register; /* SREG_NONE: not that simple */
    int64_t cfa_offset;
};

/* False: no debugging information covers the instruction. */
bool home_place(struct program *program, uint64_t pc, struct home_place *place);

/* The variable that is in a slot at the instruction; else the only one that is there
 * elsewhere in the function. */
bool home_find(const struct home_place *place, int64_t slot, struct home *home);

/* The outermost variable that a register holds at an address; `pointers`: of those that are
 * pointers to something that has a name. */
bool home_held(const struct wheres *wheres, uint64_t pc, uint8_t reg, bool pointers,
               Dwarf_Die *variable);

#endif
