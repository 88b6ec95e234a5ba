/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit/sim/model_plain.h"

#include <stdlib.h>
#include <string.h>

static void plain_depart(struct plain *plain, struct plain_cache *cache, struct plain_line *line,
                         struct model_who who, enum model_reason reason);

/* Creation, search and end of the plain model. */

static struct plain_cache *plain_cache_of(struct plain *plain, uint32_t level, uint32_t thread)
{
    return &plain->caches[level][plain->spec.level[level].shared ? 0 : thread];
}

struct plain *plain_new(const struct model_spec *spec)
{
    struct plain *plain = calloc(1, sizeof *plain);
    plain->spec = *spec;
    for (uint32_t level = 0; level < spec->level_count; level++)
        for (uint32_t thread = 0; thread < PLAIN_THREADS; thread++) {
            struct plain_cache *cache = &plain->caches[level][thread];
            cache->spec = spec->level[level];
            cache->level = level;
            cache->thread = thread;
            uint32_t lines = (uint32_t)(cache->spec.size_bytes / cache->spec.line_bytes);
            cache->sets = lines / cache->spec.ways;
            cache->lines = calloc(lines, sizeof *cache->lines);
            cache->order = calloc(lines, sizeof *cache->order);
            for (uint32_t i = 0; i < lines; i++)
                cache->order[i] = i % cache->spec.ways;
            cache->shadow = calloc(lines + 1, sizeof *cache->shadow);
            cache->left = calloc(PLAIN_BYTES, sizeof *cache->left);
        }
    return plain;
}

void plain_free(struct plain *plain)
{
    for (uint32_t level = 0; level < plain->spec.level_count; level++)
        for (uint32_t thread = 0; thread < PLAIN_THREADS; thread++) {
            struct plain_cache *cache = &plain->caches[level][thread];
            free(cache->lines);
            free(cache->order);
            free(cache->shadow);
            free(cache->left);
        }
    free(plain);
}

static struct plain_line *plain_find(struct plain_cache *cache, uint64_t number)
{
    for (uint32_t i = 0; i < cache->sets * cache->spec.ways; i++)
        if (cache->lines[i].valid && cache->lines[i].number == number)
            return &cache->lines[i];
    return NULL;
}

void plain_finish(struct plain *plain)
{
    struct model_who none = {MODEL_NONE, 0};
    for (uint32_t level = 0; level < plain->spec.level_count; level++)
        for (uint32_t thread = 0; thread < PLAIN_THREADS; thread++) {
            struct plain_cache *cache = &plain->caches[level][thread];
            for (uint32_t i = 0; i < cache->sets * cache->spec.ways; i++)
                if (cache->lines[i].valid)
                    plain_depart(plain, cache, &cache->lines[i], none, MODEL_END);
        }
}

/* The counts of the plain model, and its memory of evicted lines. */

static uint64_t ones(const uint8_t *bytes, uint32_t count)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += bytes[i] != 0;
    return sum;
}

/* Lines longer than 64 bytes are tracked by 64ths. */
static uint64_t used_bytes(const struct plain_line *line, uint32_t line_bytes)
{
    uint32_t grain = line_bytes > 64 ? line_bytes / 64 : 1;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < line_bytes; i += grain)
        sum += ones(line->touched + i, grain) ? grain : 0;
    return sum;
}

static void count_line(struct figures *figures, const struct plain_line *line, uint32_t line_bytes)
{
    figures->left++;
    figures->used_bytes += used_bytes(line, line_bytes);
    figures->touched_bytes += line->touched_bytes;
    figures->written += ones(line->written, line_bytes) != 0;
    for (int i = 0; i < MODEL_USE_CLASSES; i++)
        figures->uses[i] += line->uses[i];
}

