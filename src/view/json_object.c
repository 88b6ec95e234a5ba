/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Objects with all that is known of them; declared in json_part.h. */
#include "view/json_part.h"

#include "view/levels_words.h"

#include <math.h>

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
