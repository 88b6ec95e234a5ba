/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Makes random malloc, realloc and free calls and logs each of them, for comparison with the
 * agent's record. Threads also free each other's blocks.
 *
 *   logger LOG THREADS OPERATIONS LIVE
 */
#include "logger.h"

#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

enum { THREADS_MAX = 16 };

static struct log_head *head;
static struct log_entry *entries;
static void **blocks; /* shared by all threads; exchanged atomically */
static uint64_t live;
static uint64_t per_thread;
static pthread_barrier_t barrier;

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* No instruction moves across the fences, so the log has the true order of events of an address. */
static uint64_t stamp(void)
{
    _mm_mfence();
    _mm_lfence();
    uint64_t now = __rdtsc();
    _mm_lfence();
    return now;
}

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

static struct log_entry *log_free(struct log_entry *entry, void *block)
{
    *entry = (struct log_entry){.kind = LOG_FREE, .address = (uint64_t)(uintptr_t)block};
    entry->before_ns = now_ns();
    entry->stamp = stamp();
    return entry + 1;
}

static struct log_entry *log_alloc(struct log_entry *entry, void *block, uint64_t size)
{
    entry->stamp = stamp();
    entry->after_ns = now_ns();
    entry->kind = LOG_ALLOC;
    entry->address = (uint64_t)(uintptr_t)block;
    entry->size = size;
    entry->usable = malloc_usable_size(block);
    return entry + 1;
}

/*
 * Makes one operation on a random slot: allocate, reallocate or free. A realloc makes two entries.
 */
static struct log_entry *operate(struct log_entry *entry, uint64_t *random)
{
    void **place = &blocks[next_random(random) % live];
    uint64_t size = 1 + next_random(random) % (next_random(random) % 64 ? 500 : 200000);
    void *block = __atomic_exchange_n(place, NULL, __ATOMIC_ACQ_REL);
    if (!block) {
        entry->before_ns = now_ns();
        block = next_random(random) & 1 ? malloc(size) : calloc(1, size);
        entry = log_alloc(entry, block, size);
    } else if (next_random(random) % 4 == 0) {
        entry = log_free(entry, block);
        entry->before_ns = entry[-1].before_ns;
        block = realloc(block, size);
        entry[-1].after_ns = now_ns();
        entry = log_alloc(entry, block, size);
    } else {
        entry = log_free(entry, block);
        free(block);
        entry[-1].after_ns = now_ns();
        return entry;
    }
    block = __atomic_exchange_n(place, block, __ATOMIC_ACQ_REL);
    if (block) { /* another thread was faster */
        entry = log_free(entry, block);
        free(block);
        entry[-1].after_ns = now_ns();
    }
    return entry;
}

static void *thread_main(void *data)
{
    uint64_t number = (uint64_t)(uintptr_t)data;
    struct log_entry *entry = entries + number * per_thread * 3;
    uint64_t random = number + 1;
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    for (uint64_t i = 0; i < per_thread; i++)
        entry = operate(entry, &random);
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    return NULL;
}

static void open_log(const char *path, uint64_t count)
{
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    size_t size = sizeof *head + count * sizeof *entries;
    if (fd < 0 || ftruncate(fd, (off_t)size))
        exit(3);
    head = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    entries = (struct log_entry *)(head + 1);
    head->count = count;
    close(fd);
}

int main(int count, char **words)
{
    pthread_t threads[THREADS_MAX];
    if (count != 5)
        return 2;
    uint64_t thread_count = strtoul(words[2], NULL, 10);
    per_thread = strtoul(words[3], NULL, 10) / thread_count;
    live = strtoul(words[4], NULL, 10);
    open_log(words[1], thread_count * per_thread * 3);
    blocks = mmap(NULL, live * sizeof *blocks, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                  -1, 0);
    pthread_barrier_init(&barrier, NULL, (unsigned)thread_count + 1);
    for (uint64_t i = 0; i < thread_count; i++)
        pthread_create(&threads[i], NULL, thread_main, (void *)(uintptr_t)i);
    /* Between the two readings nothing else in this process allocates. */
    pthread_barrier_wait(&barrier);
    usleep(2000);
    head->start_ns = now_ns();
    usleep(2000);
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    usleep(2000);
    head->end_ns = now_ns();
    usleep(2000);
    pthread_barrier_wait(&barrier);
    for (uint64_t i = 0; i < thread_count; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
