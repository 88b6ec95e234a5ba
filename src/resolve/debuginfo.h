/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What libdwfl knows of one mapped ELF file: the symbols of the file and of its separate debug
 * file, and source lines. Hands libdwfl the file and finds debug files for it, because its own
 * ways would map what may be cut short, wait for FIFOs and ask the net. For module.c.
 */
#ifndef MISSTOP_RESOLVE_DEBUGINFO_H
#define MISSTOP_RESOLVE_DEBUGINFO_H

#include "resolve/debugfile.h"
#include "resolve/symtab.h"

#include <elfutils/libdwfl.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdint.h>

struct debuginfo;

struct debuginfo_source {
    int fd; /* stays the caller's, as elf does; both outlive the debuginfo */
    Elf *elf;
    const char *path;
    uint64_t start; /* run-time address of the first segment, at its alignment */
    uint64_t end;
    uint64_t bias;
    struct debugfile_from from;
};

/* NULL: libdwfl makes nothing of it, or not of this place. */
struct debuginfo *debuginfo_new(const struct debuginfo_source *source);
void debuginfo_free(struct debuginfo *debuginfo);

/* Whether the file or its debug file has DWARF: by their section headers, nothing is read. Where
 * servers may be asked, whether they could be. */
bool debuginfo_present(struct debuginfo *debuginfo);

/* This process reads hostile files and nothing else: it may die of one, and wait for servers.
 * Debug files are mapped where they are from here on, not copied before. */
void debuginfo_confined(struct debuginfo *debuginfo);

/* On whose behalf its files are opened; NULL: ours. */
const struct files_client *debuginfo_files(const struct debuginfo *debuginfo);

/* Whether debuginfod's servers may be asked. */
bool debuginfo_asks_servers(const struct debuginfo *debuginfo);

/* Bytes of the build-id; NULL: none. Its own. */
const unsigned char *debuginfo_build_id(struct debuginfo *debuginfo, size_t *size_bytes);

/* Calls for every symbol with a name that lives as long as the debuginfo; those of the separate
 * debug file where there are more, which is neither copied nor mapped for it. */
void debuginfo_symbols(struct debuginfo *debuginfo, symtab_take *take, void *context);

/* What libdwfl has of the file, its DWARF checked; NULL: there is none that can be trusted. */
Dwfl_Module *debuginfo_module(struct debuginfo *debuginfo);

/* The unit whose code holds an address, and its bias; NULL: none. */
Dwarf_Die *debuginfo_unit(struct debuginfo *debuginfo, uint64_t address, Dwarf_Addr *bias);

#endif
