/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions x objects: compares cells with a plain count, and checks the sums even if the tables
 * have dropped entries. */
#include <linux/perf_event.h>
#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "unit.h"
#include "unit/profile/profile_fixture.h"

enum { PLAIN = 12 };

static struct access missed(struct prng *prng, uint64_t now, uint64_t ip)
{
    return (struct access){.time_ns = now,
                           .ip = ip,
                           .address = 0x10000 + prng_below(prng, 4096),
                           .weight = 1 + prng_below(prng, 1000),
                           .event = (uint16_t)prng_below(prng, 2),
                           .kind = (uint8_t)prng_below(prng, 4),
                           .latency = prng_below(prng, 500),
                           .tid = 1,
                           .size = 8};
}

/* Parameters of random places: the number of functions and objects, and the bits of instruction
 * addresses. */
struct shape {
    uint32_t functions;
    uint32_t objects;
    uint32_t bits;
    bool moves; /* the function of an instruction changes */
};

/* Returns a skewed random number: small ones are frequent. */
static uint32_t skewed_below(struct prng *prng, uint32_t count)
{
    uint32_t most = (uint32_t)prng_below(prng, count) + 1;
    return (uint32_t)prng_below(prng, most);
}

static void add_random(struct profile *profile, struct prng *prng, const struct shape *shape,
                       uint64_t now)
{
    struct place place = {.object = skewed_below(prng, shape->objects),
                          .function = 1 + skewed_below(prng, shape->functions),
                          .base = 0x10000};
    uint64_t ip = prng_below(prng, UINT64_C(1) << shape->bits);
    if (!shape->moves)
        ip |= (uint64_t)place.function << 32;
    place.access = missed(prng, now, ip);
    if (prng_below(prng, 8) == 0)
        place.access.reason = (uint8_t)prng_below(prng, REASON_COUNT);
    profile_add(profile, &place);
}

static void expect_near(double value, double expected, double all)
{
    assert_true(fabs(value - expected) <= 1e-7 * all + 1e-12);
}

/* Compares the sum of cells with a margin; `all` is the total. */
static void compare(const struct snapshot_matrix_cell *sum,
                    const struct snapshot_matrix_cell *margin,
                    const struct snapshot_matrix_cell *all)
{
    expect_near(sum->samples, margin->samples, all->samples);
    expect_near(sum->loads, margin->loads, all->samples);
    expect_near(sum->stores, margin->stores, all->samples);
    expect_near(sum->share, margin->share, 1);
    if (!isnan(margin->cycles)) /* samples without an object have no latencies */
        expect_near(sum->cycles, margin->cycles, all->cycles);
    for (int i = 0; i < SNAPSHOT_MEASURES; i++) {
        assert_int_equal(isnan(margin->by_measure[i]), isnan(all->by_measure[i]));
        if (!isnan(all->by_measure[i]))
            expect_near(sum->by_measure[i], margin->by_measure[i], all->by_measure[i]);
    }
}

static void add(struct snapshot_matrix_cell *sum, const struct snapshot_matrix_cell *cell)
{
    sum->samples += cell->samples;
    sum->loads += cell->loads;
    sum->stores += cell->stores;
    sum->share += cell->share;
    sum->cycles += isnan(cell->cycles) ? 0 : cell->cycles;
    for (int i = 0; i < SNAPSHOT_MEASURES; i++)
        sum->by_measure[i] += cell->by_measure[i];
}

static void check_sums(const struct snapshot_matrix *matrix)
{
    struct snapshot_matrix_cell rows = {0};
    struct snapshot_matrix_cell columns = {0};
    for (size_t i = 0; i < matrix->row_count + SNAPSHOT_MATRIX_REST; i++) {
        struct snapshot_matrix_cell sum = {0};
        for (size_t k = 0; k < matrix->column_count + SNAPSHOT_MATRIX_REST; k++)
            add(&sum, snapshot_matrix_at(matrix, i, k));
        compare(&sum, &matrix->row_totals[i], &matrix->all);
        add(&rows, &sum);
    }
    for (size_t k = 0; k < matrix->column_count + SNAPSHOT_MATRIX_REST; k++) {
        struct snapshot_matrix_cell sum = {0};
        for (size_t i = 0; i < matrix->row_count + SNAPSHOT_MATRIX_REST; i++)
            add(&sum, snapshot_matrix_at(matrix, i, k));
        compare(&sum, &matrix->column_totals[k], &matrix->all);
        add(&columns, &sum);
    }
    compare(&rows, &matrix->all, &matrix->all);
    compare(&columns, &matrix->all, &matrix->all);
    expect_near(rows.share, 1, 1);
}

