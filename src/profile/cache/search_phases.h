/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Keeps a separate n-way search for each phase of the run (phases.h). Buck and Hollingsworth keep
 * silent regions and lengthen intervals instead (2.2, applu); here the end of a phase is known.
 *
 * A change is detected some blocks after it happened. Therefore the search is copied at the end of
 * each block, with the counts of its interval so far. At a change, the copy from the last block
 * before the change is saved under the letter of its phase; the samples after it are counted again
 * for the new phase, from the window. The new phase resumes the search saved under its letter, in
 * the middle of its interval, or starts a search if the letter is new. An interval may thus consist
 * of several parts, all of one phase. Private to src/profile.
 */
#ifndef MISSTOP_PROFILE_CACHE_SEARCH_PHASES_H
#define MISSTOP_PROFILE_CACHE_SEARCH_PHASES_H

#include "profile/cache/search.h"
#include "profile/time/phases.h"

enum {
    SEARCH_MARKS = 68, /* a change is detected within 64 blocks, usually within 16 */
    SEARCH_KEPT = 8    /* the most recent phases; a search has 76 KiB */
};

struct search_mark {
    uint64_t at_ns;
    struct search search;
};

/* The saved search of a phase, from the end of its last occurrence. */
struct search_kept {
    struct search_mark *mark; /* NULL: none */
    uint8_t phase;
};

struct search_phases {
    struct search_mark *marks; /* [SEARCH_MARKS], ring buffer; NULL: no search yet */
    unsigned mark_count;       /* copies since the last change */
    struct search_kept kept[SEARCH_KEPT];
    uint8_t phase; /* phase of the current search; PHASES_NONE: not known */
};

void search_phases_fini(struct search_phases *kept);

/* Drops all saved searches. Called when another search starts or the search ends. */
void search_phases_clear(struct search_phases *kept);

/* Saves or switches the search after each base period; `changed`: the result of phases_add().
 * Returns the time from which samples must be counted again for another phase; now_ns: none. */
uint64_t search_phases_step(struct search_phases *kept, struct search *search,
                            const struct phases *phases, bool changed, uint64_t now_ns);

/* Searches that the user replaced by others and can go back to, newest first. A search resumes with
 * its results; the searches saved for phases are not kept. Private to src/profile. */
enum { SEARCH_BEFORE_MAX = 4 }; /* 76 KiB each; evicts the oldest */

struct search_history {
    struct search *list[SEARCH_BEFORE_MAX]; /* oldest first */
    unsigned count;
};

void search_history_fini(struct search_history *before);
void search_history_clear(struct search_history *before);

/* Saves a copy of a running or settled search that has measured something. If memory runs out, the
 * user cannot go back to it. */
void search_history_put(struct search_history *before, const struct search *search);

/* Takes the newest search and starts a new interval. Returns false if there is none. */
bool search_history_take(struct search_history *before, struct search *search, uint64_t now_ns);

/* Returns the name of the newest search's range; NULL: none. */
const char *search_history_what(const struct search_history *before);

#endif
