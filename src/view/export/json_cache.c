/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sets, the search, the window. */
#include <math.h>
#include <stdio.h>

#include "view/export/json.h"
#include "view/pages/causes.h"
#include "view/words.h"

json_t *json_sets(const struct snapshot *snapshot)
{
    const struct snapshot_sets *from = &snapshot->sets;
    json_t *out = json_object();
    json_t *counts = json_array();
    json_set(out, "level", json_text(from->level));
    json_set(out, "index", json_text(from->index));
    json_set(out, "sets", json_known(from->sets));
    json_set(out, "ways", json_known(from->ways));
    json_set(out, "line", json_known(from->line));
    for (uint32_t i = 0; from->counts && i < from->sets; i++)
        json_array_append_new(counts, json_count(from->counts[i]));
    json_set(out, "counts", counts);
    if (from->lines) {
        json_t *lines = json_array();
        for (uint32_t i = 0; i < from->sets; i++)
            json_array_append_new(lines, json_whole(from->lines[i]));
        json_set(out, "lines", lines);
    }
    json_set(out, "verdict", json_text(sets_verdict_name(from->verdict)));
    json_set(out, "chi2", json_count(from->chi2));
    /* As it is: rounding a p-value would make it 0. */
    json_set(out, "p_value", isfinite(from->p_value) ? json_real(from->p_value) : json_null());
    json_set(out, "hot_sets", json_whole(from->hot_sets));
    json_set(out, "reading", json_text(from->reading));
    json_set(out, "note", json_text(from->note));
    return out;
}

static const struct column region_phase_members_list[] = {
    COLUMN(.key = "name", .from = FIELD(struct snapshot_region_phase, name)),
    COLUMN(.key = "share", .from = FIELD(struct snapshot_region_phase, share)),
    COLUMN(.key = "leads", .from = FIELD(struct snapshot_region_phase, leads)),
};

const struct columns region_phase_members = {
    TABLE(struct snapshot_region_phase, region_phase_members_list)};

json_t *json_search(const struct snapshot *snapshot)
{
    const struct snapshot_search *from = &snapshot->search;
    json_t *out = json_object();
    bool on = from->state != SEARCH_OFF;
    json_set(out, "state", json_text(search_state_name(from->state)));
    json_set(out, "ways", json_known(from->ways));
    json_set(out, "iteration", json_whole(from->iteration));
    json_set(out, "interval", json_share(on ? from->interval_s : NAN));
    json_set(out, "restarts", json_whole(from->restarts));
    json_set(out, "explained", json_share(on ? from->explained : NAN));
    json_set(out, "what", json_text(on ? from->what : NULL));
    json_set(out, "base", on ? json_address(from->base) : json_null());
    json_set(out, "bound", on ? json_address(from->bound) : json_null());
    json_set(out, "regions",
             json_rows(&region_columns, snapshot, from->regions, from->region_count));
    json_set(out, "dropped",
             json_rows(&region_columns, snapshot, from->dropped, from->dropped_count));
    return out;
}

json_t *json_window(const struct snapshot *snapshot)
{
    const struct snapshot_window *from = &snapshot->window;
    json_t *out = json_object();
    json_t *histogram = json_array();
    json_set(out, "entries", json_whole(from->entries));
    json_set(out, "used", json_whole(from->used));
    json_set(out, "addresses", json_whole(from->addresses));
    json_set(out, "singletons", json_whole(from->singletons));
    json_set(out, "recurring", json_whole(from->recurring));
    json_set(out, "span", json_share(from->span_s));
    for (int i = 0; i < SNAPSHOT_RECURRENCE_BINS; i++)
        json_array_append_new(histogram, json_whole(from->histogram[i]));
    json_set(out, "histogram", histogram);
    json_set(out, "reading", json_text(from->reading));
    json_set(out, "top", json_rows(&line_columns, snapshot, from->top, from->top_count));
    json_set(out, "pairs", json_rows(&pair_columns, snapshot, from->pairs, from->pair_count));
    return out;
}

/* Why lines were missed. */

