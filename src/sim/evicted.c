/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/evicted.h"

/* Lines that fall together, newest first. */
enum { GROUP = 4 };

int evicted_init(struct evicted *evicted, uint32_t lines, struct memory *memory)
{
    uint64_t groups = memory_power_of_two((lines + GROUP - 1) / GROUP);
    evicted->group_mask = (uint32_t)groups - 1;
    evicted->lines = memory_new(memory, groups * GROUP, sizeof *evicted->lines);
    return evicted->lines ? 0 : -1;
}

static struct evicted_line *group_of(const struct evicted *evicted, uint64_t number,
                                     uint32_t thread)
{
    uint64_t hash = memory_hash(number ^ (uint64_t)thread << 56);
    return &evicted->lines[(hash & evicted->group_mask) * GROUP];
}

static uint32_t find_in(const struct evicted_line *group, uint64_t number, uint32_t thread)
{
    uint32_t i = 0;
    while (i < GROUP && (group[i].tag != number + 1 || group[i].thread != thread))
        i++;
    return i;
}

void evicted_put(struct evicted *evicted, uint64_t number, const struct evicted_line *line)
{
    struct evicted_line *group = group_of(evicted, number, line->thread);
    uint32_t at = find_in(group, number, line->thread);
    /* A hole takes what moves up; the oldest goes only where there is none. */
    for (uint32_t i = 0; i < GROUP && at == GROUP; i++)
        at = group[i].tag ? at : i;
    for (uint32_t i = at < GROUP ? at : GROUP - 1; i > 0; i--)
        group[i] = group[i - 1];
    group[0] = *line;
    group[0].tag = number + 1;
}

void evicted_prefetch(const struct evicted *evicted, uint64_t number, uint32_t thread)
{
    const struct evicted_line *group = group_of(evicted, number, thread);
    for (uint32_t i = 0; i < GROUP; i++)
        __builtin_prefetch(&group[i]);
}

struct evicted_line *evicted_find(struct evicted *evicted, uint64_t number, uint32_t thread)
{
    struct evicted_line *group = group_of(evicted, number, thread);
    uint32_t at = find_in(group, number, thread);
    return at < GROUP ? &group[at] : NULL;
}
