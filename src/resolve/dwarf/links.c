/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/dwarf/links.h"

#include "base/array.h"
#include "resolve/dwarf/program.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

enum { LINKS_MAX = 1 << 20, WORD_BYTES = 8 };

struct links {
    struct program *program;
    struct link *links; /* by place */
    size_t count;
    size_t room;
    uint64_t image_bytes; /* of the TLS image, up to the thread pointer; 0: none */
    bool read;
};

struct links *links_new(struct program *program)
{
    struct links *links = calloc(1, sizeof *links);
    if (links)
        links->program = program;
    return links;
}

void links_free(struct links *links)
{
    if (links)
        free(links->links);
    free(links);
}

static void add(struct links *links, const struct link *link)
{
    struct link *more =
        array_more(links->links, &links->room, links->count, sizeof *more, LINKS_MAX);
    if (!more)
        return;
    links->links = more;
    links->links[links->count++] = *link;
}

/* A table of relocations and of the symbols they name. */
struct table {
    Elf *elf;
    Elf_Data *symbols;
    Elf_Data *names;
    GElf_Addr bias;
};

static const char *name_of(const struct table *table, const GElf_Sym *symbol)
{
    /* Only names that end inside the section. */
    const char *start = table->names->d_buf;
    if (!start || symbol->st_name >= table->names->d_size ||
        !memchr(start + symbol->st_name, '\0', table->names->d_size - symbol->st_name))
        return NULL;
    return start + symbol->st_name;
}

static bool understand(const struct table *table, const GElf_Rela *rela, struct link *link)
{
    GElf_Sym symbol = {0};
    size_t index = GELF_R_SYM(rela->r_info);
    bool named = index && gelf_getsym(table->symbols, (int)index, &symbol);
    bool here = !index || (named && symbol.st_shndx != SHN_UNDEF);
    link->place = rela->r_offset + table->bias;
    link->value = symbol.st_value + (uint64_t)rela->r_addend;
    switch (GELF_R_TYPE(rela->r_info)) {
    case R_X86_64_GLOB_DAT:
        link->kind = here ? LINK_ADDRESS : LINK_NAME;
        link->value += table->bias;
        link->name = here ? NULL : name_of(table, &symbol);
        return here || link->name;
    case R_X86_64_TPOFF64:
        link->kind = LINK_THREAD;
        return here;
    case R_X86_64_DTPMOD64:
        link->kind = LINK_DYNAMIC;
        return here;
    case R_X86_64_DTPOFF64: /* the second word of a pair */
        link->kind = LINK_DYNAMIC;
        link->place -= WORD_BYTES;
        return here;
    default:
        return false;
    }
}

static void read_table(struct links *links, struct table *table, Elf_Scn *section,
                       const GElf_Shdr *header)
{
    GElf_Shdr symbols;
    Elf_Data *data = elf_getdata(section, NULL);
    Elf_Scn *linked = elf_getscn(table->elf, header->sh_link);
    table->symbols = linked ? elf_getdata(linked, NULL) : NULL;
    if (!data || !table->symbols || !gelf_getshdr(linked, &symbols))
        return;
    linked = elf_getscn(table->elf, symbols.sh_link);
    table->names = linked ? elf_getdata(linked, NULL) : NULL;
    if (!table->names || !header->sh_entsize)
        return;
    size_t count = (size_t)(header->sh_size / header->sh_entsize);
    for (size_t i = 0; i < count && i < INT32_MAX; i++) {
        GElf_Rela rela;
        struct link link = {0};
        if (!gelf_getrela(data, (int)i, &rela))
            return;
        if (understand(table, &rela, &link))
            add(links, &link);
    }
}

static void read_image(struct links *links, Elf *elf)
{
    size_t count;
    if (elf_getphdrnum(elf, &count))
        return;
    for (size_t i = 0; i < count && i < 1024; i++) {
        GElf_Phdr header;
        if (!gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_TLS)
            continue;
        uint64_t align = header.p_align ? header.p_align : 1;
        if (header.p_memsz < UINT32_MAX && align < UINT32_MAX)
            links->image_bytes = (header.p_memsz + align - 1) / align * align;
    }
}

/* Of a pair's words the one that has the offset comes last. */
static int compare(const void *a, const void *b)
{
    const struct link *one = a;
    const struct link *other = b;
    if (one->place != other->place)
        return one->place < other->place ? -1 : 1;
    return (one->value < other->value) - (one->value > other->value);
}

static void read_file(struct links *links)
{
    GElf_Shdr header;
    Elf_Scn *section = NULL;
    struct table table = {.elf = NULL};
    links->read = true;
    table.elf = dwfl_module_getelf(program_module(links->program), &table.bias);
    if (!table.elf)
        return;
    read_image(links, table.elf);
    while ((section = elf_nextscn(table.elf, section)))
        if (gelf_getshdr(section, &header) && header.sh_type == SHT_RELA)
            read_table(links, &table, section, &header);
    if (links->count)
        qsort(links->links, links->count, sizeof *links->links, compare);
}

const struct link *links_find(struct links *links, uint64_t place)
{
    size_t low = 0;
    if (!links->read)
        read_file(links);
    for (size_t high = links->count; low < high;) {
        size_t middle = low + (high - low) / 2;
        if (links->links[middle].place < place)
            low = middle + 1;
        else
            high = middle;
    }
    return low < links->count && links->links[low].place == place ? &links->links[low] : NULL;
}

bool links_thread(struct links *links, int64_t distance, uint64_t *offset)
{
    if (!links->read)
        read_file(links);
    *offset = links->image_bytes + (uint64_t)distance;
    return distance < 0 && *offset < links->image_bytes;
}