static const struct column causes_figures_members_list[] = {
    COLUMN(.key = "samples", .from = FIELD(struct snapshot_causes_figures, samples),
           .form = JSON_COUNT),
    COLUMN(.key = "misses", .from = FIELD(struct snapshot_causes_figures, misses),
           .form = JSON_COUNT),
    COLUMN(.key = "unknown", .from = FIELD(struct snapshot_causes_figures, share[CAUSE_UNKNOWN])),
    COLUMN(.key = "first", .from = FIELD(struct snapshot_causes_figures, share[CAUSE_FIRST])),
    COLUMN(.key = "first-by-thread",
           .from = FIELD(struct snapshot_causes_figures, share[CAUSE_FIRST_HERE])),
    COLUMN(.key = "true-sharing",
           .from = FIELD(struct snapshot_causes_figures, share[CAUSE_INVALIDATED_TRUE])),
    COLUMN(.key = "false-sharing",
           .from = FIELD(struct snapshot_causes_figures, share[CAUSE_INVALIDATED_FALSE])),
    COLUMN(.key = "inclusion",
           .from = FIELD(struct snapshot_causes_figures, share[CAUSE_INCLUSION])),
    COLUMN(.key = "conflict", .from = FIELD(struct snapshot_causes_figures, share[CAUSE_CONFLICT])),
    COLUMN(.key = "capacity", .from = FIELD(struct snapshot_causes_figures, share[CAUSE_CAPACITY])),
    COLUMN(.key = "evicted", .from = FIELD(struct snapshot_causes_figures, evicted),
           .form = JSON_COUNT),
    COLUMN(.key = "by_itself", .from = FIELD(struct snapshot_causes_figures, by_itself)),
    COLUMN(.key = "premature_same", .from = FIELD(struct snapshot_causes_figures, early_same)),
    COLUMN(.key = "premature_other", .from = FIELD(struct snapshot_causes_figures, early_other)),
};

const struct columns causes_figures_members = {
    TABLE(struct snapshot_causes_figures, causes_figures_members_list)};

static const struct column evictor_members_list[] = {
    COLUMN(.key = "function", .from = FIELD(struct snapshot_evictor, function)),
    COLUMN(.key = "object", .from = FIELD(struct snapshot_evictor, object)),
    COLUMN(.key = "share", .from = FIELD(struct snapshot_evictor, share)),
};

static const struct columns evictor_members = {
    TABLE(struct snapshot_evictor, evictor_members_list)};

static const struct column evictor_thread_members_list[] = {
    COLUMN(.key = "name", .from = FIELD(struct snapshot_evictor_thread, name)),
    COLUMN(.key = "tid", .from = KNOWN(struct snapshot_evictor_thread, tid)),
    COLUMN(.key = "share", .from = FIELD(struct snapshot_evictor_thread, share)),
};

static const struct columns evictor_thread_members = {
    TABLE(struct snapshot_evictor_thread, evictor_thread_members_list)};

static const struct column causes_members_list[] = {
    COLUMN(.from = ROW_IN(struct snapshot_causes_row, figures), .members = &causes_figures_members),
    COLUMN(.key = "evictors_unlisted", .from = FIELD(struct snapshot_causes_row, unlisted)),
    COLUMN(.key = "evictors", .from = ROW_IN(struct snapshot_causes_row, evictors),
           .count = FIELD(struct snapshot_causes_row, evictor_count), .rows = &evictor_members),
    COLUMN(.key = "evictor_threads", .from = ROW_IN(struct snapshot_causes_row, threads),
           .count = FIELD(struct snapshot_causes_row, thread_count),
           .rows = &evictor_thread_members),
};

const struct columns causes_members = {TABLE(struct snapshot_causes_row, causes_members_list)};

static const struct column thread_causes_members_list[] = {
    COLUMN(.from = ROW_IN(struct snapshot_causes_row, figures), .members = &causes_figures_members),
    COLUMN(.key = "name", .from = FIELD(struct snapshot_causes_row, name)),
    COLUMN(.key = "evictor_threads", .from = ROW_IN(struct snapshot_causes_row, threads),
           .count = FIELD(struct snapshot_causes_row, thread_count),
           .rows = &evictor_thread_members),
};

static const struct columns thread_causes_members = {
    TABLE(struct snapshot_causes_row, thread_causes_members_list)};

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

