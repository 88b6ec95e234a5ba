/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Who evicts whom (struct snapshot_evictions) as a table of the matrix's grid: rows whose lines
 * were missed, columns whose accesses had thrown them out. For its screen (evictions_page.c), batch
 * text and the page of --html, which say the same of a cell.
 */
#ifndef MISSTOP_VIEW_EVICTIONS_TABLE_H
#define MISSTOP_VIEW_EVICTIONS_TABLE_H

#include "view/matrix_table.h"

/* Without rows where nothing is known. Shares are of all misses whose evictor is known. */
void evictions_table_make(struct matrix_table *table, const struct snapshot *snapshot,
                          enum causes_of kind);

/* What the table is of, in a sentence. */
void evictions_title(const struct snapshot *snapshot, enum causes_of kind, char *out, size_t size);

/* A cell in words; `row` and `column` as in struct matrix_grid: 0 is all of them. */
void evictions_words(const struct matrix_table *table, enum causes_of kind, size_t row,
                     size_t column, char *out, size_t size);

#endif
