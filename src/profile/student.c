/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/student.h"

#include <math.h>

/* I_x(a, b) by the continued fraction of Abramowitz and Stegun 26.5.8, evaluated from the front
 * (modified Lentz); it converges fast for x < (a + 1) / (a + b + 2). */
static double beta_fraction(double x, double a, double b)
{
    enum { STEPS = 500 };
    const double tiny = 1e-300;
    double numerator = 1;
    double denominator = 1 - (a + b) * x / (a + 1);
    denominator = 1 / (fabs(denominator) < tiny ? tiny : denominator);
    double fraction = denominator;
    for (int m = 1; m < STEPS; m++) {
        double terms[2] = {m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
                           -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))};
        double factor = 1;
        for (int i = 0; i < 2; i++) {
            denominator = 1 + terms[i] * denominator;
            denominator = 1 / (fabs(denominator) < tiny ? tiny : denominator);
            numerator = 1 + terms[i] / numerator;
            numerator = fabs(numerator) < tiny ? tiny : numerator;
            factor = numerator * denominator;
            fraction *= factor;
        }
        if (fabs(factor - 1) < 1e-15)
            break;
    }
    return fraction;
}

static double beta_regularised(double x, double a, double b)
{
    if (x <= 0 || x >= 1)
        return x <= 0 ? 0 : 1;
    double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
    if (x < (a + 1) / (a + b + 2))
        return front * beta_fraction(x, a, b) / a;
    return 1 - front * beta_fraction(1 - x, b, a) / b;
}

double student_tail(double t, double freedom)
{
    return beta_regularised(freedom / (freedom + t * t), freedom / 2, 0.5) / 2;
}

double student_quantile(double probability, double freedom)
{
    double low = 0;
    double high = 1;
    while (1 - student_tail(high, freedom) < probability && high < 1e9)
        high *= 2;
    for (int i = 0; i < 100; i++) {
        double middle = (low + high) / 2;
        if (1 - student_tail(middle, freedom) < probability)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

double student_within_95(double freedom)
{
    const double z = 1.959963984540054;
    double z3 = z * z * z;
    double z5 = z3 * z * z;
    return z + (z3 + z) / (4 * freedom) + (5 * z5 + 16 * z3 + 3 * z) / (96 * freedom * freedom) +
           (3 * z5 * z * z + 19 * z5 + 17 * z3 - 15 * z) / (384 * freedom * freedom * freedom);
}
