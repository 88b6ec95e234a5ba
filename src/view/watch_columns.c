/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Columns of what watchpoints saw, an object a row. */
#include "view/columns.h"

#include <math.h>

#define ROW                                                                                        \
    const struct snapshot_watch_object *row = pointer;                                             \
    (void)snapshot

static struct value object(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_text(row->name);
}

static struct value watched(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_integer(row->watched);
}

static struct value again(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_number(row->again.value);
}

static struct value again_half(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_number(columns_half(&row->again));
}

static struct value within(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_number(row->again_s);
}

static struct value reuse(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    struct value value = value_number(row->reuse_s.value);
    if (snapshot_reuse_is_bound(&row->reuse_s))
        value = (struct value){.kind = VALUE_NUMBER, .high = row->reuse_s.high};
    return value;
}

/* "<24us" where no more is known. */
static void format_reuse(char *out, size_t size, struct value value)
{
    if (value.high > 0)
        *out++ = '<';
    format_seconds(out, size - (value.high > 0), value.high > 0 ? value_number(value.high) : value);
}

static struct value reuse_low(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_number(row->reuse_s.low);
}

static struct value reuse_high(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_number(row->reuse_s.high);
}

static struct value misses(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_number(row->misses.value);
}

static struct value thread_misses(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_number(row->thread_misses);
}

static struct value used(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_number(row->used.value);
}

static struct value used_half(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_number(columns_half(&row->used));
}

static struct value elsewhere(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_number(row->elsewhere);
}

static struct value code(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_text(row->code_count ? row->codes[0].text : NULL);
}

static struct value verdict(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_text(row->progress ? row->progress : watch_verdict_name(row->verdict));
}

static enum paint paint_verdict(struct value value)
{
    switch (value.kind == VALUE_TEXT ? value.text[0] : 0) {
    case 's':
        return PAINT_WARN;
    case 'c':
        return value.text[1] == 'o' ? PAINT_BAD : value.text[2] == 'p' ? PAINT_WARN : PAINT_GOOD;
    default:
        return PAINT_DIM;
    }
}

static bool counts_misses(const struct snapshot *snapshot)
{
    return snapshot->watch.counts_misses;
}

static bool has_threads(const struct snapshot *snapshot)
{
    return snapshot->watch.threads > 1;
}

static uint64_t identity(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return (uint64_t)row->id + 1;
}

static const struct column watch_list[] = {
    {"OBJECT", NULL, 12, 30, 0, COLUMN_NAME, NULL, object, NULL, paint_strong, NULL},
    {"VERDICT",
     "Streaming: most lines are not touched again. Capacity: touched again after the cache was "
     "filled. Conflict: before it can have been, and missed on all the same. Cached: before, and "
     "nothing says it was missed on. Reused: cannot be told. 3 of 8: so many of the lines that a "
     "verdict needs have told something. Below the list stands why.",
     9, 0, 0, COLUMN_TEXT, NULL, verdict, NULL, paint_verdict, NULL},
    {"WATCHED", "Sampled accesses to it whose line was watched, of the last some thousand.", 7, 0,
     1, COLUMN_RIGHT, NULL, watched, format_count, NULL, NULL},
    {"AGAIN", "Part of these lines that were touched again within the time beside it.", 6, 0, 0,
     COLUMN_RIGHT, NULL, again, format_percent, NULL, NULL},
    {"±", NULL, 4, 0, 4, COLUMN_RIGHT, NULL, again_half, format_points, paint_dim, NULL},
    {"WITHIN", NULL, 6, 0, 2, COLUMN_RIGHT, NULL, within, format_seconds, paint_dim, NULL},
    {"REUSE",
     "Time from a touch of a line to the next: half of the times are shorter. <: too short to be "
     "told, "
     "for setting a register takes as long.",
     6, 0, 0, COLUMN_RIGHT, NULL, reuse, format_reuse, NULL, NULL},
    {"FROM", "Between these the true median lies, in 95 of 100 cases.", 6, 0, 5, COLUMN_RIGHT, NULL,
     reuse_low, format_seconds, paint_dim, NULL},
    {"TO", NULL, 6, 0, 5, COLUMN_RIGHT, NULL, reuse_high, format_seconds, paint_dim, NULL},
    {"MISSES",
     "Misses of the process in that time, median: no more lines than these came in between.", 6, 0,
     1, COLUMN_RIGHT, counts_misses, misses, format_count, NULL, NULL},
    {"THREAD", "Misses of the thread that touched first, likewise.", 6, 0, 6, COLUMN_RIGHT,
     counts_misses, thread_misses, format_count, paint_dim, NULL},
    {"USED",
     "Part of a line's 64 bytes that is used within a millisecond of the sampled word, when it is "
     "touched again.",
     6, 0, 1, COLUMN_RIGHT, NULL, used, format_percent, NULL, NULL},
    {"±", NULL, 4, 0, 6, COLUMN_RIGHT, NULL, used_half, format_points, paint_dim, NULL},
    {"OTHERS", "Part of the touches by another thread than the one before.", 6, 0, 3, COLUMN_RIGHT,
     has_threads, elsewhere, format_percent, NULL, NULL},
    {"TOUCHED BY", "The code that touched next most often.", 12, 36, 2, COLUMN_CODE, NULL, code,
     NULL, NULL, NULL},
};

const struct columns watch_columns = {
    .title = "Watched",
    .list = watch_list,
    .count = sizeof watch_list / sizeof *watch_list,
    .sort = COLUMNS_AS_THEY_COME,
    .row_size = sizeof(struct snapshot_watch_object),
    .identity = identity,
};
