/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the chart of the Phases page shows: misses, accesses or waiting, stacked of objects,
 * functions, the fields of one object, or groups of threads; and the words beside it. For the
 * Phases page.
 */
#ifndef MISSTOP_VIEW_PAGES_TIMELINE_H
#define MISSTOP_VIEW_PAGES_TIMELINE_H

#include "view/screen/browser.h"
#include "view/widget/chart.h"

/* As browser->timeline.stacked says, of what is drawn; `all` NULL: that is not sampled. */
struct timeline_stack timeline_stack(const struct browser *browser);

#endif
