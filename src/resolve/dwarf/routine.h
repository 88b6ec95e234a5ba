/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Functions by address: the entry of the function that holds an address, not of one inlined
 * there. Read unit by unit and kept. Owned by flow.c; for the files of this folder.
 */
#ifndef MISSTOP_RESOLVE_DWARF_ROUTINE_H
#define MISSTOP_RESOLVE_DWARF_ROUTINE_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

struct program;
struct routines;

struct routine {
    uint64_t start; /* run-time addresses of the part that holds the address */
    uint64_t end;
    uint64_t entry; /* where calls arrive; 0: not told */
    Dwarf_Die die;
    Dwarf_Addr bias;
};

/* NULL: out of memory. */
struct routines *routines_new(struct program *program);
void routines_free(struct routines *routines);

/* False: none is known there. */
bool routines_find(struct routines *routines, uint64_t address, struct routine *routine);

#endif
