/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Findings from refresh to refresh. A rule judges by what stands in the window, and half of that
 * is dropped at once whenever it is full (window.h): a finding near a threshold would come and go.
 * So one that was found in two refreshes stays, as it was told last, until the samples that it was
 * found by have left the window, that is, until as many have come as there were then; and no
 * longer than FINDINGS_HELD_S, for where few samples come nothing leaves. Owned by the profile;
 * findings.c calls it.
 */
#ifndef MISSTOP_PROFILE_FINDINGS_HELD_H
#define MISSTOP_PROFILE_FINDINGS_HELD_H

#include "base/array.h"
#include "snapshot_findings.h"

#include <stdint.h>

enum { FINDINGS_HELD_MAX = 24, FINDINGS_HELD_TEXT = 2048 };

#define FINDINGS_HELD_S 30.0

struct finding_held {
    struct snapshot_finding finding; /* its strings point into text */
    char text[FINDINGS_HELD_TEXT];
    uint64_t window_until; /* samples added to the window by when it is forgotten */
    double found_s;        /* elapsed time of the last refresh that found it */
    uint32_t times;
};

struct findings_held {
    struct finding_held *list; /* [FINDINGS_HELD_MAX]; NULL until the first finding */
    size_t count;
};

void findings_held_fini(struct findings_held *held);
void findings_held_clear(struct findings_held *held);

/* Forgets those of objects that are another one now (renamed[id] != 0): what they were found by has
 * moved there, and is judged there. */
void findings_held_leave(struct findings_held *held, const uint32_t *renamed, size_t count);

/* Where the window and the clock stand. */
struct findings_moment {
    uint64_t added; /* samples, to the window, ever */
    uint32_t used;  /* in it now */
    double elapsed_s;
};

/*
 * Remembers what `list` has and puts what it lacks but is held behind it (strings in the arena), at
 * most `room` in all. Returns how many there are then. Without memory nothing is held.
 */
size_t findings_held_join(struct findings_held *held, struct snapshot_finding *list, size_t count,
                          size_t room, const struct findings_moment *moment, struct arena *arena);

#endif
