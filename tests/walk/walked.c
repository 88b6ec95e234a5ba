/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program with a heap to walk: allocates in every possible way on several threads, and logs its
 * blocks in shared memory.
 *
 *   walked FD MODE THREADS OPERATIONS
 *
 * still: this many operations on each thread, then waits. churn: runs forever, with mostly
 * long-lived blocks. storm: runs forever, without long-lived blocks.
 * hole, nobrk, corrupt: like still, with memory taken from brk by others, with brk blocked, and
 * with overwritten size words at the end. many: this many small blocks, on the first thread.
 */
#include "walked.h"

#include <malloc.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct walked *shared;
static pthread_barrier_t barrier;
static const char *mode;
static uint64_t operations;
static unsigned thread_count;
static pthread_t threads[WALKED_THREADS];

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    return *state ^= *state << 17;
}

static void slot_set(struct walked_slot *slot, void *pointer)
{
    atomic_store(&slot->pointer, (uint64_t)(uintptr_t)pointer);
    atomic_store(&slot->usable_bytes, pointer ? malloc_usable_size(pointer) : 0);
}

static void slot_free(struct walked_thread *self, struct walked_slot *slot)
{
    uint64_t pointer = atomic_load(&slot->pointer);
    atomic_fetch_add(&slot->sequence, 1);
    slot_set(slot, NULL);
    free((void *)(uintptr_t)pointer);
    self->freed[self->freed_count++ % WALKED_FREED] = pointer;
    atomic_fetch_add(&slot->sequence, 1);
}

/* Mostly small sizes, some from the large bins, and a few that are mapped; some are aligned. */
static size_t pick_size(uint64_t random)
{
    uint64_t spread = random >> 16;
    if (random % 1000 < 900)
        return spread % 400 + 1;
    if (random % 1000 < 980)
        return spread % 6000 + 1;
    if (random % 1000 < 998)
        return spread % 100000 + 1;
    return spread % 900000 + 1;
}

static void *make(uint64_t random)
{
    size_t size = pick_size(random);
    unsigned way = (unsigned)(random >> 8) % 64;
    if (way < 8)
        return calloc(1, size);
    if (way < 10)
        return memalign((size_t)32 << random % 10, size);
    return way == 10 && size < 6000 ? memalign((size_t)1 << 16, size) : malloc(size);
}

/* Like real programs: writes large blocks completely, and often only part of small blocks. */
static void fill(void *pointer, uint64_t random)
{
    size_t size = malloc_usable_size(pointer);
    memset(pointer, (int)random | 1, size < 4096 && random & 256 ? size & 31 : size);
}

static void slot_make(struct walked_slot *slot, uint64_t random)
{
    atomic_fetch_add(&slot->sequence, 1);
    void *pointer = make(random);
    fill(pointer, random);
    slot_set(slot, pointer);
    atomic_fetch_add(&slot->sequence, 1);
}

static void slot_grow(struct walked_slot *slot, uint64_t random)
{
    void *pointer = (void *)(uintptr_t)atomic_load(&slot->pointer);
    atomic_fetch_add(&slot->sequence, 1);
    slot_set(slot, NULL);
    pointer = realloc(pointer, pick_size(random));
    fill(pointer, random);
    slot_set(slot, pointer);
    atomic_fetch_add(&slot->sequence, 1);
}

static void operate(struct walked_thread *self, uint64_t *random, uint64_t count, bool churning)
{
    for (uint64_t i = 0; i < count; i++) {
        uint64_t value = next_random(random);
        /* In a program that keeps running, most blocks live long and a few are freed soon. */
        uint64_t slots = churning && value >> 32 & 63 ? WALKED_SLOTS / 10 : WALKED_SLOTS;
        struct walked_slot *slot = &self->slots[value % slots];
        value = next_random(random);
        if (!atomic_load(&slot->pointer))
            slot_make(slot, value);
        else if (value % 8)
            slot_free(self, slot);
        else
            slot_grow(slot, value >> 3);
    }
    atomic_fetch_add(&shared->operations, count);
}

static bool ends(unsigned index)
{
    return index % 8 == 7;
}

/* Ended threads are ready after the join, because emptying its cache is the last action of a
 * thread. */
