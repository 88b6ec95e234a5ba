/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Index of the target's live heap blocks by address. It holds millions of blocks, is searched by
 * any address inside a block for every memory sample, and changes with every malloc and free. The
 * agent's feed or the walk adds and removes blocks; the resolver looks them up. Single-threaded.
 *
 * Address space is divided into pages of 2 KiB, each with the blocks that start in it, and a radix
 * tree finds the pages (blocks.c). The design was chosen by measurement:
 * tests/bench/bench_blocks.c, which also prints the memory per block by size: 21 bytes for small
 * blocks, but 70 from 2 KiB on, because each block has its own page, and 330 at 128 KiB, where
 * blocks are few.
 *
 * The target controls the input, so none of it is trusted: memory has a hard bound, and impossible
 * blocks are refused.
 */
#ifndef MISSTOP_RESOLVE_HEAP_BLOCKS_H
#define MISSTOP_RESOLVE_HEAP_BLOCKS_H

#include <stdbool.h>
#include <stdint.h>

/* Upper bound of user space on x86-64 with four levels of page tables. */
#define BLOCKS_ADDRESS_END         (UINT64_C(1) << 47)
#define BLOCKS_BOUND_DEFAULT_BYTES (UINT64_C(2) << 30)

enum { BLOCKS_ALIGN_BYTES = 8, BLOCKS_BINS_END = 1 << 20 };

/* Input and output; see struct packed for the precision that the index keeps. */
struct block {
    uint64_t start; /* a multiple of BLOCKS_ALIGN_BYTES, not 0 */
    uint64_t usable_bytes;
    uint64_t requested_bytes; /* clamped to usable_bytes */
    uint64_t born_ns;         /* CLOCK_MONOTONIC; 0: not known */
    uint32_t bin;             /* below BLOCKS_BINS_END */
};

struct blocks;

/* Called for each block removed without its own blocks_remove(). Must not change the index. */
typedef void blocks_gone(void *context, const struct block *gone);

/* Makes an index. The memory bound (0: the default) is clamped to 2 MiB .. 8 GiB. -ENOMEM. */
int blocks_new(struct blocks **blocks, uint64_t bound_bytes);
void blocks_free(struct blocks *blocks);

/* Sets the callback for blocks that a blocks_add() displaces; NULL: none. */
void blocks_on_displaced(struct blocks *blocks, blocks_gone *gone, void *context);

/*
 * Adds a block. Blocks that it overlaps were freed without a record; they are removed and counted
 * first, even if the new block itself then finds no room. -EINVAL: impossible block (kernel
 * address, end wraps, start unaligned or 0), or the bin is too high. -ENOMEM: the bound is reached;
 * counted in blocks_refused().
 */
int blocks_add(struct blocks *blocks, const struct block *block);

/*
 * Prefetches the lines that blocks_add() or blocks_remove() of these starts will read. A program
 * often frees memory that it has not touched for long, so these reads miss the cache; prefetching
 * overlaps the misses. `count` is at most BLOCKS_PREFETCH_MAX; the starts need not be valid.
 */
enum { BLOCKS_PREFETCH_MAX = 128 };
void blocks_prefetch(const struct blocks *blocks, const uint64_t *starts, unsigned count);

/* Stores the block in *gone unless that is NULL. Returns false if no block starts there. */
bool blocks_remove(struct blocks *blocks, uint64_t start, struct block *gone);

/* Removes all blocks that start in [start, end), highest first, as for an munmap(). Reports each to
 * `gone` unless that is NULL. A block that only reaches into the range stays. */
void blocks_remove_range(struct blocks *blocks, uint64_t start, uint64_t end, blocks_gone *gone,
                         void *context);

/* Finds the block with the address in its usable bytes; a block of size 0 covers its start. */
bool blocks_find(const struct blocks *blocks, uint64_t address, struct block *found);

/* blocks_next() finds the first block that starts at or after the address, blocks_previous() the
 * last one that starts before it. */
bool blocks_next(const struct blocks *blocks, uint64_t address, struct block *found);
bool blocks_previous(const struct blocks *blocks, uint64_t address, struct block *found);

/* Returns the requested bytes as the index will return them later. */
uint64_t blocks_kept_requested(const struct block *block);

uint64_t blocks_displaced(const struct blocks *blocks); /* lost frees found so far */
uint64_t blocks_refused(const struct blocks *blocks);   /* blocks refused for lack of room */

/*
 * A heap block without its start, in 16 bytes: the payload of the block index (blocks.h).
 *
 * Usable size and bin are exact. Waste (usable - requested) is exact below 4 KiB; above, it is
 * rounded down by less than a thousandth, up to 4 TiB. Birth is rounded down to steps of 256 ns
 * since the first birth seen, for 26 days. Earlier births are clamped to the first, later ones to
 * the last that can be encoded.
 */
enum { PACKED_SIZE_BITS = 47, PACKED_WASTE_BITS = 16, PACKED_BIN_BITS = 20, PACKED_BORN_SHIFT = 8 };

struct packed {
    uint64_t size; /* from bit 0: usable bytes, then waste */
    uint64_t born; /* from bit 0: bin, 1 + steps since the epoch (0: not known), PACKED_DEAD */
};

#define PACKED_DEAD (UINT64_C(1) << 63) /* in `born`: the block is freed */

struct packed packed_from(const struct block *block, uint64_t epoch_ns);
void packed_to(const struct packed *packed, uint64_t start, uint64_t epoch_ns, struct block *block);

static inline uint64_t packed_usable_bytes(const struct packed *packed)
{
    return packed->size & ((UINT64_C(1) << PACKED_SIZE_BITS) - 1);
}

/* Returns the bytes that the block covers: a block of size 0 still covers its start. */
static inline uint64_t packed_extent_bytes(const struct packed *packed)
{
    uint64_t bytes = packed_usable_bytes(packed);
    return bytes ? bytes : 1;
}

#endif
