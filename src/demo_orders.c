/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A server with two problems and three phases, for the second half of the tour in README: find them
 * on the screen. Runs until it is killed; with an argument, that many seconds. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ORDERS = 1 << 18, PRICES = 3 << 20, KEYS = 5 << 20, STEPS = 2000, SERVED = 4000000 };

struct order {
    uint64_t id;
    char client[40];
    char note[56];
    double price;
    uint32_t flags;
    uint32_t quantity;
    uint64_t stamp;
};

struct worker {
    uint64_t handled;
    uint64_t bytes;
};

static struct order *book;
static double *history;
static uint32_t *by_price;
static struct worker workers[2];
static volatile double result;

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

__attribute__((noinline)) static void ingest(uint64_t *state)
{
    for (int i = 0; i < STEPS; i++) {
        uint64_t tick = next_random(state);
        history[tick % PRICES] += (double)(tick & 7);
    }
}

__attribute__((noinline)) static void match(uint64_t *state)
{
    double best = 0;
    for (int i = 0; i < STEPS; i++) {
        const struct order *order = &book[(next_random(state) + (uint64_t)best) % ORDERS];
        if (order->price > best)
            best = order->price * 0.5;
    }
    result = best;
}

__attribute__((noinline)) static void report(uint64_t *state)
{
    uint64_t sum = 0;
    for (int i = 0; i < STEPS; i++)
        sum += by_price[(next_random(state) + sum) % KEYS];
    result = (double)sum;
}

static void *serve(void *argument)
{
    struct worker *worker = argument;
    for (;;) {
        for (int i = 0; i < SERVED; i++) {
            __atomic_fetch_add(&worker->handled, 1, __ATOMIC_RELAXED);
            __atomic_fetch_add(&worker->bytes, 40, __ATOMIC_RELAXED);
        }
        usleep(1000);
    }
    return NULL;
}

static int prepare(uint64_t *state)
{
    book = calloc(ORDERS, sizeof *book);
    history = calloc(PRICES, sizeof *history);
    by_price = calloc(KEYS, sizeof *by_price);
    if (!book || !history || !by_price)
        return -1;
    for (uint64_t i = 0; i < ORDERS; i++) {
        book[i].id = i;
        book[i].price = (double)(next_random(state) % 1000);
    }
    for (uint64_t i = 0; i < PRICES; i++)
        history[i] = 1;
    memset(by_price, 1, KEYS * sizeof *by_price);
    return 0;
}

int main(int argc, char **argv)
{
    static void (*const phases[])(uint64_t *) = {ingest, match, report};
    static const double seconds[] = {6, 9, 5};
    double end = argc > 1 ? now_s() + atof(argv[1]) : 1e300;
    uint64_t state = 42;
    pthread_t threads[2];
    int failed = prepare(&state);
    for (int i = 0; i < 2; i++)
        failed |= pthread_create(&threads[i], NULL, serve, &workers[i]);
    if (failed) {
        perror("misstop-orders");
        return EXIT_FAILURE;
    }
    for (int phase = 0; now_s() < end; phase = (phase + 1) % 3)
        for (double until = now_s() + seconds[phase]; now_s() < until && now_s() < end;)
            phases[phase](&state);
    return EXIT_SUCCESS;
}
