/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A snapshot as one line of JSON: the members CONTRACT.md fixes, and what else it holds. */
#include "view/view.h"

#include "base/text.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- values; unknown is null ---- */

static json_t *share(double value)
{
    return isfinite(value) ? json_real(round(value * 1e6) / 1e6) : json_null();
}

/* Samples are whole numbers unless they decay. */
static json_t *count(double value)
{
    if (!isfinite(value))
        return json_null();
    if (value == floor(value) && fabs(value) < 1e15)
        return json_integer((json_int_t)value);
    return json_real(round(value * 100) / 100);
}

static json_t *whole(uint64_t value)
{
    return value <= INT64_MAX ? json_integer((json_int_t)value) : json_real((double)value);
}

static json_t *known(uint64_t value)
{
    return value ? whole(value) : json_null();
}

static json_t *address(uint64_t value)
{
    return json_sprintf("0x%" PRIx64, value);
}

static json_t *text(const char *value)
{
    if (!value)
        return json_null();
    json_t *string = json_string(value);
    if (string)
        return string;
    /* Not UTF-8, which jansson refuses: better a '?' than no line at all. */
    size_t size = strlen(value) + 1;
    char *clean = malloc(size);
    if (!clean)
        return NULL;
    text_sanitise(clean, size, value, size - 1);
    string = json_string(clean);
    free(clean);
    return string;
}

static json_t *text_or_null(const char *value)
{
    return text(value && *value ? value : NULL);
}

/* The name, as in `objects`; null: not listed there. */
static json_t *object_name(const struct snapshot *snapshot, uint32_t index)
{
    return text(index < snapshot->object_count ? snapshot->objects[index].name : NULL);
}

static void set(json_t *object, const char *key, json_t *value)
{
    json_object_set_new(object, key, value);
}

/* ---- what was watched, and how ---- */

static json_t *target(const struct snapshot_target *target_)
{
    json_t *out = json_object();
    set(out, "pid", known(target_->pid));
    set(out, "comm", text(target_->comm));
    set(out, "exe", text(target_->exe));
    set(out, "threads", known(target_->threads));
    set(out, "state", text(target_->state));
    return out;
}

static const char *role_name(enum event_role role)
{
    static const char *const names[] = {"l1-miss", "l2-miss", "mem-fill",
                                        "stall",   "access",  "other"};
    return (unsigned)role < sizeof names / sizeof *names ? names[role] : "other";
}

static json_t *source(const struct snapshot_source *source_)
{
    json_t *out = json_object();
    json_t *events = json_array();
    const struct snapshot_event *ranking =
        source_->ranking < source_->event_count ? &source_->events[source_->ranking] : NULL;
    set(out, "name", text(source_->name));
    set(out, "event", text(ranking ? ranking->name : NULL));
    set(out, "period", known(ranking ? ranking->period : 0));
    set(out, "precise", json_boolean(source_->precise));
    set(out, "live", json_boolean(source_->live));
    set(out, "weighs", text(source_->weighs));
    for (size_t i = 0; i < source_->event_count && i < SAMPLE_EVENTS_MAX; i++) {
        json_t *event = json_object();
        set(event, "name", text(source_->events[i].name));
        set(event, "role", text(role_name(source_->events[i].role)));
        set(event, "period", known(source_->events[i].period));
        set(event, "samples", whole(source_->events[i].samples));
        json_array_append_new(events, event);
    }
    set(out, "events", events);
    return out;
}

static json_t *samples(const struct snapshot_totals *totals)
{
    json_t *out = json_object();
    json_t *reasons = json_object();
    json_t *how = json_object();
    set(out, "total", whole(totals->samples));
    set(out, "kernel", whole(totals->reasons[REASON_KERNEL]));
    set(out, "lost", whole(totals->lost));
    set(out, "throttled", whole(totals->throttled));
    set(out, "attributed", whole(totals->attributed));
    set(out, "rate", count(totals->rate));
    for (int i = REASON_NONE + 1; i < REASON_COUNT; i++)
        set(reasons, access_reason_name((enum reason)i), whole(totals->reasons[i]));
    set(out, "unattributed", reasons);
    for (int i = 0; i < ACCESS_HOW_COUNT; i++)
        set(how, access_how_name((enum access_how)i), whole(totals->how[i]));
    set(out, "how", how);
    return out;
}

/* ---- objects and code ---- */

static json_t *fields(const struct snapshot_object *object)
{
    json_t *out = json_array();
    for (size_t i = 0; i < object->field_count; i++) {
        const struct snapshot_field *from = &object->fields[i];
        json_t *field = json_object();
        set(field, "name", text(from->name));
        set(field, "offset", whole(from->offset));
        set(field, "size", known(from->size));
        set(field, "samples", count(from->samples));
        set(field, "share", share(from->share));
        set(field, "loads", count(from->loads));
        set(field, "stores", count(from->stores));
        json_array_append_new(out, field);
    }
    return out;
}

