/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Columns of the heap's bins. */
#include "view/columns.h"

#include <math.h>
#include <stdio.h>

#define ROW(type)                                                                                  \
    const struct type *row = pointer;                                                              \
    (void)snapshot

static struct value share(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_bin);
    return row->touched ? value_number(row->share) : value_number(NAN);
}

static struct value live(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_bin);
    return value_integer(row->heap.usable_bytes);
}

static struct value blocks(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_bin);
    return value_integer(row->heap.live_blocks);
}

/* Requests of walked blocks are not known. */
static struct value waste(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_bin);
    double usable = (double)row->heap.usable_bytes;
    bool known = !row->heap.walked && usable > 0;
    return value_number(known ? 1 - (double)row->heap.requested_bytes / usable : NAN);
}

static struct value mean_size(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_bin);
    return value_known(row->heap.live_blocks ? row->heap.usable_bytes / row->heap.live_blocks : 0);
}

static struct value allocations(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_bin);
    return value_number(row->heap.allocations_per_s);
}

static struct value frees(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_bin);
    return value_number(row->heap.frees_per_s);
}

static struct value lifetime(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_bin);
    return value_number(row->heap.lifetime_s);
}

static struct value age(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_bin);
    return value_number(row->heap.age_s);
}

static struct value growth(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_bin);
    return value_number(row->heap.growth_bytes);
}

static struct value name(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_bin);
    return value_text(row->called ? row->called : row->heap.name);
}

/* Innermost frame after the name's, so that equal names can be told apart. */
static struct value path(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_bin);
    return value_text(row->heap.path);
}

static struct value leak(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_bin);
    return value_text(row->suspect ? "leak?" : NULL);
}

static struct value known_by(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_bin);
    return value_text(row->heap.walked ? "walk" : "agent");
}

static void format_growth(char *out, size_t size, struct value value)
{
    char text[24];
    struct value bytes = {.kind = VALUE_INTEGER, .integer = (uint64_t)fabs(value.number)};
    format_bytes(text, sizeof text, bytes);
    snprintf(out, size, "%s%s", value.number < 0 ? "-" : value.number > 0 ? "+" : "", text);
}

static enum paint paint_growth(struct value value)
{
    return value.kind == VALUE_NUMBER && value.number > 0 ? PAINT_WARN : PAINT_PLAIN;
}

static enum paint paint_leak(struct value value)
{
    (void)value;
    return PAINT_BAD;
}

static struct value type(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_bin);
    return value_text(row->heap.type);
}

static bool has_type(const struct snapshot *snapshot)
{
    for (size_t i = 0; i < snapshot->heap.bin_count; i++)
        if (snapshot->heap.bins[i].heap.type)
            return true;
    return false;
}

static bool has_agent(const struct snapshot *snapshot)
{
    return snapshot->heap.summary.feed == HEAP_FEED_AGENT;
}

/* Else the line above the table says it for all. */
static bool has_both(const struct snapshot *snapshot)
{
    bool walked = false;
    bool told = false;
    for (size_t i = 0; i < snapshot->heap.bin_count; i++) {
        walked |= snapshot->heap.bins[i].heap.walked;
        told |= !snapshot->heap.bins[i].heap.walked;
    }
    return walked && told;
}

static bool has_mark(const struct snapshot *snapshot)
{
    return !isnan(snapshot->heap.summary.mark_age_s);
}

static bool has_suspect(const struct snapshot *snapshot)
{
    for (size_t i = 0; i < snapshot->heap.bin_count; i++)
        if (snapshot->heap.bins[i].suspect)
            return true;
    return false;
}

static uint64_t identity(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_bin);
    return row->heap.id;
}

static const struct column bin_list[] = {
    {"SHARE", "The bin's part of all attributed samples; blank: no sample fell on it.", 6, 0, 0,
     COLUMN_RIGHT, NULL, share, format_percent, paint_share, NULL},
    {"", NULL, 6, 10, 6, COLUMN_BAR, NULL, share, NULL, paint_share, NULL},
    {"LIVE", "Usable bytes of its live blocks.", 6, 0, 0, COLUMN_RIGHT, NULL, live, format_bytes,
     NULL, NULL},
    {"BLOCKS", "Its live blocks.", 6, 0, 1, COLUMN_RIGHT, NULL, blocks, format_count, NULL, NULL},
    {"MEAN", "Mean usable size of a live block.", 6, 0, 5, COLUMN_RIGHT, NULL, mean_size,
     format_bytes, paint_dim, NULL},
    {"WASTE", "Part of the usable bytes that nobody asked for.", 5, 0, 7, COLUMN_RIGHT, has_agent,
     waste, format_percent, NULL, NULL},
    {"ALLOC/S", "Allocations a second, over the last refresh.", 7, 0, 2, COLUMN_RIGHT, has_agent,
     allocations, format_count, NULL, NULL},
    {"FREE/S", "Blocks freed a second, over the last refresh.", 7, 0, 4, COLUMN_RIGHT, has_agent,
     frees, format_count, NULL, NULL},
    {"LIFE", "Mean lifetime of the blocks that were freed.", 6, 0, 3, COLUMN_RIGHT, has_agent,
     lifetime, format_seconds, NULL, NULL},
    {"AGE", "Time since the first allocation.", 5, 0, 8, COLUMN_RIGHT, has_agent, age,
     format_seconds, paint_dim, NULL},
    {"GROWTH", "Live bytes now less those at the mark (key M).", 8, 0, 2, COLUMN_RIGHT, has_mark,
     growth, format_growth, paint_growth, NULL},
    {"", "leak?: grows since the mark, is old, and no sample ever fell on it.", 5, 0, 2,
     COLUMN_TEXT, has_suspect, leak, NULL, paint_leak, NULL},
    {"BIN",
     "Who allocated it, past the allocator's own functions; or a size class (walk). \"f < g\": f "
     "for its caller g, as there are others of f.",
     14, 48, 0, COLUMN_NAME, NULL, name, NULL, paint_strong, NULL},
    {"TYPE", "What its blocks are, by the code that touches them.", 14, 28, 4, COLUMN_NAME,
     has_type, type, NULL, NULL, NULL},
    {"KNOWN BY", "agent: told at the allocation; walk: read from the heap's headers.", 8, 0, 12,
     COLUMN_TEXT, has_both, known_by, NULL, paint_dim, NULL},
    {"PATH", "The call path, innermost first.", 16, 120, 3, COLUMN_NAME, has_agent, path, NULL,
     paint_dim, NULL},
};

const struct columns bin_columns = {
    .title = "Bins",
    .list = bin_list,
    .count = sizeof bin_list / sizeof *bin_list,
    .row_size = sizeof(struct snapshot_bin),
    .identity = identity,
};
