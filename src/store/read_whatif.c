/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What was asked about other layouts, and the answers, as of the point that was read up to. */
#include "store/form_facts.h"
#include "store/number.h"
#include "store/read_state.h"

static uint32_t at_most(uint64_t number, uint32_t most)
{
    return number < most ? (uint32_t)number : most;
}

static const char *text_of(const struct store_reader *reader, uint64_t id)
{
    const char *text = reader_string(reader, id);
    return text ? text : "?";
}

static void read_level(const struct store_reader *reader, uint64_t id,
                       struct snapshot_whatif_level *level)
{
    const uint64_t *row = rows_find(&reader->rows[STORE_WHATIF_LEVEL], id);
    if (!row)
        return;
    level->before = number_to_double(row[WHATIF_LEVEL_ROW_BEFORE]);
    level->after = number_to_double(row[WHATIF_LEVEL_ROW_AFTER]);
    level->object_before = number_to_double(row[WHATIF_LEVEL_ROW_OBJECT_BEFORE]);
    level->object_after = number_to_double(row[WHATIF_LEVEL_ROW_OBJECT_AFTER]);
    level->fresh = number_to_double(row[WHATIF_LEVEL_ROW_FRESH]);
}

/* Without a row it is one that waits, for what nobody knows. */
static void read_answer(const struct store_reader *reader, uint32_t id,
                        struct snapshot_whatif *answer)
{
    static const uint64_t none[WHATIF_ROW_FIELDS] = {[WHATIF_ROW_STATE] = WHATIF_WAITS};
    const uint64_t *found = rows_find(&reader->rows[STORE_WHATIF], id);
    const uint64_t *row = found ? found : none;
    *answer = (struct snapshot_whatif){
        .state = row[WHATIF_ROW_STATE] <= WHATIF_REFUSED ? (enum whatif_state)row[WHATIF_ROW_STATE]
                                                         : WHATIF_WAITS,
        .object = text_of(reader, row[WHATIF_ROW_OBJECT]),
        .object_id = (uint32_t)row[WHATIF_ROW_OBJECT_ID],
        .question = text_of(reader, row[WHATIF_ROW_QUESTION]),
        .layout = reader_string(reader, row[WHATIF_ROW_LAYOUT]),
        .why = reader_string(reader, row[WHATIF_ROW_WHY]),
        .settled = row[WHATIF_ROW_SETTLED],
        .blocks = number_to_double(row[WHATIF_ROW_BLOCKS]),
        .blocks_left_out = number_to_double(row[WHATIF_ROW_LEFT_OUT]),
        .blocks_small = number_to_double(row[WHATIF_ROW_SMALL]),
        .accesses = number_to_double(row[WHATIF_ROW_ACCESSES]),
        .object_accesses = number_to_double(row[WHATIF_ROW_OBJECT_ACCESSES]),
        .cut = number_to_double(row[WHATIF_ROW_CUT]),
        .level_count = at_most(row[WHATIF_ROW_LEVELS], SIMULATION_LEVELS_MAX),
        .stall_before = number_to_double(row[WHATIF_ROW_STALL_BEFORE]),
        .stall_after = number_to_double(row[WHATIF_ROW_STALL_AFTER]),
        .number = at_most(row[WHATIF_ROW_NUMBER], WHATIF_MAX - 1),
    };
    for (uint32_t i = 0; i < answer->level_count; i++)
        read_level(reader, (uint64_t)id * SIMULATION_LEVELS_MAX + i, &answer->level[i]);
    if (!answer->level_count && answer->state == WHATIF_COUNTS)
        answer->state = WHATIF_WAITS;
}

static void read_past(const struct store_reader *reader, uint32_t id,
                      struct snapshot_whatif_past *past)
{
    static const uint64_t none[WHATIF_PAST_ROW_FIELDS];
    const uint64_t *found = rows_find(&reader->rows[STORE_WHATIF_PAST], id);
    const uint64_t *row = found ? found : none;
    *past = (struct snapshot_whatif_past){
        .object = text_of(reader, row[WHATIF_PAST_ROW_OBJECT]),
        .object_id = (uint32_t)row[WHATIF_PAST_ROW_OBJECT_ID],
        .question = text_of(reader, row[WHATIF_PAST_ROW_QUESTION]),
        .stall_change = number_to_double(row[WHATIF_PAST_ROW_CHANGE]),
    };
}

void reader_whatif(const struct store_reader *reader, struct snapshot_whatifs *asked)
{
    const uint64_t *row = rows_find(&reader->rows[STORE_WHATIFS], 0);
    if (!row)
        return;
    asked->count = at_most(row[WHATIFS_ROW_COUNT], WHATIF_MAX);
    asked->past_count = at_most(row[WHATIFS_ROW_PAST], WHATIF_PAST_MAX);
    for (uint32_t i = 0; i < asked->count; i++)
        read_answer(reader, i, &asked->list[i]);
    for (uint32_t i = 0; i < asked->past_count; i++)
        read_past(reader, i, &asked->past[i]);
}
