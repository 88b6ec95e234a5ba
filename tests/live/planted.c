/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Programs with a planted answer. `planted MODE SECONDS` runs, and at its end prints what it knows
 * about itself, in lines "NAME VALUE". Addresses are printed first, then "ready". With 0 seconds it
 * stops itself when it is ready, continues on SIGCONT from the watcher, and ends on SIGTERM.
 *
 *   shares    six arrays; VALUE is the CPU time spent in the loop over each, seconds
 *   set       every access in one set of a 64-set, 64-byte-line cache
 *   figure2   five arrays in a row with 20, 20, 20, 5 and 35 % of the time (Buck and
 *             Hollingsworth, Figure 2: array E is the hottest, in the colder half)
 *   phases    four arrays; the three hottest are quiet from time to time (applu)
 *   page      one hot page in a 64 MiB arena
 *   resonate  two alternating arrays, 0.25 ms of CPU time each
 *   field     one hot field at offset 40 of an array of 56-byte structs
 *   first     the same in a second thread; the first one ends
 *   result    the same amount of work repeatedly; VALUE is its result, and how often the
 *             result was different
 */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { ELEMENTS = 1 << 20, STEPS = 2000, ARENA_BYTES = 64 << 20, HOT_PAGE = 11000, SET = 17 };

struct array {
    const char *name;
    volatile uint64_t *words;
    uint64_t count; /* a power of two */
    int steps;      /* per round: the planted weight */
    double seconds;
};

/* In one section, to keep this order. */
#define ROW __attribute__((section(".bss.row"), aligned(4096)))
ROW static volatile uint64_t array_a[ELEMENTS];
ROW static volatile uint64_t array_b[ELEMENTS];
ROW static volatile uint64_t array_c[ELEMENTS];
ROW static volatile uint64_t array_d[ELEMENTS];
ROW static volatile uint64_t array_e[ELEMENTS];
ROW static volatile uint64_t array_f[ELEMENTS];

struct record56 {
    uint64_t words[7];
};
static volatile struct record56 records[ELEMENTS / 4];
static volatile uint64_t result;

