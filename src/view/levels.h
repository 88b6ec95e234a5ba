/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where accesses found their data, as figures and in words: for the columns of whatever has
 * levels (objects, fields, members), the lines above the lists, and batch text. Columns show only
 * where the source can tell their figure of anything at all.
 */
#ifndef MISSTOP_VIEW_LEVELS_H
#define MISSTOP_VIEW_LEVELS_H

#include <stdbool.h>

#include "snapshot.h"
#include "view/screen/canvas.h"
#include "view/widget/columns.h"

enum levels_figure {
    FIGURE_FAR,
    FIGURE_LATENCY,
    FIGURE_STALL,
    FIGURE_HITM,
    FIGURE_REMOTE,
    FIGURE_TLB_MISS,
    FIGURE_COUNT
};

bool levels_tell_found(const struct snapshot *snapshot);
bool levels_tell_far(const struct snapshot *snapshot);
bool levels_tell_latency(const struct snapshot *snapshot);
bool levels_tell_stall(const struct snapshot *snapshot);
bool levels_tell_hitm(const struct snapshot *snapshot);
bool levels_tell_remote(const struct snapshot *snapshot);
bool levels_tell_tlb_miss(const struct snapshot *snapshot);

/* What the counts are of: "loads that took more than 30 cycles", or how they were worked out.
 * "": not known. */
void levels_basis(const struct snapshot *snapshot, char *out, size_t size);

/* Everything that is told of them in one sentence; "": nothing. */
void levels_sentence(const struct snapshot *snapshot, const struct snapshot_levels *levels,
                     char *out, size_t size);

/* The same as one row of the screen, as much as there is room for; false: nothing to say. */
bool levels_line(const struct snapshot *snapshot, const struct snapshot_levels *levels,
                 struct canvas *canvas, struct area area);

/* The share of stall of an object: of event stall where that is sampled, else estimated by
 * latency; NAN. */
double levels_stall_share(const struct snapshot *snapshot, const struct snapshot_object *object);

/* Entries of a list of columns; the last argument is the path from the row to its levels, as
 * ROW_OF(). */
#define LEVELS_COLUMN_FOUND(order, ...)                                                            \
    COLUMN(.title = "FOUND IN",                                                                    \
           .help = "Where its accesses found their data, the leading levels. LFB: on its way to "  \
                   "the L1 already. beyond-L1: missed there, and no more is told (stores).",       \
           .in = __VA_ARGS__, .from = FIELD(struct snapshot_levels, found), .width = 13,           \
           .most = 34, .rank = order, .shown = levels_tell_found)
#define LEVELS_COLUMN_LATENCY(order, ...)                                                          \
    COLUMN(.title = "CYCLES", .help = "Mean latency of its accesses in core cycles.",              \
           .in = __VA_ARGS__, .from = FIELD(struct snapshot_levels, latency), .width = 6,          \
           .rank = order, .look = COLUMN_RIGHT, .shown = levels_tell_latency,                      \
           .format = format_count)
#define LEVELS_COLUMN_STALL(order, visible, ...)                                                   \
    COLUMN(.title = "STALL",                                                                       \
           .help = "Its part of all waiting, latency x accesses: an estimate, for waits overlap. " \
                   "Above its share: it costs more than others each time.",                        \
           .in = __VA_ARGS__, .from = FIELD(struct snapshot_levels, stall), .width = 6,            \
           .rank = order, .look = COLUMN_RIGHT, .shown = visible, .format = format_percent,        \
           .paint = paint_share)
#define LEVELS_COLUMNS_REST(order, ...)                                                            \
    COLUMN(.title = "FAR",                                                                         \
           .help = "Part found beyond this core's own caches, of those told: L3, memory, others' " \
                   "caches.",                                                                      \
           .in = __VA_ARGS__, .from = FIELD(struct snapshot_levels, far), .width = 5,              \
           .rank = order, .look = COLUMN_RIGHT, .shown = levels_tell_far,                          \
           .format = format_percent, .paint = paint_share),                                        \
        COLUMN(.title = "HITM",                                                                    \
               .help = "Part of its accesses that found the line modified in another core's "      \
                       "cache: shared between threads, or falsely so.",                            \
               .in = __VA_ARGS__, .from = FIELD(struct snapshot_levels, hitm), .width = 5,         \
               .rank = order, .look = COLUMN_RIGHT, .shown = levels_tell_hitm,                     \
               .format = format_percent, .paint = paint_share),                                    \
        COLUMN(.title = "REMOTE", .help = "Part found on another node or socket, of those told.",  \
               .in = __VA_ARGS__, .from = FIELD(struct snapshot_levels, remote), .width = 6,       \
               .rank = (order) + 1, .look = COLUMN_RIGHT, .shown = levels_tell_remote,             \
               .format = format_percent, .paint = paint_share),                                    \
        COLUMN(.title = "TLB",                                                                     \
               .help = "Part that missed the TLB: page walks and faults, of those told.",          \
               .in = __VA_ARGS__, .from = FIELD(struct snapshot_levels, tlb_miss), .width = 5,     \
               .rank = (order) + 1, .look = COLUMN_RIGHT, .shown = levels_tell_tlb_miss,           \
               .format = format_percent, .paint = paint_share)

/* Levels of several parts together, as if they had been one: for cells of the matrix that the user
 * combined, and for its totals. */
struct levels_sum {
    struct snapshot_levels levels; /* `found` points into this, where it is known */
    char found[96];
    unsigned parts; /* 0: nothing is known */
};

void levels_sum_begin(struct levels_sum *sum);
void levels_sum_add(struct levels_sum *sum, const struct snapshot_levels *levels);
/* Shares and names from the sums. Not to be copied or moved after. */
void levels_sum_end(struct levels_sum *sum);

/*
 * The rows of the Levels pane: where the accesses to one object found their data, how long they
 * took, what other caches and the TLB answered; a rule with a title before each part. For
 * detail.c.
 */
enum {
    LEVELS_ROWS_MAX =
        DATA_LEVEL_COUNT + SNAPSHOT_LATENCY_CLASSES + SNOOP_COUNT + TLB_COUNT + 3 + 4 /* rules */
};

struct levels_row {
    const char *parting; /* a rule that says this; NULL: a common row */
    uint32_t identity;
    char name[24];
    const char *meaning; /* NULL: none */
    double share;        /* of the part: of the accesses it tells of */
    double accesses;     /* NAN: not known */
    double waited;       /* share of the cycles the object waited; NAN */
};

struct levels_rows {
    struct levels_row list[LEVELS_ROWS_MAX];
    size_t count;
    char latency[64]; /* text of a rule */
};

/* Levels NULL: no rows. */
void levels_rows_make(struct levels_rows *rows, const struct snapshot_levels *levels);

#endif
