/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Findings in sentences, composed from their numbers; for the Findings page, text, JSON and HTML.
 */
#ifndef MISSTOP_VIEW_FINDINGS_H
#define MISSTOP_VIEW_FINDINGS_H

#include "snapshot_findings.h"

struct finding_words {
    char evidence[2048]; /* numbers, in a sentence or two */
    char advice[1024];   /* what to try */
    char reckoned[320];  /* how the gain follows */
    char how_sure[320];  /* the limits of the evidence */
};
void finding_words(const struct snapshot_finding *finding, struct finding_words *words);

#endif
