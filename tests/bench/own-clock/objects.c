/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Walks over six objects in turn and measures the CPU time on each: see run. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { COUNT = 1 << 20, PARTS = 5 };

struct node {
    struct node *next;
    long value;
    long pad[6];
};

struct item {
    long key;
    long value;
    long pad[6];
};

struct row {
    long weight;
    struct item *item;
};

static volatile sig_atomic_t stopped;
static double table[COUNT * 4];
static struct node *nodes;
static struct item *items;
static struct item *targets;
static struct row *rows;
static unsigned *numbers;

static void stop(int signal_number)
{
    (void)signal_number;
    stopped = 1;
}

static double cpu_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static unsigned next_random(unsigned long *state)
{
    *state = *state * 6364136223846793005ul + 1442695040888963407ul;
    return (unsigned)(*state >> 33);
}

static double walk_table(unsigned long *state, int steps)
{
    double sum = 0;
    for (int i = 0; i < steps; i++)
        sum += table[next_random(state) % (COUNT * 4)];
    return sum;
}

static double walk_nodes(const struct node **at, int steps)
{
    long sum = 0;
    const struct node *node = *at;
    for (int i = 0; i < steps; i++) {
        sum += node->value;
        node = node->next;
    }
    *at = node;
    return (double)sum;
}

static double walk_items(unsigned long *state, int steps)
{
    long sum = 0;
    for (int i = 0; i < steps; i++) {
        const struct item *item = &items[next_random(state) % COUNT];
        if (item->key > 3)
            sum += item->value;
    }
    return (double)sum;
}

static double walk_rows(unsigned long *state, int steps)
{
    long sum = 0;
    for (int i = 0; i < steps; i++)
        sum += rows[next_random(state) % COUNT].item->value;
    return (double)sum;
}

static double walk_numbers(unsigned long *state, int steps)
{
    const unsigned *number = numbers;
    for (int i = 0; i < steps; i++)
        number = numbers + (*number ^ next_random(state)) % (COUNT * 8);
    return *number;
}

static void fill(unsigned long *state)
{
    unsigned *order = malloc(COUNT * sizeof *order);
    nodes = calloc(COUNT, sizeof *nodes);
    items = calloc(COUNT, sizeof *items);
    targets = calloc(COUNT, sizeof *targets);
    rows = calloc(COUNT, sizeof *rows);
    numbers = calloc(COUNT * 8, sizeof *numbers);
    if (!order || !nodes || !items || !targets || !rows || !numbers)
        exit(1);
    for (unsigned i = 0; i < COUNT; i++)
        order[i] = i;
    for (unsigned i = COUNT - 1; i > 0; i--) {
        unsigned other = next_random(state) % (i + 1);
        unsigned kept = order[i];
        order[i] = order[other];
        order[other] = kept;
    }
    for (unsigned i = 0; i < COUNT; i++) {
        nodes[order[i]].next = &nodes[order[(i + 1) % COUNT]];
        items[i].key = (long)i;
        rows[i].item = &targets[order[i]];
    }
    for (unsigned i = 0; i < COUNT * 4; i++)
        table[i] = numbers[i * 2] = numbers[i * 2 + 1] = i;
    free(order);
}

int main(void)
{
    static const char *const names[PARTS] = {"table", "node", "item", "row+item", "numbers"};
    double spent_s[PARTS] = {0};
    double all_s = 0;
    double sum = 0;
    unsigned long state = 88172645463325252ul;
    signal(SIGTERM, stop);
    fill(&state);
    const struct node *node = nodes;
    while (!stopped) {
        double times_s[PARTS + 1] = {cpu_s()};
        sum += walk_table(&state, 150000);
        times_s[1] = cpu_s();
        sum += walk_nodes(&node, 40000);
        times_s[2] = cpu_s();
        sum += walk_items(&state, 100000);
        times_s[3] = cpu_s();
        sum += walk_rows(&state, 60000);
        times_s[4] = cpu_s();
        sum += walk_numbers(&state, 60000);
        times_s[5] = cpu_s();
        for (int i = 0; i < PARTS; i++)
            spent_s[i] += times_s[i + 1] - times_s[i];
    }
    for (int i = 0; i < PARTS; i++)
        all_s += spent_s[i];
    for (int i = 0; i < PARTS; i++)
        fprintf(stderr, "%s%s %.1f", i ? ", " : "own clock: ", names[i], spent_s[i] * 100 / all_s);
    fprintf(stderr, " %s\n", sum > 0 ? "" : "-");
    return 0;
}
