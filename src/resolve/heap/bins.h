/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Heap bins (MemSpy 5.2): a common property of heap blocks: the call path that allocated them.
 * Walked blocks have none: they are binned by size class (walked_heap.h). Each bin keeps the
 * statistics of its blocks in constant time per malloc and free.
 *
 * The bins are fed together with the block index: bins_born() for each block that blocks_add()
 * took, bins_died() for each that went (removed, displaced, unmapped), always with the block as the
 * index handed it out. The profile reads statistics and names. Ids are dense from 1; 1 is the rest:
 * paths that are not known, or that came when the table was full, because the target decides how
 * many there are.
 *
 * Bins are counted singly and grouped by name when read, so that combining them (bin_rules.h) can
 * be undone.
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
    BINS_DEPTH_MAX = 128, /* frames of a path that are kept, from the innermost */
    BINS_MOST_DEFAULT = 1 << 16,
};

/* The innermost "return address" of a path that made a mapping, which is no allocation, and the
 * namer's name for it. */
#define BINS_MAPPING      UINT64_C(2)
#define BINS_MAPPING_NAME "mmap"

struct bin_stats {
    uint64_t live_blocks;
    uint64_t live_usable_bytes;
    uint64_t live_requested_bytes; /* the rest of the usable ones is waste */
    uint64_t allocations;          /* seen since the start */
    uint64_t frees;
    uint64_t lifetime_sum_ns; /* of the freed blocks with a known birth: */
    uint64_t lifetime_count;
    uint64_t first_ns; /* allocations; 0: none seen */
    uint64_t last_ns;
    uint64_t mark_blocks; /* live at the mark, 0 if there was none; see bins_mark() */
    uint64_t mark_usable_bytes;
    double allocations_per_s; /* between the last two ticks; NAN: no two yet */
    double frees_per_s;
    uint64_t sizes[HEAP_SIZES]; /* live blocks by usable bytes */
};

struct bin {
    struct bin_stats stats;
    char *full_name;  /* "malloc < xmalloc < main"; NULL: not named yet */
    char *short_name; /* "function file:line"; NULL: not named yet */
    char *new_name;   /* by the rules, or NULL */
    uint64_t path_at; /* see bins_path() */
    uint16_t depth;
    uint32_t type; /* of its blocks, by what they are assigned to; 0: not known */
    uint32_t lead; /* the bin that represents the group; its own id when alone */
    uint32_t next; /* another bin of the group, from the lead on; 0: the last */
    bool deals;    /* of mappings that have blocks in them (allocations.c) */
    /* For bins.c. */
    uint64_t tick_allocations; /* as they were at the last tick */
    uint64_t tick_frees;
    uint64_t full_name_hash;
    bool unsure;        /* the short name may become better */
    uint32_t next_same; /* of the same hash of paths */
};

struct bins;

static inline const char *bin_name(const struct bin *bin)
{
    return bin->new_name ? bin->new_name : bin->short_name;
}

/* At most `most` bins, 0: the default; brought below BLOCKS_BINS_END. -ENOMEM. */
int bins_new(struct bins **bins, uint32_t most);
void bins_free(struct bins *bins);

/* The bin of a path (return addresses, innermost first); made if there is none. */
uint32_t bins_of_path(struct bins *bins, const uint64_t *path, unsigned depth);

/* Unknown bins are ignored: a block may have none (0). */
void bins_born(struct bins *bins, const struct block *block, uint64_t now_ns);
void bins_died(struct bins *bins, const struct block *block, uint64_t now_ns);

/* Once per refresh: rates are of the time between two. Times that do not advance are ignored. */
void bins_tick(struct bins *bins, uint64_t now_ns);

/* Growth is counted from here: live now minus live at the mark. */
void bins_mark(struct bins *bins, uint64_t now_ns);
uint64_t bins_mark_ns(const struct bins *bins); /* 0: never marked */

uint32_t bins_count(const struct bins *bins); /* the highest id */

/* NULL: no such bin. It and its path, of return addresses from the innermost out, are valid until
 * the next one is made. */
struct bin *bins_at(const struct bins *bins, uint32_t id);
const uint64_t *bins_path(const struct bins *bins, const struct bin *bin);

/* Sums over the group that the bin leads. false: no such bin. */
bool bins_stats(const struct bins *bins, uint32_t lead, struct bin_stats *stats);

/* Class of a histogram (HEAP_SIZES) that a size falls into. */
unsigned bins_size_class(uint64_t bytes);

/*
 * Name and source line of an address of code. Strings may be NULL, are printable, and are valid
 * until the next call. false: not known. A line of BINS_LINE_LATER: file and line are not known
 * yet, ask again.
 */
#define BINS_LINE_LATER UINT32_MAX
typedef bool bins_namer(void *context, uint64_t address, const char **function, const char **module,
                        const char **file, uint32_t *line);

/*
 * The variable that a call's result is assigned to, as "type.variable", by the return address; NULL
 * in place of it, or -ENOENT: not known; -EAGAIN: not known yet. It is the better short name.
 * *type: the allocated type, by the variable's type; 0: not known.
 */
typedef int bins_assigned(void *context, uint64_t return_address, char *out, size_t out_size,
                          uint32_t *type);

/* Answers that were to come may be there: the next bins_update_names() asks again for them. */
void bins_ask_again(struct bins *bins);

/*
 * Names the bins that have no name yet, or one that can be made better now, then groups and renames
 * all by the rules. Symbols are asked for at the return address minus 1: that is inside the call.
 * -ENOMEM.
 */
int bins_update_names(struct bins *bins, struct wrappers *wrappers, const struct bin_rules *rules,
                      bins_namer *namer, bins_assigned *assigned, void *context);

/* Groups and renames by changed rules; the rules are not kept. -ENOMEM: partly done. */
int bins_regroup(struct bins *bins, const struct bin_rules *rules);

/* NAN: no birth of a freed block was known. */
double bin_stats_lifetime_ns(const struct bin_stats *stats);

/* Adds those of other blocks. */
void bin_stats_add(struct bin_stats *sum, const struct bin_stats *more);

/* Growth is counted from here. */
void bin_stats_mark(struct bin_stats *stats);

/* As others see them, at a time; `marked`: growth is counted. */
void bin_stats_show(const struct bin_stats *stats, uint64_t now_ns, bool marked,
                    struct heap_bin *bin);

#endif
