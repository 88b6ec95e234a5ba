/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What was asked about other layouts, and the answers at each sync. */
#include "store/form_facts.h"
#include "store/number.h"
#include "store/write_state.h"

static void put_level(struct store_writer *writer, uint64_t id,
                      const struct snapshot_whatif_level *level)
{
    uint64_t row[WHATIF_LEVEL_ROW_FIELDS] = {
        [WHATIF_LEVEL_ROW_BEFORE] = number_of_double(level->before),
        [WHATIF_LEVEL_ROW_AFTER] = number_of_double(level->after),
        [WHATIF_LEVEL_ROW_OBJECT_BEFORE] = number_of_double(level->object_before),
        [WHATIF_LEVEL_ROW_OBJECT_AFTER] = number_of_double(level->object_after),
        [WHATIF_LEVEL_ROW_FRESH] = number_of_double(level->fresh),
    };
    writer_row(writer, STORE_WHATIF_LEVEL, id, row);
}

static void put_answer(struct store_writer *writer, uint32_t id,
                       const struct snapshot_whatif *answer)
{
    uint64_t row[WHATIF_ROW_FIELDS] = {
        [WHATIF_ROW_STATE] = answer->state,
        [WHATIF_ROW_OBJECT] = writer_string(writer, answer->object),
        [WHATIF_ROW_OBJECT_ID] = answer->object_id,
        [WHATIF_ROW_QUESTION] = writer_string(writer, answer->question),
        [WHATIF_ROW_LAYOUT] = writer_string(writer, answer->layout),
        [WHATIF_ROW_WHY] = writer_string(writer, answer->why),
        [WHATIF_ROW_SETTLED] = answer->settled,
        [WHATIF_ROW_BLOCKS] = number_of_double(answer->blocks),
        [WHATIF_ROW_LEFT_OUT] = number_of_double(answer->blocks_left_out),
        [WHATIF_ROW_SMALL] = number_of_double(answer->blocks_small),
        [WHATIF_ROW_ACCESSES] = number_of_double(answer->accesses),
        [WHATIF_ROW_OBJECT_ACCESSES] = number_of_double(answer->object_accesses),
        [WHATIF_ROW_CUT] = number_of_double(answer->cut),
        [WHATIF_ROW_LEVELS] = answer->level_count,
        [WHATIF_ROW_STALL_BEFORE] = number_of_double(answer->stall_before),
        [WHATIF_ROW_STALL_AFTER] = number_of_double(answer->stall_after),
        [WHATIF_ROW_NUMBER] = answer->number,
    };
    for (uint32_t i = 0; i < answer->level_count && i < SIMULATION_LEVELS_MAX; i++)
        put_level(writer, (uint64_t)id * SIMULATION_LEVELS_MAX + i, &answer->level[i]);
    writer_row(writer, STORE_WHATIF, id, row);
}

static void put_past(struct store_writer *writer, uint32_t id,
                     const struct snapshot_whatif_past *past)
{
    uint64_t row[WHATIF_PAST_ROW_FIELDS] = {
        [WHATIF_PAST_ROW_OBJECT] = writer_string(writer, past->object),
        [WHATIF_PAST_ROW_OBJECT_ID] = past->object_id,
        [WHATIF_PAST_ROW_QUESTION] = writer_string(writer, past->question),
        [WHATIF_PAST_ROW_CHANGE] = number_of_double(past->stall_change),
    };
    writer_row(writer, STORE_WHATIF_PAST, id, row);
}

void writer_whatif(struct store_writer *writer, const struct snapshot_whatifs *asked)
{
    uint64_t row[WHATIFS_ROW_FIELDS] = {
        [WHATIFS_ROW_COUNT] = asked->count, [WHATIFS_ROW_PAST] = asked->past_count};
    for (uint32_t i = 0; i < asked->count && i < WHATIF_MAX; i++)
        put_answer(writer, i, &asked->list[i]);
    for (uint32_t i = 0; i < asked->past_count && i < WHATIF_PAST_MAX; i++)
        put_past(writer, i, &asked->past[i]);
    writer_row(writer, STORE_WHATIFS, 0, row);
}
