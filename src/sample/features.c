/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sample/features.h"

#include "base/text.h"
#include "sample/event_desc.h"

#include <errno.h>
#include <stdio.h>

/* A length, filled up to some multiple, and a string that NULs follow. */
static void take_string(struct cursor *cursor, char *out, size_t out_size)
{
    uint32_t length = cursor_u32(cursor);
    const char *text = (const char *)cursor->at;
    cursor_skip(cursor, length);
    if (cursor->bad)
        *out = '\0';
    else
        text_sanitise(out, out_size, text, strnlen(text, length));
}

static void take_cpus(struct cursor *cursor, struct perfdata_machine *machine)
{
    uint32_t available = cursor_u32(cursor);
    uint32_t online = cursor_u32(cursor);
    machine->cpus_available = cursor->bad ? 0 : available;
    machine->cpus_online = cursor->bad ? 0 : online;
}

/* The arguments with blanks between them. */
static void take_command(struct cursor *cursor, struct perfdata_machine *machine)
{
    uint32_t count = cursor_u32(cursor);
    size_t used = 0;
    for (uint32_t i = 0; i < count && !cursor->bad && used + 2 < sizeof machine->command; i++) {
        if (used)
            machine->command[used++] = ' ';
        take_string(cursor, machine->command + used, sizeof machine->command - used);
        used += strlen(machine->command + used);
    }
}

static bool same_cache(const struct perfdata_cache *a, const struct perfdata_cache *b)
{
    return a->level == b->level && a->sets == b->sets && a->ways == b->ways &&
           a->line_bytes == b->line_bytes && !strcmp(a->type, b->type);
}

/* Caches of the same kind are listed for each core; one of them tells all that is used. */
static void note_cache(struct perfdata_machine *machine, const struct perfdata_cache *cache)
{
    for (unsigned i = 0; i < machine->cache_count; i++)
        if (same_cache(&machine->caches[i], cache))
            return;
    if (machine->cache_count < PERFDATA_CACHES_MAX)
        machine->caches[machine->cache_count++] = *cache;
}

static void take_caches(struct cursor *cursor, struct perfdata_machine *machine)
{
    uint32_t version = cursor_u32(cursor);
    uint32_t count = cursor_u32(cursor);
    for (uint32_t i = 0; version == FEATURE_CACHE_VERSION && i < count && !cursor->bad; i++) {
        struct perfdata_cache cache = {0};
        char cpus[8];
        cache.level = cursor_u32(cursor);
        cache.line_bytes = cursor_u32(cursor);
        cache.sets = cursor_u32(cursor);
        cache.ways = cursor_u32(cursor);
        take_string(cursor, cache.type, sizeof cache.type);
        take_string(cursor, cache.size, sizeof cache.size);
        take_string(cursor, cpus, sizeof cpus);
        if (!cursor->bad)
            note_cache(machine, &cache);
    }
}

static void take_times(struct cursor *cursor, struct perfdata_machine *machine)
{
    uint64_t first_ns = cursor_u64(cursor);
    uint64_t last_ns = cursor_u64(cursor);
    machine->first_sample_ns = cursor->bad ? 0 : first_ns;
    machine->last_sample_ns = cursor->bad ? 0 : last_ns;
}

/* What the clock on the wall and that of the records said at one moment. */
static void take_clocks(struct cursor *cursor, struct perfdata_machine *machine)
{
    uint32_t version = cursor_u32(cursor);
    cursor_skip(cursor, sizeof(uint32_t)); /* clock id */
    uint64_t wall_ns = cursor_u64(cursor);
    uint64_t clock_ns = cursor_u64(cursor);
    bool told = !cursor->bad && version == FEATURE_CLOCK_DATA_VERSION;
    machine->wall_ns = told ? wall_ns : 0;
    machine->clock_ns = told ? clock_ns : 0;
}

static int take_build_ids(struct cursor *cursor, struct build_ids *build_ids)
{
    int code = 0;
    while (!code && cursor->left)
        code = build_ids_add(build_ids, cursor);
    return code == -ENOMEM ? code : 0;
}

int features_take(const struct features *features, unsigned feature, struct cursor *cursor)
{
    struct perfdata_machine *machine = features->machine;
    switch (feature) {
    case FEATURE_BUILD_ID:
        return take_build_ids(cursor, features->build_ids);
    case FEATURE_HOSTNAME:
        take_string(cursor, machine->host, sizeof machine->host);
        break;
    case FEATURE_OSRELEASE:
        take_string(cursor, machine->os_release, sizeof machine->os_release);
        break;
    case FEATURE_ARCH:
        take_string(cursor, machine->architecture, sizeof machine->architecture);
        break;
    case FEATURE_NRCPUS:
        take_cpus(cursor, machine);
        break;
    case FEATURE_CPUDESC:
        take_string(cursor, machine->cpu, sizeof machine->cpu);
        break;
    case FEATURE_CPUID:
        take_string(cursor, machine->cpuid, sizeof machine->cpuid);
        break;
    case FEATURE_TOTAL_MEM:
        machine->memory_kb = cursor_u64(cursor);
        break;
    case FEATURE_CMDLINE:
        take_command(cursor, machine);
        break;
    case FEATURE_EVENT_DESC:
        event_desc_take(cursor, features->attributes);
        break;
    case FEATURE_CACHE:
        take_caches(cursor, machine);
        break;
    case FEATURE_SAMPLE_TIME:
        take_times(cursor, machine);
        break;
    case FEATURE_CLOCK_DATA:
        take_clocks(cursor, machine);
        break;
    default:
        break;
    }
    return 0;
}
