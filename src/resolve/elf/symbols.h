/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Symbols of one kind, sorted by address, for module.c: which of them covers an address.
 * Names are borrowed from the file and raw.
 */
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

/* Narrows [start, end) to the range around the address that no symbol covers. */
void symbols_gap(const struct symbols *symbols, uint64_t address, uint64_t *start, uint64_t *end);

/*
 * The symbol table of a separate debug file, read from the file and never mapped: misstop itself
 * must not die of a file that is cut short meanwhile, and needs only this table.
 */
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

/* The same for the functions of a Go program, from the table that its runtime walks stacks with:
 * it stays where symbols are stripped. */
void gotab_read(Elf *elf, uint64_t bias, symtab_take *take, void *context);

/* Sections of an ELF file by name, from the section headers alone. For src/resolve. */
/* The first of this name that has bytes in the file; NULL: none. */
Elf_Scn *sections_find(Elf *elf, const char *name);

/* Whether its last byte ends a string: elfutils takes the length of whatever begins in it. */
bool sections_end_strings(Elf_Scn *section);

/* Symbols of C++ and Rust in the form of the source. */
/*
 * The name without its types of parameters, in `out`; NULL: it is not mangled, or too long
 * or too strange to be trusted to a demangler (the target decides what its symbols say).
 */
const char *demangle(const char *name, char *out, size_t out_size);

#endif
