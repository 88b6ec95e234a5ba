/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a cell of the matrix is made of, against a plain count: instructions, threads and blocks,
 * levels; and nothing where the source tells nothing. */
#include "unit.h"

#include "base/hash.h"
#include "profile_fixture.h"

#include <linux/perf_event.h>
#include <math.h>
#include <string.h>

enum { FUNCTIONS = 6, OBJECTS = 5, SITES = 4, THREADS = 3, BLOCKS = 7, SAMPLES = 3000 };
#define LOAD_L1   (PERF_MEM_S(OP, LOAD) | PERF_MEM_S(LVL, HIT) | PERF_MEM_S(LVL, L1))
#define LOAD_DRAM (PERF_MEM_S(OP, LOAD) | PERF_MEM_S(LVL, HIT) | PERF_MEM_S(LVL, LOC_RAM))

struct counted_cell {
    double sites[SITES];
    double blocks[THREADS][BLOCKS];
    double near; /* weight found in the L1, elsewhere */
    double far;
    double cycles;
};

static struct counted_cell counted[FUNCTIONS + 1][OBJECTS]; /* function 0 is none */
static struct profile *profile;
static double all_weight;

/* Weight in samples of mean weight. */
static bool is_weight(double samples, double weight)
{
    return fabs(samples - weight * SAMPLES / all_weight) < 1e-6 * SAMPLES;
}

static uint64_t base_of(uint32_t object, uint32_t block)
{
    return object * PROFILE_FIXTURE_APART + block * 0x1000;
}

static void add_one(struct prng *prng, uint64_t now, bool told)
{
    uint32_t object = 1 + (uint32_t)prng_below(prng, OBJECTS - 1);
    uint32_t function = 1 + (uint32_t)prng_below(prng, FUNCTIONS);
    uint32_t site = (uint32_t)prng_below(prng, SITES);
    uint32_t thread = (uint32_t)prng_below(prng, THREADS);
    uint32_t block = (uint32_t)prng_below(prng, BLOCKS);
    bool far = (function + object) % 2;
    uint64_t weight = 1 + prng_below(prng, 9);
    uint64_t latency = far ? 300 : 4;
    struct place place = {.object = object, .function = function, .base = base_of(object, block)};
    place.access = (struct access){.time_ns = now,
                                   .ip = function * 0x100 + site,
                                   .address = place.base + prng_below(prng, 0x1000),
                                   .weight = weight,
                                   .latency = told ? latency : 0,
                                   .data_src = !told ? 0
                                               : far ? LOAD_DRAM
                                                     : LOAD_L1,
                                   .kind = ACCESS_LOAD,
                                   .tid = 100 + thread,
                                   .size = 8};
    profile_add(profile, &place);
    struct counted_cell *cell = &counted[function][object];
    cell->sites[site] += (double)weight;
    cell->blocks[thread][block] += (double)weight;
    all_weight += (double)weight;
    *(far ? &cell->far : &cell->near) += (double)weight;
    cell->cycles += (double)(latency * weight);
}

static const struct snapshot *watch(bool told)
{
    struct prng prng = {3};
    struct snapshot head = {0};
    memset(counted, 0, sizeof counted);
    all_weight = 0;
    profile = profile_fixture_new(0, 4096);
    for (unsigned i = 1; i <= SAMPLES; i++)
        add_one(&prng, i, told);
    const struct snapshot *snapshot = profile_snapshot(profile, &head, SAMPLES + 1);
    assert_non_null(snapshot);
    assert_int_equal(snapshot->matrix.row_count, FUNCTIONS);
    assert_int_equal(snapshot->matrix.column_count, OBJECTS - 1);
    return snapshot;
}

static void leave(const struct snapshot *snapshot)
{
    snapshot_free(snapshot);
    profile_free(profile);
}

static struct counted_cell *cell_of(const struct snapshot *snapshot, size_t row, size_t column)
{
    assert_true(row < FUNCTIONS && column < OBJECTS - 1);
    return &counted[snapshot->code[snapshot->matrix.rows[row]].id]
                   [snapshot->objects[snapshot->matrix.columns[column]].id];
}

