/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bins under one name: grouping by the user's rules, and the sums of a group. */
#include "resolve/bins_state.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Hangs a bin behind the group's first, or makes it the first. */
static void group_join(struct bins *bins, uint32_t *lead, uint32_t id)
{
    struct bin *bin = &bins->at[id];
    if (!*lead) {
        *lead = id;
        return;
    }
    bin->lead = *lead;
    bin->next = bins->at[*lead].next;
    bins->at[*lead].next = id;
}

/* `leads`: for each rule that combines, the first bin of the group it leads to. */
static void group_bin(struct bins *bins, const struct bin_rules *rules, uint32_t *leads,
                      uint32_t id, bool eponymous)
{
    const struct bin *bin = &bins->at[id];
    uint32_t rule;
    const char *group = bin_rules_group(rules, bin->full_name, bin->full_name_hash, &rule);
    if (rule != BIN_RULES_NONE && eponymous == (group == bin->full_name))
        group_join(bins, &leads[rule], id);
}

static int rename_all(struct bins *bins, const struct bin_rules *rules)
{
    for (uint32_t id = 1; id <= bins->named; id++) {
        struct bin *bin = &bins->at[id];
        const char *name = bin_rules_name(rules, bin->full_name, bin->full_name_hash);
        free(bin->new_name);
        bin->new_name = name ? strdup(name) : NULL;
        if (name && !bin->new_name)
            return -ENOMEM;
    }
    return 0;
}

int bins_regroup(struct bins *bins, const struct bin_rules *rules)
{
    uint32_t *leads = calloc(rules->count + 1, sizeof *leads);
    if (!leads)
        return -ENOMEM;
    for (uint32_t id = 1; id <= bins->named; id++) {
        bins->at[id].lead = id;
        bins->at[id].next = 0;
    }
    /* First those that the group is named after: one of them leads it, if there is one. */
    for (int eponymous = 1; rules->count && eponymous >= 0; eponymous--)
        for (uint32_t id = 1; id <= bins->named; id++)
            group_bin(bins, rules, leads, id, eponymous);
    free(leads);
    return rename_all(bins, rules);
}

static double sum_rates(double a, double b)
{
    return isnan(a) ? b : isnan(b) ? a : a + b;
}

static void stats_add(struct bin_stats *sum, const struct bin_stats *more)
{
    sum->live_blocks += more->live_blocks;
    sum->live_usable_bytes += more->live_usable_bytes;
    sum->live_requested_bytes += more->live_requested_bytes;
    sum->allocations += more->allocations;
    sum->frees += more->frees;
    sum->lifetime_sum_ns += more->lifetime_sum_ns;
    sum->lifetime_count += more->lifetime_count;
    sum->mark_blocks += more->mark_blocks;
    sum->mark_usable_bytes += more->mark_usable_bytes;
    sum->allocations_per_s = sum_rates(sum->allocations_per_s, more->allocations_per_s);
    sum->frees_per_s = sum_rates(sum->frees_per_s, more->frees_per_s);
    if (more->first_ns && (!sum->first_ns || more->first_ns < sum->first_ns))
        sum->first_ns = more->first_ns;
    if (more->last_ns > sum->last_ns)
        sum->last_ns = more->last_ns;
    for (int i = 0; i < BINS_CLASSES; i++) {
        sum->sizes[i] += more->sizes[i];
        sum->lifetimes[i] += more->lifetimes[i];
    }
}

bool bins_stats(const struct bins *bins, uint32_t lead, struct bin_stats *stats)
{
    if (!bins_own_stats(bins, lead, stats))
        return false;
    if (bins->at[lead].lead == lead)
        for (uint32_t id = bins->at[lead].next; id; id = bins->at[id].next)
            stats_add(stats, &bins->at[id].stats);
    return true;
}

double bin_stats_lifetime_ns(const struct bin_stats *stats)
{
    if (!stats->lifetime_count)
        return NAN;
    return (double)stats->lifetime_sum_ns / (double)stats->lifetime_count;
}
