/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where the parts of an ELF file lie in memory: segments by its program headers, sections by
 * name, its thread-local image. For module.c. Every header is hostile input.
 * Source: System V ABI, chapters "Object Files" and "Program Loading".
 */
#ifndef MISSTOP_RESOLVE_LAYOUT_H
#define MISSTOP_RESOLVE_LAYOUT_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LAYOUT_SECTIONS_MAX = 96, LAYOUT_SEGMENTS_MAX = 16 };

struct layout_part {
    uint64_t start; /* run-time addresses */
    uint64_t end;
    uint64_t offset; /* in the file */
    uint64_t file_bytes;
    const char *name; /* of a section: raw, borrowed from the Elf */
    bool executable;  /* of a section */
    bool writable;    /* of a segment */
};

struct layout {
    uint64_t bias;  /* run-time address less the file's own */
    uint64_t first; /* of the first segment, at a multiple of its alignment; file address */
    struct layout_part sections[LAYOUT_SECTIONS_MAX];
    size_t section_count;
    struct layout_part segments[LAYOUT_SEGMENTS_MAX];
    size_t segment_count;
    uint64_t tls_bytes; /* rounded up to its alignment; 0: none */
};

/* One mapping of the file, by which its place is known. */
struct layout_mapping {
    uint64_t start;
    uint64_t offset;
    bool writable;
    bool executable;
};

/* Segments, and the bias from one mapping of the file. False: the mapping fits no segment. */
bool layout_read_segments(struct layout *layout, Elf *elf, const struct layout_mapping *mapping);

/* Whether a mapping of the file is part of this one, not of another copy beside it. */
bool layout_fits(const struct layout *layout, uint64_t map_start, uint64_t map_offset);

/* Sections that are loaded, of an Elf that lives as long as the layout. */
void layout_read_sections(struct layout *layout, Elf *elf);

/* [start, end) of all segments, .bss included. */
void layout_range(const struct layout *layout, uint64_t *start, uint64_t *end);

/* Section that holds the address; NULL: none. */
const struct layout_part *layout_section(const struct layout *layout, uint64_t address);

/* Segment whose bytes in the file hold the address; NULL: none. */
const struct layout_part *layout_segment(const struct layout *layout, uint64_t address);

#endif
