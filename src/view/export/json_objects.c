/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Objects with all that is known of them; declared in json.h. */
#include <math.h>
#include <stdio.h>

#include "view/export/json.h"
#include "view/levels.h"
#include "view/pages/watch.h"
#include "view/pages/whatif.h"

/* A type as it lies in memory, with its heat; declared in json.h. */

static const char *kind_name(enum layout_row_kind kind)
{
    static const char *const names[] = {"member", "hole", "padding", "offset"};
    return (unsigned)kind < sizeof names / sizeof *names ? names[kind] : "offset";
}

static json_t *one_row(const struct snapshot *snapshot, const struct snapshot_layout_row *from)
{
    const struct type_member *member = &from->member;
    bool gap = from->kind == LAYOUT_HOLE || from->kind == LAYOUT_PADDING;
    json_t *row = json_object();
    json_set(row, "offset", json_whole(member->offset));
    json_set(row, "size", member->bit_size ? json_null() : json_known(member->size));
    json_set(row, "type", json_text_or_null(member->type));
    json_set(row, "name", json_text_or_null(member->name));
    json_set(row, "kind", json_text(kind_name(from->kind)));
    json_set(row, "hole", json_boolean(gap));
    json_set(row, "depth", json_whole(member->depth));
    json_set(row, "bit_offset", member->bit_size ? json_whole(member->bit_offset) : json_null());
    json_set(row, "bit_size", json_known(member->bit_size));
    json_set(row, "count", json_known(member->count));
    json_set(row, "samples", json_count(from->samples));
    json_set(row, "share", json_share(from->share));
    json_set(row, "loads", json_count(from->loads));
    json_set(row, "stores", json_count(from->stores));
    json_set(row, "line", json_whole(from->line));
    json_set_levels(row, snapshot, from->levels);
    json_set_rates(row, from->rates);
    json_set_use(row, snapshot, from->use);
    return row;
}

static json_t *lines(const struct snapshot_layout *layout)
{
    json_t *out = json_array();
    for (size_t i = 0; i < layout->line_count; i++) {
        const struct snapshot_layout_line *from = &layout->lines[i];
        json_t *line = json_object();
        json_set(line, "start", json_whole(from->start));
        json_set(line, "end", json_whole(from->end));
        json_set(line, "share", json_share(from->share));
        json_set(line, "used", json_whole(from->used));
        json_set(line, "cold", json_whole(from->cold));
        json_array_append_new(out, line);
    }
    return out;
}

static json_t *json_layout(const struct snapshot *snapshot, const struct snapshot_layout *layout)
{
    bool aligned = !isnan(layout->phase_share);
    json_t *out = json_object();
    json_t *rows = json_array();
    json_set(out, "type", json_text(layout->inferred ? NULL : layout->name));
    json_set(out, "size", json_known(layout->size));
    json_set(out, "inferred", json_boolean(layout->inferred));
    json_set(out, "samples", json_count(layout->samples));
    json_set(out, "share", json_share(layout->share));
    json_set(out, "phase", aligned ? json_whole(layout->phase) : json_null());
    json_set(out, "phase_share", json_share(layout->phase_share));
    json_set(out, "phases", json_known(layout->phases));
    json_set(out, "straddling", json_share(layout->straddling));
    json_set(out, "hot_span", json_known(layout->hot_span));
    json_set(out, "hot_lines", json_known(layout->hot_lines));
    json_set(out, "reading", json_text(layout->reading));
    for (size_t i = 0; i < layout->row_count; i++)
        json_array_append_new(rows, one_row(snapshot, &layout->rows[i]));
    json_set(out, "rows", rows);
    json_set(out, "lines", lines(layout));
    return out;
}

/* The heap and its bins; declared in json.h. */

/* What is known of the blocks themselves; null for what is no heap bin. */
static void json_set_heap(json_t *out, const struct heap_bin *heap)
{
    bool told = heap && !heap->walked;
    json_t *site = heap && heap->site_count ? json_array() : json_null();
    for (uint32_t i = 0; heap && i < heap->site_count; i++)
        json_array_append_new(site, json_text(heap->site[i]));
    json_set(out, "site", site);
    json_set(out, "live_blocks", heap ? json_whole(heap->live_blocks) : json_null());
    json_set(out, "live_bytes", heap ? json_whole(heap->usable_bytes) : json_null());
    json_set(out, "usable_bytes", heap ? json_whole(heap->usable_bytes) : json_null());
    json_set(out, "requested_bytes", told ? json_whole(heap->requested_bytes) : json_null());
}

