/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit/sim/model_tiny.h"

#include <assert.h>

const struct model_spec tiny_two_by_two = {
    .level = {{.size_bytes = 4 * TINY_LINE, .ways = 2, .line_bytes = TINY_LINE}}, .level_count = 1};

struct model_miss tiny_last_miss;
struct model_eviction tiny_evictions[TINY_EVICTIONS];
uint32_t tiny_eviction_count;
static struct model_rooms rooms;

static uint32_t bin_of(void *context, uint64_t address)
{
    (void)context;
    return (uint32_t)(address / 4096);
}

static void on_miss(void *context, const struct model_miss *miss)
{
    (void)context;
    tiny_last_miss = *miss;
}

static void on_eviction(void *context, const struct model_eviction *eviction)
{
    (void)context;
    tiny_evictions[tiny_eviction_count++ % TINY_EVICTIONS] = *eviction;
}

struct model *tiny_model(struct model_spec spec)
{
    struct model_host host = model_host_of(&rooms);
    host.bin_of = bin_of;
    host.miss = on_miss;
    host.eviction = on_eviction;
    tiny_eviction_count = 0;
    spec.threads = spec.threads ? spec.threads : 1;
    spec.causes = spec.use = true;
    struct model *model = model_new(&spec, &host);
    assert(model);
    return model;
}

int tiny_free(void **state)
{
    (void)state;
    model_rooms_free(&rooms);
    return 0;
}
