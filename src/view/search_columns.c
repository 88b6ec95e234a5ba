/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Columns of the regions of the n-way search, and of the objects in one cache set. */
#include "view/columns.h"

#include <math.h>

#define ROW(type)                                                                                  \
    const struct type *row = pointer;                                                              \
    (void)snapshot

static struct value share(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_region);
    return value_number(row->share);
}

static struct value half(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_region);
    return value_number((row->high - row->low) / 2);
}

static struct value base(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_region);
    return value_integer(row->base);
}

static struct value bound(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_region);
    return value_integer(row->bound);
}

static struct value size(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_region);
    return value_known(row->bound - row->base);
}

static struct value iterations(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_region);
    return value_known(row->iterations);
}

static struct value depth(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_region);
    return value_integer(row->depth);
}

static struct value state(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_region);
    return value_text(
        row->state == REGION_SPLIT && isnan(row->share) ? "new" : region_state_name(row->state));
}

static struct value object(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_region);
    return value_text(row->object && *row->object ? row->object : "(several objects)");
}

static struct value phases(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_region);
    return value_text(row->phase_words);
}

static bool phases_told(const struct snapshot *snapshot)
{
    for (size_t i = 0; i < snapshot->search.region_count; i++)
        if (snapshot->search.regions[i].phase_count)
            return true;
    return false;
}

static struct value reason(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_region);
    return value_text(row->reason);
}

static uint64_t identity(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_region);
    return row->base;
}

static const struct column region_list[] = {
    {"SHARE", "The region's part of the samples in the range searched.", 6, 0, 0, COLUMN_RIGHT,
     NULL, share, format_percent, paint_share, NULL},
    {"±", NULL, 4, 0, 0, COLUMN_RIGHT, NULL, half, format_points, paint_dim, NULL},
    {"", NULL, 6, 10, 6, COLUMN_BAR, NULL, share, NULL, paint_share, NULL},
    {"STATE",
     "new: measured for the first time; split: to be halved; object, line: found; kept: quiet "
     "now, was among the best; queued: waits its turn.",
     7, 0, 1, COLUMN_TEXT, NULL, state, NULL, NULL, NULL},
    {"HOLDS", "The object in the region.", 12, 56, 0, COLUMN_NAME, NULL, object, NULL, paint_strong,
     NULL},
    {"IN PHASES", "Its part of the samples in each phase where it was found, and where it leads.",
     9, 40, 1, COLUMN_TEXT, phases_told, phases, NULL, NULL, NULL},
    {"SIZE", "Bytes it spans.", 6, 0, 2, COLUMN_RIGHT, NULL, size, format_bytes, NULL, NULL},
    {"FROM", "First address.", 14, 18, 3, COLUMN_TEXT, NULL, base, format_address, paint_dim, NULL},
    {"TO", "First address after it.", 14, 18, 9, COLUMN_TEXT, NULL, bound, format_address,
     paint_dim, NULL},
    {"ITER", "Measurements averaged.", 4, 0, 5, COLUMN_RIGHT, NULL, iterations, format_integer,
     NULL, NULL},
    {"DEPTH", "How many times it was halved.", 5, 0, 8, COLUMN_RIGHT, NULL, depth, format_integer,
     NULL, NULL},
    {"WHY", "Why it is kept.", 26, 40, 7, COLUMN_TEXT, NULL, reason, NULL, paint_dim, NULL},
};

const struct columns region_columns = {
    .title = "Regions",
    .list = region_list,
    .count = sizeof region_list / sizeof *region_list,
    .row_size = sizeof(struct snapshot_region),
    .identity = identity,
};

static const struct column dropped_list[] = {
    {"FROM", NULL, 14, 18, 0, COLUMN_TEXT, NULL, base, format_address, paint_dim, NULL},
    {"SIZE", NULL, 6, 0, 1, COLUMN_RIGHT, NULL, size, format_bytes, NULL, NULL},
    {"SHARE", NULL, 6, 0, 3, COLUMN_RIGHT, NULL, share, format_percent, paint_share, NULL},
    {"WHY DROPPED", "Why it is not searched further.", 14, 60, 0, COLUMN_TEXT, NULL, reason, NULL,
     NULL, NULL},
};

const struct columns dropped_columns = {
    .title = "Dropped",
    .list = dropped_list,
    .count = sizeof dropped_list / sizeof *dropped_list,
    .sort = COLUMNS_MAX,
    .row_size = sizeof(struct snapshot_region),
    .identity = identity,
};

static struct value part_object(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_set_part);
    const struct snapshot_object *known = columns_object(snapshot, row->object);
    return value_text(known ? known->name : "(not listed)");
}

static struct value part_samples(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_set_part);
    return value_integer(row->samples);
}

/* Of what the window holds for this set. */
static struct value part_share(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_set_part);
    double all = 0;
    for (size_t i = 0; i < snapshot->sets.part_count; i++)
        if (snapshot->sets.parts[i].set == row->set)
            all += snapshot->sets.parts[i].samples;
    return value_number(all > 0 ? row->samples / all : NAN);
}

static uint64_t part_identity(const struct snapshot *snapshot, const void *pointer)
{
    ROW(snapshot_set_part);
    const struct snapshot_object *known = columns_object(snapshot, row->object);
    return known ? known->id : UINT64_MAX;
}

static const struct column part_list[] = {
    {"OF SET", "Part of the set's samples in the window that fell on this object.", 6, 0, 0,
     COLUMN_RIGHT, NULL, part_share, format_percent, paint_share, NULL},
    {"", NULL, 6, 12, 2, COLUMN_BAR, NULL, part_share, NULL, paint_share, NULL},
    {"SAMPLES", NULL, 7, 0, 1, COLUMN_RIGHT, NULL, part_samples, format_count, NULL, NULL},
    {"OBJECT", "An object whose lines fall into the set under the cursor.", 14, 80, 0, COLUMN_NAME,
     NULL, part_object, NULL, paint_strong, NULL},
};

const struct columns part_columns = {
    .title = "Objects in this set",
    .list = part_list,
    .count = sizeof part_list / sizeof *part_list,
    .sort = 2,
    .row_size = sizeof(struct snapshot_set_part),
    .identity = part_identity,
};
