/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The memory of SPEC's 183.equake as described by Berg and Hagersten (SIP, 2004, section 4.1):
 * trees in which each leaf is a vector of three doubles, and a loop over time that reads all leaves
 * of several trees.
 *   gaps      a block per leaf, with the gaps that a 64-bit malloc of that time left
 *   malloc    a block per leaf
 *   adjacent  all leaves of a tree in one block: the paper's remedy
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NODES = 2500, AXES = 3, STEPS = 6, GAP_BYTES = 16 };

typedef double **tree;

static tree mass, damping, velocity, before, now, next;

__attribute__((noinline)) static double *leaf(const char *mode)
{
    return malloc(AXES * sizeof(double) + (strcmp(mode, "gaps") ? 0 : GAP_BYTES));
}

__attribute__((noinline)) static double *leaves(void)
{
    return malloc(NODES * AXES * sizeof(double));
}

__attribute__((noinline)) static tree make(const char *mode)
{
    tree made = malloc(NODES * sizeof *made);
    double *all = strcmp(mode, "adjacent") ? NULL : leaves();
    for (int i = 0; i < NODES; i++) {
        made[i] = all ? all + (size_t)i * AXES : leaf(mode);
        for (int axis = 0; axis < AXES; axis++)
            made[i][axis] = i + axis;
    }
    return made;
}

__attribute__((noinline)) static void time_step(void)
{
    for (int i = 0; i < NODES; i++)
        for (int axis = 0; axis < AXES; axis++)
            next[i][axis] = 2 * mass[i][axis] * now[i][axis] -
                            (mass[i][axis] - damping[i][axis]) * before[i][axis] -
                            velocity[i][axis];
}

int main(int count, char **words)
{
    const char *mode = count > 1 ? words[1] : "malloc";
    mass = make(mode);
    damping = make(mode);
    velocity = make(mode);
    before = make(mode);
    now = make(mode);
    next = make(mode);
    for (int step = 0; step < STEPS; step++) {
        time_step();
        tree oldest = before;
        before = now;
        now = next;
        next = oldest;
    }
    return now[NODES / 2][1] == 12345;
}