/* Handles an evicted line, and counts misses. */
static void plain_depart(struct plain *plain, struct plain_cache *cache, struct plain_line *line,
                         struct model_who who, enum model_reason reason)
{
    uint32_t level = cache->level, ip = line->fetched.ip;
    count_line(&plain->total[level], line, cache->spec.line_bytes);
    count_line(&plain->of_ip[ip][level], line, cache->spec.line_bytes);
    for (int i = 0; i < 8 && line->user_uses[i] && plain->spec.users_one_in; i++)
        plain->pairs[MODEL_IP_USED_BY_IP][level][ip][line->user[i]] += line->user_uses[i];
    if (reason != MODEL_END)
        cache->left[line->number] = (struct plain_left){true, reason, who, plain->thread};
    if (plain->spec.causes && reason == MODEL_REPLACED)
        plain->pairs[MODEL_IP_EVICTED_BY_IP][level][ip][who.ip]++;
    line->valid = false;
}

static bool any(const bool *flags, uint64_t first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (flags[first + i])
            return true;
    return false;
}

static void plain_classify(struct plain *plain, struct plain_cache *cache, uint32_t thread,
                           uint64_t address, uint32_t size, bool in_shadow)
{
    struct model_missed *missed = &plain->missed[cache->level];
    uint64_t number = address / cache->spec.line_bytes, start = number * cache->spec.line_bytes;
    struct plain_left left = cache->left[number];
    *missed = (struct model_missed){.evictor_thread = MODEL_NONE, .evictor = {MODEL_NONE, 0}};
    if (!plain->spec.causes)
        return;
    if (!any(plain->referenced, start, cache->spec.line_bytes)) {
        missed->cause = MODEL_FIRST;
        return;
    }
    if (!cache->spec.shared && !any(plain->referenced_by[thread], start, cache->spec.line_bytes)) {
        missed->cause = MODEL_FIRST_HERE;
        return;
    }
    if (left.known) {
        missed->evictor = left.evictor;
        missed->evictor_thread = left.thread;
    }
    if (left.known && left.reason == MODEL_INVALIDATED)
        missed->cause = any(plain->written_since[thread], address, size) ? MODEL_INVALIDATED_TRUE
                                                                         : MODEL_INVALIDATED_FALSE;
    else
        missed->cause = in_shadow ? MODEL_CONFLICT : MODEL_CAPACITY;
}

static void plain_count_misses(struct plain *plain, struct model_who who, uint32_t levels_missed)
{
    for (uint32_t level = 0; level < plain->spec.level_count; level++) {
        const struct model_missed *missed = &plain->missed[level];
        if (!(levels_missed & 1u << level))
            continue;
        figures_miss(&plain->total[level], missed);
        figures_miss(&plain->of_ip[who.ip][level], missed);
    }
}

static void use_line(struct plain_line *line, uint32_t offset, uint32_t size, uint32_t kind,
                     uint32_t ip)
{
    int class = kind & MODEL_STORE ? (kind & MODEL_FLOAT ? MODEL_STORE_FLOAT : MODEL_STORE_INTEGER)
                                   : (kind & MODEL_FLOAT ? MODEL_LOAD_FLOAT : MODEL_LOAD_INTEGER);
    for (uint32_t i = offset; i < offset + size; i++) {
        line->touched[i] = 1;
        line->written[i] |= (kind & MODEL_STORE) != 0;
    }
    line->touched_bytes += size;
    line->uses[class]++;
    for (int i = 0; i < 8; i++)
        if (!line->user_uses[i] || line->user[i] == ip) {
            line->user[i] = ip;
            line->user_uses[i]++;
            break;
        }
}

