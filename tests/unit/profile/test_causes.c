/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Passes a stream of misses with causes through the profile to a snapshot; expected values are
 * computed by hand. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "profile/profile.h"
#include "unit.h"
#include "unit/names.h"

enum { MATRIX = 1, QUEUE, MULTIPLY = 1, FILL, MANY = 200000 };

static struct profile *causes_profile;
static struct snapshot causes_head;
static uint64_t causes_now_ns;

static bool name_object(void *context, uint32_t object, struct object_desc *desc)
{
    static const char *const names[] = {"unknown", "matrix", "queue"};
    (void)context;
    *desc = (struct object_desc){.name = object <= QUEUE ? names[object] : "other"};
    return true;
}

static bool name_function(void *context, uint32_t function, struct function_desc *desc)
{
    static const char *const names[] = {"unknown", "multiply", "fill"};
    (void)context;
    *desc = (struct function_desc){.name = function <= FILL ? names[function] : "other"};
    return true;
}

static int begin(void **state)
{
    static const struct fake_names answers = {.object = name_object, .function = name_function};
    struct profile_options options = {
        .names = FAKE_NAMES(&answers),
        .ways = 10,
        .event_count = 2,
        .window_entries = 64,
    };
    (void)state;
    assert_int_equal(geometry_parse(&options.geometry, "L1=32K,8,64", "/", NULL), 0);
    assert_int_equal(profile_new(&causes_profile, &options, NULL), 0);
    causes_head = (struct snapshot){.iteration = 1};
    causes_head.source.event_count = 2;
    causes_now_ns = 1000000000;
    return 0;
}

static int end(void **state)
{
    (void)state;
    profile_free(causes_profile);
    return 0;
}

static uint32_t missing = MULTIPLY; /* the function that misses */
static uint32_t causes_thread = 1;

static void add_miss(uint32_t object, enum miss_cause cause, uint64_t weight, uint32_t by_object,
                     uint32_t by_function)
{
    struct place place = {.object = object,
                          .function = missing,
                          .base = 0x1000,
                          .evictor_object = by_object,
                          .evictor_function = by_function};
    place.access = (struct access){.time_ns = ++causes_now_ns,
                                   .ip = 0x400000 + missing,
                                   .address = 0x1000,
                                   .weight = weight,
                                   .tid = causes_thread,
                                   .size = 8,
                                   .cause = (uint8_t)cause};
    profile_add(causes_profile, &place);
}

/* matrix: 100 misses: 50 conflict, 30 capacity, 20 first; of the 80 evictions, 60 by multiply on
 * the matrix itself, 12 by fill on the queue, 8 by fill on an unknown object. */
static void feed_matrix_and_queue(void)
{
    add_miss(MATRIX, CAUSE_CONFLICT, 40, MATRIX, MULTIPLY);
    add_miss(MATRIX, CAUSE_CONFLICT, 10, QUEUE, FILL);
    add_miss(MATRIX, CAUSE_CAPACITY, 20, MATRIX, MULTIPLY);
    add_miss(MATRIX, CAUSE_CAPACITY, 2, QUEUE, FILL);
    add_miss(MATRIX, CAUSE_CAPACITY, 8, 0, FILL);
    add_miss(MATRIX, CAUSE_FIRST, 15, 0, 0);
    add_miss(MATRIX, CAUSE_FIRST_HERE, 5, 0, 0);
    add_miss(QUEUE, CAUSE_INVALIDATED_FALSE, 30, 0, 0);
    add_miss(QUEUE, CAUSE_INVALIDATED_TRUE, 5, 0, 0);
    add_miss(QUEUE, CAUSE_UNKNOWN, 5, 0, 0);
}

static void assert_near(double value, double expected)
{
    assert_true(fabs(value - expected) < 1e-9);
}

