/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The bins of told.c as others see them: figures, and the call path in words. */
#include "resolve/told.h"

#include "base/clock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SITES_FIRST = 1024, SITES_MAX = 1 << 18 };

/* In words; again as long as file and line are still to come. */
static void describe_site(struct told *told, uint64_t address, struct told_site *site)
{
    const char *function = NULL;
    const char *module = NULL;
    const char *file = NULL;
    uint32_t line = 0;
    /* A return address is behind its call, perhaps behind the last line of the function. */
    bool known = told_name_address(told, address - 1, &function, &module, &file, &line);
    bool later = known && line == BINS_LINE_LATER;
    const char *slash = file ? strrchr(file, '/') : NULL;
    if (later && site->words)
        return;
    site->unsure = later;
    if (!known || !function)
        site->words = arena_printf(&told->strings, "0x%llx", (unsigned long long)address);
    else if (file && line && !later)
        site->words =
            arena_printf(&told->strings, "%s (%s:%u)", function, slash ? slash + 1 : file, line);
    else if (module && *module)
        site->words = arena_printf(&told->strings, "%s (%s)", function, module);
    else
        site->words = arena_string(&told->strings, function);
}

static bool make_site_room(struct told *told)
{
    if (told->site_count < told->site_room)
        return true;
    uint32_t room = told->site_room ? told->site_room * 2 : SITES_FIRST;
    struct told_site *more = realloc(told->sites, room * sizeof *more);
    if (!more)
        return false;
    told->sites = more;
    told->site_room = room;
    return true;
}

static const char *site_of(struct told *told, uint64_t address)
{
    bool created = false;
    uint32_t *index = told->site_count < SITES_MAX && make_site_room(told)
                          ? hash_insert(&told->site_of, address, &created)
                          : hash_find(&told->site_of, address);
    if (!index)
        return "?";
    if (created) {
        *index = told->site_count++;
        told->sites[*index] = (struct told_site){.unsure = true};
    }
    struct told_site *site = &told->sites[*index];
    if (site->unsure)
        describe_site(told, address, site);
    return site->words ? site->words : "?";
}

static void fill_figures(const struct told *told, const struct bin_stats *stats,
                         struct heap_bin *bin)
{
    uint64_t now = told->now_ns;
    bin->live_blocks = stats->live_blocks;
    bin->usable_bytes = stats->live_usable_bytes;
    bin->requested_bytes = stats->live_requested_bytes;
    bin->allocations = stats->allocations;
    bin->frees = stats->frees;
    bin->allocations_per_s = stats->allocations_per_s;
    bin->frees_per_s = stats->frees_per_s;
    bin->lifetime_s = bin_stats_lifetime_ns(stats) / CLOCK_NS_PER_S;
    bin->age_s = stats->first_ns && now > stats->first_ns
                     ? (double)(now - stats->first_ns) / CLOCK_NS_PER_S
                     : NAN;
    bin->quiet_s = stats->last_ns && now >= stats->last_ns
                       ? (double)(now - stats->last_ns) / CLOCK_NS_PER_S
                       : NAN;
    bin->growth_blocks = bin->growth_bytes = NAN;
    if (bins_mark_ns(told->bins)) {
        bin->growth_blocks = (double)stats->live_blocks - (double)stats->mark_blocks;
        bin->growth_bytes = (double)stats->live_usable_bytes - (double)stats->mark_usable_bytes;
    }
}

/* From classes by powers of two from 1 to those from 32 (place.h). */
static void fill_sizes(const struct bin_stats *stats, struct heap_bin *bin)
{
    for (unsigned i = 0; i < BINS_CLASSES; i++) {
        /* Class i reaches to below 2^i. */
        unsigned to = i <= 5 ? 0 : i - 5;
        bin->sizes[to < HEAP_SIZES ? to : HEAP_SIZES - 1] += stats->sizes[i];
    }
}

bool told_bin(struct told *told, uint32_t index, struct heap_bin *bin)
{
    struct bin_stats stats;
    struct bin_info info;
    if (index >= told->lead_count)
        return false;
    uint32_t id = told->leads[index];
    *bin = (struct heap_bin){.id = id};
    if (!bins_info(told->bins, id, &info) || !told_stats(told, id, &stats))
        return true;
    bin->name = info.name ? info.name : "heap";
    bin->path = info.full_name;
    bin->renamed = info.renamed;
    bin->type_id = info.type;
    for (uint32_t next = info.next; next; bin->combined++) {
        struct bin_info other;
        next = bins_info(told->bins, next, &other) ? other.next : 0;
    }
    unsigned depth = info.depth < TOLD_DEPTH_SHOWN ? info.depth : TOLD_DEPTH_SHOWN;
    for (unsigned i = 0; i < depth; i++)
        told->shown[i] = site_of(told, info.path[i]);
    bin->site = told->shown;
    bin->site_count = depth;
    fill_figures(told, &stats, bin);
    fill_sizes(&stats, bin);
    return true;
}
