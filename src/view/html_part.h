/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of the page, in their order. Each writes nothing where it has nothing to say. Private
 * to html*.c. */
#ifndef MISSTOP_VIEW_HTML_PART_H
#define MISSTOP_VIEW_HTML_PART_H

#include "view/html_writer.h"

/* Style and script: literal, without a word that XML would mistake. */
extern const char html_style[];
extern const char html_script[];

void html_head(struct html_writer *writer);
void html_short(struct html_writer *writer); /* what stands out, in sentences */
void html_findings(struct html_writer *writer);
void html_matrix(struct html_writer *writer);
void html_objects(struct html_writer *writer);
void html_opened_objects(struct html_writer *writer);
void html_layout(struct html_writer *writer, const struct snapshot_object *object,
                 const struct snapshot_layout *layout);
void html_whatif(struct html_writer *writer);
void html_code(struct html_writer *writer);
void html_reuse(struct html_writer *writer); /* what caches of any size would miss */
void html_simulation(struct html_writer *writer);
void html_watch(struct html_writer *writer);
void html_sets(struct html_writer *writer);
void html_causes(struct html_writer *writer); /* why lines were missed, who evicts whom */
void html_sharing(struct html_writer *writer);
void html_timeline(struct html_writer *writer);
void html_volatility(struct html_writer *writer); /* the end of that */
void html_heap(struct html_writer *writer);
void html_search(struct html_writer *writer);
void html_window(struct html_writer *writer);
void html_trust(struct html_writer *writer); /* what was not attributed, and why */
void html_help(struct html_writer *writer);  /* how to read the page */

#endif
