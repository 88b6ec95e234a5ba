/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/module.h"

#include "base/text.h"
#include "resolve/debuginfo.h"
#include "resolve/frames.h"
#include "resolve/layout.h"
#include "resolve/module_symbols.h"
#include "resolve/sections.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    MODULE_SECTION_MAX = 1 << 28,   /* bytes of a table that is read whole */
    MODULE_MINIDEBUG_MAX = 1 << 19, /* of .gnu_debugdata, which unpacks to many times that */
};

struct module {
    int fd;   /* our own, for bytes */
    Elf *elf; /* read, never mapped: a file cut short under a mapping is a SIGBUS */
    struct debuginfo *debuginfo; /* NULL: names and lines cannot be had */
    char *path;
    char name[128];
    uint32_t serial;
    struct tlsslot tlsslot;
    struct layout layout;
    struct module_symbols symbols;
    struct frames frames;
    bool frames_tried;
    Dwarf_CFI *cfi; /* the same, for unwinding */
    bool cfi_tried;
    bool readable; /* its tables are of bearable size */
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
           layout_read_segments(&module->layout, module->elf, &source->mapping);
}

/* Tables are read into memory whole: a file with holes may claim any size for them, and a packed
 * one unpacks to anything. The names of sections are such a table themselves. */
static bool tables_bearable(Elf *elf)
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

/* The same for what is told by name. */
static bool is_bearable(Elf *elf, const char *name, uint64_t most_bytes)
{
    GElf_Shdr header;
    Elf_Scn *section = sections_find(elf, name);
    return !section || !gelf_getshdr(section, &header) || header.sh_size <= most_bytes;
}

static bool sections_bearable(Elf *elf)
{
    return is_bearable(elf, ".gnu_debugdata", MODULE_MINIDEBUG_MAX) &&
           is_bearable(elf, ".eh_frame", MODULE_SECTION_MAX);
}

static void add_symbol(void *context, const GElf_Sym *symbol, uint64_t address, const char *name)
{
    struct module *module = context;
    module_symbols_add(&module->symbols, &module->layout, symbol, address, name);
}

static void read_symbols(struct module *module, const struct debugfile_from *from)
{
    struct debuginfo_source source = {.fd = module->fd,
                                      .elf = module->elf,
                                      .path = module->path,
                                      .start = module->layout.first + module->layout.bias,
                                      .bias = module->layout.bias,
                                      .from = *from};
    uint64_t start;
    layout_range(&module->layout, &start, &source.end);
    module->debuginfo = debuginfo_new(&source);
    if (module->debuginfo)
        debuginfo_symbols(module->debuginfo, add_symbol, module);
    module_symbols_settle(&module->symbols);
}

/* "/usr/bin/x (deleted)" of /proc/PID/maps is x. */
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
    /* A file whose tables make no sense still has its place and its bytes. */
    module->readable = tables_bearable(module->elf) && sections_bearable(module->elf);
    if (module->readable) {
        layout_read_sections(&module->layout, module->elf);
        read_symbols(module, &source->debug);
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

/* Without the section libdw 0.188 would go by the segments, and lose memory over what is wrong in
 * them. */
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
