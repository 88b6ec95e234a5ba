/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * MemSpy's first example without hardware: the accesses of tests/bench/blocked_multiply.c (295 x
 * 295, blocks of 64) through a model of a cache, 64 KB direct-mapped with lines of 16 bytes, and
 * the misses into the profile. Y leads in BlkMultiply, as it did there.
 */
#include "unit.h"

#include "profile/profile.h"

#include <stdio.h>

enum { N = 295, BLOCK = 64, LINE = 16, SETS = 4096, SAMPLED = 97 };
enum { UNNAMED, X, Y, Z, InitMatrices = 1, BlkMultiply };

#define BASE(matrix) (UINT64_C(0x600000) + (uint64_t)((matrix)-1) * N * N * 8)

struct machine {
    uint64_t tags[SETS];
    uint64_t misses;
    uint64_t missed[4][3]; /* by object and function, all of them */
    struct profile *profile;
};

static bool object(void *context, uint32_t id, struct object_desc *desc)
{
    static const char *const names[] = {"unknown", "X", "Y", "Z"};
    (void)context;
    *desc = (struct object_desc){.name = names[id], .module = "", .kind = OBJECT_GLOBAL};
    return true;
}

static bool function(void *context, uint32_t id, struct function_desc *desc)
{
    static const char *const names[] = {"unknown", "InitMatrices", "BlkMultiply"};
    (void)context;
    *desc = (struct function_desc){.name = names[id], .module = "", .file = ""};
    return true;
}

static void sample(struct machine *machine, uint32_t code, uint32_t data, uint64_t address,
                   uint8_t kind)
{
    struct place place = {.object = data, .function = code, .base = BASE(data)};
    place.access = (struct access){.time_ns = machine->misses,
                                   .ip = code * 256 + data * 16 + kind,
                                   .address = address,
                                   .weight = SAMPLED,
                                   .kind = kind,
                                   .tid = 1,
                                   .size = 8};
    profile_add(machine->profile, &place);
}

static void touch(struct machine *machine, uint32_t code, uint32_t data, int row, int column,
                  uint8_t kind)
{
    uint64_t address = BASE(data) + ((uint64_t)row * N + (uint64_t)column) * 8;
    uint64_t *tag = &machine->tags[address / LINE % SETS];
    if (*tag == address / LINE)
        return;
    *tag = address / LINE;
    machine->missed[data][code]++;
    if (machine->misses++ % SAMPLED == 0)
        sample(machine, code, data, address, kind);
}

static void multiply_block(struct machine *machine, int k0, int j0)
{
    int k1 = k0 + BLOCK < N ? k0 + BLOCK : N;
    int j1 = j0 + BLOCK < N ? j0 + BLOCK : N;
    for (int i = 0; i < N; i++)
        for (int k = k0; k < k1; k++) {
            touch(machine, BlkMultiply, X, i, k, ACCESS_LOAD);
            for (int j = j0; j < j1; j++) {
                touch(machine, BlkMultiply, Y, k, j, ACCESS_LOAD);
                touch(machine, BlkMultiply, Z, i, j, ACCESS_LOAD_STORE);
            }
        }
}

static void run(struct machine *machine)
{
    for (uint32_t matrix = X; matrix <= Z; matrix++)
        for (int i = 0; i < N; i++)
            for (int k = 0; k < N; k++)
                touch(machine, InitMatrices, matrix, i, k, ACCESS_STORE);
    for (int k = 0; k < N; k += BLOCK)
        for (int j = 0; j < N; j += BLOCK)
            multiply_block(machine, k, j);
}

static double true_share(const struct machine *machine, const struct snapshot *snapshot, size_t row,
                         size_t column)
{
    uint32_t data = snapshot->objects[snapshot->matrix.columns[column]].id;
    uint32_t code = snapshot->code[snapshot->matrix.rows[row]].id;
    return (double)machine->missed[data][code] / (double)machine->misses;
}

static void y_in_blk_multiply_leads(void **state)
{
    (void)state;
    static struct machine machine;
    struct profile_options options = {
        .names = {.object = object, .function = function}, .ways = 10, .event_count = 1};
    struct snapshot head = {0};
    assert_int_equal(geometry_parse(&options.geometry, "L1=64K,1,16", "/", NULL), 0);
    assert_int_equal(profile_new(&machine.profile, &options, NULL), 0);
    run(&machine);
    const struct snapshot *snapshot = profile_snapshot(machine.profile, &head, machine.misses);
    const struct snapshot_matrix *matrix = &snapshot->matrix;
    assert_int_equal(matrix->row_count, 2);
    assert_int_equal(matrix->column_count, 3);
    assert_string_equal(snapshot->code[matrix->rows[0]].function, "BlkMultiply");
    assert_string_equal(snapshot->objects[matrix->columns[0]].name, "Y");
    double most = snapshot_matrix_at(matrix, 0, 0)->share;
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < 3; k++) {
            double share = snapshot_matrix_at(matrix, i, k)->share;
            printf("%-14s %s %5.1f %% of %llu misses, %5.1f sampled\n",
                   snapshot->code[matrix->rows[i]].function,
                   snapshot->objects[matrix->columns[k]].name,
                   true_share(&machine, snapshot, i, k) * 100, (unsigned long long)machine.misses,
                   share * 100);
            assert_true(share <= most);
        }
    snapshot_free(snapshot);
    profile_free(machine.profile);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(y_in_blk_multiply_leads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
