/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * MemSpy's first example: matrices of 295 x 295 multiplied in blocks of 64, two rows by four
 * columns at a time, as its figures suggest (experiments/memspy/test_multiply.c). The rows of a
 * block of Y are 2360 bytes apart, so that it does not fit although it is small enough.
 *
 *   blocked_multiply [SECONDS]   multiplies for this long (10); then prints an element of Z. 0:
 *   once
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { N = 295, BLOCK = 64, TILE = 4 };

static double X[N][N];
static double Y[N][N];
static double Z[N][N];

/* One access per element: nothing is merged into wider accesses or kept in registers. */
#define APART() __asm__ volatile("" ::: "memory")

static void InitMatrices(void)
{
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++) {
            X[i][k] = i + k;
            APART();
        }
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++) {
            Y[i][k] = i - k;
            APART();
        }
}

static void ClearProduct(void)
{
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++) {
            Z[i][k] = 0;
            APART();
        }
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* Adds one row times one element of X to Z[i][j]. */
static inline void row_by_one(int i, int k, int j0, int j1)
{
    double r = X[i][k];
    for (int j = j0; j < j1; j++) {
        Z[i][j] += r * Y[k][j];
        APART();
    }
}

static inline void two_rows_by_one(int i, int k, int j0, int j1)
{
    double r = X[i][k];
    double s = X[i + 1][k];
    for (int j = j0; j < j1; j++) {
        double y = Y[k][j];
        Z[i][j] += r * y;
        Z[i + 1][j] += s * y;
        APART();
    }
}

static inline void two_rows_by_four(int i, int k, int j0, int j1)
{
    const double *r = &X[i][k];
    const double *s = &X[i + 1][k];
    double r0 = r[0], r1 = r[1], r2 = r[2], r3 = r[3];
    double s0 = s[0], s1 = s[1], s2 = s[2], s3 = s[3];
    for (int j = j0; j < j1; j++) {
        double y0 = Y[k][j], y1 = Y[k + 1][j], y2 = Y[k + 2][j], y3 = Y[k + 3][j];
        Z[i][j] += r0 * y0 + r1 * y1 + r2 * y2 + r3 * y3;
        Z[i + 1][j] += s0 * y0 + s1 * y1 + s2 * y2 + s3 * y3;
        APART();
    }
}

__attribute__((noinline)) static void BlkMultiply(int k0, int j0)
{
    int k1 = least(k0 + BLOCK, N);
    int j1 = least(j0 + BLOCK, N);
    int k;
    for (int i = 0; i + 1 < N; i += 2) {
        for (k = k0; k + TILE <= k1; k += TILE)
            two_rows_by_four(i, k, j0, j1);
        for (; k < k1; k++)
            two_rows_by_one(i, k, j0, j1);
    }
    for (k = k0; k < k1; k++)
        row_by_one(N - 1, k, j0, j1);
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
    do {
        InitMatrices();
        ClearProduct();
        multiply();
    } while (time(NULL) < end);
    printf("%g\n", Z[N / 2][N / 2]);
    return 0;
}
