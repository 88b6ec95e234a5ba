/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The plain model made, searched and ended. */
#include "model_plain.h"

#include <stdlib.h>

struct plain_cache *plain_cache_of(struct plain *plain, uint32_t level, uint32_t thread)
{
    return &plain->caches[level][plain->spec.level[level].shared ? 0 : thread];
}

uint32_t plain_bin(uint64_t address)
{
    return (uint32_t)(address / PLAIN_BIN_BYTES);
}

struct plain *plain_new(const struct model_spec *spec)
{
    struct plain *plain = calloc(1, sizeof *plain);
    plain->spec = *spec;
    for (uint32_t level = 0; level < spec->level_count; level++)
        for (uint32_t thread = 0; thread < PLAIN_THREADS; thread++) {
            struct plain_cache *cache = &plain->caches[level][thread];
            cache->spec = spec->level[level];
            cache->level = level;
            cache->thread = thread;
            uint32_t lines = (uint32_t)(cache->spec.size_bytes / cache->spec.line_bytes);
            cache->sets = lines / cache->spec.ways;
            cache->lines = calloc(lines, sizeof *cache->lines);
            cache->order = calloc(lines, sizeof *cache->order);
            for (uint32_t i = 0; i < lines; i++)
                cache->order[i] = i % cache->spec.ways;
            cache->right_next = calloc((size_t)cache->sets * 65 * 65, 1);
            cache->shadow = calloc(lines + 1, sizeof *cache->shadow);
            cache->left = calloc(PLAIN_BYTES, sizeof *cache->left);
        }
    return plain;
}

void plain_free(struct plain *plain)
{
    for (uint32_t level = 0; level < plain->spec.level_count; level++)
        for (uint32_t thread = 0; thread < PLAIN_THREADS; thread++) {
            struct plain_cache *cache = &plain->caches[level][thread];
            free(cache->lines);
            free(cache->order);
            free(cache->right_next);
            free(cache->shadow);
            free(cache->left);
        }
    free(plain);
}

struct plain_line *plain_find(struct plain_cache *cache, uint64_t number)
{
    for (uint32_t i = 0; i < cache->sets * cache->spec.ways; i++)
        if (cache->lines[i].there && cache->lines[i].number == number)
            return &cache->lines[i];
    return NULL;
}

void plain_finish(struct plain *plain)
{
    struct model_who nobody = {MODEL_NONE, MODEL_NONE, 0};
    for (uint32_t level = 0; level < plain->spec.level_count; level++)
        for (uint32_t thread = 0; thread < PLAIN_THREADS; thread++) {
            struct plain_cache *cache = &plain->caches[level][thread];
            for (uint32_t i = 0; i < cache->sets * cache->spec.ways; i++)
                if (cache->lines[i].there)
                    plain_depart(plain, cache, &cache->lines[i], nobody, MODEL_END);
        }
}