static void check_bounds(const struct snapshot_matrix *matrix)
{
    const double slack = 1 + 1e-9;
    for (size_t i = 0; i < matrix->row_count + SNAPSHOT_MATRIX_REST; i++)
        for (size_t k = 0; k < matrix->column_count + SNAPSHOT_MATRIX_REST; k++) {
            const struct snapshot_matrix_cell *cell = snapshot_matrix_at(matrix, i, k);
            assert_true(cell->samples >= 0 && cell->share >= 0);
            assert_true(cell->loads >= 0 && cell->stores >= 0);
            assert_true(cell->samples <= matrix->row_totals[i].samples * slack + 1e-9);
            assert_true(cell->samples <= matrix->column_totals[k].samples * slack + 1e-9);
            assert_true(cell->share <= matrix->row_totals[i].share * slack + 1e-9);
            assert_true(cell->share <= matrix->column_totals[k].share * slack + 1e-9);
        }
    assert_true(matrix->estimated >= 0 && matrix->estimated <= matrix->dropped_share + 1e-9);
}

/* The margins equal the figures of the other screens. */
static void check_margins(const struct snapshot *snapshot)
{
    const struct snapshot_matrix *matrix = &snapshot->matrix;
    assert_true(matrix->row_count && matrix->row_count <= SNAPSHOT_MATRIX_ROWS);
    assert_true(matrix->column_count && matrix->column_count <= SNAPSHOT_MATRIX_COLUMNS);
    for (size_t i = 0; i < matrix->row_count; i++) {
        expect_near(matrix->row_totals[i].share, snapshot->code[matrix->rows[i]].all_share, 1);
        assert_true(!i || matrix->row_totals[i].share <= matrix->row_totals[i - 1].share);
    }
    for (size_t k = 0; k < matrix->column_count; k++) {
        expect_near(matrix->column_totals[k].share,
                    snapshot->objects[matrix->columns[k]].share.value * matrix->attributed, 1);
        assert_true(!k || matrix->column_totals[k].share <= matrix->column_totals[k - 1].share);
    }
}

/* Each row equals the one in Code, and samples without an object have no latencies. */
static void check_unattributed_column(const struct snapshot *snapshot)
{
    const struct snapshot_matrix *matrix = &snapshot->matrix;
    size_t last = matrix->column_count + 1;
    for (size_t i = 0; i < matrix->row_count; i++) {
        const struct snapshot_matrix_cell *cell = snapshot_matrix_at(matrix, i, last);
        expect_near(cell->share, snapshot->code[matrix->rows[i]].unknown_share, 1);
        expect_near(cell->samples, snapshot->code[matrix->rows[i]].unknown_samples,
                    matrix->all.samples);
        assert_true(isnan(cell->cycles));
    }
    expect_near(matrix->column_totals[last].share, 1 - matrix->attributed, 1);
    assert_true(snapshot_matrix_at(matrix, matrix->row_count + 1, last)->samples > 0);
}

static double expect_sums_hold(const struct shape *shape, double half_life_s, unsigned samples)
{
    struct prng prng = {shape->bits + 5};
    struct profile *profile = profile_fixture_new(half_life_s, 1024);
    struct snapshot head = {.iteration = 1};
    uint64_t now = 1;
    double estimated = 0;
    for (int refresh = 0; refresh < 4; refresh++) {
        for (unsigned i = 0; i < samples; i++)
            add_random(profile, &prng, shape, now += 50000);
        profile_set_basis(profile, refresh % 2 ? BASIS_RUN : BASIS_DECAYED);
        profile_set_ranking(profile, refresh == 3);
        const struct snapshot *snapshot = profile_snapshot(profile, &head, now);
        assert_non_null(snapshot);
        check_margins(snapshot);
        check_sums(&snapshot->matrix);
        check_unattributed_column(snapshot);
        check_bounds(&snapshot->matrix);
        estimated = fmax(estimated, snapshot->matrix.estimated);
        snapshot_free(snapshot);
    }
    profile_free(profile);
    return estimated;
}

