/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/chi2.h"

#include <float.h>
#include <math.h>

enum { TERMS_MAX = 100000 };

/* x^a e^-x / Gamma(a), through logarithms because each factor overflows by itself. */
static double gamma_front(double a, double x)
{
    int sign;
    return exp(a * log(x) - x - lgamma_r(a, &sign));
}

/* Series of P(a, x), Abramowitz and Stegun 6.5.29: converges fast for x < a + 1. */
static double gamma_lower(double a, double x)
{
    double term = 1 / a;
    double sum = term;
    for (int n = 1; n < TERMS_MAX && term > sum * DBL_EPSILON; n++) {
        term *= x / (a + n);
        sum += term;
    }
    return sum * gamma_front(a, x);
}

/* Continued fraction of Q(a, x), Abramowitz and Stegun 6.5.31, even part, by Lentz's method. */
static double gamma_upper(double a, double x)
{
    double b = x + 1 - a;
    double c = 1 / DBL_MIN;
    double d = 1 / b;
    double value = d;
    for (int n = 1; n < TERMS_MAX; n++) {
        double numerator = -n * (n - a);
        b += 2;
        d = 1 / (numerator * d + b);
        c = b + numerator / c;
        value *= d * c;
        if (fabs(d * c - 1) < 4 * DBL_EPSILON)
            break;
    }
    return value * gamma_front(a, x);
}

double chi2_p_value(double chi2, double freedom)
{
    if (isnan(chi2) || !(freedom > 0))
        return NAN;
    if (chi2 <= 0)
        return 1;
    double a = freedom / 2;
    double x = chi2 / 2;
    double p = x < a + 1 ? 1 - gamma_lower(a, x) : gamma_upper(a, x);
    return fmin(fmax(p, 0), 1);
}
