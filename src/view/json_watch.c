/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What was watched, how, and how many samples it gave; declared in json_part.h. */
#include "view/json_part.h"

#include <math.h>

json_t *json_target(const struct snapshot_target *from)
{
    json_t *out = json_object();
    json_set(out, "pid", json_known(from->pid));
    json_set(out, "comm", json_text(from->comm));
    json_set(out, "exe", json_text(from->exe));
    json_set(out, "threads", json_known(from->threads));
    json_set(out, "state", json_text(from->state));
    return out;
}

static const char *role_name(enum event_role role)
{
    static const char *const names[] = {"l1-miss", "l2-miss", "mem-fill",
                                        "stall",   "access",  "other"};
    return (unsigned)role < sizeof names / sizeof *names ? names[role] : "other";
}

json_t *json_source(const struct snapshot_source *from)
{
    json_t *out = json_object();
    json_t *events = json_array();
    const struct snapshot_event *ranking =
        from->ranking < from->event_count ? &from->events[from->ranking] : NULL;
    json_set(out, "name", json_text(from->name));
    json_set(out, "event", json_text(ranking ? ranking->name : NULL));
    json_set(out, "period", json_known(ranking ? ranking->period : 0));
    json_set(out, "precise", json_boolean(from->precise));
    json_set(out, "live", json_boolean(from->live));
    json_set(out, "weighs", json_text(from->weighs));
    for (size_t i = 0; i < from->event_count && i < SAMPLE_EVENTS_MAX; i++) {
        json_t *event = json_object();
        json_set(event, "name", json_text(from->events[i].name));
        json_set(event, "role", json_text(role_name(from->events[i].role)));
        json_set(event, "period", json_known(from->events[i].period));
        json_set(event, "samples", json_whole(from->events[i].samples));
        json_set(event, "events", json_count(from->events[i].events));
        json_set(event, "counted",
                 json_share(from->events[i].counted > 0 ? from->events[i].counted : NAN));
        json_array_append_new(events, event);
    }
    json_set(out, "events", events);
    return out;
}

json_t *json_stretch(const struct snapshot_stretch *from)
{
    if (!from)
        return json_null();
    json_t *out = json_object();
    json_set(out, "start", json_share(from->start_s));
    json_set(out, "end", json_share(from->end_s));
    json_set(out, "length", json_share(from->length_s));
    json_set(out, "phase", json_text(*from->phase ? from->phase : NULL));
    json_set(out, "pieces", json_whole(from->pieces));
    json_set(out, "kept", json_whole(from->kept));
    json_set(out, "seen", json_whole(from->seen));
    return out;
}

json_t *json_samples(const struct snapshot *snapshot)
{
    const struct snapshot_totals *totals = &snapshot->totals;
    bool told = !snapshot->stretch; /* records lost have no time in the past */
    json_t *out = json_object();
    json_t *reasons = json_object();
    json_t *how = json_object();
    json_set(out, "total", json_whole(totals->samples));
    json_set(out, "kernel", json_whole(totals->reasons[REASON_KERNEL]));
    json_set(out, "lost", told ? json_whole(totals->lost) : json_null());
    json_set(out, "throttled", told ? json_whole(totals->throttled) : json_null());
    json_set(out, "agent", json_whole(totals->agent));
    json_set(out, "attributed", json_whole(totals->attributed));
    json_set(out, "weight", json_count(totals->weight));
    json_set(out, "effective", json_count(totals->effective));
    json_set(out, "rate", json_count(totals->rate));
    for (int i = REASON_NONE + 1; i < REASON_COUNT; i++)
        if (i != REASON_AGENT) /* it is none of the samples */
            json_set(reasons, access_reason_name((enum reason)i), json_whole(totals->reasons[i]));
    json_set(out, "unattributed", reasons);
    for (int i = 0; i < ACCESS_HOW_COUNT; i++)
        json_set(how, access_how_name((enum access_how)i), json_whole(totals->how[i]));
    json_set(out, "how", how);
    return out;
}

json_t *json_types(const struct snapshot_totals *totals)
{
    json_t *out = json_object();
    json_t *unknown = json_object();
    for (int i = TYPED_CODE; i < TYPED_COUNT; i++)
        json_set(out, typed_name((enum typed)i), json_whole(totals->typed[i]));
    for (int i = UNTYPED_NO_REASON + 1; i < UNTYPED_COUNT; i++)
        json_set(unknown, untyped_name((enum untyped)i), json_whole(totals->untyped[i]));
    json_set(out, "unknown", unknown);
    return out;
}

json_t *json_reading(const struct reading_state *reading)
{
    json_t *out = json_object();
    json_set(out, "waiting", json_whole(reading->waiting));
    json_set(out, "processes", json_whole(reading->processes));
    json_set(out, "resident_bytes", json_whole(reading->resident_bytes));
    json_set(out, "busy_with", json_text(reading->busy_with));
    return out;
}

json_t *json_refused(const struct snapshot_refused *refused)
{
    json_t *out = json_array();
    for (size_t i = 0; i < refused->count; i++) {
        json_t *one = json_object();
        json_set(one, "path", json_text(refused->list[i].path));
        json_set(one, "why", json_text(refused->list[i].why));
        json_array_append_new(out, one);
    }
    return out;
}

json_t *json_binaries(const struct snapshot_binaries *from)
{
    static const char *const states[] = {"found", "unverified", "other-build", "missing"};
    json_t *out = from->list ? json_array() : NULL;
    for (size_t i = 0; i < from->count; i++) {
        const struct binary_desc *binary = &from->list[i];
        json_t *one = json_object();
        json_set(one, "path", json_text(binary->path));
        json_set(one, "build_id", json_text(binary->build_id));
        json_set(one, "state", json_text(states[binary->state]));
        json_set(one, "file", json_text(binary->found));
        json_set(one, "samples", json_whole(binary->samples));
        json_array_append_new(out, one);
    }
    return out ? out : json_null();
}
