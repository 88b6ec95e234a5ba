/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The n-way search and the phases of the run (phases.h). Buck and Hollingsworth keep silent
 * regions and lengthen intervals instead (2.2, applu); here the end of a phase is known.
 *
 * A change is known some blocks after it came. So the search is copied at the end of each block,
 * with the counts of its interval so far. At a change it goes back to the end of the block before
 * it, and is put by under the letter of its phase; later counts are taken from it, and counted
 * again for the phase they belong to (from the window, which remembers). That phase continues the
 * search of its letter, in the middle of its interval, or begins anew if the letter is new. So an
 * interval may have several parts, but all of one phase. Private to src/profile.
 */
#ifndef MISSTOP_PROFILE_CACHE_SEARCH_PHASES_H
#define MISSTOP_PROFILE_CACHE_SEARCH_PHASES_H

#include "profile/cache/search.h"
#include "profile/time/phases.h"

enum {
    SEARCH_MARKS = 68, /* a change is known within 64 blocks, most within 16 */
    SEARCH_KEPT = 8    /* the phases seen last; a search has 76 KiB */
};

struct search_mark {
    uint64_t at_ns;
    struct search search;
};

/* The search of a phase, as it stood when that was there last. */
struct search_kept {
    struct search_mark *mark; /* NULL: none */
    uint8_t phase;
};

struct search_phases {
    struct search_mark *marks; /* [SEARCH_MARKS], a ring; NULL: no search has been */
    unsigned mark_count;       /* since the last change */
    struct search_kept kept[SEARCH_KEPT];
    uint8_t phase; /* of the current search; PHASES_NONE: not known */
};

void search_phases_fini(struct search_phases *kept);

/* Another search begins, or none: nothing is kept of this one. */
void search_phases_clear(struct search_phases *kept);

/*
 * At the end of each base period; `changed`: phases_add() said so. Returns from what time on the
 * caller has to count the samples again, for the search of another phase has been taken up as of
 * then; now_ns: none.
 */
uint64_t search_phases_step(struct search_phases *kept, struct search *search,
                            const struct phases *phases, bool changed, uint64_t now_ns);

/*
 * Searches that another one took the place of, to go back to: the newest is gone back to first, and
 * goes on from what it had found. What a phase had found beside (search_phases.h) is not kept.
 * Private to src/profile.
 */
enum { SEARCH_BEFORE_MOST = 4 }; /* of 76 KiB; the oldest gives way */

struct search_before {
    struct search *list[SEARCH_BEFORE_MOST]; /* oldest first */
    unsigned count;
};

void search_before_fini(struct search_before *before);
void search_before_clear(struct search_before *before);

/* A copy of one that runs or has settled, unless it has not measured anything yet. Without memory
 * there is no way back. */
void search_before_put(struct search_before *before, const struct search *search);

/* The newest, which measures a new interval from now on; false: there is none. */
bool search_before_take(struct search_before *before, struct search *search, uint64_t now_ns);

/* The range of the newest search, by name; NULL: there is none. */
const char *search_before_what(const struct search_before *before);

#endif
