/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The live heap blocks of the target, by address: millions of them, looked up by any
 * address inside for every memory sample, changed for every malloc and free. Whoever feeds
 * it (agent, walk) adds and removes; the resolver looks up. One thread at a time.
 *
 * How it is built: address space is cut into pages of 2 KiB, each with the blocks
 * that start in it, and the pages are found through a radix tree (blocks.c). Chosen by
 * measurement: tests/bench/bench_blocks.c, which also prints the memory a block takes by
 * size: 21 bytes where they are small, but 70 from 2 KiB on, which have a page each, and 330
 * at 128 KiB, which are few.
 *
 * The target decides what comes in, so nothing here trusts it: memory has a hard bound, and
 * a block that cannot be is refused.
 */
#ifndef MISSTOP_RESOLVE_HEAP_BLOCKS_H
#define MISSTOP_RESOLVE_HEAP_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

/* Upper bound of user space on x86-64 with four levels of page tables. */
#define BLOCKS_ADDRESS_END         (UINT64_C(1) << 47)
#define BLOCKS_BOUND_DEFAULT_BYTES (UINT64_C(2) << 30)

enum { BLOCKS_ALIGN_BYTES = 8, BLOCKS_BINS_END = 1 << 20 };

/* Input and output. blocks.h describes the precision kept inside. */
struct block {
    uint64_t start; /* a multiple of BLOCKS_ALIGN_BYTES, not 0 */
    uint64_t usable_bytes;
    uint64_t requested_bytes; /* more than usable_bytes counts as the same */
    uint64_t born_ns;         /* CLOCK_MONOTONIC; 0: not known */
    uint32_t bin;             /* below BLOCKS_BINS_END */
};

struct blocks;

/* Called for each block that goes without its own blocks_remove(). Must not change the index. */
typedef void blocks_gone(void *context, const struct block *gone);

/* Memory bound in bytes; 0: the default. Brought into 2 MiB .. 8 GiB. -ENOMEM. */
int blocks_new(struct blocks **blocks, uint64_t bound_bytes);
void blocks_free(struct blocks *blocks);

/* Receives the blocks that a blocks_add() displaces; NULL: none. */
void blocks_on_displaced(struct blocks *blocks, blocks_gone *gone, void *context);

/*
 * A new block. Whatever it overlaps must be gone already (its free was lost): that is
 * removed and counted first, even where the block itself then finds no room.
 * -EINVAL: no block can be there (kernel address, end wraps, start unaligned or 0), or the
 * bin is too high.
 * -ENOMEM: the bound is reached; counted in blocks_refused().
 */
int blocks_add(struct blocks *blocks, const struct block *block);

/*
 * Begins to fetch what blocks_add() or blocks_remove() of these starts will read: a program frees
 * memory that it has not touched for long, and the fetches of many overlap. `count` at most
 * BLOCKS_PREFETCH_MAX; any starts will do.
 */
enum { BLOCKS_PREFETCH_MAX = 128 };
void blocks_prefetch(const struct blocks *blocks, const uint64_t *starts, unsigned count);

/* The block that starts there, into *gone unless that is NULL. false: no such start. */
bool blocks_remove(struct blocks *blocks, uint64_t start, struct block *gone);

/*
 * An munmap(): removes all blocks with start <= their start < end, from the highest down; reports
 * each to `gone` unless that is NULL. A block that only reaches into the range stays.
 */
void blocks_remove_range(struct blocks *blocks, uint64_t start, uint64_t end, blocks_gone *gone,
                         void *context);

/* The block that covers the address: its usable bytes, and its start even if it has none. */
bool blocks_find(const struct blocks *blocks, uint64_t address, struct block *found);

/* The first block that starts at or after the address; the last that starts before it. */
bool blocks_next(const struct blocks *blocks, uint64_t address, struct block *found);
bool blocks_previous(const struct blocks *blocks, uint64_t address, struct block *found);

/* Requested bytes as the index hands them out later. */
uint64_t blocks_kept_requested(const struct block *block);

uint64_t blocks_displaced(const struct blocks *blocks); /* lost frees found so far */
uint64_t blocks_refused(const struct blocks *blocks);   /* blocks that found no room */

/*
 * A heap block without its start, in 16 bytes: the payload of the block index (blocks.h).
 *
 * Kept exactly: usable size, bin. Waste (usable - requested) below 4 KiB exactly,
 * above it rounded down by less than a thousandth, 4 TiB at most. Birth in steps of 256 ns
 * from the first one seen, rounded down, for 26 days; earlier births become the first,
 * later ones the last that can be reported.
 */
enum { PACKED_SIZE_BITS = 47, PACKED_WASTE_BITS = 16, PACKED_BIN_BITS = 20, PACKED_BORN_SHIFT = 8 };

struct packed {
    uint64_t size; /* from bit 0: usable bytes; waste */
    uint64_t born; /* from bit 0: bin; steps since the epoch, plus 1, or 0: not known; bit 63 */
};

#define PACKED_DEAD (UINT64_C(1) << 63) /* in born: the block is freed */

struct packed packed_from(const struct block *block, uint64_t epoch_ns);
void packed_to(const struct packed *packed, uint64_t start, uint64_t epoch_ns, struct block *block);

static inline uint64_t packed_usable_bytes(const struct packed *packed)
{
    return packed->size & ((UINT64_C(1) << PACKED_SIZE_BITS) - 1);
}

/* Bytes that it covers: a block of no bytes still has the address it starts at. */
static inline uint64_t packed_extent_bytes(const struct packed *packed)
{
    uint64_t bytes = packed_usable_bytes(packed);
    return bytes ? bytes : 1;
}

#endif
