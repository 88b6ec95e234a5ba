/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/module.h"

#include "base/text.h"
#include "resolve/frames.h"

#include <elfutils/libdwfl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MODULE_SECTIONS_MAX = 96, MODULE_SEGMENTS_MAX = 16, MODULE_SYMBOLS_MAX = 1 << 23 };

struct table {
    struct module_symbol *symbols; /* ascending, no two with the same start */
    size_t count;
    size_t room;
};

struct module_part {
    uint64_t start;
    uint64_t end;
    uint64_t offset;     /* in the file */
    uint64_t file_bytes;
    const char *name;
    bool executable;
};

struct module {
    Dwfl *dwfl;
    Dwfl_Module *dwfl_module;
    int fd;              /* our own, for bytes */
    uint64_t bias;
    char name[128];
    struct table objects;
    struct table functions;
    struct table tls;
    struct module_part sections[MODULE_SECTIONS_MAX];
    size_t section_count;
    struct module_part segments[MODULE_SEGMENTS_MAX];
    size_t segment_count;
    uint64_t tls_bytes;
    struct frames frames;
    bool frames_tried;
};

static const Dwfl_Callbacks callbacks = {
    .find_elf = dwfl_build_id_find_elf,
    /* By build-id and debuglink, beside the file and below /usr/lib/debug. */
    .find_debuginfo = dwfl_standard_find_debuginfo,
    .section_address = dwfl_offline_section_address,
};

static bool append(struct table *table, struct module_symbol symbol)
{
    if (table->count == table->room) {
        size_t room = table->room ? table->room * 2 : 256;
        struct module_symbol *more = realloc(table->symbols, room * sizeof *more);
        if (!more)
            return false;
        table->symbols = more;
        table->room = room;
    }
    table->symbols[table->count++] = symbol;
    return true;
}

/* Of names for one address: global before local, sized before not, no leading underscore. */
static uint8_t rank_of(const GElf_Sym *symbol, const char *name)
{
    uint8_t rank = GELF_ST_BIND(symbol->st_info) == STB_LOCAL ? 4 : 0;
    rank += GELF_ST_BIND(symbol->st_info) == STB_WEAK ? 2 : 0;
    rank += symbol->st_size ? 0 : 16;
    rank += *name == '_';
    return rank;
}

static int compare_symbols(const void *a, const void *b)
{
    const struct module_symbol *x = a;
    const struct module_symbol *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank - y->rank;
    return strcmp(x->name, y->name);
}

static void settle(struct table *table)
{
    size_t kept = 0;
    if (table->count)
        qsort(table->symbols, table->count, sizeof *table->symbols, compare_symbols);
    for (size_t i = 0; i < table->count; i++)
        if (!kept || table->symbols[kept - 1].start != table->symbols[i].start)
            table->symbols[kept++] = table->symbols[i];
    table->count = kept;
    /* A symbol without size reaches to the next one; one that overlaps the next is cut. */
    for (size_t i = 0; i + 1 < table->count; i++)
        if (table->symbols[i].is_stub || table->symbols[i].end > table->symbols[i + 1].start)
            table->symbols[i].end = table->symbols[i + 1].start;
}

static const struct module_symbol *find(const struct table *table, uint64_t address)
{
    size_t low = 0;
    size_t high = table->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (table->symbols[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low)
        return NULL;
    const struct module_symbol *symbol = &table->symbols[low - 1];
    return address < symbol->end ? symbol : NULL;
}

static bool in_code(const struct module *module, uint64_t address)
{
    for (size_t i = 0; i < module->section_count; i++)
        if (address >= module->sections[i].start && address < module->sections[i].end)
            return module->sections[i].executable;
    return false;
}

static void add_symbol(struct module *module, const GElf_Sym *symbol, GElf_Addr address,
                       const char *name)
{
    struct module_symbol entry = {.start = address, .end = address + symbol->st_size,
                                  .name = name, .rank = rank_of(symbol, name),
                                  .is_stub = !symbol->st_size};
    if (!*name || entry.end < entry.start || symbol->st_shndx == SHN_UNDEF)
        return;
    switch (GELF_ST_TYPE(symbol->st_info)) {
    case STT_TLS:
        entry.start = symbol->st_value;
        entry.end = symbol->st_value + symbol->st_size;
        append(&module->tls, entry);
        break;
    case STT_FUNC:
    case STT_GNU_IFUNC:
        append(&module->functions, entry);
        break;
    case STT_OBJECT:
    case STT_COMMON:
        append(&module->objects, entry);
        break;
    case STT_NOTYPE:
        /* Hand-written assembly: a name in code is a function, one in data an object. */
        append(in_code(module, address) ? &module->functions : &module->objects, entry);
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
        const char *name = dwfl_module_getsym_info(module->dwfl_module, i, &symbol, &address, NULL,
                                                   NULL, NULL);
        if (name)
            add_symbol(module, &symbol, address, name);
    }
    settle(&module->objects);
    settle(&module->functions);
    settle(&module->tls);
}

static void read_sections(struct module *module, Elf *elf)
{
    size_t names;
    Elf_Scn *section = NULL;
    if (elf_getshdrstrndx(elf, &names))
        return;
    while ((section = elf_nextscn(elf, section)) && module->section_count < MODULE_SECTIONS_MAX) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header) || !(header.sh_flags & SHF_ALLOC) ||
            header.sh_flags & SHF_TLS || header.sh_addr + header.sh_size < header.sh_addr)
            continue;
        const char *name = elf_strptr(elf, names, header.sh_name);
        module->sections[module->section_count++] = (struct module_part){
            .start = header.sh_addr + module->bias,
            .end = header.sh_addr + header.sh_size + module->bias,
            .name = name ? name : "",
            .executable = header.sh_flags & SHF_EXECINSTR,
        };
    }
}

