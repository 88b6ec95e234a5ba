/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/elf/symbols.h"

#include <libiberty/demangle.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"

void symbols_fini(struct symbols *symbols)
{
    free(symbols->at);
    *symbols = (struct symbols){0};
}

bool symbols_add(struct symbols *symbols, struct symbol symbol)
{
    if (!array_reserve_next(&symbols->at, &symbols->room, symbols->count, sizeof *symbols->at,
                            ARRAY_UNBOUNDED))
        return false;
    symbols->at[symbols->count++] = symbol;
    return true;
}

static int symbols_compare(const void *a, const void *b)
{
    const struct symbol *x = a;
    const struct symbol *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank - y->rank;
    return strcmp(x->name, y->name);
}

/* Drops aliases, and labels inside a sized symbol. Link-time optimisation leaves such labels with
 * the names of files. */
static void drop_aliases(struct symbols *symbols)
{
    size_t kept = 0;
    uint64_t covered = 0;
    for (size_t i = 0; i < symbols->count; i++) {
        const struct symbol *symbol = &symbols->at[i];
        bool alias = kept && symbols->at[kept - 1].start == symbol->start;
        if (alias || (symbol->is_stub && symbol->start < covered))
            continue;
        if (!symbol->is_stub && symbol->end > covered)
            covered = symbol->end;
        symbols->at[kept++] = *symbol;
    }
    symbols->count = kept;
}

void symbols_settle(struct symbols *symbols)
{
    if (symbols->count)
        qsort(symbols->at, symbols->count, sizeof *symbols->at, symbols_compare);
    drop_aliases(symbols);
    /* A symbol without a size extends to the next one in its section; overlaps are cut. */
    for (size_t i = 0; i + 1 < symbols->count; i++) {
        struct symbol *symbol = &symbols->at[i];
        uint64_t next = symbols->at[i + 1].start;
        bool endless = symbol->is_stub && symbol->end == symbol->start;
        if (endless || symbol->end > next)
            symbol->end = next;
    }
}

/* Returns the number of symbols that start at or before the address. */
static size_t symbols_up_to(const struct symbols *symbols, uint64_t address)
{
    return SORTED_UP_TO(symbols->at, symbols->count, start, address);
}

const struct symbol *symbols_find(const struct symbols *symbols, uint64_t address)
{
    size_t before = symbols_up_to(symbols, address);
    const struct symbol *symbol = before ? &symbols->at[before - 1] : NULL;
    return symbol && address < symbol->end ? symbol : NULL;
}

void symbols_gap(const struct symbols *symbols, uint64_t address, uint64_t *start, uint64_t *end)
{
    size_t before = symbols_up_to(symbols, address);
    if (before && symbols->at[before - 1].end > *start)
        *start = symbols->at[before - 1].end;
    if (before < symbols->count && symbols->at[before].start < *end)
        *end = symbols->at[before].start;
}

/* A sparse file may claim any size. */
enum { SYMTAB_BYTES_MAX = 1 << 28 };

static Elf_Data *section_data(Elf_Scn *section, GElf_Word type)
{
    GElf_Shdr header;
    if (!section || !gelf_getshdr(section, &header) || header.sh_type != type ||
        header.sh_flags & SHF_COMPRESSED || header.sh_size > SYMTAB_BYTES_MAX)
        return NULL;
    return elf_getdata(section, NULL);
}

static Elf_Scn *symbol_strings(Elf *elf, Elf_Scn *symbols)
{
    GElf_Shdr header;
    Elf_Scn *names = gelf_getshdr(symbols, &header) ? elf_getscn(elf, header.sh_link) : NULL;
    return section_data(names, SHT_STRTAB) && sections_end_strings(names) ? names : NULL;
}

bool symtab_open(struct symtab *symtab, int fd)
{
    elf_version(EV_CURRENT);
    symtab->fd = fd;
    symtab->elf = fd >= 0 ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
    Elf_Scn *symbols = symtab->elf ? sections_find(symtab->elf, ".symtab") : NULL;
    if (section_data(symbols, SHT_SYMTAB) && symbol_strings(symtab->elf, symbols))
        return true;
    symtab_fini(symtab);
    return false;
}

void symtab_fini(struct symtab *symtab)
{
    if (symtab->elf)
        elf_end(symtab->elf);
    if (symtab->fd >= 0)
        close(symtab->fd);
    *symtab = (struct symtab){.fd = -1};
}

/* Returns the first segment's address. A prelinked file has other addresses than its debug file. */
static uint64_t first_address(Elf *elf)
{
    size_t count = 0;
    GElf_Phdr header;
    elf_getphdrnum(elf, &count);
    for (size_t i = 0; i < count && gelf_getphdr(elf, (int)i, &header); i++)
        if (header.p_type == PT_LOAD)
            return header.p_vaddr;
    return 0;
}

void symtab_read(const struct symtab *symtab, Elf *main, uint64_t bias, symtab_take *take,
                 void *context)
{
    Elf_Scn *section = sections_find(symtab->elf, ".symtab");
    Elf_Data *symbols = section_data(section, SHT_SYMTAB);
    size_t names = elf_ndxscn(symbol_strings(symtab->elf, section));
    GElf_Sym symbol;
    bias += first_address(main) - first_address(symtab->elf);
    for (int i = 1; i < SYMTAB_SYMBOLS_MAX && gelf_getsym(symbols, i, &symbol); i++) {
        const char *name = elf_strptr(symtab->elf, names, symbol.st_name);
        if (name)
            take(context, &symbol, symbol.st_value + bias, name);
    }
}

