/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/recent.h"

#include "snapshot_time.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST = 16, EACH = 64 };

static size_t held(const struct recent *recent)
{
    return recent->steps < RECENT_STEPS ? (size_t)recent->steps : (size_t)RECENT_STEPS;
}

struct column {
    double total;
    unsigned index;
};

static int most(const void *left, const void *right)
{
    const struct column *a = left;
    const struct column *b = right;
    return a->total > b->total ? -1 : a->total < b->total;
}

static void sort_columns(const struct recent *recent, struct column columns[PHASES_COLUMNS])
{
    for (unsigned k = 0; k < PHASES_COLUMNS; k++)
        columns[k] = (struct column){.index = k};
    for (size_t i = 0; i < held(recent); i++)
        for (unsigned k = 0; k < PHASES_COLUMNS; k++)
            columns[k].total += (double)recent->counts[i][k];
    qsort(columns, PHASES_COLUMNS, sizeof *columns, most);
}

static void choose(struct recent *recent)
{
    double at[RECENT_CURVES][RECENT_STEPS];
    struct volatility_curve curves[RECENT_CURVES];
    struct column columns[PHASES_COLUMNS];
    size_t points = held(recent);
    size_t count = 0;
    sort_columns(recent, columns);
    for (; count < RECENT_CURVES && columns[count].total > 0; count++) {
        curves[count] = (struct volatility_curve){at[count], columns[count].total};
        for (size_t i = 0; i < points; i++)
            at[count][i] =
                (double)recent
                    ->counts[(recent->steps - points + i) % RECENT_STEPS][columns[count].index];
    }
    recent->profile_count = volatility_profile_of(curves, count, points, recent->profile);
    recent->by =
        volatility_period(recent->profile, recent->profile_count, SNAPSHOT_VOLATILITY_DAMPED);
}

bool recent_add(struct recent *recent, const double counts[PHASES_COLUMNS])
{
    for (unsigned k = 0; k < PHASES_COLUMNS; k++)
        recent->counts[recent->steps % RECENT_STEPS][k] = (float)counts[k];
    uint64_t steps = ++recent->steps;
    bool due = steps % EACH == 0 || (steps < EACH && steps >= FIRST && !(steps & (steps - 1)));
    if (due)
        choose(recent);
    return due;
}

bool recent_is_damped(const struct recent *recent)
{
    for (size_t i = 0; i < recent->profile_count; i++)
        if (recent->profile[i].by == recent->by)
            return recent->profile[i].value <= SNAPSHOT_VOLATILITY_DAMPED;
    return false;
}
