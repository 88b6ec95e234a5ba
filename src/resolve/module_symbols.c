/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/module_symbols.h"

#include <string.h>

/* Of names for one address: functions and objects before labels, sized before not, global before
 * local, no leading underscore. */
static uint8_t rank_of(const GElf_Sym *symbol, const char *name)
{
    uint8_t rank = GELF_ST_BIND(symbol->st_info) == STB_LOCAL ? 4 : 0;
    rank += GELF_ST_BIND(symbol->st_info) == STB_WEAK ? 2 : 0;
    rank += symbol->st_size ? 0 : 16;
    rank += GELF_ST_TYPE(symbol->st_info) == STT_NOTYPE ? 32 : 0;
    rank += *name == '_';
    return rank;
}

/* The linker marks the ends of sections, and start files the beginning of data; what lies behind
 * a mark does not go by it. */
static bool is_mark(const GElf_Sym *symbol, const char *name)
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

void module_symbols_add(struct module_symbols *symbols, const struct layout *layout,
                        const GElf_Sym *symbol, uint64_t address, const char *name)
{
    struct symbol entry = {.start = address,
                           .end = address + symbol->st_size,
                           .name = name,
                           .rank = rank_of(symbol, name),
                           .is_stub = !symbol->st_size};
    if (!*name || entry.end < entry.start || symbol->st_shndx == SHN_UNDEF ||
        symbol->st_shndx == SHN_ABS || is_mark(symbol, name))
        return;
    const struct layout_part *section = layout_section(layout, address);
    if (entry.is_stub && section)
        entry.end = section->end; /* or to the next symbol */
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
        /* Hand-written assembly: a name in code is a function, one in data an object. */
        symbols_add(section && section->executable ? &symbols->functions : &symbols->objects,
                    entry);
        break;
    default:
        break;
    }
}

void module_symbols_settle(struct module_symbols *symbols)
{
    symbols_settle(&symbols->objects);
    symbols_settle(&symbols->functions);
    symbols_settle(&symbols->tls);
}

void module_symbols_fini(struct module_symbols *symbols)
{
    symbols_fini(&symbols->objects);
    symbols_fini(&symbols->functions);
    symbols_fini(&symbols->tls);
}
