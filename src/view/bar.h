/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bars and sparklines in eighths of a character, or in ASCII. */
#ifndef MISSTOP_VIEW_BAR_H
#define MISSTOP_VIEW_BAR_H

#include <stdbool.h>
#include <stddef.h>

/* Room for the UTF-8 of a bar of `columns`. */
#define BAR_BYTES(columns) ((columns)*4 + 1)

/* A bar of 0..1 from the left, padded with blanks to `columns`. More than nothing shows. */
void bar_fill(char *out, size_t size, int columns, double fraction, bool ascii);

/*
 * The newest `columns` of `count` values, oldest left, on a scale from 0 to `top`; blank
 * where a value is NAN. top <= 0: the largest of them.
 */
void bar_spark(char *out, size_t size, int columns, const float *values, size_t count, double top,
               bool ascii);

/* One character for 0..1, lowest step for 0; blank for NAN. */
const char *bar_step(double fraction, bool ascii);

#endif
