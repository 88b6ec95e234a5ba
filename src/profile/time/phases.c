/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/time/phases.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "profile/tables/statistics.h"

static double phases_sum(const double *counts)
{
    double sum = 0;
    for (unsigned i = 0; i < PHASES_COLUMNS; i++)
        sum += counts[i];
    return sum;
}

/* The dispersion of windows within one phase, and the test whether two windows differ by more. */

/* Weight of the prior of the dispersion, in degrees of freedom. The prior of the shortest windows
 * is multinomial noise; the prior of longer windows is the estimate of the next shorter ones. */
static const double degrees_believed = 8;
static const double degrees_of_shorter = 32;

/* Cells with fewer samples in both windows, times the dispersion, are merged into one. If only one
 * cell remains, the pair adds nothing to the dispersion, but older pairs still decay. */
static const double cell_min = 10;

/*
 * Huber's bound on the contribution of a pair of windows, as a multiple of the current dispersion.
 * The bound is higher at the start, when little is known and nothing is tested. The half-life is
 * the longer of a number of pairs and, for short windows, a number of blocks.
 */
static const double most_of_believed = 2.5;
static const double most_at_first = 8;
static const double half_life_pairs = 8;
static const double half_life_blocks = 64;

/* n log (n / expected) of one cell. */
static double g_test_term(double count, double expected)
{
    return count > 0 ? count * log(count / expected) : 0;
}

/* Returns twice the log-likelihood ratio of two multinomials against one (the G test). Merges the
 * cells with less than `least` into one. */
static double g_test_statistic(const double *left, const double *right, double least,
                               double *freedom)
{
    double left_sum = phases_sum(left);
    double right_sum = phases_sum(right);
    double all = left_sum + right_sum;
    double few[2] = {0};
    double g = 0;
    unsigned cells = 0;
    for (unsigned i = 0; i < PHASES_COLUMNS; i++) {
        double both = left[i] + right[i];
        if (both < least) {
            few[0] += left[i];
            few[1] += right[i];
            continue;
        }
        g += g_test_term(left[i], both * left_sum / all) +
             g_test_term(right[i], both * right_sum / all);
        cells++;
    }
    if (few[0] + few[1] > 0) {
        double both = few[0] + few[1];
        g += g_test_term(few[0], both * left_sum / all) +
             g_test_term(few[1], both * right_sum / all);
        cells++;
    }
    *freedom = cells > 1 ? cells - 1 : 0;
    return 2 * g;
}

/* Returns the G statistic divided by the dispersion: chi-square with `freedom` degrees of freedom
 * if both sides have the same shares. */
static double phases_ratio(const double *left, const double *right, double dispersion,
                           double *freedom)
{
    return g_test_statistic(left, right, cell_min * dispersion, freedom) / dispersion;
}

/* Returns the estimated dispersion of windows of 2^scale blocks; *degrees: of freedom. */
static double estimated_dispersion(const struct phases *phases, unsigned scale, double *degrees)
{
    double mean = 1;
    *degrees = degrees_believed;
    for (unsigned i = 0; i <= scale; i++) {
        if (i)
            *degrees = fmin(*degrees, degrees_of_shorter);
        mean = (phases->ratios[i] + mean * *degrees) / (phases->degrees[i] + *degrees);
        *degrees += phases->degrees[i];
    }
    return mean;
}

/* Returns the upper 99 % bound of the dispersion of windows of 2^scale blocks, so that an uncertain
 * estimate raises no false alarms. Uses the chi-square quantile of Wilson and Hilferty (1931). */
static double phases_dispersion(const struct phases *phases, unsigned scale)
{
    double degrees;
    double mean = estimated_dispersion(phases, scale, &degrees);
    double low = 1 - 2 / (9 * degrees) - 2.33 * sqrt(2 / (9 * degrees));
    return fmax(mean, 1) / (low * low * low);
}

