/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Columns of why lines were missed, an object a row. */
#include "view/causes_words.h"
#include "view/columns.h"

#include <math.h>

#define ROW                                                                                        \
    const struct snapshot_causes_object *row = pointer;                                            \
    (void)snapshot

static struct value object(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_text(row->name);
}

static struct value samples(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_number(row->samples);
}

static struct value first(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_number(causes_first(row->share));
}

static struct value capacity(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_number(row->share[CAUSE_CAPACITY]);
}

static struct value conflict(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_number(row->share[CAUSE_CONFLICT]);
}

static struct value invalidated(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_number(causes_invalidated(row->share));
}

static struct value other(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_number(causes_other(row->share));
}

static struct value by_itself(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_number(row->by_itself);
}

static struct value evictor(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_text(row->evictor_count ? row->evictors[0].function : NULL);
}

static struct value evictor_share(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_number(row->evictor_count ? row->evictors[0].share : NAN);
}

static uint64_t identity(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return (uint64_t)row->id + 1;
}

static const struct column causes_list[] = {
    {"OBJECT", NULL, 12, 30, 0, COLUMN_NAME, NULL, object, NULL, paint_strong, NULL},
    {"SAMPLES", "Misses of the ranking event that were told, with their cause.", 7, 0, 1,
     COLUMN_RIGHT, NULL, samples, format_count, NULL, NULL},
    {"FIRST", "Part of the misses on lines that were never touched before, by this thread.", 6, 0,
     0, COLUMN_RIGHT, NULL, first, format_percent, NULL, NULL},
    {"CAPACITY",
     "Part that a cache of this size would miss even if any line could go anywhere in it.", 8, 0, 0,
     COLUMN_RIGHT, NULL, capacity, format_percent, NULL, NULL},
    {"CONFLICT", "Part that such a cache would not miss: too many lines in one set.", 8, 0, 0,
     COLUMN_RIGHT, NULL, conflict, format_percent, NULL, NULL},
    {"INVALID", "Part whose lines another thread's write had taken away.", 7, 0, 2, COLUMN_RIGHT,
     NULL, invalidated, format_percent, NULL, NULL},
    {"OTHER", "Part that a larger cache below had thrown out, or that is not known.", 6, 0, 5,
     COLUMN_RIGHT, NULL, other, format_percent, paint_dim, NULL},
    {"ITSELF", "Of the misses whose evictor is known, the part that it threw out itself.", 6, 0, 3,
     COLUMN_RIGHT, NULL, by_itself, format_percent, NULL, NULL},
    {"BY%", "The same for the function beside.", 6, 0, 1, COLUMN_RIGHT, NULL, evictor_share,
     format_percent, NULL, NULL},
    {"EVICTED BY", "The function whose accesses threw most of its lines out.", 12, 36, 1,
     COLUMN_CODE, NULL, evictor, NULL, NULL, NULL},
};

const struct columns causes_columns = {
    .title = "Causes",
    .list = causes_list,
    .count = sizeof causes_list / sizeof *causes_list,
    .sort = COLUMNS_AS_THEY_COME,
    .row_size = sizeof(struct snapshot_causes_object),
    .identity = identity,
};
