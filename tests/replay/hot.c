/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program to record, with known data: hot ROUNDS. Built by test_binaries.sh. */
#include <stdlib.h>

enum { HOT_CELLS = 1 << 17, HOT_STEPS = 1 << 18 };

struct cell {
    long key;
    long visits; /* the hot field */
    long rest[6];
};

struct cell hot_table[HOT_CELLS];

__attribute__((noinline)) static unsigned long visit_cells(unsigned long seed)
{
    volatile unsigned long recent[64] = {0};
    for (int i = 0; i < HOT_STEPS; i++) {
        recent[i & 63] = seed;
        seed = seed * 6364136223846793005ul + 1442695040888963407ul;
        hot_table[seed >> 47].visits++;
    }
    return seed;
}

int main(int count, char **arguments)
{
    int rounds = count > 1 ? atoi(arguments[1]) : 1;
    unsigned long seed = 1;
    for (int i = 0; i < rounds; i++)
        seed = visit_cells(seed);
    return seed == 0;
}