static void join_ended_threads(void)
{
    for (unsigned i = 1; i < thread_count; i++)
        if (ends(i) && !pthread_join(threads[i], NULL))
            atomic_fetch_add(&shared->ready, 1);
}

static void *run(void *data)
{
    unsigned index = (unsigned)(uintptr_t)data;
    struct walked_thread *self = &shared->by_thread[index];
    uint64_t random = 88172645463325252u + index * 7919u;
    operate(self, &random, operations, false);
    while (!strcmp(mode, "churn"))
        operate(self, &random, 1000, true);
    while (!strcmp(mode, "storm"))
        operate(self, &random, 1000, false);
    /* Frees blocks of another thread, which go into the cache of this thread. */
    pthread_barrier_wait(&barrier);
    struct walked_thread *other = &shared->by_thread[(index + 1) % thread_count];
    for (size_t i = 0; i < WALKED_SLOTS; i += 3)
        if (atomic_load(&other->slots[i].pointer))
            slot_free(self, &other->slots[i]);
    pthread_barrier_wait(&barrier);
    /* Some threads end and leave their blocks. */
    if (ends(index))
        return NULL;
    if (!index)
        join_ended_threads();
    atomic_fetch_add(&shared->ready, 1);
    for (;;)
        pause();
}

static void block_brk(void)
{
    uintptr_t at = ((uintptr_t)sbrk(0) + (64 << 12)) & ~(uintptr_t)4095;
    mmap((void *)at, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
}

static void make_hole(void)
{
    char *pieces[500];
    for (size_t i = 0; i < 500; i++)
        pieces[i] = malloc(3000);
    memset(sbrk(12345), 0x5a, 12345);
    for (size_t i = 0; i < 500; i += 2)
        free(pieces[i]);
}

/* Overwrites two size words in the middle of the first thread's blocks. */
static void corrupt(void)
{
    static const uint64_t words[] = {0x21, 0xfffffffffffffff1u};
    size_t done = 0;
    for (size_t i = WALKED_SLOTS / 2; done < 2; i++) {
        uint64_t pointer = atomic_load(&shared->by_thread[0].slots[i].pointer);
        uint64_t *block = (uint64_t *)(uintptr_t)pointer;
        if (block && !(block[-1] & 2) && block[-1] > 0x100)
            block[-1] = words[done++];
    }
}

static void make_many(void)
{
    uint64_t random = 1;
    for (uint64_t i = 0; i < operations; i++) {
        void **block = malloc(next_random(&random) % 56 + 1);
        block[0] = NULL;
        if (i < WALKED_SLOTS)
            slot_set(&shared->by_thread[0].slots[i], block);
        else if (i % (operations / 1000) == 0)
            slot_set(&shared->by_thread[1].slots[i / (operations / 1000)], block);
    }
}

static void start_threads(void)
{
    pthread_barrier_init(&barrier, NULL, thread_count);
    for (uintptr_t i = 1; i < thread_count; i++)
        pthread_create(&threads[i], NULL, run, (void *)i);
    run(NULL);
}

int main(int argc, char **argv)
{
    if (argc != 5)
        return 2;
    if (!strcmp(argv[2], "hole"))
        memset(sbrk(5000), 0, 5000);
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, atoi(argv[1]), 0);
    mode = argv[2];
    thread_count = (unsigned)atoi(argv[3]);
    operations = strtoull(argv[4], NULL, 10);
    atomic_store(&shared->threads, thread_count);
#ifdef __GLIBC__
    /* Otherwise the first free of a large block makes all later ones come from the heaps. */
    if (!strcmp(mode, "still"))
        mallopt(M_MMAP_THRESHOLD, 150000);
#endif
    if (!strcmp(mode, "nobrk"))
        block_brk();
    if (!strcmp(mode, "hole"))
        make_hole();
    if (!strcmp(mode, "many"))
        make_many();
    if (!strcmp(mode, "corrupt")) {
        operate(&shared->by_thread[0], &(uint64_t){42}, operations, false);
        corrupt();
    }
    if (!strcmp(mode, "many") || !strcmp(mode, "corrupt"))
        atomic_store(&shared->ready, 1);
    while (!strcmp(mode, "many") || !strcmp(mode, "corrupt"))
        pause();
    start_threads();
    return 0;
}
