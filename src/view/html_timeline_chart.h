/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One picture of the run over time in the page of --html: each series' part, one area above the
 * other, how much there was of all, and the phases. For html_timeline.c. */
#ifndef MISSTOP_VIEW_HTML_TIMELINE_CHART_H
#define MISSTOP_VIEW_HTML_TIMELINE_CHART_H

#include "view/html_writer.h"
#include "view/timeline_chart.h"

/* `label`: what it is of, in a few words; `measure`: what is counted. Its keys stand below it. */
void html_timeline_chart(struct html_writer *writer, const struct timeline_stack *stack,
                         const char *measure, const char *label);

#endif
