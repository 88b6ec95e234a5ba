/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A red-black tree by start, as in the papers (Buck and Hollingsworth 2.2), made as small as
 * possible: 40 bytes per node, 32-bit links into one array. Insertion and deletion are from the
 * textbook (Cormen, Leiserson, Rivest, Stein, chapter 13), with node 0 as its nil.
 */
#include "resolve/heap/blocks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LEFT, RIGHT, FIRST_NODES = 1024 };

struct node {
    uint64_t start;
    struct packed block;
    uint32_t child[2];
    uint32_t parent;
    uint32_t red;
};

struct index {
    struct node *nodes;
    uint32_t root;
    uint32_t used;
    uint32_t room;
    uint32_t unused; /* list of free nodes, linked by child[LEFT] */
};

static uint32_t node_new(struct index *index)
{
    uint32_t at = index->unused;
    if (at) {
        index->unused = index->nodes[at].child[LEFT];
        return at;
    }
    if (index->used == index->room) {
        uint32_t room = index->room + index->room / 2;
        struct node *nodes = realloc(index->nodes, room * sizeof *nodes);
        if (!nodes)
            return 0;
        index->nodes = nodes;
        index->room = room;
    }
    return index->used++;
}

/* Replaces `from` with `to`. */
static void replace(struct index *index, uint32_t from, uint32_t to)
{
    struct node *nodes = index->nodes;
    uint32_t parent = nodes[from].parent;
    if (!parent)
        index->root = to;
    else
        nodes[parent].child[nodes[parent].child[RIGHT] == from] = to;
    nodes[to].parent = parent;
}

/* The child on the other side moves up. */
static void rotate(struct index *index, uint32_t down, int side)
{
    struct node *nodes = index->nodes;
    uint32_t up = nodes[down].child[!side];
    uint32_t moved = nodes[up].child[side];
    nodes[down].child[!side] = moved;
    if (moved)
        nodes[moved].parent = down;
    replace(index, down, up);
    nodes[up].child[side] = down;
    nodes[down].parent = up;
}

static void insert_fix(struct index *index, uint32_t at)
{
    struct node *nodes = index->nodes;
    while (nodes[nodes[at].parent].red) {
        uint32_t parent = nodes[at].parent;
        uint32_t grand = nodes[parent].parent;
        int side = nodes[grand].child[RIGHT] == parent;
        uint32_t uncle = nodes[grand].child[!side];
        if (nodes[uncle].red) {
            nodes[parent].red = nodes[uncle].red = 0;
            nodes[grand].red = 1;
            at = grand;
            continue;
        }
        if (nodes[parent].child[!side] == at) {
            at = parent;
            rotate(index, at, side);
            parent = nodes[at].parent;
        }
        nodes[parent].red = 0;
        nodes[grand].red = 1;
        rotate(index, grand, !side);
    }
    nodes[index->root].red = 0;
}

static int index_insert(struct index *index, uint64_t start, const struct packed *block)
{
    uint32_t at = node_new(index);
    if (!at)
        return -ENOMEM;
    struct node *nodes = index->nodes;
    uint32_t parent = 0;
    int side = LEFT;
    for (uint32_t below = index->root; below; below = nodes[below].child[side]) {
        parent = below;
        side = start > nodes[below].start;
    }
    nodes[at] = (struct node){.start = start, .block = *block, .parent = parent, .red = 1};
    if (parent)
        nodes[parent].child[side] = at;
    else
        index->root = at;
    insert_fix(index, at);
    return 0;
}

/* `at` lacks one black node; it may be nil, so its parent is set. */
static void remove_fix(struct index *index, uint32_t at)
{
    struct node *nodes = index->nodes;
    while (at != index->root && !nodes[at].red) {
        uint32_t parent = nodes[at].parent;
        int side = nodes[parent].child[RIGHT] == at;
        uint32_t sibling = nodes[parent].child[!side];
        if (nodes[sibling].red) {
            nodes[sibling].red = 0;
            nodes[parent].red = 1;
            rotate(index, parent, side);
            sibling = nodes[parent].child[!side];
        }
        if (!nodes[nodes[sibling].child[LEFT]].red && !nodes[nodes[sibling].child[RIGHT]].red) {
            nodes[sibling].red = 1;
            at = parent;
            continue;
        }
        if (!nodes[nodes[sibling].child[!side]].red) {
            nodes[nodes[sibling].child[side]].red = 0;
            nodes[sibling].red = 1;
            rotate(index, sibling, !side);
            sibling = nodes[parent].child[!side];
        }
        nodes[sibling].red = nodes[parent].red;
        nodes[parent].red = 0;
        nodes[nodes[sibling].child[!side]].red = 0;
        rotate(index, parent, side);
        at = index->root;
    }
    nodes[at].red = 0;
}

