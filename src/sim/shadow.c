/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/shadow.h"

int shadow_init(struct shadow *shadow, uint32_t lines, struct memory *memory)
{
    uint64_t buckets = memory_power_of_two(lines < 2 ? 2 : lines);
    *shadow = (struct shadow){
        .nodes = memory_new(memory, (uint64_t)lines + 1, sizeof *shadow->nodes),
        .buckets = memory_new(memory, buckets, sizeof *shadow->buckets),
        .capacity = lines,
        .bucket_shift = 64 - (uint32_t)__builtin_ctzll(buckets),
    };
    return shadow->nodes && shadow->buckets ? 0 : -1;
}

static uint32_t *bucket_of(struct shadow *shadow, uint64_t tag)
{
    return &shadow->buckets[memory_hash(tag) >> shadow->bucket_shift];
}

static void unlink_node(struct shadow *shadow, uint32_t node)
{
    struct shadow_node *at = &shadow->nodes[node];
    shadow->nodes[at->newer].older = at->older;
    shadow->nodes[at->older].newer = at->newer;
}

/* nodes[0].older is the newest of all, nodes[0].newer the oldest. */
static void link_newest(struct shadow *shadow, uint32_t node)
{
    struct shadow_node *ends = &shadow->nodes[0];
    shadow->nodes[node].newer = 0;
    shadow->nodes[node].older = ends->older;
    shadow->nodes[ends->older].newer = node;
    ends->older = node;
}

static uint32_t find(struct shadow *shadow, uint64_t tag)
{
    uint32_t node = *bucket_of(shadow, tag);
    while (node && shadow->nodes[node].tag != tag)
        node = shadow->nodes[node].next;
    return node;
}

static void leave_bucket(struct shadow *shadow, uint32_t node)
{
    uint32_t *link = bucket_of(shadow, shadow->nodes[node].tag);
    while (*link != node)
        link = &shadow->nodes[*link].next;
    *link = shadow->nodes[node].next;
}

/* A node for a line that comes in: a new one, or the oldest's. */
static uint32_t make(struct shadow *shadow, uint64_t tag)
{
    uint32_t node;
    if (shadow->count < shadow->capacity) {
        node = ++shadow->count;
    } else {
        node = shadow->nodes[0].newer;
        unlink_node(shadow, node);
        leave_bucket(shadow, node);
    }
    uint32_t *bucket = bucket_of(shadow, tag);
    shadow->nodes[node].tag = tag;
    shadow->nodes[node].next = *bucket;
    *bucket = node;
    return node;
}

bool shadow_touch(struct shadow *shadow, uint64_t number, bool fetch, uint32_t *node)
{
    uint64_t tag = number + 1;
    uint32_t found =
        *node <= shadow->capacity && shadow->nodes[*node].tag == tag ? *node : find(shadow, tag);
    if (!found && !fetch)
        return false;
    bool there = found != 0;
    if (there && shadow->nodes[0].older == found) {
        *node = found;
        return true;
    }
    if (there)
        unlink_node(shadow, found);
    else
        found = make(shadow, tag);
    link_newest(shadow, found);
    *node = found;
    return there;
}