static void miss_causes_have_shares_per_object(void **state)
{
    (void)state;
    feed_matrix_and_queue();
    const struct snapshot *snapshot = profile_snapshot(causes_profile, &causes_head, causes_now_ns);
    const struct snapshot_causes *causes = &snapshot->causes;
    const struct snapshot_causes_list *objects = &causes->by_kind[CAUSES_OBJECTS];
    const struct snapshot_causes_figures *matrix = &objects->rows[0].figures;
    const struct snapshot_causes_figures *queue = &objects->rows[1].figures;
    assert_true(causes->known);
    assert_int_equal(objects->count, 2);
    assert_string_equal(objects->rows[0].name, "matrix");
    assert_near(matrix->samples, 7);
    assert_near(matrix->misses, 100);
    assert_near(matrix->share[CAUSE_CONFLICT], 0.5);
    assert_near(matrix->share[CAUSE_CAPACITY], 0.3);
    assert_near(matrix->share[CAUSE_FIRST], 0.15);
    assert_near(matrix->share[CAUSE_FIRST_HERE], 0.05);
    assert_near(queue->misses, 40);
    assert_near(queue->share[CAUSE_INVALIDATED_FALSE], 0.75);
    assert_near(queue->share[CAUSE_UNKNOWN], 0.125);
    assert_near(causes->all.share[CAUSE_CONFLICT], 50 / 140.0);
    assert_near(causes->all.share[CAUSE_INVALIDATED_TRUE], 5 / 140.0);
    snapshot_free(snapshot);
}

static void object_rows_list_their_evictors(void **state)
{
    (void)state;
    feed_matrix_and_queue();
    const struct snapshot *snapshot = profile_snapshot(causes_profile, &causes_head, causes_now_ns);
    const struct snapshot_causes_row *matrix = &snapshot->causes.by_kind[CAUSES_OBJECTS].rows[0];
    const struct snapshot_causes_row *queue = &snapshot->causes.by_kind[CAUSES_OBJECTS].rows[1];
    assert_near(matrix->figures.evicted, 80);
    assert_near(matrix->figures.self_evicted, 0.75);
    assert_near(matrix->unlisted, 0);
    assert_int_equal(matrix->evictor_count, 3);
    assert_string_equal(matrix->evictors[0].function, "multiply");
    assert_string_equal(matrix->evictors[0].object, "matrix");
    assert_near(matrix->evictors[0].share, 0.75);
    assert_string_equal(matrix->evictors[1].object, "queue");
    assert_near(matrix->evictors[1].share, 0.15);
    assert_string_equal(matrix->evictors[2].function, "fill");
    assert_null(matrix->evictors[2].object);
    assert_int_equal(queue->evictor_count, 0);
    assert_true(isnan(queue->figures.self_evicted));
    snapshot_free(snapshot);
}

static void causes_are_known_for_ranking_event_only(void **state)
{
    (void)state;
    feed_matrix_and_queue();
    profile_set_ranking(causes_profile, 1);
    const struct snapshot *snapshot = profile_snapshot(causes_profile, &causes_head, causes_now_ns);
    assert_false(snapshot->causes.known);
    assert_int_equal(snapshot->causes.by_kind[CAUSES_OBJECTS].count, 0);
    snapshot_free(snapshot);
    profile_set_ranking(causes_profile, 0);
    profile_zero(causes_profile, causes_now_ns);
    add_miss(QUEUE, CAUSE_NOT_KNOWN, 1, 0, 0);
    snapshot = profile_snapshot(causes_profile, &causes_head, causes_now_ns);
    assert_false(snapshot->causes.known);
    snapshot_free(snapshot);
}

/* Every row and column of the matrix is the sum of its cells, and together they add up to the
 * total. */
static void expect_cells_add_up(const struct snapshot_evictions *evictions, double expected)
{
    double rows = 0;
    double columns = 0;
    for (size_t i = 0; i <= evictions->row_count; i++) {
        double row = 0;
        for (size_t k = 0; k <= evictions->column_count; k++)
            row += evictions->cells[i][k];
        assert_near(row, evictions->rows[i].misses);
        rows += row;
    }
    for (size_t k = 0; k <= evictions->column_count; k++)
        columns += evictions->columns[k].misses;
    assert_near(evictions->misses, expected);
    assert_near(rows, expected);
    assert_near(columns, expected);
}

