/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ---- sets, the search, the window ---- */

#include "view/export/json.h"
#include "view/words.h"

static json_t *json_sets_reading(const struct snapshot *snapshot, const void *row)
{
    char text[320];
    (void)row;
    sets_reading(snapshot, text, sizeof text);
    return json_text_or_null(text);
}

static json_t *json_sets_note(const struct snapshot *snapshot, const void *row)
{
    (void)snapshot;
    return json_text_or_null(sets_note(row));
}

static void json_window_reading(const struct snapshot *snapshot, const void *row, char *out,
                                size_t size)
{
    (void)row;
    window_reading(snapshot, out, size);
}

const struct columns sets_members = MEMBERS(
    struct snapshot_sets,
    MEMBER("level", struct snapshot_sets, level),
    MEMBER("index", struct snapshot_sets, index),
    MEMBER_KNOWN("sets", struct snapshot_sets, sets),
    MEMBER_KNOWN("ways", struct snapshot_sets, ways),
    MEMBER_KNOWN("line", struct snapshot_sets, line),
    COLUMN(.key = "counts", .from = FIRST_OF(struct snapshot_sets, counts), .form = JSON_COUNT,
           .count = FIELD(struct snapshot_sets, sets)),
    COLUMN(.key = "lines", .from = FIRST_OF(struct snapshot_sets, lines),
           .count = FIELD(struct snapshot_sets, sets),
           .json_if = ROW_OF(struct snapshot_sets, lines)),
    COLUMN(.key = "verdict", .from = FIELD(struct snapshot_sets, verdict),
           .name = sets_verdict_name),
    MEMBER_COUNT("chi2", struct snapshot_sets, chi2),
    /* exact, because rounding would make it 0 */
    COLUMN(.key = "p_value", .from = FIELD(struct snapshot_sets, p_value), .form = JSON_EXACT),
    MEMBER("hot_sets", struct snapshot_sets, hot_sets),
    COLUMN(.key = "reading", .json = json_sets_reading),
    COLUMN(.key = "note", .json = json_sets_note));

const struct columns region_phase_members =
    MEMBERS(
    struct snapshot_region_phase,
    MEMBER("name", struct snapshot_region_phase, name),
    MEMBER("share", struct snapshot_region_phase, share),
    MEMBER("leads", struct snapshot_region_phase, is_largest));

const struct columns search_members = MEMBERS(
    struct snapshot_search,
    COLUMN(.key = "state", .from = FIELD(struct snapshot_search, state),
           .name = search_state_name),
    MEMBER_KNOWN("ways", struct snapshot_search, ways),
    MEMBER("iteration", struct snapshot_search, iteration),
    COLUMN(.key = "interval", .known_if = FIELD(struct snapshot_search, state), .from = FIELD(struct snapshot_search, interval_s)),
    MEMBER("restarts", struct snapshot_search, restarts),
    COLUMN(.key = "explained", .known_if = FIELD(struct snapshot_search, state), .from = FIELD(struct snapshot_search, explained)),
    COLUMN(.key = "what", .known_if = FIELD(struct snapshot_search, state), .from = FIELD(struct snapshot_search, range_name)),
    COLUMN(.key = "base", .known_if = FIELD(struct snapshot_search, state), .from = FIELD(struct snapshot_search, base),
           .format = format_address),
    COLUMN(.key = "bound", .known_if = FIELD(struct snapshot_search, state), .from = FIELD(struct snapshot_search, bound),
           .format = format_address),
    MEMBER_ROWS("regions", struct snapshot_search, regions, region_count, &region_columns),
    MEMBER_ROWS("dropped", struct snapshot_search, dropped, dropped_count, &region_columns));

const struct columns window_members = MEMBERS(
    struct snapshot_window,
    MEMBER("entries", struct snapshot_window, entries),
    MEMBER("used", struct snapshot_window, used),
    MEMBER("addresses", struct snapshot_window, addresses),
    MEMBER("singletons", struct snapshot_window, singletons),
    MEMBER("recurring", struct snapshot_window, recurring),
    MEMBER("span", struct snapshot_window, span_s),
    COLUMN(.key = "histogram", .from = FIELD(struct snapshot_window, histogram[0]),
           .elements = SNAPSHOT_RECURRENCE_BINS),
    COLUMN(.key = "reading", .format_sentence = json_window_reading),
    MEMBER_ROWS("top", struct snapshot_window, top, top_count, &line_columns),
    MEMBER_ROWS("pairs", struct snapshot_window, pairs, pair_count, &pair_columns));

/* ---- why lines were missed ---- */