static void matrix_cells_add_up_to_margins(void **state)
{
    (void)state;
    static const struct shape shapes[] = {
        {1, 1, 3, false},      {12, 9, 4, false},    {300, 2000, 2, false},
        {300, 100, 12, false}, {60, 30, 20, false},  {100000, 100000, 6, false},
        {20, 20, 4, true},     {3000, 50, 10, true},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        expect_sums_hold(&shapes[i], 10, 8000);
        expect_sums_hold(&shapes[i], 0, 8000);
        expect_sums_hold(&shapes[i], 0.002, 8000); /* renormalises the decay scale all the time */
    }
}

/* If no other pairs exist, dropped samples can only belong to listed cells. */
static void dropped_pairs_are_estimated_in_listed_cells(void **state)
{
    (void)state;
    assert_true(expect_sums_hold(&(struct shape){2, 2, 20, false}, 0, 30000) > 0.01);
    assert_true(expect_sums_hold(&(struct shape){2, 2, 2, false}, 0, 3000) == 0);
}

static void empty_profile_has_empty_matrix(void **state)
{
    (void)state;
    struct profile *profile = profile_fixture_new(0, 1024);
    struct snapshot head = {0};
    const struct snapshot *snapshot = profile_snapshot(profile, &head, 1);
    assert_int_equal(snapshot->matrix.row_count, 0);
    assert_int_equal(snapshot->matrix.column_count, 0);
    snapshot_free(snapshot);
    profile_free(profile);
}

static void compare_cells(const struct snapshot *snapshot,
                          struct snapshot_matrix_cell counted[PLAIN + 1][PLAIN])
{
    const struct snapshot_matrix *matrix = &snapshot->matrix;
    assert_int_equal(matrix->row_count, PLAIN);
    assert_int_equal(matrix->column_count, PLAIN);
    assert_true(matrix->dropped_share == 0);
    for (size_t i = 0; i < PLAIN; i++)
        for (size_t k = 0; k < PLAIN; k++) {
            const struct snapshot_matrix_cell *cell = snapshot_matrix_at(matrix, i, k);
            uint32_t function = snapshot->code[matrix->rows[i]].id;
            uint32_t object = snapshot->objects[matrix->columns[k]].id;
            const struct snapshot_matrix_cell *truth = &counted[function][object];
            /* Counted by weight, displayed in samples of mean weight. */
            double all = matrix->all.samples;
            double each = all / snapshot->totals.weight;
            expect_near(cell->samples, truth->share * each, all);
            expect_near(cell->loads, truth->loads * each, all);
            expect_near(cell->stores, truth->stores * each, all);
            assert_true(cell->cycles == truth->cycles);
            expect_near(cell->share, truth->share / snapshot->totals.weight, 1);
        }
}

static void matrix_cells_match_counted_samples(void **state)
{
    (void)state;
    static struct snapshot_matrix_cell counted[PLAIN + 1][PLAIN];
    struct prng prng = {7};
    struct profile *profile = profile_fixture_new(0, 1024);
    struct snapshot head = {0};
    for (unsigned i = 1; i <= 20000; i++) {
        struct place place = {.object = skewed_below(&prng, PLAIN),
                              .function = 1 + skewed_below(&prng, PLAIN)}; /* 0 is none */
        place.access = missed(&prng, i, place.function * 2 + prng_below(&prng, 2));
        profile_add(profile, &place);
        struct snapshot_matrix_cell *cell = &counted[place.function][place.object];
        uint8_t kind = place.access.kind;
        if (place.access.event)
            continue;
        double weight = (double)place.access.weight;
        cell->share += weight;
        cell->loads += kind == ACCESS_LOAD || kind == ACCESS_LOAD_STORE ? weight : 0;
        cell->stores += kind == ACCESS_STORE || kind == ACCESS_LOAD_STORE ? weight : 0;
        cell->cycles += (double)place.access.latency * (double)place.access.weight;
    }
    const struct snapshot *snapshot = profile_snapshot(profile, &head, 20001);
    compare_cells(snapshot, counted);
    snapshot_free(snapshot);
    profile_free(profile);
}

