/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Use of lines, who used and threw out what, and threads that write: tiny traces, worked by hand.
 */
#include "unit.h"

#include "model_tiny.h"

#include <string.h>

enum { NOBODY = -1 };

/* 8 bytes read twice, 4 others written, of 16: 12 used, touched 20 times. */
static void use_by_the_papers_formulas(void **state)
{
    (void)state;
    struct model *model = tiny_model(tiny_two_by_two);
    struct model_thread *thread = model_thread(model, 0);
    model_access(thread, 0, 8, MODEL_LOAD | MODEL_FLOAT, 7);
    model_access(thread, 0, 8, MODEL_LOAD, 8);
    model_access(thread, 8, 4, MODEL_STORE, 8);
    model_access(thread, 2 * TINY_LINE, 1, MODEL_LOAD, 9);
    assert_int_equal(tiny_eviction_count, 0);
    model_access(thread, 4 * TINY_LINE, 1, MODEL_LOAD, 10);
    assert_int_equal(tiny_eviction_count, 1);
    assert_int_equal(tiny_evictions[0].fetched.ip, 7);
    assert_int_equal(tiny_evictions[0].evictor.ip, 10);
    assert_int_equal(tiny_evictions[0].use.touched, 0xfff);
    assert_int_equal(tiny_evictions[0].use.written, 0xf00);
    assert_true(tiny_evictions[0].dirty);
    const struct model_figures *seven = model_of_ip(model, 7, 0);
    assert_int_equal(seven->uses[MODEL_LOAD_FLOAT], 1);
    assert_int_equal(seven->uses[MODEL_LOAD_INTEGER], 1);
    assert_int_equal(seven->uses[MODEL_STORE_INTEGER], 1);
    assert_int_equal(seven->written_back, 1);
    assert_float_equal(model_spatial_use(seven, TINY_LINE), 75, 1e-9);
    assert_float_equal(model_temporal_use(seven), 20.0 / 12 - 1, 1e-9);
    model_finish(model);
    assert_int_equal(model_total(model, 0)->fetched, 3);
    assert_float_equal(model_spatial_use(model_total(model, 0), TINY_LINE), 100.0 * 14 / 48, 1e-9);
}

/* What the first level did with a line is use at the second too, once, whichever leaves first. */
static void use_is_told_to_the_level_below(void **state)
{
    (void)state;
    struct model_spec spec = {
        .level = {{.size_bytes = TINY_LINE, .ways = 1, .line_bytes = TINY_LINE},
                  {.size_bytes = 4 * TINY_LINE, .ways = 2, .line_bytes = 2 * TINY_LINE}},
        .level_count = 2};
    struct model *model = tiny_model(spec);
    struct model_thread *thread = model_thread(model, 0);
    model_access(thread, 0, 4, MODEL_LOAD, 1);
    model_access(thread, TINY_LINE, 4, MODEL_STORE, 2); /* the other half of the longer line */
    model_access(thread, TINY_LINE, 4, MODEL_LOAD, 2);
    model_access(thread, 0, 4, MODEL_LOAD, 1);
    model_finish(model);
    const struct model_figures *second = model_total(model, 1);
    assert_int_equal(second->misses, 1);
    assert_int_equal(second->fetched, 1);
    assert_int_equal(second->used_bytes, 8);
    assert_int_equal(second->touched_bytes, 16);
    assert_int_equal(second->written_back, 1);
    assert_int_equal(model_of_ip(model, 1, 1)->used_bytes, 8);
    assert_int_equal(model_of_ip(model, 2, 1)->fetched, 0);
}

static void add_pair(void *context, uint32_t first, uint32_t second, uint64_t count)
{
    uint64_t *table = context;
    table[first * 4 + second] += count;
}

/* Statement 1 fetches what 2 and 3 use; another bin throws it out, and costs as much as it misses.
 */
