/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Compares candidates for the index of heap blocks (resolve/heap/blocks.h) with 1 and 10 million
 * live blocks, with --full also 50 million: time of an update and of a lookup, and memory.
 *
 *   bench_blocks [--full] [MILLIONS] [CANDIDATE]
 *
 * The heap: as in glibc, 16-byte aligned chunks with a header of 8 bytes, ascending, sizes mostly
 * from 16 to 512 bytes and skewed to the small ones, one in 4,096 large up to 1 MiB, and one of 1
 * GiB. While it is filled, one block in four is freed early and its place is reused. Each figure is
 * the first decile of many rounds shorter than a time slice, because other load can only add time;
 * a round is driven by a prepared list that is read in order.
 *   add      filling the index with the heap (including the frees), once
 *   churn    a random block freed and its place reused, one remove and one add
 *   young    the same with the newest thousand blocks: typical of programs
 *   random   a lookup of a random address in a random block
 *   waiting  the same, but each lookup depends on the previous one, so that they do not overlap
 *   local    lookups with 9 in 10 in one of 1,000 hot blocks
 *   miss     a lookup of the header before a random block, or past its end
 * For comparison, the time of a dependent random read in 1 GiB.
 */
#include "base/clock.h"
#include "base/hash.h"
#include "blocks_candidate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { OPS = 2000, ROUNDS = 301, YOUNG = 1000, MILLION = 1000000, SCALE_WORDS = 1 << 27 };

static const struct candidate *const candidates[] = {&candidate_radix, &candidate_btree,
                                                     &candidate_runs, &candidate_redblack};

struct live {
    uint64_t start;
    uint64_t bytes;
};

struct heap {
    struct live *live;
    uint64_t count;
    uint64_t top; /* position of the next chunk */
    struct prng prng;
    uint64_t adds; /* number while it was filled */
};

/* One operation: a lookup, or a block freed and another one in its place. */
struct operation {
    uint64_t address;
    uint64_t bytes;
};

static uint64_t heap_size(struct heap *heap)
{
    uint64_t kind = prng_below(&heap->prng, 4096);
    if (!kind)
        return 16 + prng_below(&heap->prng, 1 << 20);
    return 16 + prng_below(&heap->prng, 497) * prng_below(&heap->prng, 4096) / 4096;
}

static struct live heap_place(struct heap *heap, uint64_t bytes)
{
    uint64_t chunk = (bytes + 8 + 15) & ~UINT64_C(15);
    struct live live = {heap->top + 16, chunk - 8};
    heap->top += chunk;
    return live;
}

static struct block block_of(struct live live, struct heap *heap)
{
    return (struct block){.start = live.start,
                          .usable_bytes = live.bytes,
                          .requested_bytes = live.bytes - 4,
                          .born_ns = CLOCK_NS_PER_S + heap->adds * 100,
                          .bin = (uint32_t)heap->adds & 0xfff};
}

/* Frees one in four blocks at once; the next block of its size takes its place. */
static void heap_fill(struct heap *heap, const struct candidate *candidate, void *index)
{
    for (uint64_t i = 0; i < heap->count; i++) {
        heap->live[i] = heap_place(heap, i ? heap_size(heap) : UINT64_C(1) << 30);
        struct block block = block_of(heap->live[i], heap);
        candidate->add(index, &block);
        heap->adds++;
        if (prng_next(&heap->prng) % 4)
            continue;
        candidate->remove(index, block.start, NULL);
        candidate->add(index, &block);
        heap->adds++;
    }
}

static struct operation pick_churn(struct heap *heap)
{
    struct live *live = &heap->live[prng_below(&heap->prng, (uint32_t)heap->count)];
    return (struct operation){live->start, live->bytes};
}

static struct operation pick_young(struct heap *heap)
{
    struct live *live = &heap->live[heap->count - 1 - prng_below(&heap->prng, YOUNG)];
    return (struct operation){live->start, live->bytes};
}

static struct operation inside(struct heap *heap, const struct live *live)
{
    return (struct operation){live->start + prng_next(&heap->prng) % live->bytes, 0};
}

static struct operation pick_random(struct heap *heap)
{
    return inside(heap, &heap->live[prng_below(&heap->prng, (uint32_t)heap->count)]);
}

static struct operation pick_local(struct heap *heap)
{
    if (prng_below(&heap->prng, 10) == 0)
        return pick_random(heap);
    uint64_t hot = prng_below(&heap->prng, 1000) * (heap->count / 1000);
    return inside(heap, &heap->live[hot]);
}

static struct operation pick_miss(struct heap *heap)
{
    struct live *live = &heap->live[prng_below(&heap->prng, (uint32_t)heap->count)];
    uint64_t past = prng_next(&heap->prng) & 1 ? live->bytes : 0;
    return (struct operation){past ? live->start + past : live->start - 8, 0};
}

static uint64_t run_updates(const struct candidate *candidate, void *index,
                            const struct operation *operations)
{
    uint64_t sum = 0;
    for (int i = 0; i < OPS; i++) {
        struct block block = {.start = operations[i].address,
                              .usable_bytes = operations[i].bytes,
                              .requested_bytes = operations[i].bytes,
                              .born_ns = CLOCK_NS_PER_S};
        sum += candidate->remove(index, operations[i].address, NULL);
        sum += (uint64_t)candidate->add(index, &block);
    }
    return sum;
}

static uint64_t run_lookups(const struct candidate *candidate, void *index,
                            const struct operation *operations)
{
    struct block found;
    uint64_t sum = 0;
    for (int i = 0; i < OPS; i++)
        sum += candidate->find(index, operations[i].address, &found);
    return sum;
}

