/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The decaying window: PMPT's time-ordered decaying hash table (Beu's thesis, 3.2.3, Figures 4 and
 * 5).
 *
 * One fixed array of entries is both the free list and the time-ordered list of active entries:
 * entries are allocated at the head and freed from the tail, the oldest. Entries are also linked in
 * chains by the hash of their address. A recurring address replaces the older entry in its chain,
 * so at most one entry is mapped per address; the older one stays active but unmapped, because
 * counting needs it. A full array frees its older half, so that every sample is compared with at
 * least half a table of older or newer samples.
 *
 * The thesis uses the miss address as the key. A cache misses whole lines, and two fields of one
 * line are one miss, so the key is address >> key_shift: 0 is the thesis exactly, and log2(line
 * size) is what profile uses for its analysis of sets and capacity. The exact address stays in the
 * entry. Nothing allocates after window_init().
 */
#ifndef MISSTOP_PROFILE_CACHE_WINDOW_H
#define MISSTOP_PROFILE_CACHE_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/hash.h"
#include "snapshot.h"

#define WINDOW_NONE UINT32_MAX

enum { WINDOW_ENTRIES_MIN = 16, WINDOW_ENTRIES_DEFAULT = 16384, WINDOW_ENTRIES_MAX = 1 << 24 };

struct window_entry {
    uint64_t time_ns;
    uint64_t address;
    uint64_t offset; /* into its instance */
    uint32_t object;
    uint32_t function;
    uint32_t tid;
    uint32_t set;
    uint32_t newer; /* links of the hash chain: towards its head */
    uint32_t older;
    uint32_t count; /* recurrence, after window_count(), in mapped entries */
    uint32_t type;  /* type accessed, if it has members; 0: none */
    uint32_t type_offset;
    uint16_t weight;  /* window_weight() */
    uint8_t size : 7; /* bytes accessed, 127 at most; 0: not known */
    bool is_stored_in_loop : 1;
    bool is_spinning : 1; /* as in struct access */
    bool is_spill_slot : 1;
    bool mapped : 1;
    bool is_pointer_chase : 1;
    bool line_was_accessed : 1;
    uint8_t per_line_log2 : 3;
};

struct window {
    struct window_entry *entries;
    uint32_t *chains; /* [chain_mask + 1]: index of the first entry of each chain */
    uint32_t chain_mask;
    uint32_t size;
    uint32_t head; /* next entry to allocate */
    uint32_t used; /* active entries: the `used` entries before head */
    unsigned key_shift;
    uint64_t added; /* since the window was last empty */
};

struct window_counts {
    uint64_t addresses; /* distinct keys */
    uint64_t singletons;
    uint64_t recurring;
    uint64_t doubles; /* keys seen exactly twice */
    uint64_t histogram[SNAPSHOT_RECURRENCE_BINS];
};

/* 0 entries: the default; other values are clamped to the limits. Returns 0 or -ENOMEM. */
int window_init(struct window *window, uint32_t entries, unsigned key_shift);
void window_fini(struct window *window);
void window_clear(struct window *window);

/* Adds a sample. Uses time, address, offset, object, function, tid, set, type, weight and size. */
void window_add(struct window *window, const struct window_entry *sample);

/* Prefetches the chain head of an address, ahead of window_add(). */
void window_prefetch(const struct window *window, uint64_t address);

/* Prefetches the first entry of the chain, after window_prefetch(). */
void window_prefetch_entry(const struct window *window, uint64_t address);

/* Returns the mapped entry of an address's key; NULL: not in the window. */
struct window_entry *window_find(const struct window *window, uint64_t address);

/* Returns the i-th active entry; 0 is the oldest. */
static inline struct window_entry *window_at(const struct window *window, uint32_t i)
{
    uint32_t index = window->head + window->size - window->used + i;
    return &window->entries[index >= window->size ? index - window->size : index];
}

/* The upper half of a float, with an error of 0.4 %, so that an entry fits in one cache line. */
static inline uint16_t window_pack_weight(double weight)
{
    float value = (float)weight;
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (uint16_t)((bits + 0x8000) >> 16);
}

static inline double window_weight(const struct window_entry *entry)
{
    uint32_t bits = (uint32_t)entry->weight << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

double window_mean_weight(const struct window *window, uint32_t newest);

/* Returns the weight of an entry as an integer number of parts, for counts in a hash. The entries
 * that `mean` was computed of have WINDOW_PARTS each, on average. */
enum { WINDOW_PARTS = 256 };

static inline uint32_t window_parts(const struct window_entry *entry, double mean)
{
    return (uint32_t)(window_weight(entry) * WINDOW_PARTS / mean + 0.5);
}

/* Counts the recurrence of each key in the window, and the totals. */
void window_count(struct window *window, struct window_counts *counts);

/*
 * Lines and objects that miss together (PMPT 3.1): candidates for being placed together. Two misses
 * are together if they are of one thread and at most COMISS_NEAR samples apart. A pair is reported
 * if it is seen clearly more often than in random order: at least COMISS_SUPPORT times and with a
 * lift of COMISS_LIFT. Uses the window after window_count(); keeps nothing between samples.
 */
enum { COMISS_NEAR = 4, COMISS_SUPPORT = 8, COMISS_PAIRS_MAX = 64, COMISS_THREADS = 256 };
#define COMISS_LIFT 2.0

struct comiss_pair {
    uint64_t line_a; /* 0 for pairs of objects */
    uint64_t line_b;
    uint32_t object_a;
    uint32_t object_b;
    uint32_t pair_count;
    double lift;
};

struct comiss {
    struct hash pairs;               /* (id, id) to number of times seen */
    struct hash objects;             /* object to samples in the window */
    uint32_t (*recent)[COMISS_NEAR]; /* [COMISS_THREADS]: window entries, newest first */
    struct comiss_pair found[COMISS_PAIRS_MAX];
    size_t found_count;
};

/* Returns 0 or -ENOMEM. */
int comiss_init(struct comiss *comiss);
void comiss_fini(struct comiss *comiss);

/* Fills `found`: lines first, then objects, highest `pair_count` first in each. */
void comiss_find(struct comiss *comiss, const struct window *window);

#endif
