/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What windows of one phase differ by, and whether two differ by more. Declared in phases.h. */
#include "profile/phases.h"

#include <math.h>

/* What is believed of a dispersion before it is measured, in degrees of freedom: a little of the
 * noise of a coin for the shortest windows, what the next shorter ones show for the others. */
static const double degrees_believed = 8;
static const double degrees_of_shorter = 32;

/* Cells with fewer in both windows together, times the dispersion, say little: they are one. Where
 * all are, nothing is learnt of the dispersion, but what was is forgotten all the same. */
static const double cell_least = 10;

/* A pair of windows counts as at most so many times what is believed (Huber's bound): more in the
 * beginning, when little is known, and nothing is tested. It counts half as much when so many pairs
 * have followed, or, of short windows, blocks. */
static const double most_of_believed = 2.5;
static const double most_at_first = 8;
static const double half_life_pairs = 8;
static const double half_life_blocks = 64;

/* n log (n / expected), of one cell. */
static double cell(double count, double expected)
{
    return count > 0 ? count * log(count / expected) : 0;
}

/* Twice the log of the likelihood ratio of two sets of shares against one (the G test), where cells
 * with less than `least` are one. */
static double ratio(const double *left, const double *right, double least, double *freedom)
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
        g += cell(left[i], both * left_sum / all) + cell(right[i], both * right_sum / all);
        cells++;
    }
    if (few[0] + few[1] > 0) {
        double both = few[0] + few[1];
        g += cell(few[0], both * left_sum / all) + cell(few[1], both * right_sum / all);
        cells++;
    }
    *freedom = cells > 1 ? cells - 1 : 0;
    return 2 * g;
}

double phases_ratio(const double *left, const double *right, double dispersion, double *freedom)
{
    return ratio(left, right, cell_least * dispersion, freedom) / dispersion;
}

/* The dispersion at a length as it is believed to be, and how well it is known. */
static double believed(const struct phases *phases, unsigned scale, double *degrees)
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

double phases_dispersion(const struct phases *phases, unsigned scale)
{
    double degrees;
    double mean = believed(phases, scale, &degrees);
    double low = 1 - 2 / (9 * degrees) - 2.33 * sqrt(2 / (9 * degrees));
    return fmax(mean, 1) / (low * low * low);
}

void phases_sum_blocks(const struct phases *phases, uint64_t back, uint64_t count, double *sum)
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

static void learn_pair(struct phases *phases, unsigned scale, uint64_t length)
{
    double before[PHASES_COLUMNS];
    double after[PHASES_COLUMNS];
    double degrees;
    double freedom;
    phases_sum_blocks(phases, PHASES_LAG, length, after);
    phases_sum_blocks(phases, PHASES_LAG + length, length, before);
    double dispersion = believed(phases, scale, &degrees);
    double g = ratio(before, after, cell_least * fmax(dispersion, 1), &freedom);
    double most = phases->seen < PHASES_FIRST ? most_at_first : most_of_believed;
    double pairs = fmax(half_life_pairs, half_life_blocks / (2 * (double)length));
    double kept = exp2(-1 / pairs);
    phases->ratios[scale] =
        phases->ratios[scale] * kept + fmin(g, most * fmax(dispersion, 1) * freedom);
    phases->degrees[scale] = phases->degrees[scale] * kept + freedom;
}

void phases_learn(struct phases *phases)
{
    for (unsigned scale = 0; scale < PHASES_SCALES; scale++) {
        uint64_t length = UINT64_C(1) << scale;
        if (phases->blocks <= PHASES_LAG || (phases->blocks - PHASES_LAG) % (2 * length))
            break;
        learn_pair(phases, scale, length);
    }
}
