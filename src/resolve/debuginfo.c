/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/debuginfo.h"

#include "resolve/debuginfod.h"
#include "resolve/sections.h"
#include "resolve/symtab.h"
#include "resolve/units.h"

#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct debuginfo {
    Dwfl *dwfl;
    Dwfl_Module *module;
    struct debuginfo_source source;
    struct units units;
    struct symtab symtab;                /* of the separate debug file */
    char debug_path[DEBUGFILE_PATH_MAX]; /* of that file, as it was found; "": none */
    bool without_debug_file;             /* libdwfl is to make do without */
    bool alternate_given;                /* the debug file's own debug file (dwz) was found */
    bool dwarf_checked;
    bool dwarf_trusted;
};

static int give_elf(Dwfl_Module *module, void **context, const char *name, Dwarf_Addr base,
                    char **path, Elf **elf)
{
    struct debuginfo *debuginfo = *context;
    (void)module, (void)name, (void)base;
    *path = strdup(debuginfo->source.path);
    *elf = elf_begin(debuginfo->source.fd, ELF_C_READ, debuginfo->source.elf); /* a reference */
    return -1;
}

/* By the file's own build-id and link. */
static int open_debug(struct debuginfo *debuginfo, const struct debugfile_from *from)
{
    struct debugfile_wanted wanted = {.path = debuginfo->source.path};
    GElf_Word crc = 0;
    GElf_Addr where;
    int size = dwfl_module_build_id(debuginfo->module, &wanted.id, &where);
    wanted.id_size = size > 0 ? (size_t)size : 0;
    wanted.link = dwelf_elf_gnu_debuglink(debuginfo->source.elf, &crc);
    wanted.crc = crc;
    return debugfile_open(from, &wanted, debuginfo->debug_path);
}

/* What dwz took out of several debug files; its build-id stands beside its name. */
static int open_alternate(struct debuginfo *debuginfo)
{
    struct debugfile_wanted wanted = {.path = *debuginfo->debug_path ? debuginfo->debug_path
                                                                     : debuginfo->source.path};
    Dwarf_Addr bias;
    Dwarf *dwarf = dwfl_module_getdwarf(debuginfo->module, &bias);
    const void *id = NULL;
    ssize_t size = dwarf ? dwelf_dwarf_gnu_debugaltlink(dwarf, &wanted.link, &id) : 0;
    if (size <= 0)
        return -1;
    wanted.id = id;
    wanted.id_size = (size_t)size;
    int fd = debugfile_open(&debuginfo->source.from, &wanted, NULL);
    debuginfo->alternate_given = fd >= 0;
    return fd;
}

static int give_debug(Dwfl_Module *module, void **context, const char *name, Dwarf_Addr base,
                      const char *path, const char *link, GElf_Word crc, char **debug_path)
{
    struct debuginfo *debuginfo = *context;
    (void)module, (void)name, (void)base, (void)path;
    if (debuginfo->without_debug_file)
        return -1;
    /* The alternate file is asked for in the same way, but its name comes without checksum. */
    int fd =
        link && !crc ? open_alternate(debuginfo) : open_debug(debuginfo, &debuginfo->source.from);
    if (fd >= 0)
        *debug_path = strdup(debuginfo->source.path);
    return fd;
}

static const Dwfl_Callbacks callbacks = {
    .find_elf = give_elf,
    .find_debuginfo = give_debug,
    .section_address = dwfl_offline_section_address,
};

/* libdwfl works the bias out again from the lowest address: it must come to the same. */
static bool report(struct debuginfo *debuginfo)
{
    const struct debuginfo_source *source = &debuginfo->source;
    GElf_Addr bias;
    void **context;
    dwfl_report_begin(debuginfo->dwfl);
    debuginfo->module =
        dwfl_report_module(debuginfo->dwfl, source->path, source->start, source->end);
    dwfl_report_end(debuginfo->dwfl, NULL, NULL);
    if (!debuginfo->module)
        return false;
    dwfl_module_info(debuginfo->module, &context, NULL, NULL, NULL, NULL, NULL, NULL);
    *context = debuginfo;
    return dwfl_module_getelf(debuginfo->module, &bias) && bias == source->bias;
}

struct debuginfo *debuginfo_new(const struct debuginfo_source *source)
{
    struct debuginfo *debuginfo = calloc(1, sizeof *debuginfo);
    if (!debuginfo)
        return NULL;
    debuginfo->source = *source;
    debuginfo->symtab.fd = -1;
    debuginfo->dwfl = dwfl_begin(&callbacks);
    if (!debuginfo->dwfl || !report(debuginfo)) {
        debuginfo_free(debuginfo);
        return NULL;
    }
    return debuginfo;
}

void debuginfo_free(struct debuginfo *debuginfo)
{
    if (!debuginfo)
        return;
    units_fini(&debuginfo->units);
    symtab_fini(&debuginfo->symtab);
    if (debuginfo->dwfl)
        dwfl_end(debuginfo->dwfl);
    free(debuginfo);
}

void debuginfo_confined(struct debuginfo *debuginfo)
{
    debuginfo->source.from.cut_short = true;
    debuginfo->source.from.may_wait = true;
}

const struct files_client *debuginfo_files(const struct debuginfo *debuginfo)
{
    return debuginfo->source.from.files;
}

