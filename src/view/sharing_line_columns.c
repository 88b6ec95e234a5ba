/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Columns of single shared lines, and of who does what on one. */
#include "view/sharing_cells.h"

#define ROW(type)                                                                                  \
    const struct type *row = pointer;                                                              \
    (void)snapshot

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
    return value_text(sharing_kind(row->verdict, row->locked));
}

static struct value line_node(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_sharing_line);
    return sharing_node(row->node);
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
    {"SHARING", NULL, 10, 0, 2, COLUMN_TEXT, NULL, line_kind, NULL, sharing_paint, NULL},
    {"NODE", "NUMA node that the page of the line lies on.", 4, 0, 3, COLUMN_RIGHT,
     sharing_has_nodes, line_node, format_integer, NULL, NULL},
    {"THREADS", NULL, 7, 0, 3, COLUMN_RIGHT, NULL, line_threads, format_integer, NULL, NULL},
    {"HITM", NULL, 5, 0, 3, COLUMN_RIGHT, sharing_tells_hitm, line_hitm, format_count, NULL, NULL},
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

static struct value access_called(const struct snapshot *snapshot, const void *pointer)
{
    ROW(sharing_access);
    const struct snapshot_thread *thread = snapshot_thread(&snapshot->threads, row->side->tid);
    return value_text(thread ? thread->name : NULL);
}

static struct value access_cpu(const struct snapshot *snapshot, const void *pointer)
{
    ROW(sharing_access);
    return row->side->cpu == SAMPLE_NO_CPU ? value_text(NULL) : value_integer(row->side->cpu);
}

static struct value access_node(const struct snapshot *snapshot, const void *pointer)
{
    ROW(sharing_access);
    return sharing_node(row->side->node);
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
    {"CALLED", "The thread's name now.", 8, 15, 6, COLUMN_NAME, NULL, access_called, NULL, NULL,
     NULL},
    {"CPU", "It was last seen on.", 3, 0, 4, COLUMN_RIGHT, NULL, access_cpu, format_integer,
     paint_dim, NULL},
    {"NODE", "NUMA node of that CPU.", 4, 0, 3, COLUMN_RIGHT, sharing_has_nodes, access_node,
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
