/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tomcatv: a mesh of 513 x 513 is relaxed: residuals of the coordinates, a tridiagonal system
 * solved along each line, corrections added. Seven arrays of 2.1 MB, each swept in order; RX and RY
 * alternate in most loops, and an even sampling period resonates with that.
 */
#include "program.h"

#include <math.h>

enum { N = 513 };

typedef double plane[N][N];

/* One block, like a COMMON: the relative positions of the arrays determine what resonates. */
static struct {
    plane X, Y, RX, RY, AA, DD, D;
} mesh __attribute__((aligned(4096)));

#define X  mesh.X
#define Y  mesh.Y
#define RX mesh.RX
#define RY mesh.RY
#define AA mesh.AA
#define DD mesh.DD
#define D  mesh.D

static void prepare(void)
{
    for (int j = 0; j < N; j++)
        for (int i = 0; i < N; i++) {
            X[j][i] = i + 0.05 * sin(0.02 * j * i);
            Y[j][i] = j + 0.05 * cos(0.02 * j * i);
        }
}

static void residuals(void)
{
    for (int j = 1; j < N - 1; j++)
        for (int i = 1; i < N - 1; i++) {
            double xx = READ(X[j][i + 1]) - READ(X[j][i - 1]);
            double yx = READ(Y[j][i + 1]) - READ(Y[j][i - 1]);
            double xy = READ(X[j + 1][i]) - READ(X[j - 1][i]);
            double yy = READ(Y[j + 1][i]) - READ(Y[j - 1][i]);
            double a = 0.25 * (xy * xy + yy * yy);
            double b = 0.25 * (xx * xx + yx * yx);
            double c = 0.125 * (xx * xy + yx * yy);
            WRITE(AA[j][i], -b);
            WRITE(DD[j][i], b + b + a * 2.0 / 0.98);
            double pxx = X[j][i + 1] - 2 * READ(X[j][i]) + X[j][i - 1];
            double qxx = Y[j][i + 1] - 2 * READ(Y[j][i]) + Y[j][i - 1];
            double pyy = X[j + 1][i] - 2 * X[j][i] + X[j - 1][i];
            double qyy = Y[j + 1][i] - 2 * Y[j][i] + Y[j - 1][i];
            double pxy = READ(X[j + 1][i + 1]) - READ(X[j - 1][i + 1]) - READ(X[j + 1][i - 1]) +
                         READ(X[j - 1][i - 1]);
            double qxy = READ(Y[j + 1][i + 1]) - READ(Y[j - 1][i + 1]) - READ(Y[j + 1][i - 1]) +
                         READ(Y[j - 1][i - 1]);
            WRITE(RX[j][i], a * pxx + b * pyy - c * pxy);
            WRITE(RY[j][i], a * qxx + b * qyy - c * qxy);
            WORK(46);
        }
}

static double largest_residual(void)
{
    double largest = 0;
    for (int j = 1; j < N - 1; j++)
        for (int i = 1; i < N - 1; i++) {
            largest = fmax(largest, fabs(READ(RX[j][i])));
            largest = fmax(largest, fabs(READ(RY[j][i])));
            WORK(6);
        }
    return largest;
}

static void eliminate(void)
{
    for (int i = 1; i < N - 1; i++) {
        WRITE(D[1][i], 1 / READ(DD[1][i]));
        WORK(4);
    }
    for (int j = 2; j < N - 1; j++)
        for (int i = 1; i < N - 1; i++) {
            double r = READ(AA[j][i]) * READ(D[j - 1][i]);
            WRITE(D[j][i], 1 / (READ(DD[j][i]) - READ(AA[j - 1][i]) * r));
            WRITE(RX[j][i], READ(RX[j][i]) - READ(RX[j - 1][i]) * r);
            WRITE(RY[j][i], READ(RY[j][i]) - READ(RY[j - 1][i]) * r);
            WORK(20);
        }
}

static void substitute(void)
{
    for (int i = 1; i < N - 1; i++) {
        WRITE(RX[N - 2][i], READ(RX[N - 2][i]) * READ(D[N - 2][i]));
        WRITE(RY[N - 2][i], READ(RY[N - 2][i]) * D[N - 2][i]);
        WORK(6);
    }
    for (int j = N - 3; j > 0; j--)
        for (int i = 1; i < N - 1; i++) {
            double a = READ(AA[j][i]);
            double d = READ(D[j][i]);
            WRITE(RX[j][i], (READ(RX[j][i]) - a * READ(RX[j + 1][i])) * d);
            WRITE(RY[j][i], (READ(RY[j][i]) - a * READ(RY[j + 1][i])) * d);
            WORK(10);
        }
}

static void correct(void)
{
    for (int j = 1; j < N - 1; j++)
        for (int i = 1; i < N - 1; i++) {
            WRITE(X[j][i], READ(X[j][i]) + READ(RX[j][i]) * 0.01);
            WRITE(Y[j][i], READ(Y[j][i]) + READ(RY[j][i]) * 0.01);
            WORK(6);
        }
}

static void run(uint32_t part)
{
    (void)part;
    residuals();
    if (largest_residual() < 1e-12)
        return;
    eliminate();
    substitute();
    correct();
}

static const struct sc_object objects[] = {OBJECT(X),  OBJECT(Y),  OBJECT(RX), OBJECT(RY),
                                           OBJECT(AA), OBJECT(DD), OBJECT(D)};

const struct sc_program tomcatv = {"tomcatv", prepare, run, 300, objects, COUNT_OF(objects)};
