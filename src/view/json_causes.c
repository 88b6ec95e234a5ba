/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Why lines were missed; declared in json_part.h. */
#include "view/causes_words.h"
#include "view/json_part.h"

json_t *json_cause_figures(const struct snapshot_causes_figures *from)
{
    json_t *out = json_object();
    json_set(out, "samples", json_count(from->samples));
    json_set(out, "misses", json_count(from->misses));
    for (int i = CAUSE_UNKNOWN; i < CAUSE_COUNT; i++)
        json_set(out, causes_name((enum miss_cause)i), json_share(from->share[i]));
    json_set(out, "evicted", json_count(from->evicted));
    json_set(out, "by_itself", json_share(from->by_itself));
    json_set(out, "premature_same", json_share(from->early_same));
    json_set(out, "premature_other", json_share(from->early_other));
    return out;
}

static json_t *evictors_of(const struct snapshot_causes_row *row)
{
    json_t *out = json_array();
    for (size_t i = 0; i < row->evictor_count; i++) {
        const struct snapshot_evictor *from = &row->evictors[i];
        json_t *evictor = json_object();
        json_set(evictor, "function", json_text(from->function));
        json_set(evictor, "object", json_text(from->object));
        json_set(evictor, "share", json_share(from->share));
        json_array_append_new(out, evictor);
    }
    return out;
}

static json_t *threads_of(const struct snapshot_causes_row *row)
{
    json_t *out = json_array();
    for (size_t i = 0; i < row->thread_count; i++) {
        const struct snapshot_evictor_thread *from = &row->threads[i];
        json_t *thread = json_object();
        json_set(thread, "name", json_text(from->name));
        json_set(thread, "tid", from->tid ? json_whole(from->tid) : json_null());
        json_set(thread, "share", json_share(from->share));
        json_array_append_new(out, thread);
    }
    return out;
}

json_t *json_causes(const struct snapshot_causes *causes, enum causes_of kind, uint32_t id)
{
    const struct snapshot_causes_list *list = &causes->of[kind];
    for (size_t i = 0; i < list->count; i++) {
        if (list->rows[i].id != id)
            continue;
        json_t *out = json_cause_figures(&list->rows[i].figures);
        json_set(out, "evictors_unlisted", json_share(list->rows[i].unlisted));
        json_set(out, "evictors", evictors_of(&list->rows[i]));
        json_set(out, "evictor_threads", threads_of(&list->rows[i]));
        return out;
    }
    return json_null();
}

/* The others have no name: null. */
static json_t *lines(const struct snapshot_eviction_line *from, size_t count)
{
    json_t *out = json_array();
    for (size_t i = 0; i <= count; i++) {
        json_t *line = json_object();
        json_set(line, "name", json_text(from[i].name));
        json_set(line, "misses", json_count(from[i].misses));
        json_array_append_new(out, line);
    }
    return out;
}

/* Cells by rows. */
static json_t *evictions(const struct snapshot_evictions *from)
{
    if (!from->row_count)
        return json_null();
    json_t *out = json_object();
    json_t *cells = json_array();
    for (size_t i = 0; i <= from->row_count; i++) {
        json_t *row = json_array();
        for (size_t k = 0; k <= from->column_count; k++)
            json_array_append_new(row, json_count(from->cells[i][k]));
        json_array_append_new(cells, row);
    }
    json_set(out, "misses", json_count(from->misses));
    json_set(out, "rows", lines(from->rows, from->row_count));
    json_set(out, "columns", lines(from->columns, from->column_count));
    json_set(out, "cells", cells);
    return out;
}

static json_t *threads(const struct snapshot_causes_list *list)
{
    json_t *out = json_array();
    for (size_t i = 0; i < list->count; i++) {
        json_t *thread = json_cause_figures(&list->rows[i].figures);
        json_set(thread, "name", json_text(list->rows[i].name));
        json_set(thread, "evictor_threads", threads_of(&list->rows[i]));
        json_array_append_new(out, thread);
    }
    return out;
}

json_t *json_all_causes(const struct snapshot_causes *causes)
{
    json_t *out = json_cause_figures(&causes->all);
    json_set(out, "threads", threads(&causes->of[CAUSES_THREADS]));
    json_set(out, "evictions", evictions(&causes->of[CAUSES_OBJECTS].evictions));
    json_set(out, "evictions_by_function", evictions(&causes->of[CAUSES_FUNCTIONS].evictions));
    json_set(out, "evictions_by_thread", evictions(&causes->of[CAUSES_THREADS].evictions));
    return out;
}
