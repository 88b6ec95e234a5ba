/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sets, the search, the window; declared in json.h. */
#include <math.h>
#include <stdio.h>

#include "view/export/json.h"
#include "view/pages/causes.h"
#include "view/pages/sharing.h"

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

static json_t *region_phases(const struct snapshot_region *from)
{
    json_t *out = json_array();
    for (size_t i = 0; i < from->phase_count; i++) {
        json_t *phase = json_object();
        json_set(phase, "name", json_text(from->phases[i].name));
        json_set(phase, "share", json_share(from->phases[i].share));
        json_set(phase, "leads", json_boolean(from->phases[i].leads));
        json_array_append_new(out, phase);
    }
    return out;
}

static json_t *regions(const struct snapshot_region *from, size_t from_count)
{
    json_t *out = json_array();
    for (size_t i = 0; i < from_count; i++) {
        json_t *region = json_object();
        json_set(region, "base", json_address(from[i].base));
        json_set(region, "bound", json_address(from[i].bound));
        json_set(region, "share", json_share(from[i].share));
        json_set(region, "share_low", json_share(from[i].low));
        json_set(region, "share_high", json_share(from[i].high));
        json_set(region, "iterations", json_whole(from[i].iterations));
        json_set(region, "depth", json_whole(from[i].depth));
        json_set(region, "state", json_text(region_state_name(from[i].state)));
        json_set(region, "object", json_text(from[i].object));
        json_set(region, "reason", json_text(region_reason_words(from[i].reason)));
        if (from[i].phase_count)
            json_set(region, "phases", region_phases(&from[i]));
        json_array_append_new(out, region);
    }
    return out;
}

json_t *json_search(const struct snapshot_search *from)
{
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
    json_set(out, "regions", regions(from->regions, from->region_count));
    json_set(out, "dropped", regions(from->dropped, from->dropped_count));
    return out;
}

static json_t *recurring_lines(const struct snapshot *snapshot)
{
    json_t *out = json_array();
    for (size_t i = 0; i < snapshot->window.top_count; i++) {
        const struct snapshot_recurrence *from = &snapshot->window.top[i];
        bool listed = from->object < snapshot->object_count;
        json_t *line = json_object();
        json_set(line, "address", json_address(from->address));
        json_set(line, "count", json_whole(from->count));
        json_set(line, "set", json_whole(from->set));
        json_set(line, "object", json_object_name(snapshot, from->object));
        json_set(line, "offset", listed ? json_whole(from->offset) : json_null());
        json_set(line, "functions", json_known(from->functions));
        json_array_append_new(out, line);
    }
    return out;
}

static json_t *pairs(const struct snapshot *snapshot)
{
    json_t *out = json_array();
    for (size_t i = 0; i < snapshot->window.pair_count; i++) {
        const struct snapshot_pair *from = &snapshot->window.pairs[i];
        json_t *pair = json_object();
        json_set(pair, "line_a", from->line_a ? json_address(from->line_a) : json_null());
        json_set(pair, "line_b", from->line_b ? json_address(from->line_b) : json_null());
        json_set(pair, "object_a", json_object_name(snapshot, from->object_a));
        json_set(pair, "object_b", json_object_name(snapshot, from->object_b));
        json_set(pair, "together", json_whole(from->together));
        json_set(pair, "lift", json_share(from->lift));
        json_array_append_new(out, pair);
    }
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
    json_set(out, "top", recurring_lines(snapshot));
    json_set(out, "pairs", pairs(snapshot));
    return out;
}

/* Why lines were missed; declared in json.h. */

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

/* Miss-ratio curves; declared in json.h. */

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

/* Shared cache lines; declared in json.h. */

static json_t *node_or_null(int node)
{
    return node < 0 ? json_null() : json_integer(node);
}

/* "0x...": bit i is byte i of the line. */
static json_t *code_of(const struct snapshot_sharing_code *code)
{
    json_t *out = json_object();
    json_set(out, "function", json_text(code->function));
    json_set(out, "address", json_address(code->address));
    json_set(out, "file", json_text(code->file));
    json_set(out, "line", json_known(code->line));
    json_set(out, "field", json_text(code->field));
    json_set(out, "share", json_share(code->share));
    json_set(out, "locked", json_boolean(code->locked));
    return out;
}

static json_t *side_of(const struct snapshot_sharing_side *side)
{
    json_t *out = json_object();
    json_t *codes = json_array();
    json_set(out, "tid", json_whole(side->tid));
    json_set(out, "cpu", side->cpu == SAMPLE_NO_CPU ? json_null() : json_whole(side->cpu));
    json_set(out, "node", node_or_null(side->node));
    json_set(out, "samples", json_count(side->samples));
    json_set(out, "share", json_share(side->share));
    json_set(out, "loads", json_count(side->loads));
    json_set(out, "stores", json_count(side->stores));
    json_set(out, "hitm", json_count(side->hitm));
    json_set(out, "read", json_address(side->read));
    json_set(out, "written", json_address(side->written));
    json_set(out, "object", json_text(side->name));
    json_set(out, "fields", json_text(side->fields));
    json_set(out, "locked", json_boolean(side->locked));
    for (size_t i = 0; i < side->code_count; i++)
        json_array_append_new(codes, code_of(&side->codes[i]));
    json_set(out, "code", codes);
    return out;
}

