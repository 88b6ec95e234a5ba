/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The n-way search of Buck and Hollingsworth (section 2.2) over the stream of samples.
 * It sees addresses only through n region counters (base, bound) and one counter of all
 * misses, as it would with such counters in hardware.
 *
 * Each interval: shares into the queue; the best of the queue are split, one counter for
 * each half, and regions of one object are measured again, until the n counters are used
 * (n/2 splits where nothing is found yet). Inside one object it goes on by other rules
 * (search.c).
 */
#ifndef MISSTOP_PROFILE_CACHE_SEARCH_H
#define MISSTOP_PROFILE_CACHE_SEARCH_H

#include "place.h"
#include "snapshot.h"

/*
 * A region of the n-way search: what it holds, whether and where it is split.
 * Owned by search.c and its queue.
 */
enum { SEARCH_PAGE = 4096, SEARCH_OPEN_BYTES = 16 * SEARCH_PAGE };

struct region {
    uint64_t base;
    uint64_t bound;
    double weight;    /* counter of the running interval */
    uint64_t samples; /* the same, in samples */
    double hits;      /* weight over all its measurements */
    double total;     /* all misses during them */
    double total_samples;
    double share; /* hits / total; regions rank by it */
    uint32_t iterations;
    uint32_t depth;
    uint32_t parent;      /* splits have numbers: halves of one split share theirs */
    uint32_t object;      /* the only object it holds; 0: none or several */
    uint32_t zero_rounds; /* intervals it was kept without a miss */
    double ranked_share;  /* share for which it, or its parent, was chosen; 0: never */
    enum region_state state;
    bool final; /* one object, or one line: not split */
    bool open;  /* part of one object that is searched inside */
    enum region_reason reason;
};

static inline uint64_t region_size(const struct region *region)
{
    return region->bound - region->base;
}

/* The search's priority queue: measured regions, the highest share first. Bounded: when it
 * is full the region with the smallest share gives way. */
enum { SEARCH_QUEUE_MAX = 512 };

struct search_queue {
    struct region at[SEARCH_QUEUE_MAX]; /* by share, descending */
    size_t count;
};

enum { SEARCH_WAYS_MAX = 64, SEARCH_DROPPED = 32, SEARCH_WHAT = 128 };

/* Settled: what the regions in the counters had, since it was last judged. */
struct search_judged {
    double hits;
    double expected; /* by the shares they had been found with */
    double total;    /* all misses */
    double samples;
    uint64_t lasted_ns;
};

enum { SEARCH_PIECES = 8, SEARCH_RECENT = 2048 };

/* A range inside one object that is measured in pieces, until it is known whether one is hotter. */
struct search_frame {
    struct region whole;
    struct region pieces[SEARCH_PIECES];
    uint32_t count; /* of pieces; 0: there is no such range now */
    uint32_t rounds;
};

struct search {
    struct place_names names;
    uint64_t base;
    uint64_t bound;
    uint64_t interval_ns; /* the last one took */
    uint64_t shortest_ns; /* an interval takes at least; kept regions raise it */
    uint64_t started_ns;  /* of the running interval */
    double all_weight;    /* the counter of all misses, this interval */
    uint64_t all_samples;
    struct region active[SEARCH_WAYS_MAX]; /* by base */
    uint32_t active_count;
    uint32_t ways;     /* asked for */
    uint32_t ways_now; /* fewer while samples are rare */
    uint32_t iteration;
    uint32_t rounds; /* iterations that the entries of the queue are made of */
    uint32_t restarts;
    uint32_t splits;
    uint32_t line_bytes;
    struct search_judged judged;
    enum search_state state;
    bool inside; /* the range is within one object */
    char what[SEARCH_WHAT];
    struct search_frame frame;
    /* The newest samples in the range, a ring: a region that gets a counter for the first time is
     * counted in them too, or each step of the search would wait for some hundred new ones. */
    uint64_t recent_address[SEARCH_RECENT];
    float recent_weight[SEARCH_RECENT];
    uint64_t recent_count; /* ever written */
    struct search_queue queue;
    struct region dropped[SEARCH_DROPPED]; /* newest first */
    uint32_t dropped_count;
};

void search_init(struct search *search, const struct place_names *names, uint32_t ways,
                 uint32_t line_bytes);
void search_start(struct search *search, uint64_t base, uint64_t bound, const char *what,
                  uint64_t now_ns);
void search_stop(struct search *search);

/* The same search from its beginning: nothing that was measured so far is true any more. */
void search_anew(struct search *search, uint64_t now_ns);

/* Counts begin anew, for the regions it has: it was away for a while. */
void search_measure_again(struct search *search, uint64_t now_ns);

/* Ends the interval if it is long enough and has enough samples. Cheap otherwise. */
void search_tick(struct search *search, uint64_t now_ns);

/* Counts one miss. */
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

/* Share of the misses that the regions found account for. */
double search_explained(const struct search *search);

#endif
