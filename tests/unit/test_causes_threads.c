/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which thread threw lines out: of objects, functions, threads and cells, through the profile into
 * a snapshot, beside sums made here. */
#include "unit.h"

#include "base/hash.h"
#include "profile/profile.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { OBJECTS = 3, FUNCTIONS = 3, THREADS = 4, MISSES = 4000, FIRST_TID = 100 };

static struct profile *profile;
static uint64_t now_ns;

static bool name_object(void *context, uint32_t object, struct object_desc *desc)
{
    static const char *const names[] = {"unknown", "matrix", "queue", "table"};
    (void)context;
    *desc = (struct object_desc){.name = names[object <= OBJECTS ? object : 0]};
    return true;
}

static bool name_function(void *context, uint32_t function, struct function_desc *desc)
{
    static const char *const names[] = {"unknown", "multiply", "fill", "look"};
    (void)context;
    *desc = (struct function_desc){.name = names[function <= FUNCTIONS ? function : 0]};
    return true;
}

static bool name_thread(void *context, uint32_t tid, char *out, size_t size)
{
    (void)context;
    snprintf(out, size, "worker-%" PRIu32, tid - FIRST_TID);
    return true;
}

static int begin(void **state)
{
    struct profile_options options = {
        .names = {.object = name_object, .function = name_function, .thread = name_thread},
        .ways = 10,
        .event_count = 1,
        .window_entries = 64,
    };
    (void)state;
    assert_int_equal(geometry_parse(&options.geometry, "L1=32K,8,64", "/", NULL), 0);
    assert_int_equal(profile_new(&profile, &options, NULL), 0);
    profile_set_basis(profile, BASIS_RUN);
    now_ns = 1000000000;
    return 0;
}

static int end(void **state)
{
    (void)state;
    profile_free(profile);
    return 0;
}

struct missed {
    uint32_t object, function, thread; /* who missed: from 1, from 1, from 0 */
    uint32_t by;                       /* thread; THREADS: not known */
    uint64_t weight;
};

static void miss(const struct missed *missed)
{
    bool known = missed->by < THREADS;
    struct place place = {.object = missed->object,
                          .function = missed->function,
                          .base = 0x1000,
                          .evictor_object = known ? 1 : 0,
                          .evictor_function = known ? 2 : 0};
    place.access = (struct access){.time_ns = ++now_ns,
                                   .ip = 0x400000 + missed->function,
                                   .address = 0x1000,
                                   .weight = missed->weight,
                                   .tid = FIRST_TID + missed->thread,
                                   .size = 8,
                                   .cause = known ? CAUSE_CAPACITY : CAUSE_FIRST,
                                   .evictor_tid = known ? FIRST_TID + missed->by : 0};
    profile_add(profile, &place);
}

/* Misses by thread that threw out, of one thing; [THREADS]: all whose evictor is known. */
typedef double sums[THREADS + 1];

static struct {
    sums object[OBJECTS + 1], function[FUNCTIONS + 1], thread[THREADS];
    sums cell[FUNCTIONS + 1][OBJECTS + 1];
} expected;

static void add(sums to, const struct missed *missed)
{
    to[missed->by] += (double)missed->weight;
    to[THREADS] += (double)missed->weight;
}

static void feed(void)
{
    struct prng prng = {5};
    memset(&expected, 0, sizeof expected);
    for (int i = 0; i < MISSES; i++) {
        struct missed missed = {1 + (uint32_t)prng_below(&prng, OBJECTS),
                                1 + (uint32_t)prng_below(&prng, FUNCTIONS),
                                (uint32_t)prng_below(&prng, THREADS),
                                (uint32_t)prng_below(&prng, THREADS + 1), 1 + prng_below(&prng, 9)};
        miss(&missed);
        if (missed.by == THREADS)
            continue;
        add(expected.object[missed.object], &missed);
        add(expected.function[missed.function], &missed);
        add(expected.thread[missed.thread], &missed);
        add(expected.cell[missed.function][missed.object], &missed);
    }
}

static const struct snapshot *look(void)
{
    struct snapshot head = {.iteration = 1};
    head.source.event_count = 1;
    return profile_snapshot(profile, &head, now_ns);
}

/* All four threads are listed, the largest share first, and add up to 1. */
static void same_threads(const struct snapshot_causes_row *row, const sums wanted)
{
    double all = 0;
    assert_true(fabs(row->figures.evicted - wanted[THREADS]) < 1e-6);
    assert_int_equal(row->thread_count, THREADS);
    for (size_t i = 0; i < row->thread_count; i++) {
        const struct snapshot_evictor_thread *thread = &row->threads[i];
        char name[32];
        assert_in_range(thread->tid, FIRST_TID, FIRST_TID + THREADS - 1);
        assert_true(fabs(thread->share - wanted[thread->tid - FIRST_TID] / wanted[THREADS]) < 1e-9);
        assert_true(!i || thread->share <= thread[-1].share);
        snprintf(name, sizeof name, "worker-%" PRIu32 " (%" PRIu32 ")", thread->tid - FIRST_TID,
                 thread->tid);
        assert_string_equal(thread->name, name);
        all += thread->share;
    }
    assert_true(fabs(all - 1) < 1e-9);
}

