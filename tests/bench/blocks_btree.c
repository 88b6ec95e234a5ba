/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A B+ tree with nodes of 63 entries: starts together, payloads together, leaves in a chain. A leaf
 * that is appended to is split at its end, so a heap that grows upwards leaves full leaves. A leaf
 * less than a third full absorbs its right neighbour if that fits.
 */
#include "resolve/heap/blocks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 63, DEPTH_MAX = 16 };

struct leaf {
    uint64_t count;
    uint64_t starts[WIDTH];
    struct packed blocks[WIDTH];
    struct leaf *next;
    struct leaf *previous;
};

/* keys[i]: no start below it is under child i; keys[0] counts as 0. */
struct inner {
    uint64_t count;
    uint64_t keys[WIDTH];
    void *children[WIDTH];
};

struct index {
    void *root; /* a leaf when depth is 0 */
    int depth;
    uint64_t leaves;
    uint64_t inners;
};

/* The path to a leaf: the inner nodes from the root down, and the children taken. */
struct path {
    struct inner *inner[DEPTH_MAX];
    unsigned child[DEPTH_MAX];
    struct leaf *leaf;
};

/* Returns how many of the sorted keys are <= key. */
static unsigned rank_of(const uint64_t *keys, uint64_t count, uint64_t key)
{
    const uint64_t *base = keys;
    if (!count)
        return 0;
    while (count > 1) {
        uint64_t half = count / 2;
        base = base[half] <= key ? base + half : base;
        count -= half;
    }
    return (unsigned)(base - keys) + (*base <= key);
}

static struct leaf *descend(const struct index *index, uint64_t start, struct path *path)
{
    void *at = index->root;
    for (int level = 0; level < index->depth; level++) {
        struct inner *inner = at;
        unsigned child = rank_of(inner->keys + 1, inner->count - 1, start);
        if (path) {
            path->inner[level] = inner;
            path->child[level] = child;
        }
        at = inner->children[child];
    }
    if (path)
        path->leaf = at;
    return at;
}

static void leaf_put(struct leaf *leaf, unsigned at, uint64_t start, const struct packed *block)
{
    memmove(&leaf->starts[at + 1], &leaf->starts[at], (leaf->count - at) * sizeof(uint64_t));
    memmove(&leaf->blocks[at + 1], &leaf->blocks[at], (leaf->count - at) * sizeof *block);
    leaf->starts[at] = start;
    leaf->blocks[at] = *block;
    leaf->count++;
}

static void inner_put(struct inner *inner, unsigned at, uint64_t key, void *child)
{
    memmove(&inner->keys[at + 1], &inner->keys[at], (inner->count - at) * sizeof(uint64_t));
    memmove(&inner->children[at + 1], &inner->children[at], (inner->count - at) * sizeof child);
    inner->keys[at] = key;
    inner->children[at] = child;
    inner->count++;
}

static void inner_take(struct inner *inner, unsigned at)
{
    inner->count--;
    memmove(&inner->keys[at], &inner->keys[at + 1], (inner->count - at) * sizeof(uint64_t));
    memmove(&inner->children[at], &inner->children[at + 1], (inner->count - at) * sizeof(void *));
}

static struct inner *inner_split(struct index *index, struct inner *inner, unsigned keep)
{
    struct inner *right = calloc(1, sizeof *right);
    if (!right)
        return NULL;
    index->inners++;
    right->count = inner->count - keep;
    inner->count = keep;
    memcpy(right->keys, inner->keys + keep, right->count * sizeof(uint64_t));
    memcpy(right->children, inner->children + keep, right->count * sizeof(void *));
    return right;
}

/* Inserts `child` to the right of the path at `level` into the inner node there. */
static int hang(struct index *index, struct path *path, int level, uint64_t key, void *child)
{
    if (level < 0) {
        struct inner *root = calloc(1, sizeof *root);
        if (!root || index->depth + 1 >= DEPTH_MAX) {
            free(root);
            return -ENOMEM;
        }
        *root = (struct inner){.count = 2, .keys = {0, key}, .children = {index->root, child}};
        index->root = root;
        index->depth++;
        index->inners++;
        return 0;
    }
    struct inner *inner = path->inner[level];
    unsigned at = path->child[level] + 1;
    if (inner->count < WIDTH) {
        inner_put(inner, at, key, child);
        return 0;
    }
    unsigned keep = at == WIDTH ? WIDTH - 1 : WIDTH / 2;
    struct inner *right = inner_split(index, inner, keep);
    if (!right)
        return -ENOMEM;
    inner_put(at > keep ? right : inner, at > keep ? at - keep : at, key, child);
    return hang(index, path, level - 1, right->keys[0], right);
}

static struct leaf *leaf_split(struct index *index, struct leaf *leaf, unsigned keep)
{
    struct leaf *right = calloc(1, sizeof *right);
    if (!right)
        return NULL;
    index->leaves++;
    right->count = leaf->count - keep;
    leaf->count = keep;
    memcpy(right->starts, leaf->starts + keep, right->count * sizeof(uint64_t));
    memcpy(right->blocks, leaf->blocks + keep, right->count * sizeof right->blocks[0]);
    right->previous = leaf;
    right->next = leaf->next;
    if (leaf->next)
        leaf->next->previous = right;
    leaf->next = right;
    return right;
}

