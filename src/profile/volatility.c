/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/volatility.h"

#include <math.h>
#include <stdlib.h>

enum { PERCENTILE = 90, STRONGEST_MAX = 32 };

double volatility_step(double before, double after)
{
    double larger = fmax(before, after);
    return larger > 0 ? fabs(after - before) / larger : 0;
}

static int ascending(const void *left, const void *right)
{
    double a = *(const double *)left;
    double b = *(const double *)right;
    return (a > b) - (a < b);
}

double volatility_of(const double *curve, size_t count)
{
    double steps[STREAMS_POINTS];
    if (count < VOLATILITY_POINTS_MIN || count > STREAMS_POINTS)
        return NAN;
    for (size_t i = 1; i < count; i++)
        steps[i - 1] = volatility_step(curve[i - 1], curve[i]);
    qsort(steps, count - 1, sizeof *steps, ascending);
    size_t rank = ((count - 1) * PERCENTILE + 99) / 100;
    return steps[rank - 1];
}

/* The streams that count most, most first; returns how many. */
static size_t choose(const struct streams *streams, size_t wanted, const struct stream **chosen)
{
    size_t count = 0;
    wanted = wanted < STRONGEST_MAX ? wanted : STRONGEST_MAX;
    for (size_t i = 0; i < streams->count && wanted; i++) {
        const struct stream *stream = &streams->list[i];
        if (count == wanted && stream->total <= chosen[count - 1]->total)
            continue;
        size_t at = count < wanted ? count++ : count - 1;
        for (; at > 0 && chosen[at - 1]->total < stream->total; at--)
            chosen[at] = chosen[at - 1];
        chosen[at] = stream;
    }
    return count;
}

static double together(const struct streams *streams, const struct stream *const *chosen,
                       size_t count, size_t by)
{
    double curve[STREAMS_POINTS];
    double sum = 0;
    double weight = 0;
    for (size_t i = 0; i < count; i++) {
        size_t points = streams_curve(streams, chosen[i], by, curve);
        sum += chosen[i]->total * volatility_of(curve, points);
        weight += chosen[i]->total;
    }
    return sum / weight;
}

/* Every period up to 16, then steps of an eighth. */
static size_t next_period(size_t by)
{
    return by < 16 ? by + 1 : by + by / 8;
}

size_t volatility_profile(const struct streams *streams, size_t strongest,
                          struct volatility *profile)
{
    const struct stream *chosen[STRONGEST_MAX];
    size_t streams_chosen = choose(streams, strongest, chosen);
    size_t count = 0;
    for (size_t by = 1; streams_chosen && count < VOLATILITY_PERIODS_MAX &&
                        streams->points / by >= VOLATILITY_POINTS_MIN;
         by = next_period(by))
        profile[count++] = (struct volatility){by, together(streams, chosen, streams_chosen, by)};
    return count;
}

size_t volatility_period(const struct volatility *profile, size_t count, double threshold)
{
    size_t least = 0;
    for (size_t i = 0; i < count; i++) {
        if (profile[i].value <= threshold)
            return profile[i].by;
        if (profile[i].value < profile[least].value)
            least = i;
    }
    return count ? profile[least].by : 0;
}
