/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows through the columns of the screen, as a table that can be sorted by its titles. Columns that
 * say nothing of any of the rows are left out. For html_*.c. */
#ifndef MISSTOP_VIEW_HTML_TABLE_H
#define MISSTOP_VIEW_HTML_TABLE_H

#include "view/html_writer.h"
#include "view/matrix_table.h"

struct html_table {
    const struct columns *columns;
    const void *rows;
    size_t count;
    size_t most; /* rows shown; how many more there are is told */
    /* Of a bar: the interval to draw on it; NULL: none. */
    const struct snapshot_share *(*interval)(const void *row);
    /* Where the row's name leads to: "o12"; false: nowhere. NULL: no row does. */
    bool (*link)(const struct snapshot *snapshot, const void *row, char *id, size_t size);
    bool code; /* text is source or instructions: nothing is wrapped */
};

/* Nothing where there is no row. */
void html_table(struct html_writer *writer, const struct html_table *table);

/* A matrix with heat; lines that are one function or object lead to their part of the page.
 * (html_matrix.c) */
void html_matrix_table(struct html_writer *writer, const struct matrix_table *table,
                       enum matrix_axis row_axis, enum matrix_axis column_axis);

/* The ids that the sections give. */
bool html_object_link(const struct snapshot *snapshot, const void *object, char *id, size_t size);
bool html_function_link(const struct snapshot *snapshot, const void *code, char *id, size_t size);

/* How many objects and functions have a part of their own. */
enum { HTML_OBJECTS_OPENED = 20, HTML_FUNCTIONS_OPENED = 20 };

#endif
