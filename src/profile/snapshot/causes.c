/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "profile/snapshot/builders.h"

/* Returns the thread id of a dense number; 0: the threads beyond the limit. build_thread_name()
 * returns "worker (123)", or NULL if memory runs out. */
static uint32_t build_thread_id(const struct build *build, uint32_t number)
{
    return number < THREADS_MAX ? build->profile->threads.tids[number] : 0;
}

static const char *build_thread_name(struct build *build, uint32_t tid)
{
    union place_answer answer;
    if (!tid)
        return "more threads";
    if (build_ask(build, PLACE_THREAD, tid, &answer))
        return arena_printf(build->arena, "%s (%" PRIu32 ")", answer.thread, tid);
    return arena_printf(build->arena, "thread %" PRIu32, tid);
}

/* Evictors by row, and as a matrix. */

/* Returns the name of an evicting object; NULL: not known. */
static const char *build_evictor_object(struct build *build, uint32_t id)
{
    return id ? build_object_name(build, id) : NULL;
}

/* Minimum share of all misses with a known evictor; smaller lines count in the rest. */
static const double min_line = 0.001;

/* Misses of one bin on lines evicted by a function's accesses to an object, or by a thread. */
struct eviction_sum {
    uint32_t id; /* the object or function that missed, or a thread id */
    uint32_t by_object;
    uint32_t by_function;
    uint32_t by_thread; /* tid; other members are unused for threads */
    double weight;
};

struct eviction_sums {
    struct eviction_sum *list; /* sorted by id */
    size_t count;
};

static bool is_same_throw(const struct eviction_sum *a, const struct eviction_sum *b)
{
    return a->id == b->id && a->by_object == b->by_object && a->by_function == b->by_function &&
           a->by_thread == b->by_thread;
}

static void merge_throws(struct eviction_sums *throws)
{
    size_t used = 0;
    for (size_t i = 0; i < throws->count; i++)
        if (used && is_same_throw(&throws->list[used - 1], &throws->list[i]))
            throws->list[used - 1].weight += throws->list[i].weight;
        else
            throws->list[used++] = throws->list[i];
    throws->count = used;
}

/* Makes an entry of a pair. Evictors are functions on objects, or threads. */
static struct eviction_sum throw_of(const struct build *build, enum causes_of kind, bool threads,
                                    const struct pair *pair)
{
    uint32_t id = PAIR_OBJECT(pair->owner);
    if (threads)
        return (struct eviction_sum){.id = kind == CAUSES_THREADS ? build_thread_id(build, id) : id,
                                     .by_thread =
                                         build_thread_id(build, EVICTOR_THREAD(pair->key))};
    return (struct eviction_sum){.id = kind == CAUSES_OBJECTS ? id : pair->extra,
                                 .by_object = EVICTOR_OBJECT(pair->key),
                                 .by_function = EVICTOR_FUNCTION(pair->key)};
}

/* Gathers the evictors of a kind; `list` NULL: no memory. */
static struct eviction_sums causes_gather(struct build *build, enum causes_of kind, bool threads)
{
    const struct causes *causes = &build->profile->causes;
    const struct pairs *pairs = threads                  ? &causes->thread_evictors
                                : kind == CAUSES_OBJECTS ? &causes->evictors
                                                         : &causes->cell_evictors;
    const struct pair *pair;
    struct eviction_sums throws = {.list = calloc(pairs->count + 1, sizeof *throws.list)};
    build->failed |= !throws.list;
    for (size_t i = 0; throws.list && (pair = pairs_next(pairs, &i));) {
        if (PAIR_EVENT(pair->owner) != build->event ||
            (threads && EVICTOR_THREAD_OF(pair->key) != kind))
            continue;
        throws.list[throws.count] = throw_of(build, kind, threads, pair);
        throws.list[throws.count++].weight = build_read(build, &pair->weight);
    }
    SORT(throws.list, throws.count, SMALLEST(struct eviction_sum, id),
         SMALLEST(struct eviction_sum, by_object), SMALLEST(struct eviction_sum, by_thread),
         SMALLEST(struct eviction_sum, by_function));
    merge_throws(&throws);
    return throws;
}

