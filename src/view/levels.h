/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where accesses found their data, in figures and words: for columns of rows with levels, lines
 * above the lists, and batch text. A column is shown only if the source reports its figure. */
#ifndef MISSTOP_VIEW_LEVELS_H
#define MISSTOP_VIEW_LEVELS_H

#include <stdbool.h>

#include "snapshot.h"
#include "view/display/canvas.h"
#include "view/widget/columns.h"

bool levels_report_far(const struct snapshot *snapshot);

/* Formats the basis of the counts: "loads that took more than 30 cycles", or how they were
 * computed; "" if not known. */
void levels_basis(const struct snapshot *snapshot, char *out, size_t size);

/* Formats all figures in one sentence; "" if none are known. */
void levels_sentence(const struct snapshot *snapshot, const struct snapshot_levels *levels,
                     char *out, size_t size);

/* Returns an object's share of stalls: from the stall event if it is sampled, otherwise estimated
 * from latencies; NAN if not known. */
double levels_stall_share(const struct snapshot *snapshot, const struct snapshot_object *object);

/* Column list entries; the last argument is the path from the row to its levels, as in ROW_OF(). */
#define LEVELS_COLUMNS(found_in, order, ...)                                                       \
    COLUMN(.title = "FOUND IN",                                                                    \
           .help = "The levels that served its accesses, most frequent first. LFB: already in "    \
                   "flight to "                                                                    \
                   "the L1. beyond-L1: an L1 miss without a reported level "                       \
                   "(stores).",                                                                    \
           .in = __VA_ARGS__, .from = FIELD(struct snapshot_levels, summary), .width = 13,         \
           .width_max = 34, .rank = found_in, .shown_if = VIA(struct snapshot, levels, summary)),  \
        COLUMN(.title = "STALL",                                                                   \
               .help = "Its share of all waiting, latency x accesses: an estimate, because waits " \
                       "overlap. "                                                                 \
                       "Above its share: each access costs more than average.",                    \
               .in = __VA_ARGS__, .from = FIELD(struct snapshot_levels, stall), .width = 6,        \
               .rank = order, .shown_if = VIA(struct snapshot, levels, stall), UNIT_SHARE),        \
        COLUMN(.title = "CYCLES", .help = "Mean latency of its accesses in core cycles.",          \
               .in = __VA_ARGS__, .from = FIELD(struct snapshot_levels, latency), .width = 6,      \
               .rank = order, .shown_if = VIA(struct snapshot, levels, latency), UNIT_COUNT)
#define LEVELS_COLUMNS_REST(order, ...)                                                            \
    COLUMN(.title = "FAR",                                                                         \
           .help = "Share served from outside this core's caches, of those reported: L3, memory, " \
                   "others' "                                                                      \
                   "caches.",                                                                      \
           .in = __VA_ARGS__, .from = FIELD(struct snapshot_levels, far_share), .width = 5,        \
           .rank = order, .shown = levels_report_far, UNIT_SHARE),                                 \
        COLUMN(.title = "HITM",                                                                    \
               .help = "Share of its accesses that found the line modified in another core's "     \
                       "cache: true or false sharing between threads.",                            \
               .in = __VA_ARGS__, .from = FIELD(struct snapshot_levels, hitm), .width = 5,         \
               .rank = order, .shown_if = VIA(struct snapshot, levels, hitm), UNIT_SHARE),         \
        COLUMN(.title = "REMOTE",                                                                  \
               .help = "Share served by another node or socket, of those reported.",               \
               .in = __VA_ARGS__, .from = FIELD(struct snapshot_levels, remote), .width = 6,       \
               .rank = (order) + 1, .shown_if = VIA(struct snapshot, levels, remote), UNIT_SHARE), \
        COLUMN(.title = "TLB",                                                                     \
               .help = "Share that missed the TLB: page walks and faults, of those reported.",     \
               .in = __VA_ARGS__, .from = FIELD(struct snapshot_levels, tlb_miss), .width = 5,     \
               .rank = (order) + 1, .shown_if = VIA(struct snapshot, levels, tlb_miss),            \
               UNIT_SHARE)

