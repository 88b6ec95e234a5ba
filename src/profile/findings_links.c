/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the links of sampled nodes lead, read from the process itself: how a list lies in memory is
 * seen at once, however short a pass over it is. */
#include "profile/findings.h"

enum {
    LINKS_READ = 32,   /* a refresh, of one object: they stand in a recording, too */
    NEAR_ELEMENTS = 4, /* a prefetcher that goes by steps or by lines comes there by itself */
    FAR_BYTES = 4096   /* none crosses a page */
};

static bool on_type(const struct window_entry *entry, uint32_t object, uint32_t type)
{
    return entry->object == object && entry->type == type;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

/* Addresses between which elements of a type were sampled. */
struct extent {
    uint64_t lowest;
    uint64_t highest;
};

/* Blocks of one type may be told apart by who allocated them: nodes of one lead to nodes of
 * another. */
static struct extent extent_of(const struct findings *findings, const struct spread *spread,
                               uint32_t type)
{
    const struct snapshot *snapshot = findings->snapshot;
    struct extent extent = {spread->lowest, spread->highest};
    for (size_t i = 0; i < findings->spread_count && i < snapshot->object_count; i++) {
        const struct snapshot_object *object = &snapshot->objects[i];
        const struct spread *other = &findings->spreads[i];
        if (!other->samples || !object->layout_count || object->layouts[0].type != type)
            continue;
        extent.lowest = other->lowest < extent.lowest ? other->lowest : extent.lowest;
        extent.highest = other->highest > extent.highest ? other->highest : extent.highest;
    }
    return extent;
}

/* Where the link of the node at `node` leads; 0: out of what was sampled, or not to be read. */
static uint64_t follow(const struct findings *findings, const struct extent *extent, uint64_t node,
                       uint64_t link_offset)
{
    uint64_t next;
    if (!findings->names->word(findings->names->context, node + link_offset, &next) ||
        next + FAR_BYTES < extent->lowest || next > extent->highest || next == node)
        return 0;
    return next;
}

static void count(struct findings_links *links, uint64_t node, uint64_t next, uint64_t size)
{
    if (!next)
        return;
    links->read++;
    links->far += distance(node, next) > FAR_BYTES;
    links->near += distance(node, next) <= NEAR_ELEMENTS * size;
}

static bool is_readable(const struct findings *findings, uint64_t address)
{
    uint64_t word;
    return findings->names->word(findings->names->context, address, &word);
}

/* `node` and the next ones: a chain of as many as counts as deep. */
static bool is_deep(const struct findings *findings, const struct extent *extent, uint64_t node,
                    uint64_t link_offset)
{
    for (int i = 1; node && i < FINDINGS_LINKS_DEEP; i++)
        node = follow(findings, extent, node, link_offset);
    return node != 0;
}

/* The next miss of the same thread on the object, if it came soon; NULL. */
static const struct window_entry *next_of(const struct window *window, uint32_t i, uint32_t type)
{
    enum { SOON = 8 };
    const struct window_entry *entry = window_at(window, i);
    for (uint32_t k = i + 1; k < window->used && k <= i + SOON; k++) {
        const struct window_entry *later = window_at(window, k);
        if (later->tid == entry->tid && on_type(later, entry->object, type))
            return later;
    }
    return NULL;
}

void findings_links(const struct findings *findings, size_t object,
                    const struct snapshot_layout *layout, uint64_t link_offset,
                    struct findings_links *links)
{
    const struct spread *spread = findings_spread(findings, object);
    const struct window *window = findings->window;
    uint32_t id = findings->snapshot->objects[object].id;
    uint32_t on_it = 0;
    *links = (struct findings_links){0};
    if (!spread || !window || !findings->names || !findings->names->word)
        return;
    struct extent extent = extent_of(findings, spread, layout->type);
    for (uint32_t i = 0; i < window->used; i++)
        on_it += on_type(window_at(window, i), id, layout->type);
    uint32_t step = on_it / LINKS_READ + 1;
    on_it = 0;
    for (uint32_t i = 0; i < window->used; i++) {
        const struct window_entry *entry = window_at(window, i);
        if (!on_type(entry, id, layout->type) || on_it++ % step)
            continue;
        uint64_t node = entry->address - entry->type_offset;
        uint64_t next = follow(findings, &extent, node, link_offset);
        const struct window_entry *later = next_of(window, i, layout->type);
        count(links, node, next, layout->size);
        links->nodes += is_readable(findings, node + link_offset);
        links->deep += is_deep(findings, &extent, next, link_offset);
        links->pairs += next && later;
        links->followed += next && later && later->address - later->type_offset == next;
    }
}

/* The node that `there` of a node leads to leads back by `back`. */
static bool leads_back(const struct findings *findings, uint64_t node, uint64_t there,
                       uint64_t back)
{
    const struct place_names *names = findings->names;
    uint64_t next;
    uint64_t again;
    return names->word(names->context, node + there, &next) && next &&
           names->word(names->context, next + back, &again) && again == node;
}

bool findings_links_mutual(const struct findings *findings, size_t object,
                           const struct snapshot_layout *layout, uint64_t one, uint64_t other)
{
    const struct spread *spread = findings_spread(findings, object);
    const struct window *window = findings->window;
    uint32_t id = findings->snapshot->objects[object].id;
    uint32_t asked = 0;
    uint32_t mutual = 0;
    if (!spread || !window || !findings->names || !findings->names->word)
        return false;
    for (uint32_t i = window->used; i > 0 && asked < LINKS_READ / 2; i--) {
        const struct window_entry *entry = window_at(window, i - 1);
        if (!on_type(entry, id, layout->type))
            continue;
        uint64_t node = entry->address - entry->type_offset;
        asked++;
        mutual += leads_back(findings, node, one, other) && leads_back(findings, node, other, one);
    }
    return mutual * 2 > asked;
}
