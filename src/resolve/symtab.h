/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The symbol table of a separate debug file, read from the file and never mapped: misstop itself
 * must not die of a file that is cut short meanwhile, and needs nothing else of it. For
 * debuginfo.c.
 */
#ifndef MISSTOP_RESOLVE_SYMTAB_H
#define MISSTOP_RESOLVE_SYMTAB_H

#include <gelf.h>
#include <stdbool.h>
#include <stdint.h>

enum { SYMTAB_SYMBOLS_MAX = 1 << 23 };

/* Address is the run-time one; the name lives as long as the file's Elf. */
typedef void symtab_take(void *context, const GElf_Sym *symbol, uint64_t address, const char *name);

struct symtab {
    int fd; /* -1: there is none */
    Elf *elf;
};

/* Takes the descriptor over. False: the file has no symbol table that makes sense. */
bool symtab_open(struct symtab *symtab, int fd);
void symtab_fini(struct symtab *symtab);

/* Calls for every symbol with a name; `main` is the file it was made from, `bias` what that one
 * was moved by. */
void symtab_read(const struct symtab *symtab, Elf *main, uint64_t bias, symtab_take *take,
                 void *context);

#endif
