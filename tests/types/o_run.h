/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Shared code of the programs that log their own times. `o_x SECONDS [FUNCTION]` runs its parts in
 * turn, or one of them. At the end it prints "time SHARE PATTERN|PATTERN..." for each part: its
 * share of the CPU time by the thread's own clock, and the possible names of the field that it
 * waits for. For judge_types.py; C and C++.
 */
#ifndef MISSTOP_TESTS_TYPES_O_RUN_H
#define MISSTOP_TESTS_TYPES_O_RUN_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define ALONE __attribute__((noinline))

enum { STEPS = 50000, PARTS_MAX = 32 };

struct run_part {
    double (*run)(void);
    const char *patterns;
};

static uint64_t picked = 1;
static volatile double ignored;

static inline size_t pick(size_t count)
{
    picked = picked * 6364136223846793005u + 1442695040888963407u;
    return (size_t)(picked >> 33) % count;
}

static inline double own_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Runs the parts. `only`: the number of one part, or NULL. */
static inline void run_parts(const struct run_part *parts, size_t count, double seconds,
                             const char *only)
{
    double spent[PARTS_MAX] = {0};
    double all = 0;
    printf("ready\n");
    fflush(stdout);
    while (all < seconds)
        for (size_t i = 0; i < count; i++) {
            if (only && (size_t)atoi(only) != i)
                continue;
            double start = own_seconds();
            ignored += parts[i].run();
            spent[i] += own_seconds() - start;
            all += own_seconds() - start;
        }
    for (size_t i = 0; i < count; i++)
        if (spent[i] > 0)
            printf("time %.4f %s\n", spent[i] / all, parts[i].patterns);
    fflush(stdout);
    _exit(0); /* nothing is freed, because that would take time in the library */
}

#endif
