/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calls hot() and memcpy() from functions that measure the time in them, and prints it at the end:
 * "FUNCTION CALLER NANOSECONDS". Built by test_callers.sh in several ways, with hot() (-DLEAF) and
 * its callers (-DCALLERS) in separate files, so that either can lack unwind tables.
 *
 *     callers_planted SECONDS
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CELLS = 1 << 20, BLOCK = 1 << 18 };

void hot(long steps);
extern size_t next_cell[CELLS];
extern volatile long sink;

#ifdef LEAF
size_t next_cell[CELLS];
volatile long sink;

__attribute__((noinline)) void hot(long steps)
{
    size_t at = (size_t)sink % CELLS;
    for (long i = 0; i < steps; i++)
        at = next_cell[at];
    sink = (long)at;
}
#endif

#ifdef CALLERS
#define CALLER __attribute__((noinline, noclone)) static

static char blocks[2][BLOCK];

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* Measures the time of a call. The code after the call prevents a tail call. */
#define TIMED(time, call)                                                                          \
    do {                                                                                           \
        double began_ns = now_ns();                                                                \
        call;                                                                                      \
        time += now_ns() - began_ns;                                                               \
    } while (0)

/* Rounds differ in length, so that no timer is in step with them. */
static long about(long steps)
{
    static unsigned long long state = 1;
    state = state * 6364136223846793005 + 1442695040888963407;
    return steps / 2 + (long)(state >> 33) % steps;
}

static double few_ns, more_ns, compare_ns, deep_ns, copy_ns, copy_more_ns;

CALLER void few(void)
{
    TIMED(few_ns, hot(about(4000)));
}

CALLER void more(void)
{
    TIMED(more_ns, hot(about(8000)));
}

static int compare(const void *left, const void *right)
{
    TIMED(compare_ns, hot(about(400)));
    return *(const int *)left - *(const int *)right;
}

CALLER void sort_some(void)
{
    int list[] = {3, 1, 4, 1, 5, 9, 2, 6};
    qsort(list, sizeof list / sizeof *list, sizeof *list, compare);
    sink += list[0];
}

CALLER void deep(int depth)
{
    if (depth)
        deep(depth - 1);
    else
        TIMED(deep_ns, hot(about(6000)));
    sink++;
}

CALLER void copy(void)
{
    TIMED(copy_ns, memcpy(blocks[0], blocks[1], (size_t)(BLOCK / 2 + sink % 2)));
}

CALLER void copy_more(void)
{
    TIMED(copy_more_ns, memcpy(blocks[1], blocks[0], (size_t)(BLOCK - sink % 2)));
}

int main(int count, char **arguments)
{
    double seconds = count > 1 ? atof(arguments[1]) : 3;
    for (size_t i = 0; i < CELLS; i++)
        next_cell[i] = (i * 999983 + 7) % CELLS;
    while (now_ns() < seconds * 1e9) {
        few();
        more();
        sort_some();
        deep(500);
        for (int i = 0; i < 8; i++)
            copy();
        for (int i = 0; i < 8; i++)
            copy_more();
    }
    printf("hot few %.0f\nhot more %.0f\nhot compare %.0f\nhot deep %.0f\n", few_ns, more_ns,
           compare_ns, deep_ns);
    printf("memcpy copy %.0f\nmemcpy copy_more %.0f\n", copy_ns, copy_more_ns);
    return 0;
}
#endif
