/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/model/tables.h"

void lines_init(struct lines *lines, struct memory *memory, uint64_t *left_bytes)
{
    *lines = (struct lines){.memory = memory, .left_bytes = left_bytes};
}

static void *lines_allocate(struct lines *lines, uint64_t size_bytes)
{
    if (*lines->left_bytes < size_bytes)
        return NULL;
    void *made = memory_new(lines->memory, 1, size_bytes);
    if (made)
        *lines->left_bytes -= size_bytes;
    return made;
}

static uint8_t *find_or_add_leaf(struct lines *lines, uint64_t leaf)
{
    if (!lines->root && !(lines->root = lines_allocate(lines, sizeof *lines->root)))
        return NULL;
    struct lines_node *node = lines->root;
    for (int depth = LINES_DEPTH - 1; depth > 0; depth--) {
        void **child =
            &node->child[leaf >> depth * LINES_NODE_SHIFT & ((1 << LINES_NODE_SHIFT) - 1)];
        if (!*child && !(*child = lines_allocate(lines, sizeof *node)))
            return NULL;
        node = *child;
    }
    void **child = &node->child[leaf & ((1 << LINES_NODE_SHIFT) - 1)];
    if (!*child)
        *child = lines_allocate(lines, LINES_LEAF_BYTES);
    return *child;
}

uint8_t *lines_byte(struct lines *lines, uint64_t number)
{
    uint64_t leaf = number >> LINES_LEAF_SHIFT;
    uint32_t slot = leaf % LINES_RECENT;
    if (lines->recent[slot].number != leaf + 1) {
        uint8_t *found = find_or_add_leaf(lines, leaf);
        if (!found)
            return NULL;
        lines->recent[slot].number = leaf + 1;
        lines->recent[slot].leaf = found;
    }
    return &lines->recent[slot].leaf[number & (LINES_LEAF_BYTES - 1)];
}

/* Entries of a bucket, newest first. */
enum { GROUP = 4 };

int evicted_init(struct evicted *evicted, uint32_t lines, struct memory *memory)
{
    uint64_t groups = memory_power_of_two((lines + GROUP - 1) / GROUP);
    evicted->group_mask = (uint32_t)groups - 1;
    evicted->lines = memory_new(memory, groups * GROUP, sizeof *evicted->lines);
    return evicted->lines ? 0 : -1;
}

static struct evicted_line *evicted_group(const struct evicted *evicted, uint64_t number,
                                          uint32_t thread)
{
    uint64_t hash = memory_hash(number ^ (uint64_t)thread << 56);
    return &evicted->lines[(hash & evicted->group_mask) * GROUP];
}

static uint32_t find_in_group(const struct evicted_line *group, uint64_t number, uint32_t thread)
{
    uint32_t i = 0;
    while (i < GROUP && (group[i].tag != number + 1 || group[i].thread != thread))
        i++;
    return i;
}

void evicted_put(struct evicted *evicted, uint64_t number, const struct evicted_line *line)
{
    struct evicted_line *group = evicted_group(evicted, number, line->thread);
    uint32_t at = find_in_group(group, number, line->thread);
    /* Reuses an empty slot; evicts the oldest only if there is none. */
    for (uint32_t i = 0; i < GROUP && at == GROUP; i++)
        at = group[i].tag ? at : i;
    for (uint32_t i = at < GROUP ? at : GROUP - 1; i > 0; i--)
        group[i] = group[i - 1];
    group[0] = *line;
    group[0].tag = number + 1;
}

void evicted_prefetch(const struct evicted *evicted, uint64_t number, uint32_t thread)
{
    const struct evicted_line *group = evicted_group(evicted, number, thread);
    for (uint32_t i = 0; i < GROUP; i++)
        __builtin_prefetch(&group[i]);
}

