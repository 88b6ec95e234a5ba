/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Heap bins (MemSpy 5.2): a bin collects the heap blocks that were allocated by the same call path.
 * Walked blocks have no call path; they are binned by size class (walked_heap.h). Each bin
 * maintains the statistics of its blocks in constant time per malloc and free.
 *
 * The bins are updated together with the block index: bins_count_alloc() for each block that
 * blocks_add() accepted, bins_count_free() for each block that was removed, displaced or unmapped,
 * always with the block as the index returned it. The profile reads statistics and names.
 *
 * Ids are dense from 1. Bin 1 collects the blocks with an unknown path, or a path that was new when
 * the table was full: the target decides how many paths there are.
 *
 * Each bin is counted separately and grouped by name when read, so that combining bins
 * (bin_rules.h) can be undone.
 */
#ifndef MISSTOP_RESOLVE_HEAP_BINS_H
#define MISSTOP_RESOLVE_HEAP_BINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "place.h"
#include "resolve/heap/bin_rules.h"
#include "resolve/heap/blocks.h"

enum {
    BINS_REST = 1,
    BINS_DEPTH_MAX = 128, /* frames kept per path, from the innermost */
    BINS_MAX_DEFAULT = 1 << 16,
};

/* The innermost "return address" of a path that made a mapping instead of an allocation, and the
 * namer's name for it. */
#define BINS_MAPPING      UINT64_C(2)
#define BINS_MAPPING_NAME "mmap"

struct bin_stats {
    uint64_t live_blocks;
    uint64_t live_usable_bytes;
    uint64_t live_requested_bytes; /* the difference to the usable bytes is waste */
    uint64_t allocations;          /* number since the start */
    uint64_t frees;
    uint64_t lifetime_sum_ns; /* of the freed blocks with a known birth */
    uint64_t lifetime_count;
    uint64_t first_ns; /* first allocation; 0: none seen */
    uint64_t last_ns;
    uint64_t mark_blocks; /* live at the mark, 0 if there is no mark; see bins_mark() */
    uint64_t mark_usable_bytes;
    double allocations_per_s; /* between the last two ticks; NAN: fewer than two ticks */
    double frees_per_s;
    uint64_t sizes[HEAP_SIZES]; /* live blocks by usable bytes */
};

struct bin {
    struct bin_stats stats;
    char *full_name;  /* "malloc < xmalloc < main"; NULL: not named yet */
    char *short_name; /* "function file:line"; NULL: not named yet */
    char *new_name;   /* from the rules; NULL: none */
    uint64_t path_at; /* argument of bins_path() */
    uint16_t depth;
    uint32_t type; /* type of its blocks, from the variables they are assigned to; 0: not known */
    uint32_t lead_bin;         /* the bin that represents the group; its own id if it is alone */
    uint32_t next;             /* next bin of the group, starting at the lead; 0: the last */
    bool is_of_allocator;      /* of mappings that have blocks in them (allocations.c) */
    uint64_t tick_allocations; /* values at the last tick */
    uint64_t tick_frees;
    uint64_t full_name_hash;
    bool name_may_improve;
    uint32_t next_same_hash; /* next bin with the same hash of the path */
};

struct bins;

static inline const char *bin_name(const struct bin *bin)
{
    return bin->new_name ? bin->new_name : bin->short_name;
}

/* Makes a table of at most `most` bins (0: the default), limited to BLOCKS_BINS_END. -ENOMEM. */
int bins_new(struct bins **bins, uint32_t most);
void bins_free(struct bins *bins);

/* Returns the bin of a path (return addresses, innermost first), made if there is none. */
uint32_t bins_of_path(struct bins *bins, const uint64_t *path, unsigned depth);

/* Add and remove a block. Unknown bins are ignored: a block may have no bin (0). */
void bins_count_alloc(struct bins *bins, const struct block *block, uint64_t now_ns);
void bins_count_free(struct bins *bins, const struct block *block, uint64_t now_ns);

/* Computes the rates; called once per refresh. Ignored if time has not advanced. */
void bins_tick(struct bins *bins, uint64_t now_ns);

/* Sets the mark from which growth of the live blocks is counted. */
void bins_mark(struct bins *bins, uint64_t now_ns);
uint64_t bins_mark_ns(const struct bins *bins); /* 0: never marked */

uint32_t bins_count(const struct bins *bins); /* the highest id */

/* Returns NULL if there is no such bin. The bin and its path (return addresses, innermost first)
 * are valid until another bin is made. */
struct bin *bins_at(const struct bins *bins, uint32_t id);
const uint64_t *bins_path(const struct bins *bins, const struct bin *bin);

/* Sums over the group that the bin leads. Returns false if there is no such bin. */
bool bins_stats(const struct bins *bins, uint32_t lead, struct bin_stats *stats);

/* Returns the histogram class (HEAP_SIZES) of a size. */
unsigned bins_size_class(uint64_t bytes);

/* Finds name and source line of a code address. Strings are NULL or printable, until the next call.
 * False: nothing is known. BINS_LINE_LATER: the line is not known yet, ask again. */
#define BINS_LINE_LATER UINT32_MAX
typedef bool bins_namer(void *context, uint64_t address, const char **function, const char **module,
                        const char **file, uint32_t *line);

/*
 * Names the variable that the result of a call is assigned to, "type.variable": the preferred short
 * name; "": the function returns the result as plain memory, so it is a wrapper of an allocator.
 * *type: the allocated type, from the type of the variable; 0: not known. -ENOENT, or NULL instead
 * of the callback: not known; -EAGAIN: not known yet.
 */
typedef int bins_assigned(void *context, uint64_t return_address, char *out, size_t out_size,
                          uint32_t *type);

/* Notes that pending answers may have arrived: the next bins_update_names() asks again. */
void bins_retry_names(struct bins *bins);

/* Names the bins that have no name yet or can get a better one now, then groups and renames all
 * bins by the rules. Looks symbols up at the return address minus 1, inside the call. -ENOMEM. */
int bins_update_names(struct bins *bins, struct wrappers *wrappers, const struct bin_rules *rules,
                      bins_namer *namer, bins_assigned *assigned, void *context);

/* Groups and renames all bins by changed rules; does not keep the rules. -ENOMEM: partly done. */
int bins_regroup(struct bins *bins, const struct bin_rules *rules);

/* Returns the mean lifetime; NAN: no freed block with a known birth. */
double bin_stats_lifetime_ns(const struct bin_stats *stats);

void bin_stats_add(struct bin_stats *sum, const struct bin_stats *more);

void bin_stats_mark(struct bin_stats *stats);

/* Fills the public view of the statistics at a time. `marked`: growth is counted. */
void bin_stats_show(const struct bin_stats *stats, uint64_t now_ns, bool marked,
                    struct heap_bin *bin);

#endif