static json_t *one_bin(const struct snapshot *snapshot, const struct snapshot_bin *from)
{
    const struct heap_bin *heap = &from->heap;
    json_t *bin = json_object();
    json_t *sizes = json_array();
    json_set(bin, "id", json_whole(heap->id));
    json_set(bin, "name", json_text(heap->name));
    json_set(bin, "path", json_text(heap->path));
    json_set(bin, "type", json_text(heap->type));
    json_set(bin, "known_by", json_text(heap->walked ? "walk" : "agent"));
    json_set(bin, "object", json_object_name(snapshot, from->object));
    json_set(bin, "samples", json_count(from->samples));
    json_set(bin, "share", from->touched ? json_share(from->share) : json_null());
    json_set_heap(bin, heap);
    json_set(bin, "allocations", heap->walked ? json_null() : json_whole(heap->allocations));
    json_set(bin, "frees", heap->walked ? json_null() : json_whole(heap->frees));
    json_set(bin, "allocation_rate", json_count(heap->allocations_per_s));
    json_set(bin, "free_rate", json_count(heap->frees_per_s));
    json_set(bin, "lifetime", json_count(heap->lifetime_s));
    json_set(bin, "age", json_count(heap->age_s));
    json_set(bin, "growth_blocks", json_count(heap->growth_blocks));
    json_set(bin, "growth_bytes", json_count(heap->growth_bytes));
    json_set(bin, "leak_suspect", json_boolean(from->suspect));
    for (int i = 0; i < HEAP_SIZES; i++)
        json_array_append_new(sizes, json_whole(heap->sizes[i]));
    json_set(bin, "sizes", sizes);
    return bin;
}

json_t *json_heap(const struct snapshot *snapshot)
{
    const struct heap_summary *summary = &snapshot->heap.summary;
    json_t *out = json_object();
    json_t *bins = json_array();
    bool known = summary->feed != HEAP_FEED_NONE;
    static const char *const feeds[] = {"none", "agent", "walk"};
    json_set(out, "feed", json_text(feeds[summary->feed]));
    json_set(out, "source", json_text(summary->source));
    json_set(out, "note", json_text(summary->note));
    json_set(out, "live_blocks", known ? json_whole(summary->live_blocks) : json_null());
    json_set(out, "live_bytes", known ? json_whole(summary->usable_bytes) : json_null());
    json_set(out, "requested_bytes",
             summary->feed == HEAP_FEED_AGENT ? json_whole(summary->requested_bytes) : json_null());
    json_set(out, "lost", known ? json_whole(summary->lost) : json_null());
    json_set(out, "failed", known ? json_whole(summary->failed) : json_null());
    json_set(out, "mark_age", json_share(summary->mark_age_s));
    for (size_t i = 0; i < snapshot->heap.bin_count; i++)
        json_array_append_new(bins, one_bin(snapshot, &snapshot->heap.bins[i]));
    json_set(out, "bins", bins);
    json_set(out, "bins_left_out", json_whole(snapshot->heap.bins_left_out));
    return out;
}

/* By latency where that is told, else by the event. */
static double stall_share(const struct snapshot_field *field)
{
    double timed = field->levels ? field->levels->stall : NAN;
    return isnan(timed) && field->rates ? field->rates->stall.value : timed;
}

/* Samples counted for one of mean weight. */
static double counted_for(double samples, double count_over)
{
    return samples > 0 ? (samples + count_over) / samples : 1;
}

static json_t *fields(const struct snapshot *snapshot, const struct snapshot_object *object)
{
    json_t *out = json_array();
    for (size_t i = 0; i < object->field_count; i++) {
        const struct snapshot_field *from = &object->fields[i];
        double counted = counted_for(from->samples, from->count_over);
        json_t *field = json_object();
        json_set(field, "name", json_text(from->name));
        json_set(field, "type", json_text(from->type));
        json_set(field, "offset", json_whole(from->offset));
        json_set(field, "size", json_known(from->size));
        json_set(field, "samples", json_count(from->samples + from->count_over));
        json_set(field, "share", json_share(from->share));
        json_set(field, "loads", json_count(from->loads * counted));
        json_set(field, "stores", json_count(from->stores * counted));
        json_set_levels(field, snapshot, from->levels);
        json_set_rates(field, from->rates);
        json_set_use(field, snapshot, from->use);
        json_set(field, "stall_share", json_share(stall_share(from)));
        if (from->causes)
            json_set(field, "causes", json_cause_figures(from->causes));
        json_array_append_new(out, field);
    }
    return out;
}

