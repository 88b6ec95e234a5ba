/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/volatility.h"

#include <math.h>

enum { PERCENTILE = 90, STRONGEST_MAX = 32 };

double volatility_step(double before, double after)
{
    double larger = fmax(before, after);
    return larger > 0 ? fabs(after - before) / larger : 0;
}

/* The value that would stand at `rank` if they were in order (Hoare's selection); they are moved
 * about. */
static double at_rank(double *values, size_t count, size_t rank)
{
    size_t low = 0;
    size_t high = count - 1;
    while (low < high) {
        double pivot = values[low + (high - low) / 2];
        size_t left = low;
        size_t right = high;
        for (;; left++, right--) {
            while (values[left] < pivot)
                left++;
            while (values[right] > pivot)
                right--;
            if (left >= right)
                break;
            double kept = values[left];
            values[left] = values[right];
            values[right] = kept;
        }
        if (rank <= right)
            high = right;
        else
            low = right + 1;
    }
    return values[low];
}

double volatility_of(const double *curve, size_t count)
{
    double steps[STREAMS_POINTS];
    if (count < VOLATILITY_POINTS_MIN || count > STREAMS_POINTS)
        return NAN;
    for (size_t i = 1; i < count; i++)
        steps[i - 1] = volatility_step(curve[i - 1], curve[i]);
    size_t rank = ((count - 1) * PERCENTILE + 99) / 100;
    return at_rank(steps, count - 1, rank - 1);
}

/* The streams of a kind that count most, most first; returns how many. */
static size_t choose(const struct streams *streams, unsigned kind, size_t wanted,
                     struct volatility_curve *chosen)
{
    size_t count = 0;
    wanted = wanted < STRONGEST_MAX ? wanted : STRONGEST_MAX;
    for (size_t i = 0; i < streams->count && wanted; i++) {
        const struct stream *stream = &streams->list[i];
        if (STREAM_KIND(stream->key) != kind ||
            (count == wanted && stream->total <= chosen[count - 1].weight))
            continue;
        size_t at = count < wanted ? count++ : count - 1;
        for (; at > 0 && chosen[at - 1].weight < stream->total; at--)
            chosen[at] = chosen[at - 1];
        chosen[at] = (struct volatility_curve){stream->at, stream->total};
    }
    return count;
}

static double together(const struct volatility_curve *curves, size_t count, size_t points,
                       size_t by)
{
    double curve[STREAMS_POINTS];
    double sum = 0;
    double weight = 0;
    for (size_t i = 0; i < count; i++) {
        size_t coarser = streams_coarser(curves[i].at, points, by, curve);
        sum += curves[i].weight * volatility_of(curve, coarser);
        weight += curves[i].weight;
    }
    return sum / weight;
}

/* Every period up to 16, then steps of an eighth. */
static size_t next_period(size_t by)
{
    return by < 16 ? by + 1 : by + by / 8;
}

size_t volatility_profile_of(const struct volatility_curve *curves, size_t count, size_t points,
                             struct volatility *profile)
{
    size_t periods = 0;
    for (size_t by = 1;
         count && periods < VOLATILITY_PERIODS_MAX && points / by >= VOLATILITY_POINTS_MIN;
         by = next_period(by))
        profile[periods++] = (struct volatility){by, together(curves, count, points, by)};
    return periods;
}

size_t volatility_profile(const struct streams *streams, unsigned kind, size_t strongest,
                          struct volatility *profile)
{
    struct volatility_curve chosen[STRONGEST_MAX];
    size_t count = choose(streams, kind, strongest, chosen);
    return volatility_profile_of(chosen, count, streams->points, profile);
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
