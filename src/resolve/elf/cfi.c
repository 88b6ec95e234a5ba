/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/elf/cfi.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "resolve/elf/symbols.h"
#include "sample.h"

uint8_t cfi_register(unsigned number)
{
    static const uint8_t registers[] = {SREG_AX,  SREG_DX,  SREG_CX,  SREG_BX, SREG_SI,  SREG_DI,
                                        SREG_BP,  SREG_SP,  SREG_R8,  SREG_R9, SREG_R10, SREG_R11,
                                        SREG_R12, SREG_R13, SREG_R14, SREG_R15};
    return number < sizeof registers ? registers[number] : (uint8_t)SREG_NONE;
}

bool cfi_register_offset(const Dwarf_Op *op, unsigned *number, int64_t *offset)
{
    bool extended = op->atom == DW_OP_bregx;
    *number = extended ? (unsigned)op->number : (unsigned)op->atom - DW_OP_breg0;
    *offset = (int64_t)(extended ? op->number2 : op->number);
    return extended || (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31);
}

bool cfi_saved(Dwarf_Frame *frame, unsigned number, struct cfi_saved *saved)
{
    Dwarf_Op memory[3];
    Dwarf_Op *ops;
    size_t count;
    *saved = (struct cfi_saved){.in = CFI_KEPT};
    if (dwarf_frame_register(frame, (int)number, memory, &ops, &count))
        return false;
    /* elfutils 0.188 reports rbx as undefined if no rule is given, because it confuses rbx with
     * register 0. Callers rely on rbx being preserved. */
    if (!count)
        return true;
    if (!ops || ops[0].atom != DW_OP_call_frame_cfa || count > 2)
        return false;
    /* An expression begins with the CFA, and adds to it or pushes rbp plus an offset. */
    saved->in = count == 2 && ops[1].atom == DW_OP_breg6 ? CFI_AT_FRAME_POINTER : CFI_AT_CFA;
    saved->offset = count == 2 ? (int64_t)ops[1].number : 0;
    return count == 1 || saved->in == CFI_AT_FRAME_POINTER || ops[1].atom == DW_OP_plus_uconst;
}

enum { FRAMES_MAX = 1 << 22, PE_FORMAT = 0x0f, PE_APPLICATION = 0x70 };

struct encoding {
    Dwarf_Off cie;
    uint8_t value;
};

void frames_fini(struct frames *frames)
{
    free(frames->frames);
    *frames = (struct frames){0};
}

/* Returns the size of a fixed-size encoded value; 0: another kind, not supported. */
static size_t encoded_size(uint8_t encoding)
{
    switch (encoding & PE_FORMAT) {
    case DW_EH_PE_absptr:
    case DW_EH_PE_udata8:
    case DW_EH_PE_sdata8:
        return 8;
    case DW_EH_PE_udata4:
    case DW_EH_PE_sdata4:
        return 4;
    default:
        return 0;
    }
}

static uint64_t encoded_value(const uint8_t *at, uint8_t encoding, bool is_length)
{
    uint64_t wide;
    int32_t narrow;
    if (encoded_size(encoding) == 8) {
        memcpy(&wide, at, 8);
        return wide;
    }
    memcpy(&narrow, at, 4);
    /* A length is never negative, even in a signed format. */
    return is_length || (encoding & PE_FORMAT) == DW_EH_PE_udata4 ? (uint32_t)narrow
                                                                  : (uint64_t)(int64_t)narrow;
}

/* Returns the address encoding, which 'R' in the augmentation string specifies. */
static uint8_t cie_encoding(const Dwarf_CIE *cie)
{
    const uint8_t *data = cie->augmentation_data;
    const uint8_t *end = data + cie->augmentation_data_size;
    if (!cie->augmentation || cie->augmentation[0] != 'z')
        return DW_EH_PE_absptr;
    for (const char *letter = cie->augmentation + 1; *letter && data < end; letter++) {
        if (*letter == 'R')
            return *data;
        if (*letter == 'P')
            data += 1 + encoded_size(*data);
        else if (*letter == 'L')
            data++;
    }
    return DW_EH_PE_absptr;
}

static void add_frame(struct frames *frames, const Dwarf_FDE *fde, uint8_t encoding,
                      const Elf_Data *data, uint64_t section)
{
    size_t size = encoded_size(encoding);
    const uint8_t *start = fde->start;
    if (!size || start + 2 * size > (const uint8_t *)fde->end)
        return;
    uint64_t address = encoded_value(start, encoding, false);
    if ((encoding & PE_APPLICATION) == DW_EH_PE_pcrel)
        address += section + (uint64_t)(start - (const uint8_t *)data->d_buf);
    uint64_t length = encoded_value(start + size, encoding, true);
    if (!array_reserve_next(&frames->frames, &frames->room, frames->count, sizeof *frames->frames,
                            FRAMES_MAX))
        return;
    if (address + length > address)
        frames->frames[frames->count++] = (struct frame){address, address + length};
}

static void read_section(struct frames *frames, Elf *elf, Elf_Data *data, uint64_t section)
{
    const unsigned char *ident = (const unsigned char *)elf_getident(elf, NULL);
    struct encoding known = {.cie = (Dwarf_Off)-1, .value = DW_EH_PE_absptr};
    Dwarf_Off next = 0;
    Dwarf_CFI_Entry entry;
    for (Dwarf_Off at = 0; at != (Dwarf_Off)-1; at = next) {
        Dwarf_CFI_Entry cie;
        Dwarf_Off unused;
        int code = dwarf_next_cfi(ident, data, true, at, &next, &entry);
        if (code > 0 || (code < 0 && next <= at))
            return;
        if (code < 0 || dwarf_cfi_cie_p(&entry))
            continue;
        if (entry.fde.CIE_pointer != known.cie &&
            !dwarf_next_cfi(ident, data, true, entry.fde.CIE_pointer, &unused, &cie) &&
            dwarf_cfi_cie_p(&cie))
            known = (struct encoding){entry.fde.CIE_pointer, cie_encoding(&cie.cie)};
        add_frame(frames, &entry.fde, known.value, data, section);
    }
}

void frames_read(struct frames *frames, Elf *elf)
{
    GElf_Shdr header;
    Elf_Scn *section = sections_find(elf, ".eh_frame");
    Elf_Data *data = section && gelf_getshdr(section, &header) ? elf_rawdata(section, NULL) : NULL;
    if (data && data->d_buf && data->d_size)
        read_section(frames, elf, data, header.sh_addr);
    SORT_BY(frames->frames, frames->count, start);
}

const struct frame *frames_find(const struct frames *frames, uint64_t address)
{
    size_t low = SORTED_UP_TO(frames->frames, frames->count, start, address);
    return low && address < frames->frames[low - 1].end ? &frames->frames[low - 1] : NULL;
}
