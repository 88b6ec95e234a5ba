/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the columns of shared lines have in common. Private to sharing_columns.c and
 * sharing_line_columns.c. */
#ifndef MISSTOP_VIEW_SHARING_CELLS_H
#define MISSTOP_VIEW_SHARING_CELLS_H

#include "view/columns.h"

/* Columns that are shown only where the source tells of it. */
bool sharing_tells_hitm(const struct snapshot *snapshot);
bool sharing_has_nodes(const struct snapshot *snapshot);

struct value sharing_node(int node); /* -1: unknown */

/* "true, lock". */
const char *sharing_kind(enum sharing_verdict verdict, bool locked);
enum paint sharing_paint(struct value value);

#endif