static uint32_t leftmost(const struct node *nodes, uint32_t at)
{
    while (nodes[at].child[LEFT])
        at = nodes[at].child[LEFT];
    return at;
}

static void unlink_node(struct index *index, uint32_t at)
{
    struct node *nodes = index->nodes;
    uint32_t removed_red = nodes[at].red;
    uint32_t fix;
    if (!nodes[at].child[LEFT] || !nodes[at].child[RIGHT]) {
        fix = nodes[at].child[!nodes[at].child[LEFT]];
        replace(index, at, fix);
    } else {
        uint32_t heir = leftmost(nodes, nodes[at].child[RIGHT]);
        removed_red = nodes[heir].red;
        fix = nodes[heir].child[RIGHT];
        if (nodes[heir].parent == at) {
            nodes[fix].parent = heir;
        } else {
            replace(index, heir, fix);
            nodes[heir].child[RIGHT] = nodes[at].child[RIGHT];
            nodes[nodes[heir].child[RIGHT]].parent = heir;
        }
        replace(index, at, heir);
        nodes[heir].child[LEFT] = nodes[at].child[LEFT];
        nodes[nodes[heir].child[LEFT]].parent = heir;
        nodes[heir].red = nodes[at].red;
    }
    if (!removed_red)
        remove_fix(index, fix);
}

/*
 * Returns the node with the largest start <= address (side RIGHT) or the smallest >= (side LEFT).
 */
static uint32_t nearest(const struct index *index, uint64_t address, int side)
{
    uint32_t best = 0;
    for (uint32_t at = index->root; at;) {
        const struct node *node = &index->nodes[at];
        bool fits = side == RIGHT ? node->start <= address : node->start >= address;
        if (fits)
            best = at;
        at = node->child[fits ? side : !side];
    }
    return best;
}

static bool index_remove(struct index *index, uint64_t start, struct packed *gone)
{
    uint32_t at = nearest(index, start, RIGHT);
    if (!at || index->nodes[at].start != start)
        return false;
    *gone = index->nodes[at].block;
    unlink_node(index, at);
    index->nodes[at].child[LEFT] = index->unused;
    index->unused = at;
    return true;
}

static const struct packed *at_or_null(const struct index *index, uint32_t at, uint64_t *start)
{
    *start = index->nodes[at].start;
    return at ? &index->nodes[at].block : NULL;
}

static const struct packed *index_floor(const struct index *index, uint64_t address,
                                        uint64_t *start)
{
    return at_or_null(index, nearest(index, address, RIGHT), start);
}

static const struct packed *index_ceiling(const struct index *index, uint64_t address,
                                          uint64_t *start)
{
    return at_or_null(index, nearest(index, address, LEFT), start);
}

static void *redblack_new(void)
{
    struct index *index = calloc(1, sizeof *index);
    struct node *nodes = calloc(FIRST_NODES, sizeof *nodes);
    if (!index || !nodes) {
        free(index);
        free(nodes);
        return NULL;
    }
    *index = (struct index){.nodes = nodes, .used = 1, .room = FIRST_NODES};
    return index;
}

static void redblack_free(void *opaque)
{
    struct index *index = opaque;
    free(index->nodes);
    free(index);
}

static uint64_t redblack_memory_bytes(const void *opaque)
{
    const struct index *index = opaque;
    return index->used * sizeof(struct node);
}

#include "blocks_generic.h"

const struct candidate candidate_redblack = {
    .name = "redblack",
    .what = "the papers' red-black tree",
    .new = redblack_new,
    .free = redblack_free,
    .add = generic_add,
    .remove = generic_remove,
    .find = generic_find,
    .next = generic_next,
    .previous = generic_previous,
    .memory_bytes = redblack_memory_bytes,
};