static void of_objects_functions_and_threads(void **state)
{
    (void)state;
    feed();
    const struct snapshot *snapshot = look();
    const struct snapshot_causes_list *of = snapshot->causes.of;
    assert_int_equal(of[CAUSES_OBJECTS].count, OBJECTS);
    assert_int_equal(of[CAUSES_FUNCTIONS].count, FUNCTIONS);
    assert_int_equal(of[CAUSES_THREADS].count, THREADS);
    for (size_t i = 0; i < OBJECTS; i++)
        same_threads(&of[CAUSES_OBJECTS].rows[i], expected.object[of[CAUSES_OBJECTS].rows[i].id]);
    for (size_t i = 0; i < FUNCTIONS; i++)
        same_threads(&of[CAUSES_FUNCTIONS].rows[i],
                     expected.function[of[CAUSES_FUNCTIONS].rows[i].id]);
    for (size_t i = 0; i < THREADS; i++) {
        const struct snapshot_causes_row *row = &of[CAUSES_THREADS].rows[i];
        const double *wanted = expected.thread[row->id - FIRST_TID];
        same_threads(row, wanted);
        assert_true(fabs(row->figures.by_itself - wanted[row->id - FIRST_TID] / wanted[THREADS]) <
                    1e-9);
    }
    snapshot_free(snapshot);
}

/* The matrix of threads: cells are exact, and add up to rows, columns and all. */
static void who_evicts_whom(void **state)
{
    double all = 0;
    (void)state;
    feed();
    const struct snapshot *snapshot = look();
    const struct snapshot_evictions *matrix = &snapshot->causes.of[CAUSES_THREADS].evictions;
    assert_int_equal(matrix->row_count, THREADS);
    assert_int_equal(matrix->column_count, THREADS);
    for (size_t i = 0; i < THREADS; i++) {
        uint32_t whose = matrix->rows[i].id - FIRST_TID;
        double sum = matrix->cells[i][THREADS];
        assert_true(fabs(matrix->cells[i][THREADS]) < 1e-6);
        for (size_t k = 0; k < THREADS; k++) {
            assert_true(fabs(matrix->cells[i][k] -
                             expected.thread[whose][matrix->columns[k].id - FIRST_TID]) < 1e-6);
            sum += matrix->cells[i][k];
        }
        assert_true(fabs(sum - matrix->rows[i].misses) < 1e-6);
        all += sum;
    }
    assert_true(fabs(all - matrix->misses) < 1e-6);
    snapshot_free(snapshot);
}

static void of_cells(void **state)
{
    size_t found = 0;
    (void)state;
    feed();
    const struct snapshot *snapshot = look();
    const struct snapshot_matrix *matrix = &snapshot->matrix;
    for (size_t i = 0; i < matrix->evictor_thread_count; i++) {
        const struct snapshot_matrix_evictor_thread *one = &matrix->evictor_threads[i];
        uint32_t function = snapshot->code[matrix->rows[one->row]].id;
        uint32_t object = snapshot->objects[matrix->columns[one->column]].id;
        unsigned by;
        assert_int_equal(sscanf(one->name, "worker-%u", &by), 1);
        assert_in_range(by, 0, THREADS - 1);
        assert_true(fabs(one->misses - expected.cell[function][object][by]) < 1e-6);
        found++;
    }
    assert_int_equal(found, FUNCTIONS * OBJECTS * THREADS);
    snapshot_free(snapshot);
}

/* Of threads that nobody is told of, and where there is only one, nothing is made up. */
static void unknown_is_nobody(void **state)
{
    struct missed missed = {1, 1, 0, THREADS, 5};
    (void)state;
    miss(&missed);
    const struct snapshot *snapshot = look();
    assert_int_equal(snapshot->causes.of[CAUSES_OBJECTS].rows[0].thread_count, 0);
    assert_true(isnan(snapshot->causes.of[CAUSES_THREADS].rows[0].figures.by_itself));
    assert_int_equal(snapshot->causes.of[CAUSES_THREADS].evictions.row_count, 0);
    snapshot_free(snapshot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(of_objects_functions_and_threads, begin, end),
        cmocka_unit_test_setup_teardown(who_evicts_whom, begin, end),
        cmocka_unit_test_setup_teardown(of_cells, begin, end),
        cmocka_unit_test_setup_teardown(unknown_is_nobody, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
