/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * su2cor: masses of particles from a lattice of 16^4 sites. It has long phases, unlike applu: first
 * the propagator is computed by vectors over the sites (mainly R and S, and W2 as "intact"), then
 * the gauge field U is swept many times (W2 as "sweep"), and so on. U has most misses overall but
 * none at the start of the program, which made the paper's two-way search fail.
 */
#include "program.h"

/* Unused rows keep the arrays in different cache sets. */
enum {
    SITES = 16 * 16 * 16 * 16,
    ROWS = SITES + 339,
    PERIOD = 17,
    FIRST_PHASE = 2,
    PARTS = 900,
    OTHERS = 10
};

/* Doubles per site, in proportion to the misses in the paper. */
static double U[ROWS][16], R[ROWS][8], S[ROWS][8], W2_intact[ROWS][4], W2_sweep[ROWS];
static double B[ROWS][4], other[OTHERS][ROWS][3];

static void prepare(void)
{
    for (int site = 0; site < SITES; site++) {
        for (int i = 0; i < 16; i++)
            U[site][i] = 1.0 / (1 + i + site % 17);
        for (int i = 0; i < 8; i++)
            R[site][i] = S[site][i] = 1;
    }
}

/* Returns the neighbour one step ahead in one of four directions; the lattice is periodic. */
static int ahead(int site, int direction)
{
    int step = 1 << (4 * direction);
    return (site & ~(15 * step)) | ((site + step) & (15 * step));
}

static void propagate(void)
{
    for (int site = 0; site < SITES; site++) {
        double sum = 0;
        for (int i = 0; i < 8; i++) {
            sum += READ(R[site][i]) * READ(S[ahead(site, 0)][i]);
            WORK(3);
        }
        for (int i = 0; i < 4; i++) {
            WRITE(W2_intact[site][i], READ(B[site][i]) + 1e-3 * sum);
            WORK(3);
        }
        for (int i = 0; i < OTHERS; i++) {
            WRITE(other[i][site][0],
                  (READ(other[i][site][1]) + READ(other[i][site][2])) * 0.5 + sum);
            WORK(4);
        }
    }
    for (int site = 0; site < SITES; site++)
        for (int i = 0; i < 8; i++) {
            WRITE(R[site][i], 0.9 * READ(R[site][i]) + 0.01 * READ(W2_intact[site][i % 4]));
            WRITE(S[site][i], 0.9 * READ(S[site][i]) + 0.01 * W2_intact[site][i % 4]);
            WORK(8);
        }
}

static void sweep(void)
{
    for (int site = 0; site < SITES; site++) {
        double staple[4] = {0};
        for (int direction = 0; direction < 4; direction++)
            for (int i = 0; i < 4; i++) {
                staple[i] += READ(U[site][4 * direction + i]) *
                             READ(U[ahead(site, direction)][4 * direction + i]);
                WORK(3);
            }
        WRITE(W2_sweep[site], staple[0] + staple[1] + staple[2] + staple[3]);
        for (int i = 0; i < 16; i++) {
            WRITE(U[site][i], 0.99 * U[site][i] + 1e-3 * staple[i % 4]);
            WORK(3);
        }
    }
}

static void run(uint32_t part)
{
    if (part % PERIOD < FIRST_PHASE) {
        propagate();
        return;
    }
    sweep();
}

static const struct sc_object objects[] = {OBJECT(U),
                                           OBJECT(R),
                                           OBJECT(S),
                                           OBJECT(W2_intact),
                                           OBJECT(W2_sweep),
                                           OBJECT(B),
                                           {"other 0", other[0], sizeof other[0]},
                                           {"other 1", other[1], sizeof other[1]},
                                           {"other 2", other[2], sizeof other[2]},
                                           {"other 3", other[3], sizeof other[3]},
                                           {"other 4", other[4], sizeof other[4]},
                                           {"other 5", other[5], sizeof other[5]},
                                           {"other 6", other[6], sizeof other[6]},
                                           {"other 7", other[7], sizeof other[7]},
                                           {"other 8", other[8], sizeof other[8]},
                                           {"other 9", other[9], sizeof other[9]}};

const struct sc_program su2cor = {"su2cor", prepare, run, PARTS, objects, COUNT_OF(objects)};
