/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * resolve -> profile: what is known of the target's heap. Blocks are counted in bins, as
 * MemSpy does (section 5.2): a bin is a call path of allocations, or a size class for blocks
 * that were there before misstop came. The strings live until the resolver's next tick.
 */
#ifndef MISSTOP_HEAP_BIN_H
#define MISSTOP_HEAP_BIN_H

#include <stdbool.h>
#include <stdint.h>

/* Where the knowledge comes from. */
enum heap_feed {
    HEAP_FEED_NONE,
    HEAP_FEED_AGENT, /* told of every allocation since the start */
    HEAP_FEED_WALK,  /* the allocator's own headers, read from outside */
};

/* Blocks below 32 bytes, from 32 to below 64, and so on by doubling; the last class has no bound. */
enum { HEAP_SIZES = 24 };

struct heap_bin {
    uint32_t id;               /* stays the same */
    uint32_t object;           /* object id of its blocks */
    const char *name;          /* short: the function that wanted the memory, or the user's name */
    const char *path;          /* full name, innermost first: "xmalloc < load < main"; NULL: not known */
    const char *const *site;   /* call path, innermost first: "function (file:line)" */
    uint32_t site_count;
    uint32_t type_id;          /* of its blocks, by what they are assigned to and by the code that
                                  touches them; 0: not known */
    const char *type;          /* its name as an object's; NULL: not known */
    bool walked;               /* a size class; requests, rates and lifetimes are not known */
    bool renamed;              /* the name is the user's */
    uint32_t combined;         /* call paths in it beyond the first */
    uint64_t live_blocks;
    uint64_t usable_bytes;     /* of live blocks */
    uint64_t requested_bytes;  /* of live blocks; 0 if walked */
    uint64_t allocations;      /* since the start */
    uint64_t frees;
    double allocations_per_s;  /* over the last refresh; NAN: not known, as the rest */
    double frees_per_s;
    double lifetime_s;         /* mean, of blocks freed */
    double age_s;              /* since its first allocation */
    double quiet_s;            /* since its last one */
    double growth_blocks;      /* since the mark */
    double growth_bytes;
    uint64_t sizes[HEAP_SIZES]; /* live blocks by usable size */
};

struct heap_summary {
    enum heap_feed feed;
    const char *source;       /* "agent", "walk of glibc malloc in libc.so.6" */
    const char *note;         /* why there is none, or what is not seen; NULL */
    uint64_t live_blocks;
    uint64_t usable_bytes;
    uint64_t requested_bytes; /* agent only */
    uint64_t lost;            /* events not seen */
    uint64_t failed;          /* lookups on the heap that gave no block */
    uint32_t bins;
    double mark_age_s;        /* NAN: no mark set yet */
};

#endif
