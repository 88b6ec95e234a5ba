/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What was asked about another layout, and the answer; declared in json_part.h. */
#include "view/json_part.h"
#include "view/whatif_words.h"

#include <stdio.h>

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
