/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where a variable is that stays in one place. For globals.c.
 */
#ifndef MISSTOP_RESOLVE_DWARF_LOCATION_H
#define MISSTOP_RESOLVE_DWARF_LOCATION_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

struct location {
    Dwarf_Addr value; /* address in the file, or offset into the thread's image */
    uint64_t size;    /* bytes, of the first piece if there are several; 0: not known */
    bool is_tls;
};

/* "address", "address, plus", "offset, of thread's storage", and the first of several pieces
 * (DWARF 5, 2.6.1). False: it has no place, or no fixed one. */
bool location_read(Dwarf_Die *variable, struct location *location);

#endif