/* In addition to feed_matrix_and_queue(): fill, in a second thread, has 30 misses on the queue; 24
 * were evicted by the matrix and 6 by the queue itself; of the 24, 18 by multiply. */
static void feed_second_thread(void)
{
    missing = FILL;
    causes_thread = 2;
    add_miss(QUEUE, CAUSE_CAPACITY, 18, MATRIX, MULTIPLY);
    add_miss(QUEUE, CAUSE_INCLUSION, 6, MATRIX, FILL);
    add_miss(QUEUE, CAUSE_CONFLICT, 6, QUEUE, FILL);
    missing = MULTIPLY;
    causes_thread = 1;
}

static void miss_causes_have_shares_per_function_and_thread(void **state)
{
    (void)state;
    feed_matrix_and_queue();
    feed_second_thread();
    const struct snapshot *snapshot = profile_snapshot(causes_profile, &causes_head, causes_now_ns);
    const struct snapshot_causes_list *functions = &snapshot->causes.by_kind[CAUSES_FUNCTIONS];
    const struct snapshot_causes_list *threads = &snapshot->causes.by_kind[CAUSES_THREADS];
    assert_int_equal(functions->count, 2);
    assert_string_equal(functions->rows[0].name, "multiply");
    assert_near(functions->rows[0].figures.misses, 140);
    assert_near(functions->rows[0].figures.share[CAUSE_CONFLICT], 50 / 140.0);
    assert_near(functions->rows[0].figures.self_evicted, 60 / 80.0);
    assert_string_equal(functions->rows[1].name, "fill");
    assert_near(functions->rows[1].figures.misses, 30);
    assert_near(functions->rows[1].figures.self_evicted, 12 / 30.0);
    assert_int_equal(functions->rows[1].evictor_count, 3);
    assert_string_equal(functions->rows[1].evictors[0].function, "multiply");
    assert_near(functions->rows[1].evictors[0].share, 18 / 30.0);
    assert_int_equal(threads->count, 2);
    assert_int_equal(threads->rows[1].id, 2);
    assert_string_equal(threads->rows[1].name, "thread 2");
    assert_near(threads->rows[1].figures.share[CAUSE_INCLUSION], 0.2);
    assert_true(isnan(threads->rows[1].figures.self_evicted));
    snapshot_free(snapshot);
}

/* DTrack 3.5: premature evictions, by the same object or by another. An unknown evictor counts as
 * neither, and a line invalidated by another thread's write was not evicted too early. */
static void premature_evictions_are_split_by_evicting_object(void **state)
{
    (void)state;
    feed_matrix_and_queue();
    feed_second_thread();
    add_miss(QUEUE, CAUSE_INVALIDATED_TRUE, 10, QUEUE, FILL);
    const struct snapshot *snapshot = profile_snapshot(causes_profile, &causes_head, causes_now_ns);
    const struct snapshot_causes_row *matrix = &snapshot->causes.by_kind[CAUSES_OBJECTS].rows[0];
    const struct snapshot_causes_row *queue = &snapshot->causes.by_kind[CAUSES_OBJECTS].rows[1];
    const struct snapshot_causes_figures *all = &snapshot->causes.all;
    assert_near(matrix->figures.early_same, 0.60);
    assert_near(matrix->figures.early_other, 0.12);
    assert_near(queue->figures.early_same, 6 / 80.0);
    assert_near(queue->figures.early_other, 24 / 80.0);
    assert_near(queue->figures.self_evicted, 16 / 40.0);
    assert_near(all->misses, 180);
    assert_near(all->early_same, 66 / 180.0);
    assert_near(all->early_other, 36 / 180.0);
    assert_near(snapshot->causes.by_kind[CAUSES_FUNCTIONS].rows[1].figures.early_other, 24 / 30.0);
    snapshot_free(snapshot);
}

