/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/elf/module.h"

#include <errno.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "agent_abi.h"
#include "base/files.h"
#include "base/text.h"
#include "resolve/elf/binaries.h"
#include "resolve/elf/cfi.h"
#include "resolve/elf/debuginfo.h"
#include "resolve/elf/symbols.h"
#include "resolve/process/process.h"

struct module_symbols {
    struct symbols objects;
    struct symbols functions;
    struct symbols tls; /* by offset into the image */
};

enum { LAYOUT_PAGE = 4096 };

/* Returns the rounded size of the TLS image. It cannot overflow in a program that runs. */
static uint64_t tls_bytes(const GElf_Phdr *header)
{
    uint64_t align = header->p_align ? header->p_align : 1;
    uint64_t rest = header->p_memsz % align;
    uint64_t padding = rest ? align - rest : 0;
    return header->p_memsz + padding < header->p_memsz ? 0 : header->p_memsz + padding;
}

static void add_segment(struct layout *layout, const GElf_Phdr *header)
{
    if (layout->segment_count == LAYOUT_SEGMENTS_MAX ||
        header->p_vaddr + header->p_memsz < header->p_vaddr || header->p_filesz > header->p_memsz)
        return;
    if (!layout->segment_count)
        layout->first_address = header->p_vaddr & -header->p_align;
    layout->segments[layout->segment_count++] =
        (struct layout_part){.start = header->p_vaddr,
                             .end = header->p_vaddr + header->p_memsz,
                             .offset = header->p_offset,
                             .file_bytes = header->p_filesz,
                             .writable = header->p_flags & PF_W};
}

static bool segment_has_offset(uint64_t segment_offset, uint64_t file_bytes, uint64_t offset)
{
    return offset >= (segment_offset & ~(uint64_t)(LAYOUT_PAGE - 1)) &&
           offset < segment_offset + file_bytes;
}

/* Returns how well a segment matches a mapping, 0: not at all. Two segments may share a page of the
 * file; then the access rights show which one is mapped. */
static int segment_likeness(const GElf_Phdr *header, const struct map *mapping)
{
    if (header->p_type != PT_LOAD ||
        !segment_has_offset(header->p_offset, header->p_filesz, mapping->offset))
        return 0;
    return 1 + 2 * (!(header->p_flags & PF_X) == !mapping->executable) +
           (!(header->p_flags & PF_W) == !mapping->writable);
}

bool layout_read_segments(struct layout *layout, Elf *elf, const struct map *mapping)
{
    size_t count = 0;
    int best = 0;
    if (elf_getphdrnum(elf, &count))
        return false;
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr header;
        if (!gelf_getphdr(elf, (int)i, &header))
            continue;
        if (header.p_type == PT_TLS)
            layout->tls_bytes = tls_bytes(&header);
        if (segment_likeness(&header, mapping) > best) {
            best = segment_likeness(&header, mapping);
            layout->bias = mapping->start - mapping->offset + header.p_offset - header.p_vaddr;
        }
        if (header.p_type == PT_LOAD)
            add_segment(layout, &header);
    }
    for (size_t i = 0; i < layout->segment_count; i++) {
        layout->segments[i].start += layout->bias;
        layout->segments[i].end += layout->bias;
    }
    return best;
}

bool layout_fits(const struct layout *layout, uint64_t map_start, uint64_t map_offset)
{
    for (size_t i = 0; i < layout->segment_count; i++) {
        const struct layout_part *segment = &layout->segments[i];
        if (segment_has_offset(segment->offset, segment->file_bytes, map_offset) &&
            map_start - map_offset == segment->start - segment->offset)
            return true;
    }
    return false;
}

/* Reads the loaded sections. The Elf must live as long as the layout. */
static void layout_read_sections(struct layout *layout, Elf *elf)
{
    size_t names;
    Elf_Scn *section = NULL;
    if (elf_getshdrstrndx(elf, &names))
        return;
    while ((section = elf_nextscn(elf, section)) && layout->section_count < LAYOUT_SECTIONS_MAX) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header) || !(header.sh_flags & SHF_ALLOC) ||
            header.sh_flags & SHF_TLS || header.sh_addr + header.sh_size < header.sh_addr)
            continue;
        const char *name = elf_strptr(elf, names, header.sh_name);
        layout->sections[layout->section_count++] = (struct layout_part){
            .start = header.sh_addr + layout->bias,
            .end = header.sh_addr + header.sh_size + layout->bias,
            .name = name ? name : "",
            .executable = header.sh_flags & SHF_EXECINSTR,
        };
    }
}

