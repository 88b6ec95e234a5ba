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

/* A rate or a ratio for a column; unknown where its interval is wide. `share`: a struct
 * snapshot_share; NULL: unknown. */
struct value rates_rate(const struct snapshot *snapshot, const void *share);
struct value rates_ratio(const struct snapshot *snapshot, const void *share);

/* Entries of a list of columns; the last argument is the path from the row to its rates, as
 * ROW_OF(). */
#define RATES_COLUMN(name, text, member, order, visible, ...)                                      \
    COLUMN(.title = name, .help = text, .in = __VA_ARGS__,                                         \
           .from = ROW_IN(struct snapshot_rates, member), .value = rates_rate, .width = 8,         \
           .rank = order, .look = COLUMN_RIGHT, .shown = visible, .format = format_rate,           \
           .paint = paint_rate)
#define RATES_COLUMNS(order, ...)                                                                  \
    RATES_COLUMN("ACCESS", "Its share of all accesses (event access).", accessed, (order) + 1,     \
                 rates_tell_accessed, __VA_ARGS__),                                                \
        RATES_COLUMN("MISS L1",                                                                    \
                     "Part of its accesses that miss the first level. A range where few samples "  \
                     "make it unsure, blank where they say hardly anything. Sorted by the low "    \
                     "end.",                                                                       \
                     miss_rate[RATE_L1], order, rates_tell_miss_l1, __VA_ARGS__),                  \
        RATES_COLUMN("MISS L2", "Part of its accesses that miss the second level too.",            \
                     miss_rate[RATE_L2], (order) + 1, rates_tell_miss_l2, __VA_ARGS__),            \
        RATES_COLUMN("MISS MEM", "Part of its accesses that go to memory.",                        \
                     miss_rate[RATE_MEMORY], order, rates_tell_miss_memory, __VA_ARGS__)
#define RATES_COLUMN_STALL(order, ...)                                                             \
    RATES_COLUMN("STALL", "Its share of all stall time (event stall).", stall, order,              \
                 rates_tell_stall_counted, __VA_ARGS__)
#define RATES_COLUMN_CRITICAL(order, ...)                                                          \
    COLUMN(.title = "CRIT",                                                                        \
           .help = "Its share of the stalls over its share of the misses: above 1x its misses "    \
                   "cost more than others', below less.",                                          \
           .in = __VA_ARGS__, .from = ROW_IN(struct snapshot_rates, critical),                     \
           .value = rates_ratio, .width = 8, .rank = order, .look = COLUMN_RIGHT,                  \
           .shown = rates_tell_critical, .format = format_ratio, .paint = paint_ratio)

/* How lines were used (snapshot_share.h), in words and columns. Used by the tables of objects,
 * fields and code, the screens that show one of them, and batch text. */
bool use_told(const struct snapshot *snapshot);

/* Spatial and temporal use; unknown for `use` NULL. */
struct value use_spatial(const struct snapshot *snapshot, const void *use);
struct value use_temporal(const struct snapshot *snapshot, const void *use);
enum paint paint_spatial(struct value value);
void format_again(char *out, size_t size, struct value value); /* 0.5, 12, 3.4k times */

/* All of it in one sentence; "": nothing is known. */
void use_sentence(const struct snapshot *snapshot, const struct snapshot_use *use, char *out,
                  size_t size);

/* The sentence as one row of the screen; false: nothing to say. */
bool use_line(const struct snapshot *snapshot, const struct snapshot_use *use,
              struct canvas *canvas, struct area area);

/* Entries of a list of columns; the last argument is the path from the row to its use. */
#define USE_COLUMNS(order, ...)                                                                    \
    COLUMN(.title = "SPATIAL",                                                                     \
           .help = "Part of the bytes of the cache lines that it fetched, that anything used "     \
                   "before they left.",                                                            \
           .in = __VA_ARGS__, .value = use_spatial, .width = 7, .rank = order,                     \
           .look = COLUMN_RIGHT, .shown = use_told, .format = format_percent,                      \
           .paint = paint_spatial),                                                                \
        COLUMN(.title = "TEMPORAL",                                                                \
               .help =                                                                             \
                   "How many times a byte that was used was used again, before the line left.",    \
               .in = __VA_ARGS__, .value = use_temporal, .width = 8, .rank = (order) + 1,          \
               .look = COLUMN_RIGHT, .shown = use_told, .format = format_again)

#endif
