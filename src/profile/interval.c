/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/interval.h"

#include "profile/decay.h"
#include "profile/student.h"

#include <math.h>

static const double z95 = 1.959963984540054;
static const struct snapshot_share unknown = {NAN, NAN, NAN};

struct snapshot_share interval_share(double value, double effective_samples)
{
    double n = effective_samples;
    if (!(n > 0) || isnan(value))
        return unknown;
    double p = fmin(fmax(value, 0), 1); /* sums of doubles may be off by an ulp */
    double z2 = z95 * z95;
    double middle = (p + z2 / (2 * n)) / (1 + z2 / n);
    double half = z95 * sqrt(p * (1 - p) / n + z2 / (4 * n * n)) / (1 + z2 / n);
    return (struct snapshot_share){p, fmin(p, fmax(0, middle - half)),
                                   fmax(p, fmin(1, middle + half))};
}

struct snapshot_share interval_part(struct amount own, struct amount all)
{
    if (!(all.weight > 0))
        return unknown;
    double p = fmin(own.weight / all.weight, 1);
    double rest = fmax(all.squares - own.squares, 0);
    double spread = (1 - p) * (1 - p) * own.squares + p * p * rest;
    double effective = decay_effective(all.weight, all.squares);
    if (p > 0 && p < 1 && spread > 0)
        effective = p * (1 - p) * all.weight * all.weight / spread;
    return interval_share(p, effective);
}

struct snapshot_share interval_count(struct amount amount, double each)
{
    double n = decay_effective(amount.weight, amount.squares);
    double scale = n > 0 ? amount.weight / n : each;
    double z2 = z95 * z95;
    double half = z95 * sqrt(n + z2 / 4);
    if (!(scale > 0))
        return unknown;
    return (struct snapshot_share){amount.weight, fmax(n + z2 / 2 - half, 0) * scale,
                                   (n + z2 / 2 + half) * scale};
}

/* The paper's lower limit is this multiplied out; so it stays finite where the denominator's high
 * end is twice its value. */
static double ratio_low(const struct snapshot_share *over, const struct snapshot_share *under)
{
    double middle = over->value * under->value;
    double a = over->low * (2 * over->value - over->low);
    double b = under->high * (2 * under->value - under->high);
    double sum = middle + sqrt(fmax(middle * middle - a * b, 0));
    return sum > 0 ? a / sum : 0;
}

static double ratio_high(const struct snapshot_share *over, const struct snapshot_share *under)
{
    double middle = over->value * under->value;
    double a = over->high * (2 * over->value - over->high);
    double b = under->low * (2 * under->value - under->low);
    return b > 0 ? (middle + sqrt(fmax(middle * middle - a * b, 0))) / b : NAN;
}

struct snapshot_share interval_ratio(struct snapshot_share over, struct snapshot_share under)
{
    if (isnan(over.value) || isnan(under.value))
        return unknown;
    double value = under.value > 0 ? over.value / under.value : NAN;
    return (struct snapshot_share){value, ratio_low(&over, &under), ratio_high(&over, &under)};
}

/* Sum over some samples of (a * over - b * under) squared. */
static double squares_of(const struct amount_pair *sums, double a, double b)
{
    return a * a * sums->over.squares - 2 * a * b * sums->both + b * b * sums->under.squares;
}

struct snapshot_share interval_same(const struct amount_pair *own, const struct amount_pair *all)
{
    double samples = fmin(decay_effective(own->over.weight, own->over.squares),
                          decay_effective(own->under.weight, own->under.squares));
    if (!(samples >= 4))
        return unknown;
    struct amount_pair rest = {{0, all->over.squares - own->over.squares},
                               {0, all->under.squares - own->under.squares},
                               all->both - own->both};
    double over = 1 / all->over.weight;
    double under = 1 / all->under.weight;
    double variance = squares_of(own, 1 / own->over.weight - over, 1 / own->under.weight - under) +
                      squares_of(&rest, over, under);
    /* Deviations from a mean that is estimated too. */
    variance *= samples / (samples - 1);
    double factor = exp(student_within_95(samples - 1) * sqrt(fmax(variance, 0)));
    double value = own->over.weight * over / (own->under.weight * under);
    return (struct snapshot_share){value, value / factor, value * factor};
}
