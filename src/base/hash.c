/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

enum { HASH_FIRST_SLOTS = 64 };

void hash_init(struct hash *hash)
{
    *hash = (struct hash){0};
}

void hash_fini(struct hash *hash)
{
    free(hash->slots);
    *hash = (struct hash){0};
}

void hash_clear(struct hash *hash)
{
    if (hash->slots)
        memset(hash->slots, 0, (hash->mask + 1) * sizeof *hash->slots);
    hash->count = 0;
}

/* Finds the slot of the key, or the empty slot where it would go. */
static struct hash_slot *hash_probe(const struct hash *hash, uint64_t key)
{
    size_t i = hash_mix(key) & hash->mask;
    while (hash->slots[i].used && hash->slots[i].key != key)
        i = (i + 1) & hash->mask;
    return &hash->slots[i];
}

uint32_t *hash_find(const struct hash *hash, uint64_t key)
{
    if (!hash->slots)
        return NULL;
    struct hash_slot *slot = hash_probe(hash, key);
    return slot->used ? &slot->value : NULL;
}

static bool hash_grow(struct hash *hash)
{
    struct hash bigger = {.count = hash->count};
    size_t slots = hash->slots ? (hash->mask + 1) * 2 : HASH_FIRST_SLOTS;
    bigger.mask = slots - 1;
    bigger.slots = calloc(slots, sizeof *bigger.slots);
    if (!bigger.slots)
        return false;
    for (size_t i = 0; hash->slots && i <= hash->mask; i++)
        if (hash->slots[i].used)
            *hash_probe(&bigger, hash->slots[i].key) = hash->slots[i];
    free(hash->slots);
    *hash = bigger;
    return true;
}

uint32_t *hash_insert(struct hash *hash, uint64_t key, bool *created)
{
    uint32_t *found = hash_find(hash, key);
    if (created)
        *created = !found;
    if (found)
        return found;
    /* At most 3/4 full, so that probes stay short and an empty slot always exists. */
    if ((!hash->slots || (hash->count + 1) * 4 > (hash->mask + 1) * 3) && !hash_grow(hash))
        return NULL;
    struct hash_slot *slot = hash_probe(hash, key);
    *slot = (struct hash_slot){.key = key, .used = 1};
    hash->count++;
    return &slot->value;
}

bool hash_put(struct hash *hash, uint64_t key, uint32_t value)
{
    uint32_t *at = hash_insert(hash, key, NULL);
    if (at)
        *at = value;
    return at;
}

bool hash_add(struct hash *hash, uint64_t key, uint32_t more)
{
    uint32_t *at = hash_insert(hash, key, NULL);
    if (at)
        *at += more;
    return at;
}

struct hash_slot *hash_next(const struct hash *hash, size_t *at)
{
    while (hash->slots && *at <= hash->mask) {
        struct hash_slot *slot = &hash->slots[(*at)++];
        if (slot->used)
            return slot;
    }
    return NULL;
}

bool hash_remove(struct hash *hash, uint64_t key)
{
    if (!hash->slots)
        return false;
    struct hash_slot *slot = hash_probe(hash, key);
    if (!slot->used)
        return false;
    size_t hole = (size_t)(slot - hash->slots);
    for (size_t i = (hole + 1) & hash->mask; hash->slots[i].used; i = (i + 1) & hash->mask) {
        size_t home = hash_mix(hash->slots[i].key) & hash->mask;
        /* Move back only an entry that may be in the hole: its home is not between the hole and the
         * entry. */
        if (((i - home) & hash->mask) >= ((i - hole) & hash->mask)) {
            hash->slots[hole] = hash->slots[i];
            hole = i;
        }
    }
    hash->slots[hole].used = 0;
    hash->count--;
    return true;
}

uint64_t hash_bytes(const void *bytes, size_t size_bytes)
{
    const unsigned char *byte = bytes;
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size_bytes; i++)
        hash = (hash ^ byte[i]) * 0x100000001b3u;
    return hash;
}