void layout_range(const struct layout *layout, uint64_t *start, uint64_t *end)
{
    *start = UINT64_MAX;
    *end = 0;
    for (size_t i = 0; i < layout->segment_count; i++) {
        const struct layout_part *segment = &layout->segments[i];
        *start = segment->start < *start ? segment->start : *start;
        *end = segment->end > *end ? segment->end : *end;
    }
}

/* Returns the section that holds the address; NULL: none. */
static const struct layout_part *layout_section(const struct layout *layout, uint64_t address)
{
    for (size_t i = 0; i < layout->section_count; i++)
        if (address >= layout->sections[i].start && address < layout->sections[i].end)
            return &layout->sections[i];
    return NULL;
}

const struct layout_part *layout_segment(const struct layout *layout, uint64_t address)
{
    for (size_t i = 0; i < layout->segment_count; i++) {
        const struct layout_part *segment = &layout->segments[i];
        if (address >= segment->start && address - segment->start < segment->file_bytes)
            return segment;
    }
    return NULL;
}

enum { TLSSLOT_RELOCATIONS_MAX = 1 << 20, TLSSLOT_MODULES_MAX = 1 << 16 };

/* A slot of another file's symbol describes that file's image. */
static bool read_own_symbol(Elf_Data *symbols, uint64_t index, uint64_t *value)
{
    GElf_Sym symbol;
    *value = 0;
    if (!index)
        return true;
    if (!symbols || index > INT32_MAX || !gelf_getsym(symbols, (int)index, &symbol) ||
        symbol.st_shndx == SHN_UNDEF)
        return false;
    *value = symbol.st_value;
    return true;
}

static enum tlsslot_kind tlsslot_kind_of(uint64_t type)
{
    return type == R_X86_64_DTPMOD64  ? TLSSLOT_MODULE
           : type == R_X86_64_TPOFF64 ? TLSSLOT_OFFSET
           : type == R_X86_64_TLSDESC ? TLSSLOT_DESCRIPTOR
                                      : TLSSLOT_NONE;
}

/* Returns true if no other relocation can be better, because this one refers to no symbol. */
static bool read_relocation(struct tlsslot *best, const GElf_Rela *relocation, Elf_Data *symbols)
{
    uint64_t index = GELF_R_SYM(relocation->r_info);
    uint64_t value;
    struct tlsslot slot = {.kind = tlsslot_kind_of(GELF_R_TYPE(relocation->r_info)),
                           .address = relocation->r_offset};
    if (slot.kind == TLSSLOT_NONE || !read_own_symbol(symbols, index, &value))
        return false;
    if (slot.kind != TLSSLOT_MODULE)
        slot.image_offset = value + (uint64_t)relocation->r_addend;
    if (best->kind == TLSSLOT_NONE || !index)
        *best = slot;
    return !index;
}

static Elf_Data *symbols_of(Elf *elf, const GElf_Shdr *header)
{
    Elf_Scn *section = elf_getscn(elf, header->sh_link);
    GElf_Shdr linked;
    return section && gelf_getshdr(section, &linked) && linked.sh_type == SHT_DYNSYM
               ? elf_getdata(section, NULL)
               : NULL;
}

/* Finds the best slot of a file; TLSSLOT_NONE: it has no such relocation. */
static struct tlsslot tlsslot_of(Elf *elf)
{
    struct tlsslot best = {.kind = TLSSLOT_NONE};
    Elf_Scn *section = NULL;
    while ((section = elf_nextscn(elf, section))) {
        GElf_Shdr header;
        GElf_Rela relocation;
        if (!gelf_getshdr(section, &header) || header.sh_type != SHT_RELA ||
            !(header.sh_flags & SHF_ALLOC))
            continue;
        Elf_Data *data = elf_getdata(section, NULL);
        Elf_Data *symbols = symbols_of(elf, &header);
        for (int i = 0; data && i < TLSSLOT_RELOCATIONS_MAX && gelf_getrela(data, i, &relocation);
             i++)
            if (read_relocation(&best, &relocation, symbols))
                return best;
    }
    return best;
}

