/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Phases by their shares: how far apart, and which of those known. Declared in phases.h. */
#include "profile/phases.h"

#include <math.h>
#include <string.h>

/* Of the same letter, beside what noise makes of two stretches that are the same; of which no more
 * is believed, or a stretch of few samples would be like anything. */
static const double recurs_within = 0.15;
static const double noise_most = 0.10;

double phases_sum(const double *counts)
{
    double sum = 0;
    for (unsigned i = 0; i < PHASES_COLUMNS; i++)
        sum += counts[i];
    return sum;
}

double phases_distance(const double *left, const double *right)
{
    double left_sum = phases_sum(left);
    double right_sum = phases_sum(right);
    double apart = 0;
    if (!(left_sum > 0) || !(right_sum > 0))
        return 0;
    for (unsigned i = 0; i < PHASES_COLUMNS; i++)
        apart += fabs(left[i] / left_sum - right[i] / right_sum);
    return apart / 2;
}

/* The distance of two stretches of the same shares that is to be expected: of each share the mean
 * deviation of a normal with the variance of both counts, as the dispersion makes it. */
static double noise_of(const struct phases *phases, const struct phases_phase *known,
                       const double *counts)
{
    double sum = phases_sum(counts);
    double variance = phases_dispersion(phases, PHASES_TESTED) * (1 / known->samples + 1 / sum);
    double noise = 0;
    for (unsigned i = 0; i < PHASES_COLUMNS; i++) {
        double share = (known->shares[i] * known->samples + counts[i]) / (known->samples + sum);
        noise += sqrt(2 / M_PI * share * (1 - share) * variance);
    }
    return fmin(noise / 2, noise_most);
}

/* The nearest of those that are near enough; PHASES_NONE. */
static uint8_t alike(const struct phases *phases, const double *counts)
{
    double nearest = recurs_within;
    uint8_t found = PHASES_NONE;
    if (!(phases_sum(counts) > 0))
        return PHASES_NONE;
    for (unsigned i = 0; i < phases->known_count; i++) {
        double distance = phases_distance(phases->known[i].shares, counts) -
                          noise_of(phases, &phases->known[i], counts);
        if (distance < nearest) {
            nearest = distance;
            found = (uint8_t)i;
        }
    }
    return found;
}

bool phases_same_letter(const struct phases *phases, const double *before, const double *after)
{
    struct phases_phase like_before = {.samples = phases_sum(before)};
    for (unsigned i = 0; i < PHASES_COLUMNS && like_before.samples > 0; i++)
        like_before.shares[i] = before[i] / like_before.samples;
    double apart =
        phases_distance(like_before.shares, after) - noise_of(phases, &like_before, after);
    uint8_t letter = alike(phases, before);
    return apart < recurs_within || (letter != PHASES_NONE && letter == alike(phases, after));
}

uint8_t phases_now(const struct phases *phases)
{
    return phases->blocks >= PHASES_SHORTEST ? alike(phases, phases->now) : PHASES_NONE;
}

size_t phases_stretches(const struct phases *phases, uint8_t phase, struct stretch *out,
                        size_t room)
{
    size_t count = 0;
    for (size_t i = 0; i < phases->segment_count; i++) {
        const struct phases_segment *segment = &phases->segments[i];
        bool last = i + 1 == phases->segment_count;
        if ((last ? phases_letter(phases) : segment->phase) != phase)
            continue;
        if (count < room)
            out[count] = (struct stretch){segment->start_ns, segment->end_ns};
        count++;
    }
    return count;
}

uint8_t phases_letter(const struct phases *phases)
{
    uint8_t now = phases_now(phases);
    bool is_new = now == PHASES_NONE && phases->blocks >= PHASES_SHORTEST &&
                  phases->known_count < PHASES_MOST;
    return is_new ? (uint8_t)phases->known_count : now;
}

size_t phases_newest(const struct phases *phases, struct phases_segment *out, size_t room)
{
    size_t count = phases->segment_count < room ? phases->segment_count : room;
    memcpy(out, phases->segments + (phases->segment_count - count), count * sizeof *out);
    struct phases_segment *last = &out[count - 1];
    last->phase = phases_letter(phases);
    if (count < 2 || last->phase == PHASES_NONE || last[-1].phase != last->phase)
        return count;
    last[-1].end_ns = last->end_ns;
    last[-1].samples += last->samples;
    return count - 1;
}

uint64_t phases_shortest_ns(const struct phases *phases)
{
    uint64_t shortest_ns = 0;
    for (size_t i = 1; i + 1 < phases->segment_count; i++) {
        uint64_t length_ns = phases->segments[i].end_ns - phases->segments[i].start_ns;
        if (!shortest_ns || length_ns < shortest_ns)
            shortest_ns = length_ns;
    }
    return shortest_ns;
}

void phases_name(struct phases *phases, struct phases_segment *segment, const double *counts)
{
    double sum = phases_sum(counts);
    segment->phase = alike(phases, counts);
    if (segment->phase == PHASES_NONE && phases->known_count < PHASES_MOST)
        segment->phase = (uint8_t)phases->known_count++;
    if (segment->phase == PHASES_NONE || !(sum > 0))
        return;
    struct phases_phase *phase = &phases->known[segment->phase];
    for (unsigned i = 0; i < PHASES_COLUMNS; i++)
        phase->shares[i] = (phase->shares[i] * phase->samples + counts[i]) / (phase->samples + sum);
    phase->samples += sum;
    phase->time_ns += segment->end_ns - segment->start_ns;
    phase->segments++;
}
