/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * applu: five coupled equations on 33^3 points, relaxed from both ends. Blocks of 5 x 5 (a, b, c
 * for the three neighbours, d on the diagonal) are formed and then used, first the lower and then
 * the upper ones. In between the right-hand side is computed without a, b and c: the short phases
 * of the paper's Figure 5.
 */
#include "program.h"

enum { N = 33, V = 5 };

typedef double block[V][V];

static block a[N][N][N], b[N][N][N], c[N][N][N], d[N][N][N];
static double u[N][N][N][V], rsd[N][N][N][V], frct[N][N][N][V], flux[N][V];

static void prepare(void)
{
    for (int k = 0; k < N; k++)
        for (int j = 0; j < N; j++)
            for (int i = 0; i < N; i++)
                for (int m = 0; m < V; m++) {
                    u[k][j][i][m] = 1 + 0.01 * (i * j + k + m);
                    frct[k][j][i][m] = 0.001 * (i + j + k);
                }
}

/* The value of a point one step back in one of the three directions. */
#define BACK(array, way, m) array[k - ((way) == 2)][j - ((way) == 1)][i - ((way) == 0)][m]

/* Computes the fluxes of a line of points, then adds their differences to rsd. */
static void right_hand_side_of(int k, int j, int way)
{
    for (int i = 1; i < N; i++)
        for (int m = 0; m < V; m++) {
            WRITE(flux[i][m], READ(u[k][j][i][m]) - READ(BACK(u, way, m)));
            WORK(4);
        }
    for (int i = 2; i < N; i++)
        for (int m = 0; m < V; m++) {
            double change = READ(flux[i][m]) - READ(flux[i - 1][m]);
            WRITE(rsd[k][j][i][m], READ(rsd[k][j][i][m]) + 0.01 * change);
            WORK(6);
        }
}

static void right_hand_side(void)
{
    for (int k = 0; k < N; k++)
        for (int j = 0; j < N; j++)
            for (int i = 0; i < N; i++)
                for (int m = 0; m < V; m++) {
                    WRITE(rsd[k][j][i][m], -READ(frct[k][j][i][m]));
                    WORK(3);
                }
    for (int way = 0; way < 3; way++)
        for (int k = 1; k < N; k++)
            for (int j = 1; j < N; j++)
                right_hand_side_of(k, j, way);
}

static void form(block *into, const double *at, double factor)
{
    for (int m = 0; m < V; m++)
        for (int n = 0; n < V; n++) {
            WRITE((*into)[m][n], m == n ? 1 + factor : factor * at[n]);
            WORK(3);
        }
}

/* The diagonal is the same for both halves, so only the first half forms it. */
static void form_blocks(bool lower)
{
    for (int k = 1; k < N - 1; k++)
        for (int j = 1; j < N - 1; j++)
            for (int i = 1; i < N - 1; i++) {
                double at[V];
                for (int m = 0; m < V; m++)
                    at[m] = 1e-4 * READ(u[k][j][i][m]);
                if (lower)
                    form(&d[k][j][i], at, 0.5);
                form(&a[k][j][i], at, 0.1);
                form(&b[k][j][i], at, 0.1);
                form(&c[k][j][i], at, 0.1);
            }
}

static double times(const block *by, const double *vector, int m)
{
    double sum = 0;
    for (int n = 0; n < V; n++)
        sum += READ((*by)[m][n]) * READ(vector[n]);
    WORK(2 * V);
    return sum;
}

static void solve_point(int k, int j, int i, int step)
{
    double value[V];
    for (int m = 0; m < V; m++)
        value[m] = READ(rsd[k][j][i][m]) - 0.01 * (times(&a[k][j][i], rsd[k - step][j][i], m) +
                                                   times(&b[k][j][i], rsd[k][j - step][i], m) +
                                                   times(&c[k][j][i], rsd[k][j][i - step], m));
    for (int m = 0; m < V; m++) {
        double sum = 0;
        for (int n = 0; n < V; n++)
            sum += READ(d[k][j][i][m][n]) * value[n];
        WRITE(rsd[k][j][i][m], 0.5 * sum);
        WORK(2 * V + 2);
    }
}

static void solve(bool lower)
{
    for (int q = 1; q < N - 1; q++)
        for (int j = 1; j < N - 1; j++)
            for (int i = 1; i < N - 1; i++) {
                if (lower)
                    solve_point(q, j, i, 1);
                else
                    solve_point(N - 1 - q, N - 1 - j, N - 1 - i, -1);
            }
}

static void add_correction(void)
{
    for (int k = 1; k < N - 1; k++)
        for (int j = 1; j < N - 1; j++)
            for (int i = 1; i < N - 1; i++)
                for (int m = 0; m < V; m++) {
                    WRITE(u[k][j][i][m], READ(u[k][j][i][m]) + 1e-3 * READ(rsd[k][j][i][m]));
                    WORK(4);
                }
}

static void run(uint32_t part)
{
    (void)part;
    right_hand_side();
    form_blocks(true);
    solve(true);
    form_blocks(false);
    solve(false);
    add_correction();
}

static const struct sc_object objects[] = {OBJECT(a), OBJECT(b),   OBJECT(c),    OBJECT(d),
                                           OBJECT(u), OBJECT(rsd), OBJECT(frct), OBJECT(flux)};

const struct sc_program applu = {"applu", prepare, run, 120, objects, COUNT_OF(objects)};
