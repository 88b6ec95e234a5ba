/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The map of all cache sets, its shape and its colours. For the screen of them (sets_page.c). */
#ifndef MISSTOP_VIEW_SETS_MAP_H
#define MISSTOP_VIEW_SETS_MAP_H

#include "view/browser.h"

/* The map of all sets, and what its steps mean; rows used. */
int sets_map_draw(struct browser *browser, struct canvas *canvas, struct area area);
void sets_map_legend(const struct snapshot_sets *sets, struct canvas *canvas, int row);
/* The set that was clicked; -1: none. */
long sets_map_at(const struct browser *browser, int row, int column);
/* Samples of a set, all of them taken alike. */
double sets_map_mean(const struct snapshot_sets *sets);

#endif
