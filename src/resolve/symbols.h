/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Symbols of one kind, sorted by address, for module.c: which of them covers an address.
 * Names are borrowed from the file and raw.
 */
#ifndef MISSTOP_RESOLVE_SYMBOLS_H
#define MISSTOP_RESOLVE_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbol {
    uint64_t start;
    uint64_t end;
    const char *name; /* raw, from the file */
    uint8_t rank;     /* of aliases the lowest stays */
    bool is_stub;     /* no size of its own: reaches to the next symbol */
};

struct symbols {
    struct symbol *at; /* after symbols_settle(): ascending, no two with the same start */
    size_t count;
    size_t room;
};

void symbols_fini(struct symbols *symbols);

/* False: out of memory. */
bool symbols_add(struct symbols *symbols, struct symbol symbol);

/* Once all are in: sorts, drops aliases and labels inside of others, cuts overlaps. */
void symbols_settle(struct symbols *symbols);

/* The one that covers the address; NULL: none. */
const struct symbol *symbols_find(const struct symbols *symbols, uint64_t address);

/* Narrows [start, end) to the stretch around the address that no symbol covers. */
void symbols_gap(const struct symbols *symbols, uint64_t address, uint64_t *start, uint64_t *end);

#endif
