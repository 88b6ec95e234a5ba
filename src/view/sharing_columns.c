/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Columns of shared lines: groups of them, single ones, and who does what there. */
#include "view/columns.h"

#include <math.h>

#define ROW(type)                                                                                  \
    const struct type *row = pointer;                                                              \
    (void)snapshot

static bool tells_hitm(const struct snapshot *snapshot)
{
    return snapshot->sharing.evidence == SHARING_HITM;
}

static bool has_nodes(const struct snapshot *snapshot)
{
    for (size_t i = 0; i < snapshot->sharing.group_count; i++) {
        const struct snapshot_sharing_line *line = &snapshot->sharing.groups[i].lines[0];
        if (line->node >= 0 || (line->side_count && line->sides[0].node >= 0))
            return true;
    }
    return false;
}

static struct value node_value(int node)
{
    return node < 0 ? value_text(NULL) : value_integer((uint64_t)node);
}

static const char *kind_word(enum sharing_verdict verdict, bool locked)
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

static enum paint paint_kind(struct value value)
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
    return value_text(kind_word(row->verdict, row->locked));
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
     10, 0, 0, COLUMN_TEXT, NULL, group_kind, NULL, paint_kind, NULL},
    {"OBJECT", NULL, 10, 40, 0, COLUMN_NAME, NULL, group_object, NULL, paint_strong, NULL},
    {"FIELDS", "What the two busiest threads use, | between them.", 12, 60, 1, COLUMN_NAME, NULL,
     group_fields, NULL, NULL, NULL},
    {"LINES", "Cache lines alike: neighbours, or the same line of many blocks.", 5, 0, 3,
     COLUMN_RIGHT, NULL, group_lines, format_integer, NULL, NULL},
    {"THREADS", "Threads seen on them.", 7, 0, 2, COLUMN_RIGHT, NULL, group_threads, format_integer,
     NULL, NULL},
    {"BY",
     "How it is known. HITM: the hardware found the line modified in another CPU's cache. Turns: "
     "sampled accesses of several threads came in turn.",
     5, 0, 3, COLUMN_TEXT, NULL, group_by, NULL, paint_dim, NULL},
    {"HITM", "Samples that found the line modified in another CPU's cache.", 5, 0, 2, COLUMN_RIGHT,
     tells_hitm, group_hitm, format_count, NULL, NULL},
    {"TURNS",
     "Samples that came within a second of one by another thread on another CPU, one of the two "
     "a store.",
     5, 0, 5, COLUMN_RIGHT, NULL, group_turns, format_count, NULL, NULL},
    {"CHANCE",
     "Turns there would be if the samples of all threads were shuffled. Far fewer turns: the "
     "threads used the line one after the other, and it is not listed.",
     6, 0, 7, COLUMN_RIGHT, NULL, group_chance, format_count, paint_dim, NULL},
};

const struct columns sharing_columns = {
    .title = "Shared lines",
    .list = group_list,
    .count = sizeof group_list / sizeof *group_list,
    .sort = COLUMNS_AS_THEY_COME,
    .row_size = sizeof(struct snapshot_sharing_group),
    .identity = group_identity,
};

/* ---- single lines ---- */

static struct value line_share(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_sharing_line);
    return value_number(row->share);
}

static struct value line_address(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_sharing_line);
    return value_integer(row->address);
}

static struct value line_offset(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_sharing_line);
    return row->offset < 0 ? value_text(NULL) : value_integer((uint64_t)row->offset);
}

static struct value line_kind(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_sharing_line);
    return value_text(kind_word(row->verdict, row->locked));
}

static struct value line_node(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_sharing_line);
    return node_value(row->node);
}

static struct value line_turns(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_sharing_line);
    return value_number(row->turns);
}

static struct value line_hitm(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_sharing_line);
    return value_number(row->hitm);
}

static struct value line_threads(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_sharing_line);
    return value_known(row->threads);
}

static uint64_t line_identity(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_sharing_line);
    return row->address;
}

