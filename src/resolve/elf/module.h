/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Variables, functions and sections of one mapped ELF file, at run-time addresses. The file is
 * hostile input: invalid data yields no names. */
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

/* Segments from program headers, sections by name, and the TLS image of an ELF file in memory.
 * Headers are hostile. Source: System V ABI, chapters "Object Files" and "Program Loading". */
enum { LAYOUT_SECTIONS_MAX = 96, LAYOUT_SEGMENTS_MAX = 16 };

struct layout_part {
    uint64_t start; /* run-time addresses */
    uint64_t end;
    uint64_t offset; /* in the file */
    uint64_t file_bytes;
    const char *name; /* sections only: raw, owned by the Elf */
    bool executable;  /* sections only */
    bool writable;    /* segments only */
};

struct layout {
    uint64_t bias;          /* run-time address minus file address */
    uint64_t first_address; /* file address of the first segment, rounded down to its alignment */
    struct layout_part sections[LAYOUT_SECTIONS_MAX];
    size_t section_count;
    struct layout_part segments[LAYOUT_SEGMENTS_MAX];
    size_t segment_count;
    uint64_t tls_bytes; /* size, rounded up to its alignment; 0: none */
};

/* Reads the segments, and the bias from one mapping of the file; false: it fits no segment. */
bool layout_read_segments(struct layout *layout, Elf *elf, const struct map *mapping);

/* Returns true if a mapping of the file belongs to this copy, not to another one nearby. */
bool layout_fits(const struct layout *layout, uint64_t map_start, uint64_t map_offset);

/* Returns the range [start, end) of all segments, including .bss. */
void layout_range(const struct layout *layout, uint64_t *start, uint64_t *end);

/* Returns the segment with the address in its file bytes; NULL: none. */
const struct layout_part *layout_segment(const struct layout *layout, uint64_t address);

/*
 * Finds the word of a loaded file that locates its TLS image. The dynamic linker stores the
 * location in the slots of the file's relocations: the number of the module in a thread's table
 * (DTPMOD64), the distance from the thread pointer (TPOFF64), or either (TLSDESC). Source: ELF
 * Handling for Thread-Local Storage (Drepper), 4.4.6; System V ABI x86-64, 4.4.
 */
enum tlsslot_kind { TLSSLOT_NONE, TLSSLOT_MODULE, TLSSLOT_OFFSET, TLSSLOT_DESCRIPTOR };

struct tlsslot {
    enum tlsslot_kind kind;
    uint64_t address; /* address of the word in the file */
    /* TLSSLOT_OFFSET and _DESCRIPTOR: offset in the image that it refers to */
    uint64_t image_offset;
};

/* Location of an image: static, below every thread's control block, or by the thread's table. */
struct tlsslot_answer {
    uint64_t module; /* number in the table; 0: static */
    uint64_t offset; /* static: offset from the thread pointer */
};

struct module;

struct module_source {
    int fd;                    /* owned; closed even on failure */
    const char *path;          /* path in the target, for its name and its debug file */
    const char *found;         /* recording: path of the opened file, for its debug file; or NULL */
    const struct map *mapping; /* a mapping of the file, which gives its bias */
    uint32_t serial;           /* different from earlier modules at the same address */
    struct lookup_from from;
};

/* Opens a file mapped at one address. NULL: not an ELF file for this machine, or too damaged. */
struct module *module_new(const struct module_source *source);
void module_free(struct module *module);

const char *module_name(const struct module *module); /* base name, sanitised */
bool module_is_agent(const struct module *module);    /* misstop's own library */
bool module_is_linker(const struct module *module);   /* the dynamic linker */

/* Returns true if a mapping of the same file belongs to this copy, not to another one nearby. */
bool module_fits(const struct module *module, uint64_t map_start, uint64_t map_offset);

uint32_t module_serial(const struct module *module);

/* Returns the range [start, end) of the file's segments in memory, including .bss. */
void module_range(const struct module *module, uint64_t *start, uint64_t *end);

/* Returns the symbol that covers the address; NULL: none. */
const struct symbol *module_object(const struct module *module, uint64_t address);
const struct symbol *module_function(const struct module *module, uint64_t address);

const struct symbols *module_objects(const struct module *module);

/* Finds a variable by name with a linear search; NULL: none. */
const struct symbol *module_named(const struct module *module, const char *name);

/* Returns the thread-local variable at an offset into the module's TLS image. */
const struct symbol *module_tls(const struct module *module, uint64_t offset);

/* Finds the module's TLS images in a process. 0, or -ENOENT: the file has no such slot. */
int module_tls_answer(const struct module *module, pid_t pid, struct tlsslot_answer *answer);

/* Returns the size of the TLS image, rounded up to its alignment; 0: none. */
uint64_t module_tls_bytes(const struct module *module);

/* Returns the range around an address that no object covers, within its section. */
void module_gap(const struct module *module, uint64_t address, uint64_t *start, uint64_t *end);

/* Returns the name of the section that holds the address, or NULL, and its bounds. */
const char *module_section(const struct module *module, uint64_t address, uint64_t *start,
                           uint64_t *end);

/* Finds function bounds from .eh_frame, for files without symbols. */
bool module_frame(struct module *module, uint64_t ip, uint64_t *start, uint64_t *end);

/* Returns call frame information from .eh_frame, and the bias to subtract from an address for
 * lookups; NULL: none. */
Dwarf_CFI *module_frames(struct module *module, uint64_t *bias);

/* Returns libdwfl's data of the module, owned by the module; NULL: none. */
struct debuginfo;
struct debuginfo *module_debuginfo(const struct module *module);

/* Copies bytes of the file at a run-time address. */
size_t module_bytes(const struct module *module, uint64_t address, void *out, size_t size);

/* Like module_bytes(), but all or nothing, and only bytes that the program cannot have changed: not
 * in a segment that is writable, not even until its relocations are done. */
bool module_constant(const struct module *module, uint64_t address, void *out, size_t size);

/* ELF files that a process has mapped, opened once and kept: through its root (containers), through
 * the mapping if the path is gone, or for recordings from a folder of binaries. */
struct binaries;

struct modules_entry {
    struct module *module; /* NULL: could not be opened; not retried */
    char *name;            /* name of the mapping through which it was found */
    struct map map;        /* that mapping, with the bounds of the whole file in memory */
    bool completed;        /* see space_complete() */
};

struct modules {
    struct modules_entry *entries;
    size_t count;
    size_t room;
    uint32_t serials;          /* last serial number assigned */
    struct binaries *binaries; /* recording: files that may be opened; outlives the modules */
};

void modules_fini(struct modules *modules);

/* Closes all modules; serial numbers continue. */
void modules_forget(struct modules *modules);

/* Returns the module of a mapping of a file or of the vdso; NULL: none. Sets map->module. */
struct module *modules_of(struct modules *modules, const struct maps *maps, struct map *map,
                          const struct lookup_from *from);

/* The vdso has no file: its bytes are copied to a file in memory. For the resolver's files. */

/* Opens misstop's own vdso, which is the same for every process under this kernel. */
int vdso_open_own(void);

#endif
