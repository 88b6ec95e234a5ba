/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/tables/levels.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "profile/tables/tally.h"

void levels_rescale(struct levels *levels, double factor)
{
    counted_rescale(levels, sizeof *levels, factor);
    levels->at[LEVELS_WAITED_SQUARES].at[BASIS_DECAYED] *= factor;
}

void levels_rows_rescale(struct count_rows *rows, double factor)
{
    struct levels *levels = rows->at;
    for (size_t i = 0; i < rows->count; i++)
        levels_rescale(&levels[i], factor);
}

/* Adds a known answer to the count `known`, and a yes also to the next count. */
static void add_answer(struct levels *levels, enum levels_count known, enum data_answer answer,
                       double weight, double scale)
{
    if (answer == ANSWER_UNKNOWN)
        return;
    counted_add(&levels->at[known], weight, scale);
    if (answer == ANSWER_YES)
        counted_add(&levels->at[known + 1], weight, scale);
}

static void add_source(struct levels *levels, const struct data_source *source, double weight,
                       double scale)
{
    bool blocked = source->blocked_data == ANSWER_YES || source->blocked_address == ANSWER_YES;
    counted_add(&levels->at[LEVELS_FOUND(source->level)], weight, scale);
    counted_add(&levels->at[LEVELS_TLB + source->tlb], weight, scale);
    counted_add(&levels->at[LEVELS_SNOOP + source->snoop], weight, scale);
    add_answer(levels, LEVELS_LOCK_KNOWN, source->locked, weight, scale);
    add_answer(levels, LEVELS_REMOTE_KNOWN, source->remote, weight, scale);
    if (source->blocked_data != ANSWER_UNKNOWN)
        add_answer(levels, LEVELS_BLOCK_KNOWN, blocked ? ANSWER_YES : ANSWER_NO, weight, scale);
}

static void add_row(struct levels *levels, const struct access *access,
                    const struct data_source *source, double scale)
{
    double weight = tally_weight(access);
    if (access->data_src)
        add_source(levels, source, weight, scale);
    if (!access->latency)
        return;
    double waited = (double)access->latency * weight;
    counted_add(&levels->at[LEVELS_WAITED(source->level)], waited, scale);
    counted_add(&levels->at[LEVELS_WAITED_SQUARES], waited * waited, scale * scale);
    counted_add(&levels->at[LEVELS_LATENCY + levels_latency_class(access->latency)], weight, scale);
}

static void prefetch_row(const struct levels *levels, const struct access *access,
                         const struct data_source *source)
{
    __builtin_prefetch(&levels->at[LEVELS_LOCK_KNOWN], 1);
    __builtin_prefetch(&levels->at[LEVELS_SNOOP + source->snoop], 1);
    __builtin_prefetch(&levels->at[LEVELS_TLB + source->tlb], 1);
    __builtin_prefetch(&levels->at[LEVELS_FOUND(source->level)], 1);
    __builtin_prefetch(&levels->at[LEVELS_LATENCY + levels_latency_class(access->latency)], 1);
}

void levels_prefetch(const struct levels_touched *rows, const struct access *access)
{
    for (int i = 0; i < LEVELS_ROWS; i++)
        if (rows->at[i])
            prefetch_row(rows->at[i], access, &rows->source);
}

void levels_add(const struct levels_touched *rows, const struct access *access, double scale)
{
    for (int i = 0; i < LEVELS_ROWS; i++)
        if (rows->at[i])
            add_row(rows->at[i], access, &rows->source, scale);
}
