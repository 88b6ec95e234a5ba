/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sorted runs, as in a log-structured merge tree: new blocks go into a short sorted run; a full run
 * is merged into the next one, which is eight times longer. A free marks its block dead in place;
 * merging drops dead blocks. A lookup searches every run. The longest merge is a pause that the
 * other candidates do not have.
 */
#include "resolve/heap/blocks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 10, FIRST_ROOM = 256, FACTOR_SHIFT = 3 };

/* Starts are multiples of 8, so bit 0 can mark a dead block. */
#define DEAD UINT64_C(1)

struct run {
    uint64_t *starts;
    struct packed *blocks;
    uint64_t count;
    uint64_t dead;
    uint64_t room;
};

struct index {
    struct run runs[RUNS];
};

/* Returns how many starts are <= address, including dead ones. */
static uint64_t run_rank(const struct run *run, uint64_t address)
{
    const uint64_t *base = run->starts;
    uint64_t left = run->count;
    if (!left)
        return 0;
    while (left > 1) {
        uint64_t half = left / 2;
        base = base[half] <= (address | DEAD) ? base + half : base;
        left -= half;
    }
    return (uint64_t)(base - run->starts) + (*base <= (address | DEAD));
}

static int run_reserve(struct run *run, uint64_t room)
{
    if (room <= run->room)
        return 0;
    uint64_t *starts = realloc(run->starts, room * sizeof *starts);
    if (starts)
        run->starts = starts;
    struct packed *blocks = realloc(run->blocks, room * sizeof *blocks);
    if (blocks)
        run->blocks = blocks;
    if (!starts || !blocks)
        return -ENOMEM;
    run->room = room;
    return 0;
}

static void run_fini(struct run *run)
{
    free(run->starts);
    free(run->blocks);
    *run = (struct run){0};
}

static void run_append(struct run *run, const struct run *from, uint64_t at)
{
    if (from->starts[at] & DEAD)
        return;
    run->starts[run->count] = from->starts[at];
    run->blocks[run->count++] = from->blocks[at];
}

/* Merges both into a new second run; the first is left empty. */
static int run_merge(struct run *first, struct run *second)
{
    struct run merged = {0};
    uint64_t room = first->count - first->dead + second->count - second->dead;
    if (run_reserve(&merged, room ? room : 1)) {
        run_fini(&merged);
        return -ENOMEM;
    }
    uint64_t i = 0;
    uint64_t j = 0;
    while (i < first->count || j < second->count)
        if (j == second->count || (i < first->count && first->starts[i] < second->starts[j]))
            run_append(&merged, first, i++);
        else
            run_append(&merged, second, j++);
    run_fini(second);
    *second = merged;
    first->count = first->dead = 0;
    return 0;
}

/* Length at which a run is merged into the next one. */
static uint64_t run_limit(int level)
{
    return (uint64_t)FIRST_ROOM << FACTOR_SHIFT * level;
}

static int make_room(struct index *index)
{
    for (int level = 0; level + 1 < RUNS && index->runs[level].count >= run_limit(level); level++)
        if (run_merge(&index->runs[level], &index->runs[level + 1]))
            return -ENOMEM;
    for (int level = 1; level < RUNS; level++) { /* mostly dead: merge with an empty run */
        struct run none = {0};
        struct run *run = &index->runs[level];
        if (run->dead > FIRST_ROOM && run->dead * 2 > run->count && run_merge(&none, run))
            return -ENOMEM;
    }
    return 0;
}

static int index_insert(struct index *index, uint64_t start, const struct packed *block)
{
    struct run *run = &index->runs[0];
    if (run->count >= FIRST_ROOM && make_room(index))
        return -ENOMEM;
    if (run_reserve(run, FIRST_ROOM))
        return -ENOMEM;
    uint64_t at = run_rank(run, start);
    memmove(&run->starts[at + 1], &run->starts[at], (run->count - at) * sizeof run->starts[0]);
    memmove(&run->blocks[at + 1], &run->blocks[at], (run->count - at) * sizeof run->blocks[0]);
    run->starts[at] = start;
    run->blocks[at] = *block;
    run->count++;
    return 0;
}

static bool index_remove(struct index *index, uint64_t start, struct packed *gone)
{
    for (int level = 0; level < RUNS; level++) {
        struct run *run = &index->runs[level];
        uint64_t at = run_rank(run, start);
        while (at && run->starts[at - 1] == (start | DEAD)) /* a dead block with the same start */
            at--;
        if (!at || run->starts[at - 1] != start)
            continue;
        *gone = run->blocks[at - 1];
        run->starts[at - 1] |= DEAD;
        run->dead++;
        return true;
    }
    return false;
}

static const struct packed *index_floor(const struct index *index, uint64_t address,
                                        uint64_t *start)
{
    const struct packed *best = NULL;
    *start = 0;
    for (int level = 0; level < RUNS; level++) {
        const struct run *run = &index->runs[level];
        uint64_t at = run_rank(run, address);
        while (at && run->starts[at - 1] & DEAD)
            at--;
        if (at && run->starts[at - 1] > *start) {
            *start = run->starts[at - 1];
            best = &run->blocks[at - 1];
        }
    }
    return best;
}

static const struct packed *index_ceiling(const struct index *index, uint64_t address,
                                          uint64_t *start)
{
    const struct packed *best = NULL;
    *start = UINT64_MAX;
    for (int level = 0; level < RUNS; level++) {
        const struct run *run = &index->runs[level];
        uint64_t at = address ? run_rank(run, address - 1) : 0;
        while (at < run->count && (run->starts[at] & DEAD || run->starts[at] < address))
            at++;
        if (at < run->count && run->starts[at] < *start) {
            *start = run->starts[at];
            best = &run->blocks[at];
        }
    }
    return best;
}

static void *runs_new(void)
{
    return calloc(1, sizeof(struct index));
}

static void runs_free(void *opaque)
{
    struct index *index = opaque;
    for (int level = 0; level < RUNS; level++)
        run_fini(&index->runs[level]);
    free(index);
}

static uint64_t runs_memory_bytes(const void *opaque)
{
    const struct index *index = opaque;
    uint64_t bytes = sizeof *index;
    for (int level = 0; level < RUNS; level++)
        bytes += index->runs[level].room * (sizeof(uint64_t) + sizeof(struct packed));
    return bytes;
}

#include "blocks_generic.h"

const struct candidate candidate_runs = {
    .name = "runs",
    .what = "sorted runs, merged as they fill",
    .new = runs_new,
    .free = runs_free,
    .add = generic_add,
    .remove = generic_remove,
    .find = generic_find,
    .next = generic_next,
    .previous = generic_previous,
    .memory_bytes = runs_memory_bytes,
};
