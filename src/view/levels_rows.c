/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/levels_rows.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* Parts of the identity of a row, so that it stays when others come and go. */
enum part { PART_LEVEL, PART_LATENCY, PART_SNOOP, PART_TLB, PART_REST, PART_RULE };

static const char *level_meaning(enum data_level level)
{
    static const char *const meanings[DATA_LEVEL_COUNT] = {
        [DATA_UNKNOWN] = "the hardware did not tell",
        [DATA_LFB] = "asked for before, on its way",
        [DATA_L3] = "shared by the cores",
        [DATA_CACHE] = "some cache beyond the L1",
        [DATA_PEER_CACHE] = "another core's, same node",
        [DATA_REMOTE_CACHE] = "another node's or socket's",
        [DATA_DRAM] = "of this node",
        [DATA_REMOTE_DRAM] = "of another node",
        [DATA_MEMORY] = "of whichever node",
        [DATA_PMEM] = "persistent memory",
        [DATA_BEYOND_L1] = "missed the L1; how far it went is not told",
        [DATA_BEYOND_L2] = "missed the L2; how far it went is not told",
        [DATA_BEYOND_L3] = "missed the L3; how far it went is not told",
    };
    return meanings[level];
}

static const char *snoop_meaning(enum data_snoop snoop)
{
    static const char *const meanings[SNOOP_COUNT] = {
        [SNOOP_UNKNOWN] = "the hardware did not tell",
        [SNOOP_NONE] = "no other cache was asked",
        [SNOOP_MISS] = "others had it not",
        [SNOOP_HIT] = "another had it, unmodified",
        [SNOOP_FORWARD] = "handed over, unmodified",
        [SNOOP_PEER] = "handed over by a like cache",
        [SNOOP_HITM] = "modified by another: sharing",
    };
    return meanings[snoop];
}

static const char *tlb_meaning(enum data_tlb tlb)
{
    static const char *const meanings[TLB_COUNT] = {
        [TLB_HIT] = "in its first or second level",
        [TLB_MISS] = "page walk: huge pages help",
        [TLB_FAULT] = "the kernel had to answer",
    };
    return meanings[tlb];
}

static struct levels_row *add(struct levels_rows *rows, enum part part, int index)
{
    struct levels_row *row = &rows->list[rows->count++];
    *row = (struct levels_row){.identity = (uint32_t)part << 8 | (uint32_t)index,
                               .share = NAN,
                               .accesses = NAN,
                               .waited = NAN};
    return row;
}

static void add_rule(struct levels_rows *rows, enum part part, const char *text)
{
    add(rows, PART_RULE, part)->parting = text;
}

static double sum(const double *counts, int from, int count)
{
    double total = 0;
    for (int i = from; i < count; i++)
        total += isnan(counts[i]) ? 0 : counts[i];
    return total;
}

static double share(double part, double whole)
{
    return whole > 0 ? part / whole : NAN;
}

static void add_levels(struct levels_rows *rows, const struct snapshot_levels *levels)
{
    double waited = sum(levels->waited, 0, DATA_LEVEL_COUNT);
    for (int i = 0; i < DATA_LEVEL_COUNT; i++) {
        enum data_level level = (enum data_level)i;
        if (!(levels->level[i] > 0))
            continue;
        struct levels_row *row = add(rows, PART_LEVEL, i);
        snprintf(row->name, sizeof row->name, "%s", data_level_name(level));
        row->meaning = level_meaning(level);
        row->accesses = levels->level[i];
        row->share = share(levels->level[i], levels->accesses);
        row->waited = share(levels->waited[i], waited);
    }
}

/* From the shortest to the longest that was seen, those between them too: it is a shape. */
static void add_latency(struct levels_rows *rows, const struct snapshot_levels *levels)
{
    enum { LAST = SNAPSHOT_LATENCY_CLASSES - 1 };
    double all = sum(levels->histogram, 0, SNAPSHOT_LATENCY_CLASSES);
    int first = 0;
    int last = LAST;
    if (!(all > 0)) {
        add_rule(rows, PART_LATENCY, "latency: not told");
        return;
    }
    int used = snprintf(rows->latency, sizeof rows->latency, "latency in core cycles");
    if (isfinite(levels->latency))
        snprintf(rows->latency + used, sizeof rows->latency - (size_t)used, ", mean %.0f",
                 levels->latency);
    add_rule(rows, PART_LATENCY, rows->latency);
    while (!(levels->histogram[first] > 0))
        first++;
    while (!(levels->histogram[last] > 0))
        last--;
    for (int i = first; i <= last; i++) {
        struct levels_row *row = add(rows, PART_LATENCY, i);
        unsigned from = 1u << i;
        if (i == LAST)
            snprintf(row->name, sizeof row->name, "%u or more", from);
        else if (from == 1)
            snprintf(row->name, sizeof row->name, "1");
        else
            snprintf(row->name, sizeof row->name, "%u to %u", from, 2 * from - 1);
        row->accesses = levels->histogram[i];
        row->share = share(levels->histogram[i], all);
    }
}

static void add_snoops(struct levels_rows *rows, const struct snapshot_levels *levels)
{
    double all = sum(levels->snoop, 0, SNOOP_COUNT);
    if (!(all > 0))
        return;
    add_rule(rows, PART_SNOOP, "what other caches answered");
    for (int i = 0; i < SNOOP_COUNT; i++) {
        if (!(levels->snoop[i] > 0))
            continue;
        struct levels_row *row = add(rows, PART_SNOOP, i);
        snprintf(row->name, sizeof row->name, "%s", data_snoop_name((enum data_snoop)i));
        row->meaning = snoop_meaning((enum data_snoop)i);
        row->accesses = levels->snoop[i];
        row->share = share(levels->snoop[i], all);
    }
}

static void add_tlb(struct levels_rows *rows, const struct snapshot_levels *levels)
{
    double known = sum(levels->tlb, TLB_UNKNOWN + 1, TLB_COUNT);
    if (!(known > 0))
        return;
    add_rule(rows, PART_TLB, "TLB, where it is told");
    for (int i = TLB_UNKNOWN + 1; i < TLB_COUNT; i++) {
        if (!(levels->tlb[i] > 0))
            continue;
        struct levels_row *row = add(rows, PART_TLB, i);
        snprintf(row->name, sizeof row->name, "%s", data_tlb_name((enum data_tlb)i));
        row->meaning = tlb_meaning((enum data_tlb)i);
        row->accesses = levels->tlb[i];
        row->share = share(levels->tlb[i], known);
    }
}

static void add_rest(struct levels_rows *rows, const struct snapshot_levels *levels)
{
    static const char *const names[] = {"remote", "locked", "blocked"};
    static const char *const meanings[] = {"found on another node", "atomic instructions",
                                           "held up by an earlier store"};
    const double shares[] = {levels->remote, levels->locked, levels->blocked};
    bool ruled = false;
    for (int i = 0; i < 3; i++) {
        if (isnan(shares[i]))
            continue;
        if (!ruled)
            add_rule(rows, PART_REST, "the rest, of those told");
        ruled = true;
        struct levels_row *row = add(rows, PART_REST, i);
        snprintf(row->name, sizeof row->name, "%s", names[i]);
        row->meaning = meanings[i];
        row->share = shares[i];
    }
}

void levels_rows_make(struct levels_rows *rows, const struct snapshot_levels *levels)
{
    rows->count = 0;
    if (!levels)
        return;
    add_levels(rows, levels);
    add_latency(rows, levels);
    add_snoops(rows, levels);
    add_tlb(rows, levels);
    add_rest(rows, levels);
}
