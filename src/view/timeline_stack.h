/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the chart of the Phases page shows: misses, accesses or waiting, stacked of objects,
 * functions, the fields of one object, or groups of threads; and the words beside it. For the
 * Phases page.
 */
#ifndef MISSTOP_VIEW_TIMELINE_STACK_H
#define MISSTOP_VIEW_TIMELINE_STACK_H

#include "view/browser.h"
#include "view/timeline_chart.h"

/* The object looked at: the one opened last, else the one that leads in the stretch selected, else
 * in the run. NULL: there is none with a stream. */
const struct snapshot_stream *timeline_object(const struct browser *browser);

/* What is drawn: the one chosen, else what ranks. */
enum snapshot_measure timeline_measure(const struct browser *browser);
bool timeline_is_sampled(const struct browser *browser);

/* As browser->timeline.stacked says, of what is drawn; `all` NULL: that is not sampled. */
struct timeline_stack timeline_stack(const struct browser *browser);

/* Names, shares and colours of the series, and which objects take turns. */
void timeline_legend(const struct browser *browser, const struct timeline_stack *stack,
                     struct canvas *canvas, struct area area);

#endif
