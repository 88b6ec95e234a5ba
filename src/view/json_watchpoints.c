/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What watchpoints saw; declared in json_part.h. */
#include "view/json_part.h"

#include <math.h>

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

static json_t *object_of(const struct snapshot_watch_object *object)
{
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
    json_set(out, "reading", json_text(object->reading));
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
        json_array_append_new(objects, object_of(&watch->objects[i]));
    json_set(out, "objects", objects);
    return out;
}