static void instructions_are_those_of_the_cell(void **state)
{
    (void)state;
    const struct snapshot *snapshot = watch(false);
    const struct snapshot_matrix *matrix = &snapshot->matrix;
    double all = 0;
    for (size_t i = 0; i < matrix->site_count; i++) {
        const struct snapshot_matrix_site *site = &matrix->sites[i];
        struct counted_cell *cell = cell_of(snapshot, site->row, site->column);
        assert_true(is_weight(site->samples, cell->sites[site->address % 0x100]));
        assert_true(site->loads == site->samples && site->stores == 0);
        cell->sites[site->address % 0x100] = NAN; /* once only */
        all += site->samples;
    }
    assert_true(fabs(all - SAMPLES) < 1e-6 * SAMPLES);
    leave(snapshot);
}

static void threads_and_blocks_are_those_of_the_cell(void **state)
{
    (void)state;
    const struct snapshot *snapshot = watch(false);
    const struct snapshot_matrix *matrix = &snapshot->matrix;
    double all = 0;
    assert_int_equal(matrix->recent, SAMPLES);
    for (size_t i = 0; i < matrix->block_count; i++) {
        const struct snapshot_matrix_block *block = &matrix->blocks[i];
        struct counted_cell *cell = cell_of(snapshot, block->row, block->column);
        uint64_t number = block->base % PROFILE_FIXTURE_APART / 0x1000;
        assert_true(block->tid - 100 < THREADS && number < BLOCKS);
        assert_true(is_weight(block->samples, cell->blocks[block->tid - 100][number]));
        cell->blocks[block->tid - 100][number] = NAN;
        all += block->samples;
    }
    assert_true(fabs(all - SAMPLES) < 1e-6 * SAMPLES);
    leave(snapshot);
}

static void levels_are_those_of_the_cell(void **state)
{
    (void)state;
    const struct snapshot *snapshot = watch(true);
    const struct snapshot_matrix *matrix = &snapshot->matrix;
    assert_int_equal(matrix->found_count, FUNCTIONS * (OBJECTS - 1));
    for (size_t i = 0; i < matrix->found_count; i++) {
        const struct snapshot_matrix_found *found = &matrix->found[i];
        const struct counted_cell *cell = cell_of(snapshot, found->row, found->column);
        assert_true(found->levels->level[DATA_L1] == cell->near);
        assert_true(found->levels->level[DATA_DRAM] == cell->far);
        assert_true(fabs(found->levels->latency * (cell->near + cell->far) - cell->cycles) < 1e-6);
        assert_true(snapshot_matrix_at(matrix, found->row, found->column)->cycles == cell->cycles);
    }
    leave(snapshot);
}

static void what_is_not_told_is_not_known(void **state)
{
    (void)state;
    const struct snapshot *snapshot = watch(false);
    assert_int_equal(snapshot->matrix.found_count, 0);
    assert_true(isnan(snapshot->matrix.all.cycles));
    assert_true(isnan(snapshot_matrix_at(&snapshot->matrix, 0, 0)->cycles));
    leave(snapshot);
}

/* A window that is larger than what is looked at, and then emptied. */
static void only_the_recent_past_tells_of_blocks(void **state)
{
    (void)state;
    struct snapshot head = {0};
    profile = profile_fixture_new(0, 32768);
    for (uint64_t i = 1; i <= 20000; i++) {
        struct place place = {.object = 1, .function = 1, .base = base_of(1, i > 10000)};
        place.access = (struct access){.time_ns = i, .ip = 1, .address = place.base, .tid = 1};
        profile_add(profile, &place);
    }
    const struct snapshot *snapshot = profile_snapshot(profile, &head, 20001);
    assert_int_equal(snapshot->matrix.recent, SNAPSHOT_MATRIX_RECENT);
    assert_int_equal(snapshot->matrix.block_count, 1);
    assert_int_equal(snapshot->matrix.blocks[0].base, base_of(1, 1));
    assert_int_equal(snapshot->matrix.blocks[0].samples, SNAPSHOT_MATRIX_RECENT);
    leave(snapshot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instructions_are_those_of_the_cell),
        cmocka_unit_test(threads_and_blocks_are_those_of_the_cell),
        cmocka_unit_test(levels_are_those_of_the_cell),
        cmocka_unit_test(what_is_not_told_is_not_known),
        cmocka_unit_test(only_the_recent_past_tells_of_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
