/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/layout.h"

#include <gelf.h>

enum { LAYOUT_PAGE = 4096 };

/* An image whose size overflows when rounded is none that a program could have started with. */
static uint64_t tls_bytes(const GElf_Phdr *header)
{
    uint64_t align = header->p_align ? header->p_align : 1;
    uint64_t rest = header->p_memsz % align;
    uint64_t padding = rest ? align - rest : 0;
    return header->p_memsz + padding < header->p_memsz ? 0 : header->p_memsz + padding;
}

static void add_segment(struct layout *layout, const GElf_Phdr *header)
{
    if (layout->segment_count == LAYOUT_SEGMENTS_MAX ||
        header->p_vaddr + header->p_memsz < header->p_vaddr || header->p_filesz > header->p_memsz)
        return;
    if (!layout->segment_count)
        layout->first = header->p_vaddr & -header->p_align;
    layout->segments[layout->segment_count++] =
        (struct layout_part){.start = header->p_vaddr,
                             .end = header->p_vaddr + header->p_memsz,
                             .offset = header->p_offset,
                             .file_bytes = header->p_filesz,
                             .writable = header->p_flags & PF_W};
}

static bool holds_offset(uint64_t segment_offset, uint64_t file_bytes, uint64_t offset)
{
    return offset >= (segment_offset & ~(uint64_t)(LAYOUT_PAGE - 1)) &&
           offset < segment_offset + file_bytes;
}

/* How well a segment goes with a mapping, 0: not at all. Two may share a page of the file; then
 * the rights tell which of them is mapped here. */
static int likeness(const GElf_Phdr *header, const struct layout_mapping *mapping)
{
    if (header->p_type != PT_LOAD ||
        !holds_offset(header->p_offset, header->p_filesz, mapping->offset))
        return 0;
    return 1 + 2 * (!(header->p_flags & PF_X) == !mapping->executable) +
           (!(header->p_flags & PF_W) == !mapping->writable);
}

bool layout_read_segments(struct layout *layout, Elf *elf, const struct layout_mapping *mapping)
{
    size_t count = 0;
    int best = 0;
    if (elf_getphdrnum(elf, &count))
        return false;
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr header;
        if (!gelf_getphdr(elf, (int)i, &header))
            continue;
        if (header.p_type == PT_TLS)
            layout->tls_bytes = tls_bytes(&header);
        if (likeness(&header, mapping) > best) {
            best = likeness(&header, mapping);
            layout->bias = mapping->start - mapping->offset + header.p_offset - header.p_vaddr;
        }
        if (header.p_type == PT_LOAD)
            add_segment(layout, &header);
    }
    for (size_t i = 0; i < layout->segment_count; i++) {
        layout->segments[i].start += layout->bias;
        layout->segments[i].end += layout->bias;
    }
    return best;
}

bool layout_fits(const struct layout *layout, uint64_t map_start, uint64_t map_offset)
{
    for (size_t i = 0; i < layout->segment_count; i++) {
        const struct layout_part *segment = &layout->segments[i];
        if (holds_offset(segment->offset, segment->file_bytes, map_offset) &&
            map_start - map_offset == segment->start - segment->offset)
            return true;
    }
    return false;
}

void layout_read_sections(struct layout *layout, Elf *elf)
{
    size_t names;
    Elf_Scn *section = NULL;
    if (elf_getshdrstrndx(elf, &names))
        return;
    while ((section = elf_nextscn(elf, section)) && layout->section_count < LAYOUT_SECTIONS_MAX) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header) || !(header.sh_flags & SHF_ALLOC) ||
            header.sh_flags & SHF_TLS || header.sh_addr + header.sh_size < header.sh_addr)
            continue;
        const char *name = elf_strptr(elf, names, header.sh_name);
        layout->sections[layout->section_count++] = (struct layout_part){
            .start = header.sh_addr + layout->bias,
            .end = header.sh_addr + header.sh_size + layout->bias,
            .name = name ? name : "",
            .executable = header.sh_flags & SHF_EXECINSTR,
        };
    }
}

void layout_range(const struct layout *layout, uint64_t *start, uint64_t *end)
{
    *start = UINT64_MAX;
    *end = 0;
    for (size_t i = 0; i < layout->segment_count; i++) {
        const struct layout_part *segment = &layout->segments[i];
        *start = segment->start < *start ? segment->start : *start;
        *end = segment->end > *end ? segment->end : *end;
    }
}

const struct layout_part *layout_section(const struct layout *layout, uint64_t address)
{
    for (size_t i = 0; i < layout->section_count; i++)
        if (address >= layout->sections[i].start && address < layout->sections[i].end)
            return &layout->sections[i];
    return NULL;
}

const struct layout_part *layout_segment(const struct layout *layout, uint64_t address)
{
    for (size_t i = 0; i < layout->segment_count; i++) {
        const struct layout_part *segment = &layout->segments[i];
        if (address >= segment->start && address - segment->start < segment->file_bytes)
            return segment;
    }
    return NULL;
}
