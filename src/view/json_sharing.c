/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared cache lines; declared in json_part.h. */
#include "view/json_part.h"

static json_t *node_or_null(int node)
{
    return node < 0 ? json_null() : json_integer(node);
}

/* "0x...": bit i is byte i of the line. */
static json_t *code_of(const struct snapshot_sharing_code *code)
{
    json_t *out = json_object();
    json_set(out, "function", json_text(code->function));
    json_set(out, "address", json_address(code->address));
    json_set(out, "file", json_text(code->file));
    json_set(out, "line", json_known(code->line));
    json_set(out, "field", json_text(code->field));
    json_set(out, "share", json_share(code->share));
    json_set(out, "locked", json_boolean(code->locked));
    return out;
}

static json_t *side_of(const struct snapshot_sharing_side *side)
{
    json_t *out = json_object();
    json_t *codes = json_array();
    json_set(out, "tid", json_whole(side->tid));
    json_set(out, "cpu", side->cpu == SAMPLE_NO_CPU ? json_null() : json_whole(side->cpu));
    json_set(out, "node", node_or_null(side->node));
    json_set(out, "samples", json_count(side->samples));
    json_set(out, "share", json_share(side->share));
    json_set(out, "loads", json_count(side->loads));
    json_set(out, "stores", json_count(side->stores));
    json_set(out, "hitm", json_count(side->hitm));
    json_set(out, "read", json_address(side->read));
    json_set(out, "written", json_address(side->written));
    json_set(out, "object", json_text(side->name));
    json_set(out, "fields", json_text(side->fields));
    json_set(out, "locked", json_boolean(side->locked));
    for (size_t i = 0; i < side->code_count; i++)
        json_array_append_new(codes, code_of(&side->codes[i]));
    json_set(out, "code", codes);
    return out;
}

static json_t *line_of(const struct snapshot_sharing_group *group,
                       const struct snapshot_sharing_line *line, size_t index)
{
    json_t *out = json_object();
    json_t *sides = json_array();
    json_set(out, "group", json_whole(index));
    json_set(out, "address", json_address(line->address));
    json_set(out, "object", json_text(group->name));
    json_set(out, "offset", json_integer(line->offset));
    json_set(out, "verdict", json_text(sharing_verdict_name(line->verdict)));
    json_set(out, "overlap", json_share(line->overlap));
    json_set(out, "samples", json_count(line->samples));
    json_set(out, "share", json_share(line->share));
    json_set(out, "of_object", json_share(line->of_object));
    json_set(out, "turns", json_count(line->turns));
    json_set(out, "pairs", json_count(line->pairs));
    json_set(out, "expected", json_share(line->expected));
    json_set(out, "hitm", json_count(line->hitm));
    json_set(out, "locked", json_boolean(line->locked));
    json_set(out, "node", node_or_null(line->node));
    for (size_t i = 0; i < line->side_count; i++)
        json_array_append_new(sides, side_of(&line->sides[i]));
    json_set(out, "sides", sides);
    return out;
}

static json_t *group_of(const struct snapshot_sharing_group *group)
{
    json_t *out = json_object();
    json_set(out, "object", json_text(group->name));
    json_set(out, "fields", json_text(group->fields));
    json_set(out, "verdict", json_text(sharing_verdict_name(group->verdict)));
    json_set(out, "evidence", json_text(sharing_evidence_name(group->evidence)));
    json_set(out, "sure", json_boolean(group->sure));
    json_set(out, "samples", json_count(group->samples));
    json_set(out, "share", json_share(group->share.value));
    json_set(out, "of_object", json_share(group->of_object));
    json_set(out, "lines", json_whole(group->line_count));
    json_set(out, "threads", json_whole(group->threads));
    json_set(out, "locked", json_boolean(group->locked));
    json_set(out, "reading", json_text(group->reading));
    return out;
}

json_t *json_sharing(const struct snapshot_sharing *sharing)
{
    json_t *out = json_object();
    json_t *groups = json_array();
    json_t *lines = json_array();
    for (size_t i = 0; i < sharing->group_count; i++) {
        const struct snapshot_sharing_group *group = &sharing->groups[i];
        json_array_append_new(groups, group_of(group));
        for (size_t k = 0; k < group->line_count; k++)
            json_array_append_new(lines, line_of(group, &group->lines[k], i));
    }
    json_set(out, "evidence", json_text(sharing_evidence_name(sharing->evidence)));
    json_set(out, "groups", groups);
    json_set(out, "groups_left_out", json_whole(sharing->groups_left_out));
    json_set(out, "lines", lines);
    return out;
}
