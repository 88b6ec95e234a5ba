/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/interval.h"

#include <math.h>

static const double z95 = 1.959963984540054;

struct snapshot_share interval_share(double value, double effective_samples)
{
    double n = effective_samples;
    if (!(n > 0) || isnan(value))
        return (struct snapshot_share){NAN, NAN, NAN};
    double p = fmin(fmax(value, 0), 1); /* sums of doubles may be off by an ulp */
    double z2 = z95 * z95;
    double middle = (p + z2 / (2 * n)) / (1 + z2 / n);
    double half = z95 * sqrt(p * (1 - p) / n + z2 / (4 * n * n)) / (1 + z2 / n);
    return (struct snapshot_share){p, fmin(p, fmax(0, middle - half)),
                                   fmax(p, fmin(1, middle + half))};
}
