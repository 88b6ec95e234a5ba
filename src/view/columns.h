/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The columns of the tables, once for screen and text: title, width, how a row's value is
 * written and compared, what it means. Wide terminals get more of them.
 */
#ifndef MISSTOP_VIEW_COLUMNS_H
#define MISSTOP_VIEW_COLUMNS_H

#include "snapshot.h"

#include <stdbool.h>
#include <stddef.h>

enum { COLUMN_TEXT_MAX = 512 };

/* How a table paints a cell. */
enum column_paint { COLUMN_PLAIN, COLUMN_HEAT, COLUMN_DIM, COLUMN_NAME, COLUMN_TREND };

struct column {
    const char *title;
    const char *help;
    int width;      /* characters; 0: takes what is left (one per table) */
    int min_screen; /* shown from this many columns of screen on */
    bool right;     /* aligned */
    enum column_paint paint;
    /* Writes the cell; "" for what was not measured. */
    void (*text)(const struct snapshot *snapshot, const void *row, char *out, size_t size);
    /* What rows are sorted by, descending; NULL: by text. NAN sorts last. */
    double (*value)(const struct snapshot *snapshot, const void *row);
    /* Whether the snapshot measured it at all; NULL: always. */
    bool (*present)(const struct snapshot *snapshot);
};

extern const struct column columns_object[];
extern const struct column columns_field[];
extern const struct column columns_code[];
extern const struct column columns_instance[];
extern const struct column columns_region[];
extern const struct column columns_recurrence[];
extern const struct column columns_pair[];

/* Columns of a table that fit: indices to `shown`, how many. NULL-title ends a table. */
size_t columns_choose(const struct column *table, const struct snapshot *snapshot, int width,
                      const struct column **shown, size_t room);

/* Width in cells of the flexible column when the others have theirs. */
int columns_flexible(const struct column *const *shown, size_t count, int width);

/* Name of an object by its index in the snapshot, or "". */
const char *columns_object_name(const struct snapshot *snapshot, uint32_t index);

#endif
