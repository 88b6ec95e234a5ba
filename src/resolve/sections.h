/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sections of an ELF file by name, from the section headers alone. For debuginfo.c. */
#ifndef MISSTOP_RESOLVE_SECTIONS_H
#define MISSTOP_RESOLVE_SECTIONS_H

#include <gelf.h>

/* The first of this name that has bytes in the file; NULL: none. */
Elf_Scn *sections_find(Elf *elf, const char *name);

#endif
