/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The last two minutes at the shortest period, whatever the streams of the whole run have folded
 * to: the volatility of what the program does now, and the period at which its noise is damped
 * (DTrack, section 4.3), chosen anew as that changes. Of the counts by column that the finder of
 * phases gets. Private to src/profile.
 */
#ifndef MISSTOP_PROFILE_RECENT_H
#define MISSTOP_PROFILE_RECENT_H

#include "profile/phases.h"
#include "profile/volatility.h"

enum {
    RECENT_STEPS = STREAMS_POINTS, /* of the shortest base period */
    RECENT_CURVES = 8              /* the columns that count most */
};

struct recent {
    float counts[RECENT_STEPS][PHASES_COLUMNS]; /* a ring */
    uint64_t steps;                             /* ever */
    struct volatility profile[VOLATILITY_PERIODS_MAX];
    size_t profile_count;
    size_t by; /* the period chosen, in steps; 0: too early to say */
};

/* One step; true: the profile has been worked out anew, which is done after 16, 32 ... steps and
 * then after each 64, for it costs 0.1 ms. */
bool recent_add(struct recent *recent, const double counts[PHASES_COLUMNS]);

/* Whether the volatility at the period chosen is below the threshold; else nothing damps it. */
bool recent_is_damped(const struct recent *recent);

#endif