/* How its samples came by their type. */
static json_t *typed(const struct snapshot_object *object)
{
    json_t *out = json_object();
    for (int i = TYPED_CODE; i < TYPED_COUNT; i++)
        json_set(out, typed_name((enum typed)i), json_count(object->typed[i]));
    return out;
}

/* All types seen in it, without their rows. */
static json_t *layouts(const struct snapshot_object *object)
{
    json_t *out = json_array();
    for (size_t i = 0; i < object->layout_count; i++) {
        const struct snapshot_layout *from = &object->layouts[i];
        json_t *layout = json_object();
        json_set(layout, "type", json_text(from->inferred ? NULL : from->name));
        json_set(layout, "size", json_known(from->size));
        json_set(layout, "inferred", json_boolean(from->inferred));
        json_set(layout, "samples", json_count(from->samples));
        json_set(layout, "share", json_share(from->share));
        json_array_append_new(out, layout);
    }
    return out;
}

static json_t *instances(const struct snapshot_object *object)
{
    json_t *out = json_array();
    for (size_t i = 0; i < object->instance_count; i++) {
        const struct snapshot_instance *from = &object->instances[i];
        json_t *instance = json_object();
        json_set(instance, "address", json_address(from->base));
        json_set(instance, "size", json_known(from->size));
        json_set(instance, "samples", json_count(from->samples + from->count_over));
        json_set(instance, "share", json_share(from->share));
        json_set(instance, "tid", json_known(from->tid));
        json_array_append_new(out, instance);
    }
    return out;
}

static json_t *history(const struct snapshot_object *object)
{
    json_t *out = json_array();
    for (int i = 0; i < SNAPSHOT_HISTORY; i++)
        json_array_append_new(out, json_share((double)object->history[i]));
    return out;
}

static json_t *event_shares(const struct snapshot *snapshot, const struct snapshot_object *object)
{
    json_t *out = json_object();
    for (size_t i = 0; i < snapshot->source.event_count && i < SAMPLE_EVENTS_MAX; i++)
        if (snapshot->source.events[i].name)
            json_set(out, snapshot->source.events[i].name, json_share(object->event_share[i]));
    return out;
}

static json_t *one_object(const struct snapshot *snapshot, const struct snapshot_object *from)
{
    json_t *object = json_object();
    double counted = counted_for(from->samples, from->count_over);
    json_set(object, "name", json_text(from->name));
    json_set(object, "kind", json_text(object_kind_name(from->kind)));
    json_set(object, "module", json_text_or_null(from->module));
    json_set(object, "type", json_text(from->type));
    json_set(object, "type_votes", from->type ? json_whole(from->type_votes) : json_null());
    json_set(object, "type_against", from->type ? json_whole(from->type_against) : json_null());
    json_set(object, "typed", typed(from));
    json_set(object, "address", json_address(from->address));
    json_set(object, "size", json_known(from->size));
    json_set(object, "blocks", json_known(from->blocks));
    json_set(object, "samples", json_count(from->samples + from->count_over));
    json_set(object, "share", json_share(from->share.value));
    json_set(object, "share_low", json_share(from->share.low));
    json_set(object, "share_high", json_share(from->share.high));
    json_set(object, "loads", json_count(from->loads * counted));
    json_set(object, "stores", json_count(from->stores * counted));
    json_set(object, "inferred", json_count(from->inferred * counted));
    json_set_levels(object, snapshot, from->levels);
    json_set(object, "stall_share", json_share(levels_stall_share(snapshot, from)));
    json_set(object, "threads", json_known(from->threads));
    json_set(object, "element_size", json_known(from->element_size));
    json_set(object, "element_confidence",
             json_share(from->element_size ? from->element_confidence : NAN));
    json_set_rates(object, from->rates);
    json_set_use(object, snapshot, from->use);
    if (snapshot->causes.told)
        json_set(object, "causes", json_causes(&snapshot->causes, CAUSES_OBJECTS, from->id));
    json_set(object, "events", event_shares(snapshot, from));
    json_set_heap(
        object, from->bin < snapshot->heap.bin_count ? &snapshot->heap.bins[from->bin].heap : NULL);
    json_set(object, "fields", fields(snapshot, from));
    json_set(object, "layout",
             from->layout_count ? json_layout(snapshot, &from->layouts[0]) : json_null());
    json_set(object, "layouts", layouts(from));
    json_set(object, "code", json_functions(snapshot, from->code, from->code_count));
    json_set(object, "instances", instances(from));
    json_set(object, "history", history(from));
    return object;
}

