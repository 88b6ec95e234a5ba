/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The first question: does the process wait for memory, how much, and how sure is that? In words
 * and as a gauge, for the screen, batch text and the HTML page.
 */
#ifndef MISSTOP_VIEW_ANSWER_H
#define MISSTOP_VIEW_ANSWER_H

#include <stdbool.h>
#include <stddef.h>

#include "snapshot.h"

enum answer {
    WAITS_NOT_YET, /* too few samples */
    WAITS_UNKNOWN, /* the source cannot say */
    WAITS_IDLE,    /* it uses no CPU */
    WAITS_HARDLY,  /* the upper bound is small */
    WAITS_PERHAPS,
    WAITS_MUCH /* the lower bound is large */
};

enum answer answer_of(const struct snapshot *snapshot);

/* Whether samples of time leave open if it waits at all. */
bool answer_is_vague(const struct snapshot *snapshot);

/* "Waits for memory: 35-60% of CPU time beyond L1, 20-41% beyond L2"; beyond the first figure,
 * only as much as fits into `columns`. */
void answer_words(const struct snapshot *snapshot, int columns, char *out, size_t size);

/* How the bounds are known: "bounds from the lines sampled"; "": there are none. */
const char *answer_evidence(const struct snapshot *snapshot);

/* The lower bound filled, up to the upper one shaded; "": there is nothing to draw. */
void answer_gauge(const struct snapshot *snapshot, int columns, bool ascii, char *out, size_t size);

/* "2% of a CPU", "0.93 of 4 CPUs": CPU time used now; "": not known. */
void answer_cpu(const struct snapshot_target *target, char *out, size_t size);

/* The samples in one figure, and whether the user should look: "94% attributed". */
bool answer_quality(const struct snapshot *snapshot, char *out, size_t size);

/* How far to trust the figures, in a sentence; "" when they are fine. */
void answer_trust(const struct snapshot *snapshot, char *out, size_t size);

/* A finding in a few words: "particles: hot and cold fields, gain at most 30%". */
void answer_finding(const struct snapshot_finding *finding, char *out, size_t size);

#endif
