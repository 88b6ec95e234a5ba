/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program with memory problems to explore; ./quickstart runs misstop on it.
 *
 * Three phases alternate, a few seconds each:
 *    particles  one hot field (charge) of a 32 MiB array of structs, at random
 *    grid       a column walk, all its lines in one cache set
 *    arena      one hot page in a 64 MiB arena that the program manages itself
 *
 * A second thread walks a linked list on the heap during a third of the time. Without arguments it
 * runs until it is killed; with one, that many seconds.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#ifndef PR_SET_VMA
#define PR_SET_VMA           0x53564d41
#define PR_SET_VMA_ANON_NAME 0
#endif

enum {
    PARTICLES = 1 << 19,
    GRID_ROWS = 48,
    GRID_COLUMNS = 16384, /* a row is 128 KiB: all rows of a column map to the same set */
    ARENA_BYTES = 64 << 20,
    ARENA_HOT_OFFSET = 41 << 20,
    PAGE_BYTES = 4096,
    LINE_BYTES = 64,
    NODES = 1 << 17,
    STEPS = 20000 /* between clock reads */
};

struct particle {
    double position[3];
    double velocity[2];
    uint64_t charge; /* the hot field, at offset 40 */
    double mass;
    uint64_t cell;
};

struct node {
    struct node *next;
    char payload[72];
};

/* volatile: each read must happen, as in a program that the compiler cannot optimise as a whole. */
static volatile struct particle particles[PARTICLES];
static volatile uint64_t grid[GRID_ROWS][GRID_COLUMNS];
static volatile unsigned char *arena;
static struct node *volatile list;
static volatile uint64_t result;

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static uint64_t next_random(uint64_t state)
{
    return state * 6364136223846793005u + 1442695040888963407u;
}

/* Each index depends on the value just read, so that a miss is a stall. */
__attribute__((noinline)) static void visit_particles(void)
{
    uint64_t state = result;
    for (int i = 0; i < STEPS; i++)
        state = next_random(state + particles[(state >> 33) % PARTICLES].charge);
    result = state;
}

__attribute__((noinline)) static void walk_grid_column(void)
{
    uint64_t row = result % GRID_ROWS;
    for (int i = 0; i < STEPS; i++)
        row = (row + 1 + grid[row][0]) % GRID_ROWS;
    result = row;
}

/* The flush simulates another core's access to a contended line. */
__attribute__((noinline)) static void visit_arena_page(void)
{
    uint64_t line = 0;
    for (int i = 0; i < STEPS; i++) {
        volatile unsigned char *hot = arena + ARENA_HOT_OFFSET + line * LINE_BYTES;
        __builtin_ia32_clflush((const void *)hot);
        line = (line + 7 + *hot) % (PAGE_BYTES / LINE_BYTES);
    }
    result = line;
}

static void *walk_list(void *unused)
{
    (void)unused;
    struct node *node = list;
    for (;;) {
        double start = now_s();
        while (now_s() - start < 0.01)
            for (int i = 0; i < STEPS; i++)
                node = *(struct node *volatile *)&node->next;
        list = node;
        usleep(20000);
    }
    return NULL;
}

/* Builds a ring in an order that no prefetcher can predict (Sattolo's shuffle). */
static int build_list(void)
{
    struct node **nodes = calloc(NODES, sizeof *nodes);
    uint64_t state = 1;
    if (!nodes)
        return -1;
    for (int i = 0; i < NODES; i++) {
        nodes[i] = calloc(1, sizeof **nodes);
        if (!nodes[i])
            return -1;
    }
    for (int i = NODES - 1; i > 0; i--) {
        state = next_random(state);
        int j = (int)((state >> 33) % (uint64_t)i);
        struct node *other = nodes[i];
        nodes[i] = nodes[j];
        nodes[j] = other;
    }
    for (int i = 0; i < NODES; i++)
        nodes[i]->next = nodes[(i + 1) % NODES];
    list = nodes[0];
    free(nodes);
    return 0;
}

static int build_arena(void)
{
    void *memory =
        mmap(NULL, ARENA_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return -1;
    /* Names require CONFIG_ANON_VMA_NAME (5.17); without it, misstop shows the address. */
    prctl(PR_SET_VMA, PR_SET_VMA_ANON_NAME, memory, ARENA_BYTES, "demo arena");
    memset(memory, 0, ARENA_BYTES);
    arena = memory;
    return 0;
}

int main(int argc, char **argv)
{
    static void (*const phases[])(void) = {visit_particles, walk_grid_column, visit_arena_page};
    static const double seconds[] = {5, 3, 4};
    double limit_s = argc > 1 ? atof(argv[1]) : 0;
    double start = now_s();
    pthread_t thread;
    if (build_arena() || build_list() || pthread_create(&thread, NULL, walk_list, NULL)) {
        perror("misstop-demo");
        return EXIT_FAILURE;
    }
    /* Write every page once, so that it is not the shared zero page. */
    for (int i = 0; i < PARTICLES; i++)
        particles[i].cell = (uint64_t)i;
    for (int i = 0; i < GRID_ROWS; i++)
        grid[i][0] = 0;
    for (int phase = 0;; phase = (phase + 1) % 3) {
        double phase_end = now_s() + seconds[phase];
        while (now_s() < phase_end) {
            phases[phase]();
            if (limit_s > 0 && now_s() - start >= limit_s)
                return EXIT_SUCCESS;
        }
    }
}
