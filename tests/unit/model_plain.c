/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model_plain.h"

#include <stdlib.h>
#include <string.h>

/* The subtree of `size` leaves from `first` on: all on the way to `way` point elsewhere. */
static void point_away(bool *set, uint32_t first, uint32_t size, uint32_t way)
{
    if (size < 2)
        return;
    bool in_left = way < first + size / 2;
    set[first * 65 + size] = in_left;
    point_away(set, in_left ? first : first + size / 2, size / 2, way);
}

static uint32_t pointed_at(const bool *set, uint32_t first, uint32_t size)
{
    if (size < 2)
        return first;
    return pointed_at(set, set[first * 65 + size] ? first + size / 2 : first, size / 2);
}

static void touch(struct plain_cache *cache, const struct plain_line *line)
{
    uint32_t ways = cache->spec.ways, at = (uint32_t)(line - cache->lines), i = 0;
    uint32_t *order = cache->order + at / ways * ways;
    while (order[i] != at % ways)
        i++;
    memmove(order + i, order + i + 1, (ways - 1 - i) * sizeof *order);
    order[ways - 1] = at % ways;
    if (cache->spec.policy == MODEL_TREE_PLRU)
        point_away(cache->right_next + (size_t)(at / ways) * 65 * 65, 0, ways, at % ways);
}

static uint32_t chosen(struct plain *plain, struct plain_cache *cache, struct plain_line *set)
{
    uint64_t numbers[64];
    for (uint32_t i = 0; i < cache->spec.ways; i++)
        numbers[i] = set[i].number;
    uint64_t number = plain->choose(plain->context, cache->level, numbers, cache->spec.ways);
    for (uint32_t i = 0; i < cache->spec.ways; i++)
        if (numbers[i] == number)
            return i;
    abort();
}

static struct plain_line *place_for(struct plain *plain, struct plain_cache *cache, uint64_t number,
                                    struct model_who who)
{
    uint32_t set = (uint32_t)(number % cache->sets), ways = cache->spec.ways, way = 0;
    struct plain_line *lines = cache->lines + (size_t)set * ways;
    while (way < ways && lines[way].there)
        way++;
    if (way < ways)
        return &lines[way];
    if (cache->spec.policy == MODEL_LRU)
        way = cache->order[set * ways];
    else if (cache->spec.policy == MODEL_TREE_PLRU)
        way = pointed_at(cache->right_next + (size_t)set * 65 * 65, 0, ways);
    else
        way = chosen(plain, cache, lines);
    plain_depart(plain, cache, &lines[way], who, MODEL_REPLACED);
    return &lines[way];
}

static struct plain_line *fill(struct plain *plain, struct plain_cache *cache, uint64_t number,
                               struct model_who who)
{
    struct plain_line *line = place_for(plain, cache, number, who);
    *line = (struct plain_line){.number = number, .fetched = who, .there = true};
    touch(cache, line);
    return line;
}

static bool touch_shadow(struct plain_cache *cache, uint64_t number, bool fetch)
{
    uint32_t lines = cache->sets * cache->spec.ways, i = 0;
    while (i < cache->shadow_count && cache->shadow[i] != number)
        i++;
    bool there = i < cache->shadow_count;
    if (!there && !fetch)
        return false;
    if (there)
        memmove(cache->shadow + i, cache->shadow + i + 1,
                (cache->shadow_count-- - i - 1) * sizeof *cache->shadow);
    cache->shadow[cache->shadow_count++] = number;
    if (cache->shadow_count > lines)
        memmove(cache->shadow, cache->shadow + 1, --cache->shadow_count * sizeof *cache->shadow);
    return there;
}

struct walk {
    struct plain *plain;
    struct model_who who;
    uint32_t thread, kind, missed;
    bool learn;
};

static bool look(struct walk *walk, uint32_t level, uint64_t address, uint32_t size)
{
    struct plain *plain = walk->plain;
    struct plain_cache *cache = plain_cache_of(plain, level, walk->thread);
    uint64_t number = address / cache->spec.line_bytes;
    bool fetch = !plain->spec.no_write_allocate || walk->kind & MODEL_LOAD;
    struct plain_line *line = plain_find(cache, number);
    bool in_shadow = touch_shadow(cache, number, fetch);
    bool learns = plain->spec.prefetch && level == plain->spec.prefetch_level;
    if (line) {
        touch(cache, line);
        walk->learn |= learns && line->waiting;
        line->waiting = false;
        return true;
    }
    walk->learn |= learns;
    if (!(walk->missed & 1u << level))
        plain_classify(plain, cache, walk->thread, address, size, in_shadow);
    walk->missed |= 1u << level;
    return false;
}

static void bring(struct walk *walk, uint32_t level, uint64_t address)
{
    struct plain_cache *cache = plain_cache_of(walk->plain, level, walk->thread);
    if (!walk->plain->spec.no_write_allocate || walk->kind & MODEL_LOAD)
        fill(walk->plain, cache, address / cache->spec.line_bytes, walk->who);
}

