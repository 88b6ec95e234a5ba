/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/reuse_words.h"

#include "base/text.h"

#include <math.h>
#include <stdio.h>

/* Part of what a larger cache can help that is left at the knee; less than this is not worth it. */
static const double left_at_knee = 0.1;
static const double worth = 0.02;
static const double sure_width = 0.05;
/* Fewer uses say little. */
enum { USES_LEAST = 30 };

const char *reuse_size_text(char out[16], double size_bytes)
{
    static const char units[] = "KMG";
    double value = size_bytes / 1024;
    int unit = 0;
    for (; value >= 1023.5 && unit < 2; unit++)
        value /= 1024;
    snprintf(out, 16, value < 9.95 && fabs(value - round(value)) > 0.05 ? "%.1f%c" : "%.0f%c",
             value, units[unit]);
    return out;
}

unsigned reuse_knee(const struct snapshot_reuse_row *row)
{
    double last = row->miss[REUSE_POINTS - 1].value;
    double gain = row->miss[0].value - last;
    unsigned point = 0;
    if (!(gain >= worth))
        return REUSE_POINTS;
    while (point + 1 < REUSE_POINTS && row->miss[point].value > last + left_at_knee * gain)
        point++;
    return point;
}

bool reuse_is_sure(const struct snapshot_share *missed)
{
    return !(missed->high - missed->low > sure_width);
}

void reuse_missed_text(char *out, size_t size, const struct snapshot_share *missed)
{
    if (reuse_is_sure(missed))
        snprintf(out, size, "%.1f%%", 100 * missed->value);
    else
        snprintf(out, size, "%.0f-%.0f%%", 100 * missed->low, 100 * missed->high);
}

void reuse_summary(const struct snapshot *snapshot, char *out, size_t size)
{
    const struct snapshot_reuse *reuse = &snapshot->reuse;
    char uses[16];
    char cache[16];
    char missed[24];
    int used = snprintf(out, size, "Of all accesses");
    for (size_t i = 0; i < reuse->mark_count && used > 0 && (size_t)used < size; i++)
        if (reuse->marks[i].simulated) {
            reuse_missed_text(missed, sizeof missed, &reuse->all.at[i]);
            used += snprintf(out + used, size - (size_t)used, "%s %s %s %s", i ? "," : "", missed,
                             i ? "in" : "miss in LRU caches of",
                             reuse_size_text(cache, (double)reuse->marks[i].size_bytes));
        }
    if (used > 0 && (size_t)used < size)
        used += snprintf(out + used, size - (size_t)used, "; %s uses sampled",
                         text_count(uses, reuse->all.uses));
    if (snapshot->uses.told && used > 0 && (size_t)used < size)
        snprintf(out + used, size - (size_t)used, "; SPATIAL of lines that left L%u",
                 snapshot->uses.level + 1);
}

/* The smallest simulated cache that is at least so large; NULL: none is. */
static const struct snapshot_reuse_mark *mark_from(const struct snapshot_reuse *reuse, double bytes)
{
    for (size_t i = 0; i < reuse->mark_count; i++)
        if (reuse->marks[i].simulated && (double)reuse->marks[i].size_bytes >= bytes)
            return &reuse->marks[i];
    return NULL;
}

/* A larger cache helps, or smaller data. */
static void say_knee(const struct snapshot_reuse *reuse, const struct snapshot_reuse_row *row,
                     unsigned knee, char *out, size_t size)
{
    char needs[16];
    char missed[24];
    double bytes = snapshot_reuse_size(knee);
    const struct snapshot_reuse_mark *fits = mark_from(reuse, bytes);
    const struct snapshot_reuse_mark *first = reuse->mark_count ? &reuse->marks[0] : NULL;
    reuse_size_text(needs, bytes);
    reuse_missed_text(missed, sizeof missed, &row->at[0]);
    if (fits && fits == first)
        snprintf(out, size,
                 "It is used again within %s: it fits %s, whose misses on it are first "
                 "uses and conflicts.",
                 needs, fits->name);
    else if (fits)
        snprintf(out, size,
                 "It is used again within %s: %s holds that, %s (%s missed) would if other "
                 "data between two uses were %.0f times less: smaller parts at a time (blocking), "
                 "smaller elements.",
                 needs, fits->name, first->name, missed, ceil(bytes / (double)first->size_bytes));
    else
        snprintf(out, size,
                 "It is used again only after %s, which no cache here holds: do more with the "
                 "data while it is there (smaller parts at a time), or make it smaller.",
                 needs);
}

void reuse_advice(const struct snapshot_reuse *reuse, const struct snapshot_reuse_row *row,
                  char *out, size_t size)
{
    unsigned knee = reuse_knee(row);
    char said[384] = "";
    if (row->uses < USES_LEAST) {
        snprintf(out, size, "Only %.0f uses were sampled: the curve says little yet.", row->uses);
        return;
    }
    if (knee < REUSE_POINTS)
        say_knee(reuse, row, knee, said, sizeof said);
    else if (row->first >= worth)
        snprintf(said, sizeof said,
                 "No cache would help: lines are used once, or at once again. What is missed is "
                 "new; fewer bytes (SPATIAL) or fetching ahead would.");
    else
        snprintf(said, sizeof said,
                 "Its lines are used again at once: even a small cache has them.");
    if (row->first < 0.001)
        snprintf(out, size, "%s", said);
    else
        snprintf(out, size, "%.1f%% of its accesses are first uses of a line. %s", 100 * row->first,
                 said);
}
