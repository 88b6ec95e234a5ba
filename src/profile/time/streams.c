/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/time/streams.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum { ROW_POINTS_FIRST = 32 }; /* initial size of a row; doubles up to STREAMS_POINTS */

void streams_init(struct streams *streams, struct streams_budget *budget, uint64_t start_ns,
                  uint64_t period_ns)
{
    *streams = (struct streams){.start_ns = start_ns,
                                .period_ns = period_ns,
                                .row_points = ROW_POINTS_FIRST,
                                .budget = budget};
    hash_init(&streams->of_key);
}

void streams_fini(struct streams *streams)
{
    for (size_t i = 0; i < streams->count; i++)
        free(streams->list[i].at);
    free(streams->list);
    hash_fini(&streams->of_key);
    if (streams->budget)
        streams->budget->used -= streams->count;
}

static struct stream *least_stream(struct streams *streams)
{
    struct stream *found = streams->list;
    for (size_t i = 1; i < streams->count; i++)
        if (streams->list[i].last_total < found->last_total)
            found = &streams->list[i];
    return found;
}

static struct stream *streams_new_row(struct streams *streams)
{
    struct streams_budget *budget = streams->budget;
    if (budget->used >= budget->max)
        return NULL;
    if (!array_reserve_next(&streams->list, &streams->room, streams->count, sizeof *streams->list,
                            budget->max))
        return NULL;
    struct stream *stream = &streams->list[streams->count];
    *stream = (struct stream){.at = calloc(streams->row_points, sizeof *stream->at)};
    if (!stream->at)
        return NULL;
    streams->count++;
    budget->used++;
    return stream;
}

/* Evicts the stream with the lowest total and returns its slot; NULL: all have a higher total. */
static struct stream *displace_least_stream(struct streams *streams, double total)
{
    streams->has_evicted = true;
    if (total <= streams->min_total || !streams->count)
        return NULL;
    struct stream *stream = least_stream(streams);
    streams->min_total = stream->last_total;
    if (stream->last_total >= total)
        return NULL;
    hash_remove(&streams->of_key, stream->key);
    memset(stream->at, 0, streams->row_points * sizeof *stream->at);
    *stream = (struct stream){.at = stream->at, .last_total = total};
    return stream;
}

static struct stream *streams_make_row(struct streams *streams, uint64_t key, double total)
{
    struct stream *stream = streams_new_row(streams);
    if (!stream)
        stream = displace_least_stream(streams, total);
    uint32_t *index = stream ? hash_insert(&streams->of_key, key, NULL) : NULL;
    if (!index)
        return NULL;
    *index = (uint32_t)(stream - streams->list);
    stream->key = key;
    return stream;
}

static struct stream *find_or_make_stream(struct streams *streams, uint64_t key, double total)
{
    const uint32_t *index = hash_find(&streams->of_key, key);
    return index       ? &streams->list[*index]
           : total > 0 ? streams_make_row(streams, key, total)
                       : NULL;
}

void streams_skip(struct streams *streams, uint64_t key, double total)
{
    struct stream *stream = find_or_make_stream(streams, key, total);
    if (stream)
        stream->last_total = total;
}

void streams_put(struct streams *streams, uint64_t key, double total)
{
    struct stream *stream = find_or_make_stream(streams, key, total);
    if (!stream || total == stream->last_total)
        return;
    bool restarts = total < stream->last_total;
    double added = restarts ? total : total - stream->last_total;
    streams->min_total = restarts ? 0 : streams->min_total;
    stream->last_total = total;
    stream->at[streams->points] += added;
    stream->total += added;
}

void streams_add(struct streams *streams, uint64_t key, double added)
{
    const struct stream *stream = streams_find(streams, key);
    streams_put(streams, key, (stream ? stream->last_total : 0) + added);
}

static void streams_forget_row(struct streams *streams, size_t index)
{
    struct stream *last = &streams->list[--streams->count];
    streams->budget->used--;
    hash_remove(&streams->of_key, streams->list[index].key);
    free(streams->list[index].at);
    streams->list[index] = *last;
    uint32_t *moved = index < streams->count ? hash_find(&streams->of_key, last->key) : NULL;
    if (moved)
        *moved = (uint32_t)index;
}

