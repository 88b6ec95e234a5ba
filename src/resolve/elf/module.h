/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One ELF file that is mapped: its variables, functions and sections at run-time addresses.
 * elfutils (libdwfl) finds symbol tables, separate debug files and call frame information.
 * The file is hostile input: what makes no sense gives no names.
 */
#ifndef MISSTOP_RESOLVE_ELF_MODULE_H
#define MISSTOP_RESOLVE_ELF_MODULE_H

#include <elfutils/libdw.h>
#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/files.h"
#include "resolve/elf/debuginfo.h"
#include "resolve/elf/symbols.h"
#include "resolve/process/maps.h"

/*
 * Addresses of the parts of an ELF file in memory: segments by its program headers, sections by
 * name, its thread-local image. Every header is hostile input. Source: System V ABI, chapters
 * "Object Files" and "Program Loading".
 */
enum { LAYOUT_SECTIONS_MAX = 96, LAYOUT_SEGMENTS_MAX = 16 };

struct layout_part {
    uint64_t start; /* run-time addresses */
    uint64_t end;
    uint64_t offset; /* in the file */
    uint64_t file_bytes;
    const char *name; /* of a section: raw, borrowed from the Elf */
    bool executable;  /* of a section */
    bool writable;    /* of a segment */
};

struct layout {
    uint64_t bias;  /* run-time address less the file's own */
    uint64_t first; /* of the first segment, at a multiple of its alignment; file address */
    struct layout_part sections[LAYOUT_SECTIONS_MAX];
    size_t section_count;
    struct layout_part segments[LAYOUT_SEGMENTS_MAX];
    size_t segment_count;
    uint64_t tls_bytes; /* rounded up to its alignment; 0: none */
};

/* Segments, and the bias from one mapping of the file. False: the mapping fits no segment. */
bool layout_read_segments(struct layout *layout, Elf *elf, const struct map *mapping);

/* Whether a mapping of the file is part of this one, not of another copy beside it. */
bool layout_fits(const struct layout *layout, uint64_t map_start, uint64_t map_offset);

/* [start, end) of all segments, .bss included. */
void layout_range(const struct layout *layout, uint64_t *start, uint64_t *end);

/* The segment that contains the address in its file bytes; NULL: none. */
const struct layout_part *layout_segment(const struct layout *layout, uint64_t address);

/*
 * The word of a loaded file that locates its thread-local image. The dynamic linker leaves the
 * answer in the slots of the file's relocations: the number of the module in a thread's table
 * (DTPMOD64), or the distance from the thread pointer (TPOFF64), or either (TLSDESC). Source: ELF
 * Handling for Thread-Local Storage (Drepper), 4.4.6; System V ABI x86-64, 4.4.
 */
enum tlsslot_kind { TLSSLOT_NONE, TLSSLOT_MODULE, TLSSLOT_OFFSET, TLSSLOT_DESCRIPTOR };

struct tlsslot {
    enum tlsslot_kind kind;
    uint64_t address; /* of the word; as in the file */
    uint64_t within;  /* of OFFSET, DESCRIPTOR: offset in the image that it speaks of */
};

/* Location of an image: static, below every thread's block; or by the thread's table. */
struct tlsslot_answer {
    uint64_t module; /* number in the table; 0: static */
    uint64_t offset; /* of a static one: what to add to the thread pointer */
};

struct module;

struct module_source {
    int fd;            /* taken over: closed in any case */
    const char *path;  /* as the target has it; for its name and its debug file */
    const char *found; /* of a recording: the file that was opened, for its debug file; or NULL */
    const struct map *mapping; /* by which its place is known */
    uint32_t serial;           /* differs from that of earlier modules in the same place */
    struct lookup_from from;
};

/* A file as mapped in one place. NULL: no ELF file of this machine, or damaged beyond use. */
struct module *module_new(const struct module_source *source);
void module_free(struct module *module);

const char *module_name(const struct module *module); /* base name, sanitised */
bool module_is_agent(const struct module *module);    /* misstop's own library */
bool module_is_linker(const struct module *module);   /* the dynamic linker */

/* Whether a mapping of the same file is part of this one, not of another copy beside it. */
bool module_fits(const struct module *module, uint64_t map_start, uint64_t map_offset);

uint32_t module_serial(const struct module *module);

/* [start, end) that the file's segments take in memory, .bss included. */
void module_range(const struct module *module, uint64_t *start, uint64_t *end);

/* Symbol that covers the address; NULL: none. */
const struct symbol *module_object(const struct module *module, uint64_t address);
const struct symbol *module_function(const struct module *module, uint64_t address);

/* Its variables. */
const struct symbols *module_objects(const struct module *module);

/* A variable by its name, looked for one by one; NULL: there is none. */
const struct symbol *module_named(const struct module *module, const char *name);

/* Thread-local variable at an offset into the module's TLS image. */
const struct symbol *module_tls(const struct module *module, uint64_t offset);

/* Location of the module's TLS images in a process. 0, or -ENOENT: its file has no such slot. */
int module_tls_answer(const struct module *module, pid_t pid, struct tlsslot_answer *answer);

/* Size of the TLS image, rounded up to its alignment; 0: none. */
uint64_t module_tls_bytes(const struct module *module);

/* Free range around an address that no object covers, within its section. */
void module_gap(const struct module *module, uint64_t address, uint64_t *start, uint64_t *end);

/* Section that holds the address, or NULL; its bounds. */
const char *module_section(const struct module *module, uint64_t address, uint64_t *start,
                           uint64_t *end);

/* Function bounds by .eh_frame, for files without symbols. */
bool module_frame(struct module *module, uint64_t ip, uint64_t *start, uint64_t *end);

/* Call frame information of the file's .eh_frame, and what to subtract from an address to look it
 * up there; NULL: none. */
Dwarf_CFI *module_frames(struct module *module, uint64_t *bias);

/* libdwfl's data of it; NULL: none. The module's own. */
struct debuginfo;
struct debuginfo *module_debuginfo(const struct module *module);

/* Bytes of the file at a run-time address. */
size_t module_bytes(const struct module *module, uint64_t address, void *out, size_t size);

/* The same, all or none, for bytes that the program cannot have changed: no part of a segment that
 * is writable, even if only until its relocations are done. */
bool module_constant(const struct module *module, uint64_t address, void *out, size_t size);

/*
 * The ELF files a process has mapped, opened when first asked for and kept: through its own
 * root (containers), the mapping itself when the path is gone, or a folder of binaries for
 * recordings.
 */
struct binaries;

struct modules_entry {
    struct module *module; /* NULL: could not be opened; not tried again */
    char *name;            /* of the mapping that led to it */
    struct map map;        /* that mapping, with the bounds of all of the file in memory */
    bool completed;        /* see space_complete() */
};

struct modules {
    struct modules_entry *entries;
    size_t count;
    size_t room;
    uint32_t serials;          /* given to modules so far */
    struct binaries *binaries; /* of a recording: what may be opened; outlives the modules */
};

void modules_fini(struct modules *modules);

/* Closes all; serials go on. */
void modules_forget(struct modules *modules);

/* The module behind a mapping of a file or of the vdso; NULL: none. Sets map->module. */
struct module *modules_of(struct modules *modules, const struct maps *maps, struct map *map,
                          const struct lookup_from *from);

/* The vdso, which has no file: its bytes copied into one in memory. For the resolver's files. */
/* misstop's own: every process under this kernel has the same. */
int vdso_open_own(void);

#endif
