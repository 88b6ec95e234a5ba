/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Memory in whole cache lines, named by 32-bit line numbers, with a hard bound. It is the
 * ground of the block index (blocks.h): radix.c and page.c take from it, nobody else.
 *
 * The address range of the bound is reserved at the start and made usable step by step, so
 * nothing ever moves and a line number is an addition away from its address. What is given
 * back is kept for the same size, and split for smaller ones once the bound is reached; pieces
 * are not joined again. It is not returned to the system.
 */
#ifndef MISSTOP_RESOLVE_SLAB_H
#define MISSTOP_RESOLVE_SLAB_H

#include <stdint.h>

enum {
    SLAB_LINE_BYTES = 64,
    SLAB_CLASSES = 21,
    SLAB_CLASS_LEAF = 19,   /* a leaf of radix.h, or the largest page */
    SLAB_CLASS_MIDDLE = 20, /* of radix.h */
    SLAB_CLASS_BITS = 5,
    SLAB_LINE_BITS = 32 - SLAB_CLASS_BITS, /* a line number and a class fit into 32 bits */
};

/* Most that a slab can hold: 8 GiB. */
#define SLAB_BOUND_MAX_BYTES (UINT64_C(1) << SLAB_LINE_BITS << 6)

struct slab {
    unsigned char *base;
    unsigned char *reserved; /* what mmap() gave; base is aligned in it */
    uint64_t reserved_bytes;
    uint64_t bound_bytes;
    uint64_t usable_bytes;             /* of base, so far */
    uint64_t next_line;                /* never given out before */
    uint32_t free_lines[SLAB_CLASSES]; /* first of a list linked through the lines; 0: none */
};

/* Lines of each class, ascending; those up to SLAB_CLASS_LEAF are the sizes of a page (page.h). */
extern const uint16_t slab_class_lines[SLAB_CLASSES];

/* The bound is brought into 2 MiB .. SLAB_BOUND_MAX_BYTES and to whole 2 MiB. -ENOMEM. */
int slab_init(struct slab *slab, uint64_t bound_bytes);
void slab_fini(struct slab *slab);

/* Number of the first line; contents are undefined. 0: the bound is reached. */
uint32_t slab_alloc(struct slab *slab, unsigned class);
void slab_release(struct slab *slab, uint32_t line, unsigned class);

static inline void *slab_at(const struct slab *slab, uint32_t line)
{
    return slab->base + (uint64_t)line * SLAB_LINE_BYTES;
}

#endif