static int set_tls_module(uint64_t module, struct tlsslot_answer *answer)
{
    answer->module = module;
    return module && module <= TLSSLOT_MODULES_MAX ? 0 : -ENOENT;
}

/* Reads the slot from a process that has the file at `bias`. 0, or -ENOENT: not known. */
static int tlsslot_read(const struct tlsslot *slot, pid_t pid, uint64_t bias,
                        struct tlsslot_answer *answer)
{
    uint64_t words[2] = {0};
    size_t size = slot->kind == TLSSLOT_DESCRIPTOR ? 16 : 8;
    *answer = (struct tlsslot_answer){0};
    if (slot->kind == TLSSLOT_NONE || !process_read(pid, slot->address + bias, words, size))
        return -ENOENT;
    if (slot->kind == TLSSLOT_MODULE)
        return set_tls_module(words[0], answer);
    uint64_t word = words[size / 8 - 1];
    /* A distance is negative here; a descriptor of the other kind has a pointer. */
    if ((int64_t)word < 0) {
        answer->offset = word - slot->image_offset;
        return 0;
    }
    if (slot->kind == TLSSLOT_OFFSET || !process_read(pid, word, words, 8))
        return -ENOENT;
    return set_tls_module(words[0], answer);
}

/* Returns true for names of an old version, as in "cfree@GLIBC_2.2.5", kept for old programs. The
 * current version looks like "free@@GLIBC_2.2.5". */
static bool is_of_old_version(const char *name)
{
    const char *version = strchr(name, '@');
    return version && version[1] != '@';
}

/* Ranks the names of one address: functions and objects before labels, sized before unsized,
 * current version before old ones, global before local, no leading underscore. */
static uint8_t symbol_rank(const GElf_Sym *symbol, const char *name)
{
    uint8_t rank = GELF_ST_BIND(symbol->st_info) == STB_LOCAL ? 4 : 0;
    rank += GELF_ST_BIND(symbol->st_info) == STB_WEAK ? 2 : 0;
    rank += is_of_old_version(name) ? 8 : 0;
    rank += symbol->st_size ? 0 : 16;
    rank += GELF_ST_TYPE(symbol->st_info) == STT_NOTYPE ? 32 : 0;
    rank += *name == '_';
    return rank;
}

/* Returns true for marks. The linker marks the ends of sections, and start files mark the beginning
 * of data; a mark does not name the bytes after it. */