/* Columns with the bounds of waiting time, for rows with a struct snapshot_wait: the range beyond
 * L1, and the nearest level that holds nearly all. The last argument is the type of the rows. */
#define WAITS_COLUMNS(order, type)                                                                 \
    COLUMN(.title = "WAITS",                                                                       \
           .help = "Bounds of the share of its time that waits for data which is not in the L1. "  \
                   "Blank: not known from the samples.",                                           \
           .in = ROW_IN(type, wait), .value = waits_range, .width = 9, .rank = order,              \
           .look = COLUMN_RIGHT, .shown = waits_known, .format = format_rate,                      \
           .paint = paint_rate),                                                                   \
        COLUMN(.title = "CACHED",                                                                  \
               .help =                                                                             \
                   "The nearest cache beyond which it waits for less than 10% of its time: it is " \
                   "hot, and cached there.",                                                       \
               .in = ROW_IN(type, wait), .value = waits_cached, .width = 6, .rank = (order) + 1,   \
               .shown = waits_known, .paint = paint_dim),                                          \
        COLUMN(.key = "waits", .from = ROW_IN(type, wait), .json = json_waits)

struct value waits_range(const struct snapshot *snapshot, const void *wait);
struct value waits_cached(const struct snapshot *snapshot, const void *wait);
bool waits_known(const struct snapshot *snapshot);
/* Returns the upper bound beyond L1; 1 if not known. */
double waits_most(const struct snapshot_wait *wait);
struct json_t *json_waits(const struct snapshot *snapshot, const void *wait);

/* Adds `more` to `levels`, as if both had been counted together. */
void levels_join(struct snapshot_levels *levels, const struct snapshot_levels *more);

/* The accesses to one object by level, latency, and answers of other caches and the TLB, with a
 * titled separator before each part. */
enum {
    /* 4 of them are separators. */
    LEVELS_ROWS_MAX = DATA_LEVEL_COUNT + SNAPSHOT_LATENCY_CLASSES + SNOOP_COUNT + TLB_COUNT + 3 + 4
};

struct levels_row {
    const char *parting; /* title of a separator; NULL: a normal row */
    uint32_t identity;
    char name[24];
    const char *meaning; /* NULL: none */
    double share;        /* fraction of the accesses for which the figure is known */
    double accesses;     /* NAN: not known */
    double waited;       /* share of the cycles the object waited; NAN */
};

struct levels_rows {
    struct levels_row list[LEVELS_ROWS_MAX];
    size_t count;
    char latency[64]; /* text of a separator */
};

/* Makes the rows; none if `levels` is NULL. */
void levels_rows_make(struct levels_rows *rows, const struct snapshot_levels *levels);

/* Miss rates and criticality, for columns of rows with rates, the line above the lists, and batch
 * text. One number if its interval is narrow, otherwise a range or blank. */

/* Returns true if the share of accesses is a separate figure; it is the ranking share if accesses
 * rank. The same applies to stalls. */
bool rates_report_accessed(const struct snapshot *snapshot);
/* Returns true if stalls are counted by an event, not estimated from latencies. */
bool rates_report_stall_counted(const struct snapshot *snapshot);

/* Formats a rate, "12.3%" or "2-19%", or a ratio, "7.9x" or "3.1-12x". */
void format_rate(char *out, size_t size, struct value value);
void format_ratio(char *out, size_t size, struct value value);
enum paint paint_rate(struct value value);
enum paint paint_ratio(struct value value);

/* Formats all rates in one sentence, with their intervals; "" if none are known. */
void rates_sentence(const struct snapshot *snapshot, const struct snapshot_rates *rates, char *out,
                    size_t size);

/* Explains why there are no miss rates, and how to get them; "" if there are. */
void rates_wanting(const struct snapshot *snapshot, char *out, size_t size);