json_t *json_objects(const struct snapshot *snapshot)
{
    json_t *out = json_array();
    for (size_t i = 0; i < snapshot->object_count; i++)
        json_array_append_new(out, one_object(snapshot, &snapshot->objects[i]));
    return out;
}

/* Where accesses found their data; declared in json.h. */

/* Named counts. What was not found there at all is left out. */
static json_t *counts(const double *from, int count, const char *(*name)(int index))
{
    json_t *out = json_object();
    for (int i = 0; i < count; i++)
        if (from[i] > 0)
            json_set(out, name(i), json_count(from[i]));
    return out;
}

static const char *level_name(int index)
{
    return data_level_name((enum data_level)index);
}

static const char *snoop_name(int index)
{
    return data_snoop_name((enum data_snoop)index);
}

static const char *tlb_name(int index)
{
    return data_tlb_name((enum data_tlb)index);
}

/* Null where nothing is known of any. */
static json_t *counts_or_null(const double *from, int count, const char *(*name)(int index))
{
    for (int i = 0; i < count; i++)
        if (!isnan(from[i]))
            return counts(from, count, name);
    return json_null();
}

static json_t *histogram(const struct snapshot_levels *levels)
{
    if (isnan(levels->latency))
        return json_null();
    json_t *out = json_array();
    for (int i = 0; i < SNAPSHOT_LATENCY_CLASSES; i++)
        json_array_append_new(out, json_count(levels->histogram[i]));
    return out;
}

/* Where accesses found their data; null where levels are NULL. */
static json_t *json_levels(const struct snapshot *snapshot, const struct snapshot_levels *levels)
{
    char basis[160];
    if (!levels)
        return json_null();
    levels_basis(snapshot, basis, sizeof basis);
    json_t *out = json_object();
    json_set(out, "from", json_text(levels->from == LEVELS_COUNTED ? "counted" : "recorded"));
    json_set(out, "counts", json_text_or_null(basis));
    json_set(out, "accesses", json_count(levels->accesses));
    json_set(out, "found", counts_or_null(levels->level, DATA_LEVEL_COUNT, level_name));
    json_set(out, "waited", counts_or_null(levels->waited, DATA_LEVEL_COUNT, level_name));
    json_set(out, "snoop", counts_or_null(levels->snoop, SNOOP_COUNT, snoop_name));
    json_set(out, "tlb", counts_or_null(levels->tlb, TLB_COUNT, tlb_name));
    json_set(out, "far", json_share(levels->far));
    json_set(out, "hitm", json_share(levels->hitm));
    json_set(out, "remote", json_share(levels->remote));
    json_set(out, "tlb_miss", json_share(levels->tlb_miss));
    json_set(out, "locked", json_share(levels->locked));
    json_set(out, "blocked", json_share(levels->blocked));
    json_set(out, "latencies", histogram(levels));
    return out;
}

void json_set_levels(json_t *out, const struct snapshot *snapshot,
                     const struct snapshot_levels *levels)
{
    json_set(out, "levels", json_levels(snapshot, levels));
    json_set(out, "latency", json_count(levels ? levels->latency : NAN));
}

/* Miss rates and criticality; declared in json.h. */

static json_t *interval(const struct snapshot_share *share)
{
    if (isnan(share->low))
        return json_null();
    json_t *out = json_object();
    json_set(out, "value", json_share(share->value));
    json_set(out, "low", json_share(share->low));
    json_set(out, "high", json_share(share->high));
    return out;
}

static json_t *rates_of(const struct snapshot_rates *rates)
{
    static const char *const from[] = {"recorded", "counted", "exact"};
    if (!rates)
        return json_null();
    json_t *out = json_object();
    json_t *miss = json_object();
    for (int i = 0; i < RATE_LEVELS; i++)
        json_set(miss, rate_level_name((enum rate_level)i), interval(&rates->miss_rate[i]));
    json_set(out, "from", json_text(from[rates->from]));
    json_set(out, "accessed", interval(&rates->accessed));
    json_set(out, "miss", miss);
    json_set(out, "stall", interval(&rates->stall));
    json_set(out, "missed", interval(&rates->missed));
    json_set(out, "missed_level", json_text(rate_level_name(rates->level)));
    json_set(out, "critical", interval(&rates->critical));
    return out;
}