static json_t *one_function(const struct snapshot *snapshot, const struct snapshot_code *from)
{
    json_t *code = json_object();
    set(code, "function", text(from->function));
    set(code, "module", text_or_null(from->module));
    set(code, "file", text_or_null(from->file));
    set(code, "line", known(from->line));
    set(code, "samples", count(from->samples));
    set(code, "share", share(from->share.value));
    set(code, "share_low", share(from->share.low));
    set(code, "share_high", share(from->share.high));
    set(code, "address", address(from->address));
    set(code, "sites", known(from->sites));
    set(code, "object", object_name(snapshot, from->top_object));
    set(code, "object_share", share(from->top_object_share));
    return code;
}

static json_t *functions(const struct snapshot *snapshot, const struct snapshot_code *from,
                         size_t from_count)
{
    json_t *out = json_array();
    for (size_t i = 0; i < from_count; i++)
        json_array_append_new(out, one_function(snapshot, &from[i]));
    return out;
}

static json_t *instances(const struct snapshot_object *object)
{
    json_t *out = json_array();
    for (size_t i = 0; i < object->instance_count; i++) {
        const struct snapshot_instance *from = &object->instances[i];
        json_t *instance = json_object();
        set(instance, "address", address(from->base));
        set(instance, "size", known(from->size));
        set(instance, "samples", count(from->samples));
        set(instance, "share", share(from->share));
        set(instance, "tid", known(from->tid));
        json_array_append_new(out, instance);
    }
    return out;
}

static json_t *history(const struct snapshot_object *object)
{
    json_t *out = json_array();
    for (int i = 0; i < SNAPSHOT_HISTORY; i++)
        json_array_append_new(out, share((double)object->history[i]));
    return out;
}

static json_t *event_shares(const struct snapshot *snapshot, const struct snapshot_object *object)
{
    json_t *out = json_object();
    for (size_t i = 0; i < snapshot->source.event_count && i < SAMPLE_EVENTS_MAX; i++)
        if (snapshot->source.events[i].name)
            set(out, snapshot->source.events[i].name, share(object->event_share[i]));
    return out;
}

static double stall_share(const struct snapshot *snapshot, const struct snapshot_object *object)
{
    for (size_t i = 0; i < snapshot->source.event_count && i < SAMPLE_EVENTS_MAX; i++)
        if (snapshot->source.events[i].role == EVENT_STALL)
            return object->event_share[i];
    return NAN;
}

/* What is known of the blocks themselves; null for what is no heap bin. */
static void set_heap(json_t *out, const struct heap_bin *heap)
{
    bool told = heap && !heap->walked;
    json_t *site = heap && heap->site_count ? json_array() : json_null();
    for (uint32_t i = 0; heap && i < heap->site_count; i++)
        json_array_append_new(site, text(heap->site[i]));
    set(out, "site", site);
    set(out, "live_blocks", heap ? whole(heap->live_blocks) : json_null());
    set(out, "live_bytes", heap ? whole(heap->usable_bytes) : json_null());
    set(out, "usable_bytes", heap ? whole(heap->usable_bytes) : json_null());
    set(out, "requested_bytes", told ? whole(heap->requested_bytes) : json_null());
}

static json_t *one_object(const struct snapshot *snapshot, const struct snapshot_object *from)
{
    json_t *object = json_object();
    set(object, "name", text(from->name));
    set(object, "kind", text(object_kind_name(from->kind)));
    set(object, "module", text_or_null(from->module));
    set(object, "type", text(from->type));
    set(object, "address", address(from->address));
    set(object, "size", known(from->size));
    set(object, "blocks", known(from->blocks));
    set(object, "samples", count(from->samples));
    set(object, "share", share(from->share.value));
    set(object, "share_low", share(from->share.low));
    set(object, "share_high", share(from->share.high));
    set(object, "loads", count(from->loads));
    set(object, "stores", count(from->stores));
    set(object, "inferred", count(from->inferred));
    set(object, "stall_share", share(stall_share(snapshot, from)));
    set(object, "latency", count(from->latency));
    set(object, "threads", known(from->threads));
    set(object, "element_size", known(from->element_size));
    set(object, "element_confidence", share(from->element_size ? from->element_confidence : NAN));
    set(object, "events", event_shares(snapshot, from));
    set_heap(object,
             from->bin < snapshot->heap.bin_count ? &snapshot->heap.bins[from->bin].heap : NULL);
    set(object, "fields", fields(from));
    set(object, "code", functions(snapshot, from->code, from->code_count));
    set(object, "instances", instances(from));
    set(object, "history", history(from));
    return object;
}

