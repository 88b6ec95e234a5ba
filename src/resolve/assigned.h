/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The variable that a call's result is assigned to, by DWARF: what MemSpy (section 5.2) names a
 * heap bin after, TYPE.VARIABLE. The result is in RAX at the return address; it either is the
 * variable there (a location list says so), or the next instruction moves it to one. For
 * debuginfo.c. Sources: DWARF 5, 2.6; System V ABI AMD64 1.0, 3.6.2 (register numbers).
 */
#ifndef MISSTOP_RESOLVE_ASSIGNED_H
#define MISSTOP_RESOLVE_ASSIGNED_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A call's return address, as DWARF has addresses, and the code there. */
struct assigned_call {
    Dwarf_Die *unit;
    Dwarf_CFI *frames; /* of .eh_frame or .debug_frame; NULL: none */
    uint64_t address;
    uint64_t frames_address; /* the same address as the frames have it */
    const uint8_t *code;
    size_t code_size;
};

/* "node.list" in `out`; false: no variable is found, or its type has no name. */
bool assigned_variable(const struct assigned_call *call, char *out, size_t out_size);

#endif
