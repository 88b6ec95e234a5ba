/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Programs that are a heavy load for any watcher: 100,000 mappings, a JIT map of 200 MB, 2,000
 * running threads, code without function bounds among data, 10 million blocks.
 *
 *   heavy_planted maps|jit|threads|code|alloc|blocks [NUMBER]
 *
 * prints "ready" and runs until it is killed.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { PAGE = 4096, TABLE_BYTES = 8 << 20 };

static char jit_path[64];

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

static void ready(void)
{
    puts("ready");
    fflush(stdout);
}

/* Misses all over a table. */
static void *work(void *context)
{
    volatile uint64_t *table = context;
    for (uint64_t at = (uintptr_t)&at;; at = at * 6364136223846793005 + 1442695040888963407)
        table[(at >> 33) % (TABLE_BYTES / sizeof *table)]++;
    return NULL;
}

/* Adjacent mappings have different permissions, otherwise the kernel would merge them. */
static void plant_maps(long count)
{
    char *all = mmap(NULL, (size_t)count * PAGE, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (all == MAP_FAILED)
        fail("mmap");
    for (long i = 0; i < count; i += 2)
        if (mprotect(all + i * PAGE, PAGE, PROT_READ)) {
            fprintf(stderr, "only %ld mappings: vm.max_map_count\n", i);
            break;
        }
}

static void remove_jit(int number)
{
    unlink(jit_path);
    _exit(number);
}

/* The file lists code that does not exist, and not the program's own. */
static void plant_jit(long megabytes)
{
    snprintf(jit_path, sizeof jit_path, "/tmp/perf-%d.map", (int)getpid());
    FILE *out = fopen(jit_path, "we");
    if (!out)
        fail(jit_path);
    signal(SIGTERM, remove_jit);
    for (uint64_t at = 0x10000000; ftell(out) < megabytes << 20; at += 0x80)
        fprintf(
            out, "%llx 70 LazyCompile:~aFunctionOfSomeScript%llu /srv/app/modules/index.js:%llu\n",
            (unsigned long long)at, (unsigned long long)at / 0x80, (unsigned long long)at / 0x1000);
    if (fclose(out))
        fail(jit_path);
}

/* The same from time to time: 2,000 threads that never sleep would leave no CPU for the watcher. */
static void *work_at_times(void *context)
{
    volatile uint64_t *table = context;
    for (uint64_t at = (uintptr_t)&at;; usleep(200000))
        for (int i = 0; i < 1000; i++) {
            at = at * 6364136223846793005 + 1442695040888963407;
            table[(at >> 33) % (TABLE_BYTES / sizeof *table)]++;
        }
    return NULL;
}

static void plant_threads(long count, void *table)
{
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 64 << 10);
    for (long i = 1; i < count; i++)
        if (pthread_create(&thread, &attributes, work_at_times, table))
            fail("pthread_create");
}

/* Allocates and frees all the time, blocks of many sizes, each written to. */
static void *allocate(void *context)
{
    enum { BLOCKS = 4096 };
    static __thread char *blocks[BLOCKS];
    (void)context;
    for (uint64_t at = (uintptr_t)&at;; at = at * 6364136223846793005 + 1442695040888963407) {
        char **block = &blocks[(at >> 33) % BLOCKS];
        size_t size = 16 + (at >> 50) % 2000;
        free(*block);
        *block = malloc(size);
        if (*block)
            memset(*block, (int)at, size);
    }
    return NULL;
}

static void plant_allocations(long count)
{
    pthread_t thread;
    for (long i = 1; i < count; i++)
        if (pthread_create(&thread, NULL, allocate, NULL))
            fail("pthread_create");
    ready();
    allocate(NULL);
}

/* Blocks of 16 to 79 bytes that stay; each one touched leads to another. */
static void run_blocks(uint64_t count)
{
    uint64_t **blocks = malloc(count * sizeof *blocks);
    if (!blocks)
        fail("malloc");
    for (uint64_t i = 0, at = 1; i < count; i++) {
        at = at * 6364136223846793005 + 1442695040888963407;
        blocks[i] = malloc(16 + (at >> 58));
        if (!blocks[i])
            fail("malloc");
        *blocks[i] = at;
    }
    ready();
    for (uint64_t at = 1;; at = at * 6364136223846793005 + *blocks[(at >> 20) % count])
        continue;
}

typedef uint64_t code_piece(uint64_t *table, uint64_t at);

/* Pieces of code separated by data that a decoder cannot pass in step, in memory without file and
 * symbols: x = table[x % size]++; return x. */
static code_piece **plant_code(long count)
{
    static const unsigned char piece[] = {
        0x48, 0x8b, 0x04, 0xf7,       /* mov (%rdi,%rsi,8),%rax */
        0x48, 0xff, 0xc0,             /* inc %rax */
        0x48, 0x89, 0x04, 0xf7,       /* mov %rax,(%rdi,%rsi,8) */
        0xc3,                         /* ret */
        0x62, 0x0f, 0x0f, 0xc5, 0x66, /* not an instruction */
    };
    enum { APART = 80 };
    unsigned char *all = mmap(NULL, (size_t)count * APART, PROT_READ | PROT_WRITE | PROT_EXEC,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    code_piece **pieces = malloc((size_t)count * sizeof(code_piece *));
    if (all == MAP_FAILED || !pieces)
        fail("mmap");
    for (long i = 0; i < count * APART; i++)
        all[i] = (unsigned char)(i * 2654435761u >> 24);
    for (long i = 0; i < count; i++) {
        void *at = memcpy(all + i * APART + i % 7, piece, sizeof piece);
        memcpy(&pieces[i], &at, sizeof at);
    }
    return pieces;
}

static void run_code(code_piece **pieces, long count, uint64_t *table)
{
    for (uint64_t at = 1;; at = at * 6364136223846793005 + 1442695040888963407)
        pieces[(at >> 35) % (uint64_t)count](table, (at >> 33) % (TABLE_BYTES / sizeof *table));
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    long number = argc > 2 ? atol(argv[2]) : 0;
    uint64_t *table = calloc(1, TABLE_BYTES);
    if (!table)
        fail("calloc");
    if (!strcmp(what, "code")) {
        number = number ? number : 50000;
        code_piece **pieces = plant_code(number);
        ready();
        run_code(pieces, number, table);
    }
    if (!strcmp(what, "blocks"))
        run_blocks(number ? (uint64_t)number : 10000000);
    if (!strcmp(what, "alloc"))
        plant_allocations(number ? number : 6);
    if (!strcmp(what, "maps"))
        plant_maps(number ? number : 100000);
    else if (!strcmp(what, "jit"))
        plant_jit(number ? number : 200);
    else if (!strcmp(what, "threads"))
        plant_threads(number ? number : 2000, table);
    else
        return 2;
    ready();
    work(table);
}
