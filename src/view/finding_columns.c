/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Columns of the problems that were recognised. */
#include "view/columns.h"

#include "profile/tables/rates.h"

#include <math.h>
#include <stdio.h>

#define ROW                                                                                        \
    const struct snapshot_finding *row = pointer;                                                  \
    (void)snapshot

static struct value gain(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    struct value value = value_number(row->gain);
    value.low = row->gain_low;
    value.high = row->gain_low > 0 ? row->gain : 0;
    return value;
}

static void format_gain(char *out, size_t size, struct value value)
{
    if (value.high > value.low)
        snprintf(out, size, "%.0f-%.0f%%", value.low * 100, value.high * 100);
    else
        format_percent(out, size, value);
}

static struct value share(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_number(row->share);
}

static struct value bound(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_text(isnan(row->gain) || row->gain_low > 0 ? ""
                      : row->bound                          ? "at most"
                                                            : "about");
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
     "Part of all samples that the remedy could save, by the estimate below the list: from so much "
     "to so much, or at most so much; blank: the samples do not tell.",
     7, 0, 0, COLUMN_RIGHT, NULL, gain, format_gain, paint_share, NULL},
    {"SHARE", "Part of all samples that it is about.", 6, 0, 0, COLUMN_RIGHT, NULL, share,
     format_percent, paint_share, NULL},
    {"PROBLEM", "What it is; below the list stands why.", 15, 19, 0, COLUMN_TEXT, NULL, kind, NULL,
     paint_strong, NULL},
    {"OBJECT", NULL, 10, 40, 0, COLUMN_NAME, NULL, object, NULL, paint_strong, NULL},
    {"FIELDS", NULL, 10, 40, 2, COLUMN_NAME, NULL, field, NULL, NULL, NULL},
    {"FUNCTION", "The one with most samples on it.", 10, 32, 3, COLUMN_NAME, NULL, function, NULL,
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

void findings_gain(const struct snapshot_finding *finding, char *out, size_t size)
{
    if (isnan(finding->gain))
        snprintf(out, size, "not known; %.1f%% of all samples are there", finding->share * 100);
    else if (finding->gain_low > 0)
        snprintf(out, size, "%.0f to %.0f%% of all samples", finding->gain_low * 100,
                 finding->gain * 100);
    else
        snprintf(out, size, "%s %.1f%% of all samples", finding->bound ? "at most" : "about",
                 finding->gain * 100);
}

void findings_none(const struct snapshot *snapshot, char *out, size_t size)
{
    snprintf(out, size,
             "No problem that misstop knows by name has been recognised%s. It looks for hot and "
             "cold fields in one line, elements that straddle lines, false and true sharing, "
             "%swalks down columns, pointer chasing, streaming, scattered and "
             "wasted blocks, objects used together, allocation churn, stack variables, first "
             "touches, threads that spin, page walks and remote memory, and says nothing unless "
             "the samples show it.",
             snapshot->totals.attributed < 1000 ? " in so few samples" : "",
             measured_of(&snapshot->source)->misses ? "set conflicts, " : "");
}
