/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Allocates and frees at random, reads its blocks, and keeps a log of every block, with which
 * misstop's statement on each sample is compared.
 *
 *   churn LOG OPERATIONS [hold]
 *
 * With a third word it waits at the end until it is killed. Between operations it reads one of its
 * blocks for some time, so that samples fall there.
 */
#include "churn.h"

#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { LIVE = 20000, READS = 60 };

static void *blocks[LIVE];
static struct churn_block *logged[LIVE];
static volatile uint64_t sum;

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

static void read_block(const volatile unsigned char *block, size_t size, uint64_t *random)
{
    for (int i = 0; i < READS; i++)
        sum += block[next_random(random) % size];
}

static struct churn_head *open_log(const char *path, uint64_t count)
{
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    size_t size = sizeof(struct churn_head) + count * sizeof(struct churn_block);
    if (fd < 0 || ftruncate(fd, (off_t)size))
        exit(3);
    struct churn_head *head = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    return head == MAP_FAILED ? exit(3), NULL : head;
}

int main(int count, char **words)
{
    uint64_t random = 7;
    if (count < 3)
        return 2;
    uint64_t operations = strtoull(words[2], NULL, 10);
    struct churn_head *head = open_log(words[1], operations);
    struct churn_block *next = head->blocks;
    for (uint64_t i = 0; i < operations; i++) {
        uint64_t place = next_random(&random) % LIVE;
        if (blocks[place]) {
            logged[place]->free_before_ns = now_ns();
            free(blocks[place]);
            logged[place]->free_after_ns = now_ns();
        }
        size_t size = 1 + next_random(&random) % (next_random(&random) % 64 ? 600 : 300000);
        next->alloc_before_ns = now_ns();
        blocks[place] = malloc(size);
        next->alloc_after_ns = now_ns();
        memset(blocks[place], (int)i, size);
        next->start = (uint64_t)(uintptr_t)blocks[place];
        next->usable_bytes = malloc_usable_size(blocks[place]);
        logged[place] = next++;
        head->count = i + 1;
        read_block(blocks[place], size, &random);
    }
    head->done = 1;
    if (count > 3)
        pause();
    return 0;
}
