/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Programs with planted sharing. `sharing_planted MODE SECONDS` prints "thread N TID" for each
 * thread, then "ready 1", works, and ends.
 *
 *   false    two counters of one struct, a thread each
 *   true     one atomic counter, two threads
 *   lock     a spin lock and the sum it guards on one line, two threads
 *   array    sixteen 8-byte counters, a thread for every second one
 *   neighbours  two variables on one line, a thread each
 *   padded   counters with a line for each thread: clean
 *   init     one thread fills a table, then two read it: clean
 *   handed   a heap block that two threads use alternately for a while each: clean
 *   clean    these three at once
 *   queue    a ring: one thread writes, the other reads
 *   reader   one thread reads a setting, the other counts next to it
 */
#include <pthread.h>
#include <sched.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { THREADS_MOST = 8, BATCH = 4096, TABLE = 1 << 12, SLOTS = 16, RING = 64 };

struct counters {
    uint64_t hits;
    uint64_t misses;
};
struct guarded {
    atomic_int lock;
    uint64_t sum;
    uint64_t times;
};
struct slot {
    alignas(64) uint64_t count;
};
struct ring {
    _Atomic uint64_t head;
    alignas(64) _Atomic uint64_t tail;
    alignas(64) uint64_t items[RING];
};
struct job {
    uint64_t done;
    uint64_t left;
};
struct settings {
    uint64_t limit;
    uint64_t used;
};

alignas(64) static volatile struct counters counters;
alignas(64) static _Atomic uint64_t total;
alignas(64) static struct guarded guarded;
alignas(64) static volatile uint64_t array[SLOTS];
static volatile struct slot padded[THREADS_MOST];
alignas(64) static volatile uint64_t table[TABLE];
alignas(64) static struct ring ring;
alignas(64) static volatile struct settings settings;
/* Two objects on one line, in this order. */
__asm__(
    ".pushsection .bss.pair,\"aw\",@nobits\n.balign 64\n.globl near_one\n.type near_one,@object\n"
    ".size near_one,8\nnear_one: .zero 8\n.globl near_two\n.type near_two,@object\n"
    ".size near_two,8\nnear_two: .zero 8\n.zero 48\n.popsection\n");
extern volatile uint64_t near_one;
extern volatile uint64_t near_two;

alignas(64) static atomic_int stop;
alignas(64) static _Atomic(struct job *) handed[2];
static _Thread_local volatile uint64_t sink;

__attribute__((noinline)) static void count_hits(void)
{
    for (int i = 0; i < BATCH; i++)
        counters.hits++;
}

__attribute__((noinline)) static void count_misses(void)
{
    for (int i = 0; i < BATCH; i++)
        counters.misses++;
}

__attribute__((noinline)) static void count_total(void)
{
    for (int i = 0; i < BATCH; i++)
        atomic_fetch_add(&total, 1);
}

__attribute__((noinline)) static void add_guarded(void)
{
    for (int i = 0; i < BATCH; i++) {
        while (atomic_exchange(&guarded.lock, 1))
            __builtin_ia32_pause();
        *(volatile uint64_t *)&guarded.sum += 3;
        *(volatile uint64_t *)&guarded.times += 1;
        atomic_store_explicit(&guarded.lock, 0, memory_order_release);
    }
}

__attribute__((noinline)) static void count_slot(volatile uint64_t *slot)
{
    for (int i = 0; i < BATCH; i++)
        ++*slot;
}

__attribute__((noinline)) static void fill_table(void)
{
    for (int i = 0; i < TABLE; i++)
        table[i] = (uint64_t)i * 3;
}

__attribute__((noinline)) static void read_table(void)
{
    uint64_t sum = 0;
    for (int i = 0; i < TABLE; i++)
        sum += table[i];
    sink = sum;
}

__attribute__((noinline)) static void put_in(void)
{
    for (int i = 0; i < BATCH && !stop; i++) {
        uint64_t head = atomic_load_explicit(&ring.head, memory_order_relaxed);
        while (head - atomic_load_explicit(&ring.tail, memory_order_acquire) == RING && !stop)
            __builtin_ia32_pause();
        ((volatile uint64_t *)ring.items)[head % RING] = head;
        atomic_store_explicit(&ring.head, head + 1, memory_order_release);
    }
}