static int run_matrix(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matrix_cells_add_up_to_margins),
        cmocka_unit_test(dropped_pairs_are_estimated_in_listed_cells),
        cmocka_unit_test(empty_profile_has_empty_matrix),
        cmocka_unit_test(matrix_cells_match_counted_samples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Parts of a matrix cell compared with a plain count: instructions, threads and blocks, levels; and
 * none if the source does not record them. */

enum { FUNCTIONS = 6, OBJECTS = 5, SITES = 4, THREADS = 3, BLOCKS = 7, SAMPLES = 3000 };
#define LOAD_L1   (PERF_MEM_S(OP, LOAD) | PERF_MEM_S(LVL, HIT) | PERF_MEM_S(LVL, L1))
#define LOAD_DRAM (PERF_MEM_S(OP, LOAD) | PERF_MEM_S(LVL, HIT) | PERF_MEM_S(LVL, LOC_RAM))

struct counted_cell {
    double sites[SITES];
    double blocks[THREADS][BLOCKS];
    double near; /* weight found in L1, and elsewhere */
    double far;
    double cycles;
};

static struct counted_cell cells_counted[FUNCTIONS + 1][OBJECTS]; /* function 0 is none */
static struct profile *cells_profile;
static double all_weight;

/* Returns true if the weight equals this many samples of mean weight. */
static bool is_weight(double samples, double weight)
{
    return fabs(samples - weight * SAMPLES / all_weight) < 1e-6 * SAMPLES;
}

static uint64_t base_of(uint32_t object, uint32_t block)
{
    return object * PROFILE_FIXTURE_APART + block * 0x1000;
}

static void add_one(struct prng *prng, uint64_t now, bool reported)
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
                                   .latency = reported ? latency : 0,
                                   .data_src = !reported ? 0
                                               : far     ? LOAD_DRAM
                                                         : LOAD_L1,
                                   .kind = ACCESS_LOAD,
                                   .tid = 100 + thread,
                                   .size = 8};
    profile_add(cells_profile, &place);
    struct counted_cell *cell = &cells_counted[function][object];
    cell->sites[site] += (double)weight;
    cell->blocks[thread][block] += (double)weight;
    all_weight += (double)weight;
    *(far ? &cell->far : &cell->near) += (double)weight;
    cell->cycles += (double)(latency * weight);
}

static const struct snapshot *take_cells_snapshot(bool reported)
{
    struct prng prng = {3};
    struct snapshot head = {0};
    memset(cells_counted, 0, sizeof cells_counted);
    all_weight = 0;
    cells_profile = profile_fixture_new(0, 4096);
    for (unsigned i = 1; i <= SAMPLES; i++)
        add_one(&prng, i, reported);
    const struct snapshot *snapshot = profile_snapshot(cells_profile, &head, SAMPLES + 1);
    assert_non_null(snapshot);
    assert_int_equal(snapshot->matrix.row_count, FUNCTIONS);
    assert_int_equal(snapshot->matrix.column_count, OBJECTS - 1);
    return snapshot;
}

static void free_cells_snapshot(const struct snapshot *snapshot)
{
    snapshot_free(snapshot);
    profile_free(cells_profile);
}

static struct counted_cell *cell_of(const struct snapshot *snapshot, size_t row, size_t column)
{
    assert_true(row < FUNCTIONS && column < OBJECTS - 1);
    return &cells_counted[snapshot->code[snapshot->matrix.rows[row]].id]
                         [snapshot->objects[snapshot->matrix.columns[column]].id];
}