static const struct column line_list[] = {
    {"SHARE", NULL, 6, 0, 0, COLUMN_RIGHT, NULL, line_share, format_percent, paint_share, NULL},
    {"LINE", NULL, 14, 18, 0, COLUMN_TEXT, NULL, line_address, format_address, paint_dim, NULL},
    {"OFFSET", "Of the line into its object.", 8, 0, 1, COLUMN_TEXT, NULL, line_offset,
     format_offset, NULL, NULL},
    {"SHARING", NULL, 10, 0, 2, COLUMN_TEXT, NULL, line_kind, NULL, paint_kind, NULL},
    {"NODE", "NUMA node that the page of the line lies on.", 4, 0, 3, COLUMN_RIGHT, has_nodes,
     line_node, format_integer, NULL, NULL},
    {"THREADS", NULL, 7, 0, 3, COLUMN_RIGHT, NULL, line_threads, format_integer, NULL, NULL},
    {"HITM", NULL, 5, 0, 3, COLUMN_RIGHT, tells_hitm, line_hitm, format_count, NULL, NULL},
    {"TURNS", NULL, 5, 0, 4, COLUMN_RIGHT, NULL, line_turns, format_count, NULL, NULL},
};

const struct columns sharing_line_columns = {
    .title = "Its lines",
    .list = line_list,
    .count = sizeof line_list / sizeof *line_list,
    .sort = COLUMNS_AS_THEY_COME,
    .row_size = sizeof(struct snapshot_sharing_line),
    .identity = line_identity,
};

/* ---- who does what ---- */

static struct value access_tid(const struct snapshot *snapshot, const void *pointer)
{
    ROW(sharing_access);
    return value_integer(row->side->tid);
}

static struct value access_cpu(const struct snapshot *snapshot, const void *pointer)
{
    ROW(sharing_access);
    return row->side->cpu == SAMPLE_NO_CPU ? value_text(NULL) : value_integer(row->side->cpu);
}

static struct value access_node(const struct snapshot *snapshot, const void *pointer)
{
    ROW(sharing_access);
    return node_value(row->side->node);
}

static struct value access_share(const struct snapshot *snapshot, const void *pointer)
{
    ROW(sharing_access);
    return value_number(row->side->share * row->code->share);
}

static struct value access_does(const struct snapshot *snapshot, const void *pointer)
{
    ROW(sharing_access);
    const struct snapshot_sharing_code *code = row->code;
    return value_text(code->locked     ? "atomic"
                      : !code->written ? "reads"
                      : !code->read    ? "writes"
                                       : "changes");
}

static enum paint paint_does(struct value value)
{
    return value.kind == VALUE_TEXT && value.text[0] == 'r' ? PAINT_LOAD : PAINT_STORE;
}

static struct value access_field(const struct snapshot *snapshot, const void *pointer)
{
    ROW(sharing_access);
    return value_text(row->code->field);
}

static struct value access_object(const struct snapshot *snapshot, const void *pointer)
{
    ROW(sharing_access);
    return value_text(row->side->name);
}

static struct value access_function(const struct snapshot *snapshot, const void *pointer)
{
    ROW(sharing_access);
    return value_text(row->code->function);
}

static struct value access_where(const struct snapshot *snapshot, const void *pointer)
{
    ROW(sharing_access);
    return value_text(row->code->where);
}

static uint64_t access_identity(const struct snapshot *snapshot, const void *pointer)
{
    ROW(sharing_access);
    return row->code->address ^ (uint64_t)row->side->tid << 40;
}

static const struct column access_list[] = {
    {"THREAD", NULL, 7, 0, 0, COLUMN_RIGHT, NULL, access_tid, format_integer, NULL, NULL},
    {"CPU", "It was last seen on.", 3, 0, 4, COLUMN_RIGHT, NULL, access_cpu, format_integer,
     paint_dim, NULL},
    {"NODE", "NUMA node of that CPU.", 4, 0, 3, COLUMN_RIGHT, has_nodes, access_node,
     format_integer, NULL, NULL},
    {"OF IT", "Part of the line's samples.", 6, 0, 1, COLUMN_RIGHT, NULL, access_share,
     format_percent, paint_share, NULL},
    {"DOES", "Atomic: with a locked instruction.", 7, 0, 0, COLUMN_TEXT, NULL, access_does, NULL,
     paint_does, NULL},
    {"FIELD", NULL, 8, 40, 0, COLUMN_NAME, NULL, access_field, NULL, NULL, NULL},
    {"OBJECT", NULL, 8, 30, 5, COLUMN_NAME, NULL, access_object, NULL, NULL, NULL},
    {"FUNCTION", NULL, 10, 50, 1, COLUMN_NAME, NULL, access_function, NULL, paint_strong, NULL},
    {"AT", NULL, 8, 40, 2, COLUMN_NAME, NULL, access_where, NULL, paint_dim, NULL},
};

const struct columns sharing_access_columns = {
    .title = "Who does what",
    .list = access_list,
    .count = sizeof access_list / sizeof *access_list,
    .sort = COLUMNS_AS_THEY_COME,
    .row_size = sizeof(struct sharing_access),
    .identity = access_identity,
};