static json_t *objects(const struct snapshot *snapshot)
{
    json_t *out = json_array();
    for (size_t i = 0; i < snapshot->object_count; i++)
        json_array_append_new(out, one_object(snapshot, &snapshot->objects[i]));
    return out;
}

/* ---- sets, search, window ---- */

static json_t *sets(const struct snapshot *snapshot)
{
    const struct snapshot_sets *from = &snapshot->sets;
    json_t *out = json_object();
    json_t *counts = json_array();
    set(out, "level", text(from->level));
    set(out, "index", text(from->index));
    set(out, "sets", known(from->sets));
    set(out, "ways", known(from->ways));
    set(out, "line", known(from->line));
    for (uint32_t i = 0; from->counts && i < from->sets; i++)
        json_array_append_new(counts, count(from->counts[i]));
    set(out, "counts", counts);
    if (from->lines) {
        json_t *lines = json_array();
        for (uint32_t i = 0; i < from->sets; i++)
            json_array_append_new(lines, whole(from->lines[i]));
        set(out, "lines", lines);
    }
    set(out, "verdict", text(sets_verdict_name(from->verdict)));
    set(out, "chi2", count(from->chi2));
    /* As it is: rounding a p-value would make it 0. */
    set(out, "p_value", isfinite(from->p_value) ? json_real(from->p_value) : json_null());
    set(out, "hot_sets", whole(from->hot_sets));
    set(out, "reading", text(from->reading));
    set(out, "note", text(from->note));
    return out;
}

static json_t *regions(const struct snapshot_region *from, size_t from_count)
{
    json_t *out = json_array();
    for (size_t i = 0; i < from_count; i++) {
        json_t *region = json_object();
        set(region, "base", address(from[i].base));
        set(region, "bound", address(from[i].bound));
        set(region, "share", share(from[i].share));
        set(region, "share_low", share(from[i].low));
        set(region, "share_high", share(from[i].high));
        set(region, "iterations", whole(from[i].iterations));
        set(region, "depth", whole(from[i].depth));
        set(region, "state", text(region_state_name(from[i].state)));
        set(region, "object", text(from[i].object));
        set(region, "reason", text(from[i].reason));
        json_array_append_new(out, region);
    }
    return out;
}

static json_t *search(const struct snapshot_search *from)
{
    json_t *out = json_object();
    bool on = from->state != SEARCH_OFF;
    set(out, "state", text(search_state_name(from->state)));
    set(out, "ways", known(from->ways));
    set(out, "iteration", whole(from->iteration));
    set(out, "interval", share(on ? from->interval_s : NAN));
    set(out, "restarts", whole(from->restarts));
    set(out, "explained", share(on ? from->explained : NAN));
    set(out, "what", text(on ? from->what : NULL));
    set(out, "base", on ? address(from->base) : json_null());
    set(out, "bound", on ? address(from->bound) : json_null());
    set(out, "regions", regions(from->regions, from->region_count));
    set(out, "dropped", regions(from->dropped, from->dropped_count));
    return out;
}

static json_t *recurring_lines(const struct snapshot *snapshot)
{
    json_t *out = json_array();
    for (size_t i = 0; i < snapshot->window.top_count; i++) {
        const struct snapshot_recurrence *from = &snapshot->window.top[i];
        bool listed = from->object < snapshot->object_count;
        json_t *line = json_object();
        set(line, "address", address(from->address));
        set(line, "count", whole(from->count));
        set(line, "set", whole(from->set));
        set(line, "object", object_name(snapshot, from->object));
        set(line, "offset", listed ? whole(from->offset) : json_null());
        set(line, "functions", known(from->functions));
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
        set(pair, "line_a", from->line_a ? address(from->line_a) : json_null());
        set(pair, "line_b", from->line_b ? address(from->line_b) : json_null());
        set(pair, "object_a", object_name(snapshot, from->object_a));
        set(pair, "object_b", object_name(snapshot, from->object_b));
        set(pair, "together", whole(from->together));
        set(pair, "lift", share(from->lift));
        json_array_append_new(out, pair);
    }
    return out;
}

static json_t *window(const struct snapshot *snapshot)
{
    const struct snapshot_window *from = &snapshot->window;
    json_t *out = json_object();
    json_t *histogram = json_array();
    set(out, "entries", whole(from->entries));
    set(out, "used", whole(from->used));
    set(out, "addresses", whole(from->addresses));
    set(out, "singletons", whole(from->singletons));
    set(out, "recurring", whole(from->recurring));
    set(out, "span", share(from->span_s));
    for (int i = 0; i < SNAPSHOT_RECURRENCE_BINS; i++)
        json_array_append_new(histogram, whole(from->histogram[i]));
    set(out, "histogram", histogram);
    set(out, "reading", text(from->reading));
    set(out, "top", recurring_lines(snapshot));
    set(out, "pairs", pairs(snapshot));
    return out;
}