/* An access is a use at each level that contains the line. */
static void plain_use(struct plain *plain, uint32_t thread, uint64_t address, uint32_t size,
                      uint32_t kind, uint32_t ip)
{
    uint64_t number = address / plain->spec.level[0].line_bytes;
    bool has_line = false;
    for (uint32_t level = 0; level < plain->spec.level_count; level++) {
        struct plain_cache *cache = plain_cache_of(plain, level, thread);
        struct plain_line *line = plain_find(cache, address / cache->spec.line_bytes);
        if (!line)
            continue;
        has_line |= !cache->spec.shared;
        use_line(line, (uint32_t)(address % cache->spec.line_bytes), size, kind, ip);
    }
    for (uint32_t i = 0; i < size; i++) {
        plain->referenced[address + i] = plain->referenced_by[thread][address + i] = true;
        for (uint32_t other = 0; other < PLAIN_THREADS && kind & MODEL_STORE; other++)
            plain->written_since[other][address + i] |=
                other != thread && plain->taken[other][number];
    }
    if (has_line)
        plain->taken[thread][number] = false;
}

static void touch(struct plain_cache *cache, const struct plain_line *line)
{
    uint32_t ways = cache->spec.ways, at = (uint32_t)(line - cache->lines), i = 0;
    uint32_t *order = cache->order + at / ways * ways;
    while (order[i] != at % ways)
        i++;
    memmove(order + i, order + i + 1, (ways - 1 - i) * sizeof *order);
    order[ways - 1] = at % ways;
}

static struct plain_line *place_for(struct plain *plain, struct plain_cache *cache, uint64_t number,
                                    struct model_who who)
{
    uint32_t set = (uint32_t)(number % cache->sets), ways = cache->spec.ways, way = 0;
    struct plain_line *lines = cache->lines + (size_t)set * ways;
    while (way < ways && lines[way].valid)
        way++;
    if (way < ways)
        return &lines[way];
    way = cache->order[set * ways];
    plain_depart(plain, cache, &lines[way], who, MODEL_REPLACED);
    return &lines[way];
}

static struct plain_line *fill(struct plain *plain, struct plain_cache *cache, uint64_t number,
                               struct model_who who)
{
    struct plain_line *line = place_for(plain, cache, number, who);
    *line = (struct plain_line){.number = number, .fetched = who, .valid = true};
    touch(cache, line);
    return line;
}

static bool touch_shadow(struct plain_cache *cache, uint64_t number)
{
    uint32_t lines = cache->sets * cache->spec.ways, i = 0;
    while (i < cache->shadow_count && cache->shadow[i] != number)
        i++;
    bool valid = i < cache->shadow_count;
    if (valid)
        memmove(cache->shadow + i, cache->shadow + i + 1,
                (cache->shadow_count-- - i - 1) * sizeof *cache->shadow);
    cache->shadow[cache->shadow_count++] = number;
    if (cache->shadow_count > lines)
        memmove(cache->shadow, cache->shadow + 1, --cache->shadow_count * sizeof *cache->shadow);
    return valid;
}

struct walk {
    struct plain *plain;
    struct model_who who;
    uint32_t thread, kind, missed;
};

static bool look(struct walk *walk, uint32_t level, uint64_t address, uint32_t size)
{
    struct plain *plain = walk->plain;
    struct plain_cache *cache = plain_cache_of(plain, level, walk->thread);
    uint64_t number = address / cache->spec.line_bytes;
    struct plain_line *line = plain_find(cache, number);
    bool in_shadow = touch_shadow(cache, number);
    if (line) {
        touch(cache, line);
        return true;
    }
    if (!(walk->missed & 1u << level))
        plain_classify(plain, cache, walk->thread, address, size, in_shadow);
    walk->missed |= 1u << level;
    fill(plain, cache, number, walk->who);
    return false;
}

/* A store invalidates the line in the private levels of all other threads. */
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

/* Walks one level after the other, each for all lines. */
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
            all &= look(walk, plain->served, at, part_of(line_bytes, at, end));
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
    struct walk walk = {.plain = plain, .thread = thread, .kind = kind, .who = {.ip = ip}};
    plain->served = 0;
    plain->thread = thread;
    walk_by_levels(&walk, address, end);
    for (uint64_t at = address; at < end; at += part) {
        part = part_of(line_bytes, at, end);
        plain_use(plain, thread, at, part, kind, ip);
    }
    plain_count_misses(plain, walk.who, walk.missed);
    return plain->served;
}