/* ---- by row ---- */

/* Returns the index of the first entry of an id, or its insertion point. */
static size_t first_throw_of(const struct eviction_sums *throws, uint32_t id)
{
    return SORTED_BELOW(throws->list, throws->count, id, id);
}

/* Returns the known share, listed or not. */
static double causes_row_fill_evictors(struct build *build, const struct eviction_sums *throws,
                                       struct snapshot_causes_row *row)
{
    double known = 0;
    for (size_t i = first_throw_of(throws, row->id);
         row->figures.evicted > 0 && i < throws->count && throws->list[i].id == row->id; i++) {
        const struct eviction_sum *throw = &throws->list[i];
        struct snapshot_evictor evictor = {.object_id = throw->by_object,
                                           .function_id = throw->by_function,
                                           .share = throw->weight / row->figures.evicted};
        known += evictor.share;
        KEEP(row->evictors, &row->evictor_count, SNAPSHOT_EVICTORS, &evictor,
             LARGEST(struct snapshot_evictor, share));
    }
    for (size_t i = 0; i < row->evictor_count; i++) {
        row->evictors[i].function = build_function_name(build, row->evictors[i].function_id);
        row->evictors[i].object = build_evictor_object(build, row->evictors[i].object_id);
    }
    return known;
}

static double causes_row_fill_threads(struct build *build, const struct eviction_sums *throws,
                                      struct snapshot_causes_row *row)
{
    double known = 0;
    for (size_t i = first_throw_of(throws, row->id);
         row->figures.evicted > 0 && i < throws->count && throws->list[i].id == row->id; i++) {
        struct snapshot_evictor_thread thread = {.tid = throws->list[i].by_thread,
                                                 .share =
                                                     throws->list[i].weight / row->figures.evicted};
        known += thread.share;
        KEEP(row->threads, &row->thread_count, SNAPSHOT_EVICTOR_THREADS, &thread,
             LARGEST(struct snapshot_evictor_thread, share));
    }
    for (size_t i = 0; i < row->thread_count; i++) {
        row->threads[i].name = build_thread_name(build, row->threads[i].tid);
        build->failed |= !row->threads[i].name;
    }
    return known;
}

/* ---- the matrix ---- */

static uint32_t throw_evictor(const struct eviction_sum *throw, enum causes_of kind)
{
    return kind == CAUSES_OBJECTS     ? throw->by_object
           : kind == CAUSES_FUNCTIONS ? throw->by_function
                                      : throw->by_thread;
}

static size_t eviction_line_index(const struct snapshot_eviction_line *lines, size_t count,
                                  uint32_t id)
{
    size_t line = 0;
    while (line < count && lines[line].id != id)
        line++;
    return line;
}

/* Selects the evictors of most misses; id 0 is not known and has no column. */
static void choose_columns(struct build *build, const struct eviction_sums *throws,
                           enum causes_of kind, struct snapshot_evictions *out)
{
    struct snapshot_eviction_line *lines = build_scratch(build, throws->count + 1, sizeof *lines);
    struct hash known;
    size_t count = 0;
    hash_init(&known);
    for (size_t i = 0; lines && i < throws->count; i++) {
        uint32_t id = throw_evictor(&throws->list[i], kind);
        uint32_t *at = id ? hash_insert(&known, id, NULL) : NULL;
        if (!at)
            continue;
        *at = *at ? *at : (uint32_t)++count;
        lines[*at - 1].id = id;
        lines[*at - 1].misses += throws->list[i].weight;
    }
    if (lines)
        SORT(lines, count, LARGEST(struct snapshot_eviction_line, misses),
             SMALLEST(struct snapshot_eviction_line, id));
    for (size_t i = 0; i < count && i < SNAPSHOT_EVICTION_BINS; i++)
        if (lines[i].misses >= min_line * out->misses)
            out->columns[out->column_count++].id = lines[i].id;
    hash_fini(&known);
    free(lines);
}

