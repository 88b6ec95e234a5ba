/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * MemSpy's first example (Martonosi, Gupta, Anderson 1992, Figures 1 to 3): matrices of 295 x 295,
 * multiplied in blocks of 64, which just fit into a cache of 32 KB. The published figures give more
 * details than the text. Filling a matrix misses at each element, so a line holds one. There is a
 * reference to Y for every second multiplication, and a read and a write of Z for every fourth, so
 * the program works on two rows of Z and four of Y at a time, and on the remainders separately.
 * With these assumptions and a direct-mapped cache, all counts of Figures 2 and 3 are reproduced.
 */
#include "unit.h"

#include "machine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 295, BLOCK = 64, TILE = 4, SAMPLED = 13 };
enum { X = 1, Y, Z, MATRICES };
enum { MAIN = 1, CLEAR, MULTIPLY };

static struct machine machine;

static void touch(uint32_t function, uint32_t matrix, int row, int column, uint32_t kind)
{
    machine_access(&machine, 0, function, matrix, ((uint64_t)row * N + (uint64_t)column) * 8, 8,
                   kind);
}

static void fill(uint32_t function, uint32_t matrix)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            touch(function, matrix, i, j, MODEL_STORE);
}

/* Computes elements [j0, j1) of `rows` rows of Z from row i, with `tile` products each. */
static void multiply_tile(int i, int rows, int k, int tile, int j0, int j1)
{
    for (int u = 0; u < tile; u++)
        for (int v = 0; v < rows; v++)
            touch(MULTIPLY, X, i + v, k + u, MODEL_LOAD);
    for (int j = j0; j < j1; j++) {
        for (int u = 0; u < tile; u++)
            touch(MULTIPLY, Y, k + u, j, MODEL_LOAD);
        for (int v = 0; v < rows; v++) {
            touch(MULTIPLY, Z, i + v, j, MODEL_LOAD);
            touch(MULTIPLY, Z, i + v, j, MODEL_STORE);
        }
    }
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* The last row of an odd number is processed without tiles. */
static void multiply_block(int k0, int j0)
{
    int k1 = least(k0 + BLOCK, N);
    int j1 = least(j0 + BLOCK, N);
    int k;
    for (int i = 0; i + 1 < N; i += 2) {
        for (k = k0; k + TILE <= k1; k += TILE)
            multiply_tile(i, 2, k, TILE, j0, j1);
        for (; k < k1; k++)
            multiply_tile(i, 2, k, 1, j0, j1);
    }
    for (k = k0; k < k1; k++)
        multiply_tile(N - 1, 1, k, 1, j0, j1);
}

static void run(void)
{
    struct machine_options options = {.cache = {.size_bytes = 32 << 10, .ways = 1, .line_bytes = 8},
                                      .processors = 1,
                                      .one_in = SAMPLED,
                                      .functions = {NULL, "main", "ClearProduct", "BlkMultiply"}};
    static const char *const names[MATRICES] = {NULL, "X", "Y", "Z"};
    for (int i = X; i < MATRICES; i++)
        options.objects[i] =
            (struct machine_object){names[i], 0x600000 + (uint64_t)i * N * N * 8, N * N * 8};
    machine_init(&machine, &options);
    fill(MAIN, X);
    fill(MAIN, Y);
    fill(CLEAR, Z);
    for (int k = 0; k < N; k += BLOCK)
        for (int j = 0; j < N; j += BLOCK)
            multiply_block(k, j);
}

/* Compares a figure with the published one, with a tolerance of `by`. */
static void compare(const char *what, double ours, double published, double by)
{
    printf("%-44s %8.2f %8.2f\n", what, ours, published);
    fflush(stdout);
    assert_true(fabs(ours - published) <= by);
}

static void multiply_matches_published_figures(void **state)
{
    (void)state;
    run();
    const struct snapshot *snapshot = machine_snapshot(&machine);
    const struct snapshot_causes_figures *cell = machine_cell(snapshot, "BlkMultiply", "Y");
    double misses = (double)machine.misses;
    double multiplied = (double)(machine.accesses[Y] - N * N);
    assert_non_null(cell);
    printf("%-44s %8s %8s\n", "MemSpy's blocked matrix multiply", "ours", "there");
    compare("references, millions", (double)(machine.reads + machine.writes) / 1e6, 26.93, 0.01);
    compare("reads", (double)machine.reads / 1e6, 19.99, 0.01);
    compare("misses", misses / 1e6, 10.19, 0.02);
    compare("% of them of Y in BlkMultiply", 100 * cell->misses / misses, 85.5, 0.3);
    compare("% of Z in BlkMultiply",
            100 * machine_cell(snapshot, "BlkMultiply", "Z")->misses / misses, 7.7, 0.3);
    compare("% of X in BlkMultiply",
            100 * machine_cell(snapshot, "BlkMultiply", "X")->misses / misses, 4.3, 0.3);
    compare("Y in BlkMultiply: % of references that miss", 100 * cell->misses / multiplied, 67.6,
            0.3);
    compare("  % of these replacements",
            100 * (cell->share[CAUSE_CAPACITY] + cell->share[CAUSE_CONFLICT]), 100, 0);
    compare("  % of these caused by Y", 100 * machine_evicted_by(snapshot, "BlkMultiply", "Y", "Y"),
            90.0, 0.5);
    compare("  % by Z", 100 * machine_evicted_by(snapshot, "BlkMultiply", "Y", "Z"), 6.9, 0.5);
    compare("  % by X", 100 * machine_evicted_by(snapshot, "BlkMultiply", "Y", "X"), 3.1, 0.5);
    snapshot_free(snapshot);
    machine_fini(&machine);
}

int main(void)
{
#ifdef __SANITIZE_ADDRESS__
    /* 27 million references; test_tri covers the same code. */
    if (!getenv("MEMSPY_FULL")) {
        printf("skipped: it takes 12 s with sanitizers; MEMSPY_FULL=1 runs it\n");
        return 77;
    }
#endif
    const struct CMUnitTest tests[] = {cmocka_unit_test(multiply_matches_published_figures)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
