/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who threw out what: of each row, and as a matrix; declared in snapshot_causes.h. */
#include "profile/snapshot_causes.h"

#include <math.h>
#include <stdlib.h>

/* Of all misses whose evictor is known: what is less stands in the others. */
static const double least_line = 0.001;

/* What a function's accesses to an object threw out of one bin. */
struct throw
{
    uint32_t id; /* of the object or function that missed; thread id */
    uint32_t by_object;
    uint32_t by_function;
    uint32_t by_thread; /* tid; of threads only, which have nothing else */
    double weight;
};

struct throws {
    struct throw *list; /* by id, the evictors of each together */
    size_t count;
};

static int throw_order(const void *left, const void *right)
{
    const struct throw *a = left;
    const struct throw *b = right;
    if (a->id != b->id)
        return a->id < b->id ? -1 : 1;
    if (a->by_object != b->by_object)
        return a->by_object < b->by_object ? -1 : 1;
    if (a->by_thread != b->by_thread)
        return a->by_thread < b->by_thread ? -1 : 1;
    return a->by_function < b->by_function ? -1 : a->by_function > b->by_function;
}

static void merge(struct throws *throws)
{
    size_t used = 0;
    for (size_t i = 0; i < throws->count; i++)
        if (used && !throw_order(&throws->list[used - 1], &throws->list[i]))
            throws->list[used - 1].weight += throws->list[i].weight;
        else
            throws->list[used++] = throws->list[i];
    throws->count = used;
}

static struct throw throw_of(const struct build *build, enum causes_of kind,
                             const struct pair *pair)
{
    if (kind == CAUSES_THREADS)
        return (struct throw){.id = build_thread_id(build, PAIR_OBJECT(pair->owner)),
                              .by_thread = build_thread_id(build, EVICTOR_THREAD(pair->key))};
    return (struct throw){.id = kind == CAUSES_OBJECTS ? PAIR_OBJECT(pair->owner) : pair->extra,
                          .by_object = EVICTOR_OBJECT(pair->key),
                          .by_function = EVICTOR_FUNCTION(pair->key)};
}

static const struct pairs *pairs_told(const struct build *build, enum causes_of kind)
{
    const struct causes *causes = &build->profile->causes;
    return kind == CAUSES_OBJECTS     ? &causes->evictors
           : kind == CAUSES_FUNCTIONS ? &causes->cell_evictors
                                      : &causes->thread_evictors;
}

/* `list` NULL: no memory. */
static struct throws gather(const struct build *build, enum causes_of kind)
{
    const struct pairs *pairs = pairs_told(build, kind);
    struct throws throws = {.list = calloc(pairs->count + 1, sizeof *throws.list)};
    for (size_t i = 0; throws.list && i < pairs->count; i++) {
        const struct pair *pair = &pairs->at[i];
        if (pair->owner == PAIR_EMPTY || PAIR_EVENT(pair->owner) != build->event ||
            (kind == CAUSES_THREADS && EVICTOR_THREAD_OF(pair->key) != CAUSES_THREADS))
            continue;
        throws.list[throws.count] = throw_of(build, kind, pair);
        throws.list[throws.count++].weight = build_read(build, &pair->weight);
    }
    if (throws.list)
        qsort(throws.list, throws.count, sizeof *throws.list, throw_order);
    merge(&throws);
    return throws;
}

/* ---- of each row ---- */

