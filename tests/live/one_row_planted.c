/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Blocks with a name that is found late, or never: filled by memset and calloc before code with
 * types touches them; two arrays of numbers of the same size; list nodes; strings of the nodes'
 * size; an arena of the program itself, with structs and numbers in it; jobs that some code
 * accesses only through the links at their start; short arrays of edges, and of stops that contain
 * an edge; a stack slot without a variable, at nine stack depths. Runs until it is killed.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Arguments keep their values from the source. */
#ifdef __clang__
#define NOT_CHANGED __attribute__((noinline, optnone))
#else
#define NOT_CHANGED __attribute__((noipa))
#endif

struct particle {
    double x, y, z, vx, vy, vz, mass, charge;
};

struct node {
    struct node *next;
    long key;
    char pad[24];
};

struct cell {
    long kind;
    struct cell *next;
    long value;
};

struct link {
    struct link *next;
    struct link *previous;
};

struct job {
    struct link link;
    long due;
};

struct edge {
    int to;
    float cost;
};

struct stop {
    long id;
    struct edge way;
    long cold;
};

enum { JOBS = 200000, EDGES = 9, STOPS = 5 };

enum { ARENA = 12 << 20, ARENA_PAGE = 4096, PAGE_HEAD = 56, PAGE_CELLS = 80, PAGE_INDEX = 2048 };

enum { NUMBERS = 4 << 20, PARTICLES = 512 << 10, NODES = 300000, STEPS = 1000000 };

volatile double sink;

static unsigned next_random(unsigned *state)
{
    return *state = *state * 1664525 + 1013904223;
}

static struct cell *cell_at(char *arena, unsigned number)
{
    char *page = arena + (size_t)(number / PAGE_CELLS % (ARENA / ARENA_PAGE)) * ARENA_PAGE;
    return (struct cell *)(page + PAGE_HEAD) + number % PAGE_CELLS;
}

NOT_CHANGED static long value_of(const struct cell *cell)
{
    return cell->value;
}

NOT_CHANGED static long number_at(const short *index, unsigned which)
{
    return index[which];
}

/* After the cells of a page come small numbers, like the indices of a hash table. */
static long use_arena(char *arena, unsigned *state)
{
    long sum = 0;
    for (int i = 0; i < STEPS; i++)
        sum += value_of(cell_at(arena, next_random(state) >> 8));
    for (int i = 0; i < STEPS / 2; i++) {
        const short *index =
            (short *)(arena +
                      (size_t)(next_random(state) >> 8) % (ARENA / ARENA_PAGE) * ARENA_PAGE +
                      PAGE_INDEX);
        sum += number_at(index, next_random(state) >> 8 & 511);
    }
    return sum;
}

NOT_CHANGED static struct link *next_of(const struct link *link)
{
    return link->next;
}

NOT_CHANGED static long due_of(const struct job *job)
{
    return job->due;
}

NOT_CHANGED static float cost_of(const struct edge *edges, unsigned which)
{
    return edges[which].cost;
}

NOT_CHANGED static long id_of(const struct stop *stops, unsigned which)
{
    return stops[which].id;
}

static struct stop *stops[JOBS];
static struct job *jobs[JOBS];
static struct edge *edges[JOBS];

/* A ring, in random order. */
static bool make_jobs(unsigned *state)
{
    for (int i = 0; i < JOBS; i++) {
        jobs[i] = calloc(1, sizeof *jobs[i]);
        edges[i] = calloc(EDGES, sizeof *edges[i]);
        stops[i] = calloc(STOPS, sizeof *stops[i]);
        if (!jobs[i] || !edges[i] || !stops[i])
            return false;
    }
    for (unsigned i = JOBS - 1; i; i--) {
        unsigned other = (next_random(state) >> 8) % (i + 1);
        struct job *job = jobs[i];
        jobs[i] = jobs[other];
        jobs[other] = job;
    }
    for (int i = 0; i < JOBS; i++)
        jobs[i]->link.next = &jobs[(i + 1) % JOBS]->link;
    return true;
}

