/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/phases.h"

#include "base/array.h"
#include "base/hash.h"
#include "profile/chi2.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of one test; there are three a block, a million in a day at 4 a second. */
static const double chance = 1e-9;

int phases_init(struct phases *phases, uint64_t start_ns)
{
    *phases = (struct phases){.growing = {.start_ns = start_ns}, .scales = PHASES_USUAL};
    struct phases_segment *segments =
        array_more(NULL, &phases->segment_room, 0, sizeof *segments, PHASES_SEGMENTS);
    if (!segments)
        return -ENOMEM;
    phases->segments = segments;
    phases->segments[phases->segment_count++] =
        (struct phases_segment){.start_ns = start_ns, .end_ns = start_ns, .phase = PHASES_NONE};
    return 0;
}

void phases_fini(struct phases *phases)
{
    free(phases->segments);
}

unsigned phases_column(uint32_t object)
{
    return (unsigned)(hash_mix(object) % PHASES_COLUMNS);
}

/* The counts of the last `length` blocks of the segment, and of those before. */
static void divide(const struct phases *phases, uint64_t length, double before[PHASES_COLUMNS],
                   double after[PHASES_COLUMNS])
{
    phases_sum_blocks(phases, 0, length, after);
    for (unsigned i = 0; i < PHASES_COLUMNS; i++)
        before[i] = fmax(phases->now[i] - after[i], 0);
}

/* The last `length` blocks against what came before; 1: the same, as far as one can tell. */
static double chance_of(const struct phases *phases, uint64_t length, double dispersion, double *g)
{
    double before[PHASES_COLUMNS];
    double after[PHASES_COLUMNS];
    double freedom;
    divide(phases, length, before, after);
    *g = phases_ratio(before, after, dispersion, &freedom);
    if (!(freedom > 0) || phases_distance(before, after) < PHASES_DISTANCE)
        return 1;
    return chi2_p_value(*g, freedom);
}

/*
 * Whether the newest `part` of `length` blocks that seem to be new are more like the rest of them
 * than like what came before, by their likelihood: not, where something came and went. Each side
 * has a tenth of all of them mixed in, so that what neither has seen speaks for none.
 */
static bool stays(const struct phases *phases, uint64_t length, uint64_t part)
{
    const double of_all = 0.1;
    double newest[PHASES_COLUMNS];
    double rest[PHASES_COLUMNS];
    double likelier = 0;
    phases_sum_blocks(phases, 0, part, newest);
    phases_sum_blocks(phases, part, length - part, rest);
    double rest_sum = phases_sum(rest);
    double before_sum = phases->now_sum - rest_sum - phases_sum(newest);
    for (unsigned i = 0; i < PHASES_COLUMNS; i++) {
        if (!(newest[i] > 0))
            continue;
        double before = fmax(phases->now[i] - rest[i] - newest[i], 0);
        double all = of_all * phases->now[i] / phases->now_sum;
        likelier += newest[i] * log((rest[i] / rest_sum + all) / (before / before_sum + all));
    }
    return likelier > 0;
}

/* Where the two sides differ most. */
static uint64_t change_within(const struct phases *phases, uint64_t longest, double dispersion)
{
    uint64_t best = 0;
    double most = 0;
    double g;
    for (uint64_t length = 1; length < phases->blocks && length <= longest; length++) {
        chance_of(phases, length, dispersion, &g);
        if (g > most) {
            most = g;
            best = length;
        }
    }
    return best;
}

/* How many of the newest blocks are of another phase; 0: none. */
static uint64_t changed_blocks(const struct phases *phases)
{
    double g;
    unsigned scale = PHASES_TESTED;
    if (phases->seen < PHASES_FIRST)
        return 0;
    for (; scale < phases->scales; scale++) {
        uint64_t length = UINT64_C(1) << scale;
        if (length >= phases->blocks)
            return 0;
        if (chance_of(phases, length, phases_dispersion(phases, scale), &g) < chance)
            break;
    }
    if (scale == phases->scales)
        return 0;
    uint64_t longest = UINT64_C(1) << (scale < PHASES_USUAL ? PHASES_USUAL - 1 : scale);
    uint64_t best = change_within(phases, longest, phases_dispersion(phases, scale));
    /* Soon there will be more of it, and its beginning plainer. */
    if (best < PHASES_SHORTEST || !stays(phases, best, 1) || !stays(phases, best, best / 2))
        return 0;
    double before[PHASES_COLUMNS];
    double after[PHASES_COLUMNS];
    divide(phases, best, before, after);
    return phases_same_letter(phases, before, after) ? 0 : best;
}

void phases_look_over(struct phases *phases, uint64_t period_ns)
{
    const struct phases_segment *last = &phases->segments[phases->segment_count - 1];
    uint64_t block_ns = phases->blocks ? (last->end_ns - last->start_ns) / phases->blocks : 0;
    phases->scales = PHASES_USUAL;
    while (phases->scales < PHASES_SCALES && block_ns &&
           block_ns << (phases->scales - PHASES_USUAL) < period_ns)
        phases->scales++;
}

static bool take_block(struct phases *phases, uint64_t end_ns)
{
    struct phases_segment *last = &phases->segments[phases->segment_count - 1];
    phases->window[phases->blocks++ % PHASES_WINDOW] = phases->growing;
    phases->seen++;
    for (unsigned i = 0; i < PHASES_COLUMNS; i++)
        phases->now[i] += phases->growing.counts[i];
    phases->now_sum += phases->growing.sum;
    last->end_ns = end_ns;
    last->samples += phases->growing.sum;
    phases->growing = (struct phases_block){.start_ns = end_ns};
    uint64_t length = changed_blocks(phases);
    if (length)
        phases_split(phases, length);
    else
        phases_learn(phases);
    return length;
}

bool phases_add(struct phases *phases, const double counts[PHASES_COLUMNS], uint64_t start_ns,
                uint64_t end_ns)
{
    if (!(phases->growing.sum > 0))
        phases->growing.start_ns = start_ns;
    for (unsigned i = 0; i < PHASES_COLUMNS; i++)
        phases->growing.counts[i] += counts[i];
    phases->growing.sum += phases_sum(counts);
    return phases->growing.sum >= PHASES_BLOCK_SAMPLES && take_block(phases, end_ns);
}
