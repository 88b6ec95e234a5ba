/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Programs with planted problems, and ones that look like them. `findings_planted MODE SECONDS`
 * prints "ready 1", works until the time is over or SIGTERM comes, and prints "speed N": steps a
 * second, of the same work in NAME and NAME-fixed. NAME-clean looks like NAME and has no problem.
 * Modes: see `modes` below.
 */
#include <pthread.h>
#include <signal.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* 64 MiB or more of each: more than the caches, and long enough for a pass to be seen as one. */
enum { PARTICLES = 1 << 20, FEW = 128, NODES = 1 << 21, RECORDS = 1 << 21, DOUBLES = 1 << 23 };
enum { ROWS = 64, ROW_BYTES = 4096, BATCH = 1 << 16, PASSES = 16 };

struct particle {
    double x, y, z;
    double vx, vy, vz;
    double mass, charge;
};
struct node {
    struct node *next;
    uint64_t key;
    uint64_t rest[6];
};
struct record {
    uint64_t id;
    uint64_t rest[4];
    uint64_t value;
};
struct counters {
    uint64_t hits;
    uint64_t misses;
};
struct slot {
    alignas(64) uint64_t count;
};

static struct particle *particles;
static double *positions;
static struct node *nodes;
static unsigned char *records;
static double *doubles;
alignas(4096) static unsigned char rows[ROWS * (ROW_BYTES + 64)];
alignas(64) static volatile struct counters counters;
static volatile struct slot slots[2];
alignas(64) static _Atomic uint64_t total;
alignas(64) static volatile double sink;
alignas(64) static atomic_int stop;
static size_t many;   /* elements worked on */
static size_t stride; /* bytes from record to record, or row to row */
static uint64_t state = 88172645463325252u;

