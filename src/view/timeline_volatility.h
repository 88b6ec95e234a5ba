/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The volatility of the run by sampling period (DTrack, section 4.3), of everything and of the
 * object looked at, with the periods that were chosen and why. For the Phases page.
 */
#ifndef MISSTOP_VIEW_TIMELINE_VOLATILITY_H
#define MISSTOP_VIEW_TIMELINE_VOLATILITY_H

#include "view/browser.h"

/* Whether the noise is damped at the period that is drawn. */
bool timeline_is_damped(const struct snapshot_timeline *timeline);

enum { VOLATILITY_ROWS_LEAST = 9, VOLATILITY_ROWS_MOST = 12 };

/* Rows used; 0: there is no room for it. */
int timeline_volatility(const struct browser *browser, struct canvas *canvas, struct area area);

#endif
