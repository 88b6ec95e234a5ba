/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One ELF file that is mapped: its variables, functions and sections at run-time addresses.
 * elfutils (libdwfl) finds symbol tables, separate debug files and call frame information.
 * The file is hostile input: what makes no sense gives no names.
 */
#ifndef MISSTOP_RESOLVE_MODULE_H
#define MISSTOP_RESOLVE_MODULE_H

#include "resolve/debugfile.h"
#include "resolve/layout.h"
#include "resolve/symbols.h"
#include "resolve/tlsslot.h"

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct module;

struct module_source {
    int fd;           /* taken over: closed in any case */
    const char *path; /* as the target has it; for its name and its debug file */
    const char *found; /* of a recording: the file that was opened, for its debug file; or NULL */
    struct layout_mapping mapping;
    uint32_t serial; /* tells it from whatever stood in the same place before */
    struct debugfile_from debug;
};

/* A file as mapped in one place. NULL: no ELF file of this machine, or damaged beyond use. */
struct module *module_new(const struct module_source *source);
void module_free(struct module *module);

const char *module_name(const struct module *module); /* base name, sanitised */

/* Whether a mapping of the same file is part of this one, not of another copy beside it. */
bool module_fits(const struct module *module, uint64_t map_start, uint64_t map_offset);

uint32_t module_serial(const struct module *module);

/* [start, end) that the file's segments take in memory, .bss included. */
void module_range(const struct module *module, uint64_t *start, uint64_t *end);

/* Symbol that covers the address; NULL: none. */
const struct symbol *module_object(const struct module *module, uint64_t address);
const struct symbol *module_function(const struct module *module, uint64_t address);

/* Thread-local variable at an offset into the module's TLS image. */
const struct symbol *module_tls(const struct module *module, uint64_t offset);

/* Where the module's TLS images are in a process. 0, or -ENOENT: its file does not tell. */
int module_tls_answer(const struct module *module, pid_t pid, struct tlsslot_answer *answer);

/* Size of the TLS image, rounded up to its alignment; 0: none. */
uint64_t module_tls_bytes(const struct module *module);

/* Free stretch around an address that no object covers, within its section. */
void module_gap(const struct module *module, uint64_t address, uint64_t *start, uint64_t *end);

/* Section that holds the address, or NULL; its bounds. */
const char *module_section(const struct module *module, uint64_t address, uint64_t *start,
                           uint64_t *end);

/* Function bounds by .eh_frame, for files without symbols. */
bool module_frame(struct module *module, uint64_t ip, uint64_t *start, uint64_t *end);

/* Call frame information of the file's .eh_frame, and what to subtract from an address to look it
 * up there; NULL: none. */
Dwarf_CFI *module_frames(struct module *module, uint64_t *bias);

/* What libdwfl knows of it; NULL: nothing. The module's own. */
struct debuginfo;
struct debuginfo *module_debuginfo(const struct module *module);

/* Bytes of the file at a run-time address. */
size_t module_bytes(const struct module *module, uint64_t address, void *out, size_t size);

/* The same, all or none, of what the program cannot have changed: no part of a segment that is
 * writable, be it only until its relocations are done. */
bool module_constant(const struct module *module, uint64_t address, void *out, size_t size);

#endif