const struct columns causes_figures_members = MEMBERS(
    struct snapshot_causes_figures,
    MEMBER_COUNT("samples", struct snapshot_causes_figures, samples),
    MEMBER_COUNT("misses", struct snapshot_causes_figures, misses),
    MEMBER("unknown", struct snapshot_causes_figures, share[CAUSE_UNKNOWN]),
    MEMBER("first", struct snapshot_causes_figures, share[CAUSE_FIRST]),
    MEMBER("first-by-thread", struct snapshot_causes_figures, share[CAUSE_FIRST_HERE]),
    MEMBER("true-sharing", struct snapshot_causes_figures, share[CAUSE_INVALIDATED_TRUE]),
    MEMBER("false-sharing", struct snapshot_causes_figures, share[CAUSE_INVALIDATED_FALSE]),
    MEMBER("inclusion", struct snapshot_causes_figures, share[CAUSE_INCLUSION]),
    MEMBER("conflict", struct snapshot_causes_figures, share[CAUSE_CONFLICT]),
    MEMBER("capacity", struct snapshot_causes_figures, share[CAUSE_CAPACITY]),
    MEMBER_COUNT("evicted", struct snapshot_causes_figures, evicted),
    MEMBER("by_itself", struct snapshot_causes_figures, self_evicted),
    MEMBER("premature_same", struct snapshot_causes_figures, early_same),
    MEMBER("premature_other", struct snapshot_causes_figures, early_other));

static const struct columns evictor_members = MEMBERS(
    struct snapshot_evictor,
    MEMBER("function", struct snapshot_evictor, function),
    MEMBER("object", struct snapshot_evictor, object),
    MEMBER("share", struct snapshot_evictor, share));

static const struct columns evictor_thread_members =
    MEMBERS(
    struct snapshot_evictor_thread,
    MEMBER("name", struct snapshot_evictor_thread, name),
    MEMBER_KNOWN("tid", struct snapshot_evictor_thread, tid),
    MEMBER("share", struct snapshot_evictor_thread, share));

const struct columns causes_members = MEMBERS(
    struct snapshot_causes_row,
    COLUMN(.from = ROW_IN(struct snapshot_causes_row, figures), .members = &causes_figures_members),
    MEMBER("evictors_unlisted", struct snapshot_causes_row, unlisted),
    COLUMN(.key = "evictors", .from = ROW_IN(struct snapshot_causes_row, evictors),
           .count = FIELD(struct snapshot_causes_row, evictor_count), .rows = &evictor_members),
    COLUMN(.key = "evictor_threads", .from = ROW_IN(struct snapshot_causes_row, threads),
           .count = FIELD(struct snapshot_causes_row, thread_count),
           .rows = &evictor_thread_members));

static const struct columns thread_causes_members = MEMBERS(
    struct snapshot_causes_row,
    COLUMN(.from = ROW_IN(struct snapshot_causes_row, figures), .members = &causes_figures_members),
    MEMBER("name", struct snapshot_causes_row, name),
    COLUMN(.key = "evictor_threads", .from = ROW_IN(struct snapshot_causes_row, threads),
           .count = FIELD(struct snapshot_causes_row, thread_count),
           .rows = &evictor_thread_members));

/* The last entry, all others, has no name: null. */
static const struct columns eviction_line_members =
    MEMBERS(struct snapshot_eviction_line,
            MEMBER("name", struct snapshot_eviction_line, name),
            MEMBER_COUNT("misses", struct snapshot_eviction_line, misses));

static json_t *json_evictions(const struct snapshot *snapshot, const void *row)
{
    const struct snapshot_evictions *from = row;
    if (!from->row_count)
        return json_null();
    json_t *out = json_object();
    json_t *cells = json_array();
    for (size_t i = 0; i <= from->row_count; i++) {
        json_t *line = json_array();
        for (size_t k = 0; k <= from->column_count; k++)
            json_array_append_new(line, json_count(from->cells[i][k]));
        json_array_append_new(cells, line);
    }
    json_set(out, "misses", json_count(from->misses));
    json_set(out, "rows",
             json_rows(&eviction_line_members, snapshot, from->rows, from->row_count + 1));
    json_set(out, "columns",
             json_rows(&eviction_line_members, snapshot, from->columns, from->column_count + 1));
    json_set(out, "cells", cells);
    return out;
}

const struct columns all_causes_members = MEMBERS(
    struct snapshot_causes,
    COLUMN(.from = ROW_IN(struct snapshot_causes, all), .members = &causes_figures_members),
    MEMBER_ROWS("threads", struct snapshot_causes, by_kind[CAUSES_THREADS].rows,
                by_kind[CAUSES_THREADS].count, &thread_causes_members),
    COLUMN(.key = "evictions", .from = ROW_IN(struct snapshot_causes, by_kind[CAUSES_OBJECTS].evictions),
           .json = json_evictions),
    COLUMN(.key = "evictions_by_function",
           .from = ROW_IN(struct snapshot_causes, by_kind[CAUSES_FUNCTIONS].evictions),
           .json = json_evictions),
    COLUMN(.key = "evictions_by_thread",
           .from = ROW_IN(struct snapshot_causes, by_kind[CAUSES_THREADS].evictions),
           .json = json_evictions));

/* ---- miss-ratio curves ---- */

static json_t *json_reuse_curve(const struct snapshot_reuse *reuse,
                                const struct snapshot_reuse_row *from)
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

static json_t *json_reuse_curves(const struct snapshot_reuse *reuse,
                                 const struct snapshot_reuse_row *rows, size_t count)
{
    json_t *out = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(out, json_reuse_curve(reuse, &rows[i]));
    return out;
}

