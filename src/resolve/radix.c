/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/radix.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#define LEAF_ENTRIES   (1 << RADIX_LEAF_BITS)
#define MIDDLE_ENTRIES (1 << RADIX_MIDDLE_BITS)
#define TOP_ENTRIES    (1 << RADIX_TOP_BITS)

_Static_assert(sizeof(struct radix_leaf) == 66 * SLAB_LINE_BYTES, "as in slab_class_lines");
_Static_assert(sizeof(struct radix_middle) == 264 * SLAB_LINE_BYTES, "as in slab_class_lines");

static unsigned key_leaf(uint64_t key)
{
    return key & (LEAF_ENTRIES - 1);
}

static unsigned key_middle(uint64_t key)
{
    return key >> RADIX_LEAF_BITS & (MIDDLE_ENTRIES - 1);
}

static unsigned key_top(uint64_t key)
{
    return (unsigned)(key >> (RADIX_LEAF_BITS + RADIX_MIDDLE_BITS));
}

static uint64_t key_join(unsigned top, unsigned middle, unsigned leaf)
{
    return ((uint64_t)top << RADIX_MIDDLE_BITS | middle) << RADIX_LEAF_BITS | leaf;
}

/* The first set bit at or after `from`; `bits` (a multiple of 64) if there is none. */
static unsigned bits_next(const uint64_t *words, unsigned bits, unsigned from)
{
    if (from >= bits)
        return bits;
    unsigned word = from / 64;
    uint64_t rest = words[word] >> from % 64 << from % 64;
    while (!rest && ++word < bits / 64)
        rest = words[word];
    return rest ? word * 64 + (unsigned)__builtin_ctzll(rest) : bits;
}

/* The last set bit before `before`; -1 if there is none. */
static int bits_previous(const uint64_t *words, unsigned before)
{
    unsigned word = before / 64;
    uint64_t rest = before % 64 ? words[word] << (64 - before % 64) >> (64 - before % 64) : 0;
    while (!rest && word > 0)
        rest = words[--word];
    return rest ? (int)(word * 64 + 63 - (unsigned)__builtin_clzll(rest)) : -1;
}

static void bits_set(uint64_t *words, unsigned bit)
{
    words[bit / 64] |= UINT64_C(1) << bit % 64;
}

/* Whether no bit of `bits` is left. */
static bool bits_clear(uint64_t *words, unsigned bits, unsigned bit)
{
    words[bit / 64] &= ~(UINT64_C(1) << bit % 64);
    return !words[bit / 64] && bits_next(words, bits, 0) == bits;
}

void radix_init(struct radix *radix, struct slab *slab)
{
    memset(radix, 0, sizeof *radix);
    radix->slab = slab;
}

static struct radix_middle *middle_of(const struct radix *radix, unsigned top)
{
    return radix->middle[top] ? slab_at(radix->slab, radix->middle[top]) : NULL;
}

static struct radix_leaf *leaf_of(const struct radix *radix, const struct radix_middle *middle,
                                  unsigned index)
{
    return middle && middle->leaf[index] ? slab_at(radix->slab, middle->leaf[index]) : NULL;
}

static struct radix_middle *middle_make(struct radix *radix, unsigned top)
{
    if (radix->middle[top])
        return slab_at(radix->slab, radix->middle[top]);
    uint32_t line = slab_alloc(radix->slab, SLAB_CLASS_MIDDLE);
    if (!line)
        return NULL;
    radix->middle[top] = line;
    bits_set(radix->used, top);
    return memset(slab_at(radix->slab, line), 0, sizeof(struct radix_middle));
}

static void middle_drop(struct radix *radix, unsigned top)
{
    slab_release(radix->slab, radix->middle[top], SLAB_CLASS_MIDDLE);
    radix->middle[top] = 0;
    bits_clear(radix->used, TOP_ENTRIES, top);
}

