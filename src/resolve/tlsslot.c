/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/tlsslot.h"

#include "resolve/process.h"

#include <errno.h>
#include <gelf.h>
#include <stdbool.h>

enum { TLSSLOT_RELOCATIONS_MAX = 1 << 20, TLSSLOT_MODULES_MAX = 1 << 16 };

/* Symbols of other files, and ones that another file may define instead, tell of theirs. */
static bool own_symbol(Elf_Data *symbols, uint64_t index, uint64_t *value)
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

static enum tlsslot_kind kind_of(uint64_t type)
{
    return type == R_X86_64_DTPMOD64  ? TLSSLOT_MODULE
           : type == R_X86_64_TPOFF64 ? TLSSLOT_OFFSET
           : type == R_X86_64_TLSDESC ? TLSSLOT_DESCRIPTOR
                                      : TLSSLOT_NONE;
}

/* True: none can be better than this one, which names no symbol. */
static bool read_relocation(struct tlsslot *best, const GElf_Rela *relocation, Elf_Data *symbols)
{
    uint64_t index = GELF_R_SYM(relocation->r_info);
    uint64_t value;
    struct tlsslot slot = {.kind = kind_of(GELF_R_TYPE(relocation->r_info)),
                           .address = relocation->r_offset};
    if (slot.kind == TLSSLOT_NONE || !own_symbol(symbols, index, &value))
        return false;
    if (slot.kind != TLSSLOT_MODULE)
        slot.within = value + (uint64_t)relocation->r_addend;
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

struct tlsslot tlsslot_of(Elf *elf)
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

static int by_module(uint64_t module, struct tlsslot_answer *answer)
{
    answer->module = module;
    return module && module <= TLSSLOT_MODULES_MAX ? 0 : -ENOENT;
}

int tlsslot_read(const struct tlsslot *slot, pid_t pid, uint64_t bias,
                 struct tlsslot_answer *answer)
{
    uint64_t words[2] = {0};
    size_t size = slot->kind == TLSSLOT_DESCRIPTOR ? 16 : 8;
    *answer = (struct tlsslot_answer){0};
    if (slot->kind == TLSSLOT_NONE || !process_read(pid, slot->address + bias, words, size))
        return -ENOENT;
    if (slot->kind == TLSSLOT_MODULE)
        return by_module(words[0], answer);
    uint64_t told = words[size / 8 - 1];
    /* A distance is negative here; what a descriptor of the other kind has is a pointer. */
    if ((int64_t)told < 0) {
        answer->offset = told - slot->within;
        return 0;
    }
    if (slot->kind == TLSSLOT_OFFSET || !process_read(pid, told, words, 8))
        return -ENOENT;
    return by_module(words[0], answer);
}
