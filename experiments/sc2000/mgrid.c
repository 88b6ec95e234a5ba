/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mgrid: a multigrid solver in three dimensions. U and R hold all levels, starting with the finest
 * of 66^3 points; V, the right-hand side, only the finest. On the finest level, U and R are each
 * swept four times per cycle, V twice.
 */
#include "program.h"

enum { LEVELS = 5, FINE = 66, POINTS = FINE * FINE * FINE };

/* 66, 34, 18, 10, 6 points per side. */
enum { ALL_POINTS = POINTS + 34 * 34 * 34 + 18 * 18 * 18 + 10 * 10 * 10 + 6 * 6 * 6 };

static double U[ALL_POINTS], R[ALL_POINTS], V[POINTS];

static int side(int level)
{
    return (64 >> level) + 2;
}

static int first(int level)
{
    int points = 0;
    for (int i = 0; i < level; i++)
        points += side(i) * side(i) * side(i);
    return points;
}

static void prepare(void)
{
    for (int i = 0; i < 20; i++) {
        int at = (int)((uint32_t)i * 2654435761U % POINTS);
        V[at] = i % 2 ? 1 : -1;
    }
}

/* Returns the sum over the six neighbours of a point: the faces of the stencil. */
static double faces(const double *at, int row, int plane)
{
    return READ(at[-1]) + READ(at[1]) + READ(at[-row]) + READ(at[row]) + READ(at[-plane]) +
           READ(at[plane]);
}

static double edges(const double *at, int row, int plane)
{
    return READ(at[-row - 1]) + READ(at[-row + 1]) + READ(at[row - 1]) + READ(at[row + 1]) +
           READ(at[-plane - 1]) + READ(at[-plane + 1]) + READ(at[plane - 1]) + READ(at[plane + 1]) +
           READ(at[-plane - row]) + READ(at[-plane + row]) + READ(at[plane - row]) +
           READ(at[plane + row]);
}

/* R = right - A U */
static void residual(const double *right, int level)
{
    int n = side(level);
    int base = first(level);
    for (int k = 1; k < n - 1; k++)
        for (int j = 1; j < n - 1; j++)
            for (int i = 1; i < n - 1; i++) {
                int at = (k * n + j) * n + i;
                const double *u = &U[base + at];
                double sum = -8.0 / 3 * READ(*u) + 1.0 / 6 * edges(u, n, n * n);
                WRITE(R[base + at], READ(right[at]) - sum);
                WORK(22);
            }
}

/* U += S R */
static void smooth(int level)
{
    int n = side(level);
    int base = first(level);
    for (int k = 1; k < n - 1; k++)
        for (int j = 1; j < n - 1; j++)
            for (int i = 1; i < n - 1; i++) {
                int at = base + (k * n + j) * n + i;
                const double *r = &R[at];
                double sum = -3.0 / 8 * READ(*r) + 1.0 / 32 * faces(r, n, n * n) -
                             1.0 / 64 * edges(r, n, n * n);
                WRITE(U[at], READ(U[at]) + sum);
                WORK(24);
            }
}

static void restrict_residual(int level) /* from `level` to the next coarser one */
{
    int n = side(level);
    int m = side(level + 1);
    for (int k = 1; k < m - 1; k++)
        for (int j = 1; j < m - 1; j++)
            for (int i = 1; i < m - 1; i++) {
                const double *r = &R[first(level) + ((2 * k - 1) * n + 2 * j - 1) * n + 2 * i - 1];
                WRITE(R[first(level + 1) + (k * m + j) * m + i],
                      0.5 * READ(*r) + 0.25 * faces(r, n, n * n) + 0.125 * edges(r, n, n * n));
                WORK(24);
            }
}

static void interpolate(int level) /* adds the next coarser level to `level` */
{
    int n = side(level);
    int m = side(level + 1);
    for (int k = 1; k < n - 1; k++)
        for (int j = 1; j < n - 1; j++)
            for (int i = 1; i < n - 1; i++) {
                int at = first(level) + (k * n + j) * n + i;
                int coarse = first(level + 1) + ((k / 2 + 1) % m * m + (j / 2 + 1) % m) * m +
                             (i / 2 + 1) % m;
                WRITE(U[at], READ(U[at]) + READ(U[coarse]));
                WORK(10);
            }
}

static void run(uint32_t part)
{
    (void)part;
    residual(V, 0);
    for (int level = 0; level < LEVELS - 1; level++)
        restrict_residual(level);
    smooth(LEVELS - 1);
    for (int level = LEVELS - 2; level >= 0; level--) {
        interpolate(level);
        residual(level ? &R[first(level)] : V, level);
        smooth(level);
    }
}

static const struct sc_object objects[] = {OBJECT(U), OBJECT(R), OBJECT(V)};

const struct sc_program mgrid = {"mgrid", prepare, run, 90, objects, COUNT_OF(objects)};
