/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sets, the search, the window; declared in json_part.h. */
#include "view/json_part.h"

#include <math.h>

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
        json_set(region, "reason", json_text(from[i].reason));
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