static struct radix_leaf *leaf_make(struct radix *radix, struct radix_middle *middle,
                                    unsigned index)
{
    if (middle->leaf[index])
        return slab_at(radix->slab, middle->leaf[index]);
    uint32_t line = slab_alloc(radix->slab, SLAB_CLASS_LEAF);
    if (!line)
        return NULL;
    middle->leaf[index] = line;
    bits_set(middle->used, index);
    return memset(slab_at(radix->slab, line), 0, sizeof(struct radix_leaf));
}

int radix_insert(struct radix *radix, uint64_t key, uint32_t value)
{
    assert(value && key >> RADIX_KEY_BITS == 0);
    struct radix_middle *middle = middle_make(radix, key_top(key));
    if (!middle)
        return -ENOMEM;
    struct radix_leaf *leaf = leaf_make(radix, middle, key_middle(key));
    if (!leaf) {
        if (bits_next(middle->used, MIDDLE_ENTRIES, 0) == MIDDLE_ENTRIES)
            middle_drop(radix, key_top(key));
        return -ENOMEM;
    }
    leaf->value[key_leaf(key)] = value;
    bits_set(leaf->used, key_leaf(key));
    return 0;
}

void radix_remove(struct radix *radix, uint64_t key)
{
    struct radix_middle *middle = middle_of(radix, key_top(key));
    struct radix_leaf *leaf = leaf_of(radix, middle, key_middle(key));
    assert(leaf && leaf->value[key_leaf(key)]);
    leaf->value[key_leaf(key)] = 0;
    if (!bits_clear(leaf->used, LEAF_ENTRIES, key_leaf(key)))
        return;
    slab_release(radix->slab, middle->leaf[key_middle(key)], SLAB_CLASS_LEAF);
    middle->leaf[key_middle(key)] = 0;
    if (bits_clear(middle->used, MIDDLE_ENTRIES, key_middle(key)))
        middle_drop(radix, key_top(key));
}

/* No table is ever empty, so the way down from one that follows always ends at a key. */
bool radix_next(const struct radix *radix, uint64_t *key)
{
    unsigned top = key_top(*key);
    unsigned index = key_middle(*key);
    const struct radix_middle *middle = middle_of(radix, top);
    const struct radix_leaf *leaf = leaf_of(radix, middle, index);
    unsigned entry = leaf ? bits_next(leaf->used, LEAF_ENTRIES, key_leaf(*key)) : LEAF_ENTRIES;
    if (entry == LEAF_ENTRIES) {
        index = middle ? bits_next(middle->used, MIDDLE_ENTRIES, index + 1) : MIDDLE_ENTRIES;
        if (index == MIDDLE_ENTRIES) {
            top = bits_next(radix->used, TOP_ENTRIES, top + 1);
            if (top == TOP_ENTRIES)
                return false;
            middle = middle_of(radix, top);
            index = bits_next(middle->used, MIDDLE_ENTRIES, 0);
        }
        entry = bits_next(leaf_of(radix, middle, index)->used, LEAF_ENTRIES, 0);
    }
    *key = key_join(top, index, entry);
    return true;
}

bool radix_previous(const struct radix *radix, uint64_t *key)
{
    int top = (int)key_top(*key);
    int index = (int)key_middle(*key);
    const struct radix_middle *middle = middle_of(radix, (unsigned)top);
    const struct radix_leaf *leaf = leaf_of(radix, middle, (unsigned)index);
    int entry = leaf ? bits_previous(leaf->used, key_leaf(*key) + 1) : -1;
    if (entry < 0) {
        index = middle ? bits_previous(middle->used, (unsigned)index) : -1;
        if (index < 0) {
            top = bits_previous(radix->used, (unsigned)top);
            if (top < 0)
                return false;
            middle = middle_of(radix, (unsigned)top);
            index = bits_previous(middle->used, MIDDLE_ENTRIES);
        }
        entry = bits_previous(leaf_of(radix, middle, (unsigned)index)->used, LEAF_ENTRIES);
    }
    *key = key_join((unsigned)top, (unsigned)index, (unsigned)entry);
    return true;
}
