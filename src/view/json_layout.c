/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A type as it lies in memory, with its heat; declared in json_part.h. */
#include "view/json_part.h"

#include <math.h>

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

json_t *json_layout(const struct snapshot *snapshot, const struct snapshot_layout *layout)
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
