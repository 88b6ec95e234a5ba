/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/tables/levels.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "profile/tables/tally.h"

enum { FIRST_SLOTS = 1024 };

void levels_table_fini(struct levels_table *table)
{
    free(table->slots);
    free(table->rows);
    *table = (struct levels_table){0};
}

void levels_table_clear(struct levels_table *table)
{
    table->row_count = 0;
    if (table->slots)
        memset(table->slots, 0, table->slot_count * sizeof *table->slots);
}

void levels_rescale(struct levels *levels, double factor)
{
    for (int i = 0; i < LEVELS_COUNTS; i++)
        levels->at[i].at[BASIS_DECAYED] *= factor;
    levels->at[LEVELS_WAITED_SQUARES].at[BASIS_DECAYED] *= factor;
}

void levels_table_rescale(struct levels_table *table, double factor)
{
    for (uint32_t i = 0; i < table->row_count; i++)
        levels_rescale(&table->rows[i], factor);
}

/* A row is more than a kilobyte, and a sample writes five lines of it: rows that come and go with
 * the hot pairs are cleared only where they were written. */
static void empty(struct levels *levels)
{
    for (size_t word = 0; word < sizeof levels->written / sizeof *levels->written; word++)
        for (; levels->written[word]; levels->written[word] &= levels->written[word] - 1)
            levels->at[word * 64 + (size_t)__builtin_ctzll(levels->written[word])] =
                (struct counted){0};
}

struct levels *levels_row(struct levels_table *table, size_t index, uint64_t key)
{
    if (!array_reach(&table->slots, &table->slot_count, index, sizeof *table->slots, FIRST_SLOTS))
        return NULL;
    struct levels_slot *slot = &table->slots[index];
    if (!slot->row) {
        if (!array_more(&table->rows, &table->row_room, table->row_count, sizeof *table->rows,
                        ARRAY_UNBOUNDED))
            return NULL;
        slot->row = ++table->row_count;
        slot->key = key;
        table->rows[slot->row - 1] = (struct levels){0};
    }
    struct levels *levels = &table->rows[slot->row - 1];
    if (slot->key != key) {
        slot->key = key;
        empty(levels);
    }
    return levels;
}

const struct levels *levels_find(const struct levels_table *table, size_t index, uint64_t key)
{
    const struct levels_slot *slot = index < table->slot_count ? &table->slots[index] : NULL;
    return slot && slot->row && slot->key == key ? &table->rows[slot->row - 1] : NULL;
}

static void levels_add_amount(struct levels *levels, int count, double amount, double scale)
{
    levels->written[count / 64] |= UINT64_C(1) << count % 64;
    counted_add(&levels->at[count], amount, scale);
}

/* An answer counts under `known`, and if it is yes also under the count after that. */
static void add_answer(struct levels *levels, enum levels_count known, enum data_answer answer,
                       double weight, double scale)
{
    if (answer == ANSWER_UNKNOWN)
        return;
    levels_add_amount(levels, known, weight, scale);
    if (answer == ANSWER_YES)
        levels_add_amount(levels, known + 1, weight, scale);
}

static void add_source(struct levels *levels, const struct data_source *source, double weight,
                       double scale)
{
    bool blocked = source->blocked_data == ANSWER_YES || source->blocked_address == ANSWER_YES;
    levels_add_amount(levels, LEVELS_FOUND(source->level), weight, scale);
    levels_add_amount(levels, LEVELS_TLB + source->tlb, weight, scale);
    levels_add_amount(levels, LEVELS_SNOOP + source->snoop, weight, scale);
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
    levels_add_amount(levels, LEVELS_WAITED(source->level), waited, scale);
    levels_add_amount(levels, LEVELS_WAITED_SQUARES, waited * waited, scale * scale);
    levels_add_amount(levels, LEVELS_LATENCY + levels_latency_class(access->latency), weight,
                      scale);
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
