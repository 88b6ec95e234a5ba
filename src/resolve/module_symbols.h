/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The symbols of one ELF file by what they name: variables, functions, thread-local variables.
 * For module.c.
 */
#ifndef MISSTOP_RESOLVE_MODULE_SYMBOLS_H
#define MISSTOP_RESOLVE_MODULE_SYMBOLS_H

#include "resolve/layout.h"
#include "resolve/symbols.h"

#include <gelf.h>
#include <stdint.h>

struct module_symbols {
    struct symbols objects;
    struct symbols functions;
    struct symbols tls; /* by their offset into the image */
};

/* One entry of a symbol table (ELF gABI, "Symbol Table") that stands for a run-time address, where
 * it names memory of the file at all. */
void module_symbols_add(struct module_symbols *symbols, const struct layout *layout,
                        const GElf_Sym *symbol, uint64_t address, const char *name);

/* After the last was added, before the first is looked for. */
void module_symbols_settle(struct module_symbols *symbols);

void module_symbols_fini(struct module_symbols *symbols);

#endif