/*
 * Go's function table (Go debug/gosym/pclntab.go, runtime/symtab.go: pcHeader, functab, _func): a
 * header with the offsets of its parts, then the addresses of functions in ascending order, each
 * with the offset of its description, which has the offset of its name.
 */
enum { GOTAB_1_16 = -6, GOTAB_1_18 = -16, GOTAB_1_20 = -15, GOTAB_FUNCTIONS_MAX = 1 << 23 };

struct gotab {
    const char *bytes;
    size_t size;
    unsigned width; /* bytes of each half of an entry */
    uint64_t text;  /* base of function addresses */
    uint64_t names; /* offsets of the parts */
    uint64_t entries;
};

/* Returns 0 past the end. */
static uint64_t gotab_number(const struct gotab *gotab, uint64_t at, unsigned width)
{
    uint64_t value = 0;
    if (at < gotab->size && gotab->size - at >= width)
        memcpy(&value, gotab->bytes + at, width);
    return value;
}

static const char *gotab_name(const struct gotab *gotab, uint64_t function)
{
    uint64_t at = gotab->names + gotab_number(gotab, function + gotab->width, 4);
    return at < gotab->size && memchr(gotab->bytes + at, '\0', gotab->size - at) ? gotab->bytes + at
                                                                                 : NULL;
}

/* Returns the start of Go's code, which the loader fills in if the file is position-independent. */
static uint64_t gotab_text(Elf *elf, uint64_t address)
{
    Elf_Scn *section = sections_find(elf, ".rela.dyn");
    Elf_Data *relocations = section_data(section, SHT_RELA);
    GElf_Rela rela;
    GElf_Shdr header;
    for (int i = 0; relocations && i < SYMTAB_SYMBOLS_MAX && gelf_getrela(relocations, i, &rela);
         i++)
        if (rela.r_offset == address && GELF_R_TYPE(rela.r_info) == R_X86_64_RELATIVE)
            return (uint64_t)rela.r_addend;
    section = sections_find(elf, ".text");
    return section && gelf_getshdr(section, &header) ? header.sh_addr : 0;
}

static bool gotab_open(struct gotab *gotab, Elf *elf)
{
    enum { TEXT_AT = 24 };
    Elf_Scn *section = sections_find(elf, ".gopclntab");
    if (!section)
        section = sections_find(elf, ".data.rel.ro.gopclntab");
    GElf_Shdr header;
    Elf_Data *data = section_data(section, SHT_PROGBITS);
    if (!data || !gelf_getshdr(section, &header))
        return false;
    *gotab = (struct gotab){.bytes = data->d_buf, .size = data->d_size, .width = 4};
    int32_t version = (int32_t)gotab_number(gotab, 0, 4);
    uint64_t parts = TEXT_AT + 8;
    if (version == GOTAB_1_16) {
        gotab->width = 8;
        parts = TEXT_AT;
    } else if (version == GOTAB_1_18 || version == GOTAB_1_20) {
        gotab->text = gotab_number(gotab, TEXT_AT, 8);
        if (!gotab->text)
            gotab->text = gotab_text(elf, header.sh_addr + TEXT_AT);
    } else {
        return false;
    }
    gotab->names = gotab_number(gotab, parts, 8);
    gotab->entries = gotab_number(gotab, parts + 32, 8);
    return gotab_number(gotab, 7, 1) == 8 && gotab->names < gotab->size &&
           gotab->entries < gotab->size;
}

void gotab_read(Elf *elf, uint64_t bias, symtab_take *take, void *context)
{
    struct gotab gotab;
    if (!gotab_open(&gotab, elf))
        return;
    uint64_t count = gotab_number(&gotab, 8, 8);
    uint64_t at = gotab.entries;
    for (uint64_t i = 0; i < count && i < GOTAB_FUNCTIONS_MAX; i++, at += 2 * gotab.width) {
        uint64_t start = gotab_number(&gotab, at, gotab.width);
        uint64_t end = gotab_number(&gotab, at + 2 * gotab.width, gotab.width);
        uint64_t function = gotab.entries + gotab_number(&gotab, at + gotab.width, gotab.width);
        const char *name = gotab_name(&gotab, function);
        GElf_Sym symbol = {
            .st_info = GELF_ST_INFO(STB_GLOBAL, STT_FUNC), .st_shndx = 1, .st_size = end - start};
        if (name && end > start)
            take(context, &symbol, gotab.text + start + bias, name);
    }
}

Elf_Scn *sections_find(Elf *elf, const char *name)
{
    Elf_Scn *section = NULL;
    size_t names;
    if (elf_getshdrstrndx(elf, &names))
        return NULL;
    while ((section = elf_nextscn(elf, section))) {
        GElf_Shdr header;
        const char *found =
            gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
        if (found && header.sh_size && header.sh_type != SHT_NOBITS && !strcmp(found, name))
            return section;
    }
    return NULL;
}

bool sections_end_strings(Elf_Scn *section)
{
    Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
    return data && data->d_size && data->d_buf && !((const char *)data->d_buf)[data->d_size - 1];
}

enum { MANGLED_MAX = 1024 };

static int is_mangled(const char *name)
{
    return (name[0] == '_' && (name[1] == 'Z' || name[1] == 'R')) || !strncmp(name, "__Z", 3);
}

const char *demangle(const char *name, char *out, size_t out_size)
{
    if (!is_mangled(name) || strlen(name) > MANGLED_MAX)
        return NULL;
    /* Rust first: its legacy names are C++ names with a hash at the end. */
    char *plain = rust_demangle(name, DMGL_NO_OPTS);
    if (!plain)
        plain = cplus_demangle_v3(name, DMGL_NO_OPTS);
    if (!plain)
        return NULL;
    snprintf(out, out_size, "%s", plain);
    free(plain);
    return out;
}
