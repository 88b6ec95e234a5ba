/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit/sim/model_tiny.h"

#include <assert.h>
#include <string.h>

const struct model_spec tiny_two_by_two = {
    .level = {{.size_bytes = 4 * TINY_LINE, .ways = 2, .line_bytes = TINY_LINE}}, .level_count = 1};

struct model_miss tiny_last_miss;
struct model_eviction tiny_evictions[TINY_EVICTIONS];
uint32_t tiny_eviction_count;
struct model_rooms tiny_rooms;
struct figures tiny_of_ip[TINY_IPS][MODEL_LEVELS_MAX];
static struct model_host counting;

static void on_miss(void *context, const struct model_miss *miss)
{
    counting.miss(context, miss);
    tiny_last_miss = *miss;
    for (uint32_t level = 0; level < miss->hit_level && miss->who.ip < TINY_IPS; level++)
        figures_miss(&tiny_of_ip[miss->who.ip][level], &miss->level[level]);
}

static void on_eviction(void *context, const struct model_eviction *eviction)
{
    counting.eviction(context, eviction);
    tiny_evictions[tiny_eviction_count++ % TINY_EVICTIONS] = *eviction;
    if (eviction->fetched.ip < TINY_IPS)
        figures_line(&tiny_of_ip[eviction->fetched.ip][eviction->level], eviction);
}

struct model *tiny_model(struct model_spec spec)
{
    struct model_host host = counting = model_host_of(&tiny_rooms);
    memset(tiny_of_ip, 0, sizeof tiny_of_ip);
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
    model_rooms_free(&tiny_rooms);
    return 0;
}