static void matrix_sites_match_counts_per_cell(void **state)
{
    (void)state;
    const struct snapshot *snapshot = take_cells_snapshot(false);
    const struct snapshot_matrix *matrix = &snapshot->matrix;
    double all = 0;
    for (size_t i = 0; i < matrix->site_count; i++) {
        const struct snapshot_matrix_site *site = &matrix->sites[i];
        struct counted_cell *cell = cell_of(snapshot, site->row, site->column);
        assert_true(is_weight(site->samples, cell->sites[site->address % 0x100]));
        assert_true(site->loads == site->samples && site->stores == 0);
        cell->sites[site->address % 0x100] = NAN; /* must occur only once */
        all += site->samples;
    }
    assert_true(fabs(all - SAMPLES) < 1e-6 * SAMPLES);
    free_cells_snapshot(snapshot);
}

static void matrix_threads_and_blocks_match_counts(void **state)
{
    (void)state;
    const struct snapshot *snapshot = take_cells_snapshot(false);
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
    free_cells_snapshot(snapshot);
}

static void matrix_cell_levels_match_counts(void **state)
{
    (void)state;
    const struct snapshot *snapshot = take_cells_snapshot(true);
    const struct snapshot_matrix *matrix = &snapshot->matrix;
    size_t width = matrix->column_count + SNAPSHOT_MATRIX_REST;
    size_t known = 0;
    for (size_t i = 0; i < (matrix->row_count + SNAPSHOT_MATRIX_REST) * width; i++) {
        const struct snapshot_levels *levels = matrix->cells[i].levels;
        if (!levels)
            continue;
        const struct counted_cell *cell = cell_of(snapshot, i / width, i % width);
        assert_true(levels->level[DATA_L1] == cell->near);
        assert_true(levels->level[DATA_DRAM] == cell->far);
        assert_true(fabs(levels->latency * (cell->near + cell->far) - cell->cycles) < 1e-6);
        assert_true(matrix->cells[i].cycles == cell->cycles);
        known++;
    }
    assert_int_equal(known, FUNCTIONS * (OBJECTS - 1));
    free_cells_snapshot(snapshot);
}

static void unrecorded_cell_levels_are_nan(void **state)
{
    (void)state;
    const struct snapshot *snapshot = take_cells_snapshot(false);
    assert_null(snapshot_matrix_at(&snapshot->matrix, 0, 0)->levels);
    assert_true(isnan(snapshot->matrix.all.cycles));
    assert_true(isnan(snapshot_matrix_at(&snapshot->matrix, 0, 0)->cycles));
    free_cells_snapshot(snapshot);
}

/* The window is larger than the part used here, and is then emptied. */
static void matrix_blocks_cover_recent_window_only(void **state)
{
    (void)state;
    struct snapshot head = {0};
    cells_profile = profile_fixture_new(0, 32768);
    for (uint64_t i = 1; i <= 20000; i++) {
        struct place place = {.object = 1, .function = 1, .base = base_of(1, i > 10000)};
        place.access = (struct access){.time_ns = i, .ip = 1, .address = place.base, .tid = 1};
        profile_add(cells_profile, &place);
    }
    const struct snapshot *snapshot = profile_snapshot(cells_profile, &head, 20001);
    assert_int_equal(snapshot->matrix.recent, SNAPSHOT_MATRIX_RECENT);
    assert_int_equal(snapshot->matrix.block_count, 1);
    assert_int_equal(snapshot->matrix.blocks[0].base, base_of(1, 1));
    assert_int_equal(snapshot->matrix.blocks[0].samples, SNAPSHOT_MATRIX_RECENT);
    free_cells_snapshot(snapshot);
}

static int run_cells(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matrix_sites_match_counts_per_cell),
        cmocka_unit_test(matrix_threads_and_blocks_match_counts),
        cmocka_unit_test(matrix_cell_levels_match_counts),
        cmocka_unit_test(unrecorded_cell_levels_are_nan),
        cmocka_unit_test(matrix_blocks_cover_recent_window_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(void)
{
    int failed = 0;
    failed += run_matrix();
    failed += run_cells();
    return failed;
}