/* Sums `count` blocks of the last segment; the newest is `back` blocks before the newest of all. */
static void phases_sum_blocks(const struct phases *phases, uint64_t back, uint64_t count,
                              double *sum)
{
    for (unsigned k = 0; k < PHASES_COLUMNS; k++)
        sum[k] = 0;
    for (uint64_t i = 0; i < count; i++) {
        const struct phases_block *block =
            &phases->window[(phases->blocks - 1 - back - i) % PHASES_WINDOW];
        for (unsigned k = 0; k < PHASES_COLUMNS; k++)
            sum[k] += block->counts[k];
    }
}

static void learn_window_pair(struct phases *phases, unsigned scale, uint64_t length)
{
    double before[PHASES_COLUMNS];
    double after[PHASES_COLUMNS];
    double degrees;
    double freedom;
    phases_sum_blocks(phases, PHASES_LAG, length, after);
    phases_sum_blocks(phases, PHASES_LAG + length, length, before);
    double dispersion = estimated_dispersion(phases, scale, &degrees);
    double g = g_test_statistic(before, after, cell_min * fmax(dispersion, 1), &freedom);
    double most = phases->block_total < PHASES_FIRST ? most_at_first : most_of_believed;
    double pairs = fmax(half_life_pairs, half_life_blocks / (2 * (double)length));
    double kept = exp2(-1 / pairs);
    phases->ratios[scale] =
        phases->ratios[scale] * kept + fmin(g, most * fmax(dispersion, 1) * freedom);
    phases->degrees[scale] = phases->degrees[scale] * kept + freedom;
}

/* Updates the dispersion of each window length from adjacent windows, each pair once. Leaves out
 * the newest blocks, which may belong to the next phase. */
static void phases_learn(struct phases *phases)
{
    for (unsigned scale = 0; scale < PHASES_SCALES; scale++) {
        uint64_t length = UINT64_C(1) << scale;
        if (phases->blocks <= PHASES_LAG || (phases->blocks - PHASES_LAG) % (2 * length))
            break;
        learn_window_pair(phases, scale, length);
    }
}

/* Phases by their shares: the distance between two, and the known phase nearest to given shares. */

/* Upper bound of the distance between two occurrences of a phase, in excess of the expected noise.
 * The noise is clamped; otherwise a time range with few samples would match every phase. */
static const double recurs_within = 0.15;
static const double noise_max = 0.10;

/* Returns the total variation distance of two distributions, 0 to 1. */
static double phases_distance(const double *left, const double *right)
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

/* Returns the expected distance of two time ranges with the same shares: for each share, the mean
 * deviation of a normal distribution with the variance of both counts, scaled by the dispersion. */
static double phase_noise(const struct phases *phases, const struct phases_phase *known,
                          const double *counts)
{
    double sum = phases_sum(counts);
    double variance = phases_dispersion(phases, PHASES_TESTED) * (1 / known->samples + 1 / sum);
    double noise = 0;
    for (unsigned i = 0; i < PHASES_COLUMNS; i++) {
        double share = (known->shares[i] * known->samples + counts[i]) / (known->samples + sum);
        noise += sqrt(2 / M_PI * share * (1 - share) * variance);
    }
    return fmin(noise / 2, noise_max);
}

/* Returns the nearest known phase within recurs_within; PHASES_NONE: none. */
static uint8_t nearest_phase(const struct phases *phases, const double *counts)
{
    double nearest = recurs_within;
    uint8_t found = PHASES_NONE;
    if (!(phases_sum(counts) > 0))
        return PHASES_NONE;
    for (unsigned i = 0; i < phases->known_count; i++) {
        double distance = phases_distance(phases->known[i].shares, counts) -
                          phase_noise(phases, &phases->known[i], counts);
        if (distance < nearest) {
            nearest = distance;
            found = (uint8_t)i;
        }
    }
    return found;
}