static void choose_rows(const struct snapshot_causes_list *list, double evicted,
                        struct snapshot_evictions *out)
{
    out->misses = evicted;
    for (size_t i = 0; i < list->count && out->row_count < SNAPSHOT_EVICTION_BINS; i++) {
        const struct snapshot_causes_row *row = &list->rows[i];
        if (!(row->figures.evicted >= min_line * out->misses))
            continue;
        out->rows[out->row_count++] =
            (struct snapshot_eviction_line){row->name, row->id, row->figures.evicted};
        evicted -= row->figures.evicted;
    }
    out->rows[out->row_count].misses = fmax(evicted, 0);
}

/* Fills in the cells. The difference between a row and its cells counts in the rest. */
static void fill_cells(const struct eviction_sums *throws, enum causes_of kind,
                       struct snapshot_evictions *out)
{
    for (size_t i = 0; i < throws->count; i++) {
        const struct eviction_sum *throw = &throws->list[i];
        size_t row = eviction_line_index(out->rows, out->row_count, throw->id);
        size_t column =
            eviction_line_index(out->columns, out->column_count, throw_evictor(throw, kind));
        if (column < out->column_count)
            out->cells[row][column] += throw->weight;
    }
    for (size_t i = 0; i <= out->row_count; i++) {
        double left = out->rows[i].misses;
        for (size_t k = 0; k < out->column_count; k++) {
            left -= out->cells[i][k];
            out->columns[k].misses += out->cells[i][k];
        }
        out->cells[i][out->column_count] = fmax(left, 0);
        out->columns[out->column_count].misses += fmax(left, 0);
    }
}

static void name_columns(struct build *build, enum causes_of kind, struct snapshot_evictions *out)
{
    for (size_t i = 0; i < out->column_count; i++) {
        uint32_t id = out->columns[i].id;
        const char *name = kind == CAUSES_OBJECTS     ? build_evictor_object(build, id)
                           : kind == CAUSES_FUNCTIONS ? build_function_name(build, id)
                                                      : build_thread_name(build, id);
        out->columns[i].name = name ? name : "unknown";
    }
}

/* `evicted`: misses of all bins of the kind with a known evictor. Rows of threads have no evicting
 * functions; old recordings do not have evicting threads. */
static void build_evictors(struct build *build, enum causes_of kind, double evicted)
{
    struct snapshot_causes_list *list = &build->snapshot->causes.by_kind[kind];
    struct eviction_sums threads = causes_gather(build, kind, true);
    struct eviction_sums functions =
        kind == CAUSES_THREADS ? (struct eviction_sums){0} : causes_gather(build, kind, false);
    const struct eviction_sums *throws = kind == CAUSES_THREADS ? &threads : &functions;
    for (size_t i = 0; i < list->count && !build->failed; i++) {
        struct snapshot_causes_row *row = &list->rows[i];
        double known = causes_row_fill_threads(build, &threads, row);
        if (kind != CAUSES_THREADS)
            known = causes_row_fill_evictors(build, &functions, row);
        else if (!row->thread_count)
            row->figures.self_evicted = NAN;
        if (row->figures.evicted > 0 && (throws->count || kind != CAUSES_THREADS))
            row->unlisted = fmax(1 - known, 0);
    }
    if (!build->failed && evicted > 0 && (throws->count || kind != CAUSES_THREADS)) {
        struct snapshot_evictions *out = &list->evictions;
        choose_rows(list, evicted, out);
        choose_columns(build, throws, kind, out);
        fill_cells(throws, kind, out);
        name_columns(build, kind, out);
    }
    free(threads.list);
    free(functions.list);
}

/* Names */

static void name_row(struct build *build, enum causes_of kind, struct snapshot_causes_row *row)
{
    const struct snapshot *snapshot = build->snapshot;
    row->index = UINT32_MAX;
    if (kind == CAUSES_OBJECTS) {
        row->index = build_object_index(build, row->id);
        row->name = build_object_name(build, row->id);
    } else if (kind == CAUSES_FUNCTIONS) {
        for (size_t i = 0; i < snapshot->code_count; i++)
            row->index = snapshot->code[i].id == row->id ? (uint32_t)i : row->index;
        row->name = build_function_name(build, row->id);
    } else {
        row->id = build_thread_id(build, row->id);
        row->name = build_thread_name(build, row->id);
    }
    if (!row->name)
        row->name = "unknown";
}

