/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/symtab.h"

#include "resolve/sections.h"

#include <unistd.h>

/* A file with holes may claim any size. */
enum { SYMTAB_BYTES_MAX = 1 << 28 };

static Elf_Data *table(Elf_Scn *section, GElf_Word type)
{
    GElf_Shdr header;
    if (!section || !gelf_getshdr(section, &header) || header.sh_type != type ||
        header.sh_flags & SHF_COMPRESSED || header.sh_size > SYMTAB_BYTES_MAX)
        return NULL;
    return elf_getdata(section, NULL);
}

static Elf_Scn *names_of(Elf *elf, Elf_Scn *symbols)
{
    GElf_Shdr header;
    Elf_Scn *names = gelf_getshdr(symbols, &header) ? elf_getscn(elf, header.sh_link) : NULL;
    return table(names, SHT_STRTAB) && sections_end_strings(names) ? names : NULL;
}

bool symtab_open(struct symtab *symtab, int fd)
{
    elf_version(EV_CURRENT);
    symtab->fd = fd;
    symtab->elf = fd >= 0 ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
    Elf_Scn *symbols = symtab->elf ? sections_find(symtab->elf, ".symtab") : NULL;
    if (table(symbols, SHT_SYMTAB) && names_of(symtab->elf, symbols))
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

/* Where the first segment wants to be: prelinked, a file stands elsewhere than its debug file. */
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
    Elf_Data *symbols = table(section, SHT_SYMTAB);
    size_t names = elf_ndxscn(names_of(symtab->elf, section));
    GElf_Sym symbol;
    bias += first_address(main) - first_address(symtab->elf);
    for (int i = 1; i < SYMTAB_SYMBOLS_MAX && gelf_getsym(symbols, i, &symbol); i++) {
        const char *name = elf_strptr(symtab->elf, names, symbol.st_name);
        if (name)
            take(context, &symbol, symbol.st_value + bias, name);
    }
}
