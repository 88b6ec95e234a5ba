/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/shadow.h"

enum { DIGIT_BITS = 8, DIGITS = 1 << DIGIT_BITS };

int shadow_init(struct shadow *shadow, struct shadow_real real, uint32_t lines,
                struct memory *memory)
{
    uint64_t buckets = memory_power_of_two(lines < 2 ? 2 : lines);
    *shadow = (struct shadow){
        .real = real,
        .nodes = memory_new(memory, (uint64_t)lines + 1, sizeof *shadow->nodes),
        .buckets = memory_new(memory, buckets, sizeof *shadow->buckets),
        .waiting = memory_new(memory, lines, sizeof *shadow->waiting),
        .spare = memory_new(memory, lines, sizeof *shadow->spare),
        .capacity = lines,
        .bucket_shift = 64 - (uint32_t)__builtin_ctzll(buckets),
    };
    return shadow->nodes && shadow->buckets && shadow->waiting && shadow->spare ? 0 : -1;
}

static uint32_t *bucket_of(struct shadow *shadow, uint64_t tag)
{
    return &shadow->buckets[memory_hash(tag) >> shadow->bucket_shift];
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

/* Of a node, when its line was last used. */
static uint64_t stamp_of(const struct shadow *shadow, uint32_t node)
{
    const struct shadow_node *at = &shadow->nodes[node];
    return shadow->real.tags[at->index] == at->tag ? shadow->real.stamps[at->index] : at->stamp;
}

/* A pass of a radix sort: by one digit, those alike stay in their order. */
static void sort_by_digit(struct shadow *shadow, uint32_t count, uint32_t shift)
{
    uint32_t starts[DIGITS] = {0};
    uint32_t start = 0;
    for (uint32_t i = 0; i < count; i++)
        starts[shadow->waiting[i].stamp >> shift & (DIGITS - 1)]++;
    for (uint32_t digit = 0; digit < DIGITS; digit++) {
        uint32_t length = starts[digit];
        starts[digit] = start;
        start += length;
    }
    for (uint32_t i = 0; i < count; i++)
        shadow->spare[starts[shadow->waiting[i].stamp >> shift & (DIGITS - 1)]++] =
            shadow->waiting[i];
    struct shadow_waiting *sorted = shadow->spare;
    shadow->spare = shadow->waiting;
    shadow->waiting = sorted;
}

/* Those behind become the row. */
static void sort(struct shadow *shadow)
{
    uint32_t count = shadow->behind;
    uint64_t differ = 0;
    for (uint32_t i = 0; i < count; i++) {
        shadow->waiting[i].stamp = stamp_of(shadow, shadow->waiting[i].node);
        differ |= shadow->waiting[i].stamp ^ shadow->waiting[0].stamp;
    }
    for (uint32_t shift = 0; shift < 64 && differ >> shift; shift += DIGIT_BITS)
        if (differ >> shift & (DIGITS - 1))
            sort_by_digit(shadow, count, shift);
    shadow->head = shadow->behind = 0;
    shadow->end = count;
}

static void join_behind(struct shadow *shadow, uint32_t node)
{
    shadow->waiting[shadow->behind++].node = node;
}

/* The node used longest ago. Only when all are in use: then one leaves the row for each that goes
 * behind, and both have room in one array. */
static uint32_t take_oldest(struct shadow *shadow)
{
    for (;;) {
        if (shadow->head == shadow->end)
            sort(shadow);
        struct shadow_waiting *first = &shadow->waiting[shadow->head++];
        uint32_t node = first->node;
        if (stamp_of(shadow, node) == first->stamp)
            return node;
        join_behind(shadow, node);
    }
}

/* The real one may keep the line: it has no node then. */
static void throw_out(struct shadow *shadow, uint32_t node)
{
    uint32_t index = shadow->nodes[node].index;
    leave_bucket(shadow, node);
    if (shadow->real.tags[index] != shadow->nodes[node].tag)
        return;
    shadow->real.nodes[index] = 0;
    shadow->thrown_index = index;
}

/* A node for a line that comes in: a new one, or the oldest's. */
static uint32_t make(struct shadow *shadow, uint64_t tag)
{
    uint32_t node;
    if (shadow->count < shadow->capacity) {
        node = ++shadow->count;
    } else {
        node = take_oldest(shadow);
        throw_out(shadow, node);
    }
    uint32_t *bucket = bucket_of(shadow, tag);
    shadow->nodes[node].tag = tag;
    shadow->nodes[node].next = *bucket;
    *bucket = node;
    join_behind(shadow, node);
    return node;
}

bool shadow_touch(struct shadow *shadow, uint64_t number, bool fetch, uint64_t stamp,
                  uint32_t *node)
{
    bool there = (*node = find(shadow, number + 1)) != 0;
    shadow->thrown_index = SHADOW_NONE;
    if (!there && fetch)
        *node = make(shadow, number + 1);
    if (*node)
        shadow->nodes[*node].stamp = stamp;
    return there;
}
