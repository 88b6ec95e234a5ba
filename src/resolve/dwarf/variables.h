/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Variables at fixed places, by address: those of units, namespaces, Fortran's common blocks and
 * the static ones inside functions. Read unit by unit as they are needed, kept, all at once when
 * the unit of the code that asks does not know. Owned by program.c; for the files of this folder.
 */
#ifndef MISSTOP_RESOLVE_DWARF_VARIABLES_H
#define MISSTOP_RESOLVE_DWARF_VARIABLES_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "resolve/dwarf/program.h"

struct globals;
struct program;

struct global {
    uint64_t start; /* run-time address; of a thread-local one its offset in the image */
    uint64_t size;  /* bytes; 0: not known */
    Dwarf_Die die;
};

/* NULL: out of memory. */
struct globals *globals_new(struct program *program);
void globals_free(struct globals *globals);

/*
 * The variable that covers a run-time address, or the offset into the image of thread-local ones;
 * `pc` is code that touches it: its unit is searched first; 0: not known. NULL: none. Valid until
 * the next question.
 */
const struct global *globals_find(struct globals *globals, uint64_t address, uint64_t pc);
const struct global *globals_find_tls(struct globals *globals, uint64_t offset, uint64_t pc);

/* The variable of a name that the unit of a piece of code declares, wherever it is defined. */
bool globals_declared(struct globals *globals, const char *name, uint64_t pc, Dwarf_Die *die);

/* The description of a variable once its entry is found. */
/* Fills name, type, count and size; size stays as it was where the type has none. */
void variable_fill(struct program *program, Dwarf_Die *variable, struct dwarf_answer *answer);

#endif
