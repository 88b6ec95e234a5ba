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
    char spent[32] = "nothing yet";
    if (!isnan(watch->overhead))
        snprintf(spent, sizeof spent, "%.2f%% of its time", watch->overhead * 100);
    snprintf(out, size,
             "cost %s, %.3g%% allowed; %u debug register%s on %zu thread%s: set %" PRIu64
             " times, %" PRIu64 " touches of %s each%s%s",
             spent, watch->budget * 100, watch->registers, watch->registers == 1 ? "" : "s",
             watch->threads, watch->threads == 1 ? "" : "s", watch->armed, watch->touches,
             seconds_text(trap, watch->trap_ns / 1e9), watch->trouble ? ". " : "",
             watch->trouble ? watch->trouble : "");
}

/* Of what is guessed, seconds are enough. */
static const char *about_text(char out[24], double seconds)
{
    if (seconds >= 60)
        snprintf(out, 24, "%.0f min", ceil(seconds / 60));
    else
        snprintf(out, 24, "%.0f s", fmax(1, ceil(seconds)));
    return out;
}

bool watch_pace(const struct snapshot_watch *watch, char *out, size_t size)
{
    char next[24];
    size_t waiting = watch->count > watch->verdicts ? watch->count - watch->verdicts : 0;
    if (!waiting)
        return false;
    int used =
        snprintf(out, size, "%zu of %zu objects have a verdict", watch->verdicts, watch->count);
    if (!isnan(watch->next_s))
        used += snprintf(out + used, size - (size_t)used, "; at this pace the next in about %s",
                         about_text(next, watch->next_s));
    double more = watch->budget <= 0.025 ? 0.05 : watch->budget <= 0.1 ? 0.2 : 0;
    if (watch->budget_limits && more > 0)
        snprintf(out + used, size - (size_t)used,
                 ". The %.3g%% allowed sets the pace: --watch=%.0f is up to %.0f times as fast",
                 watch->budget * 100, more * 100, more / watch->budget);
    return true;
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
