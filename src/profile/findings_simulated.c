/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What findings ask of a simulation (--sim): which cache, and why an object was missed on. */
#include "profile/findings.h"

bool findings_simulated(const struct findings *findings)
{
    return findings->snapshot->simulation.level_count || findings->snapshot->causes.told;
}

/* Index of the level; UINT32_MAX: the ranking event is of none, or it is not known which. */
static uint32_t level_of(const struct findings *findings)
{
    const struct snapshot_source *source = &findings->snapshot->source;
    uint32_t count = findings->snapshot->simulation.level_count;
    enum event_role role =
        source->ranking < SAMPLE_EVENTS_MAX ? source->events[source->ranking].role : EVENT_OTHER;
    uint32_t level = role == EVENT_MISS_L1    ? 0
                     : role == EVENT_MISS_L2  ? 1
                     : role == EVENT_MEM_FILL ? count - 1
                     : role == EVENT_OTHER    ? 2
                                              : UINT32_MAX;
    return level < count ? level : UINT32_MAX;
}

/* Whether memory serves what misses there; else a cache does, which processors fetch ahead from. */
bool findings_from_memory(const struct findings *findings)
{
    return level_of(findings) + 1 == findings->snapshot->simulation.level_count;
}

const struct simulation_level *findings_level(const struct findings *findings)
{
    uint32_t level = level_of(findings);
    return level < SIMULATION_LEVELS_MAX ? &findings->snapshot->simulation.level[level] : NULL;
}

const char *findings_level_name(const struct findings *findings)
{
    static const char *const names[SIMULATION_LEVELS_MAX] = {"L1", "L2", "L3", "L4"};
    uint32_t level = level_of(findings);
    return level < SIMULATION_LEVELS_MAX ? names[level] : "the simulated cache";
}

const struct snapshot_causes_row *findings_causes(const struct findings *findings, uint32_t object)
{
    const struct snapshot_causes_list *objects = &findings->snapshot->causes.of[CAUSES_OBJECTS];
    for (size_t i = 0; object != UINT32_MAX && i < objects->count; i++)
        if (objects->rows[i].index == object)
            return objects->rows[i].figures.samples >= FINDINGS_SAMPLES ? &objects->rows[i] : NULL;
    return NULL;
}

double findings_beyond(const struct findings *findings)
{
    const struct simulation_level *level = findings_level(findings);
    return level && level->size_bytes ? (double)level->size_bytes : FINDINGS_BEYOND_BYTES;
}
