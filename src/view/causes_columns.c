/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Columns of why lines were missed, an object, a function or a thread a row. */
#include "view/causes_words.h"
#include "view/columns.h"

#include <math.h>

#define ROW                                                                                        \
    const struct snapshot_causes_row *row = pointer;                                               \
    (void)snapshot

static struct value name(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_text(row->name);
}

static struct value misses(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_number(row->figures.misses);
}

static struct value share(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_number(row->figures.misses / snapshot->causes.all.misses);
}

static struct value first(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_number(causes_first(row->figures.share));
}

static struct value capacity(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_number(row->figures.share[CAUSE_CAPACITY]);
}

static struct value conflict(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_number(row->figures.share[CAUSE_CONFLICT]);
}

static struct value invalidated(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_number(causes_invalidated(row->figures.share));
}

static struct value other(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_number(causes_other(row->figures.share));
}

static struct value early(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_number(row->figures.early_same + row->figures.early_other);
}

static struct value early_other(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_number(causes_early_other(&row->figures));
}

static struct value by_itself(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_number(row->figures.by_itself);
}

static struct value evictor(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_text(row->evictor_count  ? row->evictors[0].function
                      : row->thread_count ? row->threads[0].name
                                          : NULL);
}

static struct value evictor_object(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_text(row->evictor_count ? row->evictors[0].object : NULL);
}

static struct value evictor_share(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_number(row->evictor_count  ? row->evictors[0].share
                        : row->thread_count ? row->threads[0].share
                                            : NAN);
}

/* With one thread, or one level, there is none. */
static bool any_invalidated(const struct snapshot *snapshot)
{
    return causes_invalidated(snapshot->causes.all.share) > 0;
}

static bool any_other(const struct snapshot *snapshot)
{
    return causes_other(snapshot->causes.all.share) > 0;
}

static uint64_t identity(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return (uint64_t)row->id + 1;
}