/* All that a miss fetches ahead: from the deepest level up, as for what is asked for. */
static void fetch_ahead(struct walk *walk, uint64_t address)
{
    struct plain *plain = walk->plain;
    uint32_t first = plain->spec.prefetch_level, end = first;
    struct plain_cache *cache = plain_cache_of(plain, first, walk->thread);
    if (address >= PLAIN_BYTES || plain_find(cache, address / cache->spec.line_bytes))
        return;
    for (; end < plain->spec.level_count; end++) {
        cache = plain_cache_of(plain, end, walk->thread);
        touch_shadow(cache, address / cache->spec.line_bytes, true);
        struct plain_line *line = plain_find(cache, address / cache->spec.line_bytes);
        if (line) {
            touch(cache, line);
            break;
        }
    }
    while (end-- > first) {
        cache = plain_cache_of(plain, end, walk->thread);
        struct plain_line *line = fill(plain, cache, address / cache->spec.line_bytes, walk->who);
        line->fetched.bin = plain_bin(address);
        line->ahead = true;
        line->waiting = end == first;
    }
}

static void learn(struct walk *walk, uint64_t address)
{
    struct plain *plain = walk->plain;
    uint64_t line = plain->spec.level[plain->spec.prefetch_level].line_bytes;
    if (plain->spec.prefetch == MODEL_NEXT_LINE) {
        fetch_ahead(walk, address / line * line + line);
        return;
    }
    int64_t step = (int64_t)(address - plain->strides[walk->who.ip].last);
    bool again = plain->strides[walk->who.ip].known && step &&
                 (uint64_t)step == plain->strides[walk->who.ip].step;
    plain->strides[walk->who.ip].step = plain->strides[walk->who.ip].known ? (uint64_t)step : 0;
    plain->strides[walk->who.ip].known = true;
    plain->strides[walk->who.ip].last = address;
    if (again && step > 0)
        fetch_ahead(walk, address + ((uint64_t)step < line ? line : (uint64_t)step));
    else if (again)
        fetch_ahead(walk, address - ((uint64_t)-step < line ? line : (uint64_t)-step));
}

/* A store takes the line from the private levels of all others. */
static void invalidate(struct walk *walk, uint64_t address)
{
    struct plain *plain = walk->plain;
    uint64_t line_bytes = plain->spec.level[0].line_bytes, number = address / line_bytes;
    for (uint32_t other = 0; other < plain->spec.threads; other++) {
        bool found = false;
        for (uint32_t level = 0; other != walk->thread && level < plain->spec.level_count;
             level++) {
            struct plain_cache *cache = &plain->caches[level][other];
            struct plain_line *line = plain_find(cache, number);
            if (cache->spec.shared || !line)
                continue;
            plain_depart(plain, cache, line, walk->who, MODEL_INVALIDATED);
            found = true;
        }
        if (found) {
            plain->taken[other][number] = true;
            memset(&plain->written_since[other][number * line_bytes], 0, line_bytes);
        }
    }
}

static uint32_t part_of(uint32_t line_bytes, uint64_t address, uint64_t end)
{
    uint32_t left = line_bytes - (uint32_t)(address % line_bytes);
    return address + left > end ? (uint32_t)(end - address) : left;
}

/* One line after the other, each through the levels. */
static void walk_by_lines(struct walk *walk, uint64_t address, uint32_t size)
{
    struct plain *plain = walk->plain;
    uint32_t level = 0;
    if (walk->kind & MODEL_STORE)
        invalidate(walk, address);
    while (level < plain->spec.level_count && !look(walk, level, address, size))
        level++;
    for (uint32_t fetched = level; fetched-- > 0;)
        bring(walk, fetched, address);
    if (level > plain->served)
        plain->served = level;
}

/* One level after the other, each asked for all lines. */
static void walk_by_levels(struct walk *walk, uint64_t address, uint64_t end)
{
    struct plain *plain = walk->plain;
    uint32_t line_bytes = plain->spec.level[0].line_bytes;
    bool all = false;
    for (uint64_t at = address; at < end; at += part_of(line_bytes, at, end))
        if (walk->kind & MODEL_STORE)
            invalidate(walk, at);
    for (plain->served = 0; plain->served < plain->spec.level_count; plain->served++) {
        all = true;
        line_bytes = plain->spec.level[plain->served].line_bytes;
        for (uint64_t at = address; at < end; at += part_of(line_bytes, at, end)) {
            bool there = look(walk, plain->served, at, part_of(line_bytes, at, end));
            if (!there)
                bring(walk, plain->served, at);
            all &= there;
        }
        if (all)
            break;
    }
}

uint32_t plain_access(struct plain *plain, uint32_t thread, uint64_t address, uint32_t size,
                      uint32_t kind, uint32_t ip)
{
    uint32_t line_bytes = plain->spec.level[0].line_bytes, part;
    uint64_t end = address + size;
    struct walk walk = {
        .plain = plain, .thread = thread, .kind = kind, .who = {.ip = ip, .bin = plain_bin(address)}};
    plain->served = 0;
    plain->thread = thread;
    if (plain->spec.whole_access_below)
        walk_by_levels(&walk, address, end);
    for (uint64_t at = address; at < end; at += part) {
        part = part_of(line_bytes, at, end);
        if (!plain->spec.whole_access_below)
            walk_by_lines(&walk, at, part);
        plain_use(plain, thread, at, part, kind, ip);
        if (walk.learn)
            learn(&walk, at);
        walk.learn = false;
    }
    plain_count_misses(plain, walk.who, walk.missed);
    return plain->served;
}
