/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the plain model counts, and what it remembers of lines that left. */
#include "model_plain.h"

static uint64_t ones(const uint8_t *bytes, uint32_t count)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += bytes[i] != 0;
    return sum;
}

/* Lines longer than 64 bytes are told by 64ths. */
static uint64_t used_bytes(const struct plain_line *line, uint32_t line_bytes)
{
    uint32_t grain = line_bytes > 64 ? line_bytes / 64 : 1;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < line_bytes; i += grain)
        sum += ones(line->touched + i, grain) ? grain : 0;
    return sum;
}

static void count_line(struct model_figures *figures, const struct plain_line *line,
                       uint32_t line_bytes)
{
    figures->fetched += !line->ahead;
    figures->prefetched += line->ahead;
    figures->prefetched_unused += line->waiting;
    figures->used_bytes += used_bytes(line, line_bytes);
    figures->touched_bytes += line->touched_bytes;
    figures->written_back += ones(line->written, line_bytes) != 0;
    for (int i = 0; i < MODEL_USE_CLASSES; i++)
        figures->uses[i] += line->uses[i];
}

static void leave_above(struct plain *plain, struct plain_cache *cache, struct plain_line *line,
                        struct model_who who)
{
    for (uint32_t level = 0; level < cache->level; level++)
        for (uint32_t thread = 0; thread < PLAIN_THREADS; thread++) {
            struct plain_cache *above = &plain->caches[level][thread];
            if (!cache->spec.shared && thread != cache->thread)
                continue;
            for (uint32_t i = 0; i < above->sets * above->spec.ways; i++)
                if (above->lines[i].there &&
                    above->lines[i].number * above->spec.line_bytes / cache->spec.line_bytes ==
                        line->number)
                    plain_depart(plain, above, &above->lines[i], who, MODEL_INCLUDED);
        }
}

void plain_depart(struct plain *plain, struct plain_cache *cache, struct plain_line *line,
                  struct model_who who, enum model_reason reason)
{
    uint32_t level = cache->level, ip = line->fetched.ip;
    if (cache->spec.inclusive && (reason == MODEL_REPLACED || reason == MODEL_INCLUDED))
        leave_above(plain, cache, line, who);
    count_line(&plain->total[level], line, cache->spec.line_bytes);
    count_line(&plain->of_ip[ip][level], line, cache->spec.line_bytes);
    count_line(&plain->of_bin[line->fetched.bin][level], line, cache->spec.line_bytes);
    for (int i = 0; i < 8 && line->user_uses[i] && plain->spec.users_one_in; i++)
        plain->pairs[MODEL_IP_USED_BY_IP][level][ip][line->user[i]] += line->user_uses[i];
    if (reason != MODEL_END)
        cache->left[line->number] = (struct plain_left){true, reason, who, plain->thread};
    if (plain->spec.causes && (reason == MODEL_REPLACED || reason == MODEL_INCLUDED))
        plain->pairs[MODEL_IP_EVICTED_BY_IP][level][ip][who.ip]++;
    line->there = false;
}

static bool any(const bool *flags, uint64_t first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (flags[first + i])
            return true;
    return false;
}

void plain_classify(struct plain *plain, struct plain_cache *cache, uint32_t thread,
                    uint64_t address, uint32_t size, bool in_shadow)
{
    struct model_missed *missed = &plain->missed[cache->level];
    uint64_t number = address / cache->spec.line_bytes, start = number * cache->spec.line_bytes;
    struct plain_left left = cache->left[number];
    *missed =
        (struct model_missed){.evictor_thread = MODEL_NONE, .evictor = {MODEL_NONE, MODEL_NONE, 0}};
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
    else if (left.known && left.reason == MODEL_INCLUDED)
        missed->cause = MODEL_INCLUSION;
    else
        missed->cause = in_shadow ? MODEL_CONFLICT : MODEL_CAPACITY;
}

static void count_miss(struct model_figures *figures, const struct model_missed *missed,
                       uint32_t bin)
{
    bool by_another_thread =
        missed->cause == MODEL_INVALIDATED_TRUE || missed->cause == MODEL_INVALIDATED_FALSE;
    figures->misses++;
    figures->causes[missed->cause]++;
    if (missed->evictor.bin != MODEL_NONE && !by_another_thread) {
        figures->evicted_by_same += missed->evictor.bin == bin;
        figures->evicted_by_other += missed->evictor.bin != bin;
    }
}

void plain_count_misses(struct plain *plain, struct model_who who, uint32_t levels_missed)
{
    for (uint32_t level = 0; level < plain->spec.level_count; level++) {
        const struct model_missed *missed = &plain->missed[level];
        if (!(levels_missed & 1u << level))
            continue;
        count_miss(&plain->total[level], missed, who.bin);
        count_miss(&plain->of_ip[who.ip][level], missed, who.bin);
        count_miss(&plain->of_bin[who.bin][level], missed, who.bin);
        if (missed->evictor.bin != MODEL_NONE &&
            (missed->cause == MODEL_INCLUSION || missed->cause == MODEL_CONFLICT ||
             missed->cause == MODEL_CAPACITY))
            plain->pairs[MODEL_BIN_EVICTED_BY_BIN][level][who.bin][missed->evictor.bin]++;
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

/* An access is a use at each level that has the line. */
void plain_use(struct plain *plain, uint32_t thread, uint64_t address, uint32_t size, uint32_t kind,
               uint32_t ip)
{
    uint64_t number = address / plain->spec.level[0].line_bytes;
    bool here = false;
    for (uint32_t level = 0; level < plain->spec.level_count; level++) {
        struct plain_cache *cache = plain_cache_of(plain, level, thread);
        struct plain_line *line = plain_find(cache, address / cache->spec.line_bytes);
        if (!line)
            continue;
        here |= !cache->spec.shared;
        use_line(line, (uint32_t)(address % cache->spec.line_bytes), size, kind, ip);
    }
    for (uint32_t i = 0; i < size; i++) {
        plain->referenced[address + i] = plain->referenced_by[thread][address + i] = true;
        for (uint32_t other = 0; other < PLAIN_THREADS && kind & MODEL_STORE; other++)
            plain->written_since[other][address + i] |=
                other != thread && plain->taken[other][number];
    }
    if (here)
        plain->taken[thread][number] = false;
}