json_t *json_all_causes(const struct snapshot *snapshot)
{
    const struct snapshot_causes *causes = &snapshot->causes;
    const struct snapshot_causes_list *threads = &causes->of[CAUSES_THREADS];
    json_t *out = json_row(&causes_figures_members, snapshot, &causes->all);
    json_set(out, "threads",
             json_rows(&thread_causes_members, snapshot, threads->rows, threads->count));
    json_set(out, "evictions", evictions(&causes->of[CAUSES_OBJECTS].evictions));
    json_set(out, "evictions_by_function", evictions(&causes->of[CAUSES_FUNCTIONS].evictions));
    json_set(out, "evictions_by_thread", evictions(&causes->of[CAUSES_THREADS].evictions));
    return out;
}

/* Miss-ratio curves. */

static json_t *curve(const struct snapshot_reuse *reuse, const struct snapshot_reuse_row *from)
{
    json_t *out = json_object();
    json_t *miss = json_array();
    json_t *low = json_array();
    json_t *high = json_array();
    json_t *at = json_object();
    json_t *at_between = json_object();
    json_set(out, "name", json_text(from->name));
    if (from->function)
        json_set(out, "function", json_text(from->function));
    json_set(out, "uses", json_count(from->uses));
    json_set(out, "share", json_share(from->share));
    json_set(out, "first", json_share(from->first));
    for (unsigned i = 0; i < REUSE_POINTS; i++) {
        json_array_append_new(miss, json_share(from->miss[i].value));
        json_array_append_new(low, json_share(from->miss[i].low));
        json_array_append_new(high, json_share(from->miss[i].high));
    }
    for (size_t i = 0; i < reuse->mark_count; i++) {
        json_t *between = json_array();
        json_array_append_new(between, json_share(from->at[i].low));
        json_array_append_new(between, json_share(from->at[i].high));
        json_set(at, reuse->marks[i].name, json_share(from->at[i].value));
        json_set(at_between, reuse->marks[i].name, between);
    }
    json_set(out, "miss_ratio", miss);
    json_set(out, "miss_ratio_low", low);
    json_set(out, "miss_ratio_high", high);
    json_set(out, "miss_ratio_at", at);
    json_set(out, "miss_ratio_at_between", at_between);
    return out;
}

static json_t *curves(const struct snapshot_reuse *reuse, const struct snapshot_reuse_row *rows,
                      size_t count)
{
    json_t *out = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(out, curve(reuse, &rows[i]));
    return out;
}

json_t *json_reuse(const struct snapshot_reuse *reuse)
{
    json_t *out = json_object();
    json_t *sizes = json_array();
    json_t *caches = json_object();
    for (unsigned i = 0; i < REUSE_POINTS; i++)
        json_array_append_new(sizes, json_count(snapshot_reuse_size(i)));
    for (size_t i = 0; i < reuse->mark_count; i++)
        json_set(caches, reuse->marks[i].name, json_whole(reuse->marks[i].size_bytes));
    json_set(out, "sizes", sizes);
    json_set(out, "caches", caches);
    json_set(out, "all", curve(reuse, &reuse->all));
    json_set(out, "objects", curves(reuse, reuse->objects, reuse->object_count));
    json_set(out, "code", curves(reuse, reuse->lines, reuse->line_count));
    return out;
}

/* Shared cache lines. */

static const struct column sharing_code_members_list[] = {
    COLUMN(.key = "function", .from = FIELD(struct snapshot_sharing_code, function)),
    COLUMN(.key = "address", .from = FIELD(struct snapshot_sharing_code, address),
           .format = format_address),
    COLUMN(.key = "file", .from = FIELD(struct snapshot_sharing_code, file)),
    COLUMN(.key = "line", .from = KNOWN(struct snapshot_sharing_code, line)),
    COLUMN(.key = "field", .from = FIELD(struct snapshot_sharing_code, field)),
    COLUMN(.key = "share", .from = FIELD(struct snapshot_sharing_code, share)),
    COLUMN(.key = "locked", .from = FIELD(struct snapshot_sharing_code, locked)),
};

static const struct columns sharing_code_members = {
    TABLE(struct snapshot_sharing_code, sharing_code_members_list)};

