/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Student's t distribution, for compare.c and interval.c. Degrees of freedom need not be whole. */
#ifndef MISSTOP_PROFILE_STUDENT_H
#define MISSTOP_PROFILE_STUDENT_H

/* P(T >= t), t >= 0: half the regularised incomplete beta function I_x(freedom/2, 1/2) at
 * x = freedom / (freedom + t^2) (Abramowitz and Stegun 26.7.1, 26.5.8). */
double student_tail(double t, double freedom);

/* The t that is not exceeded with this probability, 0.5 or more and below 1. */
double student_quantile(double probability, double freedom);

/* The t that 95 % lie within on both sides, by the first terms of its expansion (Abramowitz and
 * Stegun 26.7.5): within 1 % from 3 degrees of freedom on, and cheap enough for each row. */
double student_within_95(double freedom);

#endif
