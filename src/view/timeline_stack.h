/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the chart of the Phases page is stacked of: objects, functions, the fields of one object, or
 * groups of threads; and the words beside it. For the Phases page.
 */
#ifndef MISSTOP_VIEW_TIMELINE_STACK_H
#define MISSTOP_VIEW_TIMELINE_STACK_H

#include "view/browser.h"
#include "view/timeline_chart.h"

/* The object looked at: the one opened last, else the one that leads in the stretch selected, else
 * in the run. NULL: there is none with a stream. */
const struct snapshot_stream *timeline_object(const struct browser *browser);

/* As browser->timeline.stacked says. */
struct timeline_stack timeline_stack(const struct browser *browser);

/* Names, shares and colours of the series, and which objects take turns. */
void timeline_legend(const struct browser *browser, const struct timeline_stack *stack,
                     struct canvas *canvas, struct area area);

#endif
