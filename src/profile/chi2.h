/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tail of the chi-square distribution. */
#ifndef MISSTOP_PROFILE_CHI2_H
#define MISSTOP_PROFILE_CHI2_H

/* P(X >= chi2) with `freedom` degrees of freedom: the regularised upper incomplete gamma
 * function Q(freedom/2, chi2/2) (Abramowitz and Stegun 26.4.19, 6.5). */
double chi2_p_value(double chi2, double freedom);

#endif