static double clock_s(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double limit_s; /* 0: none */
static double deadline_s;
static volatile sig_atomic_t ended;

static void end(int number)
{
    ended = number;
}

static int running(void)
{
    return !ended && (limit_s == 0 || clock_s(CLOCK_MONOTONIC) < deadline_s);
}

static uint64_t next_random(uint64_t state)
{
    return state * 6364136223846793005u + 1442695040888963407u;
}

static void ready(void)
{
    printf("ready 1\n");
    fflush(stdout);
    if (limit_s == 0)
        raise(SIGSTOP);
}

/* Dependent random reads, so that the time is spent waiting for this array. */
__attribute__((noinline)) static void visit(const struct array *array, int steps)
{
    uint64_t state = result + 1;
    for (int i = 0; i < steps; i++)
        state = next_random(state + array->words[(state >> 33) & (array->count - 1)]);
    result = state;
}

static void timed_visit(struct array *array)
{
    double start = clock_s(CLOCK_THREAD_CPUTIME_ID);
    visit(array, array->steps);
    array->seconds += clock_s(CLOCK_THREAD_CPUTIME_ID) - start;
}

static void print_arrays(const struct array *arrays, int count, int times)
{
    for (int i = 0; i < count; i++)
        if (times)
            printf("%s %.6f\n", arrays[i].name, arrays[i].seconds);
        else
            printf("%s 0x%lx\n", arrays[i].name, (unsigned long)arrays[i].words);
}

static void rounds(struct array *arrays, int count)
{
    print_arrays(arrays, count, 0);
    ready();
    while (running())
        for (int i = 0; i < count; i++)
            timed_visit(&arrays[i]);
    print_arrays(arrays, count, 1);
}

static void shares(void)
{
    struct array arrays[] = {
        {"array_a", array_a, ELEMENTS, 40 * STEPS, 0},
        {"array_b", array_b, ELEMENTS, 25 * STEPS, 0},
        {"array_c", array_c, ELEMENTS, 15 * STEPS, 0},
        {"array_d", array_d, ELEMENTS, 10 * STEPS, 0},
        {"array_e", array_e, ELEMENTS, 7 * STEPS, 0},
        {"array_f", array_f, ELEMENTS, 3 * STEPS, 0},
    };
    rounds(arrays, 6);
}

static void figure2(void)
{
    struct array arrays[] = {
        {"array_a", array_a, ELEMENTS, 20 * STEPS, 0},
        {"array_b", array_b, ELEMENTS, 20 * STEPS, 0},
        {"array_c", array_c, ELEMENTS, 20 * STEPS, 0},
        {"array_d", array_d, ELEMENTS, 5 * STEPS, 0},
        {"array_e", array_e, ELEMENTS, 35 * STEPS, 0},
    };
    rounds(arrays, 5);
}

/* a, b, c work for 0.9 s and are quiet for 0.6 s, in which only rsd works. */
static void phases(void)
{
    struct array arrays[] = {
        {"array_a", array_a, ELEMENTS, 10 * STEPS, 0},
        {"array_b", array_b, ELEMENTS, 10 * STEPS, 0},
        {"array_c", array_c, ELEMENTS, 10 * STEPS, 0},
        {"array_e", array_e, ELEMENTS, 2 * STEPS, 0},
    };
    double start = clock_s(CLOCK_MONOTONIC);
    print_arrays(arrays, 4, 0);
    ready();
    while (running()) {
        double at = clock_s(CLOCK_MONOTONIC) - start;
        int quiet = at - 1.5 * (int)(at / 1.5) >= 0.9;
        for (int i = quiet ? 3 : 0; i < 4; i++)
            timed_visit(&arrays[i]);
    }
    print_arrays(arrays, 4, 1);
}

static void set(void)
{
    /* 4 KiB apart: 64 sets of 64 bytes. The low bits choose the set. */
    volatile char *base = (volatile char *)array_a;
    uint64_t pages = sizeof array_a / 4096;
    uint64_t state = 1;
    printf("set %d\n", SET);
    ready();
    while (running())
        for (int i = 0; i < 1000 * STEPS; i++)
            state = next_random(
                state + *(volatile uint64_t *)(base + (state >> 33) % pages * 4096 + SET * 64));
    result = state;
}

static void page(void)
{
    char *arena =
        mmap(NULL, ARENA_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (arena == MAP_FAILED)
        exit(EXIT_FAILURE);
    memset(arena, 0, ARENA_BYTES);
    volatile char *hot = arena + HOT_PAGE * 4096L;
    printf("page 0x%lx\n", (unsigned long)hot);
    printf("arena 0x%lx\n", (unsigned long)arena);
    ready();
    /* Three lines of the page, one after the other; flushed, so that each read is a miss. */
    static const int lines[] = {3, 20, 41};
    for (unsigned i = 0; running();)
        for (int step = 0; step < STEPS; step++, i++) {
            volatile char *line = hot + lines[i % 3] * 64;
            __builtin_ia32_clflush((const void *)line);
            result += (uint64_t)*line;
        }
}

static void resonate(void)
{
    struct array arrays[] = {{"array_a", array_a, ELEMENTS, 10, 0},
                             {"array_b", array_b, ELEMENTS, 10, 0}};
    double turn_s = 0.00025;
    ready();
    while (running()) {
        /* Turns are measured in CPU time, the clock of cpu-clock: a fixed period of two turns
         * always samples the same one. */
        double now = clock_s(CLOCK_THREAD_CPUTIME_ID);
        int which = (int)(now / turn_s) % 2;
        visit(&arrays[which], arrays[which].steps);
        arrays[which].seconds += clock_s(CLOCK_THREAD_CPUTIME_ID) - now;
    }
    print_arrays(arrays, 2, 1);
}

static void field(void)
{
    uint64_t state = 1;
    ready();
    while (running())
        for (int i = 0; i < 100 * STEPS; i++)
            state = next_random(state + records[(state >> 33) % (ELEMENTS / 4)].words[5]);
    result = state;
}

static void fixed_work(void)
{
    struct array array = {"array_a", array_a, ELEMENTS, 0, 0};
    uint64_t first = 0;
    unsigned others = 0;
    ready();
    for (int round = 0; !round || running(); round++) {
        result = 0;
        visit(&array, 1000 * STEPS);
        first = round ? first : result;
        others += result != first;
    }
    printf("result %lu\nothers %u\n", (unsigned long)first, others);
}

static void *field_thread(void *nothing)
{
    field();
    fflush(stdout);
    return nothing;
}

static void first_ends(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, field_thread, NULL);
    pthread_exit(NULL);
}

static void fill(void)
{
    volatile uint64_t *arrays[] = {array_a, array_b, array_c, array_d, array_e, array_f};
    for (int a = 0; a < 6; a++)
        for (uint64_t i = 0; i < ELEMENTS; i += 8)
            arrays[a][i] = i;
    for (uint64_t i = 0; i < ELEMENTS / 4; i++)
        records[i].words[0] = i;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } modes[] = {{"shares", shares}, {"set", set},           {"figure2", figure2},
                 {"phases", phases}, {"page", page},         {"resonate", resonate},
                 {"field", field},   {"result", fixed_work}, {"first", first_ends}};
    if (argc != 3) {
        fprintf(stderr, "usage: planted MODE SECONDS\n");
        return 2;
    }
    fill();
    sigaction(SIGTERM, &(struct sigaction){.sa_handler = end}, NULL);
    limit_s = atof(argv[2]);
    deadline_s = clock_s(CLOCK_MONOTONIC) + limit_s;
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (!strcmp(argv[1], modes[i].name))
            modes[i].run();
    return 0;
}
