/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Columns of threads. */
#include "view/columns.h"

#define ROW                                                                                        \
    const struct snapshot_thread *row = pointer;                                                   \
    (void)snapshot

static struct value share(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_number(row->share.value);
}

static struct value half(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_number(columns_half(&row->share));
}

static struct value samples(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_number(row->samples);
}

static struct value tid(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_integer(row->tid);
}

static struct value name(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_text(row->name);
}

static struct value object(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_text(row->object_name);
}

static struct value object_share(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_number(row->object_share);
}

static struct value function(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_text(row->function_name);
}

static struct value function_share(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_number(row->function_share);
}

static uint64_t identity(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return (uint64_t)row->tid + 1;
}

static const struct column thread_list[] = {
    {"SHARE", "The thread's part of the newest samples that have an object, up to 16,384.", 6, 0, 0,
     COLUMN_RIGHT, NULL, share, format_percent, paint_share, NULL},
    {"±", NULL, 4, 0, 2, COLUMN_RIGHT, NULL, half, format_points, paint_dim, NULL},
    {"", NULL, 6, 10, 5, COLUMN_BAR, NULL, share, NULL, paint_share, NULL},
    {"SAMPLES", NULL, 7, 0, 4, COLUMN_RIGHT, NULL, samples, format_count, NULL, NULL},
    {"THREAD", "Its number, as ps -L and gdb call it.", 7, 0, 0, COLUMN_RIGHT, NULL, tid,
     format_integer, paint_strong, NULL},
    {"CALLED", "Its name now; blank: it has ended.", 10, 15, 0, COLUMN_NAME, NULL, name, NULL, NULL,
     NULL},
    {"MOSTLY ON", "The object that most of its samples are on.", 12, 40, 1, COLUMN_NAME, NULL,
     object, NULL, NULL, NULL},
    {"OF IT", "Part of the thread's samples on that object.", 5, 0, 3, COLUMN_RIGHT, NULL,
     object_share, format_percent, paint_share, NULL},
    {"IN", "The function that most of its samples are in.", 12, 40, 2, COLUMN_NAME, NULL, function,
     NULL, NULL, NULL},
    {"OF IT", "Part of the thread's samples in that function.", 5, 0, 3, COLUMN_RIGHT, NULL,
     function_share, format_percent, paint_share, NULL},
};

const struct columns thread_columns = {
    .title = "Threads",
    .list = thread_list,
    .count = sizeof thread_list / sizeof *thread_list,
    .sort = COLUMNS_AS_THEY_COME,
    .row_size = sizeof(struct snapshot_thread),
    .identity = identity,
};
