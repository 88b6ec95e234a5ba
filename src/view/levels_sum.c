/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "view/levels_sum.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAMED = 3 };

void levels_sum_begin(struct levels_sum *sum)
{
    memset(sum, 0, sizeof *sum);
}

/* NAN only where no part is known. */
static double plus(double sum, double more)
{
    return isnan(more) ? sum : isnan(sum) ? more : sum + more;
}

static void add_each(double *sums, const double *more, int count)
{
    for (int i = 0; i < count; i++)
        sums[i] = plus(sums[i], more[i]);
}

/* A mean of shares, of as many accesses each. */
static double mean(double of_sum, double sum_accesses, double of_more, double more_accesses)
{
    double all = sum_accesses + more_accesses;
    return isnan(of_more) || !(more_accesses > 0)
               ? of_sum
               : (isnan(of_sum) ? of_more
                                : (of_sum * sum_accesses + of_more * more_accesses) / all);
}

void levels_sum_add(struct levels_sum *sum, const struct snapshot_levels *more)
{
    struct snapshot_levels *levels = &sum->levels;
    if (!sum->parts++) {
        *levels = *more;
        return;
    }
    levels->remote = mean(levels->remote, levels->accesses, more->remote, more->accesses);
    levels->locked = mean(levels->locked, levels->accesses, more->locked, more->accesses);
    levels->blocked = mean(levels->blocked, levels->accesses, more->blocked, more->accesses);
    levels->accesses = plus(levels->accesses, more->accesses);
    levels->stall = plus(levels->stall, more->stall);
    add_each(levels->level, more->level, DATA_LEVEL_COUNT);
    add_each(levels->waited, more->waited, DATA_LEVEL_COUNT);
    add_each(levels->snoop, more->snoop, SNOOP_COUNT);
    add_each(levels->tlb, more->tlb, TLB_COUNT);
    add_each(levels->histogram, more->histogram, SNAPSHOT_LATENCY_CLASSES);
}

static double total(const double *counts, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += isnan(counts[i]) ? 0 : counts[i];
    return sum;
}

static double share(double part, double whole)
{
    return whole > 0 ? part / whole : NAN;
}

/* As in profile: where it is only told that some missed the L1, nobody knows how far they are. */
static double far_share(const struct snapshot_levels *levels)
{
    double far = 0;
    double known = total(levels->level + 1, DATA_LEVEL_COUNT - 1);
    for (int i = DATA_UNKNOWN + 1; i < DATA_LEVEL_COUNT; i++)
        if (!isnan(levels->level[i]) && data_level_is_far((enum data_level)i))
            far += levels->level[i];
    return levels->level[DATA_CACHE] > 0 || levels->level[DATA_BEYOND_L1] > 0 ? NAN
                                                                              : share(far, known);
}

/* "DRAM 61% L3 22%" */
static void name_leading(struct levels_sum *sum)
{
    const double *level = sum->levels.level;
    bool named[DATA_LEVEL_COUNT] = {false};
    size_t used = 0;
    for (int n = 0; n < NAMED && used < sizeof sum->found; n++) {
        int most = -1;
        for (int i = 0; i < DATA_LEVEL_COUNT; i++)
            if (!named[i] && level[i] > 0 && (most < 0 || level[i] > level[most]))
                most = i;
        double percent = most < 0 ? 0 : level[most] / sum->levels.accesses * 100;
        if (most < 0 || (n && percent < 0.5))
            break;
        named[most] = true;
        used += (size_t)snprintf(sum->found + used, sizeof sum->found - used, "%s%s %.0f%%",
                                 n ? " " : "", data_level_name((enum data_level)most), percent);
    }
    sum->levels.found = *sum->found ? sum->found : NULL;
}

void levels_sum_end(struct levels_sum *sum)
{
    struct snapshot_levels *levels = &sum->levels;
    if (sum->parts < 2)
        return;
    double timed = total(levels->histogram, SNAPSHOT_LATENCY_CLASSES);
    levels->latency = share(total(levels->waited, DATA_LEVEL_COUNT), timed);
    levels->hitm = share(levels->snoop[SNOOP_HITM], levels->accesses);
    levels->tlb_miss = share(levels->tlb[TLB_MISS] + levels->tlb[TLB_FAULT],
                             total(levels->tlb + 1, TLB_COUNT - 1));
    levels->far = far_share(levels);
    name_leading(sum);
}
