/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Columns of simulated caches, a level a row; rows are those of the snapshot itself. */
#include "view/columns.h"

#include <math.h>

#define ROW                                                                                        \
    const struct simulation_level *row = pointer;                                                  \
    (void)snapshot

static uint64_t identity(const struct snapshot *snapshot, const void *pointer)
{
    const struct simulation_level *row = pointer;
    return (uint64_t)(row - snapshot->simulation.level) + 1;
}

static uint64_t misses(const struct simulation_level *level)
{
    return level->load_misses + level->store_misses;
}

static double part(uint64_t of, uint64_t all)
{
    return all ? (double)of / (double)all : NAN;
}

static struct value level(const struct snapshot *snapshot, const void *pointer)
{
    static const char *const names[SIMULATION_LEVELS_MAX] = {"L1", "L2", "L3", "L4"};
    return value_text(names[identity(snapshot, pointer) - 1]);
}

static struct value size(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_integer(row->size_bytes);
}

static struct value ways(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_integer(row->ways);
}

static struct value line(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_integer(row->line_bytes);
}

static struct value load_misses(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_integer(row->load_misses);
}

static struct value store_misses(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_integer(row->store_misses);
}

static struct value of_all(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    return value_number(part(misses(row), snapshot->simulation.accesses));
}

/* The first level is reached by every access, the others by what the one before missed. */
static struct value of_those_here(const struct snapshot *snapshot, const void *pointer)
{
    ROW;
    bool first = row == snapshot->simulation.level;
    return value_number(part(misses(row), first ? snapshot->simulation.accesses : misses(row - 1)));
}

static const struct column simulation_list[] = {
    {"LEVEL", NULL, 5, 0, 0, COLUMN_TEXT, NULL, level, NULL, paint_strong, NULL},
    {"SIZE", NULL, 6, 0, 0, COLUMN_RIGHT, NULL, size, format_bytes, NULL, NULL},
    {"WAYS", NULL, 4, 0, 3, COLUMN_RIGHT, NULL, ways, format_integer, NULL, NULL},
    {"LINE", "Bytes of a line.", 4, 0, 3, COLUMN_RIGHT, NULL, line, format_integer, NULL, NULL},
    {"LOAD MISSES", "Exact, since the start; what loads and stores at once counts as a load.", 12,
     0, 1, COLUMN_RIGHT, NULL, load_misses, format_integer, paint_load, NULL},
    {"STORE MISSES", "Exact, since the start.", 12, 0, 1, COLUMN_RIGHT, NULL, store_misses,
     format_integer, paint_store, NULL},
    {"OF ALL", "Part of all accesses that missed at this level.", 7, 0, 0, COLUMN_RIGHT, NULL,
     of_all, format_percent, NULL, NULL},
    {"OF THOSE HERE", "Part of the accesses that came as far as this level.", 13, 0, 1,
     COLUMN_RIGHT, NULL, of_those_here, format_percent, NULL, NULL},
};

const struct columns simulation_columns = {
    .title = "Simulated caches",
    .list = simulation_list,
    .count = sizeof simulation_list / sizeof *simulation_list,
    .sort = COLUMNS_AS_THEY_COME,
    .row_size = sizeof(struct simulation_level),
    .identity = identity,
};