/* Rows: objects that missed; columns: evictors. */
static void eviction_matrix_of_objects_and_functions(void **state)
{
    (void)state;
    feed_matrix_and_queue();
    feed_second_thread();
    const struct snapshot *snapshot = profile_snapshot(causes_profile, &causes_head, causes_now_ns);
    const struct snapshot_evictions *objects = &snapshot->causes.by_kind[CAUSES_OBJECTS].evictions;
    const struct snapshot_evictions *functions =
        &snapshot->causes.by_kind[CAUSES_FUNCTIONS].evictions;
    assert_int_equal(objects->row_count, 2);
    assert_int_equal(objects->column_count, 2);
    assert_string_equal(objects->rows[0].name, "matrix");
    assert_string_equal(objects->columns[0].name, "matrix");
    assert_near(objects->cells[0][0], 60);
    assert_near(objects->cells[0][1], 12);
    assert_near(objects->cells[0][2], 8);
    assert_near(objects->cells[1][0], 24);
    assert_near(objects->cells[1][1], 6);
    assert_near(objects->columns[0].misses, 84);
    assert_null(objects->columns[2].name);
    expect_cells_add_up(objects, 110);
    assert_string_equal(functions->rows[0].name, "multiply");
    assert_string_equal(functions->columns[0].name, "multiply");
    assert_near(functions->cells[0][0], 60);
    assert_near(functions->cells[0][1], 20);
    assert_near(functions->cells[1][0], 18);
    assert_near(functions->cells[1][1], 12);
    expect_cells_add_up(functions, 110);
    snapshot_free(snapshot);
}

static const struct snapshot_causes_figures *cell_of(const struct snapshot_matrix *matrix,
                                                     uint16_t row, uint16_t column)
{
    return snapshot_matrix_at(matrix, row, column)->causes;
}

/* MemSpy's details of a bin: a function's misses on an object, and their evictors. */
static void matrix_cells_have_causes_and_evictors(void **state)
{
    (void)state;
    feed_matrix_and_queue();
    feed_second_thread();
    const struct snapshot *snapshot = profile_snapshot(causes_profile, &causes_head, causes_now_ns);
    const struct snapshot_matrix *matrix = &snapshot->matrix;
    double by_matrix = 0;
    assert_string_equal(snapshot->code[matrix->rows[1]].function, "fill");
    assert_string_equal(snapshot->objects[matrix->columns[1]].name, "queue");
    assert_near(cell_of(matrix, 0, 0)->misses, 100);
    assert_near(cell_of(matrix, 0, 1)->share[CAUSE_INVALIDATED_FALSE], 0.75);
    assert_null(cell_of(matrix, 1, 0));
    assert_near(cell_of(matrix, 1, 1)->share[CAUSE_CAPACITY], 0.6);
    assert_near(cell_of(matrix, 1, 1)->self_evicted, 0.2);
    for (size_t i = 0; i < matrix->evictor_count; i++) {
        const struct snapshot_matrix_evictor *evictor = &matrix->evictors[i];
        if (evictor->row == 1 && evictor->column == 1 && !strcmp(evictor->object, "matrix"))
            by_matrix += evictor->misses;
    }
    assert_near(by_matrix, 24);
    snapshot_free(snapshot);
}

/* Evictors are kept separately for two functions that miss on one object. */
static void evictors_are_counted_per_missing_function(void **state)
{
    (void)state;
    add_miss(MATRIX, CAUSE_CAPACITY, 30, QUEUE, FILL);
    missing = FILL;
    add_miss(MATRIX, CAUSE_CAPACITY, 10, QUEUE, FILL);
    missing = MULTIPLY;
    const struct snapshot *snapshot = profile_snapshot(causes_profile, &causes_head, causes_now_ns);
    const struct snapshot_matrix *matrix = &snapshot->matrix;
    const struct snapshot_evictions *functions =
        &snapshot->causes.by_kind[CAUSES_FUNCTIONS].evictions;
    assert_int_equal(matrix->evictor_count, 2);
    for (size_t i = 0; i < 2; i++)
        assert_near(matrix->evictors[i].misses, matrix->evictors[i].row ? 10 : 30);
    assert_near(functions->cells[0][0], 30);
    assert_near(functions->cells[1][0], 10);
    snapshot_free(snapshot);
}

