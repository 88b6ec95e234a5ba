/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/watch_words.h"

#include "view/columns.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *seconds_text(char out[24], double seconds)
{
    format_seconds(out, 24, value_number(seconds));
    return out;
}

void watch_summary(const struct snapshot_watch *watch, char *out, size_t size)
{
    char trap[24];
    char spent[32] = "";
    if (!isnan(watch->overhead))
        snprintf(spent, sizeof spent, "%.2f%% of its time, ", watch->overhead * 100);
    snprintf(out, size,
             "%u debug register%s on %zu thread%s: set %" PRIu64 " times, %" PRIu64
             " touches of %s each; %s%.3g%% allowed%s%s",
             watch->registers, watch->registers == 1 ? "" : "s", watch->threads,
             watch->threads == 1 ? "" : "s", watch->armed, watch->touches,
             seconds_text(trap, watch->trap_ns / 1e9), spent, watch->budget * 100,
             watch->trouble ? ". " : "", watch->trouble ? watch->trouble : "");
}

const struct snapshot_watch_object *watch_find(const struct snapshot *snapshot, uint32_t id)
{
    for (size_t i = 0; i < snapshot->watch.count; i++)
        if (snapshot->watch.objects[i].id == id)
            return &snapshot->watch.objects[i];
    return NULL;
}

void watch_line(const struct snapshot_watch_object *object, char *out, size_t size)
{
    char time[24];
    int used = snprintf(out, size, "watched %" PRIu64 ": %s", object->watched,
                        watch_verdict_name(object->verdict));
    if (!isnan(object->again.value))
        used += snprintf(out + used, size - (size_t)used, ", %.0f%% touched again within %s",
                         object->again.value * 100, seconds_text(time, object->again_s));
    if (snapshot_reuse_is_bound(&object->reuse_s))
        used += snprintf(out + used, size - (size_t)used, ", most within %s",
                         seconds_text(time, object->reuse_s.high));
    else if (!isnan(object->reuse_s.value))
        used += snprintf(out + used, size - (size_t)used, ", after %s (median)",
                         seconds_text(time, object->reuse_s.value));
    if (!isnan(object->used.value))
        snprintf(out + used, size - (size_t)used, ", %.0f%% of the line used",
                 object->used.value * 100);
}