/* ---- figures ---- */

void build_sum_causes(const struct build *build, const struct causes_row *row,
                      struct snapshot_causes_figures *sums)
{
    if (!row)
        return;
    sums->samples += build_read(build, &row->samples);
    for (int i = 0; i < CAUSE_COUNT; i++) {
        double weight = build_read(build, &row->weight[i]);
        sums->share[i] += weight;
        sums->misses += weight;
    }
    sums->evicted += build_read(build, &row->evicted);
    sums->self_evicted += build_read(build, &row->self_evicted);
    sums->early_same += build_read(build, &row->early_same);
    sums->early_other += build_read(build, &row->early_other);
}

/* Converts sums to shares; returns false if there are no misses. */
static bool build_share_causes(struct snapshot_causes_figures *sums)
{
    if (!(sums->misses > 0))
        return false;
    for (int i = 0; i < CAUSE_COUNT; i++)
        sums->share[i] /= sums->misses;
    sums->self_evicted = sums->evicted > 0 ? sums->self_evicted / sums->evicted : NAN;
    sums->early_same /= sums->misses;
    sums->early_other /= sums->misses;
    return true;
}

struct snapshot_causes_figures *build_figures_of(struct build *build,
                                                 const struct snapshot_causes_figures *sums)
{
    struct snapshot_causes_figures figures = *sums;
    if (!build_share_causes(&figures))
        return NULL;
    struct snapshot_causes_figures *out = arena_alloc(build->arena, sizeof *out);
    build->failed |= !out;
    if (out)
        *out = figures;
    return out;
}

/* ---- lists ---- */

static const struct count_rows *causes_table(const struct causes *causes, enum causes_of kind)
{
    return kind == CAUSES_OBJECTS     ? &causes->objects
           : kind == CAUSES_FUNCTIONS ? &causes->functions
                                      : &causes->threads;
}

static void list_kind(struct build *build, enum causes_of kind, struct snapshot_causes_figures *all)
{
    const struct count_rows *table = causes_table(&build->profile->causes, kind);
    struct snapshot_causes_list *list = &build->snapshot->causes.by_kind[kind];
    list->rows = build_array(build, SNAPSHOT_CAUSES_ROWS, sizeof *list->rows);
    for (uint32_t id = 0; !build->failed && CAUSES_SLOT(id, 0) < table->slot_count; id++) {
        const struct causes_row *from = count_rows_find(table, CAUSES_SLOT(id, build->event), 0);
        struct snapshot_causes_row row = {.id = id, .unlisted = NAN};
        build_sum_causes(build, from, &row.figures);
        build_sum_causes(build, from, all);
        if (!build_share_causes(&row.figures))
            continue;
        list->left_out += list->count == SNAPSHOT_CAUSES_ROWS;
        KEEP(list->rows, &list->count, SNAPSHOT_CAUSES_ROWS, &row,
             LARGEST(struct snapshot_causes_row, figures.misses));
    }
    for (size_t i = 0; i < list->count; i++)
        name_row(build, kind, &list->rows[i]);
}

void build_causes(struct build *build)
{
    struct snapshot_causes *causes = &build->snapshot->causes;
    struct snapshot_causes_figures sums[CAUSES_KINDS] = {{0}};
    *causes = (struct snapshot_causes){0};
    if (!causes_any(&build->profile->causes))
        return;
    for (enum causes_of kind = 0; kind < CAUSES_KINDS && !build->failed; kind++) {
        list_kind(build, kind, &sums[kind]);
        if (!build->failed)
            build_evictors(build, kind, sums[kind].evicted);
    }
    causes->all = sums[CAUSES_OBJECTS];
    causes->known = build_share_causes(&causes->all);
}

/* The causes of the misses of a function on an object, and the evictors of those lines. */

/* Minimum share of all misses with a known evictor; a smaller one does not explain a cell. This
 * limits evictors to 2000. */
