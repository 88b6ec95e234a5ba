/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/module.h"

#include "base/text.h"
#include "resolve/frames.h"
#include "resolve/layout.h"

#include <elfutils/libdwfl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MODULE_SYMBOLS_MAX = 1 << 23 };

struct module {
    Dwfl *dwfl;
    Dwfl_Module *dwfl_module;
    int fd; /* our own, for bytes */
    char name[128];
    struct layout layout;
    struct symbols objects;
    struct symbols functions;
    struct symbols tls;
    struct frames frames;
    bool frames_tried;
};

static const Dwfl_Callbacks callbacks = {
    .find_elf = dwfl_build_id_find_elf,
    /* By build-id and debuglink, beside the file and below /usr/lib/debug. */
    .find_debuginfo = dwfl_standard_find_debuginfo,
    .section_address = dwfl_offline_section_address,
};

/* Of names for one address: global before local, sized before not, no leading underscore. */
static uint8_t rank_of(const GElf_Sym *symbol, const char *name)
{
    uint8_t rank = GELF_ST_BIND(symbol->st_info) == STB_LOCAL ? 4 : 0;
    rank += GELF_ST_BIND(symbol->st_info) == STB_WEAK ? 2 : 0;
    rank += symbol->st_size ? 0 : 16;
    rank += *name == '_';
    return rank;
}

/* Hand-written assembly gives its names no type: one in code is a function, in data an object. */
static bool in_code(const struct module *module, uint64_t address)
{
    const struct layout_part *section = layout_section(&module->layout, address);
    return section && section->executable;
}

static void add_symbol(struct module *module, const GElf_Sym *symbol, GElf_Addr address,
                       const char *name)
{
    struct symbol entry = {.start = address,
                           .end = address + symbol->st_size,
                           .name = name,
                           .rank = rank_of(symbol, name),
                           .is_stub = !symbol->st_size};
    if (!*name || entry.end < entry.start || symbol->st_shndx == SHN_UNDEF)
        return;
    switch (GELF_ST_TYPE(symbol->st_info)) {
    case STT_TLS:
        entry.start = symbol->st_value;
        entry.end = symbol->st_value + symbol->st_size;
        symbols_add(&module->tls, entry);
        break;
    case STT_FUNC:
    case STT_GNU_IFUNC:
        symbols_add(&module->functions, entry);
        break;
    case STT_OBJECT:
    case STT_COMMON:
        symbols_add(&module->objects, entry);
        break;
    case STT_NOTYPE:
        symbols_add(in_code(module, address) ? &module->functions : &module->objects, entry);
        break;
    default:
        break;
    }
}

static void read_symbols(struct module *module)
{
    int count = dwfl_module_getsymtab(module->dwfl_module);
    for (int i = 1; i < count && i < MODULE_SYMBOLS_MAX; i++) {
        GElf_Sym symbol;
        GElf_Addr address;
        const char *name =
            dwfl_module_getsym_info(module->dwfl_module, i, &symbol, &address, NULL, NULL, NULL);
        if (name)
            add_symbol(module, &symbol, address, name);
    }
    symbols_settle(&module->objects);
    symbols_settle(&module->functions);
    symbols_settle(&module->tls);
}

static bool read_headers(struct module *module, uint64_t map_start, uint64_t map_offset)
{
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(module->fd, ELF_C_READ_MMAP, NULL);
    GElf_Ehdr header;
    bool good = elf && elf_kind(elf) == ELF_K_ELF && gelf_getehdr(elf, &header) &&
                header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_machine == EM_X86_64 &&
                layout_read_segments(&module->layout, elf, map_start, map_offset);
    if (elf)
        elf_end(elf);
    return good;
}

/* The file's place in memory, for libdwfl. It takes and closes a descriptor of its own. */
static bool report(struct module *module, const char *path)
{
    GElf_Addr bias;
    module->dwfl = dwfl_begin(&callbacks);
    int fd = dup(module->fd);
    if (!module->dwfl || fd < 0) {
        if (fd >= 0)
            close(fd);
        return false;
    }
    dwfl_report_begin(module->dwfl);
    module->dwfl_module =
        dwfl_report_elf(module->dwfl, module->name, path, fd, module->layout.bias, true);
    dwfl_report_end(module->dwfl, NULL, NULL);
    if (!module->dwfl_module) {
        close(fd);
        return false;
    }
    Elf *elf = dwfl_module_getelf(module->dwfl_module, &bias);
    if (elf)
        layout_read_sections(&module->layout, elf);
    return elf;
}

struct module *module_new(int fd, const char *path, uint64_t map_start, uint64_t map_offset)
{
    struct module *module = calloc(1, sizeof *module);
    if (!module) {
        close(fd);
        return NULL;
    }
    const char *base = strrchr(path, '/');
    base = base ? base + 1 : path;
    module->fd = fd;
    text_sanitise(module->name, sizeof module->name, base, strlen(base));
    /* debuginfod would reach for the net; misstop never does unasked. */
    unsetenv("DEBUGINFOD_URLS");
    if (!read_headers(module, map_start, map_offset) || !report(module, path)) {
        module_free(module);
        return NULL;
    }
    read_symbols(module);
    return module;
}

void module_free(struct module *module)
{
    if (!module)
        return;
    if (module->dwfl)
        dwfl_end(module->dwfl);
    close(module->fd);
    frames_fini(&module->frames);
    symbols_fini(&module->objects);
    symbols_fini(&module->functions);
    symbols_fini(&module->tls);
    free(module);
}

const char *module_name(const struct module *module)
{
    return module->name;
}

void module_range(const struct module *module, uint64_t *start, uint64_t *end)
{
    layout_range(&module->layout, start, end);
}

const struct symbol *module_object(const struct module *module, uint64_t address)
{
    return symbols_find(&module->objects, address);
}

const struct symbol *module_function(const struct module *module, uint64_t address)
{
    return symbols_find(&module->functions, address);
}

const struct symbol *module_tls(const struct module *module, uint64_t offset)
{
    return symbols_find(&module->tls, offset);
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
    symbols_gap(&module->objects, address, start, end);
}

bool module_frame(struct module *module, uint64_t ip, uint64_t *start, uint64_t *end)
{
    const struct frame *frame;
    if (!module->frames_tried) {
        GElf_Addr bias;
        Elf *elf = dwfl_module_getelf(module->dwfl_module, &bias);
        module->frames_tried = true;
        if (elf)
            frames_read(&module->frames, elf);
    }
    frame = frames_find(&module->frames, ip - module->layout.bias);
    *start = frame ? frame->start + module->layout.bias : 0;
    *end = frame ? frame->end + module->layout.bias : 0;
    return frame;
}

bool module_line(struct module *module, uint64_t address, const char **file, uint32_t *line)
{
    int number = 0;
    Dwfl_Line *found = dwfl_module_getsrc(module->dwfl_module, address);
    *file = found ? dwfl_lineinfo(found, NULL, &number, NULL, NULL, NULL) : NULL;
    *line = number > 0 ? (uint32_t)number : 0;
    return *file;
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
