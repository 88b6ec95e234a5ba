/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A byte or a bit for every line ever referenced: a radix tree of leaves, made as they are touched,
 * up to a limit of memory. Used inside src/sim only.
 */
#ifndef MISSTOP_SIM_LINES_H
#define MISSTOP_SIM_LINES_H

#include "sim/memory.h"

enum {
    LINES_LEAF_BYTES = 4096,
    LINES_LEAF_SHIFT = 12,
    LINES_NODE_SHIFT = 10,
    LINES_DEPTH = 5, /* 12 + 5 * 10 bits: all numbers of lines of 4 bytes */
    LINES_RECENT = 64
};

struct lines_node {
    void *child[1 << LINES_NODE_SHIFT];
};

struct lines {
    struct memory *memory;
    struct lines_node *root;
    struct {
        uint64_t number; /* of a leaf, + 1 */
        uint8_t *leaf;
    } recent[LINES_RECENT];
    uint64_t *left_bytes; /* of the limit, which several tables may share */
};

void lines_init(struct lines *lines, struct memory *memory, uint64_t *left_bytes);

/* The byte of a line, 0 at first; NULL: no room for it. */
uint8_t *lines_byte(struct lines *lines, uint64_t number);

/* The byte that holds the bit of a line, which is number % 8. A table has bytes or bits. */
static inline uint8_t *lines_bits(struct lines *lines, uint64_t number)
{
    return lines_byte(lines, number / 8);
}

#endif
