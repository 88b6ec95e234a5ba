/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The n-way search of Buck and Hollingsworth (section 2.2) over the stream of samples. It sees
 * addresses only through n region counters (base, bound) and one counter of all misses, as with
 * such counters in hardware.
 *
 * After each interval the measured shares go into the queue. The best regions of the queue are
 * split, with one counter for each half, and regions of one object are measured again, until the n
 * counters are used (n/2 splits if nothing is found yet). Inside one object the search follows
 * other rules (search.c).
 */
#ifndef MISSTOP_PROFILE_CACHE_SEARCH_H
#define MISSTOP_PROFILE_CACHE_SEARCH_H

#include "place.h"
#include "snapshot.h"

/* A region of the n-way search: its contents, and whether and where it can be split. Owned by
 * search.c and its queue. */
enum { SEARCH_PAGE = 4096, SEARCH_OPEN_BYTES = 16 * SEARCH_PAGE };

struct region {
    uint64_t base;
    uint64_t bound;
    double weight;    /* counter of the current interval */
    uint64_t samples; /* counter in samples */
    double hits;      /* weight in all its measurements */
    double total;     /* all misses in those intervals */
    double total_samples;
    double share; /* hits / total; regions rank by it */
    uint32_t iterations;
    uint32_t depth;
    uint32_t parent;        /* number of the split that made it: both halves have the same */
    uint32_t object;        /* the only object in it; 0: none or several */
    uint32_t zero_rounds;   /* intervals for which it was kept without a miss */
    double selection_share; /* share for which it, or its parent, was selected; 0: never */
    enum region_state state;
    bool final;              /* one object, or one line: not split */
    bool is_searched_inside; /* part of one object that is searched inside */
    enum region_reason reason;
};

static inline uint64_t region_size(const struct region *region)
{
    return region->bound - region->base;
}

/* The search's priority queue: measured regions, the highest share first. Bounded: a full queue
 * evicts the region with the smallest share. */
enum { SEARCH_QUEUE_MAX = 512 };

struct search_queue {
    struct region at[SEARCH_QUEUE_MAX]; /* by share, descending */
    size_t count;
};

enum { SEARCH_WAYS_MAX = 64, SEARCH_DROPPED = 32, SEARCH_NAME_BYTES = 128 };

/* Misses of the regions in the counters since the last check of a settled search. */
struct search_recheck {
    double hits;
    double expected; /* expected from the shares with which they were found */
    double total;    /* all misses */
    double samples;
    uint64_t lasted_ns;
};

enum { SEARCH_PIECES = 8, SEARCH_RECENT = 2048 };

/* A range inside one object that is measured in pieces, to find out whether one is hotter. */
struct search_frame {
    struct region whole;
    struct region pieces[SEARCH_PIECES];
    uint32_t count; /* number of pieces; 0: no range is being measured */
    uint32_t rounds;
};

struct search {
    struct place_names names;
    uint64_t base;
    uint64_t bound;
    uint64_t interval_ns; /* length of the last interval */
    uint64_t shortest_ns; /* minimum length; regions kept without a miss raise it */
    uint64_t started_ns;  /* start of the current interval */
    double all_weight;    /* counter of all misses, this interval */
    uint64_t all_samples;
    struct region active[SEARCH_WAYS_MAX]; /* sorted by base */
    uint32_t active_count;
    uint32_t ways;        /* requested number of ways */
    uint32_t ways_active; /* fewer while samples are rare */
    uint32_t iteration;
    uint32_t rounds; /* iterations that contributed to the queue */
    uint32_t restarts;
    uint32_t splits;
    uint32_t line_bytes;
    struct search_recheck recheck;
    enum search_state state;
    bool is_in_one_object; /* the range is within one object */
    char range_name[SEARCH_NAME_BYTES];
    struct search_frame frame;
    /* Ring buffer of the newest samples in the range. A region with a new counter is first measured
     * on them; otherwise each step of the search would wait for some hundred new samples. */
    uint64_t recent_address[SEARCH_RECENT];
    float recent_weight[SEARCH_RECENT];
    uint64_t recent_count; /* total number */
    struct search_queue queue;
    struct region dropped[SEARCH_DROPPED]; /* newest first */
    uint32_t dropped_count;
};

void search_init(struct search *search, const struct place_names *names, uint32_t ways,
                 uint32_t line_bytes);
void search_start(struct search *search, uint64_t base, uint64_t bound, const char *what,
                  uint64_t now_ns);
void search_stop(struct search *search);

/* Restarts the search from scratch: earlier measurements no longer apply. */
void search_restart(struct search *search, uint64_t now_ns);

/* Resets the counters of the current regions, after the search was paused. */
void search_measure_again(struct search *search, uint64_t now_ns);

/* Ends the interval if it is long enough and has enough samples; otherwise returns quickly. */
void search_tick(struct search *search, uint64_t now_ns);

static inline void search_count(struct search *search, uint64_t address, double weight)
{
    if (search->state == SEARCH_OFF || address < search->base || address >= search->bound)
        return;
    search->all_weight += weight;
    search->all_samples++;
    search->recent_address[search->recent_count % SEARCH_RECENT] = address;
    search->recent_weight[search->recent_count++ % SEARCH_RECENT] = (float)weight;
    uint32_t low = 0;
    uint32_t high = search->active_count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (search->active[middle].bound <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < search->active_count && search->active[low].base <= address) {
        search->active[low].weight += weight;
        search->active[low].samples++;
    }
}

/* Returns the share of the misses in the regions found. */
double search_explained(const struct search *search);

#endif
