/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/lines.h"

void lines_init(struct lines *lines, struct memory *memory, uint64_t *left_bytes)
{
    *lines = (struct lines){.memory = memory, .left_bytes = left_bytes};
}

static void *grow(struct lines *lines, uint64_t size_bytes)
{
    if (*lines->left_bytes < size_bytes)
        return NULL;
    void *made = memory_new(lines->memory, 1, size_bytes);
    if (made)
        *lines->left_bytes -= size_bytes;
    return made;
}

static uint8_t *descend(struct lines *lines, uint64_t leaf)
{
    if (!lines->root && !(lines->root = grow(lines, sizeof *lines->root)))
        return NULL;
    struct lines_node *node = lines->root;
    for (int depth = LINES_DEPTH - 1; depth > 0; depth--) {
        void **child =
            &node->child[leaf >> depth * LINES_NODE_SHIFT & ((1 << LINES_NODE_SHIFT) - 1)];
        if (!*child && !(*child = grow(lines, sizeof *node)))
            return NULL;
        node = *child;
    }
    void **child = &node->child[leaf & ((1 << LINES_NODE_SHIFT) - 1)];
    if (!*child)
        *child = grow(lines, LINES_LEAF_BYTES);
    return *child;
}

uint8_t *lines_byte(struct lines *lines, uint64_t number)
{
    uint64_t leaf = number >> LINES_LEAF_SHIFT;
    uint32_t slot = leaf % LINES_RECENT;
    if (lines->recent[slot].number != leaf + 1) {
        uint8_t *found = descend(lines, leaf);
        if (!found)
            return NULL;
        lines->recent[slot].number = leaf + 1;
        lines->recent[slot].leaf = found;
    }
    return &lines->recent[slot].leaf[number & (LINES_LEAF_BYTES - 1)];
}
