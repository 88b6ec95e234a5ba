/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A segment ends where the next begins, if it was one: what lies between two phases is of neither.
 * Declared in phases.h. */
#include "profile/phases.h"

#include "base/array.h"

#include <math.h>
#include <string.h>

/* A segment with this part of its misses elsewhere than a mixture of its neighbours is one. */
static const double mixed_within = 0.10;

/* What a change divides: the segment that ends, and the newest blocks. */
struct division {
    double before[PHASES_COLUMNS];
    double after[PHASES_COLUMNS];
    uint64_t length; /* blocks after it */
    uint64_t start_ns;
};

/* The oldest two become one where there is no room for more. */
static bool make_room(struct phases *phases)
{
    struct phases_segment *more = array_more(phases->segments, &phases->segment_room,
                                             phases->segment_count, sizeof *more, PHASES_SEGMENTS);
    if (more) {
        phases->segments = more;
        return true;
    }
    if (phases->segment_count < 2)
        return false;
    phases->segments[1].start_ns = phases->segments[0].start_ns;
    phases->segments[1].samples += phases->segments[0].samples;
    memmove(phases->segments, phases->segments + 1,
            --phases->segment_count * sizeof *phases->segments);
    return true;
}

/* The part of the segment after it that makes a segment most like a mixture of its neighbours, by
 * least squares; *apart: what falls elsewhere even so. */
static double mixture_of(const double *left, const double *middle, const double *right,
                         double *apart)
{
    double sums[3] = {phases_sum(left), phases_sum(middle), phases_sum(right)};
    double along = 0;
    double length = 0;
    for (unsigned i = 0; i < PHASES_COLUMNS; i++) {
        double from = left[i] / sums[0];
        double way = right[i] / sums[2] - from;
        along += (middle[i] / sums[1] - from) * way;
        length += way * way;
    }
    double part = length > 0 ? fmin(fmax(along / length, 0), 1) : 0;
    *apart = 0;
    for (unsigned i = 0; i < PHASES_COLUMNS; i++) {
        double mixed = left[i] / sums[0] * (1 - part) + right[i] / sums[2] * part;
        *apart += fabs(middle[i] / sums[1] - mixed) / 2;
    }
    return part;
}

/*
 * Whether what ends was no phase but the way from the one before to the next: too short to be one,
 * or short, like none that is known, and nothing but a mixture of the two. *part: of the next.
 */
static bool is_edge(const struct phases *phases, const struct division *division, double *part)
{
    uint64_t blocks = phases->blocks - division->length;
    double apart;
    if (phases->segment_count < 2)
        return false;
    *part = mixture_of(phases->previous, division->before, division->after, &apart);
    return blocks < PHASES_SHORTEST || (blocks <= PHASES_EDGE && apart < mixed_within);
}

/* It is given to its neighbours, as much to each as it has of it: the change is where a step at
 * once would have been. */
static void give_away(struct phases *phases, const struct division *division, double part)
{
    struct phases_segment *next = &phases->segments[phases->segment_count - 1];
    struct phases_segment *before = next - 1;
    double samples = phases_sum(division->before);
    uint64_t length_ns = division->start_ns - next->start_ns;
    next->start_ns += (uint64_t)((1 - part) * (double)length_ns);
    before->end_ns = next->start_ns;
    before->samples += (1 - part) * samples;
    next->samples -= (1 - part) * samples;
    next->told_ns = next->end_ns;
}

/* A stretch with the letter of the one before is no other: what had changed went back. */
static void join_alike(struct phases *phases, const double *counts)
{
    struct phases_segment *last = &phases->segments[phases->segment_count - 1];
    bool alike =
        phases->segment_count > 1 && last->phase != PHASES_NONE && last[-1].phase == last->phase;
    for (unsigned i = 0; i < PHASES_COLUMNS; i++)
        phases->previous[i] = counts[i] + (alike ? phases->previous[i] : 0);
    if (!alike)
        return;
    last[-1].end_ns = last->end_ns;
    last[-1].samples += last->samples;
    phases->segment_count--;
}

/* What a segment is known by: without its last blocks, which may be of the edge, if it has others.
 */
static void take_core(const struct phases *phases, const struct division *division,
                      double core[PHASES_COLUMNS])
{
    memset(core, 0, PHASES_COLUMNS * sizeof *core);
    if (phases->blocks - division->length >= 2 * PHASES_SHORTEST)
        phases_sum_blocks(phases, division->length, PHASES_SHORTEST - 1, core);
    for (unsigned i = 0; i < PHASES_COLUMNS; i++)
        core[i] = fmax(division->before[i] - core[i], 0);
}

static void end_segment(struct phases *phases, const struct division *division)
{
    double core[PHASES_COLUMNS];
    struct phases_segment *last = &phases->segments[phases->segment_count - 1];
    struct phases_segment next = {.start_ns = division->start_ns,
                                  .end_ns = last->end_ns,
                                  .told_ns = last->end_ns,
                                  .samples = phases_sum(division->after),
                                  .phase = PHASES_NONE};
    last->end_ns = division->start_ns;
    last->samples -= next.samples;
    take_core(phases, division, core);
    phases_name(phases, last, core);
    join_alike(phases, core);
    if (make_room(phases))
        phases->segment_count++;
    phases->segments[phases->segment_count - 1] = next;
}

void phases_split(struct phases *phases, uint64_t length)
{
    struct phases_block kept[PHASES_WINDOW];
    struct division division = {.length = length};
    double part;
    for (uint64_t i = 0; i < length; i++)
        kept[i] = phases->window[(phases->blocks - length + i) % PHASES_WINDOW];
    division.start_ns = kept[0].start_ns;
    phases_sum_blocks(phases, 0, length, division.after);
    for (unsigned i = 0; i < PHASES_COLUMNS; i++)
        division.before[i] = fmax(phases->now[i] - division.after[i], 0);
    phases->was_edge = is_edge(phases, &division, &part);
    if (phases->was_edge)
        give_away(phases, &division, part);
    else
        end_segment(phases, &division);
    memcpy(phases->now, division.after, sizeof phases->now);
    phases->now_sum = phases_sum(division.after);
    phases->blocks = length;
    memcpy(phases->window, kept, length * sizeof *kept);
}