struct evicted_line *evicted_find(struct evicted *evicted, uint64_t number, uint32_t thread)
{
    struct evicted_line *group = evicted_group(evicted, number, thread);
    uint32_t at = find_in_group(group, number, thread);
    return at < GROUP ? &group[at] : NULL;
}

int users_init(struct users *users, uint64_t lines, uint32_t one_in, uint32_t region_shift,
               struct memory *memory)
{
    *users = (struct users){.one_in = one_in, .region_shift = region_shift};
    users->mask = memory_power_of_two(lines * 2) - 1;
    users->lines = memory_new(memory, users->mask + 1, sizeof *users->lines);
    return users->lines ? 0 : -1;
}

static uint64_t users_home(const struct users *users, uint64_t tag, uint32_t cache)
{
    return memory_hash(tag ^ (uint64_t)cache << 48) & users->mask;
}

/* Returns the slot of a line, or the empty slot for it. */
static struct users_line *users_find_line(const struct users *users, uint64_t number,
                                          uint32_t cache)
{
    uint64_t slot = users_home(users, number + 1, cache);
    while (users->lines[slot].tag &&
           (users->lines[slot].tag != number + 1 || users->lines[slot].cache != cache))
        slot = (slot + 1) & users->mask;
    return &users->lines[slot];
}

void users_fetched(struct users *users, uint64_t number, uint32_t cache, uint32_t ip)
{
    if (users->count >= users->mask)
        return;
    struct users_line *line = users_find_line(users, number, cache);
    users->count += !line->tag;
    *line = (struct users_line){.tag = number + 1, .cache = cache, .fetched_by = ip};
}

void users_used(struct users *users, uint64_t number, uint32_t cache, uint32_t ip)
{
    struct users_line *line = users_find_line(users, number, cache);
    if (!line->tag)
        return;
    for (int i = 0; i < USERS_OF_LINE; i++) {
        if (line->uses[i] && line->ips[i] != ip)
            continue;
        line->ips[i] = ip;
        line->uses[i] += line->uses[i] < UINT32_MAX;
        return;
    }
}

/* Moves later lines of the same run up, so that no hole ends a search early. */
static void close_hole(struct users *users, uint64_t hole)
{
    uint64_t slot = hole;
    for (;;) {
        slot = (slot + 1) & users->mask;
        struct users_line *line = &users->lines[slot];
        if (!line->tag)
            break;
        uint64_t wanted = users_home(users, line->tag, line->cache);
        if (((slot - wanted) & users->mask) < ((slot - hole) & users->mask))
            continue;
        users->lines[hole] = *line;
        hole = slot;
    }
    users->lines[hole] = (struct users_line){0};
}

void users_left(struct users *users, uint64_t number, uint32_t cache, struct tally *tally)
{
    struct users_line *line = users_find_line(users, number, cache);
    if (!line->tag)
        return;
    for (int i = 0; i < USERS_OF_LINE && line->uses[i]; i++)
        tally_count(tally, line->fetched_by, line->ips[i], (uint64_t)line->uses[i] * users->one_in);
    users->count--;
    close_hole(users, (uint64_t)(line - users->lines));
}

void tally_init(struct tally *tally, uint32_t pairs_max)
{
    *tally = (struct tally){.room = pairs_max, .mask = tally_places(pairs_max) - 1};
}

void tally_count(struct tally *tally, uint32_t first, uint32_t second, uint64_t count)
{
    if (!tally->pairs || !count)
        return;
    uint64_t slot = memory_hash((uint64_t)first << 32 | second) & tally->mask;
    while (tally->pairs[slot].count &&
           (tally->pairs[slot].first != first || tally->pairs[slot].second != second))
        slot = (slot + 1) & tally->mask;
    struct tally_pair *pair = &tally->pairs[slot];
    if (!pair->count && tally->used == tally->room)
        return;
    tally->used += !pair->count;
    pair->first = first;
    pair->second = second;
    __atomic_store_n(&pair->count, pair->count + count, __ATOMIC_RELEASE);
}
