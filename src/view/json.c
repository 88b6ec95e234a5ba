/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CONTRACT.md "JSON": one object on one line. What was not measured is null. */
#include "view/view.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>

static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

/* Counts are whole where nothing decays; else to the nearest. */
static json_t *count(double value)
{
    return isfinite(value) ? json_integer((json_int_t)llround(value)) : json_null();
}

static json_t *text(const char *value)
{
    json_t *string = value ? json_string(value) : NULL;
    return string ? string : json_null();
}

static json_t *address(uint64_t value)
{
    char out[24];
    snprintf(out, sizeof out, "0x%llx", (unsigned long long)value);
    return json_string(out);
}

static json_t *whole(uint64_t value)
{
    return json_integer((json_int_t)value);
}

static void set(json_t *object, const char *name, json_t *value)
{
    json_object_set_new(object, name, value);
}

static json_t *target_json(const struct snapshot_target *target)
{
    json_t *out = json_object();
    set(out, "pid", whole(target->pid));
    set(out, "comm", text(target->comm));
    set(out, "exe", text(target->exe));
    set(out, "threads", whole(target->threads));
    set(out, "state", text(target->state));
    return out;
}

static json_t *source_json(const struct snapshot_source *source)
{
    json_t *out = json_object();
    json_t *events = json_array();
    bool any = source->ranking < source->event_count;
    set(out, "name", text(source->name));
    set(out, "event", text(any ? source->events[source->ranking].name : NULL));
    set(out, "period", any && source->events[source->ranking].period
                           ? whole(source->events[source->ranking].period)
                           : json_null());
    set(out, "precise", json_boolean(source->precise));
    set(out, "live", json_boolean(source->live));
    set(out, "weighs", text(source->weighs));
    for (size_t i = 0; i < source->event_count; i++) {
        json_t *event = json_object();
        set(event, "name", text(source->events[i].name));
        set(event, "period", source->events[i].period ? whole(source->events[i].period) : json_null());
        set(event, "samples", whole(source->events[i].samples));
        json_array_append_new(events, event);
    }
    set(out, "events", events);
    return out;
}

static json_t *totals_json(const struct snapshot_totals *totals)
{
    json_t *out = json_object();
    json_t *reasons = json_object();
    json_t *how = json_object();
    set(out, "total", whole(totals->samples));
    set(out, "kernel", whole(totals->reasons[REASON_KERNEL]));
    set(out, "lost", whole(totals->lost));
    set(out, "throttled", whole(totals->throttled));
    set(out, "attributed", whole(totals->attributed));
    set(out, "rate", number(totals->rate));
    for (int i = REASON_NONE + 1; i < REASON_COUNT; i++)
        if (totals->reasons[i])
            set(reasons, access_reason_name(i), whole(totals->reasons[i]));
    for (int i = 0; i < ACCESS_HOW_COUNT; i++)
        if (totals->how[i])
            set(how, access_how_name(i), whole(totals->how[i]));
    set(out, "unattributed", reasons);
    set(out, "how", how);
    return out;
}

static json_t *fields_json(const struct snapshot_object *object)
{
    json_t *out = json_array();
    for (size_t i = 0; i < object->field_count; i++) {
        const struct snapshot_field *field = &object->fields[i];
        json_t *entry = json_object();
        set(entry, "name", text(field->name));
        set(entry, "offset", whole(field->offset));
        set(entry, "size", field->size ? whole(field->size) : json_null());
        set(entry, "samples", count(field->samples));
        set(entry, "share", number(field->share));
        set(entry, "loads", count(field->loads));
        set(entry, "stores", count(field->stores));
        json_array_append_new(out, entry);
    }
    return out;
}

static json_t *code_entry(const struct snapshot_code *code)
{
    json_t *entry = json_object();
    set(entry, "function", text(code->function));
    set(entry, "module", text(code->module));
    set(entry, "file", text(code->file));
    set(entry, "line", code->line ? whole(code->line) : json_null());
    set(entry, "address", address(code->address));
    set(entry, "samples", count(code->samples));
    set(entry, "share", number(code->share.value));
    set(entry, "sites", whole(code->sites));
    return entry;
}