static void who_did_what_to_whom(void **state)
{
    (void)state;
    struct model_spec spec = tiny_two_by_two;
    uint64_t table[16] = {0};
    spec.users_one_in = 1;
    struct model *model = tiny_model(spec);
    struct model_thread *thread = model_thread(model, 0);
    model_access(thread, 0, 4, MODEL_LOAD, 1);
    model_access(thread, 4, 4, MODEL_LOAD, 2);
    model_access(thread, 4, 4, MODEL_LOAD, 3);
    model_access(thread, 4, 4, MODEL_LOAD, 2);
    model_access(thread, 4096, 4, MODEL_LOAD, 0);
    model_access(thread, 4096 + 2 * TINY_LINE, 4, MODEL_LOAD, 0);
    model_access(thread, 0, 4, MODEL_LOAD, 1);
    assert_int_equal(model_each_pair(model, MODEL_IP_USED_BY_IP, 0, add_pair, table), 0);
    assert_int_equal(table[1 * 4 + 1], 1);
    assert_int_equal(table[1 * 4 + 2], 2);
    assert_int_equal(table[1 * 4 + 3], 1);
    memset(table, 0, sizeof table);
    model_each_pair(model, MODEL_IP_EVICTED_BY_IP, 0, add_pair, table);
    assert_int_equal(table[1 * 4 + 0], 1);
    assert_int_equal(table[0 * 4 + 1], 1);
    memset(table, 0, sizeof table);
    model_each_pair(model, MODEL_BIN_EVICTED_BY_BIN, 0, add_pair, table);
    assert_int_equal(table[0 * 4 + 1], 1);
    assert_int_equal(model_of_bin(model, 0, 0)->evicted_by_other, 1);
    const double miss_cycles[] = {10};
    assert_float_equal(model_stall_cycles(model, miss_cycles, MODEL_NONE), 40, 0);
    assert_float_equal(model_stall_cycles(model, miss_cycles, 1), 20, 0);
}

struct shared_step {
    uint32_t thread, kind;
    uint64_t address;
    uint32_t served;
    enum model_cause cause;
    int evictor;
};

static void invalidation_by_bytes(void **state)
{
    (void)state;
    static const struct shared_step steps[] = {
        {0, MODEL_LOAD, 0, 1, MODEL_FIRST, NOBODY},
        {1, MODEL_STORE, 8, 1, MODEL_FIRST_HERE, NOBODY}, /* takes it from 0 */
        {1, MODEL_STORE, 8, 0, 0, 0},
        {0, MODEL_LOAD, 0, 1, MODEL_INVALIDATED_FALSE, 1},
        {1, MODEL_LOAD, 8, 0, 0, 0},   /* it was only read */
        {1, MODEL_STORE, 12, 0, 0, 0}, /* 5: takes it again */
        {1, MODEL_STORE, 0, 0, 0, 0},  /* these bytes too */
        {0, MODEL_LOAD, 4, 1, MODEL_INVALIDATED_FALSE, 5},
        {1, MODEL_STORE, 0, 0, 0, 0}, /* 8 */
        {0, MODEL_LOAD, 0, 1, MODEL_INVALIDATED_TRUE, 8},
        {0, MODEL_STORE, 4, 0, 0, 0}, /* 10: now from 1 */
        {1, MODEL_LOAD, 4, 1, MODEL_INVALIDATED_TRUE, 10},
    };
    struct model_spec spec = tiny_two_by_two;
    spec.threads = 2;
    struct model *model = tiny_model(spec);
    for (uint32_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        const struct shared_step *step = &steps[i];
        struct model_thread *thread = model_thread(model, step->thread);
        assert_int_equal(model_access(thread, step->address, 4, step->kind, i), step->served);
        if (!step->served)
            continue;
        assert_int_equal(tiny_last_miss.level[0].cause, step->cause);
        assert_int_equal(tiny_last_miss.level[0].evictor.ip, (uint32_t)step->evictor);
    }
    assert_int_equal(model_total(model, 0)->evicted_by_same, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(use_by_the_papers_formulas, tiny_free),
        cmocka_unit_test_teardown(use_is_told_to_the_level_below, tiny_free),
        cmocka_unit_test_teardown(who_did_what_to_whom, tiny_free),
        cmocka_unit_test_teardown(invalidation_by_bytes, tiny_free),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