/* The first level that is known. */
static int json_rates_level_of(const struct snapshot_rates *rates)
{
    for (int i = 0; rates && i < RATE_LEVELS; i++)
        if (!isnan(rates->miss_rate[i].value))
            return i;
    return -1;
}

void json_set_rates(json_t *out, const struct snapshot_rates *rates)
{
    int level = json_rates_level_of(rates);
    json_set(out, "accesses", json_count(rates ? rates->accesses : NAN));
    json_set(out, "miss_rate", json_share(level < 0 ? NAN : rates->miss_rate[level].value));
    json_set(out, "miss_rate_of",
             level < 0 ? json_null() : json_text(rate_level_name((enum rate_level)level)));
    json_set(out, "rates", rates_of(rates));
}

/* Use of lines; declared in json.h. */

void json_set_use(json_t *out, const struct snapshot *snapshot, const struct snapshot_use *use)
{
    static const char *const names[LINE_USES] = {"integer_loads", "float_loads", "integer_stores",
                                                 "float_stores"};
    if (!snapshot->uses.told)
        return;
    json_set(out, "spatial_use", json_share(snapshot_use_spatial(use)));
    json_set(out, "temporal_use", json_share(snapshot_use_temporal(use)));
    if (!use) {
        json_set(out, "use", json_null());
        return;
    }
    json_t *more = json_object();
    json_set(more, "level", json_whole(snapshot->uses.level + 1u));
    json_set(more, "lines", json_count(use->lines));
    json_set(more, "fetched_bytes", json_count(use->fetched_bytes));
    json_set(more, "used_bytes", json_count(use->used_bytes));
    json_set(more, "touched_bytes", json_count(use->touched_bytes));
    for (int i = 0; i < LINE_USES; i++)
        json_set(more, names[i], json_count(use->uses[i]));
    json_set(out, "use", more);
}

/* What was asked about another layout, and the answer; declared in json.h. */

static json_t *level(const struct snapshot_whatif_level *from, unsigned number)
{
    char name[16];
    json_t *out = json_object();
    snprintf(name, sizeof name, "L%u", number);
    json_set(out, "name", json_text(name));
    json_set(out, "misses", json_count(from->before));
    json_set(out, "misses_then", json_count(from->after));
    json_set(out, "change", json_share(whatif_change(from->before, from->after)));
    json_set(out, "object_misses", json_count(from->object_before));
    json_set(out, "object_misses_then", json_count(from->object_after));
    json_set(out, "object_first_touches_then", json_count(from->fresh));
    return out;
}

static json_t *past_of(const struct snapshot_whatifs *from)
{
    json_t *out = json_array();
    for (uint32_t i = 0; i < from->past_count; i++) {
        json_t *past = json_object();
        json_set(past, "object", json_text(from->past[i].object));
        json_set(past, "question", json_text(from->past[i].question));
        json_set(past, "stall_change", json_share(from->past[i].stall_change));
        json_array_append_new(out, past);
    }
    return out;
}

static json_t *answer_of(const struct snapshot_whatif *from)
{
    json_t *out = json_object();
    json_t *levels = json_array();
    json_set(out, "object", json_text(from->object));
    json_set(out, "question", json_text(from->question));
    json_set(out, "layout", json_text(from->layout));
    json_set(out, "state", json_text(whatif_state_name(from->state)));
    json_set(out, "why", json_text(from->why));
    if (from->state != WHATIF_COUNTS) {
        json_decref(levels);
        return out;
    }
    for (unsigned i = 0; i < from->level_count; i++)
        json_array_append_new(levels, level(&from->level[i], i + 1));
    json_set(out, "settled", json_boolean(from->settled));
    json_set(out, "accesses", json_count(from->accesses));
    json_set(out, "object_accesses", json_count(from->object_accesses));
    json_set(out, "object_accesses_cut", json_count(from->cut));
    json_set(out, "blocks", json_count(from->blocks));
    json_set(out, "blocks_left_out", json_count(from->blocks_left_out));
    json_set(out, "blocks_small", json_count(from->blocks_small));
    json_set(out, "levels", levels);
    json_set(out, "stall_cycles", json_count(from->stall_before));
    json_set(out, "stall_cycles_then", json_count(from->stall_after));
    json_set(out, "stall_change", json_share(whatif_change(from->stall_before, from->stall_after)));
    return out;
}