#define FIGURES                                                                                    \
    {"MISSES",                                                                                     \
     "Misses of the ranking event, and what part these are of all of them.",                       \
     7,                                                                                            \
     0,                                                                                            \
     6,                                                                                            \
     COLUMN_RIGHT,                                                                                 \
     NULL,                                                                                         \
     misses,                                                                                       \
     format_count,                                                                                 \
     NULL,                                                                                         \
     NULL},                                                                                        \
        {"SHARE", NULL, 6, 0, 1, COLUMN_RIGHT, NULL, share, format_percent, paint_share, NULL},    \
        {"FIRST",                                                                                  \
         "Part of the misses on lines that were never touched before, by this thread.",            \
         6,                                                                                        \
         0,                                                                                        \
         0,                                                                                        \
         COLUMN_RIGHT,                                                                             \
         NULL,                                                                                     \
         first,                                                                                    \
         format_percent,                                                                           \
         NULL,                                                                                     \
         NULL},                                                                                    \
        {"CAPACITY",                                                                               \
         "Part that a cache of this size would miss even if any line could go anywhere in it.",    \
         8,                                                                                        \
         0,                                                                                        \
         0,                                                                                        \
         COLUMN_RIGHT,                                                                             \
         NULL,                                                                                     \
         capacity,                                                                                 \
         format_percent,                                                                           \
         NULL,                                                                                     \
         NULL},                                                                                    \
        {"CONFLICT",                                                                               \
         "Part that such a cache would not miss: too many lines in one set.",                      \
         8,                                                                                        \
         0,                                                                                        \
         0,                                                                                        \
         COLUMN_RIGHT,                                                                             \
         NULL,                                                                                     \
         conflict,                                                                                 \
         format_percent,                                                                           \
         NULL,                                                                                     \
         NULL},                                                                                    \
        {"INVALID",                                                                                \
         "Part whose lines another thread's write had taken away.",                                \
         7,                                                                                        \
         0,                                                                                        \
         2,                                                                                        \
         COLUMN_RIGHT,                                                                             \
         any_invalidated,                                                                          \
         invalidated,                                                                              \
         format_percent,                                                                           \
         NULL,                                                                                     \
         NULL},                                                                                    \
        {"OTHER",                                                                                  \
         "Part that a larger cache below had thrown out, or that is not known.",                   \
         6,                                                                                        \
         0,                                                                                        \
         5,                                                                                        \
         COLUMN_RIGHT,                                                                             \
         any_other,                                                                                \
         other,                                                                                    \
         format_percent,                                                                           \
         paint_dim,                                                                                \
         NULL},                                                                                    \
        {"EARLY",                                                                                  \
         "Part on lines that had been thrown out to make room, too early: they were wanted "       \
         "again.",                                                                                 \
         6,                                                                                        \
         0,                                                                                        \
         2,                                                                                        \
         COLUMN_RIGHT,                                                                             \
         NULL,                                                                                     \
         early,                                                                                    \
         format_percent,                                                                           \
         NULL,                                                                                     \
         NULL},                                                                                    \
        {"OTHERS'",                                                                                \
         "Of EARLY, the part thrown out by accesses to other objects.",                            \
         7,                                                                                        \
         0,                                                                                        \
         2,                                                                                        \
         COLUMN_RIGHT,                                                                             \
         NULL,                                                                                     \
         early_other,                                                                              \
         format_percent,                                                                           \
         NULL,                                                                                     \
         NULL},                                                                                    \
        {"ITSELF",                                                                                 \
         "Of the misses whose evictor is known, the part that it threw out itself.",               \
         6,                                                                                        \
         0,                                                                                        \
         5,                                                                                        \
         COLUMN_RIGHT,                                                                             \
         NULL,                                                                                     \
         by_itself,                                                                                \
         format_percent,                                                                           \
         NULL,                                                                                     \
         NULL},                                                                                    \
        {"BY%",                                                                                    \
         "The same for the function beside.",                                                      \
         6,                                                                                        \
         0,                                                                                        \
         1,                                                                                        \
         COLUMN_RIGHT,                                                                             \
         NULL,                                                                                     \
         evictor_share,                                                                            \
         format_percent,                                                                           \
         NULL,                                                                                     \
         NULL},                                                                                    \
        {"EVICTED BY",                                                                             \
         "The function whose accesses threw most of its lines out, and to what.",                  \
         12,                                                                                       \
         36,                                                                                       \
         1,                                                                                        \
         COLUMN_CODE,                                                                              \
         NULL,                                                                                     \
         evictor,                                                                                  \
         NULL,                                                                                     \
         NULL,                                                                                     \
         NULL},                                                                                    \
    {                                                                                              \
        "ON", NULL, 8, 30, 3, COLUMN_NAME, NULL, evictor_object, NULL, NULL, NULL                  \
    }

static const struct column object_list[] = {
    {"OBJECT", NULL, 12, 30, 0, COLUMN_NAME, NULL, name, NULL, paint_strong, NULL}, FIGURES};
static const struct column function_list[] = {
    {"FUNCTION", NULL, 12, 30, 0, COLUMN_NAME, NULL, name, NULL, paint_strong, NULL}, FIGURES};
static const struct column thread_list[] = {
    {"THREAD", NULL, 12, 30, 0, COLUMN_NAME, NULL, name, NULL, paint_strong, NULL}, FIGURES};

#define COLUMNS(rows)                                                                              \
    {                                                                                              \
        .title = "Causes", .list = rows, .count = sizeof rows / sizeof *rows,                      \
        .sort = COLUMNS_AS_THEY_COME, .row_size = sizeof(struct snapshot_causes_row),              \
        .identity = identity                                                                       \
    }

const struct columns causes_columns[CAUSES_KINDS] = {[CAUSES_OBJECTS] = COLUMNS(object_list),
                                                     [CAUSES_FUNCTIONS] = COLUMNS(function_list),
                                                     [CAUSES_THREADS] = COLUMNS(thread_list)};