static struct value side_cpu(const struct snapshot *snapshot, const void *row)
{
    uint32_t cpu = ((const struct snapshot_sharing_side *)row)->cpu;
    (void)snapshot;
    return cpu == SAMPLE_NO_CPU ? value_text(NULL) : value_integer(cpu);
}

static const struct column sharing_side_members_list[] = {
    COLUMN(.key = "tid", .from = FIELD(struct snapshot_sharing_side, tid)),
    COLUMN(.key = "cpu", .value = side_cpu),
    COLUMN(.key = "node", .from = FIELD(struct snapshot_sharing_side, node)),
    COLUMN(.key = "samples", .from = FIELD(struct snapshot_sharing_side, samples),
           .form = JSON_COUNT),
    COLUMN(.key = "share", .from = FIELD(struct snapshot_sharing_side, share)),
    COLUMN(.key = "loads", .from = FIELD(struct snapshot_sharing_side, loads), .form = JSON_COUNT),
    COLUMN(.key = "stores", .from = FIELD(struct snapshot_sharing_side, stores),
           .form = JSON_COUNT),
    COLUMN(.key = "hitm", .from = FIELD(struct snapshot_sharing_side, hitm), .form = JSON_COUNT),
    COLUMN(.key = "read", .from = FIELD(struct snapshot_sharing_side, read),
           .format = format_address),
    COLUMN(.key = "written", .from = FIELD(struct snapshot_sharing_side, written),
           .format = format_address),
    COLUMN(.key = "object", .from = FIELD(struct snapshot_sharing_side, name)),
    COLUMN(.key = "fields", .from = FIELD(struct snapshot_sharing_side, fields)),
    COLUMN(.key = "locked", .from = FIELD(struct snapshot_sharing_side, locked)),
    COLUMN(.key = "code", .from = ROW_IN(struct snapshot_sharing_side, codes),
           .count = FIELD(struct snapshot_sharing_side, code_count), .rows = &sharing_code_members),
};

const struct columns sharing_side_members = {
    TABLE(struct snapshot_sharing_side, sharing_side_members_list)};

/* A line names its group by index and object: these are no members of its own row. */
static json_t *line_of(const struct snapshot *snapshot, size_t index,
                       const struct snapshot_sharing_line *line)
{
    json_t *out = json_object();
    json_set(out, "group", json_whole(index));
    json_set(out, "address", json_address(line->address));
    json_set(out, "object", json_text(snapshot->sharing.groups[index].name));
    json_set_row(out, &sharing_line_columns, snapshot, line);
    return out;
}

json_t *json_sharing(const struct snapshot *snapshot)
{
    const struct snapshot_sharing *sharing = &snapshot->sharing;
    json_t *out = json_object();
    json_t *lines = json_array();
    for (size_t i = 0; i < sharing->group_count; i++)
        for (size_t k = 0; k < sharing->groups[i].line_count; k++)
            json_array_append_new(lines, line_of(snapshot, i, &sharing->groups[i].lines[k]));
    json_set(out, "evidence", json_text(sharing_evidence_name(sharing->evidence)));
    json_set(out, "groups",
             json_rows(&sharing_columns, snapshot, sharing->groups, sharing->group_count));
    json_set(out, "groups_left_out", json_whole(sharing->groups_left_out));
    json_set(out, "lines", lines);
    return out;
}

/* Exact totals of a simulated run. */

json_t *json_simulation(const struct snapshot *snapshot)
{
    const struct snapshot_simulation *from = &snapshot->simulation;
    if (!from->level_count)
        return json_null();
    json_t *out = json_object();
    json_set(out, "loads", json_whole(from->loads));
    json_set(out, "stores", json_whole(from->stores));
    json_set(out, "accesses", json_whole(from->accesses));
    json_set(out, "levels",
             json_rows(&simulation_columns, snapshot, from->level, from->level_count));
    json_set(out, "one_in", json_whole(from->one_in));
    json_set(out, "untold", json_whole(from->dropped));
    json_set(out, "counting", json_boolean(from->counting));
    json_set(out, "paused",
             from->counting ? json_null()
                            : json_text(simulation_pause_name((enum simulation_pause)from->pause)));
    return out;
}
