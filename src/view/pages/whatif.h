/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Answers to "what if" in rows and words; for the What if page, batch text, JSON and HTML. */
#ifndef MISSTOP_VIEW_PAGES_WHATIF_H
#define MISSTOP_VIEW_PAGES_WHATIF_H

#include <stdbool.h>
#include <stddef.h>

#include "profile/whatif.h"
#include "snapshot.h"

enum { WHATIF_ROWS_MAX = SIMULATION_LEVELS_MAX + 1, WHATIF_TEXT_BYTES = 640 };

/* Misses of a level, or, last, the cycles that they cost. */
struct whatif_row {
    const char *name;
    double before;
    double after;
    double object_before; /* NAN: not told */
    double object_after;
};

/* What is known so far; 0: nothing is counted yet. */
size_t whatif_rows(const struct snapshot_whatif *answer, struct whatif_row rows[WHATIF_ROWS_MAX]);

/* (after - before) / before; NAN: of nothing. */
double whatif_change(double before, double after);

/* "waits", "counts", "refused"; as in JSON. */
const char *whatif_state_name(enum whatif_state state);

/* The answers side by side, best first, for which one is of: "" where fewer than two are asked. */
void whatif_summary(const struct snapshot_whatifs *asked, char *out, size_t size);

/* What was asked, of which object, how it lies then. */
void whatif_title(const struct snapshot_whatif *answer, char *out, size_t size);

/* The answer in a sentence or two: what changes, of how much, and how far to trust it. */
void whatif_sentence(const struct snapshot_whatif *answer, char *out, size_t size);

/* The questions that can be asked of an object's layout, with what each would make of it; for the
 * What if page. */
enum { WHATIF_CHOICES_MAX = 12 };

struct whatif_choice {
    struct whatif_wanted wanted;
    char title[64];
    char text[192]; /* how it lies then, or why not */
    bool possible;
    double change; /* of the cycles waited, where it was asked: the last answer; NAN */
};

#endif
