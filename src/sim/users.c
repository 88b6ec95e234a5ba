/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sim/users.h"

int users_init(struct users *users, uint64_t lines, uint32_t one_in, uint32_t region_shift,
               struct memory *memory)
{
    *users = (struct users){.one_in = one_in, .region_shift = region_shift};
    users->mask = memory_power_of_two(lines * 2) - 1;
    users->lines = memory_new(memory, users->mask + 1, sizeof *users->lines);
    return users->lines ? 0 : -1;
}

static uint64_t home(const struct users *users, uint64_t tag, uint32_t cache)
{
    return memory_hash(tag ^ (uint64_t)cache << 48) & users->mask;
}

/* Where a line stands, or the empty place where it would. */
static struct users_line *find(const struct users *users, uint64_t number, uint32_t cache)
{
    uint64_t slot = home(users, number + 1, cache);
    while (users->lines[slot].tag &&
           (users->lines[slot].tag != number + 1 || users->lines[slot].cache != cache))
        slot = (slot + 1) & users->mask;
    return &users->lines[slot];
}

void users_fetched(struct users *users, uint64_t number, uint32_t cache, uint32_t ip)
{
    if (users->count >= users->mask)
        return;
    struct users_line *line = find(users, number, cache);
    users->count += !line->tag;
    *line = (struct users_line){.tag = number + 1, .cache = cache, .fetched_by = ip};
}

void users_used(struct users *users, uint64_t number, uint32_t cache, uint32_t ip)
{
    struct users_line *line = find(users, number, cache);
    if (!line->tag) {
        users->untold++;
        return;
    }
    for (int i = 0; i < USERS_OF_LINE; i++) {
        if (line->uses[i] && line->ips[i] != ip)
            continue;
        line->ips[i] = ip;
        line->uses[i] += line->uses[i] < UINT32_MAX;
        return;
    }
    line->others++;
}

/* Later lines of the same run move up, so that no hole stops a search before them. */
static void close_hole(struct users *users, uint64_t hole)
{
    uint64_t slot = hole;
    for (;;) {
        slot = (slot + 1) & users->mask;
        struct users_line *line = &users->lines[slot];
        if (!line->tag)
            break;
        uint64_t wanted = home(users, line->tag, line->cache);
        if (((slot - wanted) & users->mask) < ((slot - hole) & users->mask))
            continue;
        users->lines[hole] = *line;
        hole = slot;
    }
    users->lines[hole] = (struct users_line){0};
}

void users_left(struct users *users, uint64_t number, uint32_t cache, struct tally *tally,
                struct memory *memory)
{
    struct users_line *line = find(users, number, cache);
    if (!line->tag)
        return;
    for (int i = 0; i < USERS_OF_LINE && line->uses[i]; i++)
        tally_count(tally, memory, line->fetched_by, line->ips[i],
                  (uint64_t)line->uses[i] * users->one_in);
    users->untold += line->others;
    users->count--;
    close_hole(users, (uint64_t)(line - users->lines));
}
