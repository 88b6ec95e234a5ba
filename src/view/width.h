/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text measured in terminal cells: wide and combining characters, cutting, padding. */
#ifndef MISSTOP_VIEW_WIDTH_H
#define MISSTOP_VIEW_WIDTH_H

#include <stdbool.h>
#include <stddef.h>

/* Cells a string takes. */
int width_of_text(const char *text);

/*
 * Exactly `cells` cells of text: padded at the other side, or cut. Cut text loses its middle
 * when it is longer than 24 cells (long C++ names differ at both ends), else its end.
 */
void width_fit(char *out, size_t out_size, const char *text, int cells, bool right);

#endif