static int index_insert(struct index *index, uint64_t start, const struct packed *block)
{
    struct path path;
    struct leaf *leaf = descend(index, start, &path);
    unsigned at = rank_of(leaf->starts, leaf->count, start);
    if (leaf->count < WIDTH) {
        leaf_put(leaf, at, start, block);
        return 0;
    }
    unsigned keep = at == WIDTH ? WIDTH : WIDTH / 2;
    struct leaf *right = leaf_split(index, leaf, keep);
    if (!right)
        return -ENOMEM;
    leaf_put(at >= keep ? right : leaf, at >= keep ? at - keep : at, start, block);
    return hang(index, &path, index->depth - 1, right->starts[0], right);
}

static void leaf_free(struct index *index, struct leaf *leaf)
{
    if (leaf->next)
        leaf->next->previous = leaf->previous;
    if (leaf->previous)
        leaf->previous->next = leaf->next;
    free(leaf);
    index->leaves--;
}

/* Removes a child from the inner node at `level`, and that node from its parent if empty. */
static void remove_child(struct index *index, struct path *path, int level, unsigned child)
{
    struct inner *inner = path->inner[level];
    inner_take(inner, child);
    if (!inner->count) { /* never the root, which is removed when it has one child left */
        free(inner);
        index->inners--;
        remove_child(index, path, level - 1, path->child[level - 1]);
        return;
    }
    while (index->depth && ((struct inner *)index->root)->count == 1) {
        struct inner *root = index->root;
        index->root = root->children[0];
        index->depth--;
        index->inners--;
        free(root);
    }
}

static void leaf_thinned(struct index *index, struct path *path)
{
    struct leaf *leaf = path->leaf;
    int level = index->depth - 1;
    if (level < 0 || leaf->count >= WIDTH / 3)
        return;
    if (!leaf->count) {
        leaf_free(index, leaf);
        remove_child(index, path, level, path->child[level]);
        return;
    }
    struct leaf *right = leaf->next;
    if (path->child[level] + 1 >= path->inner[level]->count ||
        leaf->count + right->count > WIDTH * 3 / 4)
        return;
    memcpy(leaf->starts + leaf->count, right->starts, right->count * sizeof(uint64_t));
    memcpy(leaf->blocks + leaf->count, right->blocks, right->count * sizeof right->blocks[0]);
    leaf->count += right->count;
    leaf_free(index, right);
    remove_child(index, path, level, path->child[level] + 1);
}

static bool index_remove(struct index *index, uint64_t start, struct packed *gone)
{
    struct path path;
    struct leaf *leaf = descend(index, start, &path);
    unsigned at = rank_of(leaf->starts, leaf->count, start);
    if (!at-- || leaf->starts[at] != start)
        return false;
    *gone = leaf->blocks[at];
    leaf->count--;
    memmove(&leaf->starts[at], &leaf->starts[at + 1], (leaf->count - at) * sizeof(uint64_t));
    memmove(&leaf->blocks[at], &leaf->blocks[at + 1], (leaf->count - at) * sizeof *gone);
    leaf_thinned(index, &path);
    return true;
}

static const struct packed *index_floor(const struct index *index, uint64_t address,
                                        uint64_t *start)
{
    const struct leaf *leaf = descend(index, address, NULL);
    unsigned at = rank_of(leaf->starts, leaf->count, address);
    if (!at) {
        leaf = leaf->previous;
        if (!leaf)
            return NULL;
        at = (unsigned)leaf->count;
    }
    *start = leaf->starts[at - 1];
    return &leaf->blocks[at - 1];
}

static const struct packed *index_ceiling(const struct index *index, uint64_t address,
                                          uint64_t *start)
{
    const struct leaf *leaf = descend(index, address, NULL);
    unsigned at = address ? rank_of(leaf->starts, leaf->count, address - 1) : 0;
    if (at == leaf->count) {
        leaf = leaf->next;
        at = 0;
        if (!leaf)
            return NULL;
    }
    *start = leaf->starts[at];
    return &leaf->blocks[at];
}

static void *btree_new(void)
{
    struct index *index = calloc(1, sizeof *index);
    struct leaf *leaf = calloc(1, sizeof *leaf);
    if (!index || !leaf) {
        free(index);
        free(leaf);
        return NULL;
    }
    *index = (struct index){.root = leaf, .leaves = 1};
    return index;
}

static void node_free(void *node, int depth)
{
    struct inner *inner = node;
    for (uint64_t i = 0; depth && i < inner->count; i++)
        node_free(inner->children[i], depth - 1);
    free(node);
}

static void btree_free(void *opaque)
{
    struct index *index = opaque;
    node_free(index->root, index->depth);
    free(index);
}

static uint64_t btree_memory_bytes(const void *opaque)
{
    const struct index *index = opaque;
    return index->leaves * sizeof(struct leaf) + index->inners * sizeof(struct inner);
}

#include "blocks_generic.h"

const struct candidate candidate_btree = {
    .name = "btree",
    .what = "B+ tree with nodes of 63",
    .new = btree_new,
    .free = btree_free,
    .add = generic_add,
    .remove = generic_remove,
    .find = generic_find,
    .next = generic_next,
    .previous = generic_previous,
    .memory_bytes = btree_memory_bytes,
};
