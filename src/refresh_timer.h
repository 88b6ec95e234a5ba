/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The timer of the refresh interval, and the intervals that + and - go through. For loop.c. */
#ifndef MISSTOP_REFRESH_TIMER_H
#define MISSTOP_REFRESH_TIMER_H

/* A descriptor for poll(), or a negative errno. */
int refresh_timer_open(double delay_s);

/* 0 s stops it. 0, or a negative errno. */
int refresh_timer_arm(int fd, double delay_s);

/* The next longer (1) or shorter (-1) interval, s. */
double refresh_timer_step(double delay_s, int direction);

#endif
