/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A candidate for the index of heap blocks (resolve/heap/blocks.h): the chosen one and its
 * competitors. For bench_blocks, which times them, and test_blocks, which compares each with a
 * model, so that no figure comes from an index that is wrong.
 */
#ifndef MISSTOP_TESTS_BLOCKS_CANDIDATE_H
#define MISSTOP_TESTS_BLOCKS_CANDIDATE_H

#include <stdio.h>

#include "resolve/heap/blocks.h"

/* Returns the private writable bytes of the process: proc(5), statm, "data". */
static inline uint64_t data_bytes(void)
{
    unsigned long pages = 0;
    FILE *statm = fopen("/proc/self/statm", "re");
    if (!statm || fscanf(statm, "%*u %*u %*u %*u %*u %lu", &pages) != 1)
        pages = 0;
    if (statm)
        fclose(statm);
    return (uint64_t)pages * 4096;
}

static inline uint64_t blocks_count(const struct blocks *blocks)
{
    struct block found = {.start = 0};
    uint64_t count = 0;
    for (uint64_t at = 0; blocks_next(blocks, at, &found); at = found.start + 1)
        count++;
    return count;
}

struct candidate {
    const char *name;
    const char *what;
    void *(*new)(void); /* NULL: no memory */
    void (*free)(void *index);
    /* Same as the functions of blocks.h; only the chosen one has bounds and counts. */
    int (*add)(void *index, const struct block *block);
    bool (*remove)(void *index, uint64_t start, struct block *gone);
    bool (*find)(const void *index, uint64_t address, struct block *found);
    bool (*next)(const void *index, uint64_t address, struct block *found);
    bool (*previous)(const void *index, uint64_t address, struct block *found);
    uint64_t (*memory_bytes)(const void *index);
};

extern const struct candidate candidate_radix;
extern const struct candidate candidate_btree;
extern const struct candidate candidate_runs;
extern const struct candidate candidate_redblack;

#endif