json_t *json_reuse(const struct snapshot *snapshot, const void *row)
{
    const struct snapshot_reuse *reuse = row;
    json_t *out = json_object();
    (void)snapshot;
    json_t *sizes = json_array();
    json_t *caches = json_object();
    for (unsigned i = 0; i < REUSE_POINTS; i++)
        json_array_append_new(sizes, json_count(snapshot_reuse_size(i)));
    for (size_t i = 0; i < reuse->mark_count; i++)
        json_set(caches, reuse->marks[i].name, json_whole(reuse->marks[i].size_bytes));
    json_set(out, "sizes", sizes);
    json_set(out, "caches", caches);
    json_set(out, "all", json_reuse_curve(reuse, &reuse->all));
    json_set(out, "objects", json_reuse_curves(reuse, reuse->objects, reuse->object_count));
    json_set(out, "code", json_reuse_curves(reuse, reuse->lines, reuse->line_count));
    return out;
}

/* ---- shared cache lines ---- */

static const struct columns sharing_code_members = MEMBERS(
    struct snapshot_sharing_code,
    MEMBER("function", struct snapshot_sharing_code, function),
    COLUMN(.key = "address", .from = FIELD(struct snapshot_sharing_code, address),
           .format = format_address),
    MEMBER("file", struct snapshot_sharing_code, file),
    MEMBER_KNOWN("line", struct snapshot_sharing_code, line),
    MEMBER("field", struct snapshot_sharing_code, field),
    MEMBER("share", struct snapshot_sharing_code, share),
    MEMBER("locked", struct snapshot_sharing_code, locked));

static struct value side_cpu(const struct snapshot *snapshot, const void *row)
{
    uint32_t cpu = ((const struct snapshot_sharing_side *)row)->cpu;
    (void)snapshot;
    return cpu == SAMPLE_NO_CPU ? value_text(NULL) : value_integer(cpu);
}

const struct columns sharing_side_members = MEMBERS(
    struct snapshot_sharing_side,
    MEMBER("tid", struct snapshot_sharing_side, tid),
    COLUMN(.key = "cpu", .value = side_cpu),
    MEMBER("node", struct snapshot_sharing_side, node),
    MEMBER_COUNT("samples", struct snapshot_sharing_side, samples),
    MEMBER("share", struct snapshot_sharing_side, share),
    MEMBER_COUNT("loads", struct snapshot_sharing_side, loads),
    MEMBER_COUNT("stores", struct snapshot_sharing_side, stores),
    MEMBER_COUNT("hitm", struct snapshot_sharing_side, hitm),
    COLUMN(.key = "read", .from = FIELD(struct snapshot_sharing_side, read),
           .format = format_address),
    COLUMN(.key = "written", .from = FIELD(struct snapshot_sharing_side, written),
           .format = format_address),
    MEMBER("object", struct snapshot_sharing_side, name),
    MEMBER("fields", struct snapshot_sharing_side, fields),
    MEMBER("locked", struct snapshot_sharing_side, locked),
    COLUMN(.key = "code", .from = ROW_IN(struct snapshot_sharing_side, codes),
           .count = FIELD(struct snapshot_sharing_side, code_count),
           .rows = &sharing_code_members));

/* The group's index and object are not members of the line's own row. */
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

static json_t *json_sharing_lines(const struct snapshot *snapshot, const void *row)
{
    const struct snapshot_sharing *sharing = row;
    json_t *out = json_array();
    for (size_t i = 0; i < sharing->group_count; i++)
        for (size_t k = 0; k < sharing->groups[i].line_count; k++)
            json_array_append_new(out, line_of(snapshot, i, &sharing->groups[i].lines[k]));
    return out;
}

const struct columns sharing_members = MEMBERS(
    struct snapshot_sharing,
    COLUMN(.key = "evidence", .from = FIELD(struct snapshot_sharing, evidence),
           .name = sharing_evidence_name),
    MEMBER_ROWS("groups", struct snapshot_sharing, groups, group_count, &sharing_columns),
    MEMBER("groups_left_out", struct snapshot_sharing, groups_left_out),
    COLUMN(.key = "lines", .json = json_sharing_lines));

/* ---- exact totals of a simulated run ---- */

const struct columns simulation_members = MEMBERS(
    struct snapshot_simulation,
    MEMBER("loads", struct snapshot_simulation, loads),
    MEMBER("stores", struct snapshot_simulation, stores),
    MEMBER("accesses", struct snapshot_simulation, accesses),
    COLUMN(.key = "levels", .from = ROW_IN(struct snapshot_simulation, level),
           .count = FIELD(struct snapshot_simulation, level_count), .rows = &simulation_columns),
    MEMBER("one_in", struct snapshot_simulation, miss_period),
    MEMBER("untold", struct snapshot_simulation, dropped),
    MEMBER("counting", struct snapshot_simulation, counting),
    COLUMN(.key = "paused", .unknown_if = FIELD(struct snapshot_simulation, counting), .from = FIELD(struct snapshot_simulation, pause),
           .name = simulation_pause_name));
