/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Symbols of one kind sorted by address, for module.c. Names are raw and borrowed from the file. */
#ifndef MISSTOP_RESOLVE_ELF_SYMBOLS_H
#define MISSTOP_RESOLVE_ELF_SYMBOLS_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbol {
    uint64_t start;
    uint64_t end;
    const char *name; /* raw, from the file */
    uint8_t rank;     /* the alias with the lowest rank is kept */
    bool is_stub;     /* has no size: extends to the next symbol */
};

struct symbols {
    struct symbol *at; /* after symbols_settle(): ascending, with distinct starts */
    size_t count;
    size_t room;
};

void symbols_fini(struct symbols *symbols);

/* Adds a symbol. Returns false if out of memory. */
bool symbols_add(struct symbols *symbols, struct symbol symbol);

/* Drops aliases and labels inside other symbols, cuts overlaps. After the last symbols_add(). */
void symbols_settle(struct symbols *symbols);

/* Returns the symbol that covers the address; NULL: none. */
const struct symbol *symbols_find(const struct symbols *symbols, uint64_t address);

/* Narrows [start, end) to the range around the address that no symbol covers. */
void symbols_gap(const struct symbols *symbols, uint64_t address, uint64_t *start, uint64_t *end);

/* The symbol table of a separate debug file, read from the file and never mapped: misstop must
 * survive a truncation of the file, and needs only this table. */
enum { SYMTAB_SYMBOLS_MAX = 1 << 23 };

/* `address` is the run-time address; `name` lives as long as the file's Elf. */
typedef void symtab_take(void *context, const GElf_Sym *symbol, uint64_t address, const char *name);

struct symtab {
    int fd; /* -1: none */
    Elf *elf;
};

/* Opens a file and takes the descriptor over; returns false if it has no valid symbol table. */
bool symtab_open(struct symtab *symtab, int fd);
void symtab_fini(struct symtab *symtab);

/* Calls back for every named symbol. `main`: the debug file's program, `bias`: its bias. */
void symtab_read(const struct symtab *symtab, Elf *main, uint64_t bias, symtab_take *take,
                 void *context);

/* Like symtab_read(), for the functions of a Go program, from the table that its runtime uses to
 * walk stacks. Stripping the symbols does not remove it. */
void gotab_read(Elf *elf, uint64_t bias, symtab_take *take, void *context);

/* Finds sections of an ELF file by name, from the section headers alone. For src/resolve. */

/* Returns the first section of this name with bytes in the file; NULL: none. */
Elf_Scn *sections_find(Elf *elf, const char *name);

/* Returns true if its last byte is NUL: elfutils computes lengths of strings in it unchecked. */
bool sections_end_strings(Elf_Scn *section);

/* Returns the name without parameter types, in `out`; NULL: not mangled, or too long or unusual to
 * pass to a demangler (the target controls its symbols). */
const char *demangle(const char *name, char *out, size_t out_size);

#endif