/* Marsaglia's xorshift (J. Stat. Soft. 8, 2003). */
static inline uint64_t next_random(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

/* ---- the work; each returns the steps it did ---- */

__attribute__((noinline)) static size_t sum_x(void)
{
    double sum = 0;
    for (size_t i = 0; i < many; i++)
        sum += particles[i].x;
    sink = sum;
    return many;
}

__attribute__((noinline)) static size_t sum_all(void)
{
    double sum = 0;
    for (size_t i = 0; i < many; i++) {
        const struct particle *p = &particles[i];
        sum += p->x * p->vx + p->y * p->vy + p->z * p->vz + p->mass * p->charge;
    }
    sink = sum;
    return many;
}

__attribute__((noinline)) static size_t sum_positions(void)
{
    double sum = 0;
    for (size_t i = 0; i < many; i++)
        sum += positions[i];
    sink = sum;
    return many;
}

__attribute__((noinline)) static size_t look_up(void)
{
    uint64_t sum = 0;
    for (int i = 0; i < BATCH; i++) {
        const struct record *r = (const void *)(records + next_random() % RECORDS * stride);
        if (r->id != (uint64_t)i) /* the value is read when the id is known */
            sum += r->value;
    }
    sink = (double)sum;
    return BATCH;
}

__attribute__((noinline)) static size_t look_up_ids(void)
{
    uint64_t sum = 0;
    for (int i = 0; i < BATCH; i++) {
        const struct record *r = (const void *)(records + next_random() % RECORDS * stride);
        sum += r->id;
    }
    sink = (double)sum;
    return BATCH;
}

__attribute__((noinline)) static size_t walk_list(void)
{
    uint64_t sum = 0;
    const struct node *node = nodes;
    for (size_t i = 0; i < many; i++) {
        sum += node->key;
        node = node->next;
    }
    sink = (double)sum;
    return many;
}

/* The nodes in no order, but not by their links. */
__attribute__((noinline)) static size_t look_at_nodes(void)
{
    uint64_t sum = 0;
    for (int i = 0; i < BATCH; i++)
        sum += nodes[next_random() % many].key;
    sink = (double)sum;
    return BATCH;
}

__attribute__((noinline)) static size_t sum_column(void)
{
    uint64_t sum = 0;
    for (int again = 0; again < 1024; again++)
        for (size_t i = 0; i < many; i++)
            sum += *(volatile uint64_t *)(rows + i * stride);
    sink = (double)sum;
    return many * 1024;
}

__attribute__((noinline)) static size_t scale_all(void)
{
    for (int pass = 0; pass < PASSES; pass++)
        for (size_t i = 0; i < many; i++)
            doubles[i] = doubles[i] * 1.0001 + 0.5;
    return many * PASSES;
}

/* The same, all passes on a block before the next. */
__attribute__((noinline)) static size_t scale_blocks(void)
{
    enum { BLOCK = 1024 };
    for (size_t block = 0; block < many; block += BLOCK)
        for (int pass = 0; pass < PASSES; pass++)
            for (size_t i = block; i < block + BLOCK; i++)
                doubles[i] = doubles[i] * 1.0001 + 0.5;
    return many * PASSES;
}

static __thread int self;

__attribute__((noinline)) static size_t count_events(void)
{
    for (int i = 0; i < BATCH; i++)
        self ? counters.misses++ : counters.hits++;
    return BATCH;
}

__attribute__((noinline)) static size_t count_slots(void)
{
    for (int i = 0; i < BATCH; i++)
        slots[self].count++;
    return BATCH;
}

__attribute__((noinline)) static size_t count_total(void)
{
    for (int i = 0; i < BATCH; i++)
        atomic_fetch_add(&total, 1);
    return BATCH;
}

/* ---- making what is worked on ---- */

static void *memory(size_t bytes)
{
    unsigned char *block = aligned_alloc(64, bytes + 64);
    if (!block)
        exit(3);
    memset(block, 1, bytes + 64);
    return block;
}

static void make_particles(size_t count)
{
    many = count;
    particles = memory(count * sizeof *particles);
}

static void make_positions(size_t count)
{
    many = count;
    positions = memory(count * sizeof *positions);
}

static void make_records(size_t bytes)
{
    stride = bytes;
    records = memory(RECORDS * bytes);
}

static void make_records_close(size_t count)
{
    (void)count;
    make_records(sizeof(struct record));
}

/* In order, then links put into one random ring (Sattolo). */
static void make_list(size_t count, int shuffled)
{
    uint32_t *order = malloc(count * sizeof *order);
    many = count;
    nodes = memory(count * sizeof *nodes);
    for (size_t i = 0; i < count; i++)
        order[i] = (uint32_t)i;
    for (size_t i = count - 1; shuffled && i > 0; i--) {
        size_t k = next_random() % i;
        uint32_t held = order[i];
        order[i] = order[k];
        order[k] = held;
    }
    for (size_t i = 0; i < count; i++)
        nodes[order[i]].next = &nodes[order[(i + 1) % count]];
    free(order);
}

static void make_shuffled(size_t count)
{
    make_list(count, 1);
}

static void make_ordered(size_t count)
{
    make_list(count, 0);
}

static void make_rows(size_t bytes)
{
    many = ROWS;
    stride = bytes;
}

static void make_rows_few(size_t bytes)
{
    many = 6; /* lines of one set, and it has as many ways */
    stride = bytes;
}

static void make_doubles(size_t count)
{
    many = count;
    doubles = memory(count * sizeof *doubles);
}

struct mode {
    const char *name;
    void (*make)(size_t count);
    size_t count;
    size_t (*work)(void);
    int threads;
};

static const struct mode modes[] = {
    {"split", make_particles, PARTICLES, sum_x, 1},
    {"split-fixed", make_positions, PARTICLES, sum_positions, 1},
    {"split-clean", make_particles, PARTICLES, sum_all, 1}, /* uses all it fetches */
    {"split-small", make_particles, FEW, sum_x, 1},         /* stays in the cache */
    {"straddling", make_records_close, 0, look_up, 1},
    {"straddling-fixed", make_records, 64, look_up, 1},
    {"straddling-clean", make_records_close, 0, look_up_ids, 1}, /* never needs two lines */
    {"false-sharing", NULL, 0, count_events, 2},
    {"false-sharing-fixed", NULL, 0, count_slots, 2},
    {"true-sharing", NULL, 0, count_total, 2},
    {"true-sharing-clean", NULL, 0, count_total, 1}, /* an atomic, and nobody else */
    {"conflict", make_rows, ROW_BYTES, sum_column, 1},
    {"conflict-fixed", make_rows, ROW_BYTES + 64, sum_column, 1},
    {"conflict-clean", make_rows_few, ROW_BYTES, sum_column, 1}, /* the ways hold them */
    {"chasing", make_shuffled, NODES, walk_list, 1},
    {"chasing-fixed", make_ordered, NODES, walk_list, 1},
    {"chasing-clean", make_shuffled, FEW, walk_list, 1}, /* stays in the cache */
    {"chasing-indexed", make_ordered, NODES, look_at_nodes, 1},
    {"streaming", make_doubles, DOUBLES, scale_all, 1},
    {"streaming-fixed", make_doubles, DOUBLES, scale_blocks, 1},
    {"streaming-clean", make_doubles, 2048, scale_all, 1}, /* stays in the cache */
};

static const struct mode *mode;
static _Atomic uint64_t steps;

static void *work(void *argument)
{
    self = argument != NULL;
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
    for (size_t i = 0; argc == 3 && i < sizeof modes / sizeof *modes; i++)
        if (!strcmp(argv[1], modes[i].name))
            mode = &modes[i];
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
    pthread_sigmask(SIG_BLOCK, &ends, NULL); /* the workers', or it would wake them */
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
