/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/diff_columns.h"

#include "base/text.h"

#include <math.h>
#include <stdio.h>

static void points(char *out, size_t size, double share)
{
    double value = share * 100;
    snprintf(out, size, "%+.*f", fabs(value) < 9.95 ? 2 : 1, value);
}

static void percent(char *out, size_t size, double share)
{
    if (isnan(share))
        *out = '\0';
    else
        format_percent(out, size, value_number(share));
}

void diff_amount_text(char out[16], const struct diff *diff, double amount)
{
    *out = '\0';
    if (isnan(amount))
        return;
    if (diff_in_time(diff))
        format_seconds(out, 16, value_number(amount / 1e9));
    else
        text_count(out, amount);
}

void diff_times_text(char out[16], const struct compare_times *times)
{
    double value = times->value;
    if (isnan(value))
        *out = '\0';
    else
        snprintf(out, 16, "x%.*f", value < 9.995 ? 2 : value < 99.95 ? 1 : 0, fmin(value, 1e9));
}

void diff_line_make(struct diff_line *line, const struct diff *diff, const struct diff_row *row)
{
    char a[16];
    char b[16];
    char low[12];
    char high[12];
    *line = (struct diff_line){.row = row};
    percent(line->a, sizeof line->a, row->a);
    percent(line->b, sizeof line->b, row->b);
    diff_amount_text(a, diff, isnan(row->a) ? NAN : row->amount_a);
    diff_amount_text(b, diff, isnan(row->b) ? NAN : row->amount_b);
    if (*a || *b)
        snprintf(line->amounts, sizeof line->amounts, "%s > %s", *a ? a : "-", *b ? b : "-");
    diff_times_text(line->times, &row->times);
    if (isnan(row->share.change))
        return;
    points(line->change, sizeof line->change, row->share.change);
    points(low, sizeof low, row->share.low);
    points(high, sizeof high, row->share.high);
    snprintf(line->interval, sizeof line->interval, "%s..%s", low, high);
}

#define CELL(name, member)                                                                         \
    static struct value name(const struct snapshot *snapshot, const void *pointer)                 \
    {                                                                                              \
        const struct diff_line *line = pointer;                                                    \
        (void)snapshot;                                                                            \
        return value_text(line->member);                                                           \
    }
CELL(change, change)
CELL(interval, interval)
CELL(share_a, a)
CELL(share_b, b)
CELL(amounts, amounts)
CELL(times, times)
CELL(name, row->what->name)
CELL(kind, row->what->kind)
CELL(module, row->what->module)
CELL(object, row->what->object)

static struct value reading(const struct snapshot *snapshot, const void *pointer)
{
    const struct diff_line *line = pointer;
    (void)snapshot;
    return value_text(diff_reading(line->row));
}

static bool amounts_known(const struct snapshot *known)
{
    return known->totals.weight > 0;
}

static enum paint paint_change(struct value value)
{
    return *value.text == '-' ? PAINT_GOOD : PAINT_WARN;
}

#define FIGURES                                                                                    \
    {"CHANGE", NULL, 6, 0, 0, COLUMN_RIGHT, NULL, change, NULL, paint_change, NULL},               \
        {"95% INTERVAL", NULL, 14, 0, 1, COLUMN_RIGHT, NULL, interval, NULL, paint_dim, NULL},     \
        {"A", NULL, 6, 0, 0, COLUMN_RIGHT, NULL, share_a, NULL, NULL, NULL},                       \
        {"B", NULL, 6, 0, 0, COLUMN_RIGHT, NULL, share_b, NULL, NULL, NULL},                       \
        {"A > B AMOUNT", NULL, 15, 0, 3, COLUMN_RIGHT, amounts_known, amounts, NULL, NULL, NULL},  \
    {                                                                                              \
        "TIMES", NULL, 6, 0, 1, COLUMN_RIGHT, amounts_known, times, NULL, NULL, NULL               \
    }
#define READING                                                                                    \
    {                                                                                              \
        "READING", NULL, 24, 28, 1, COLUMN_TEXT, NULL, reading, NULL, NULL, NULL                   \
    }
#define NAMED(title)                                                                               \
    {                                                                                              \
        title, NULL, 10, 40, 0, COLUMN_NAME, NULL, name, NULL, paint_strong, NULL                  \
    }
#define OF(title, width, most, rank, look, value)                                                  \
    {                                                                                              \
        title, NULL, width, most, rank, look, NULL, value, NULL, NULL, NULL                        \
    }

static const struct column object_list[] = {
    FIGURES,
    NAMED("OBJECT"),
    OF("KIND", 6, 0, 4, COLUMN_TEXT, kind),
    OF("MODULE", 8, 20, 5, COLUMN_NAME, module),
    READING,
};

static const struct column field_list[] = {
    FIGURES,
    NAMED("FIELD"),
    OF("IN OBJECT", 10, 30, 1, COLUMN_NAME, object),
    READING,
};

static const struct column function_list[] = {
    FIGURES,
    NAMED("FUNCTION"),
    OF("MODULE", 8, 20, 4, COLUMN_NAME, module),
    READING,
};

#define LIST(of)                                                                                   \
    .list = of, .count = sizeof of / sizeof *of, .sort = COLUMNS_AS_THEY_COME,                     \
    .row_size = sizeof(struct diff_line)

static const struct columns object_table = {.title = "Objects", LIST(object_list)};
static const struct columns field_table = {.title = "Fields", LIST(field_list)};
static const struct columns function_table = {.title = "Functions", LIST(function_list)};

const struct columns *const diff_columns[] = {&object_table, &field_table, &function_table};
