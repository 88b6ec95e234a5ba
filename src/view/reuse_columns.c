/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Columns of what caches of any size would miss: of objects, and of source lines. */
#include "view/columns.h"

#include "view/rates_words.h"
#include "view/reuse_words.h"
#include "view/use_words.h"

#include <math.h>

#define ROW                                                                                        \
    const struct snapshot_reuse_row *row = pointer;                                                \
    (void)snapshot

static struct value name(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_text(row->name);
}

static struct value function(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_text(row->function);
}

static struct value share(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_number(row->share);
}

static struct value uses(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_number(row->uses);
}

static struct value first(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_number(row->first);
}

static struct value missed_at(const struct snapshot_share *missed)
{
    struct value value = value_number(missed->value);
    if (value.kind == VALUE_NUMBER && !reuse_is_sure(missed)) {
        value.low = missed->low;
        value.high = missed->high;
    }
    return value;
}

/* The simulated caches come first among those marked. */
#define LEVEL(number)                                                                              \
    static struct value at_##number(const struct snapshot *snapshot, const void *pointer)          \
    {                                                                                              \
        ROW;                                                                                       \
        return missed_at(&row->at[(number)-1]);                                                    \
    }                                                                                              \
    static bool has_##number(const struct snapshot *snapshot)                                      \
    {                                                                                              \
        return snapshot->reuse.mark_count >= (number) &&                                           \
               snapshot->reuse.marks[(number)-1].simulated;                                        \
    }
LEVEL(1)
LEVEL(2)
LEVEL(3)

static const struct snapshot_use *use_of(const struct snapshot *snapshot,
                                         const struct snapshot_reuse_row *row)
{
    const struct snapshot_object *object = columns_object(snapshot, row->object);
    return object ? object->use : NULL;
}

static struct value spatial(const struct snapshot *snapshot, const void *pointer)
{
    return use_spatial(use_of(snapshot, pointer));
}

static struct value temporal(const struct snapshot *snapshot, const void *pointer)
{
    return use_temporal(use_of(snapshot, pointer));
}

static uint64_t identity(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return row->id + 1;
}

#define FIGURES                                                                                    \
    {"ACCESS",                                                                                     \
     "Its share of all accesses.",                                                                 \
     7,                                                                                            \
     0,                                                                                            \
     0,                                                                                            \
     COLUMN_RIGHT,                                                                                 \
     NULL,                                                                                         \
     share,                                                                                        \
     format_percent,                                                                               \
     paint_share,                                                                                  \
     NULL},                                                                                        \
        {"USES",                                                                                   \
         "Uses of sampled lines that the row rests on.",                                           \
         7,                                                                                        \
         0,                                                                                        \
         4,                                                                                        \
         COLUMN_RIGHT,                                                                             \
         NULL,                                                                                     \
         uses,                                                                                     \
         format_count,                                                                             \
         paint_dim,                                                                                \
         NULL},                                                                                    \
        {"FIRST",                                                                                  \
         "Part of its accesses that use a line for the first time: no cache has it.",              \
         6,                                                                                        \
         0,                                                                                        \
         2,                                                                                        \
         COLUMN_RIGHT,                                                                             \
         NULL,                                                                                     \
         first,                                                                                    \
         format_percent,                                                                           \
         NULL,                                                                                     \
         NULL},                                                                                    \
        {"IN L1",                                                                                  \
         "Part of its accesses that a cache of the first level's size misses, if any line can go " \
         "anywhere in it; from so much to so much where few of its lines were watched.",           \
         8,                                                                                        \
         0,                                                                                        \
         0,                                                                                        \
         COLUMN_RIGHT,                                                                             \
         has_1,                                                                                    \
         at_1,                                                                                     \
         format_rate,                                                                              \
         paint_share,                                                                              \
         NULL},                                                                                    \
        {"IN L2",     "The same of the second level's size.",                                      \
         8,           0,                                                                           \
         0,           COLUMN_RIGHT,                                                                \
         has_2,       at_2,                                                                        \
         format_rate, paint_share,                                                                 \
         NULL},                                                                                    \
    {                                                                                              \
        "IN L3", "The same of the third level's size.", 8, 0, 0, COLUMN_RIGHT, has_3, at_3,        \
            format_rate, paint_share, NULL                                                         \
    }

static const struct column object_list[] = {
    {"OBJECT", NULL, 12, 48, 0, COLUMN_NAME, NULL, name, NULL, paint_strong, NULL},
    FIGURES,
    {"SPATIAL", NULL, 7, 0, 1, COLUMN_RIGHT, use_told, spatial, format_percent, paint_spatial,
     NULL},
    {"TEMPORAL", NULL, 8, 0, 3, COLUMN_RIGHT, use_told, temporal, format_again, NULL, NULL},
};

const struct columns reuse_columns = {
    .title = "Reuse of objects",
    .list = object_list,
    .count = sizeof object_list / sizeof *object_list,
    .sort = COLUMNS_AS_THEY_COME,
    .row_size = sizeof(struct snapshot_reuse_row),
    .identity = identity,
};

static const struct column line_list[] = {
    {"CODE", "The source line, or the function where that is not known.", 12, 32, 0, COLUMN_CODE,
     NULL, name, NULL, paint_strong, NULL},
    {"FUNCTION", NULL, 12, 40, 1, COLUMN_NAME, NULL, function, NULL, NULL, NULL},
    FIGURES,
};

const struct columns reuse_line_columns = {
    .title = "Reuse by code",
    .list = line_list,
    .count = sizeof line_list / sizeof *line_list,
    .sort = COLUMNS_AS_THEY_COME,
    .row_size = sizeof(struct snapshot_reuse_row),
    .identity = identity,
};