/* ---- heap ---- */

static json_t *one_bin(const struct snapshot *snapshot, const struct snapshot_bin *from)
{
    const struct heap_bin *heap = &from->heap;
    json_t *bin = json_object();
    json_t *sizes = json_array();
    set(bin, "id", whole(heap->id));
    set(bin, "name", text(heap->name));
    set(bin, "path", text(heap->path));
    set(bin, "known_by", text(heap->walked ? "walk" : "agent"));
    set(bin, "object", object_name(snapshot, from->object));
    set(bin, "samples", count(from->samples));
    set(bin, "share", from->touched ? share(from->share) : json_null());
    set_heap(bin, heap);
    set(bin, "allocations", heap->walked ? json_null() : whole(heap->allocations));
    set(bin, "frees", heap->walked ? json_null() : whole(heap->frees));
    set(bin, "allocation_rate", count(heap->allocations_per_s));
    set(bin, "free_rate", count(heap->frees_per_s));
    set(bin, "lifetime", count(heap->lifetime_s));
    set(bin, "age", count(heap->age_s));
    set(bin, "growth_blocks", count(heap->growth_blocks));
    set(bin, "growth_bytes", count(heap->growth_bytes));
    set(bin, "leak_suspect", json_boolean(from->suspect));
    for (int i = 0; i < HEAP_SIZES; i++)
        json_array_append_new(sizes, whole(heap->sizes[i]));
    set(bin, "sizes", sizes);
    return bin;
}

static json_t *heap(const struct snapshot *snapshot)
{
    const struct heap_summary *summary = &snapshot->heap.summary;
    json_t *out = json_object();
    json_t *bins = json_array();
    bool known = summary->feed != HEAP_FEED_NONE;
    static const char *const feeds[] = {"none", "agent", "walk"};
    set(out, "feed", text(feeds[summary->feed]));
    set(out, "source", text(summary->source));
    set(out, "note", text(summary->note));
    set(out, "live_blocks", known ? whole(summary->live_blocks) : json_null());
    set(out, "live_bytes", known ? whole(summary->usable_bytes) : json_null());
    set(out, "requested_bytes",
        summary->feed == HEAP_FEED_AGENT ? whole(summary->requested_bytes) : json_null());
    set(out, "lost", known ? whole(summary->lost) : json_null());
    set(out, "failed", known ? whole(summary->failed) : json_null());
    set(out, "mark_age", share(summary->mark_age_s));
    for (size_t i = 0; i < snapshot->heap.bin_count; i++)
        json_array_append_new(bins, one_bin(snapshot, &snapshot->heap.bins[i]));
    set(out, "bins", bins);
    set(out, "bins_left_out", whole(snapshot->heap.bins_left_out));
    return out;
}

static json_t *everything(const struct snapshot *snapshot)
{
    json_t *root = json_object();
    set(root, "version", json_integer(1));
    set(root, "iteration", whole(snapshot->iteration));
    set(root, "elapsed", share(snapshot->elapsed_s));
    set(root, "interval", share(snapshot->interval_s));
    set(root, "half_life", share(snapshot->half_life_s));
    set(root, "basis", text(snapshot->basis == BASIS_RUN ? "run" : "decayed"));
    set(root, "status", text(snapshot->status));
    set(root, "target", target(&snapshot->target));
    set(root, "source", source(&snapshot->source));
    set(root, "samples", samples(&snapshot->totals));
    set(root, "objects", objects(snapshot));
    set(root, "objects_left_out", whole(snapshot->objects_left_out));
    set(root, "code", functions(snapshot, snapshot->code, snapshot->code_count));
    set(root, "sets", sets(snapshot));
    set(root, "search", search(&snapshot->search));
    set(root, "window", window(snapshot));
    set(root, "heap", heap(snapshot));
    return root;
}

int json_print(FILE *out, const struct snapshot *snapshot)
{
    enum { PRECISION = 15 };
    json_t *root = everything(snapshot);
    char *line = root ? json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(PRECISION)) : NULL;
    int code = 0;
    json_decref(root);
    if (!line)
        return -ENOMEM;
    errno = 0;
    if (fputs(line, out) == EOF || fputc('\n', out) == EOF || fflush(out) == EOF)
        code = errno ? -errno : -EIO;
    free(line);
    return code;
}