/* Program headers: where the file is in memory. False: the mapping fits none of them. */
static bool read_segments(struct module *module, Elf *elf, uint64_t map_start,
                          uint64_t map_offset)
{
    size_t count = 0;
    bool found = false;
    if (elf_getphdrnum(elf, &count))
        return false;
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr header;
        if (!gelf_getphdr(elf, (int)i, &header))
            continue;
        uint64_t page_offset = header.p_offset & ~UINT64_C(4095);
        if (header.p_type == PT_TLS) {
            uint64_t align = header.p_align ? header.p_align : 1;
            module->tls_bytes = (header.p_memsz + align - 1) / align * align;
        }
        if (header.p_type != PT_LOAD || module->segment_count == MODULE_SEGMENTS_MAX)
            continue;
        if (!found && map_offset >= page_offset &&
            map_offset < header.p_offset + header.p_filesz) {
            module->bias = map_start - map_offset + header.p_offset - header.p_vaddr;
            found = true;
        }
        module->segments[module->segment_count++] = (struct module_part){
            .start = header.p_vaddr, .end = header.p_vaddr + header.p_memsz,
            .offset = header.p_offset, .file_bytes = header.p_filesz};
    }
    for (size_t i = 0; i < module->segment_count; i++) {
        module->segments[i].start += module->bias;
        module->segments[i].end += module->bias;
    }
    return found;
}

static bool read_headers(struct module *module, uint64_t map_start, uint64_t map_offset)
{
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(module->fd, ELF_C_READ_MMAP, NULL);
    GElf_Ehdr header;
    bool good = elf && elf_kind(elf) == ELF_K_ELF && gelf_getehdr(elf, &header) &&
                header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_machine == EM_X86_64 &&
                read_segments(module, elf, map_start, map_offset);
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
        dwfl_report_elf(module->dwfl, module->name, path, fd, module->bias, true);
    dwfl_report_end(module->dwfl, NULL, NULL);
    if (!module->dwfl_module) {
        close(fd);
        return false;
    }
    Elf *elf = dwfl_module_getelf(module->dwfl_module, &bias);
    if (elf)
        read_sections(module, elf);
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
    free(module->objects.symbols);
    free(module->functions.symbols);
    free(module->tls.symbols);
    free(module);
}

const char *module_name(const struct module *module)
{
    return module->name;
}

void module_range(const struct module *module, uint64_t *start, uint64_t *end)
{
    *start = UINT64_MAX;
    *end = 0;
    for (size_t i = 0; i < module->segment_count; i++) {
        *start = module->segments[i].start < *start ? module->segments[i].start : *start;
        *end = module->segments[i].end > *end ? module->segments[i].end : *end;
    }
}

const struct module_symbol *module_object(const struct module *module, uint64_t address)
{
    return find(&module->objects, address);
}

const struct module_symbol *module_function(const struct module *module, uint64_t address)
{
    return find(&module->functions, address);
}

const struct module_symbol *module_tls(const struct module *module, uint64_t offset)
{
    return find(&module->tls, offset);
}

uint64_t module_tls_bytes(const struct module *module)
{
    return module->tls_bytes;
}

const char *module_section(const struct module *module, uint64_t address, uint64_t *start,
                           uint64_t *end)
{
    for (size_t i = 0; i < module->section_count; i++)
        if (address >= module->sections[i].start && address < module->sections[i].end) {
            *start = module->sections[i].start;
            *end = module->sections[i].end;
            return module->sections[i].name;
        }
    return NULL;
}

void module_gap(const struct module *module, uint64_t address, uint64_t *start, uint64_t *end)
{
    const struct table *table = &module->objects;
    size_t low = 0;
    size_t high = table->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (table->symbols[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low && table->symbols[low - 1].end > *start)
        *start = table->symbols[low - 1].end;
    if (low < table->count && table->symbols[low].start < *end)
        *end = table->symbols[low].start;
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
    frame = frames_find(&module->frames, ip - module->bias);
    *start = frame ? frame->start + module->bias : 0;
    *end = frame ? frame->end + module->bias : 0;
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
    for (size_t i = 0; i < module->segment_count; i++) {
        const struct module_part *segment = &module->segments[i];
        if (address < segment->start || address >= segment->start + segment->file_bytes)
            continue;
        uint64_t into = address - segment->start;
        uint64_t left = segment->file_bytes - into;
        ssize_t got = pread(module->fd, out, size < left ? size : left,
                            (off_t)(segment->offset + into));
        return got > 0 ? (size_t)got : 0;
    }
    return 0;
}
