/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Exact totals of a simulated run; declared in json_part.h. */
#include "view/json_part.h"

#include <stdio.h>

static json_t *level(const struct simulation_level *from, unsigned number)
{
    char name[16];
    json_t *out = json_object();
    snprintf(name, sizeof name, "L%u", number);
    json_set(out, "name", json_text(name));
    json_set(out, "size", json_whole(from->size_bytes));
    json_set(out, "ways", json_whole(from->ways));
    json_set(out, "line", json_whole(from->line_bytes));
    json_set(out, "load_misses", json_whole(from->load_misses));
    json_set(out, "store_misses", json_whole(from->store_misses));
    return out;
}

json_t *json_simulation(const struct snapshot_simulation *from)
{
    if (!from->level_count)
        return json_null();
    json_t *out = json_object();
    json_t *levels = json_array();
    for (unsigned i = 0; i < from->level_count; i++)
        json_array_append_new(levels, level(&from->level[i], i + 1));
    json_set(out, "loads", json_whole(from->loads));
    json_set(out, "stores", json_whole(from->stores));
    json_set(out, "accesses", json_whole(from->accesses));
    json_set(out, "levels", levels);
    json_set(out, "one_in", json_whole(from->one_in));
    json_set(out, "untold", json_whole(from->untold));
    json_set(out, "counting", json_boolean(from->counting));
    json_set(out, "paused",
             from->counting ? json_null()
                            : json_text(simulation_pause_name((enum simulation_pause)from->pause)));
    return out;
}
