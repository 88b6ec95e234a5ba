/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Columns of the Levels pane. Rules between its parts have no values. */
#include "view/columns.h"

#include "view/levels_rows.h"

#define ROW                                                                                        \
    const struct levels_row *row = pointer;                                                        \
    (void)snapshot

static struct value name(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_text(row->name);
}

static struct value share(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_number(row->share);
}

static struct value accesses(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_number(row->accesses);
}

static struct value waited(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_number(row->waited);
}

static struct value meaning(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_text(row->meaning);
}

static bool is_timed(const struct snapshot *snapshot)
{
    return snapshot->levels && snapshot->levels->latency > 0;
}

static uint64_t identity(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return row->identity;
}

static const char *parting(const void *pointer)
{
    return ((const struct levels_row *)pointer)->parting;
}

static const struct column list[] = {
    {"FOUND IN", "The level, or another answer of the hardware, named above the part.", 11, 17, 0,
     COLUMN_TEXT, NULL, name, NULL, paint_strong, NULL},
    {"OF IT", "Part of the object's accesses of which the hardware tells it.", 6, 0, 0,
     COLUMN_RIGHT, NULL, share, format_percent, paint_share, NULL},
    {"", NULL, 6, 24, 1, COLUMN_BAR, NULL, share, NULL, paint_share, NULL},
    {"WAITED", "Part of the cycles the object's accesses took that this level stands for.", 6, 0, 2,
     COLUMN_RIGHT, is_timed, waited, format_percent, paint_share, NULL},
    {"ACCESSES", "Accesses estimated: a sample stands for its period.", 8, 0, 4, COLUMN_RIGHT, NULL,
     accesses, format_count, paint_dim, NULL},
    {"MEANS", "What that is.", 24, 46, 3, COLUMN_TEXT, NULL, meaning, NULL, paint_dim, NULL},
};

const struct columns levels_columns = {
    .title = "Levels",
    .list = list,
    .count = sizeof list / sizeof *list,
    .sort = COLUMNS_AS_THEY_COME,
    .row_size = sizeof(struct levels_row),
    .identity = identity,
    .parting = parting,
};
