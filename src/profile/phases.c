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

/* What is believed of a dispersion before it is measured, in degrees of freedom: a little of the
 * noise of a coin for the shortest windows, what the next shorter ones show for the others. */
static const double degrees_believed = 8;
static const double degrees_of_shorter = 32;

/* Cells with fewer in both windows together, times the dispersion, say little: they are one. */
static const double cell_least = 10;

int phases_init(struct phases *phases, uint64_t start_ns)
{
    *phases = (struct phases){.growing = {.start_ns = start_ns}, .scales = PHASES_USUAL};
    struct phases_segment *segments =
        array_more(NULL, &phases->segment_room, 0, sizeof *segments, PHASES_SEGMENTS);
    if (!segments)
        return -ENOMEM;
    phases->segments = segments;
    phases->segments[phases->segment_count++] = (struct phases_segment){
        .start_ns = start_ns, .end_ns = start_ns, .distance = NAN, .phase = PHASES_NONE};
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

/* n log (n / expected), of one cell. */
static double cell(double count, double expected)
{
    return count > 0 ? count * log(count / expected) : 0;
}

/* Twice the log of the likelihood ratio of two sets of shares against one (the G test), over the
 * dispersion: chi-square with `freedom` degrees of freedom where they are the same. */
static double ratio(const double *left, const double *right, double dispersion, double *freedom)
{
    double left_sum = phases_sum(left);
    double right_sum = phases_sum(right);
    double all = left_sum + right_sum;
    double few[2] = {0};
    double g = 0;
    unsigned cells = 0;
    for (unsigned i = 0; i < PHASES_COLUMNS; i++) {
        double both = left[i] + right[i];
        if (both < cell_least * dispersion) {
            few[0] += left[i];
            few[1] += right[i];
            continue;
        }
        g += cell(left[i], both * left_sum / all) + cell(right[i], both * right_sum / all);
        cells++;
    }
    if (few[0] + few[1] > 0) {
        double both = few[0] + few[1];
        g += cell(few[0], both * left_sum / all) + cell(few[1], both * right_sum / all);
        cells++;
    }
    *freedom = cells > 1 ? cells - 1 : 0;
    return 2 * g / dispersion;
}

/*
 * The upper 99 % bound of the dispersion at a length, so that what is not well known yet makes no
 * alarms: by the quantile of chi-square after Wilson and Hilferty (1931).
 */
static double dispersion_of(const struct phases *phases, unsigned scale)
{
    double mean = 1;
    double degrees = degrees_believed;
    for (unsigned i = 0; i <= scale; i++) {
        if (i)
            degrees = fmin(degrees, degrees_of_shorter);
        mean = (phases->ratios[i] + mean * degrees) / (phases->degrees[i] + degrees);
        degrees += phases->degrees[i];
    }
    double low = 1 - 2 / (9 * degrees) - 2.33 * sqrt(2 / (9 * degrees));
    return fmax(mean, 1) / (low * low * low);
}

/* The sum of `count` blocks, the last of which is `back` blocks before the newest. */
static void sum_blocks(const struct phases *phases, uint64_t back, uint64_t count, double *sum)
{
    memset(sum, 0, PHASES_COLUMNS * sizeof *sum);
    for (uint64_t i = 0; i < count; i++) {
        const struct phases_block *block =
            &phases->window[(phases->blocks - 1 - back - i) % PHASES_WINDOW];
        for (unsigned k = 0; k < PHASES_COLUMNS; k++)
            sum[k] += block->counts[k];
    }
}

/* Windows of each length that stand beside each other, each pair once; not the newest, which may
 * turn out to be of the next phase. */
static void learn(struct phases *phases)
{
    double before[PHASES_COLUMNS];
    double after[PHASES_COLUMNS];
    double freedom;
    for (unsigned scale = 0; scale < PHASES_SCALES; scale++) {
        uint64_t length = UINT64_C(1) << scale;
        if (phases->blocks <= PHASES_LAG || (phases->blocks - PHASES_LAG) % (2 * length))
            break;
        sum_blocks(phases, PHASES_LAG, length, after);
        sum_blocks(phases, PHASES_LAG + length, length, before);
        double dispersion = dispersion_of(phases, scale);
        phases->ratios[scale] += ratio(before, after, dispersion, &freedom) * dispersion;
        phases->degrees[scale] += freedom;
    }
}

/* The last `length` blocks against what came before; 1: the same, as far as one can tell. */
static double chance_of(const struct phases *phases, uint64_t length, double dispersion, double *g)
{
    double before[PHASES_COLUMNS];
    double after[PHASES_COLUMNS];
    double freedom;
    sum_blocks(phases, 0, length, after);
    for (unsigned i = 0; i < PHASES_COLUMNS; i++)
        before[i] = fmax(phases->now[i] - after[i], 0);
    *g = ratio(before, after, dispersion, &freedom);
    if (!(freedom > 0) || phases_distance(before, after) < PHASES_DISTANCE)
        return 1;
    return chi2_p_value(*g, freedom);
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
        if (chance_of(phases, length, dispersion_of(phases, scale), &g) < chance)
            break;
    }
    if (scale == phases->scales)
        return 0;
    /* The change is where the two sides differ most. */
    uint64_t longest = UINT64_C(1) << (scale < PHASES_USUAL ? PHASES_USUAL - 1 : scale);
    uint64_t best = 0;
    double most = 0;
    for (uint64_t length = 1; length < phases->blocks && length <= longest; length++) {
        chance_of(phases, length, dispersion_of(phases, scale), &g);
        if (g > most) {
            most = g;
            best = length;
        }
    }
    /* Soon there will be more of it, and its beginning plainer. */
    return best < PHASES_SHORTEST ? 0 : best;
}

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

/* The newest blocks begin a segment of their own. */
static void split(struct phases *phases, uint64_t length)
{
    double after[PHASES_COLUMNS];
    double before[PHASES_COLUMNS];
    struct phases_block kept[PHASES_WINDOW];
    struct phases_segment *last = &phases->segments[phases->segment_count - 1];
    sum_blocks(phases, 0, length, after);
    for (unsigned i = 0; i < PHASES_COLUMNS; i++)
        before[i] = fmax(phases->now[i] - after[i], 0);
    for (uint64_t i = 0; i < length; i++)
        kept[i] = phases->window[(phases->blocks - length + i) % PHASES_WINDOW];
    /* Blocks between two phases, one of which may hold some of both, are of neither. */
    bool edge = phases->blocks - length < PHASES_SHORTEST && phases->segment_count > 1;
    uint64_t end_ns = last->end_ns;
    if (!edge) {
        last->end_ns = kept[0].start_ns;
        last->samples = phases_sum(before);
        phases_name(phases, last, before);
        if (make_room(phases))
            last = &phases->segments[phases->segment_count++];
    }
    if (!edge)
        *last = (struct phases_segment){.start_ns = kept[0].start_ns,
                                        .end_ns = end_ns,
                                        .distance = phases_distance(before, after),
                                        .phase = PHASES_NONE};
    last->samples = phases_sum(after);
    memcpy(phases->now, after, sizeof after);
    phases->now_sum = last->samples;
    phases->blocks = length;
    memcpy(phases->window, kept, length * sizeof *kept);
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
    phases->growing = (struct phases_block){.start_ns = end_ns};
    last->end_ns = end_ns;
    last->samples = phases->now_sum;
    uint64_t length = changed_blocks(phases);
    if (length)
        split(phases, length);
    else
        learn(phases);
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