static const double min_evictor = 1.0 / 2000;

static size_t matrix_cell_index(const struct matrix_axes *axes, uint32_t function, uint32_t object)
{
    return matrix_axes_row(axes, function) * matrix_axes_width(axes) +
           matrix_axes_column(axes, object);
}

/* Sums the instructions on objects, of the ranking event, by cell. */
static void sum_code(const struct build *build, const struct matrix_axes *axes,
                     struct snapshot_causes_figures *sums)
{
    const struct pairs *pairs = &build->profile->code;
    const struct count_rows *table = &build->profile->causes.code;
    const struct pair *pair;
    for (size_t i = 0; (pair = pairs_next(pairs, &i));) {
        if (PAIR_EVENT(pair->owner) != build->event)
            continue;
        build_sum_causes(
            build,
            count_rows_find(table, (size_t)(pair - pairs->at), pairs_hash(pair->owner, pair->key)),
            &sums[matrix_cell_index(axes, pair->extra, PAIR_OBJECT(pair->owner))]);
    }
}

/* Lists evictors: functions on objects, or threads. `out` NULL: only counts them. */
static size_t list_evictors(struct build *build, const struct matrix_axes *axes, bool threads,
                            double least, struct snapshot_matrix_evictor *out)
{
    const struct causes *causes = &build->profile->causes;
    const struct pairs *pairs = threads ? &causes->thread_evictors : &causes->cell_evictors;
    const struct pair *pair;
    size_t used = 0;
    for (size_t i = 0; (pair = pairs_next(pairs, &i));) {
        double misses = build_read(build, &pair->weight);
        if (PAIR_EVENT(pair->owner) != build->event || !(misses >= least) ||
            (threads && EVICTOR_THREAD_OF(pair->key) != CAUSES_KINDS))
            continue;
        if (out && threads)
            out[used] = (struct snapshot_matrix_evictor){
                .row = (uint16_t)matrix_axes_row(axes, EVICTOR_THREAD_FUNCTION(pair->key)),
                .name =
                    build_thread_name(build, build_thread_id(build, EVICTOR_THREAD(pair->key)))};
        else if (out)
            out[used] = (struct snapshot_matrix_evictor){
                .row = (uint16_t)matrix_axes_row(axes, pair->extra),
                .name = build_function_name(build, EVICTOR_FUNCTION(pair->key)),
                .object = build_evictor_object(build, EVICTOR_OBJECT(pair->key))};
        if (out) {
            out[used].column = (uint16_t)matrix_axes_column(axes, PAIR_OBJECT(pair->owner));
            out[used].misses = misses;
            build->failed |= !out[used].name;
        }
        used++;
    }
    return used;
}

static struct snapshot_matrix_evictor *keep_evictors(struct build *build,
                                                     const struct matrix_axes *axes, bool threads,
                                                     double least, size_t *count)
{
    *count = list_evictors(build, axes, threads, least, NULL);
    struct snapshot_matrix_evictor *kept = build_array(build, *count, sizeof *kept);
    *count = kept ? list_evictors(build, axes, threads, least, kept) : 0;
    return kept;
}

void build_cell_causes(struct build *build, const struct matrix_axes *axes)
{
    struct snapshot_matrix *matrix = &build->snapshot->matrix;
    size_t cells = (axes->rows + SNAPSHOT_MATRIX_REST) * matrix_axes_width(axes);
    if (!causes_any(&build->profile->causes))
        return;
    struct snapshot_causes_figures *sums = build_scratch(build, cells, sizeof *sums);
    if (build->failed)
        return;
    sum_code(build, axes, sums);
    double evicted = 0;
    for (size_t i = 0; i < cells; i++) {
        matrix->cells[i].causes = build_figures_of(build, &sums[i]);
        evicted += sums[i].evicted;
    }
    free(sums);
    if (!(evicted > 0) || build->failed)
        return;
    double least = min_evictor * evicted;
    matrix->evictors = keep_evictors(build, axes, false, least, &matrix->evictor_count);
    matrix->evictor_threads =
        keep_evictors(build, axes, true, least, &matrix->evictor_thread_count);
}
