/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Programs with planted phases. `phases_planted MODE SECONDS` prints "ready 1" and works at a
 * quarter of a core. At the start of each phase it prints "change NAME MONOTONIC_NS CPU_NS": its
 * name, and the clocks CLOCK_MONOTONIC and CLOCK_PROCESS_CPUTIME_ID. "end" is the end of the last
 * phase. A phase takes a quarter of SECONDS of CPU time, so that it has as many samples on a busy
 * machine, where it takes longer.
 *
 *   none       one phase
 *   simple     two alternating phases; one array has most misses in both
 *   complex    three phases that recur in irregular order
 *   inversion  the same two arrays, with another one leading in the second phase
 *   short      a long one, then two short alternating phases, as in applu
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    ELEMENTS = 1 << 21,
    ARRAYS = 3,
    BATCH = 200, /* reads, some microseconds */
    TURN_NS = 5000000,
    DUTY = 4 /* one part in this many is work */
};

static volatile uint64_t grid[ELEMENTS];
static volatile uint64_t table[ELEMENTS];
static volatile uint64_t list[ELEMENTS];
static uint64_t sink;

/* Shares of the time, in batches out of ten. */
struct mix {
    const char *name;
    int of[ARRAYS];
};

static const struct mix mixes[] = {
    {"A", {6, 4, 0}}, /* grid leads */
    {"B", {6, 0, 4}}, /* grid leads */
    {"C", {2, 8, 0}}, /* table leads */
    {"D", {1, 1, 8}}, /* list leads */
};

static const struct {
    const char *mode;
    const char *phases;
} modes[] = {
    {"none", "A"},        {"simple", "ABAB"},   {"complex", "ABDADB"},
    {"inversion", "ACA"}, {"short", "AADBDBD"},
};

static uint64_t clock_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Each read depends on the previous one, so that the time is spent at this array. */
__attribute__((noinline)) static void visit(volatile uint64_t *array)
{
    uint64_t state = sink + 1;
    for (int i = 0; i < BATCH; i++)
        state = (state + array[state >> 43]) * 6364136223846793005u + 1442695040888963407u;
    sink = state;
}

static void work(const struct mix *mix)
{
    static volatile uint64_t *const arrays[ARRAYS] = {grid, table, list};
    for (int i = 0; i < ARRAYS; i++)
        for (int k = 0; k < mix->of[i]; k++)
            visit(arrays[i]);
}

static void sleep_after(uint64_t worked_ns)
{
    uint64_t length_ns = worked_ns * (DUTY - 1);
    struct timespec length = {.tv_sec = (time_t)(length_ns / 1000000000),
                              .tv_nsec = (long)(length_ns % 1000000000)};
    nanosleep(&length, NULL);
}

static void print_change(const char *name)
{
    printf("change %s %llu %llu\n", name, (unsigned long long)clock_ns(CLOCK_MONOTONIC),
           (unsigned long long)clock_ns(CLOCK_PROCESS_CPUTIME_ID));
    fflush(stdout);
}

static void run(const struct mix *mix, uint64_t cpu_ns)
{
    uint64_t from_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    uint64_t turn_ns = from_ns;
    print_change(mix->name);
    for (uint64_t now_ns = from_ns; now_ns - from_ns < cpu_ns;) {
        work(mix);
        now_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
        if (now_ns - turn_ns < TURN_NS)
            continue;
        sleep_after(now_ns - turn_ns);
        turn_ns = now_ns;
    }
}

static const struct mix *mix_of(char letter)
{
    const struct mix *mix = mixes;
    while (*mix->name != letter)
        mix++;
    return mix;
}

int main(int argc, char **argv)
{
    const char *phases = NULL;
    for (size_t i = 0; argc > 2 && i < sizeof modes / sizeof *modes; i++)
        if (!strcmp(modes[i].mode, argv[1]))
            phases = modes[i].phases;
    if (!phases)
        return 2;
    for (size_t i = 0; i < ELEMENTS; i++)
        grid[i] = table[i] = list[i] = i;
    puts("ready 1");
    fflush(stdout);
    for (const char *letter = phases; *letter; letter++)
        run(mix_of(*letter), (uint64_t)(atof(argv[2]) / DUTY * 1e9));
    print_change("end");
    return 0;
}