/* No size has the bits that are added to the address, but the processor cannot know that. */
static uint64_t run_waiting(const struct candidate *candidate, void *index,
                            const struct operation *operations)
{
    struct block found = {.usable_bytes = 0};
    uint64_t sum = 0;
    for (int i = 0; i < OPS; i++) {
        uint64_t nothing = found.usable_bytes >> 48;
        sum += candidate->find(index, operations[i].address + nothing, &found);
    }
    return sum;
}

struct measure {
    const char *name;
    struct operation (*pick)(struct heap *heap);
    uint64_t (*run)(const struct candidate *, void *, const struct operation *);
    uint64_t expected; /* sum of a round */
};

static const struct measure measures[] = {
    {"churn", pick_churn, run_updates, OPS},   {"young", pick_young, run_updates, OPS},
    {"random", pick_random, run_lookups, OPS}, {"waiting", pick_random, run_waiting, OPS},
    {"local", pick_local, run_lookups, OPS},   {"miss", pick_miss, run_lookups, 0},
};

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Returns the first decile of the time per operation in ns; reports an error of the candidate. */
static double measure_ns(const struct measure *measure, const struct candidate *candidate,
                         void *index, struct heap *heap, struct operation *operations)
{
    double rounds[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < OPS; i++)
            operations[i] = measure->pick(heap);
        uint64_t before = clock_now_ns();
        uint64_t sum = measure->run(candidate, index, operations);
        rounds[round] = (double)(clock_now_ns() - before) / OPS;
        if (sum != measure->expected)
            printf("WRONG: %s %s\n", candidate->name, measure->name);
    }
    qsort(rounds, ROUNDS, sizeof rounds[0], ascending);
    return rounds[ROUNDS / 10];
}

static int bench(const struct candidate *candidate, struct heap *heap, struct operation *operations)
{
    void *index = candidate->new ();
    if (!index)
        return 1;
    heap->top = UINT64_C(0x555555000000);
    heap->prng.state = 1;
    heap->adds = 0;
    uint64_t before = clock_now_ns();
    heap_fill(heap, candidate, index);
    double fill_ns = (double)(clock_now_ns() - before) / (double)heap->adds;
    printf("%-9s %3llu M %7.0f", candidate->name, (unsigned long long)heap->count / MILLION,
           fill_ns);
    for (size_t i = 0; i < sizeof measures / sizeof measures[0]; i++)
        printf(" %7.0f", measure_ns(&measures[i], candidate, index, heap, operations));
    printf(" %7.1f\n", (double)candidate->memory_bytes(index) / (double)heap->count);
    fflush(stdout);
    candidate->free(index);
    return 0;
}

static int bench_all(uint64_t count, const char *only)
{
    struct heap heap = {.count = count, .live = calloc(count, sizeof *heap.live)};
    struct operation *operations = calloc(OPS, sizeof *operations);
    int result = !heap.live || !operations;
    for (size_t i = 0; !result && i < sizeof candidates / sizeof candidates[0]; i++)
        if (!only || !strcmp(only, candidates[i]->name))
            result = bench(candidates[i], &heap, operations);
    free(heap.live);
    free(operations);
    return result;
}

/* Prints the cost of a cache miss here, with huge pages. */
static void print_scale(void)
{
    uint64_t *words = aligned_alloc(2 << 20, SCALE_WORDS * sizeof *words);
    double rounds[ROUNDS];
    uint64_t state = 1;
    if (!words)
        return;
    madvise(words, SCALE_WORDS * sizeof *words, MADV_HUGEPAGE);
    memset(words, 0, SCALE_WORDS * sizeof *words);
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t before = clock_now_ns();
        for (int i = 0; i < OPS; i++)
            state = (state + words[state >> 37]) * 6364136223846793005u + 1;
        rounds[round] = (double)(clock_now_ns() - before) / OPS;
    }
    qsort(rounds, ROUNDS, sizeof rounds[0], ascending);
    printf("a random read of 1 GiB: %.0f ns%s\n", rounds[ROUNDS / 10], state ? "" : ".");
    free(words);
}

/* Prints bytes per block for the chosen index, with heaps of one size: a few large blocks are
 * expensive. */
static int print_bytes(void)
{
    static const unsigned sizes[] = {16, 48, 112, 496, 2032, 4096, 131072};
    printf("radix, bytes a block:");
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        void *index = candidate_radix.new();
        if (!index)
            return 1;
        for (uint64_t n = 1; n <= MILLION; n++) {
            struct block block = {.start = n * (sizes[i] + 16), .usable_bytes = sizes[i]};
            candidate_radix.add(index, &block);
        }
        printf(" %.1f of %u%s", (double)candidate_radix.memory_bytes(index) / MILLION, sizes[i],
               i + 1 < sizeof sizes / sizeof sizes[0] ? "," : "\n");
        candidate_radix.free(index);
    }
    return 0;
}

int main(int argc, char **argv)
{
    int next = 1;
    bool full = next < argc && !strcmp(argv[next], "--full") && next++;
    uint64_t millions = next < argc ? strtoull(argv[next++], NULL, 10) : 0;
    const char *only = next < argc ? argv[next] : NULL;
    print_scale();
    if (print_bytes())
        return 1;
    puts("ns each (churn, young: of a remove and an add); B: bytes a block");
    puts("candidate  live     add   churn   young  random waiting   local    miss       B");
    if (millions)
        return bench_all(millions * MILLION, only);
    return bench_all(MILLION, only) || bench_all(10 * MILLION, only) ||
           (full && bench_all(50 * MILLION, only));
}
