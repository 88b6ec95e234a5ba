/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where accesses found their data; declared in json_part.h. */
#include "view/json_part.h"

#include "view/levels_words.h"

#include <math.h>

/* Named counts. What was not found there at all is left out. */
static json_t *counts(const double *from, int count, const char *(*name)(int index))
{
    json_t *out = json_object();
    for (int i = 0; i < count; i++)
        if (from[i] > 0)
            json_set(out, name(i), json_count(from[i]));
    return out;
}

static const char *level_name(int index)
{
    return data_level_name((enum data_level)index);
}

static const char *snoop_name(int index)
{
    return data_snoop_name((enum data_snoop)index);
}

static const char *tlb_name(int index)
{
    return data_tlb_name((enum data_tlb)index);
}

/* Null where nothing is known of any. */
static json_t *counts_or_null(const double *from, int count, const char *(*name)(int index))
{
    for (int i = 0; i < count; i++)
        if (!isnan(from[i]))
            return counts(from, count, name);
    return json_null();
}

static json_t *histogram(const struct snapshot_levels *levels)
{
    if (isnan(levels->latency))
        return json_null();
    json_t *out = json_array();
    for (int i = 0; i < SNAPSHOT_LATENCY_CLASSES; i++)
        json_array_append_new(out, json_count(levels->histogram[i]));
    return out;
}

json_t *json_levels(const struct snapshot *snapshot, const struct snapshot_levels *levels)
{
    char basis[160];
    if (!levels)
        return json_null();
    levels_basis(snapshot, basis, sizeof basis);
    json_t *out = json_object();
    json_set(out, "from", json_text(levels->from == LEVELS_COUNTED ? "counted" : "recorded"));
    json_set(out, "counts", json_text_or_null(basis));
    json_set(out, "accesses", json_count(levels->accesses));
    json_set(out, "found", counts_or_null(levels->level, DATA_LEVEL_COUNT, level_name));
    json_set(out, "waited", counts_or_null(levels->waited, DATA_LEVEL_COUNT, level_name));
    json_set(out, "snoop", counts_or_null(levels->snoop, SNOOP_COUNT, snoop_name));
    json_set(out, "tlb", counts_or_null(levels->tlb, TLB_COUNT, tlb_name));
    json_set(out, "far", json_share(levels->far));
    json_set(out, "hitm", json_share(levels->hitm));
    json_set(out, "remote", json_share(levels->remote));
    json_set(out, "tlb_miss", json_share(levels->tlb_miss));
    json_set(out, "locked", json_share(levels->locked));
    json_set(out, "blocked", json_share(levels->blocked));
    json_set(out, "latencies", histogram(levels));
    return out;
}

void json_set_levels(json_t *out, const struct snapshot *snapshot,
                     const struct snapshot_levels *levels)
{
    json_set(out, "levels", json_levels(snapshot, levels));
    json_set(out, "latency", json_count(levels ? levels->latency : NAN));
}
