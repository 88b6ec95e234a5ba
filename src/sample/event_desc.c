/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sample/event_desc.h"

#include "base/text.h"

#include <stdio.h>
#include <string.h>

enum { EVENT_UPDATE_NAME = 2 };

/* The event that a description is of: that of its first id, or the one at the same place. */
static struct attribute *described(struct attributes *attributes, uint32_t place, struct cursor ids,
                                   uint32_t id_count)
{
    struct attribute *event = id_count ? attributes_by_id(attributes, cursor_u64(&ids)) : NULL;
    if (!event && place < attributes->count)
        event = &attributes->events[place];
    return event;
}

void event_desc_take(struct cursor *cursor, struct attributes *attributes)
{
    uint32_t count = cursor_u32(cursor);
    uint32_t attr_bytes = cursor_u32(cursor);
    for (uint32_t place = 0; place < count && !cursor->bad; place++) {
        cursor_skip(cursor, attr_bytes);
        uint32_t id_count = cursor_u32(cursor);
        uint32_t length = cursor_u32(cursor);
        const char *name = (const char *)cursor->at;
        cursor_skip(cursor, length);
        struct cursor ids = *cursor;
        cursor_skip_items(cursor, id_count, 8);
        if (cursor->bad)
            return;
        struct attribute *event = described(attributes, place, ids, id_count);
        if (event)
            text_sanitise(event->name, sizeof event->name, name, strnlen(name, length));
    }
}

void event_desc_update(struct cursor *cursor, struct attributes *attributes)
{
    uint64_t what = cursor_u64(cursor);
    struct attribute *event = attributes_by_id(attributes, cursor_u64(cursor));
    const char *name = (const char *)cursor->at;
    if (what == EVENT_UPDATE_NAME && event && cursor->left)
        text_sanitise(event->name, sizeof event->name, name, strnlen(name, cursor->left));
}

void event_desc_guess(const struct perf_event_attr *attr, char *out, size_t out_size)
{
    static const char *const software[] = {
        "cpu-clock",    "task-clock",   "page-faults",      "context-switches", "cpu-migrations",
        "minor-faults", "major-faults", "alignment-faults", "emulation-faults", "dummy"};
    static const char *const hardware[] = {"cycles",       "instructions", "cache-references",
                                           "cache-misses", "branches",     "branch-misses"};
    const char *name = NULL;
    if (attr->type == PERF_TYPE_SOFTWARE && attr->config < sizeof software / sizeof *software)
        name = software[attr->config];
    if (attr->type == PERF_TYPE_HARDWARE && attr->config < sizeof hardware / sizeof *hardware)
        name = hardware[attr->config];
    if (name)
        snprintf(out, out_size, "%s", name);
    else
        snprintf(out, out_size, "r%04llx of PMU %u", (unsigned long long)attr->config, attr->type);
}