/* The result is unknown if the interval is wide. `share`: struct snapshot_share; NULL: unknown. */
struct value rates_rate(const struct snapshot *snapshot, const void *share);
struct value rates_ratio(const struct snapshot *snapshot, const void *share);

/* Column list entries; the last argument is the path from the row to its rates, as in ROW_OF(). */
#define RATES_COLUMN(name, text, member, order, visible, ...)                                      \
    COLUMN(.title = name, .help = text, .in = __VA_ARGS__,                                         \
           .from = ROW_IN(struct snapshot_rates, member), .value = rates_rate, .width = 8,         \
           .rank = order, .look = COLUMN_RIGHT, .shown = visible,                                  \
           .shown_if = VIA(struct snapshot, rates, member.value), .format = format_rate,           \
           .paint = paint_rate)
#define RATES_COLUMNS(order, ...)                                                                  \
    RATES_COLUMN("ACCESS", "Its share of all accesses (event access).", access_share, (order) + 1, \
                 rates_report_accessed, __VA_ARGS__),                                              \
        RATES_COLUMN("MISS L1",                                                                    \
                     "Share of its accesses that miss the first level. An interval if there are "  \
                     "few samples, "                                                               \
                     "blank if it is too wide. Sorted by the low "                                 \
                     "end.",                                                                       \
                     miss_rate[RATE_L1], order, NULL, __VA_ARGS__),                                \
        RATES_COLUMN("MISS L2", "Share of its accesses that miss the second level too.",           \
                     miss_rate[RATE_L2], (order) + 1, NULL, __VA_ARGS__),                          \
        RATES_COLUMN("MISS MEM", "Share of its accesses that go to memory.",                       \
                     miss_rate[RATE_MEMORY], order, NULL, __VA_ARGS__),                            \
        COLUMN(.title = "CRIT",                                                                    \
               .help = "Its share of the stalls divided by its share of the misses: above 1x its " \
                       "misses "                                                                   \
                       "cost more than average, below 1x less.",                                   \
               .in = __VA_ARGS__, .from = ROW_IN(struct snapshot_rates, stall_ratio),              \
               .value = rates_ratio, .width = 8, .rank = order, .look = COLUMN_RIGHT,              \
               .shown_if = VIA(struct snapshot, rates, stall_ratio.value), .format = format_ratio, \
               .paint = paint_ratio)
#define RATES_COLUMN_STALL(order, ...)                                                             \
    RATES_COLUMN("STALL", "Its share of all stall time (event stall).", stall_share, order,        \
                 rates_report_stall_counted, __VA_ARGS__)

/* How lines were used (snapshot_share.h). */

/* Values of spatial and temporal use; unknown if `use` is NULL. */
struct value use_spatial(const struct snapshot *snapshot, const void *use);
struct value use_temporal(const struct snapshot *snapshot, const void *use);
enum paint paint_spatial(struct value value);
void format_again(char *out, size_t size, struct value value); /* 0.5, 12, 3.4k times */

/* Formats the use in one sentence; "" if it is not known. */
void use_sentence(const struct snapshot *snapshot, const struct snapshot_use *use, char *out,
                  size_t size);

/* Column list entries; the last argument is the path from the row to its use. */
#define USE_COLUMNS(order, ...)                                                                    \
    COLUMN(.title = "SPATIAL",                                                                     \
           .help = "Share of the bytes of the cache lines it fetched that were used "              \
                   "before they left.",                                                            \
           .in = __VA_ARGS__, .value = use_spatial, .width = 7, .rank = order,                     \
           .shown_if = FIELD(struct snapshot, uses.known), UNIT_PERCENT, .paint = paint_spatial),  \
        COLUMN(.title = "TEMPORAL",                                                                \
               .help = "How many times a used byte was used again before the line was evicted.",   \
               .in = __VA_ARGS__, .value = use_temporal, .width = 8, .rank = (order) + 1,          \
               .look = COLUMN_RIGHT, .shown_if = FIELD(struct snapshot, uses.known),               \
               .format = format_again)

#endif
