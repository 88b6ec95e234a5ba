/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * MemSpy's first example: matrices of 295 x 295 multiplied in blocks of 64. The rows of a block
 * of Y lie 2360 bytes apart, so that it does not fit where its size alone would let it.
 *
 *   blocked_multiply [SECONDS]   multiplies for so long (10); then prints an element of Z
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { N = 295, BLOCK = 64 };

static double X[N][N];
static double Y[N][N];
static double Z[N][N];

static void InitMatrices(void)
{
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++) {
            X[i][k] = i + k;
            Y[i][k] = i - k;
            Z[i][k] = 0;
        }
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

__attribute__((noinline)) static void BlkMultiply(int k0, int j0)
{
    for (int i = 0; i < N; i++)
        for (int k = k0; k < least(k0 + BLOCK, N); k++) {
            double r = X[i][k];
            for (int j = j0; j < least(j0 + BLOCK, N); j++)
                Z[i][j] += r * Y[k][j];
        }
}

static void multiply(void)
{
    for (int k = 0; k < N; k += BLOCK)
        for (int j = 0; j < N; j += BLOCK)
            BlkMultiply(k, j);
}

int main(int argc, char **argv)
{
    time_t end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 10);
    while (time(NULL) < end) {
        InitMatrices();
        multiply();
    }
    printf("%g\n", Z[N / 2][N / 2]);
    return 0;
}
