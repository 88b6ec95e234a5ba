/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Columns of shared lines, those alike in one row. */
#include "view/sharing_cells.h"

#include <math.h>

#define ROW(type)                                                                                  \
    const struct type *row = pointer;                                                              \
    (void)snapshot

bool sharing_tells_hitm(const struct snapshot *snapshot)
{
    return snapshot->sharing.evidence == SHARING_HITM;
}

bool sharing_has_nodes(const struct snapshot *snapshot)
{
    for (size_t i = 0; i < snapshot->sharing.group_count; i++) {
        const struct snapshot_sharing_line *line = &snapshot->sharing.groups[i].lines[0];
        if (line->node >= 0 || (line->side_count && line->sides[0].node >= 0))
            return true;
    }
    return false;
}

struct value sharing_node(int node)
{
    return node < 0 ? value_text(NULL) : value_integer((uint64_t)node);
}

const char *sharing_kind(enum sharing_verdict verdict, bool locked)
{
    switch (verdict) {
    case SHARING_TRUE:
        return locked ? "true, lock" : "true";
    case SHARING_FALSE:
        return "false";
    case SHARING_BOTH:
        return locked ? "both, lock" : "both";
    case SHARING_READ_ONLY:
        return "only read";
    default:
        return "unsure";
    }
}

enum paint sharing_paint(struct value value)
{
    switch (value.kind == VALUE_TEXT ? value.text[0] : 0) {
    case 'f':
    case 'b':
        return PAINT_BAD;
    case 't':
        return PAINT_WARN;
    default:
        return PAINT_DIM;
    }
}

/* ---- groups ---- */

static struct value group_share(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_sharing_group);
    return value_number(row->share.value);
}

static struct value group_half(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_sharing_group);
    return value_number(columns_half(&row->share));
}

static struct value group_of_object(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_sharing_group);
    return value_number(row->of_object);
}

static struct value group_kind(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_sharing_group);
    return value_text(sharing_kind(row->verdict, row->locked));
}

static struct value group_object(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_sharing_group);
    return value_text(row->name);
}

static struct value group_fields(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_sharing_group);
    return value_text(row->fields);
}

static struct value group_lines(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_sharing_group);
    return value_integer(row->line_count);
}

static struct value group_threads(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_sharing_group);
    return value_known(row->threads);
}

static struct value group_by(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_sharing_group);
    bool reads = row->verdict == SHARING_READ_ONLY;
    return value_text(reads ? NULL : row->evidence == SHARING_HITM ? "HITM" : "turns");
}

static struct value group_hitm(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_sharing_group);
    return value_number(row->hitm);
}

static struct value group_turns(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_sharing_group);
    return value_number(row->turns);
}

static struct value group_chance(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_sharing_group);
    return value_number(row->expected);
}

static uint64_t group_identity(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_sharing_group);
    uint64_t first = UINT64_MAX;
    for (size_t i = 0; i < row->line_count; i++)
        first = row->lines[i].address < first ? row->lines[i].address : first;
    return first;
}

static const struct column group_list[] = {
    {"SHARE", "Part of all samples that fell on the shared lines of this row.", 6, 0, 0,
     COLUMN_RIGHT, NULL, group_share, format_percent, paint_share, NULL},
    {"±", NULL, 4, 0, 6, COLUMN_RIGHT, NULL, group_half, format_points, paint_dim, NULL},
    {"OF IT", "Part of the object's samples.", 6, 0, 4, COLUMN_RIGHT, NULL, group_of_object,
     format_percent, NULL, NULL},
    {"SHARING",
     "True: threads want the same bytes. False: each has bytes of its own on the line. Both: a "
     "lock beside its data. Lock: by atomic instructions. Unsure: too few samples.",
     10, 0, 0, COLUMN_TEXT, NULL, group_kind, NULL, sharing_paint, NULL},
    {"OBJECT", NULL, 10, 40, 0, COLUMN_NAME, NULL, group_object, NULL, paint_strong, NULL},
    {"FIELDS", "What the two busiest threads use, | between them.", 12, 60, 1, COLUMN_NAME, NULL,
     group_fields, NULL, NULL, NULL},
    {"LINES", "Cache lines alike: neighbours, or the same line of many blocks.", 5, 0, 3,
     COLUMN_RIGHT, NULL, group_lines, format_integer, NULL, NULL},
    {"THREADS", "Threads seen on them, but for those that hardly touch them.", 7, 0, 2,
     COLUMN_RIGHT, NULL, group_threads, format_integer, NULL, NULL},
    {"BY",
     "How it is known. HITM: the hardware found the line modified in another CPU's cache. Turns: "
     "sampled accesses of several threads came in turn.",
     5, 0, 1, COLUMN_TEXT, NULL, group_by, NULL, paint_dim, NULL},
    {"HITM", "Samples that found the line modified in another CPU's cache.", 5, 0, 2, COLUMN_RIGHT,
     sharing_tells_hitm, group_hitm, format_count, NULL, NULL},
    {"TURNS",
     "Samples that came within a second of one by another thread on another CPU, one of the two "
     "a store.",
     5, 0, 5, COLUMN_RIGHT, NULL, group_turns, format_count, NULL, NULL},
    {"IF MIXED",
     "Turns there would be if all threads ran all the time and their samples came in any order. "
     "Threads that wait for a CPU take fewer turns; below a tenth of this they used the line one "
     "after the other, and it is not listed.",
     8, 0, 7, COLUMN_RIGHT, NULL, group_chance, format_count, paint_dim, NULL},
};

const struct columns sharing_columns = {
    .title = "Shared lines",
    .list = group_list,
    .count = sizeof group_list / sizeof *group_list,
    .sort = COLUMNS_AS_THEY_COME,
    .row_size = sizeof(struct snapshot_sharing_group),
    .identity = group_identity,
};
