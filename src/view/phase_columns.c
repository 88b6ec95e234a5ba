/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Columns of the stretches of a run. */
#include "view/columns.h"

#include <math.h>
#include <string.h>

#define ROW                                                                                        \
    const struct snapshot_phase *row = pointer;                                                    \
    (void)snapshot

static struct value name(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_text(row->name);
}

static struct value start(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_number(row->start_s);
}

static struct value length(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_number(row->end_s - row->start_s);
}

static struct value samples(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_number(row->samples);
}

static struct value leader(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_text(row->leader);
}

static struct value leader_share(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_number(row->leader_share);
}

static struct value changed(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_number(row->distance);
}

static struct value rose(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_text(row->rose);
}

static struct value rose_by(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_number(row->rose_by);
}

static struct value fell(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_text(row->fell);
}

static struct value fell_by(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_number(-row->fell_by);
}

static struct value nobody(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_number(row->nobody);
}

static struct value note(const struct snapshot *snapshot, const void *pointer)
{
    const struct snapshot_phase *row = pointer;
    const struct snapshot_timeline *timeline = &snapshot->timeline;
    bool last = timeline->phase_count && row == &timeline->phases[timeline->phase_count - 1];
    bool returned = row > timeline->phases && *row->name && !strcmp(row->name, row[-1].name);
    /* What had changed is going back to what it was: when it ends the two will be one. */
    if (last && returned)
        return value_text("now; as before");
    return value_text(last && row->inversion ? "now; new leader"
                      : last                 ? "now"
                      : row->inversion       ? "new leader"
                                             : NULL);
}

static uint64_t identity(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    /* Its start is worked out anew each time, from the elapsed time. */
    return (uint64_t)llround(row->start_s * 20);
}

static const struct column phase_list[] = {
    {"PHASE", "Time ranges of one letter are alike: the samples are on the same objects.", 5, 0, 0,
     COLUMN_TEXT, NULL, name, NULL, paint_strong, NULL},
    {"FROM", "When it began, from the start of the run.", 8, 0, 0, COLUMN_RIGHT, NULL, start,
     format_time, NULL, NULL},
    {"LENGTH", "How long it lasted.", 8, 0, 0, COLUMN_RIGHT, NULL, length, format_time, NULL, NULL},
    {"LEADS", "The object with most samples in it.", 12, 30, 0, COLUMN_NAME, NULL, leader, NULL,
     paint_strong, NULL},
    {"OF IT", "The leader's part of the samples in it.", 6, 0, 1, COLUMN_RIGHT, NULL, leader_share,
     format_percent, paint_share, NULL},
    {"ROSE", "The object whose share is higher than in the stretch before by most.", 12, 30, 1,
     COLUMN_NAME, NULL, rose, NULL, paint_strong, NULL},
    {"BY", "By how many points (hundredths of the samples) it rose.", 6, 0, 1, COLUMN_RIGHT, NULL,
     rose_by, format_gained, NULL, NULL},
    {"FELL", "The object whose share is lower than in the stretch before by most.", 12, 30, 3,
     COLUMN_NAME, NULL, fell, NULL, NULL, NULL},
    {"BY", "By how many points it fell.", 6, 0, 3, COLUMN_RIGHT, NULL, fell_by, format_gained, NULL,
     NULL},
    {"CHANGED",
     "Part of the samples that is on other objects than in the stretch before: what all that "
     "rose "
     "have more, ROSE the most of them.",
     7, 0, 2, COLUMN_RIGHT, NULL, changed, format_percent, NULL, NULL},
    {"NO OBJ",
     "Part of all that was sampled in it that has no object; the rest of the row is of what has.",
     6, 0, 4, COLUMN_RIGHT, NULL, nobody, format_percent, NULL, NULL},
    {"SAMPLES", "Attributed samples in it.", 7, 0, 5, COLUMN_RIGHT, NULL, samples, format_count,
     NULL, NULL},
    {"", NULL, 8, 30, 4, COLUMN_TEXT, NULL, note, NULL, paint_dim, NULL},
};

const struct columns phase_columns = {
    .title = "Phases",
    .list = phase_list,
    .count = sizeof phase_list / sizeof *phase_list,
    .sort = COLUMNS_AS_THEY_COME,
    .row_size = sizeof(struct snapshot_phase),
    .identity = identity,
};