static json_t *code_json(const struct snapshot_code *code, size_t code_count)
{
    json_t *out = json_array();
    for (size_t i = 0; i < code_count; i++)
        json_array_append_new(out, code_entry(&code[i]));
    return out;
}

static json_t *instances_json(const struct snapshot_object *object)
{
    json_t *out = json_array();
    for (size_t i = 0; i < object->instance_count; i++) {
        json_t *entry = json_object();
        set(entry, "address", address(object->instances[i].base));
        set(entry, "size", object->instances[i].size ? whole(object->instances[i].size) : json_null());
        set(entry, "samples", count(object->instances[i].samples));
        set(entry, "share", number(object->instances[i].share));
        set(entry, "tid", whole(object->instances[i].tid));
        json_array_append_new(out, entry);
    }
    return out;
}

static void set_event_shares(json_t *entry, const struct snapshot *snapshot,
                             const struct snapshot_object *object)
{
    json_t *shares = json_object();
    for (size_t i = 0; i < snapshot->source.event_count; i++) {
        set(shares, snapshot->source.events[i].name, number(object->event_share[i]));
        if (snapshot->source.events[i].role == EVENT_STALL)
            set(entry, "stall_share", number(object->event_share[i]));
    }
    set(entry, "events", shares);
}

static json_t *object_json(const struct snapshot *snapshot, const struct snapshot_object *object)
{
    json_t *entry = json_object();
    json_t *history = json_array();
    set(entry, "name", text(object->name));
    set(entry, "kind", text(object_kind_name(object->kind)));
    set(entry, "module", text(object->module));
    set(entry, "type", text(object->type));
    set(entry, "address", address(object->address));
    set(entry, "size", object->size ? whole(object->size) : json_null());
    set(entry, "blocks", whole(object->blocks));
    set(entry, "samples", count(object->samples));
    set(entry, "share", number(object->share.value));
    set(entry, "share_low", number(object->share.low));
    set(entry, "share_high", number(object->share.high));
    set(entry, "loads", count(object->loads));
    set(entry, "stores", count(object->stores));
    set(entry, "inferred", count(object->inferred));
    set(entry, "latency", number(object->latency));
    set(entry, "threads", whole(object->threads));
    set(entry, "element_size", object->element_size ? whole(object->element_size) : json_null());
    set_event_shares(entry, snapshot, object);
    for (size_t i = 0; i < SNAPSHOT_HISTORY; i++)
        json_array_append_new(history, number((double)object->history[i]));
    set(entry, "history", history);
    set(entry, "fields", fields_json(object));
    set(entry, "code", code_json(object->code, object->code_count));
    set(entry, "instances", instances_json(object));
    return entry;
}

static json_t *sets_json(const struct snapshot_sets *sets)
{
    json_t *out = json_object();
    json_t *counts = json_array();
    set(out, "level", text(sets->level));
    set(out, "index", text(sets->index));
    set(out, "sets", whole(sets->sets));
    set(out, "ways", whole(sets->ways));
    set(out, "line", whole(sets->line));
    for (uint32_t i = 0; sets->counts && i < sets->sets; i++)
        json_array_append_new(counts, count(sets->counts[i]));
    set(out, "counts", counts);
    set(out, "verdict", text(sets_verdict_name(sets->verdict)));
    set(out, "chi2", number(sets->chi2));
    set(out, "p_value", number(sets->p_value));
    set(out, "hot_sets", whole(sets->hot_sets));
    set(out, "reading", text(sets->reading));
    set(out, "note", text(sets->note));
    return out;
}

static json_t *regions_json(const struct snapshot_region *regions, size_t region_count)
{
    json_t *out = json_array();
    for (size_t i = 0; i < region_count; i++) {
        json_t *entry = json_object();
        set(entry, "base", address(regions[i].base));
        set(entry, "bound", address(regions[i].bound));
        set(entry, "share", number(regions[i].share));
        set(entry, "iterations", whole(regions[i].iterations));
        set(entry, "state", text(region_state_name(regions[i].state)));
        set(entry, "object", text(regions[i].object));
        set(entry, "reason", text(regions[i].reason));
        json_array_append_new(out, entry);
    }
    return out;
}