bool debuginfo_asks_servers(const struct debuginfo *debuginfo)
{
    return debuginfo->source.from.debuginfod && debuginfod_available();
}

static bool has_dwarf(Elf *elf)
{
    return sections_find(elf, ".debug_info") || sections_find(elf, ".zdebug_info");
}

bool debuginfo_present(struct debuginfo *debuginfo)
{
    struct debugfile_from from = debuginfo->source.from;
    const unsigned char *id;
    GElf_Addr where;
    if (has_dwarf(debuginfo->source.elf))
        return true;
    if (debuginfo->symtab.elf)
        return has_dwarf(debuginfo->symtab.elf);
    from.cut_short = true; /* headers are read, not mapped */
    int fd = open_debug(debuginfo, &from);
    Elf *elf = fd >= 0 ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
    bool present = elf && has_dwarf(elf);
    if (elf)
        elf_end(elf);
    if (fd >= 0)
        close(fd);
    return present || (fd < 0 && debuginfo_asks_servers(debuginfo) &&
                       dwfl_module_build_id(debuginfo->module, &id, &where) > 0);
}

const unsigned char *debuginfo_build_id(struct debuginfo *debuginfo, size_t *size_bytes)
{
    const unsigned char *id = NULL;
    GElf_Addr where;
    int size = dwfl_module_build_id(debuginfo->module, &id, &where);
    *size_bytes = size > 0 ? (size_t)size : 0;
    return size > 0 ? id : NULL;
}

/* libdwfl hands out names as they stand in the table of the symbols' section, ended or not. */
static bool names_end(Elf *elf)
{
    Elf_Scn *section = NULL;
    bool any = false;
    while ((section = elf_nextscn(elf, section))) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header) ||
            (header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM))
            continue;
        any = true;
        if (!sections_end_strings(elf_getscn(elf, header.sh_link)))
            return false;
    }
    return any;
}

/* Without what separate debug files have: libdwfl would map them. */
static void symbols_of_file(struct debuginfo *debuginfo, symtab_take *take, void *context)
{
    debuginfo->without_debug_file = true;
    int count = dwfl_module_getsymtab(debuginfo->module);
    Elf *elf = NULL;
    Elf *known = NULL;
    bool good = false;
    for (int i = 1; i < count && i < SYMTAB_SYMBOLS_MAX; i++) {
        GElf_Sym symbol;
        GElf_Addr address;
        const char *name =
            dwfl_module_getsym_info(debuginfo->module, i, &symbol, &address, NULL, &elf, NULL);
        /* Symbols of one file follow each other; there are three files at most. */
        if (elf != known)
            good = elf && names_end(elf);
        known = elf;
        if (name && good)
            take(context, &symbol, address, name);
    }
    debuginfo->without_debug_file = false;
}

void debuginfo_symbols(struct debuginfo *debuginfo, symtab_take *take, void *context)
{
    struct debugfile_from from = debuginfo->source.from;
    from.cut_short = true;
    if (!sections_find(debuginfo->source.elf, ".symtab") &&
        symtab_open(&debuginfo->symtab, open_debug(debuginfo, &from)))
        symtab_read(&debuginfo->symtab, debuginfo->source.elf, debuginfo->source.bias, take,
                    context);
    else
        symbols_of_file(debuginfo, take, context);
}

/* An alternate file that is named but was not found: libdw would look for it by itself. */
static bool alternate_missing(const struct debuginfo *debuginfo, Dwarf *dwarf)
{
    const char *name;
    const void *id;
    return dwelf_dwarf_gnu_debugaltlink(dwarf, &name, &id) > 0 && !debuginfo->alternate_given;
}

/* libdw 0.188 takes the length of a string that begins in such a section, wherever it ends. */
static bool strings_end(Dwarf *dwarf)
{
    Elf *elf = dwarf_getelf(dwarf);
    Elf_Scn *section = NULL;
    size_t names;
    if (!elf || elf_getshdrstrndx(elf, &names))
        return false;
    while ((section = elf_nextscn(elf, section))) {
        GElf_Shdr header;
        const char *name =
            gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
        /* Not .debug_str_offsets, which clang writes: numbers. */
        if (!name || !strstr(name, "debug") || !strstr(name, "_str") || strstr(name, "offsets"))
            continue;
        if (header.sh_size && !sections_end_strings(section))
            return false;
    }
    return true;
}

static bool dwarf_trusted(struct debuginfo *debuginfo)
{
    Dwarf_Addr bias;
    if (!debuginfo->dwarf_checked) {
        Dwarf *dwarf = dwfl_module_getdwarf(debuginfo->module, &bias);
        debuginfo->dwarf_checked = true;
        debuginfo->dwarf_trusted =
            dwarf && !alternate_missing(debuginfo, dwarf) && strings_end(dwarf) &&
            (!debuginfo->alternate_given || strings_end(dwarf_getalt(dwarf)));
    }
    return debuginfo->dwarf_trusted;
}

Dwfl_Module *debuginfo_module(struct debuginfo *debuginfo)
{
    return dwarf_trusted(debuginfo) ? debuginfo->module : NULL;
}

Dwarf_Die *debuginfo_unit(struct debuginfo *debuginfo, uint64_t address, Dwarf_Addr *bias)
{
    return dwarf_trusted(debuginfo)
               ? units_find(&debuginfo->units, debuginfo->module, address, bias)
               : NULL;
}
