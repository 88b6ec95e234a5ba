/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stretches of the past read again; declared in past.h. */
#include "store/past_state.h"

void past_read_begin(struct past *past, const struct stretch *stretches, size_t count)
{
    past->reading.stretches = stretches;
    past->reading.count = count;
    past->reading.segment = 0;
    past->reading.goes_on = true;
    coder_begin(&past->reading.coder);
}

void past_read_end(struct past *past)
{
    past->reading.goes_on = false;
    past->reading.segment = 0;
}

/* The first stretch that ends after this time; NULL: none. */
static const struct stretch *stretch_at(const struct past_reading *reading, uint64_t time_ns)
{
    size_t low = 0;
    size_t high = reading->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (reading->stretches[middle].end_ns <= time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low < reading->count ? &reading->stretches[low] : NULL;
}

static bool overlaps(const struct past_reading *reading, const struct segment *segment)
{
    const struct stretch *stretch = stretch_at(reading, segment->start_ns);
    return segment->kept && stretch && stretch->start_ns <= segment->end_ns;
}

static bool wanted(const struct past_reading *reading, uint64_t time_ns)
{
    const struct stretch *stretch = stretch_at(reading, time_ns);
    return stretch && stretch->start_ns <= time_ns;
}

/* false: that was the last one. */
static bool next_segment(struct past *past)
{
    coder_begin(&past->reading.coder);
    if (past->reading.segment + 1 >= past->count)
        return false;
    past->reading.segment++;
    return true;
}

size_t past_read(struct past *past, struct place *places, size_t room, uint64_t *seen)
{
    struct past_reading *reading = &past->reading;
    struct kept_place kept;
    size_t count = 0;
    while (reading->goes_on && count < room) {
        const struct segment *segment = &past->segments[reading->segment];
        bool any = reading->segment < past->count && overlaps(reading, segment);
        if (!any || !coder_get(&reading->coder, segment, &kept)) {
            reading->goes_on = next_segment(past);
        } else if (wanted(reading, kept.place.access.time_ns)) {
            places[count++] = kept.place;
            *seen += kept.count;
        }
    }
    return count;
}
