/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/cache/window.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"

/* An entry fits in one cache line. */
enum { WINDOW_LINE_BYTES = 64 };
_Static_assert(sizeof(struct window_entry) == WINDOW_LINE_BYTES, "entries do not cross lines");

static uint32_t round_up_to_power_of_two(uint32_t value)
{
    uint32_t power = 1;
    while (power < value)
        power *= 2;
    return power;
}

int window_init(struct window *window, uint32_t entries, unsigned key_shift)
{
    uint32_t size = entries ? entries : WINDOW_ENTRIES_DEFAULT;
    size = size < WINDOW_ENTRIES_MIN ? WINDOW_ENTRIES_MIN : size;
    size = size > WINDOW_ENTRIES_MAX ? WINDOW_ENTRIES_MAX : size;
    uint32_t chains =
        round_up_to_power_of_two(size) * 2; /* short chains: each step is a cache miss */
    *window = (struct window){.size = size, .chain_mask = chains - 1, .key_shift = key_shift};
    window->entries = aligned_alloc(WINDOW_LINE_BYTES, size * sizeof *window->entries);
    window->chains = malloc(chains * sizeof *window->chains);
    if (!window->entries || !window->chains) {
        window_fini(window);
        return -ENOMEM;
    }
    window_clear(window);
    return 0;
}

void window_fini(struct window *window)
{
    free(window->entries);
    free(window->chains);
    *window = (struct window){0};
}

void window_clear(struct window *window)
{
    memset(window->chains, 0xff, (window->chain_mask + 1ul) * sizeof *window->chains);
    window->head = 0;
    window->used = 0;
    window->added = 0;
}

static uint32_t *window_chain(const struct window *window, uint64_t address)
{
    return &window->chains[hash_mix(address >> window->key_shift) & window->chain_mask];
}

void window_prefetch(const struct window *window, uint64_t address)
{
    __builtin_prefetch(window_chain(window, address), 1);
}

void window_prefetch_entry(const struct window *window, uint64_t address)
{
    uint32_t first = *window_chain(window, address);
    if (first != WINDOW_NONE)
        __builtin_prefetch(&window->entries[first], 1);
}

static struct window_entry *find_in_chain(const struct window *window, const uint32_t *chain,
                                          uint64_t address)
{
    uint64_t key = address >> window->key_shift;
    uint32_t i = *chain;
    while (i != WINDOW_NONE && window->entries[i].address >> window->key_shift != key)
        i = window->entries[i].older;
    return i == WINDOW_NONE ? NULL : &window->entries[i];
}

struct window_entry *window_find(const struct window *window, uint64_t address)
{
    return find_in_chain(window, window_chain(window, address), address);
}

static void window_unmap(struct window *window, uint32_t *chain, struct window_entry *entry)
{
    if (entry->newer != WINDOW_NONE)
        window->entries[entry->newer].older = entry->older;
    else
        *chain = entry->older;
    if (entry->older != WINDOW_NONE)
        window->entries[entry->older].newer = entry->newer;
    entry->mapped = false;
}

static void window_free_older_half(struct window *window)
{
    uint32_t keep = window->used / 2;
    while (window->used > keep) {
        struct window_entry *tail = window_at(window, 0);
        if (tail->mapped)
            window_unmap(window, window_chain(window, tail->address), tail);
        window->used--;
    }
}

static void window_map(struct window *window, uint32_t *chain, uint32_t index)
{
    struct window_entry *entry = &window->entries[index];
    entry->newer = WINDOW_NONE;
    entry->older = *chain;
    entry->mapped = true;
    if (*chain != WINDOW_NONE)
        window->entries[*chain].newer = index;
    *chain = index;
}

void window_add(struct window *window, const struct window_entry *sample)
{
    if (window->used == window->size)
        window_free_older_half(window);
    uint32_t *chain = window_chain(window, sample->address);
    struct window_entry *before = find_in_chain(window, chain, sample->address);
    if (before)
        window_unmap(window, chain, before);
    uint32_t index = window->head;
    window->entries[index] = *sample;
    window->entries[index].count = 0;
    window_map(window, chain, index);
    window->head = index + 1 == window->size ? 0 : index + 1;
    window->used++;
    window->added++;
}

static unsigned recurrence_bin(uint32_t count)
{
    unsigned bin = 0;
    while (bin < SNAPSHOT_RECURRENCE_BINS - 1 && count > 1u << bin)
        bin++;
    return bin;
}

static void window_sum(const struct window *window, struct window_counts *counts)
{
    for (uint32_t i = 0; i < window->used; i++) {
        const struct window_entry *entry = window_at(window, i);
        if (!entry->mapped)
            continue;
        counts->addresses++;
        counts->singletons += entry->count == 1;
        counts->doubles += entry->count == 2;
        counts->recurring += entry->count > 1;
        counts->histogram[recurrence_bin(entry->count)]++;
    }
}

double window_mean_weight(const struct window *window, uint32_t newest)
{
    double sum = 0;
    for (uint32_t i = 0; i < newest; i++)
        sum += window_weight(window_at(window, window->used - newest + i));
    return sum > 0 ? sum / newest : 1;
}