/* The first of an id, or where it would stand. */
static size_t first_of(const struct throws *throws, uint32_t id)
{
    size_t low = 0;
    size_t high = throws->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (throws->list[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void keep(struct snapshot_causes_row *row, const struct snapshot_evictor *evictor)
{
    size_t at = row->evictor_count;
    if (at == SNAPSHOT_EVICTORS && row->evictors[--at].share >= evictor->share)
        return;
    row->evictor_count = at + 1;
    for (; at > 0 && row->evictors[at - 1].share < evictor->share; at--)
        row->evictors[at] = row->evictors[at - 1];
    row->evictors[at] = *evictor;
}

static void fill_row(struct build *build, const struct throws *throws,
                     struct snapshot_causes_row *row)
{
    double evicted = row->figures.evicted;
    double known = 0;
    if (!(evicted > 0))
        return;
    for (size_t i = first_of(throws, row->id); i < throws->count; i++) {
        const struct throw *throw = &throws->list[i];
        if (throw->id != row->id)
            break;
        struct snapshot_evictor evictor = {.object_id = throw->by_object,
                                           .function_id = throw->by_function,
                                           .share = throw->weight / evicted};
        known += evictor.share;
        if (!throw->by_thread)
            keep(row, &evictor);
    }
    row->unlisted = fmax(1 - known, 0);
    for (size_t i = 0; i < row->evictor_count; i++) {
        row->evictors[i].function = build_evictor_function(build, row->evictors[i].function_id);
        row->evictors[i].object = build_evictor_object(build, row->evictors[i].object_id);
    }
}

/* ---- the matrix ---- */

static uint32_t evictor_of(const struct throw *throw, enum causes_of kind)
{
    return kind == CAUSES_OBJECTS     ? throw->by_object
           : kind == CAUSES_FUNCTIONS ? throw->by_function
                                      : throw->by_thread;
}

static size_t line_of(const struct snapshot_eviction_line *lines, size_t count, uint32_t id)
{
    size_t line = 0;
    while (line < count && lines[line].id != id)
        line++;
    return line;
}

static int most_misses(const void *left, const void *right)
{
    const struct snapshot_eviction_line *a = left;
    const struct snapshot_eviction_line *b = right;
    if (a->misses != b->misses)
        return a->misses > b->misses ? -1 : 1;
    return a->id < b->id ? -1 : a->id > b->id;
}

/* Of all evictors those that threw out most; id 0 is not known, and no line of its own. */
static void choose_columns(struct build *build, const struct throws *throws, enum causes_of kind,
                           struct snapshot_evictions *out)
{
    struct snapshot_eviction_line *lines = calloc(throws->count + 1, sizeof *lines);
    struct hash known;
    size_t count = 0;
    hash_init(&known);
    build->failed |= !lines;
    for (size_t i = 0; lines && i < throws->count; i++) {
        uint32_t id = evictor_of(&throws->list[i], kind);
        uint32_t *at = id ? hash_insert(&known, id, NULL) : NULL;
        if (!at)
            continue;
        *at = *at ? *at : (uint32_t)++count;
        lines[*at - 1].id = id;
        lines[*at - 1].misses += throws->list[i].weight;
    }
    if (lines)
        qsort(lines, count, sizeof *lines, most_misses);
    for (size_t i = 0; i < count && i < SNAPSHOT_EVICTION_BINS; i++)
        if (lines[i].misses >= least_line * out->misses)
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
        if (!(row->figures.evicted >= least_line * out->misses))
            continue;
        out->rows[out->row_count++] =
            (struct snapshot_eviction_line){row->name, row->id, row->figures.evicted};
        evicted -= row->figures.evicted;
    }
    out->rows[out->row_count].misses = fmax(evicted, 0);
}

/* What rows have more than their cells stands in the others. */
static void fill_cells(const struct throws *throws, enum causes_of kind,
                       struct snapshot_evictions *out)
{
    for (size_t i = 0; i < throws->count; i++) {
        const struct throw *throw = &throws->list[i];
        size_t row = line_of(out->rows, out->row_count, throw->id);
        size_t column = line_of(out->columns, out->column_count, evictor_of(throw, kind));
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
                           : kind == CAUSES_FUNCTIONS ? build_evictor_function(build, id)
                                                      : build_thread_name(build, id);
        out->columns[i].name = name ? name : "unknown";
    }
}

void build_evictors(struct build *build, enum causes_of kind, double evicted)
{
    struct snapshot_causes_list *list = &build->snapshot->causes.of[kind];
    struct throws throws = gather(build, kind);
    build->failed |= !throws.list;
    /* Which thread it was is not known of old recordings. */
    bool told = throws.list && (throws.count || kind != CAUSES_THREADS);
    for (size_t i = 0; i < list->count && told; i++)
        fill_row(build, &throws, &list->rows[i]);
    if (told && evicted > 0) {
        struct snapshot_evictions *out = &list->evictions;
        choose_rows(list, evicted, out);
        choose_columns(build, &throws, kind, out);
        fill_cells(&throws, kind, out);
        name_columns(build, kind, out);
    }
    free(throws.list);
    build_evictor_threads(build, kind);
}
