/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Answers the first question: does the process wait for memory, how much, and how reliable is that?
 * In words and as a gauge, for the screen, batch text and the HTML page. */
#ifndef MISSTOP_VIEW_ANSWER_H
#define MISSTOP_VIEW_ANSWER_H

#include <stdbool.h>
#include <stddef.h>

#include "snapshot.h"

enum answer {
    WAITS_NOT_YET, /* too few samples */
    WAITS_UNKNOWN, /* the source does not report it */
    WAITS_IDLE,    /* no CPU time used */
    WAITS_HARDLY,  /* the upper bound is small */
    WAITS_PERHAPS,
    WAITS_MUCH /* the lower bound is large */
};

enum answer answer_kind(const struct snapshot *snapshot);

/* Returns true if time is sampled and the samples do not show whether the process waits at all. */
bool answer_is_vague(const struct snapshot *snapshot);

/* Formats "Waits for memory: 35-60% of CPU time beyond L1, 20-41% beyond L2". Parts after the first
 * figure are dropped if they do not fit into `columns`. */
void answer_words(const struct snapshot *snapshot, int columns, char *out, size_t size);

/* Returns the source of the bounds: "bounds from the lines sampled"; "" if there are no bounds. */
const char *answer_evidence(const struct snapshot *snapshot);

/* Draws a gauge: filled up to the lower bound, shaded up to the upper; "": nothing to draw. */
void answer_gauge(const struct snapshot *snapshot, int columns, bool ascii, char *out, size_t size);

/* Formats the current CPU use: "2% of a CPU", "0.93 of 4 CPUs"; "" if not known. */
void answer_cpu(const struct snapshot_target *target, char *out, size_t size);

/* Summarises the quality: "94% attributed". Returns true if the user should look at it. */
bool answer_quality(const struct snapshot *snapshot, char *out, size_t size);

/* Formats a sentence on how far the figures can be trusted; "" if there is no problem. */
void answer_trust(const struct snapshot *snapshot, char *out, size_t size);

/* Formats a finding in a few words: "particles: hot and cold fields, gain at most 30%". */
void answer_finding(const struct snapshot_finding *finding, char *out, size_t size);

#endif
