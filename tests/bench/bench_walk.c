/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cost of the heap walk, on a process with the given number of small blocks (10 million). */
#include "../walk/follow.h"
#include "base/clock.h"
#include "base/hash.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <time.h>

enum { FINDS = 200000 };

static bool count_bytes(void *context, const struct walk_block *block)
{
    *(uint64_t *)context += block->usable_bytes;
    return true;
}

/* CPU time instead of wall-clock time, because other programs may run on the machine. */
static uint64_t cpu_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * CLOCK_NS_PER_S + (uint64_t)time.tv_nsec;
}

static void first_answer(struct follow *follow, uint64_t address)
{
    struct walk_block block;
    unsigned calls = 1;
    uint64_t start = clock_now_ns();
    uint64_t cpu_start = cpu_ns();
    if (!follow_attach(follow))
        return;
    while (!walk_find(follow->walk, address, &block) && calls < 100)
        calls++;
    printf("first answer, the last block of all: %.0f ms, %.0f ms of CPU, %u calls, %.0f MB read\n",
           (double)(clock_now_ns() - start) / 1e6, (double)(cpu_ns() - cpu_start) / 1e6, calls,
           (double)walk_stats(follow->walk)->bytes_read / 1e6);
}

static void all_blocks(struct follow *follow, const char *name)
{
    uint64_t bytes = 0;
    uint64_t start = cpu_ns();
    long blocks = walk_all(follow->walk, count_bytes, &bytes);
    double seconds = (double)(cpu_ns() - start) / 1e9;
    printf("%s: %.2f million blocks of %.0f MB in %.0f ms: %.1f million a second\n", name,
           (double)blocks / 1e6, (double)bytes / 1e6, seconds * 1e3,
           (double)blocks / 1e6 / seconds);
}

/* Cost of the system call: a find is about three reads. */
static void plain_reads(struct follow *follow, size_t size)
{
    static char out[1 << 14];
    struct prng prng = {1};
    uint64_t start = cpu_ns();
    for (unsigned i = 0; i < FINDS; i++) {
        struct walked_slot *slot = &follow->shared->by_thread[1].slots[1 + prng_below(&prng, 998)];
        struct iovec local = {out, size};
        struct iovec remote = {(void *)(uintptr_t)(slot->pointer - size), size};
        process_vm_readv(follow->pid, &local, 1, &remote, 1, 0);
    }
    printf("process_vm_readv of %zu bytes there: %.0f ns\n", size,
           (double)(cpu_ns() - start) / FINDS);
}

/* Addresses of blocks that the program logged: the first ones and 1,000 spread out. */
static void finds(struct follow *follow)
{
    struct prng prng = {1};
    const struct walk_stats *stats = walk_stats(follow->walk);
    uint64_t reads = stats->reads, bytes = stats->bytes_read;
    uint64_t answered = stats->failures[WALK_FAIL_NONE];
    uint64_t start = cpu_ns();
    for (unsigned i = 0; i < FINDS; i++) {
        struct walk_block block;
        struct walked_slot *slot = &follow->shared->by_thread[1].slots[1 + prng_below(&prng, 998)];
        walk_find(follow->walk, slot->pointer + 8, &block);
    }
    double ns = (double)(cpu_ns() - start) / FINDS;
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
    follow_path(path, "walked");
    if (!follow_start(&follow, path, "many", 1, blocks, 1, NULL)) {
        fprintf(stderr, "bench_walk: cannot start %s\n", path);
        return 1;
    }
    printf("costs in CPU time, the kernel's for it too\n");
    first_answer(&follow, follow.shared->by_thread[1].slots[999].pointer);
    finds(&follow);
    plain_reads(&follow, 16);
    plain_reads(&follow, 10000);
    all_blocks(&follow, "walk_all");
    all_blocks(&follow, "walk_all again");
    follow_end(&follow);
    return 0;
}
