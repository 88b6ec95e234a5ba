/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/sections.h"

#include <string.h>

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