void streams_join(struct streams *streams, uint64_t key, uint64_t into)
{
    const uint32_t *from = hash_find(&streams->of_key, key);
    const uint32_t *to = hash_find(&streams->of_key, into);
    if (!from)
        return;
    size_t index = *from;
    struct stream *stream = &streams->list[index];
    if (to) {
        struct stream *sum = &streams->list[*to];
        for (size_t i = 0; i <= streams->points && i < streams->row_points; i++)
            sum->at[i] += stream->at[i];
        sum->last_total += stream->last_total;
        sum->total += stream->total;
        streams_forget_row(streams, index);
        return;
    }
    uint32_t *renamed = hash_insert(&streams->of_key, into, NULL);
    if (!renamed) {
        streams_forget_row(streams, index);
        return;
    }
    *renamed = (uint32_t)index;
    hash_remove(&streams->of_key, key);
    stream->key = into;
}

static void halve_points(double *at, size_t points)
{
    for (size_t i = 0; i < points / 2; i++)
        at[i] = at[2 * i] + at[2 * i + 1];
    memset(at + points / 2, 0, points / 2 * sizeof *at);
}

/* Doubles the points of all rows. Returns false if they have the maximum or memory ran out. */
static bool streams_widen(struct streams *streams)
{
    size_t points = streams->row_points * 2;
    for (size_t i = 0; points <= STREAMS_POINTS && i < streams->count; i++) {
        double *more = realloc(streams->list[i].at, points * sizeof *more);
        if (!more)
            return false;
        memset(more + streams->row_points, 0, streams->row_points * sizeof *more);
        streams->list[i].at = more;
    }
    streams->row_points = points <= STREAMS_POINTS ? points : streams->row_points;
    return points <= STREAMS_POINTS;
}

void streams_close(struct streams *streams, uint64_t now_ns)
{
    while (now_ns >= streams_next_ns(streams)) {
        if (++streams->points < streams->row_points || streams_widen(streams))
            continue;
        for (size_t i = 0; i < streams->count; i++)
            halve_points(streams->list[i].at, streams->row_points);
        streams->points /= 2;
        streams->period_ns *= 2;
    }
}

const struct stream *streams_find(const struct streams *streams, uint64_t key)
{
    const uint32_t *index = hash_find(&streams->of_key, key);
    return index ? &streams->list[*index] : NULL;
}

/* Sums groups of `by` points into `out`, which holds points / by. Returns the number of groups;
 * drops a remainder at the end. */
static size_t streams_coarser(const double *at, size_t points, size_t by, double *out)
{
    size_t count = points / by;
    for (size_t i = 0; i < count; i++) {
        out[i] = 0;
        for (size_t k = 0; k < by; k++)
            out[i] += at[i * by + k];
    }
    return count;
}

size_t streams_curve(const struct streams *streams, const struct stream *stream, size_t by,
                     double *out)
{
    return streams_coarser(stream->at, streams->points, by, out);
}

enum { PERCENTILE = 90, STRONGEST_MAX = 32 };

double volatility_step(double before, double after)
{
    double larger = fmax(before, after);
    return larger > 0 ? fabs(after - before) / larger : 0;
}

/* Returns the value at `rank` in sorted order (Hoare's selection). Reorders the values. */
static double select_rank(double *values, size_t count, size_t rank)
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
    return select_rank(steps, count - 1, rank - 1);
}

/* Selects the streams of a kind with the highest totals, largest first. Returns how many. */
static size_t volatility_choose_streams(const struct streams *streams, unsigned kind, size_t wanted,
                                        struct volatility_curve *chosen)
{
    size_t count = 0;
    wanted = wanted < STRONGEST_MAX ? wanted : STRONGEST_MAX;
    for (size_t i = 0; i < streams->count && wanted; i++) {
        const struct stream *stream = &streams->list[i];
        struct volatility_curve curve = {stream->at, stream->total};
        if (STREAM_KIND(stream->key) == kind)
            KEEP(chosen, &count, wanted, &curve, LARGEST(struct volatility_curve, weight));
    }
    return count;
}

static double mean_volatility(const struct volatility_curve *curves, size_t count, size_t points,
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

/* Tries every period up to 16, then steps of an eighth. */
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
        profile[periods++] = (struct volatility){by, mean_volatility(curves, count, points, by)};
    return periods;
}

size_t volatility_profile(const struct streams *streams, unsigned kind, size_t strongest,
                          struct volatility *profile)
{
    struct volatility_curve chosen[STRONGEST_MAX];
    size_t count = volatility_choose_streams(streams, kind, strongest, chosen);
    return volatility_profile_of(chosen, count, streams->points, profile);
}

size_t volatility_period(const struct volatility *profile, size_t count, double threshold)
{
    size_t least = 0;
    for (size_t i = 0; i < count; i++) {
        if (profile[i].value <= threshold)
            return profile[i].period_steps;
        if (profile[i].value < profile[least].value)
            least = i;
    }
    return count ? profile[least].period_steps : 0;
}
