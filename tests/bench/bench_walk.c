/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the heap walk costs, on a process with as many small blocks as given (10 million). */
#include "../walk/follow.h"
#include "base/clock.h"
#include "base/prng.h"

#include <stdio.h>
#include <stdlib.h>

enum { FINDS = 200000 };

static bool count_bytes(void *context, const struct walk_block *block)
{
    *(uint64_t *)context += block->usable_bytes;
    return true;
}

static void first_answer(struct follow *follow, uint64_t address)
{
    struct walk_block block;
    unsigned calls = 1;
    uint64_t start = clock_now_ns();
    if (!follow_attach(follow))
        return;
    uint64_t attached = clock_now_ns();
    while (!walk_find(follow->walk, address, &block) && calls < 100)
        calls++;
    uint64_t found = clock_now_ns();
    printf(
        "first answer, the last block of all: %.1f ms (attach %.1f ms, %u calls), %.0f MB read\n",
        (double)(found - start) / 1e6, (double)(attached - start) / 1e6, calls,
        (double)walk_stats(follow->walk)->bytes_read / 1e6);
}

static void all_blocks(struct follow *follow, const char *name)
{
    uint64_t bytes = 0;
    uint64_t start = clock_now_ns();
    long blocks = walk_all(follow->walk, count_bytes, &bytes);
    double seconds = (double)(clock_now_ns() - start) / 1e9;
    printf("%s: %.2f million blocks of %.0f MB in %.0f ms: %.1f million a second\n", name,
           (double)blocks / 1e6, (double)bytes / 1e6, seconds * 1e3,
           (double)blocks / 1e6 / seconds);
}

/* Addresses of which the program wrote the blocks down: the first ones and 1,000 spread. */
static void finds(struct follow *follow)
{
    struct prng prng = {1};
    const struct walk_stats *stats = walk_stats(follow->walk);
    uint64_t reads = stats->reads, bytes = stats->bytes_read;
    uint64_t answered = stats->failures[WALK_FAIL_NONE];
    uint64_t start = clock_now_ns();
    for (unsigned i = 0; i < FINDS; i++) {
        struct walk_block block;
        struct walked_slot *slot = &follow->shared->by_thread[1].slots[1 + prng_below(&prng, 998)];
        walk_find(follow->walk, slot->pointer + 8, &block);
    }
    double ns = (double)(clock_now_ns() - start) / FINDS;
    stats = walk_stats(follow->walk);
    printf("find, anywhere: %.0f ns, %.1f reads, %.0f bytes; %.2f %% answered\n", ns,
           (double)(stats->reads - reads) / FINDS, (double)(stats->bytes_read - bytes) / FINDS,
           100.0 * (double)(stats->failures[WALK_FAIL_NONE] - answered) / FINDS);
}

int main(int argc, char **argv)
{
    char path[4096];
    struct follow follow;
    uint64_t blocks = argc > 1 ? strtoull(argv[1], NULL, 10) : 10000000;
    follow_path(path, argv[0], "walked");
    if (!follow_start(&follow, path, "many", 1, blocks, 1, NULL)) {
        fprintf(stderr, "bench_walk: cannot start %s\n", path);
        return 1;
    }
    first_answer(&follow, follow.shared->by_thread[1].slots[999].pointer);
    finds(&follow);
    all_blocks(&follow, "walk_all");
    all_blocks(&follow, "walk_all again");
    follow_end(&follow);
    return 0;
}