/* The two words of the matrix that add_miss() and this test access. */
static void fields_have_miss_causes(void **state)
{
    struct place place = {.object = MATRIX, .function = MULTIPLY, .base = 0x1000};
    (void)state;
    feed_matrix_and_queue();
    place.access = (struct access){.time_ns = ++causes_now_ns,
                                   .address = 0x1010,
                                   .weight = 25,
                                   .tid = 1,
                                   .size = 8,
                                   .cause = CAUSE_FIRST};
    profile_add(causes_profile, &place);
    const struct snapshot *snapshot = profile_snapshot(causes_profile, &causes_head, causes_now_ns);
    const struct snapshot_object *object = &snapshot->objects[0];
    assert_int_equal(object->field_count, 2);
    assert_near(object->fields[0].causes->misses, 100);
    assert_near(object->fields[0].causes->share[CAUSE_CONFLICT], 0.5);
    assert_near(object->fields[0].causes->self_evicted, 0.75);
    assert_near(object->fields[1].causes->misses, 25);
    assert_near(object->fields[1].causes->share[CAUSE_FIRST], 1);
    snapshot_free(snapshot);
}

/* More pairs than rows: the listed pairs and the reported remainder add up to the total. */
static void unlisted_evictors_are_reported_as_remainder(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < MANY; i++)
        add_miss(MATRIX, CAUSE_CAPACITY, 1, 3 + i, FILL);
    const struct snapshot *snapshot = profile_snapshot(causes_profile, &causes_head, causes_now_ns);
    const struct snapshot_causes_list *objects = &snapshot->causes.by_kind[CAUSES_OBJECTS];
    const struct snapshot_causes_row *matrix = &objects->rows[0];
    assert_near(matrix->figures.evicted, MANY);
    assert_int_equal(matrix->evictor_count, SNAPSHOT_EVICTORS);
    assert_true(matrix->unlisted > 0.5 && matrix->unlisted < 1);
    expect_cells_add_up(&objects->evictions, MANY);
    expect_cells_add_up(&snapshot->causes.by_kind[CAUSES_FUNCTIONS].evictions, MANY);
    snapshot_free(snapshot);
}

