/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How lines were used (snapshot_share.h), in words and columns. Used by the tables of objects, fields
 * and code, the screens that show one of them, and batch text. */
#ifndef MISSTOP_VIEW_USE_WORDS_H
#define MISSTOP_VIEW_USE_WORDS_H

#include "view/canvas.h"
#include "view/columns.h"

bool use_told(const struct snapshot *snapshot);

/* Spatial and temporal use; unknown for `use` NULL. */
struct value use_spatial(const struct snapshot_use *use);
struct value use_temporal(const struct snapshot_use *use);
enum paint paint_spatial(struct value value);
void format_again(char *out, size_t size, struct value value); /* 0.5, 12, 3.4k times */

/* All of it in one sentence; "": nothing is known. */
void use_sentence(const struct snapshot *snapshot, const struct snapshot_use *use, char *out,
                  size_t size);

/* The sentence as one row of the screen; false: nothing to say. */
bool use_line(const struct snapshot *snapshot, const struct snapshot_use *use,
              struct canvas *canvas, struct area area);

/* Values of a kind of row for the columns below: `of` gives its use. */
#define USE_VALUES(prefix, of)                                                                     \
    static struct value prefix##_spatial(const struct snapshot *snapshot, const void *row)         \
    {                                                                                              \
        (void)snapshot;                                                                            \
        return use_spatial(of(row));                                                               \
    }                                                                                              \
    static struct value prefix##_temporal(const struct snapshot *snapshot, const void *row)        \
    {                                                                                              \
        (void)snapshot;                                                                            \
        return use_temporal(of(row));                                                              \
    }

/* Entries of a list of columns; the values are those made with the same prefix. */
#define USE_COLUMNS(prefix, rank)                                                                  \
    {"SPATIAL",                                                                                    \
     "Part of the bytes of the cache lines that it fetched, that anything used before they left.", \
     7,                                                                                            \
     0,                                                                                            \
     rank,                                                                                         \
     COLUMN_RIGHT,                                                                                 \
     use_told,                                                                                     \
     prefix##_spatial,                                                                             \
     format_percent,                                                                               \
     paint_spatial,                                                                                \
     NULL},                                                                                        \
    {                                                                                              \
        "TEMPORAL", "How many times a byte that was used was used again, before the line left.",   \
            8, 0, (rank) + 1, COLUMN_RIGHT, use_told, prefix##_temporal, format_again, NULL, NULL  \
    }

#endif
