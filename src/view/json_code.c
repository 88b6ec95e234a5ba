/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions and their instructions; declared in json_part.h. */
#include "view/json_part.h"

#include <math.h>

static json_t *partners(const struct snapshot_partners *from)
{
    json_t *out = json_array();
    for (uint32_t i = 0; i < from->count; i++) {
        json_t *one = json_object();
        json_set(one, "function", json_text(from->list[i].function));
        json_set(one, "address", json_address(from->list[i].address));
        json_set(one, "file", json_text_or_null(from->list[i].file));
        json_set(one, "line", json_known(from->list[i].line));
        json_set(one, "share", json_share(from->list[i].count / from->all));
        json_array_append_new(out, one);
    }
    return out;
}

/* Of the samples counted, as many as the part by weight is. */
static double counted_of(const struct snapshot_instruction *from, double part)
{
    return from->samples > 0 ? part * (from->samples + from->count_over) / from->samples : part;
}

static json_t *instructions(const struct snapshot *snapshot, const struct snapshot_code *code)
{
    json_t *out = json_array();
    for (size_t i = 0; i < code->instruction_count; i++) {
        const struct snapshot_instruction *from = &code->instructions[i];
        json_t *one = json_object();
        json_set(one, "address", json_address(from->address));
        json_set(one, "file", json_text_or_null(from->file));
        json_set(one, "line", json_known(from->line));
        json_set(one, "inlined", json_text(from->inlined));
        json_set(one, "field", json_text(from->field));
        json_set(one, "object", json_object_name(snapshot, from->object));
        json_set(one, "object_share", json_share(from->object_share));
        json_set(one, "objects", json_known(from->objects));
        json_set(one, "samples", json_count(from->samples + from->count_over));
        json_set(one, "unknown_samples", json_count(from->unknown_samples + from->unknown_over));
        json_set(one, "unknown", json_text(from->unknown_note));
        json_set(one, "share", json_share(from->share));
        json_set(one, "loads", json_count(counted_of(from, from->loads)));
        json_set(one, "stores", json_count(counted_of(from, from->stores)));
        json_set_use(one, snapshot, from->use);
        if (from->partners) {
            json_set(one, "used_by", partners(&from->partners[LINE_USED_BY]));
            json_set(one, "thrown_out_by", partners(&from->partners[LINE_EVICTED_BY]));
        }
        json_array_append_new(out, one);
    }
    return out;
}

static json_t *one_function(const struct snapshot *snapshot, const struct snapshot_code *from)
{
    json_t *code = json_object();
    json_set(code, "function", json_text(from->function));
    json_set(code, "module", json_text_or_null(from->module));
    json_set(code, "file", json_text_or_null(from->file));
    json_set(code, "line", json_known(from->line));
    json_set(code, "samples", json_count(from->samples + from->count_over));
    json_set(code, "share", json_share(from->share.value));
    json_set(code, "share_low", json_share(from->share.low));
    json_set(code, "share_high", json_share(from->share.high));
    json_set(code, "address", json_address(from->address));
    json_set(code, "sites", json_known(from->sites));
    json_set(code, "object", json_object_name(snapshot, from->top_object));
    json_set(code, "object_share", json_share(from->top_object_share));
    /* Only those of `code` have these. */
    if (!isnan(from->all_share)) {
        json_set(code, "all_share", json_share(from->all_share));
        json_set(code, "unknown_samples", json_count(from->unknown_samples + from->unknown_over));
        json_set(code, "unknown_share", json_share(from->unknown_share));
        json_set(code, "unknown", json_text(from->unknown_note));
    }
    if (from->rates) {
        json_set_rates(code, from->rates);
        json_set(code, "stall_share", json_share(from->rates->stall.value));
    }
    if (from->use)
        json_set_use(code, snapshot, from->use);
    if (snapshot->causes.told && !isnan(from->all_share))
        json_set(code, "causes", json_causes(&snapshot->causes, CAUSES_FUNCTIONS, from->id));
    if (from->instruction_count)
        json_set(code, "instructions", instructions(snapshot, from));
    return code;
}

json_t *json_functions(const struct snapshot *snapshot, const struct snapshot_code *from,
                       size_t from_count)
{
    json_t *out = json_array();
    for (size_t i = 0; i < from_count; i++)
        json_array_append_new(out, one_function(snapshot, &from[i]));
    return out;
}
