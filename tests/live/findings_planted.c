/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Programs with planted problems, and programs that resemble them. `findings_planted MODE SECONDS`
 * prints "ready 1", works until the time is over or SIGTERM comes, and prints "speed N": steps per
 * second, for the same work in NAME and NAME-fixed. The modes are in findings_planted_*.c.
 */
#include "findings_planted.h"

#include <pthread.h>
#include <signal.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

alignas(64) volatile double planted_sink;
alignas(64) static atomic_int stop;
__thread int planted_self;
static const struct planted_mode *mode;
static _Atomic uint64_t steps;

void *planted_memory(size_t bytes)
{
    unsigned char *block = aligned_alloc(64, bytes + 64);
    if (!block)
        exit(3);
    memset(block, 1, bytes + 64);
    return block;
}

uint32_t *planted_shuffled(size_t count)
{
    uint32_t *order = malloc(count * sizeof *order);
    if (!order)
        exit(3);
    for (size_t i = 0; i < count; i++)
        order[i] = (uint32_t)i;
    for (size_t i = count - 1; i > 0; i--) {
        size_t k = planted_random() % (i + 1);
        uint32_t held = order[i];
        order[i] = order[k];
        order[k] = held;
    }
    return order;
}

static const struct planted_mode *mode_named(const char *name)
{
    static const struct planted_mode *const all[] = {
        planted_layout_modes, planted_order_modes,  planted_page_modes, planted_block_modes,
        planted_stack_modes,  planted_thread_modes, planted_sim_modes};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (const struct planted_mode *one = all[i]; one->name; one++)
            if (!strcmp(name, one->name))
                return one;
    return NULL;
}

static void *work(void *argument)
{
    planted_self = argument != NULL;
    uint64_t done = 0;
    while (!stop)
        done += mode->work();
    steps += done;
    return NULL;
}

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void end(int number)
{
    (void)number; /* only wakes usleep() */
}

int main(int argc, char **argv)
{
    pthread_t threads[2];
    mode = argc == 3 ? mode_named(argv[1]) : NULL;
    if (!mode)
        return 2;
    sigaction(SIGTERM, &(struct sigaction){.sa_handler = end}, NULL);
    if (mode->make)
        mode->make(mode->count);
    puts("ready 1");
    fflush(stdout);
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &ends, NULL); /* in the workers: it must wake main's usleep() */
    double begun_s = now_s();
    for (int i = 0; i < mode->threads; i++)
        pthread_create(&threads[i], NULL, work, i ? &threads[i] : NULL);
    pthread_sigmask(SIG_UNBLOCK, &ends, NULL);
    usleep((useconds_t)(atof(argv[2]) * 1e6));
    stop = 1;
    for (int i = 0; i < mode->threads; i++)
        pthread_join(threads[i], NULL);
    printf("speed %.0f\n", (double)steps / (now_s() - begun_s));
    return 0;
}
