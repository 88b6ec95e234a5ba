/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a store tells beside places and names; declared in store_read.h. */
#include "store/form_facts.h"
#include "store/number.h"
#include "store/read_state.h"

#include <string.h>

uint64_t store_reader_belongs(const struct store_reader *reader)
{
    return reader->header.belongs;
}

uint64_t store_reader_start_ns(const struct store_reader *reader)
{
    /* A recording written anew does not know before its first record. */
    return reader->header.start_ns ? reader->header.start_ns : reader->first_ns;
}

uint64_t store_reader_start_wall_ns(const struct store_reader *reader)
{
    return reader->header.start_wall_ns;
}

uint64_t store_reader_end_ns(const struct store_reader *reader)
{
    return reader->end_ns;
}

const char *store_reader_damage(const struct store_reader *reader)
{
    return reader->damage;
}

static void read_event(const struct store_reader *reader, unsigned number,
                       struct store_event *event)
{
    const uint64_t *row = rows_find(&reader->rows[STORE_EVENT], number);
    *event = (struct store_event){0};
    if (!row)
        return;
    event->name = reader_string(reader, row[EVENT_ROW_NAME]);
    event->weighs = reader_string(reader, row[EVENT_ROW_WEIGHS]);
    event->role = (uint8_t)row[EVENT_ROW_ROLE];
    event->period = row[EVENT_ROW_PERIOD];
    event->opened_on = row[EVENT_ROW_OPENED_ON];
    event->counted = number_to_double(row[EVENT_ROW_COUNTED]);
}

static void read_cache(const struct store_reader *reader, const uint64_t *row,
                       struct store_facts *facts)
{
    facts->cache_level = reader_string(reader, row[FACTS_ROW_CACHE_LEVEL]);
    facts->cache_size_bytes = row[FACTS_ROW_CACHE_SIZE];
    facts->cache_ways = (uint32_t)row[FACTS_ROW_CACHE_WAYS];
    facts->cache_line_bytes = (uint32_t)row[FACTS_ROW_CACHE_LINE];
}

static void read_level(const struct store_reader *reader, unsigned number,
                       struct simulation_level *level)
{
    const uint64_t *row = rows_find(&reader->rows[STORE_SIM_LEVEL], number);
    if (!row)
        return;
    level->size_bytes = row[SIM_LEVEL_ROW_SIZE];
    level->ways = (uint32_t)row[SIM_LEVEL_ROW_WAYS];
    level->line_bytes = (uint32_t)row[SIM_LEVEL_ROW_LINE];
    level->load_misses = row[SIM_LEVEL_ROW_LOAD_MISSES];
    level->store_misses = row[SIM_LEVEL_ROW_STORE_MISSES];
}

static void read_simulation(const struct store_reader *reader,
                            struct snapshot_simulation *simulation)
{
    const uint64_t *row = rows_find(&reader->rows[STORE_SIMULATION], 0);
    if (!row)
        return;
    simulation->level_count = row[SIMULATION_ROW_LEVELS] < SIMULATION_LEVELS_MAX
                                  ? (uint32_t)row[SIMULATION_ROW_LEVELS]
                                  : SIMULATION_LEVELS_MAX;
    for (unsigned i = 0; i < simulation->level_count; i++)
        read_level(reader, i, &simulation->level[i]);
    simulation->loads = row[SIMULATION_ROW_LOADS];
    simulation->stores = row[SIMULATION_ROW_STORES];
    simulation->accesses = row[SIMULATION_ROW_ACCESSES];
    simulation->one_in = (uint32_t)row[SIMULATION_ROW_ONE_IN];
    simulation->untold = row[SIMULATION_ROW_UNTOLD];
    simulation->counting = row[SIMULATION_ROW_COUNTING];
    if (row[SIMULATION_ROW_PAUSE] < SIMULATION_PAUSE_COUNT)
        simulation->pause = (uint8_t)row[SIMULATION_ROW_PAUSE];
}

static void read_watching(const struct store_reader *reader, struct store_facts *facts)
{
    const uint64_t *row = rows_find(&reader->rows[STORE_WATCHING], 0);
    if (!row)
        return;
    facts->watch = (struct snapshot_watch){
        .on = row[WATCHING_ROW_ON],
        .registers = (unsigned)row[WATCHING_ROW_REGISTERS],
        .threads = row[WATCHING_ROW_THREADS],
        .threads_left_out = row[WATCHING_ROW_LEFT_OUT],
        .offered = row[WATCHING_ROW_OFFERED],
        .armed = row[WATCHING_ROW_ARMED],
        .unpaid = row[WATCHING_ROW_UNPAID],
        .touches = row[WATCHING_ROW_TOUCHES],
        .trap_ns = number_to_double(row[WATCHING_ROW_TRAP]),
        .arm_ns = number_to_double(row[WATCHING_ROW_ARM]),
        .budget = number_to_double(row[WATCHING_ROW_BUDGET]),
        .overhead = number_to_double(row[WATCHING_ROW_OVERHEAD]),
        .trouble = reader_string(reader, row[WATCHING_ROW_TROUBLE]),
    };
    memcpy(facts->watch_lines, row + WATCHING_ROW_LINES, sizeof facts->watch_lines);
}

void store_reader_facts(const struct store_reader *reader, struct store_facts *facts)
{
    const uint64_t *row = rows_find(&reader->rows[STORE_FACTS], 0);
    *facts = (struct store_facts){0};
    read_simulation(reader, &facts->simulation);
    read_watching(reader, facts);
    reader_whatif(reader, &facts->whatif);
    if (!row)
        return;
    facts->source = reader_string(reader, row[FACTS_ROW_SOURCE]);
    facts->weighs = reader_string(reader, row[FACTS_ROW_WEIGHS]);
    facts->note = reader_string(reader, row[FACTS_ROW_NOTE]);
    facts->exact_address = row[FACTS_ROW_GIVES] & 1;
    facts->exact_ip = row[FACTS_ROW_GIVES] & 2;
    facts->latency = row[FACTS_ROW_GIVES] & 4;
    facts->data_source = row[FACTS_ROW_GIVES] & 8;
    facts->lines = row[FACTS_ROW_GIVES] & 16;
    facts->event_count = row[FACTS_ROW_EVENTS] < SAMPLE_EVENTS_MAX ? (unsigned)row[FACTS_ROW_EVENTS]
                                                                   : SAMPLE_EVENTS_MAX;
    for (unsigned i = 0; i < facts->event_count; i++)
        read_event(reader, i, &facts->events[i]);
    facts->pid = (uint32_t)row[FACTS_ROW_PID];
    facts->threads = (uint32_t)row[FACTS_ROW_THREADS];
    facts->comm = reader_string(reader, row[FACTS_ROW_COMM]);
    facts->exe = reader_string(reader, row[FACTS_ROW_EXE]);
    facts->alive = row[FACTS_ROW_ALIVE];
    facts->host = reader_string(reader, row[FACTS_ROW_HOST]);
    facts->user = row[FACTS_ROW_USER] <= UINT32_MAX ? (int64_t)row[FACTS_ROW_USER] - 1 : -1;
    read_cache(reader, row, facts);
}
