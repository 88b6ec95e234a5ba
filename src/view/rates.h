/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Miss rates and criticality for the columns of whatever has rates (objects, fields, functions),
 * for the line above the lists, and for batch text. A figure stands as a number only where its
 * interval is narrow; else as a range, or not at all.
 */
#ifndef MISSTOP_VIEW_RATES_H
#define MISSTOP_VIEW_RATES_H

#include "view/screen/canvas.h"
#include "view/widget/columns.h"

enum rates_figure {
    RATES_ACCESSED, /* share of all accesses */
    RATES_MISS_L1,  /* of its accesses; in the order of enum rate_level */
    RATES_MISS_L2,
    RATES_MISS_MEMORY,
    RATES_STALL,
    RATES_CRITICAL,
    RATES_FIGURES
};

/* Unknown for rates NULL, and where the interval says hardly anything. */
struct value rates_value(const struct snapshot_rates *rates, enum rates_figure figure);

/* Whether the figure is known of anything. The share of accesses is none where accesses rank: it
 * is the share then. So with stalls. */
bool rates_tell_accessed(const struct snapshot *snapshot);
bool rates_tell_miss_l1(const struct snapshot *snapshot);
bool rates_tell_miss_l2(const struct snapshot *snapshot);
bool rates_tell_miss_memory(const struct snapshot *snapshot);
bool rates_tell_critical(const struct snapshot *snapshot);
/* By an event of its own, not by latencies. */
bool rates_tell_stall_counted(const struct snapshot *snapshot);

/* "12.3%" or "2-19%"; "7.9x" or "3.1-12x". */
void format_rate(char *out, size_t size, struct value value);
void format_ratio(char *out, size_t size, struct value value);
enum paint paint_rate(struct value value);
enum paint paint_ratio(struct value value);

/* All of it in one sentence, with the ends of the intervals; "": nothing is known. */
void rates_sentence(const struct snapshot *snapshot, const struct snapshot_rates *rates, char *out,
                    size_t size);

/* Why there are no miss rates, and what would give them; "": there are. */
void rates_wanting(const struct snapshot *snapshot, char *out, size_t size);

/* The sentence as one row of the screen, as much as there is room for; false: nothing to say. */
bool rates_line(const struct snapshot *snapshot, const struct snapshot_rates *rates,
                struct canvas *canvas, struct area area);

/* Values of a kind of row for the columns below: `of` gives its rates. */
#define RATES_VALUE(prefix, of, noun, figure)                                                      \
    static struct value prefix##_##noun(const struct snapshot *snapshot, const void *row)          \
    {                                                                                              \
        (void)snapshot;                                                                            \
        return rates_value(of(row), figure);                                                       \
    }
#define RATES_VALUES(prefix, of)                                                                   \
    RATES_VALUE(prefix, of, accessed, RATES_ACCESSED)                                              \
    RATES_VALUE(prefix, of, miss_l1, RATES_MISS_L1)                                                \
    RATES_VALUE(prefix, of, miss_l2, RATES_MISS_L2)                                                \
    RATES_VALUE(prefix, of, miss_memory, RATES_MISS_MEMORY)                                        \
    RATES_VALUE(prefix, of, stall, RATES_STALL)                                                    \
    RATES_VALUE(prefix, of, critical, RATES_CRITICAL)

/* Entries of a list of columns; the values are those made with the same prefix. */
#define RATES_COLUMN(prefix, title, help, noun, columns, rank, shown, format, paint)               \
    {                                                                                              \
        title, help, columns, 0, rank, COLUMN_RIGHT, shown, prefix##_##noun, format, paint, NULL   \
    }
#define RATES_COLUMNS(prefix, rank)                                                                \
    RATES_COLUMN(prefix, "ACCESS", "Its share of all accesses (event access).", accessed, 8,       \
                 (rank) + 1, rates_tell_accessed, format_rate, paint_rate),                        \
        RATES_COLUMN(prefix, "MISS L1",                                                            \
                     "Part of its accesses that miss the first level. A range where few samples "  \
                     "make it unsure, blank where they say hardly anything. Sorted by the low "    \
                     "end.",                                                                       \
                     miss_l1, 8, rank, rates_tell_miss_l1, format_rate, paint_rate),               \
        RATES_COLUMN(prefix, "MISS L2", "Part of its accesses that miss the second level too.",    \
                     miss_l2, 8, (rank) + 1, rates_tell_miss_l2, format_rate, paint_rate),         \
        RATES_COLUMN(prefix, "MISS MEM", "Part of its accesses that go to memory.", miss_memory,   \
                     8, rank, rates_tell_miss_memory, format_rate, paint_rate)
#define RATES_COLUMN_STALL(prefix, rank)                                                           \
    RATES_COLUMN(prefix, "STALL", "Its share of all stall time (event stall).", stall, 8, rank,    \
                 rates_tell_stall_counted, format_rate, paint_rate)
#define RATES_COLUMN_CRITICAL(prefix, rank)                                                        \
    RATES_COLUMN(prefix, "CRIT",                                                                   \
                 "Its share of the stalls over its share of the misses: above 1x its misses cost " \
                 "more than others', below less.",                                                 \
                 critical, 8, rank, rates_tell_critical, format_ratio, paint_ratio)

/* How lines were used (snapshot_share.h), in words and columns. Used by the tables of objects,
 * fields and code, the screens that show one of them, and batch text. */
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
