/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Blocks of which a name comes late, or never: filled by memset and calloc before any code with types
 * touches them; two arrays of numbers of one size; list nodes; strings of the nodes' size. Runs until it
 * is killed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct particle {
    double x, y, z, vx, vy, vz, mass, charge;
};

struct node {
    struct node *next;
    long key;
    char pad[24];
};

enum { NUMBERS = 4 << 20, PARTICLES = 512 << 10, NODES = 300000, STEPS = 1000000 };

volatile double sink;

static unsigned next_random(unsigned *state)
{
    return *state = *state * 1664525 + 1013904223;
}

int main(void)
{
    double *first = calloc(NUMBERS, sizeof *first);
    double *second = malloc(NUMBERS * sizeof *second);
    struct particle *particles = malloc(PARTICLES * sizeof *particles);
    char **strings = malloc(NODES * sizeof *strings);
    struct node *head = NULL;
    unsigned state = 1;
    double sum = 0;
    if (!first || !second || !particles || !strings)
        return 1;
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
        sink = sum;
    }
}
