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

/* Where the link of the node at `node` leads; 0: out of what was sampled, or not to be read. */
static uint64_t follow(const struct findings *findings, const struct spread *spread, uint64_t node,
                       uint64_t link_offset)
{
    uint64_t next;
    if (!findings->names->word(findings->names->context, node + link_offset, &next) ||
        next + FAR_BYTES < spread->lowest || next > spread->highest || next == node)
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
    uint32_t step = spread->samples / LINKS_READ + 1;
    for (uint32_t i = 0; i < window->used; i++) {
        const struct window_entry *entry = window_at(window, i);
        if (!on_type(entry, id, layout->type) || on_it++ % step)
            continue;
        uint64_t node = entry->address - entry->type_offset;
        uint64_t next = follow(findings, spread, node, link_offset);
        const struct window_entry *later = next_of(window, i, layout->type);
        count(links, node, next, layout->size);
        links->pairs += next && later;
        links->followed += next && later && later->address - later->type_offset == next;
    }
}
