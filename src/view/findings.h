/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef MISSTOP_VIEW_FINDINGS_H
#define MISSTOP_VIEW_FINDINGS_H

#include <stddef.h>

#include "snapshot_findings.h"
#include "view/display/screens.h"

struct finding_words {
    char evidence[2048];       /* figures, in one or two sentences */
    char advice[1024];         /* the remedy */
    char gain_method[320];     /* how the gain is calculated */
    char evidence_limits[320]; /* limits of the evidence */
};
void finding_words(const struct snapshot_finding *finding, struct finding_words *words);

enum screen_id finding_screen(const struct snapshot_finding *finding);

/* Return the JSON name ("split", ...), a few words for a list, and "perhaps", "likely", "sure". */
const char *finding_kind_name(enum finding_kind kind);
const char *finding_kind_words(enum finding_kind kind);
bool finding_saves_waiting(enum finding_kind kind);
const char *finding_sure_name(enum finding_confidence sure);
const char *finding_confidence(enum finding_confidence sure);

/* Formats the gain: "12-31%" of all samples, "at most 31%", "not known (share 62%)". */
void finding_gain(const struct snapshot_finding *finding, char *out, size_t size);

#endif
