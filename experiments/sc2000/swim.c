/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * swim: shallow water equations on 513 x 513 points by finite differences, single precision.
 * Thirteen arrays of 1 MB are each swept twice per time step, so that each has 1/13 of the misses.
 */
#include "program.h"

#include <math.h>

enum { N = 513 };

typedef float plane[N][N];

static struct {
    plane U, V, P, UNEW, VNEW, PNEW, UOLD, VOLD, POLD, CU, CV, Z, H;
} sea __attribute__((aligned(4096)));

#define U    sea.U
#define V    sea.V
#define P    sea.P
#define UNEW sea.UNEW
#define VNEW sea.VNEW
#define PNEW sea.PNEW
#define UOLD sea.UOLD
#define VOLD sea.VOLD
#define POLD sea.POLD
#define CU   sea.CU
#define CV   sea.CV
#define Z    sea.Z
#define H    sea.H

static const float dt = 1e-3F;

static void prepare(void)
{
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) {
            U[j][i] = UOLD[j][i] = sinf(0.01F * (float)(i + j));
            V[j][i] = VOLD[j][i] = cosf(0.01F * (float)(i - j));
            P[j][i] = POLD[j][i] = 50;
        }
}

static void fluxes(void)
{
    for (int j = 0; j < N - 1; j++)
        for (int i = 0; i < N - 1; i++) {
            float p = READ(P[j][i]);
            float right = READ(P[j][i + 1]);
            float u = READ(U[j][i + 1]);
            float v = READ(V[j + 1][i]);
            WRITE(CU[j][i + 1], 0.5F * (right + p) * u);
            WRITE(CV[j + 1][i], 0.5F * (READ(P[j + 1][i]) + p) * v);
            WRITE(Z[j + 1][i + 1], (READ(V[j + 1][i + 1]) - v - READ(U[j + 1][i + 1]) + u) /
                                       (p + right + READ(P[j + 1][i + 1]) + P[j + 1][i]));
            WRITE(H[j][i],
                  p + 0.25F * (u * u + READ(U[j][i]) * U[j][i] + v * v + READ(V[j][i]) * V[j][i]));
            WORK(24);
        }
}

static void step(void)
{
    for (int j = 0; j < N - 1; j++)
        for (int i = 0; i < N - 1; i++) {
            float z = READ(Z[j + 1][i + 1]);
            WRITE(UNEW[j][i + 1], READ(UOLD[j][i + 1]) +
                                      dt * (z + READ(Z[j][i + 1])) *
                                          (READ(CV[j + 1][i + 1]) + READ(CV[j + 1][i]) +
                                           READ(CV[j][i]) + READ(CV[j][i + 1])) -
                                      dt * (READ(H[j][i + 1]) - READ(H[j][i])));
            WRITE(VNEW[j + 1][i], READ(VOLD[j + 1][i]) -
                                      dt * (z + READ(Z[j + 1][i])) *
                                          (READ(CU[j + 1][i + 1]) + READ(CU[j + 1][i]) +
                                           READ(CU[j][i]) + READ(CU[j][i + 1])) -
                                      dt * (READ(H[j + 1][i]) - H[j][i]));
            WRITE(PNEW[j][i], READ(POLD[j][i]) - dt * (CU[j][i + 1] - CU[j][i]) -
                                  dt * (CV[j + 1][i] - CV[j][i]));
            WORK(26);
        }
}

/* Smooths one of the three variables over time at one point. */
#define SMOOTH(old, now, next)                                                                     \
    do {                                                                                           \
        float at = READ(now);                                                                      \
        float after = READ(next);                                                                  \
        WRITE(old, at + 0.001F * (after - 2 * at + READ(old)));                                    \
        WRITE(now, after);                                                                         \
    } while (0)

static void smooth(void)
{
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) {
            SMOOTH(UOLD[j][i], U[j][i], UNEW[j][i]);
            SMOOTH(VOLD[j][i], V[j][i], VNEW[j][i]);
            SMOOTH(POLD[j][i], P[j][i], PNEW[j][i]);
            WORK(18);
        }
}

static void run(uint32_t part)
{
    (void)part;
    fluxes();
    step();
    smooth();
}

static const struct sc_object objects[] = {
    OBJECT(U),    OBJECT(V),    OBJECT(P),  OBJECT(UNEW), OBJECT(VNEW), OBJECT(PNEW), OBJECT(UOLD),
    OBJECT(VOLD), OBJECT(POLD), OBJECT(CU), OBJECT(CV),   OBJECT(Z),    OBJECT(H)};

const struct sc_program swim = {"swim", prepare, run, 300, objects, COUNT_OF(objects)};