static json_t *search_json(const struct snapshot_search *search)
{
    json_t *out = json_object();
    set(out, "state", text(search_state_name(search->state)));
    set(out, "what", text(search->what));
    set(out, "ways", whole(search->ways));
    set(out, "iteration", whole(search->iteration));
    set(out, "restarts", whole(search->restarts));
    set(out, "interval", number(search->interval_s));
    set(out, "explained", number(search->explained));
    set(out, "regions", regions_json(search->regions, search->region_count));
    set(out, "dropped", regions_json(search->dropped, search->dropped_count));
    return out;
}

static json_t *object_name(const struct snapshot *snapshot, uint32_t index)
{
    return text(index < snapshot->object_count ? snapshot->objects[index].name : NULL);
}

static json_t *window_json(const struct snapshot *snapshot)
{
    const struct snapshot_window *window = &snapshot->window;
    json_t *out = json_object();
    json_t *histogram = json_array();
    json_t *top = json_array();
    json_t *pairs = json_array();
    set(out, "entries", whole(window->entries));
    set(out, "used", whole(window->used));
    set(out, "addresses", whole(window->addresses));
    set(out, "singletons", whole(window->singletons));
    set(out, "recurring", whole(window->recurring));
    set(out, "span", number(window->span_s));
    set(out, "reading", text(window->reading));
    for (size_t i = 0; i < SNAPSHOT_RECURRENCE_BINS; i++)
        json_array_append_new(histogram, whole(window->histogram[i]));
    for (size_t i = 0; i < window->top_count; i++) {
        json_t *entry = json_object();
        set(entry, "address", address(window->top[i].address));
        set(entry, "count", whole(window->top[i].count));
        set(entry, "set", whole(window->top[i].set));
        set(entry, "object", object_name(snapshot, window->top[i].object));
        set(entry, "offset", whole(window->top[i].offset));
        json_array_append_new(top, entry);
    }
    for (size_t i = 0; i < window->pair_count; i++) {
        json_t *entry = json_object();
        set(entry, "object_a", object_name(snapshot, window->pairs[i].object_a));
        set(entry, "object_b", object_name(snapshot, window->pairs[i].object_b));
        set(entry, "together", whole(window->pairs[i].together));
        set(entry, "lift", number(window->pairs[i].lift));
        json_array_append_new(pairs, entry);
    }
    set(out, "histogram", histogram);
    set(out, "top", top);
    set(out, "pairs", pairs);
    return out;
}

static json_t *snapshot_json(const struct snapshot *snapshot)
{
    json_t *out = json_object();
    json_t *objects = json_array();
    set(out, "version", whole(1));
    set(out, "iteration", whole(snapshot->iteration));
    set(out, "elapsed", number(snapshot->elapsed_s));
    set(out, "interval", number(snapshot->interval_s));
    set(out, "half_life", number(snapshot->half_life_s));
    set(out, "basis", text(snapshot->basis == BASIS_RUN ? "run" : "decayed"));
    set(out, "status", text(snapshot->status));
    set(out, "target", target_json(&snapshot->target));
    set(out, "source", source_json(&snapshot->source));
    set(out, "samples", totals_json(&snapshot->totals));
    for (size_t i = 0; i < snapshot->object_count; i++)
        json_array_append_new(objects, object_json(snapshot, &snapshot->objects[i]));
    set(out, "objects", objects);
    set(out, "code", code_json(snapshot->code, snapshot->code_count));
    set(out, "sets", sets_json(&snapshot->sets));
    set(out, "search", search_json(&snapshot->search));
    set(out, "window", window_json(snapshot));
    return out;
}

int json_print(FILE *out, const struct snapshot *snapshot)
{
    json_t *root = snapshot_json(snapshot);
    char *line = root ? json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(7)) : NULL;
    json_decref(root);
    if (!line)
        return -ENOMEM;
    errno = 0;
    bool failed = fputs(line, out) < 0 || fputc('\n', out) < 0 || fflush(out);
    free(line);
    return failed ? (errno ? -errno : -EIO) : 0;
}
