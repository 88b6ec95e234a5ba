/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A synthetic memory image of a process with glibc's malloc, for several versions, and its
 * contents. Built from the layouts of struct malloc_state, heap_info and tcache_perthread_struct in
 * the sources of these versions (malloc/malloc.c, malloc/arena.c), not by the code under test.
 */
#ifndef MISSTOP_TESTS_IMAGE_H
#define MISSTOP_TESTS_IMAGE_H

#include "resolve/heap/walk.h"

struct image_layout {
    const char *name;
    uint64_t top_offset; /* in malloc_state */
    bool fast_bins;
    bool mangled; /* list pointers are mangled: since 2.32 */
    uint64_t heap_info_bytes;
    size_t cache_bins;  /* 64; 76 since 2.42 */
    bool mapped_header; /* the size of mmapped blocks excludes the header: since 2.43 */
};

enum { IMAGE_LAYOUTS = 6, IMAGE_BLOCKS_MAX = 4096 };
extern const struct image_layout image_layouts[IMAGE_LAYOUTS];

enum image_part { IMAGE_DATA, IMAGE_BRK, IMAGE_HEAP, IMAGE_BLOCK, IMAGE_PARTS };

struct image_block {
    uint64_t start;
    uint64_t usable_bytes;
    bool in_use;
    uint32_t arena;
    bool mmapped;
};

struct image {
    const struct image_layout *layout;
    struct {
        uint64_t start;
        uint64_t bytes;
        unsigned char *memory;
    } parts[IMAGE_PARTS];
    struct map mappings[IMAGE_PARTS];
    char names[IMAGE_PARTS][64]; /* paths of the parts */
    struct maps maps;            /* the mappings above */
    struct image_block blocks[IMAGE_BLOCKS_MAX];
    size_t block_count;
    uint64_t reads; /* number of reads through image_target() */
    struct {        /* after this many reads one word changes: the process continues */
        uint64_t reads;
        uint64_t address;
        uint64_t value;
    } change;
};

void image_make(struct image *image, const struct image_layout *layout);
void image_fini(struct image *image);
struct walk_target image_target(struct image *image);

/* Returns a word of the image, for reading or writing. The address must be in a part. */
uint64_t *image_word(struct image *image, uint64_t address);

#endif
