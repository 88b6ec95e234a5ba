/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which threads threw out the lines of objects, functions, threads and cells; declared in
 * snapshot_causes.h and matrix_axes.h. */
#include "profile/matrix_axes.h"
#include "profile/snapshot_causes.h"

#include <math.h>
#include <stdlib.h>

/* ---- of rows ---- */

/* What a thread threw out of a row. */
struct thrown {
    uint32_t id; /* as the pairs have it: of threads a dense number */
    uint32_t tid;
    double weight;
};

static int by_id(const void *left, const void *right)
{
    const struct thrown *a = left;
    const struct thrown *b = right;
    if (a->id != b->id)
        return a->id < b->id ? -1 : 1;
    return a->tid < b->tid ? -1 : a->tid > b->tid;
}

static bool is_of(const struct build *build, const struct pair *pair, unsigned of)
{
    return pair->owner != PAIR_EMPTY && PAIR_EVENT(pair->owner) == build->event &&
           EVICTOR_THREAD_OF(pair->key) == of;
}

static size_t gather(const struct build *build, enum causes_of kind, struct thrown *out)
{
    const struct pairs *pairs = &build->profile->causes.thread_evictors;
    size_t count = 0;
    for (size_t i = 0; i < pairs->count; i++) {
        const struct pair *pair = &pairs->at[i];
        if (!is_of(build, pair, kind))
            continue;
        uint32_t id = PAIR_OBJECT(pair->owner);
        out[count++] = (struct thrown){kind == CAUSES_THREADS ? build_thread_id(build, id) : id,
                                       build_thread_id(build, EVICTOR_THREAD(pair->key)),
                                       build_read(build, &pair->weight)};
    }
    qsort(out, count, sizeof *out, by_id);
    return count;
}

static void keep(struct snapshot_causes_row *row, uint32_t tid, double share)
{
    size_t at = row->thread_count;
    if (at == SNAPSHOT_EVICTOR_THREADS && row->threads[--at].share >= share)
        return;
    row->thread_count = at + 1;
    for (; at > 0 && row->threads[at - 1].share < share; at--)
        row->threads[at] = row->threads[at - 1];
    row->threads[at] = (struct snapshot_evictor_thread){.tid = tid, .share = share};
}

static void fill_row(struct build *build, const struct thrown *list, size_t count,
                     struct snapshot_causes_row *row)
{
    for (size_t i = 0; i < count && row->figures.evicted > 0; i++)
        if (list[i].id == row->id)
            keep(row, list[i].tid, list[i].weight / row->figures.evicted);
    for (size_t i = 0; i < row->thread_count; i++) {
        row->threads[i].name = build_thread_name(build, row->threads[i].tid);
        build->failed |= !row->threads[i].name;
    }
}

void build_evictor_threads(struct build *build, enum causes_of kind)
{
    const struct pairs *pairs = &build->profile->causes.thread_evictors;
    struct snapshot_causes_list *list = &build->snapshot->causes.of[kind];
    struct thrown *thrown = calloc(pairs->count + 1, sizeof *thrown);
    build->failed |= !thrown;
    size_t count = thrown ? gather(build, kind, thrown) : 0;
    for (size_t i = 0; i < list->count; i++) {
        fill_row(build, thrown, count, &list->rows[i]);
        if (kind == CAUSES_THREADS && !list->rows[i].thread_count)
            list->rows[i].figures.by_itself = NAN;
    }
    free(thrown);
}

/* ---- of cells ---- */

static size_t list_cells(struct build *build, const struct matrix_axes *axes, double least,
                         struct snapshot_matrix_evictor_thread *out)
{
    const struct pairs *pairs = &build->profile->causes.thread_evictors;
    size_t used = 0;
    for (size_t i = 0; i < pairs->count; i++) {
        const struct pair *pair = &pairs->at[i];
        double misses = build_read(build, &pair->weight);
        if (!is_of(build, pair, CAUSES_KINDS) || !(misses >= least))
            continue;
        if (out)
            out[used] = (struct snapshot_matrix_evictor_thread){
                .row = (uint16_t)matrix_axes_row(axes, EVICTOR_THREAD_FUNCTION(pair->key)),
                .column = (uint16_t)matrix_axes_column(axes, PAIR_OBJECT(pair->owner)),
                .name = build_thread_name(build, build_thread_id(build, EVICTOR_THREAD(pair->key))),
                .misses = misses};
        build->failed |= out && !out[used].name;
        used++;
    }
    return used;
}

void build_cell_evictor_threads(struct build *build, const struct matrix_axes *axes, double least)
{
    struct snapshot_matrix *matrix = &build->snapshot->matrix;
    size_t count = list_cells(build, axes, least, NULL);
    matrix->evictor_threads = arena_array(build->arena, count, sizeof *matrix->evictor_threads);
    build->failed |= !matrix->evictor_threads;
    if (matrix->evictor_threads)
        matrix->evictor_thread_count = list_cells(build, axes, least, matrix->evictor_threads);
}