/* Every second job only by its links; mostly the first edge of each array. */
NOT_CHANGED static double use_jobs(unsigned *state)
{
    const struct job *job = jobs[0];
    double sum = 0;
    for (int i = 0; i < STEPS / 8; i++) {
        if (i % 2)
            sum += (double)due_of(job);
        job = (const struct job *)next_of(&job->link);
    }
    for (int i = 0; i < STEPS / 8; i++) {
        unsigned random = (next_random(state) >> 8) + (unsigned)sum;
        sum += cost_of(edges[random % JOBS], random % 64 ? 0 : 5);
    }
    /* Short arrays that some code accesses by part of each element. */
    for (int i = 0; i < STEPS / 8; i++) {
        unsigned random = (next_random(state) >> 8) + (unsigned)sum;
        sum += i % 2 ? (double)id_of(stops[random % JOBS], random % STOPS)
                     : cost_of(&stops[random % JOBS][random % STOPS].way, 0);
    }
    return sum;
}

/* Stores up to 280 bytes below the end of its frame. */
void spills(long times);
__asm__(".text\n"
        ".globl spills\n"
        ".type spills, @function\n"
        "spills:\n"
        ".cfi_startproc\n"
        "        sub $296, %rsp\n"
        ".cfi_def_cfa_offset 304\n"
        "1:      mov %rdi, 24(%rsp)\n"
        "        imul %rdi, %rax\n"
        "        imul %rdi, %rax\n"
        "        dec %rdi\n"
        "        jnz 1b\n"
        "        add $296, %rsp\n"
        ".cfi_def_cfa_offset 8\n"
        "        ret\n"
        ".cfi_endproc\n"
        ".size spills, . - spills\n");

NOT_CHANGED static void spill_below(unsigned depth)
{
    volatile char deep[1000];
    deep[0] = 0;
    if (depth)
        spill_below(depth - 1);
    else
        spills(STEPS / 2);
    deep[1] = deep[0];
}

int main(void)
{
    /* Separate from malloc's mappings. */
    char *arena = mmap(NULL, ARENA + 2 * ARENA_PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    double *first = calloc(NUMBERS, sizeof *first);
    double *second = malloc(NUMBERS * sizeof *second);
    struct particle *particles = malloc(PARTICLES * sizeof *particles);
    char **strings = malloc(NODES * sizeof *strings);
    struct node *head = NULL;
    unsigned state = 1;
    double sum = 0;
    if (!first || !second || !particles || !strings || arena == MAP_FAILED || !make_jobs(&state))
        return 1;
    arena += ARENA_PAGE;
    if (mprotect(arena, ARENA, PROT_READ | PROT_WRITE))
        return 1;
    memset(arena, 1, ARENA);
    memset(second, 1, NUMBERS * sizeof *second);
    memset(particles, 0, PARTICLES * sizeof *particles);
    for (int i = 0; i < NODES; i++) {
        struct node *node = calloc(1, sizeof *node);
        strings[i] = malloc(sizeof *node);
        if (!node || !strings[i])
            return 1;
        node->key = i;
        node->next = head;
        head = node;
        memset(strings[i], 'a', sizeof *node - 1);
        strings[i][sizeof *node - 1] = '\0';
    }
    for (;;) {
        for (int i = 0; i < STEPS; i++)
            sum += first[next_random(&state) % NUMBERS];
        for (int i = 0; i < STEPS; i++)
            sum += second[next_random(&state) % NUMBERS];
        for (int i = 0; i < STEPS; i++)
            particles[next_random(&state) % PARTICLES].vy += 1;
        for (struct node *node = head; node; node = node->next)
            sum += (double)node->key;
        for (int i = 0; i < NODES; i++)
            sum += (double)strlen(strings[next_random(&state) % NODES]);
        sum += (double)use_arena(arena, &state);
        sum += use_jobs(&state);
        for (unsigned depth = 0; depth < 9; depth++)
            spill_below(depth);
        sink = sum;
    }
}