static json_t *json_sharing_line_of(const struct snapshot_sharing_group *group,
                                    const struct snapshot_sharing_line *line, size_t index)
{
    json_t *out = json_object();
    json_t *sides = json_array();
    json_set(out, "group", json_whole(index));
    json_set(out, "address", json_address(line->address));
    json_set(out, "object", json_text(group->name));
    json_set(out, "offset", json_integer(line->offset));
    json_set(out, "verdict", json_text(sharing_verdict_name(line->verdict)));
    json_set(out, "overlap", json_share(line->overlap));
    json_set(out, "samples", json_count(line->samples));
    json_set(out, "share", json_share(line->share));
    json_set(out, "of_object", json_share(line->of_object));
    json_set(out, "turns", json_count(line->turns));
    json_set(out, "pairs", json_count(line->pairs));
    json_set(out, "expected", json_share(line->expected));
    json_set(out, "hitm", json_count(line->hitm));
    json_set(out, "locked", json_boolean(line->locked));
    json_set(out, "node", node_or_null(line->node));
    for (size_t i = 0; i < line->side_count; i++)
        json_array_append_new(sides, side_of(&line->sides[i]));
    json_set(out, "sides", sides);
    return out;
}

static json_t *group_of(const struct snapshot_sharing_group *group)
{
    char reading[SHARING_READING_BYTES];
    sharing_reading(group, reading, sizeof reading);
    json_t *out = json_object();
    json_set(out, "object", json_text(group->name));
    json_set(out, "fields", json_text(group->fields));
    json_set(out, "verdict", json_text(sharing_verdict_name(group->verdict)));
    json_set(out, "evidence", json_text(sharing_evidence_name(group->evidence)));
    json_set(out, "sure", json_boolean(group->sure));
    json_set(out, "samples", json_count(group->samples));
    json_set(out, "share", json_share(group->share.value));
    json_set(out, "of_object", json_share(group->of_object));
    json_set(out, "lines", json_whole(group->line_count));
    json_set(out, "threads", json_whole(group->threads));
    json_set(out, "locked", json_boolean(group->locked));
    json_set(out, "reading", json_text(reading));
    return out;
}

json_t *json_sharing(const struct snapshot_sharing *sharing)
{
    json_t *out = json_object();
    json_t *groups = json_array();
    json_t *lines = json_array();
    for (size_t i = 0; i < sharing->group_count; i++) {
        const struct snapshot_sharing_group *group = &sharing->groups[i];
        json_array_append_new(groups, group_of(group));
        for (size_t k = 0; k < group->line_count; k++)
            json_array_append_new(lines, json_sharing_line_of(group, &group->lines[k], i));
    }
    json_set(out, "evidence", json_text(sharing_evidence_name(sharing->evidence)));
    json_set(out, "groups", groups);
    json_set(out, "groups_left_out", json_whole(sharing->groups_left_out));
    json_set(out, "lines", lines);
    return out;
}

/* Exact totals of a simulated run; declared in json.h. */

static json_t *level(const struct simulation_level *from, unsigned number)
{
    char name[16];
    json_t *out = json_object();
    snprintf(name, sizeof name, "L%u", number);
    json_set(out, "name", json_text(name));
    json_set(out, "size", json_whole(from->size_bytes));
    json_set(out, "ways", json_whole(from->ways));
    json_set(out, "line", json_whole(from->line_bytes));
    json_set(out, "load_misses", json_whole(from->load_misses));
    json_set(out, "store_misses", json_whole(from->store_misses));
    return out;
}

json_t *json_simulation(const struct snapshot_simulation *from)
{
    if (!from->level_count)
        return json_null();
    json_t *out = json_object();
    json_t *levels = json_array();
    for (unsigned i = 0; i < from->level_count; i++)
        json_array_append_new(levels, level(&from->level[i], i + 1));
    json_set(out, "loads", json_whole(from->loads));
    json_set(out, "stores", json_whole(from->stores));
    json_set(out, "accesses", json_whole(from->accesses));
    json_set(out, "levels", levels);
    json_set(out, "one_in", json_whole(from->one_in));
    json_set(out, "untold", json_whole(from->untold));
    json_set(out, "counting", json_boolean(from->counting));
    json_set(out, "paused",
             from->counting ? json_null()
                            : json_text(simulation_pause_name((enum simulation_pause)from->pause)));
    return out;
}
