/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Columns of the problems that were recognised. */
#include "view/columns.h"

#include <stdio.h>

#define ROW                                                                                        \
    const struct snapshot_finding *row = pointer;                                                  \
    (void)snapshot

static struct value gain(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_number(row->gain);
}

static struct value bound(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_text(row->bound ? "at most" : "about");
}

static struct value kind(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_text(finding_kind_words(row->kind));
}

static struct value object(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_text(row->name);
}

static struct value field(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_text(row->field);
}

static struct value function(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_text(row->function);
}

static struct value sure(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_text(finding_sure_name(row->sure));
}

static struct value screen(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_text(finding_page_name(row->page));
}

static uint64_t identity(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return (uint64_t)row->id << 8 | row->kind;
}

static const struct column finding_list[] = {
    {"", NULL, 7, 0, 1, COLUMN_TEXT, NULL, bound, NULL, paint_dim, NULL},
    {"GAIN",
     "Part of all samples that the remedy could save: about so much by the estimate that stands "
     "below the list, or at most so much.",
     6, 0, 0, COLUMN_RIGHT, NULL, gain, format_percent, paint_share, NULL},
    {"PROBLEM", "What it is; below the list stands why.", 15, 19, 0, COLUMN_TEXT, NULL, kind, NULL,
     paint_strong, NULL},
    {"OBJECT", NULL, 10, 40, 0, COLUMN_NAME, NULL, object, NULL, paint_strong, NULL},
    {"FIELDS", NULL, 10, 40, 2, COLUMN_NAME, NULL, field, NULL, NULL, NULL},
    {"FUNCTION", "The one that misses most on it.", 10, 32, 3, COLUMN_NAME, NULL, function, NULL,
     NULL, NULL},
    {"SURE", "By the rule: each says what it cannot tell.", 7, 0, 1, COLUMN_TEXT, NULL, sure, NULL,
     NULL, NULL},
    {"SCREEN", "Enter opens it.", 7, 0, 4, COLUMN_TEXT, NULL, screen, NULL, paint_dim, NULL},
};

const struct columns finding_columns = {
    .title = "Findings",
    .list = finding_list,
    .count = sizeof finding_list / sizeof *finding_list,
    .sort = COLUMNS_AS_THEY_COME,
    .row_size = sizeof(struct snapshot_finding),
    .identity = identity,
};

void findings_none(const struct snapshot *snapshot, char *out, size_t size)
{
    snprintf(out, size,
             "No problem that misstop knows by name has been recognised%s. It looks for hot and "
             "cold fields in one line, elements that straddle lines, false and true sharing, "
             "conflicts in few sets, walks down columns, pointer chasing, streaming, scattered and "
             "wasted blocks, objects that miss together, allocation churn, stack variables, first "
             "touches, threads that spin, page walks and remote memory, and says nothing unless "
             "the samples show it.",
             snapshot->totals.attributed < 1000 ? " in so few samples" : "");
}