/* Returns true if both parts of a segment would get the same letter: the phase has not changed. */
static bool phases_same_letter(const struct phases *phases, const double *before,
                               const double *after)
{
    struct phases_phase like_before = {.samples = phases_sum(before)};
    for (unsigned i = 0; i < PHASES_COLUMNS && like_before.samples > 0; i++)
        like_before.shares[i] = before[i] / like_before.samples;
    double apart =
        phases_distance(like_before.shares, after) - phase_noise(phases, &like_before, after);
    uint8_t letter = nearest_phase(phases, before);
    return apart < recurs_within ||
           (letter != PHASES_NONE && letter == nearest_phase(phases, after));
}

uint8_t phases_now(const struct phases *phases)
{
    return phases->blocks >= PHASES_SHORTEST ? nearest_phase(phases, phases->segment_counts)
                                             : PHASES_NONE;
}

size_t phases_time_ranges(const struct phases *phases, uint8_t phase, struct time_range *out,
                          size_t room)
{
    size_t count = 0;
    for (size_t i = 0; i < phases->segment_count; i++) {
        const struct phases_segment *segment = &phases->segments[i];
        bool last = i + 1 == phases->segment_count;
        if ((last ? phases_letter(phases) : segment->phase) != phase)
            continue;
        if (count < room)
            out[count] = (struct time_range){segment->start_ns, segment->end_ns};
        count++;
    }
    return count;
}

