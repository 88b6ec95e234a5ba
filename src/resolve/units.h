/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which compilation unit of the debug information an address is of. libdw goes by
 * .debug_aranges, which clang does not write (elfutils 0.188 has no other way): where that
 * tells nothing, the units' own ranges are gone through once. For debuginfo.c.
 */
#ifndef MISSTOP_RESOLVE_UNITS_H
#define MISSTOP_RESOLVE_UNITS_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct unit_range {
    uint64_t start; /* run-time addresses */
    uint64_t end;
    Dwarf_Die die;
    Dwarf_Addr bias;
};

struct units {
    struct unit_range *ranges; /* by start */
    size_t count;
    size_t room;
    bool read;
    Dwarf_Die split; /* the last found that stands in a file of its own */
};

void units_fini(struct units *units);

/* NULL: none; valid until the next question. *bias is what a run-time address is more than one of
 * the unit. */
Dwarf_Die *units_find(struct units *units, Dwfl_Module *module, uint64_t address, Dwarf_Addr *bias);

#endif