void json_set_whatif(json_t *out, const struct snapshot_whatifs *asked)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < asked->count; i++)
        json_array_append_new(list, answer_of(&asked->list[i]));
    if (!asked->count) {
        json_decref(list);
        return;
    }
    json_t *best = answer_of(&asked->list[0]);
    json_set(best, "before", past_of(asked));
    json_set(out, "what_if", best);
    json_set(out, "what_ifs", list);
}

/* What watchpoints saw; declared in json.h. */

/* [low, high]; an end that is not known is null. */
static json_t *between(double low, double high)
{
    json_t *out = json_array();
    json_array_append_new(out, json_share(low));
    json_array_append_new(out, json_share(high));
    return out;
}

static json_t *code_of(const struct snapshot_watch_code *code)
{
    json_t *out = json_object();
    json_set(out, "function", json_text(code->function));
    json_set(out, "module", json_text_or_null(code->module));
    json_set(out, "file", json_text(code->file));
    json_set(out, "line", json_known(code->line));
    json_set(out, "share", json_share(code->share));
    return out;
}

static json_t *json_watch_object_of(const struct snapshot_watch *watch,
                                    const struct snapshot_watch_object *object)
{
    char reading[WATCH_READING_BYTES];
    watch_reading(watch, object, reading, sizeof reading);
    json_t *out = json_object();
    json_t *codes = json_array();
    json_set(out, "name", json_text(object->name));
    json_set(out, "verdict", json_text(watch_verdict_name(object->verdict)));
    json_set(out, "watched", json_whole(object->watched));
    json_set(out, "touched", json_whole(object->touched));
    json_set(out, "told", json_whole(object->told));
    json_set(out, "needed", json_whole(object->needed));
    json_set(out, "wait_seconds", json_share(object->wait_s));
    json_set(out, "again", json_share(object->again.value));
    json_set(out, "again_between", between(object->again.low, object->again.high));
    json_set(out, "again_seconds", json_share(object->again_s));
    json_set(out, "reuse_seconds", json_share(object->reuse_s.value));
    json_set(out, "reuse_between", between(object->reuse_s.low, object->reuse_s.high));
    json_set(out, "misses", json_share(object->misses.value));
    json_set(out, "misses_between", between(object->misses.low, object->misses.high));
    json_set(out, "thread_misses", json_share(object->thread_misses));
    json_set(out, "visits", json_whole(object->visits));
    json_set(out, "spatial_use", json_share(object->used.value));
    json_set(out, "spatial_use_between", between(object->used.low, object->used.high));
    json_set(out, "elsewhere", json_share(object->elsewhere));
    json_set(out, "reading", json_text(reading));
    for (size_t i = 0; i < object->code_count; i++)
        json_array_append_new(codes, code_of(&object->codes[i]));
    json_set(out, "code", codes);
    return out;
}

json_t *json_watchpoints(const struct snapshot_watch *watch)
{
    json_t *out = json_object();
    json_t *objects = json_array();
    json_set(out, "registers", json_whole(watch->registers));
    json_set(out, "threads", json_whole(watch->threads));
    json_set(out, "threads_left_out", json_whole(watch->threads_left_out));
    json_set(out, "offered", json_whole(watch->offered));
    json_set(out, "armed", json_whole(watch->armed));
    json_set(out, "unpaid", json_whole(watch->unpaid));
    json_set(out, "touches", json_whole(watch->touches));
    json_set(out, "trap_ns", json_share(watch->trap_ns));
    json_set(out, "arm_ns", json_share(watch->arm_ns));
    json_set(out, "budget", json_share(watch->budget));
    json_set(out, "overhead", json_share(watch->overhead));
    json_set(out, "budget_limits", json_boolean(watch->budget_limits));
    json_set(out, "verdicts", json_whole(watch->verdicts));
    json_set(out, "next_seconds", json_share(watch->next_s));
    json_set(out, "trouble", json_text(watch->trouble));
    for (size_t i = 0; i < watch->count; i++)
        json_array_append_new(objects, json_watch_object_of(watch, &watch->objects[i]));
    json_set(out, "objects", objects);
    return out;
}
