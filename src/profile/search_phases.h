/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The n-way search and the phases of the run (phases.h): what Buck and Hollingsworth meet by keeping
 * silent regions and lengthening intervals (2.2, applu), where it is known that a phase has ended.
 *
 * A change is known some blocks after it came. So the search as it stood at the beginning of recent
 * intervals is kept: at a change it goes back to the newest that began before it, the interval
 * across it is thrown away, and that search is put by under the letter of the phase. The next one
 * takes up the search of its letter, if it was there before, or begins anew. Private to
 * src/profile.
 */
#ifndef MISSTOP_PROFILE_SEARCH_PHASES_H
#define MISSTOP_PROFILE_SEARCH_PHASES_H

#include "profile/phases.h"
#include "profile/search.h"

enum {
    SEARCH_MARKS = 24, /* a change is known within 16 blocks, where there are samples enough */
    SEARCH_KEPT = 8    /* the phases seen last; a search has 100 KiB */
};

/* The search of a phase, as it stood when that was there last. */
struct search_kept {
    struct search *search; /* NULL: none */
    uint8_t phase;
    uint64_t left_ns;
};

struct search_phases {
    struct search *marks; /* [SEARCH_MARKS], a ring; NULL: no search has been */
    unsigned mark_count;  /* since the last change */
    struct search_kept kept[SEARCH_KEPT];
    uint8_t phase;       /* whose search goes on; PHASES_NONE: not known */
    uint64_t segment_ns; /* when the segment that it goes on in began; 0: not looked at yet */
    bool ignored;        /* tests only: as if there were no phases */
};

void search_phases_fini(struct search_phases *kept);

/* Another search begins, or none: nothing is kept of this one. */
void search_phases_clear(struct search_phases *kept);

/* At the end of each base period; `changed`: phases_add() said so. */
void search_phases_step(struct search_phases *kept, struct search *search,
                        const struct phases *phases, bool changed, uint64_t now_ns);

#endif