static int run_causes(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(miss_causes_have_shares_per_object, begin, end),
        cmocka_unit_test_setup_teardown(object_rows_list_their_evictors, begin, end),
        cmocka_unit_test_setup_teardown(miss_causes_have_shares_per_function_and_thread, begin,
                                        end),
        cmocka_unit_test_setup_teardown(premature_evictions_are_split_by_evicting_object, begin,
                                        end),
        cmocka_unit_test_setup_teardown(eviction_matrix_of_objects_and_functions, begin, end),
        cmocka_unit_test_setup_teardown(matrix_cells_have_causes_and_evictors, begin, end),
        cmocka_unit_test_setup_teardown(evictors_are_counted_per_missing_function, begin, end),
        cmocka_unit_test_setup_teardown(fields_have_miss_causes, begin, end),
        cmocka_unit_test_setup_teardown(causes_are_known_for_ranking_event_only, begin, end),
        cmocka_unit_test_setup_teardown(unlisted_evictors_are_reported_as_remainder, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The evicting thread of objects, functions, threads and cells: passes misses through the profile
 * to a snapshot, and compares with sums computed here. */

enum { OBJECTS = 3, FUNCTIONS = 3, THREADS = 4, MISSES = 4000, FIRST_TID = 100 };

static struct profile *threads_profile;
static uint64_t threads_now_ns;

static bool threads_name_object(void *context, uint32_t object, struct object_desc *desc)
{
    static const char *const names[] = {"unknown", "matrix", "queue", "table"};
    (void)context;
    *desc = (struct object_desc){.name = names[object <= OBJECTS ? object : 0]};
    return true;
}

static bool threads_name_function(void *context, uint32_t function, struct function_desc *desc)
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

static int threads_begin(void **state)
{
    static const struct fake_names answers = {
        .object = threads_name_object, .function = threads_name_function, .thread = name_thread};
    struct profile_options options = {
        .names = FAKE_NAMES(&answers),
        .ways = 10,
        .event_count = 1,
        .window_entries = 64,
    };
    (void)state;
    assert_int_equal(geometry_parse(&options.geometry, "L1=32K,8,64", "/", NULL), 0);
    assert_int_equal(profile_new(&threads_profile, &options, NULL), 0);
    profile_set_basis(threads_profile, BASIS_RUN);
    threads_now_ns = 1000000000;
    return 0;
}

static int threads_test_end(void **state)
{
    (void)state;
    profile_free(threads_profile);
    return 0;
}

struct missed {
    uint32_t object, function, thread; /* of the miss: object and function from 1, thread from 0 */
    uint32_t by;                       /* evicting thread; THREADS: not known */
    uint64_t weight;
};

static void add_thread_miss(const struct missed *missed)
{
    bool known = missed->by < THREADS;
    struct place place = {.object = missed->object,
                          .function = missed->function,
                          .base = 0x1000,
                          .evictor_object = known ? 1 : 0,
                          .evictor_function = known ? 2 : 0};
    place.access = (struct access){.time_ns = ++threads_now_ns,
                                   .ip = 0x400000 + missed->function,
                                   .address = 0x1000,
                                   .weight = missed->weight,
                                   .tid = FIRST_TID + missed->thread,
                                   .size = 8,
                                   .cause = known ? CAUSE_CAPACITY : CAUSE_FIRST,
                                   .evictor_tid = known ? FIRST_TID + missed->by : 0};
    profile_add(threads_profile, &place);
}

/* Misses by evicting thread, for one object or function; [THREADS]: all with a known evictor. */
typedef double sums[THREADS + 1];

static struct {
    sums object[OBJECTS + 1], function[FUNCTIONS + 1], thread[THREADS];
    sums cell[FUNCTIONS + 1][OBJECTS + 1];
} expected_misses;

static void add(sums to, const struct missed *missed)
{
    to[missed->by] += (double)missed->weight;
    to[THREADS] += (double)missed->weight;
}

static void threads_feed(void)
{
    struct prng prng = {5};
    memset(&expected_misses, 0, sizeof expected_misses);
    for (int i = 0; i < MISSES; i++) {
        struct missed missed = {1 + (uint32_t)prng_below(&prng, OBJECTS),
                                1 + (uint32_t)prng_below(&prng, FUNCTIONS),
                                (uint32_t)prng_below(&prng, THREADS),
                                (uint32_t)prng_below(&prng, THREADS + 1), 1 + prng_below(&prng, 9)};
        add_thread_miss(&missed);
        if (missed.by == THREADS)
            continue;
        add(expected_misses.object[missed.object], &missed);
        add(expected_misses.function[missed.function], &missed);
        add(expected_misses.thread[missed.thread], &missed);
        add(expected_misses.cell[missed.function][missed.object], &missed);
    }
}

static const struct snapshot *take_threads_snapshot(void)
{
    struct snapshot head = {.iteration = 1};
    head.source.event_count = 1;
    return profile_snapshot(threads_profile, &head, threads_now_ns);
}

/* All four threads are listed, the largest share first, and the shares add up to 1. */
static void expect_evictor_threads(const struct snapshot_causes_row *row, const sums wanted)
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

static void evictor_threads_of_objects_functions_and_threads(void **state)
{
    (void)state;
    threads_feed();
    const struct snapshot *snapshot = take_threads_snapshot();
    const struct snapshot_causes_list *of = snapshot->causes.by_kind;
    assert_int_equal(of[CAUSES_OBJECTS].count, OBJECTS);
    assert_int_equal(of[CAUSES_FUNCTIONS].count, FUNCTIONS);
    assert_int_equal(of[CAUSES_THREADS].count, THREADS);
    for (size_t i = 0; i < OBJECTS; i++)
        expect_evictor_threads(&of[CAUSES_OBJECTS].rows[i],
                               expected_misses.object[of[CAUSES_OBJECTS].rows[i].id]);
    for (size_t i = 0; i < FUNCTIONS; i++)
        expect_evictor_threads(&of[CAUSES_FUNCTIONS].rows[i],
                               expected_misses.function[of[CAUSES_FUNCTIONS].rows[i].id]);
    for (size_t i = 0; i < THREADS; i++) {
        const struct snapshot_causes_row *row = &of[CAUSES_THREADS].rows[i];
        const double *wanted = expected_misses.thread[row->id - FIRST_TID];
        expect_evictor_threads(row, wanted);
        assert_true(
            fabs(row->figures.self_evicted - wanted[row->id - FIRST_TID] / wanted[THREADS]) < 1e-9);
    }
    snapshot_free(snapshot);
}

/* The matrix of threads: cells are exact, and add up to rows, columns and the total. */
static void eviction_matrix_of_threads_is_exact(void **state)
{
    double all = 0;
    (void)state;
    threads_feed();
    const struct snapshot *snapshot = take_threads_snapshot();
    const struct snapshot_evictions *matrix = &snapshot->causes.by_kind[CAUSES_THREADS].evictions;
    assert_int_equal(matrix->row_count, THREADS);
    assert_int_equal(matrix->column_count, THREADS);
    for (size_t i = 0; i < THREADS; i++) {
        uint32_t thread_index = matrix->rows[i].id - FIRST_TID;
        double sum = matrix->cells[i][THREADS];
        assert_true(fabs(matrix->cells[i][THREADS]) < 1e-6);
        for (size_t k = 0; k < THREADS; k++) {
            assert_true(
                fabs(matrix->cells[i][k] -
                     expected_misses.thread[thread_index][matrix->columns[k].id - FIRST_TID]) <
                1e-6);
            sum += matrix->cells[i][k];
        }
        assert_true(fabs(sum - matrix->rows[i].misses) < 1e-6);
        all += sum;
    }
    assert_true(fabs(all - matrix->misses) < 1e-6);
    snapshot_free(snapshot);
}

static void evictor_threads_of_matrix_cells(void **state)
{
    size_t found = 0;
    (void)state;
    threads_feed();
    const struct snapshot *snapshot = take_threads_snapshot();
    const struct snapshot_matrix *matrix = &snapshot->matrix;
    for (size_t i = 0; i < matrix->evictor_thread_count; i++) {
        const struct snapshot_matrix_evictor *one = &matrix->evictor_threads[i];
        uint32_t function = snapshot->code[matrix->rows[one->row]].id;
        uint32_t object = snapshot->objects[matrix->columns[one->column]].id;
        unsigned by;
        assert_int_equal(sscanf(one->name, "worker-%u", &by), 1);
        assert_in_range(by, 0, THREADS - 1);
        assert_true(fabs(one->misses - expected_misses.cell[function][object][by]) < 1e-6);
        found++;
    }
    assert_int_equal(found, FUNCTIONS * OBJECTS * THREADS);
    snapshot_free(snapshot);
}

/* Without thread ids, and with only one thread, there are no figures. */
static void unknown_or_single_thread_has_no_evictor_threads(void **state)
{
    struct missed missed = {1, 1, 0, THREADS, 5};
    (void)state;
    add_thread_miss(&missed);
    const struct snapshot *snapshot = take_threads_snapshot();
    assert_int_equal(snapshot->causes.by_kind[CAUSES_OBJECTS].rows[0].thread_count, 0);
    assert_true(isnan(snapshot->causes.by_kind[CAUSES_THREADS].rows[0].figures.self_evicted));
    assert_int_equal(snapshot->causes.by_kind[CAUSES_THREADS].evictions.row_count, 0);
    snapshot_free(snapshot);
}

static int run_causes_threads(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(evictor_threads_of_objects_functions_and_threads,
                                        threads_begin, threads_test_end),
        cmocka_unit_test_setup_teardown(eviction_matrix_of_threads_is_exact, threads_begin,
                                        threads_test_end),
        cmocka_unit_test_setup_teardown(evictor_threads_of_matrix_cells, threads_begin,
                                        threads_test_end),
        cmocka_unit_test_setup_teardown(unknown_or_single_thread_has_no_evictor_threads,
                                        threads_begin, threads_test_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(void)
{
    int failed = 0;
    failed += run_causes();
    failed += run_causes_threads();
    return failed;
}
