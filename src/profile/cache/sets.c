/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/cache/sets.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profile/tables/statistics.h"

/* Cochran's rule for the chi-square test: at least 5 expected in each cell. */
enum { EXPECTED_MIN = 5, GROUPS_MIN = 8 };

static bool is_power_of_two(uint32_t value)
{
    return value && !(value & (value - 1));
}

int sets_init(struct sets *sets, const struct geometry *geometry)
{
    *sets = (struct sets){.geometry = *geometry};
    if (is_power_of_two(geometry->line_bytes) && is_power_of_two(geometry->sets)) {
        sets->line_shift = (unsigned)__builtin_ctz(geometry->line_bytes);
        sets->mask = geometry->sets - 1;
    }
    sets->at = calloc(geometry->sets, sizeof *sets->at);
    return sets->at ? 0 : -ENOMEM;
}

void sets_fini(struct sets *sets)
{
    free(sets->at);
    *sets = (struct sets){0};
}

void sets_clear(struct sets *sets)
{
    memset(sets->at, 0, sets->geometry.sets * sizeof *sets->at);
    sets->sum = sets->squares = (struct counted){{0, 0}};
}

void sets_rescale(struct sets *sets, double factor)
{
    for (uint32_t i = 0; i < sets->geometry.sets; i++)
        sets->at[i].at[BASIS_DECAYED] *= factor;
    sets->sum.at[BASIS_DECAYED] *= factor;
    sets->squares.at[BASIS_DECAYED] *= factor * factor;
}

/* Returns the 99.9 % bound of the samples of a set if they are spread evenly. */
static double sets_bound(double expected)
{
    /* Normal bound of a Poisson count with its first skewness term (Cornish and Fisher). */
    double z = 3.0902;
    return expected + z * sqrt(expected) + (z * z - 1) / 6 + 0.5;
}

/* Returns the number of groups to test, so that each has enough expected samples. */
static uint32_t choose_group_count(uint32_t sets, double effective)
{
    uint32_t groups = sets;
    while (groups > GROUPS_MIN && effective / groups < EXPECTED_MIN)
        groups /= 2;
    return groups;
}

/* Returns the sum of squared distances; *excess: share of samples above an even distribution. */
static double squared_distance(const double *counts, uint32_t sets, uint32_t groups, double total,
                               double *excess)
{
    double sum = 0;
    uint32_t set = 0;
    for (uint32_t group = 1; group <= groups; group++) {
        uint32_t end = (uint32_t)((uint64_t)sets * group / groups);
        double expected = total * (end - set) / sets;
        double count = 0;
        for (; set < end; set++)
            count += counts[set];
        sum += (count - expected) * (count - expected) / expected;
        *excess += fmax(0, count - expected) / total;
    }
    return sum;
}

/* Returns the excess that an even spread has by chance: half the mean absolute deviation. */
static double chance_excess(double effective, uint32_t groups)
{
    return sqrt(groups / (2 * M_PI * effective));
}

static void find_hot(struct sets_finding *finding, const double *counts, uint32_t sets,
                     double total, double effective)
{
    finding->bound = sets_bound(effective / sets) * total / effective;
    double hot = 0;
    for (uint32_t i = 0; i < sets; i++)
        if (counts[i] > finding->bound) {
            finding->hot_sets++;
            hot += counts[i];
        }
    finding->hot_share = hot / total;
}

void sets_judge(struct sets_finding *finding, const double *counts, uint32_t sets, double effective)
{
    *finding = (struct sets_finding){
        .chi2 = NAN, .p_value = NAN, .bound = NAN, .effective_samples = effective};
    for (uint32_t i = 0; i < sets; i++)
        finding->samples += counts[i];
    uint32_t groups = choose_group_count(sets, effective);
    if (groups < 2 || effective / groups < EXPECTED_MIN || !(finding->samples > 0))
        return;
    double excess = 0;
    finding->chi2 = squared_distance(counts, sets, groups, finding->samples, &excess) * effective /
                    finding->samples;
    finding->p_value = chi2_p_value(finding->chi2, groups - 1);
    finding->excess = fmax(0, excess - chance_excess(effective, groups));
    find_hot(finding, counts, sets, finding->samples, effective);
    bool concentrated = finding->p_value < SETS_LEVEL && finding->excess >= SETS_EXCESS;
    finding->verdict = concentrated ? SETS_CONCENTRATED : SETS_UNIFORM;
}
