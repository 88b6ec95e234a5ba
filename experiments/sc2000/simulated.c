/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "simulated.h"

#include "sim/model/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct block {
    struct block *next;
    _Alignas(64) unsigned char bytes[];
};

struct simulated {
    struct block *blocks; /* the model does not free memory */
    struct model_thread *thread;
};

static void *allocate(void *context, size_t size_bytes)
{
    struct simulated *cache = context;
    size_t bytes = (sizeof(struct block) + size_bytes + 63) / 64 * 64;
    struct block *block = aligned_alloc(64, bytes);
    if (!block)
        return NULL;
    memset(block, 0, bytes);
    block->next = cache->blocks;
    cache->blocks = block;
    return block->bytes;
}

static void fail(void *context, const char *text)
{
    (void)context;
    fprintf(stderr, "sc2000: the cache cannot be made: %s\n", text);
    abort();
}

struct simulated *simulated_new(void)
{
    static const struct model_spec spec = {
        .level = {{.size_bytes = 2 << 20, .ways = 4, .line_bytes = 64}},
        .level_count = 1,
        .threads = 1};
    struct simulated *cache = calloc(1, sizeof *cache);
    struct model_spec complete = spec;
    struct model_host host = {.context = cache, .allocate = allocate, .fail = fail};
    if (!cache)
        abort();
    model_spec_complete(&complete);
    cache->thread = model_thread(model_new(&complete, &host), 0);
    return cache;
}

void simulated_free(struct simulated *cache)
{
    while (cache->blocks) {
        struct block *next = cache->blocks->next;
        free(cache->blocks);
        cache->blocks = next;
    }
    free(cache);
}

bool simulated_misses(struct simulated *cache, uint64_t address, uint32_t bytes, bool store)
{
    return model_access(cache->thread, address, bytes, store ? MODEL_STORE : MODEL_LOAD, 0) != 0;
}

const char *simulated_described(void)
{
    return "2 MB, 4 ways, lines of 64 bytes, LRU, stores allocate";
}