static bool is_linker_mark(const GElf_Sym *symbol, const char *name)
{
    static const char *const marks[] = {"__bss_start",
                                        "_edata",
                                        "edata",
                                        "_end",
                                        "end",
                                        "__data_start",
                                        "data_start",
                                        "etext",
                                        "_etext",
                                        "__etext",
                                        "__rela_iplt_start",
                                        "__rela_iplt_end",
                                        "__ehdr_start",
                                        "__executable_start"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (GELF_ST_TYPE(symbol->st_info) == STT_NOTYPE && !strcmp(name, marks[i]))
            return true;
    return false;
}

/* Adds an entry of a symbol table (ELF gABI, "Symbol Table") at its run-time address. */
static void module_symbols_add(struct module_symbols *symbols, const struct layout *layout,
                               const GElf_Sym *symbol, uint64_t address, const char *name)
{
    struct symbol entry = {.start = address,
                           .end = address + symbol->st_size,
                           .name = name,
                           .rank = symbol_rank(symbol, name),
                           .is_stub = !symbol->st_size};
    if (!*name || entry.end < entry.start || symbol->st_shndx == SHN_UNDEF ||
        symbol->st_shndx == SHN_ABS || is_linker_mark(symbol, name))
        return;
    const struct layout_part *section = layout_section(layout, address);
    if (entry.is_stub && section)
        entry.end = section->end; /* or the next symbol */
    switch (GELF_ST_TYPE(symbol->st_info)) {
    case STT_TLS:
        entry.start = symbol->st_value;
        entry.end = symbol->st_value + symbol->st_size;
        symbols_add(&symbols->tls, entry);
        break;
    case STT_FUNC:
    case STT_GNU_IFUNC:
        symbols_add(&symbols->functions, entry);
        break;
    case STT_OBJECT:
    case STT_COMMON:
        symbols_add(&symbols->objects, entry);
        break;
    case STT_NOTYPE:
        /* In hand-written assembly a name in code is a function, a name in data an object. */
        symbols_add(section && section->executable ? &symbols->functions : &symbols->objects,
                    entry);
        break;
    default:
        break;
    }
}

/* Sorts the symbols; called after the last was added and before the first lookup. */
static void module_symbols_settle(struct module_symbols *symbols)
{
    symbols_settle(&symbols->objects);
    symbols_settle(&symbols->functions);
    symbols_settle(&symbols->tls);
}

static void module_symbols_fini(struct module_symbols *symbols)
{
    symbols_fini(&symbols->objects);
    symbols_fini(&symbols->functions);
    symbols_fini(&symbols->tls);
}

enum {
    MODULE_SECTION_MAX = 1 << 28,   /* size limit of a table that is read completely */
    MODULE_MINIDEBUG_MAX = 1 << 19, /* size limit of .gnu_debugdata, which unpacks to a multiple */
};

struct module {
    int fd;                      /* own descriptor, for reading bytes */
    Elf *elf;                    /* read, never mapped: truncating a mapped file raises SIGBUS */
    struct debuginfo *debuginfo; /* NULL: no names or lines available */
    char *path;
    char name[128];
    bool is_agent; /* misstop's own library */
    uint32_t serial;
    struct tlsslot tlsslot;
    struct layout layout;
    struct module_symbols symbols;
    struct frames frames;
    bool frames_tried;
    Dwarf_CFI *cfi; /* .eh_frame for unwinding */
    bool cfi_tried;
    bool readable; /* its tables have an acceptable size */
};

static bool read_headers(struct module *module, const struct module_source *source)
{
    GElf_Ehdr header;
    elf_version(EV_CURRENT);
    module->elf = elf_begin(module->fd, ELF_C_READ, NULL);
    return module->elf && elf_kind(module->elf) == ELF_K_ELF &&
           gelf_getehdr(module->elf, &header) && header.e_ident[EI_CLASS] == ELFCLASS64 &&
           header.e_ident[EI_DATA] == ELFDATA2LSB && header.e_machine == EM_X86_64 &&
           (header.e_type == ET_EXEC || header.e_type == ET_DYN) &&
           layout_read_segments(&module->layout, module->elf, source->mapping);
}

/* Tables are read into memory completely, a sparse file may claim any size for them, and a
 * compressed table unpacks to any size. The section names are such a table, too. */
static bool table_sizes_are_ok(Elf *elf)
{
    Elf_Scn *section = NULL;
    while ((section = elf_nextscn(elf, section))) {
        GElf_Shdr header;
        bool table = gelf_getshdr(section, &header) && header.sh_type != SHT_NOBITS &&
                     header.sh_type != SHT_PROGBITS;
        if (table && (header.sh_size > MODULE_SECTION_MAX || header.sh_flags & SHF_COMPRESSED))
            return false;
    }
    return true;
}

/* Returns true if the section of a name is of acceptable size. */
static bool section_size_is_ok(Elf *elf, const char *name, uint64_t most_bytes)
{
    GElf_Shdr header;
    Elf_Scn *section = sections_find(elf, name);
    return !section || !gelf_getshdr(section, &header) || header.sh_size <= most_bytes;
}

static bool section_sizes_are_ok(Elf *elf)
{
    return section_size_is_ok(elf, ".gnu_debugdata", MODULE_MINIDEBUG_MAX) &&
           section_size_is_ok(elf, ".eh_frame", MODULE_SECTION_MAX);
}

static void add_symbol(void *context, const GElf_Sym *symbol, uint64_t address, const char *name)
{
    struct module *module = context;
    module_symbols_add(&module->symbols, &module->layout, symbol, address, name);
}

static void read_symbols(struct module *module, const struct lookup_from *from)
{
    struct debuginfo_source source = {.fd = module->fd,
                                      .elf = module->elf,
                                      .path = module->path,
                                      .start = module->layout.first_address + module->layout.bias,
                                      .bias = module->layout.bias,
                                      .from = *from};
    uint64_t start;
    layout_range(&module->layout, &start, &source.end);
    module->debuginfo = debuginfo_new(&source);
    if (module->debuginfo)
        debuginfo_symbols(module->debuginfo, add_symbol, module);
    if (!sections_find(module->elf, ".symtab"))
        gotab_read(module->elf, module->layout.bias, add_symbol, module);
    module_symbols_settle(&module->symbols);
}

/* Sets the name; "/usr/bin/x (deleted)" in /proc/PID/maps is x. */
static void set_name(struct module *module, const char *path, const char *found)
{
    static const char deleted[] = " (deleted)";
    const char *base = strrchr(path, '/');
    base = base ? base + 1 : path;
    size_t length = strlen(base);
    size_t suffix = sizeof deleted - 1;
    if (length > suffix && !strcmp(base + length - suffix, deleted))
        length -= suffix;
    text_sanitise(module->name, sizeof module->name, base, length);
    module->is_agent = !strcmp(module->name, AGENT_FILE);
    module->path = found ? strdup(found) : strndup(path, (size_t)(base - path) + length);
}

struct module *module_new(const struct module_source *source)
{
    struct module *module = calloc(1, sizeof *module);
    if (!module) {
        close(source->fd);
        return NULL;
    }
    module->fd = source->fd;
    module->serial = source->serial;
    set_name(module, source->path, source->found);
    if (!module->path || !read_headers(module, source)) {
        module_free(module);
        return NULL;
    }
    /* A file with invalid tables still has an address range and bytes. */
    module->readable = table_sizes_are_ok(module->elf) && section_sizes_are_ok(module->elf);
    if (module->readable) {
        layout_read_sections(&module->layout, module->elf);
        read_symbols(module, &source->from);
        if (module->layout.tls_bytes)
            module->tlsslot = tlsslot_of(module->elf);
    }
    return module;
}

void module_free(struct module *module)
{
    if (!module)
        return;
    debuginfo_free(module->debuginfo);
    if (module->cfi)
        dwarf_cfi_end(module->cfi);
    if (module->elf)
        elf_end(module->elf);
    close(module->fd);
    free(module->path);
    frames_fini(&module->frames);
    module_symbols_fini(&module->symbols);
    free(module);
}

const char *module_name(const struct module *module)
{
    return module->name;
}

bool module_is_agent(const struct module *module)
{
    return module->is_agent;
}

bool module_is_linker(const struct module *module)
{
    static const char *const names[] = {"ld-linux", "ld-2.", "ld-musl"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strncmp(module->name, names[i], strlen(names[i])))
            return true;
    return false;
}

uint32_t module_serial(const struct module *module)
{
    return module->serial;
}

bool module_fits(const struct module *module, uint64_t map_start, uint64_t map_offset)
{
    return layout_fits(&module->layout, map_start, map_offset);
}

void module_range(const struct module *module, uint64_t *start, uint64_t *end)
{
    layout_range(&module->layout, start, end);
}

const struct symbol *module_object(const struct module *module, uint64_t address)
{
    return symbols_find(&module->symbols.objects, address);
}

const struct symbols *module_objects(const struct module *module)
{
    return &module->symbols.objects;
}

const struct symbol *module_named(const struct module *module, const char *name)
{
    const struct symbols *objects = &module->symbols.objects;
    for (size_t i = 0; i < objects->count; i++)
        if (!strcmp(objects->at[i].name, name))
            return &objects->at[i];
    return NULL;
}

const struct symbol *module_function(const struct module *module, uint64_t address)
{
    return symbols_find(&module->symbols.functions, address);
}

const struct symbol *module_tls(const struct module *module, uint64_t offset)
{
    return symbols_find(&module->symbols.tls, offset);
}

int module_tls_answer(const struct module *module, pid_t pid, struct tlsslot_answer *answer)
{
    return tlsslot_read(&module->tlsslot, pid, module->layout.bias, answer);
}

uint64_t module_tls_bytes(const struct module *module)
{
    return module->layout.tls_bytes;
}

const char *module_section(const struct module *module, uint64_t address, uint64_t *start,
                           uint64_t *end)
{
    const struct layout_part *section = layout_section(&module->layout, address);
    if (!section)
        return NULL;
    *start = section->start;
    *end = section->end;
    return section->name;
}

void module_gap(const struct module *module, uint64_t address, uint64_t *start, uint64_t *end)
{
    symbols_gap(&module->symbols.objects, address, start, end);
}

bool module_frame(struct module *module, uint64_t ip, uint64_t *start, uint64_t *end)
{
    const struct frame *frame;
    if (!module->frames_tried && module->readable)
        frames_read(&module->frames, module->elf);
    module->frames_tried = true;
    frame = frames_find(&module->frames, ip - module->layout.bias);
    *start = frame ? frame->start + module->layout.bias : 0;
    *end = frame ? frame->end + module->layout.bias : 0;
    return frame;
}

/* Requires the section: libdw 0.188 would use the segments, and leak memory on invalid ones. */
Dwarf_CFI *module_frames(struct module *module, uint64_t *bias)
{
    if (!module->cfi_tried && module->readable && sections_find(module->elf, ".eh_frame"))
        module->cfi = dwarf_getcfi_elf(module->elf);
    module->cfi_tried = true;
    *bias = module->layout.bias;
    return module->cfi;
}

struct debuginfo *module_debuginfo(const struct module *module)
{
    return module->debuginfo;
}

size_t module_bytes(const struct module *module, uint64_t address, void *out, size_t size)
{
    const struct layout_part *segment = layout_segment(&module->layout, address);
    if (!segment)
        return 0;
    uint64_t into = address - segment->start;
    uint64_t left = segment->file_bytes - into;
    ssize_t got =
        pread(module->fd, out, size < left ? size : left, (off_t)(segment->offset + into));
    return got > 0 ? (size_t)got : 0;
}

bool module_constant(const struct module *module, uint64_t address, void *out, size_t size)
{
    const struct layout_part *segment = layout_segment(&module->layout, address);
    return segment && !segment->writable && module_bytes(module, address, out, size) == size;
}

enum { VDSO_BYTES_MAX = 1 << 20 };

/* Copies the vdso of a live process from its mapping. Returns a descriptor, or -1. */
static int vdso_open(const struct map *map, pid_t pid)
{
    size_t size = map->end - map->start;
    unsigned char *bytes = size <= VDSO_BYTES_MAX ? malloc(size) : NULL;
    int fd = bytes && process_read(pid, map->start, bytes, size)
                 ? memfd_create("misstop-vdso", MFD_CLOEXEC)
                 : -1;
    if (fd >= 0 && write(fd, bytes, size) != (ssize_t)size) {
        close(fd);
        fd = -1;
    }
    free(bytes);
    return fd;
}

int vdso_open_own(void)
{
    struct maps maps = {0};
    int fd = -1;
    if (!maps_read(&maps, getpid()))
        for (size_t i = 0; i < maps.count && fd < 0; i++)
            if (maps.maps[i].kind == MAPPING_VDSO)
                fd = vdso_open(&maps.maps[i], getpid());
    maps_fini(&maps);
    return fd;
}

enum { MODULES_PARTS_MAX = 16 }; /* consecutive mappings of one file */
/* Size limit of a program or library; a browser with debug information has 5 GiB. */
#define MODULES_BYTES_MAX (UINT64_C(64) << 30)

void modules_forget(struct modules *modules)
{
    for (size_t i = 0; i < modules->count; i++) {
        module_free(modules->entries[i].module);
        free(modules->entries[i].name);
    }
    modules->count = 0;
}

void modules_fini(struct modules *modules)
{
    modules_forget(modules);
    free(modules->entries);
    *modules = (struct modules){0};
}

/* On overlayfs the file and the mapping show different devices, so only the inode is compared. */
static int close_unless_same_inode(int fd, const struct map *map)
{
    struct stat status;
    if (fd >= 0 && map->inode && (fstat(fd, &status) || status.st_ino != map->inode)) {
        close(fd);
        return -1;
    }
    return fd;
}

static int open_live(const struct map *map, const char *name, const struct lookup_from *from)
{
    char path[64];
    /* The mapping leads to the file in use, even if its path has changed. Needs privileges. */
    snprintf(path, sizeof path, "/proc/%d/map_files/%lx-%lx", (int)files_proc_tid(from->pid),
             (unsigned long)map->start, (unsigned long)map->end);
    int fd = close_unless_same_inode(files_open(path), map);
    /* The program itself is always available. */
    if (fd < 0) {
        snprintf(path, sizeof path, "/proc/%d/exe", (int)files_proc_tid(from->pid));
        fd = close_unless_same_inode(files_open(path), map);
    }
    if (fd < 0)
        fd = close_unless_same_inode(
            files_open_in_root(from->pid, name, from->files, FILES_NOFOLLOW, MODULES_BYTES_MAX),
            map);
    /* A short-lived process has exited before its first sample is processed. */
    if (fd < 0 && from->root >= 0)
        fd = close_unless_same_inode(
            files_open_below(from->root, name, from->files, FILES_NOFOLLOW, MODULES_BYTES_MAX),
            map);
    return fd;
}

static int open_file(const struct modules *modules, const struct maps *maps, const struct map *map,
                     const struct lookup_from *from)
{
    if (!from->live)
        return binaries_open(modules->binaries, map->binary);
    if (map->kind == MAPPING_VDSO)
        return vdso_open(map, from->pid);
    return open_live(map, maps_name(maps, map), from);
}

/* Names are compared only without an inode, because deleting the file changes them. */
static bool is_same_mapping(const struct modules_entry *entry, const struct maps *maps,
                            const struct map *map)
{
    const struct map *known = &entry->map;
    return (known->kind == MAPPING_VDSO) == (map->kind == MAPPING_VDSO) &&
           known->inode == map->inode && known->major == map->major && known->minor == map->minor &&
           known->binary == map->binary &&
           (map->inode || !strcmp(entry->name, maps_name(maps, map)));
}

/* A file that was unmapped and mapped again may have moved slightly. */
static int find_entry(const struct modules *modules, const struct maps *maps, const struct map *map)
{
    for (size_t i = modules->count; i-- > 0;) {
        const struct modules_entry *entry = &modules->entries[i];
        if (is_same_mapping(entry, maps, map) && map->start < entry->map.end &&
            map->end > entry->map.start &&
            (!entry->module || module_fits(entry->module, map->start, map->offset)))
            return (int)i;
    }
    return -1;
}

/* Returns the mapping of the start of the file, which determines the bias uniquely. Two segments
 * may share a page of the file, and then one mapping matches either. */
static const struct map *first_mapping_of_file(const struct maps *maps, const struct map *map)
{
    size_t last = (size_t)(map - maps->maps);
    for (size_t i = last + 1; i-- > 0 && last - i < MODULES_PARTS_MAX;) {
        const struct map *part = &maps->maps[i];
        if (!part->offset && part->inode == map->inode && part->major == map->major &&
            part->minor == map->minor && part->kind == map->kind && part->binary == map->binary)
            return part;
    }
    return map;
}

static struct module *open_module(struct modules *modules, const struct maps *maps,
                                  const struct map *map, const struct map *part,
                                  const struct lookup_from *from)
{
    struct module_source source = {
        .fd = open_file(modules, maps, map, from),
        .path = maps_name(maps, map),
        .found = from->live ? NULL : binaries_found(modules->binaries, map->binary),
        .mapping = part,
        .serial = ++modules->serials,
        .from = *from};
    struct module *module = source.fd >= 0 ? module_new(&source) : NULL;
    if (!module || module_fits(module, map->start, map->offset))
        return module;
    module_free(module);
    return part == map ? NULL : open_module(modules, maps, map, map, from);
}

static int add_entry(struct modules *modules, const struct maps *maps, const struct map *map,
                     const struct lookup_from *from)
{
    struct modules_entry entry = {.name = strdup(maps_name(maps, map)), .map = *map};
    if (!entry.name || !array_reserve_next(&modules->entries, &modules->room, modules->count,
                                           sizeof *modules->entries, ARRAY_UNBOUNDED)) {
        free(entry.name);
        return -1;
    }
    entry.module = open_module(modules, maps, map, first_mapping_of_file(maps, map), from);
    if (entry.module)
        module_range(entry.module, &entry.map.start, &entry.map.end);
    modules->entries[modules->count] = entry;
    return (int)modules->count++;
}

struct module *modules_of(struct modules *modules, const struct maps *maps, struct map *map,
                          const struct lookup_from *from)
{
    if (map->module == -2) {
        map->module = find_entry(modules, maps, map);
        if (map->module < 0)
            map->module = add_entry(modules, maps, map, from);
    }
    return map->module >= 0 ? modules->entries[map->module].module : NULL;
}