__attribute__((noinline)) static void take_out(void)
{
    for (int i = 0; i < BATCH && !stop; i++) {
        uint64_t tail = atomic_load_explicit(&ring.tail, memory_order_relaxed);
        while (atomic_load_explicit(&ring.head, memory_order_acquire) == tail && !stop)
            __builtin_ia32_pause();
        sink += ((volatile uint64_t *)ring.items)[tail % RING];
        atomic_store_explicit(&ring.tail, tail + 1, memory_order_release);
    }
}

static double cpu_s(void)
{
    struct timespec used;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return (double)used.tv_sec + (double)used.tv_nsec * 1e-9;
}

/* About a hundred samples on any machine: one hand-over among as many accesses. */
__attribute__((noinline)) static void work_on(volatile struct job *job)
{
    for (double end_s = cpu_s() + 0.05; cpu_s() < end_s;)
        for (int i = 0; i < 1 << 18; i++)
            job->done++;
}

/* Touches nothing of the other thread while waiting. */
static void hand_on(int self)
{
    struct job *job = atomic_exchange(&handed[self], NULL);
    if (!job) {
        usleep(1000);
        return;
    }
    work_on(job);
    atomic_store(&handed[!self], job);
}

__attribute__((noinline)) static void read_setting(void)
{
    uint64_t sum = 0;
    for (int i = 0; i < BATCH; i++)
        sum += settings.limit;
    sink = sum;
}

__attribute__((noinline)) static void count_used(void)
{
    for (int i = 0; i < BATCH; i++)
        settings.used++;
}

alignas(64) static const char *mode; /* read by all threads: no written data on its line */
alignas(64) static char behind[64];

static int is(const char *name)
{
    return !strcmp(mode, name);
}

static void step(int self)
{
    if (is("false"))
        self ? count_misses() : count_hits();
    else if (is("true"))
        count_total();
    else if (is("lock"))
        add_guarded();
    else if (is("array"))
        count_slot(&array[self * 2]);
    else if (is("neighbours"))
        count_slot(self ? &near_two : &near_one);
    else if (is("padded"))
        count_slot(&padded[self].count);
    else if (is("init"))
        read_table();
    else if (is("handed"))
        hand_on(self);
    else if (is("clean")) {
        count_slot(&padded[self].count);
        read_table();
        hand_on(self);
    } else if (is("queue"))
        self ? take_out() : put_in();
    else if (is("reader"))
        self ? count_used() : read_setting();
    else
        exit(2);
}

static void pin(int cpu)
{
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    CPU_SET(cpu % (int)sysconf(_SC_NPROCESSORS_ONLN), &cpus);
    sched_setaffinity(0, sizeof cpus, &cpus);
}

static pthread_barrier_t begun;

static void *work(void *argument)
{
    int self = (int)(intptr_t)argument;
    pin(self);
    printf("thread%d %ld\n", self, syscall(SYS_gettid));
    fflush(stdout);
    pthread_barrier_wait(&begun);
    while (!stop)
        step(self);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS_MOST];
    if (argc < 3)
        return 2;
    /* Only threads that run at the same time share a line: use a high priority if permitted. */
    setpriority(PRIO_PROCESS, 0, -15);
    mode = argv[1];
    int count = is("array") ? 4 : 2;
    (void)behind;
    if (is("init") || is("clean"))
        for (int i = 0; i < 10000; i++)
            fill_table();
    handed[0] = calloc(1, sizeof(struct job));
    pthread_barrier_init(&begun, NULL, (unsigned)count + 1);
    for (int i = 0; i < count; i++)
        pthread_create(&threads[i], NULL, work, (void *)(intptr_t)i);
    pthread_barrier_wait(&begun);
    puts("ready 1");
    fflush(stdout);
    usleep((useconds_t)(atof(argv[2]) * 1e6));
    stop = 1;
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
