/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What events weigh. Precise ones are told by their encodings (source_pebs.c, source_ibs.c say
 * where those are from): sampled accesses are chosen evenly among those that pass the filter, so
 * a share is one of those and must say so.
 */
#include "sample/event.h"

#include <string.h>

enum {
    IBS_L3_MISS_ONLY = 1 << 16,
    IBS_LDLAT = 0xfff,
    PEBS_LDLAT = 0xffff,
    PEBS_LDLAT_OF_ALL = 3 /* the least that the hardware takes (SDM 3, load latency facility) */
};

/* Intel's events for loads by latency. */
static const uint16_t timed_loads[] = {0x100b, 0x01cd, 0x05d0, 0};

static bool one_of(uint64_t config, const uint16_t *configs)
{
    for (; *configs; configs++)
        if (config == *configs)
            return true;
    return false;
}

static void weigh_op(const struct event *event, char *out, size_t out_size)
{
    unsigned ldlat = event->config1 & IBS_LDLAT;
    if (ldlat)
        snprintf(out, out_size, "loads that took more than %u cycles", ldlat);
    else
        snprintf(out, out_size, "%s",
                 event->config & IBS_L3_MISS_ONLY ? "loads and stores that missed the L3"
                                                  : "loads and stores among the ops tagged");
}

/* False: none of Intel's events for loads by latency and for stores. */
static bool weigh_precise(const struct event *event, char *out, size_t out_size)
{
    static const uint16_t stores[] = {0x82d0, 0x02cd, 0x06d0, 0};
    unsigned ldlat = event->config1 & PEBS_LDLAT;
    if (!event->precise_ip || event->type < PERF_TYPE_RAW)
        return false;
    if (event_samples_all(event))
        snprintf(out, out_size, "loads");
    else if (ldlat && one_of(event->config, timed_loads))
        snprintf(out, out_size, "loads that took more than %u cycles", ldlat);
    else if (one_of(event->config, stores))
        snprintf(out, out_size, "stores");
    else
        return false;
    return true;
}

static bool is_op(const struct event *event)
{
    return !strncmp(event->name, "ibs_op", 6);
}

bool event_samples_all(const struct event *event)
{
    unsigned ldlat = event->config1 & PEBS_LDLAT;
    if (is_op(event))
        return !(event->config & IBS_L3_MISS_ONLY) && !(event->config1 & IBS_LDLAT);
    return event->precise_ip && event->type >= PERF_TYPE_RAW && ldlat &&
           ldlat <= PEBS_LDLAT_OF_ALL && one_of(event->config, timed_loads);
}

/* On hybrids the upper half of config names the PMU. */
bool event_counts_instructions(const struct perf_event_attr *attr)
{
    return attr->type == PERF_TYPE_HARDWARE && (uint32_t)attr->config == PERF_COUNT_HW_INSTRUCTIONS;
}

void event_weigh(const struct event *event, char *out, size_t out_size)
{
    static const char *const roles[] = {
        [EVENT_MISS_L1] = "L1 data cache misses",
        [EVENT_MISS_L2] = "L2 cache misses",
        [EVENT_MEM_FILL] = "fills from memory",
        [EVENT_STALL] = "cycles at the access",
        [EVENT_ACCESS] = "loads",
        [EVENT_OTHER] = NULL,
    };
    const char *role = (unsigned)event->role <= EVENT_OTHER ? roles[event->role] : NULL;
    bool cycles = event->type == PERF_TYPE_HARDWARE && event->config == PERF_COUNT_HW_CPU_CYCLES;
    if (event->role == EVENT_STALL && !cycles)
        role = "stalled cycles";
    if (event_is_software(event) && event->role == EVENT_STALL)
        role = "time at the access";
    if (event->type == PERF_TYPE_HARDWARE && event->role == EVENT_ACCESS)
        role = "instructions that access memory";
    if (is_op(event))
        weigh_op(event, out, out_size);
    else if (!weigh_precise(event, out, out_size))
        snprintf(out, out_size, "%s", role ? role : event->name);
}
