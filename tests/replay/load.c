/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program to record that alternates page faults and computation: load ROUNDS */
#include <stdlib.h>
#include <sys/mman.h>

enum { LOAD_BYTES = 1 << 20, LOAD_STEPS = 1000000 };

int main(int count, char **arguments)
{
    int rounds = count > 1 ? atoi(arguments[1]) : 1;
    volatile double sum = 0;
    for (int round = 0; round < rounds; round++) {
        char *fresh =
            mmap(NULL, LOAD_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (fresh == MAP_FAILED)
            return 1;
        for (int at = 0; at < LOAD_BYTES; at += 64)
            fresh[at]++;
        munmap(fresh, LOAD_BYTES);
        for (int i = 0; i < LOAD_STEPS; i++)
            sum += i;
    }
    return sum < 0;
}
