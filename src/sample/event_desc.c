/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sample/event_desc.h"

#include "base/text.h"

#include <stdio.h>
#include <string.h>

const unsigned char *event_desc_find(const unsigned char *file, size_t file_size,
                                     const uint64_t features[EVENT_DESC_FEATURES / 64],
                                     uint64_t table_at, size_t *size)
{
    uint64_t section[2]; /* offset, size */
    uint64_t below = (UINT64_C(1) << EVENT_DESC_FEATURE) - 1;
    if (!(features[0] >> EVENT_DESC_FEATURE & 1))
        return NULL;
    /* The table has a section for each bit set, in their order. */
    uint64_t skipped = (uint64_t)__builtin_popcountll(features[0] & below) * sizeof section;
    if (table_at > file_size || file_size - table_at < skipped + sizeof section)
        return NULL;
    memcpy(section, file + table_at + skipped, sizeof section);
    if (section[0] > file_size || section[1] > file_size - section[0])
        return NULL;
    *size = section[1];
    return file + section[0];
}

/* Steps over `count` bytes of the section; false at its end. */
static bool skip(size_t *at, size_t size, uint64_t count)
{
    if (count > size - *at)
        return false;
    *at += count;
    return true;
}

static bool take_u32(const unsigned char *section, size_t *at, size_t size, uint32_t *value)
{
    if (size - *at < sizeof *value)
        return false;
    memcpy(value, section + *at, sizeof *value);
    *at += sizeof *value;
    return true;
}

bool event_desc_name(const unsigned char *section, size_t size, unsigned index, char *out,
                     size_t out_size)
{
    size_t at = 0;
    uint32_t count;
    uint32_t attr_size;
    if (!take_u32(section, &at, size, &count) || !take_u32(section, &at, size, &attr_size) ||
        index >= count)
        return false;
    for (unsigned i = 0;; i++) {
        uint32_t ids;
        uint32_t length;
        if (!skip(&at, size, attr_size) || !take_u32(section, &at, size, &ids) ||
            !take_u32(section, &at, size, &length) || length > size - at)
            return false;
        if (i == index)
            return text_sanitise(out, out_size, (const char *)section + at, length) > 0;
        if (!skip(&at, size, length) || !skip(&at, size, (uint64_t)ids * 8))
            return false;
    }
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