uint8_t phases_letter(const struct phases *phases)
{
    uint8_t now = phases_now(phases);
    bool is_new =
        now == PHASES_NONE && phases->blocks >= PHASES_SHORTEST && phases->known_count < PHASES_MAX;
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

/* Assigns a letter to a segment that has ended: that of the known phase with similar shares, which
 * is updated with the counts, or a new one. */
static void phases_name(struct phases *phases, struct phases_segment *segment, const double *counts)
{
    double sum = phases_sum(counts);
    segment->phase = nearest_phase(phases, counts);
    if (segment->phase == PHASES_NONE && phases->known_count < PHASES_MAX)
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

/* False alarm probability of one test. There are three tests per block, a million per day at 4
 * blocks per second. */
static const double chance = 1e-9;

int phases_init(struct phases *phases, uint64_t start_ns)
{
    *phases = (struct phases){.current_block = {.start_ns = start_ns}, .scales = PHASES_USUAL};
    if (!array_reserve_next(&phases->segments, &phases->segment_room, 0, sizeof *phases->segments,
                            PHASES_SEGMENTS))
        return -ENOMEM;
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

/* Computes the counts of the last `length` blocks of the segment, and of the blocks before. */
static void divide_segment(const struct phases *phases, uint64_t length,
                           double before[PHASES_COLUMNS], double after[PHASES_COLUMNS])
{
    phases_sum_blocks(phases, 0, length, after);
    for (unsigned i = 0; i < PHASES_COLUMNS; i++)
        before[i] = fmax(phases->segment_counts[i] - after[i], 0);
}

/* Returns the p-value of the last `length` blocks against the blocks before; 1: no difference. */
static double change_p_value(const struct phases *phases, uint64_t length, double dispersion,
                             double *g)
{
    double before[PHASES_COLUMNS];
    double after[PHASES_COLUMNS];
    double freedom;
    divide_segment(phases, length, before, after);
    *g = phases_ratio(before, after, dispersion, &freedom);
    if (!(freedom > 0) || phases_distance(before, after) < PHASES_DISTANCE)
        return 1;
    return chi2_p_value(*g, freedom);
}

/*
 * Returns true if the newest `part` of `length` changed blocks are, by their likelihood, closer to
 * the other changed blocks than to the blocks before the change. Otherwise the change was
 * temporary. Each side is mixed with a tenth of the whole segment, so that a column missing on both
 * sides favours neither.
 */
static bool change_persists(const struct phases *phases, uint64_t length, uint64_t part)
{
    const double of_all = 0.1;
    double newest[PHASES_COLUMNS];
    double rest[PHASES_COLUMNS];
    double likelier = 0;
    phases_sum_blocks(phases, 0, part, newest);
    phases_sum_blocks(phases, part, length - part, rest);
    double rest_sum = phases_sum(rest);
    double before_sum = phases->segment_sum - rest_sum - phases_sum(newest);
    for (unsigned i = 0; i < PHASES_COLUMNS; i++) {
        if (!(newest[i] > 0))
            continue;
        double before = fmax(phases->segment_counts[i] - rest[i] - newest[i], 0);
        double all = of_all * phases->segment_counts[i] / phases->segment_sum;
        likelier += newest[i] * log((rest[i] / rest_sum + all) / (before / before_sum + all));
    }
    return likelier > 0;
}

/* Returns the number of newest blocks at which the two sides differ most. */
static uint64_t find_change(const struct phases *phases, uint64_t longest, double dispersion)
{
    uint64_t best = 0;
    double most = 0;
    double g;
    for (uint64_t length = 1; length < phases->blocks && length <= longest; length++) {
        change_p_value(phases, length, dispersion, &g);
        if (g > most) {
            most = g;
            best = length;
        }
    }
    return best;
}

/* Returns how many of the newest blocks belong to another phase; 0: none. */
static uint64_t count_changed_blocks(const struct phases *phases)
{
    double g;
    unsigned scale = PHASES_TESTED;
    if (phases->block_total < PHASES_FIRST)
        return 0;
    for (; scale < phases->scales; scale++) {
        uint64_t length = UINT64_C(1) << scale;
        if (length >= phases->blocks)
            return 0;
        if (change_p_value(phases, length, phases_dispersion(phases, scale), &g) < chance)
            break;
    }
    if (scale == phases->scales)
        return 0;
    uint64_t longest = UINT64_C(1) << (scale < PHASES_USUAL ? PHASES_USUAL - 1 : scale);
    uint64_t best = find_change(phases, longest, phases_dispersion(phases, scale));
    /* Wait for more blocks: the start of the new phase will be clearer. */
    if (best < PHASES_SHORTEST || !change_persists(phases, best, 1) ||
        !change_persists(phases, best, best / 2))
        return 0;
    double before[PHASES_COLUMNS];
    double after[PHASES_COLUMNS];
    divide_segment(phases, best, before, after);
    return phases_same_letter(phases, before, after) ? 0 : best;
}

void phases_rescan(struct phases *phases, uint64_t period_ns)
{
    const struct phases_segment *last = &phases->segments[phases->segment_count - 1];
    uint64_t block_ns = phases->blocks ? (last->end_ns - last->start_ns) / phases->blocks : 0;
    phases->scales = PHASES_USUAL;
    while (phases->scales < PHASES_SCALES && block_ns &&
           block_ns << (phases->scales - PHASES_USUAL) < period_ns)
        phases->scales++;
}

static bool end_block(struct phases *phases, uint64_t end_ns)
{
    struct phases_segment *last = &phases->segments[phases->segment_count - 1];
    phases->window[phases->blocks++ % PHASES_WINDOW] = phases->current_block;
    phases->block_total++;
    for (unsigned i = 0; i < PHASES_COLUMNS; i++)
        phases->segment_counts[i] += phases->current_block.counts[i];
    phases->segment_sum += phases->current_block.sum;
    last->end_ns = end_ns;
    last->samples += phases->current_block.sum;
    phases->current_block = (struct phases_block){.start_ns = end_ns};
    uint64_t length = count_changed_blocks(phases);
    if (length)
        phases_split(phases, length);
    else
        phases_learn(phases);
    return length;
}

bool phases_add(struct phases *phases, const double counts[PHASES_COLUMNS], uint64_t start_ns,
                uint64_t end_ns)
{
    if (!(phases->current_block.sum > 0))
        phases->current_block.start_ns = start_ns;
    for (unsigned i = 0; i < PHASES_COLUMNS; i++)
        phases->current_block.counts[i] += counts[i];
    phases->current_block.sum += phases_sum(counts);
    return phases->current_block.sum >= PHASES_BLOCK_SAMPLES && end_block(phases, end_ns);
}

/* Segments. One ends where the next begins; a transition between two phases belongs to neither. */

/* A segment is a mixture of its neighbours if less than this share of its misses differs from the
 * best mixture. */
static const double mixed_within = 0.10;

/* The two sides of a change: the segment that ends, and the newest blocks. */
struct division {
    double before[PHASES_COLUMNS];
    double after[PHASES_COLUMNS];
    uint64_t length; /* blocks after the change */
    uint64_t start_ns;
};

/* Makes room for a segment; merges the two oldest if the array cannot grow. */
static bool phases_segment_make_room(struct phases *phases)
{
    if (array_reserve_next(&phases->segments, &phases->segment_room, phases->segment_count,
                           sizeof *phases->segments, PHASES_SEGMENTS))
        return true;
    if (phases->segment_count < 2)
        return false;
    phases->segments[1].start_ns = phases->segments[0].start_ns;
    phases->segments[1].samples += phases->segments[0].samples;
    memmove(phases->segments, phases->segments + 1,
            --phases->segment_count * sizeof *phases->segments);
    return true;
}

/* Returns the share of `right` in the mixture of both neighbours that fits the middle segment best,
 * by least squares; *apart: its distance from that mixture. */
static double neighbour_mixture(const double *left, const double *middle, const double *right,
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

/* Returns true if the segment that ends is not a phase but the transition between its neighbours:
 * too short to be a phase, or a short mixture of both. *part: the share of the next segment. */
static bool is_transition(const struct phases *phases, const struct division *division,
                          double *part)
{
    uint64_t blocks = phases->blocks - division->length;
    double apart;
    if (phases->segment_count < 2)
        return false;
    *part = neighbour_mixture(phases->previous, division->before, division->after, &apart);
    return blocks < PHASES_SHORTEST || (blocks <= PHASES_EDGE && apart < mixed_within);
}

/* Divides the transition between its neighbours by its mixture: the change moves to where an abrupt
 * change would have been. */
static void divide_transition(struct phases *phases, const struct division *division, double part)
{
    struct phases_segment *next = &phases->segments[phases->segment_count - 1];
    struct phases_segment *before = next - 1;
    double samples = phases_sum(division->before);
    uint64_t length_ns = division->start_ns - next->start_ns;
    next->start_ns += (uint64_t)((1 - part) * (double)length_ns);
    before->end_ns = next->start_ns;
    before->samples += (1 - part) * samples;
    next->samples -= (1 - part) * samples;
    next->detected_ns = next->end_ns;
}

/* Merges the last two segments if they have the same letter: the change did not last. */
static void merge_same_phase(struct phases *phases, const double *counts)
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

/* Computes the counts that a segment is named by: all blocks except the last ones, which may be
 * part of the transition. A short segment uses all of its blocks. */
static void segment_core_counts(const struct phases *phases, const struct division *division,
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
                                  .detected_ns = last->end_ns,
                                  .samples = phases_sum(division->after),
                                  .phase = PHASES_NONE};
    last->end_ns = division->start_ns;
    last->samples -= next.samples;
    segment_core_counts(phases, division, core);
    phases_name(phases, last, core);
    merge_same_phase(phases, core);
    if (phases_segment_make_room(phases))
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
        division.before[i] = fmax(phases->segment_counts[i] - division.after[i], 0);
    phases->after_transition = is_transition(phases, &division, &part);
    if (phases->after_transition)
        divide_transition(phases, &division, part);
    else
        end_segment(phases, &division);
    memcpy(phases->segment_counts, division.after, sizeof phases->segment_counts);
    phases->segment_sum = phases_sum(division.after);
    phases->blocks = length;
    memcpy(phases->window, kept, length * sizeof *kept);
}
