/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How sure a share is: Wilson's score interval (E. B. Wilson, JASA 22, 1927), 95 %, on
 * the effective number of samples, which decay and uneven weights make smaller.
 */
#ifndef MISSTOP_PROFILE_INTERVAL_H
#define MISSTOP_PROFILE_INTERVAL_H

#include "snapshot.h"

/* All NAN where there are no samples; low <= value <= high within 0..1 otherwise. */
struct snapshot_share interval_share(double value, double effective_samples);

#endif
