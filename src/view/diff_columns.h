/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows of a comparison as text, and their columns. For diff_text.c. */
#ifndef MISSTOP_VIEW_DIFF_COLUMNS_H
#define MISSTOP_VIEW_DIFF_COLUMNS_H

#include "view/columns.h"
#include "view/diff.h"

/* What one row says; figures as they are printed. */
struct diff_line {
    const struct diff_row *row;
    char change[16];   /* "-20.1" */
    char interval[32]; /* "-21.0..-19.2" */
    char a[16];
    char b[16];
    char amounts[36]; /* "791ms > 875ms"; "-": there is none */
    char times[16];
};

void diff_line_make(struct diff_line *line, const struct diff *diff, const struct diff_row *row);

/* An amount as the tables write it: a count, or time; "" if not known. */
void diff_amount_text(char out[16], const struct diff *diff, double amount);

/* "x0.48", "x12"; "" if not known. */
void diff_times_text(char out[16], const struct compare_times *times);

/* [REPORT_TABLES] */
extern const struct columns *const diff_columns[];

#endif
