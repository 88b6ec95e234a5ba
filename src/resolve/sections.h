/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sections of an ELF file by name, from the section headers alone. For src/resolve. */
#ifndef MISSTOP_RESOLVE_SECTIONS_H
#define MISSTOP_RESOLVE_SECTIONS_H

#include <gelf.h>
#include <stdbool.h>

/* The first of this name that has bytes in the file; NULL: none. */
Elf_Scn *sections_find(Elf *elf, const char *name);

/* Whether its last byte ends a string: elfutils takes the length of whatever begins in it. */
bool sections_end_strings(Elf_Scn *section);

#endif