void window_count(struct window *window, struct window_counts *counts)
{
    *counts = (struct window_counts){0};
    for (uint32_t i = 0; i < window->used; i++)
        window_at(window, i)->count = 0;
    for (uint32_t i = 0; i < window->used; i++)
        window_find(window, window_at(window, i)->address)->count++;
    window_sum(window, counts);
}

enum { HALF = COMISS_PAIRS_MAX / 2, PAIRS_LIMIT = 1 << 17 };

int comiss_init(struct comiss *comiss)
{
    *comiss = (struct comiss){0};
    comiss->recent = malloc(COMISS_THREADS * sizeof *comiss->recent);
    return comiss->recent ? 0 : -ENOMEM;
}

void comiss_fini(struct comiss *comiss)
{
    hash_fini(&comiss->pairs);
    hash_fini(&comiss->objects);
    free(comiss->recent);
    *comiss = (struct comiss){0};
}

/* Returns an element of a pair: the mapped entry of a line, or an object. Lines seen less often
 * than the support cannot form a pair. */
static uint32_t comiss_id(const struct window *window, const struct window_entry *entry, bool lines)
{
    if (!lines)
        return entry->object;
    const struct window_entry *mapped = window_find(window, entry->address);
    return mapped->count < COMISS_SUPPORT ? WINDOW_NONE : (uint32_t)(mapped - window->entries);
}

static void count_comiss_pair(struct comiss *comiss, uint32_t a, uint32_t b)
{
    uint32_t low = a < b ? a : b;
    uint32_t high = a < b ? b : a;
    uint64_t key = (uint64_t)low << 32 | high;
    if (comiss->pairs.count < PAIRS_LIMIT || hash_find(&comiss->pairs, key))
        hash_add(&comiss->pairs, key, 1);
}

static void count_pairs(struct comiss *comiss, const struct window *window, bool lines)
{
    hash_clear(&comiss->pairs);
    memset(comiss->recent, 0xff, COMISS_THREADS * sizeof *comiss->recent);
    for (uint32_t i = 0; i < window->used; i++) {
        const struct window_entry *entry = window_at(window, i);
        uint32_t id = comiss_id(window, entry, lines);
        uint32_t *recent = comiss->recent[hash_mix(entry->tid) % COMISS_THREADS];
        for (int k = 0; k < COMISS_NEAR; k++)
            if (id != WINDOW_NONE && recent[k] != WINDOW_NONE && recent[k] != id)
                count_comiss_pair(comiss, id, recent[k]);
        memmove(recent + 1, recent, (COMISS_NEAR - 1) * sizeof *recent);
        recent[0] = id;
    }
}

static void count_objects(struct comiss *comiss, const struct window *window)
{
    hash_clear(&comiss->objects);
    for (uint32_t i = 0; i < window->used; i++)
        hash_add(&comiss->objects, window_at(window, i)->object, 1);
}

static double samples_of(const struct comiss *comiss, const struct window *window, uint32_t id,
                         bool lines)
{
    if (lines)
        return window->entries[id].count;
    const uint32_t *count = hash_find(&comiss->objects, id);
    return count ? *count : 0;
}

static void check_comiss_pair(struct comiss *comiss, const struct window *window, size_t first,
                              const struct hash_slot *slot, bool lines)
{
    uint32_t a = (uint32_t)(slot->key >> 32);
    uint32_t b = (uint32_t)slot->key;
    double expected = 1.0 * COMISS_NEAR * 2 * samples_of(comiss, window, a, lines) *
                      samples_of(comiss, window, b, lines) / window->used;
    /* Five standard deviations: there are many pairs, and none should be reported by chance. */
    if (slot->value < COMISS_SUPPORT || slot->value < COMISS_LIFT * expected ||
        slot->value < expected + 5 * sqrt(expected))
        return;
    struct comiss_pair pair = {
        .object_a = a, .object_b = b, .pair_count = slot->value, .lift = slot->value / expected};
    if (lines) {
        uint64_t mask = ~UINT64_C(0) << window->key_shift;
        pair.line_a = window->entries[a].address & mask;
        pair.line_b = window->entries[b].address & mask;
        pair.object_a = window->entries[a].object;
        pair.object_b = window->entries[b].object;
    }
    size_t count = comiss->found_count - first;
    KEEP(comiss->found + first, &count, HALF, &pair, LARGEST(struct comiss_pair, pair_count),
         LARGEST(struct comiss_pair, lift), SMALLEST(struct comiss_pair, line_a),
         SMALLEST(struct comiss_pair, line_b));
    comiss->found_count = first + count;
}

static void find_comiss_pairs(struct comiss *comiss, const struct window *window, bool lines)
{
    size_t first = comiss->found_count;
    count_pairs(comiss, window, lines);
    const struct hash_slot *slot;
    for (size_t i = 0; (slot = hash_next(&comiss->pairs, &i));)
        check_comiss_pair(comiss, window, first, slot, lines);
}

void comiss_find(struct comiss *comiss, const struct window *window)
{
    comiss->found_count = 0;
    count_objects(comiss, window);
    find_comiss_pairs(comiss, window, true);
    find_comiss_pairs(comiss, window, false);
}
