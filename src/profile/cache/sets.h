/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Samples per cache set, and whether they are spread evenly or concentrated on few sets.
 * "Concentrated" requires a chi-square test against the uniform distribution with p < SETS_LEVEL
 * (at most one false alarm in 1,000 evenly spread programs), and at least SETS_EXCESS of the
 * samples above an even share: with a million samples every real program differs significantly from
 * uniform, even if only slightly.
 */
#ifndef MISSTOP_PROFILE_CACHE_SETS_H
#define MISSTOP_PROFILE_CACHE_SETS_H

#include "profile/cache/geometry.h"
#include "profile/time/decay.h"

#define SETS_LEVEL  0.001
#define SETS_EXCESS 0.10

struct sets {
    struct counted *at; /* [geometry.sets], weight */
    struct counted sum;
    struct counted squares; /* stored with the square of the scale */
    struct geometry geometry;
    unsigned line_shift;
    uint32_t mask; /* mask of the set number; 0: not a power of two (sliced L3) */
};

struct sets_finding {
    double chi2; /* NAN, as p_value: too few samples */
    double p_value;
    double excess;    /* share of the samples above an even share */
    double hot_share; /* share of the samples in hot sets */
    double samples;
    double effective_samples;
    double bound; /* samples above which a set is hot; NAN: too few samples */
    uint32_t hot_sets;
    enum sets_verdict verdict;
};

/* Returns 0 or -ENOMEM. */
int sets_init(struct sets *sets, const struct geometry *geometry);
void sets_fini(struct sets *sets);
void sets_clear(struct sets *sets);
void sets_rescale(struct sets *sets, double factor);

/* Returns the set of an address, as geometry_set(), but faster: it runs for every sample. */
static inline uint32_t sets_of(const struct sets *sets, uint64_t address)
{
    return sets->mask ? (uint32_t)(address >> sets->line_shift) & sets->mask
                      : geometry_set(&sets->geometry, address);
}

static inline void sets_add(struct sets *sets, uint32_t set, double weight, double scale)
{
    counted_add(&sets->at[set], weight, scale);
    counted_add(&sets->sum, weight, scale);
    counted_add(&sets->squares, weight * weight, scale * scale);
}

/* Computes the verdict on counts[sets], for `effective` effective samples. */
void sets_judge(struct sets_finding *finding, const double *counts, uint32_t sets,
                double effective);

#endif
