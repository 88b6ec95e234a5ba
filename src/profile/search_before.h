/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Searches that another one took the place of, to go back to: the newest is gone back to first, and
 * goes on from what it had found. What a phase had found beside (search_phases.h) is not kept.
 * Private to src/profile.
 */
#ifndef MISSTOP_PROFILE_SEARCH_BEFORE_H
#define MISSTOP_PROFILE_SEARCH_BEFORE_H

#include "profile/search.h"

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

/* What the newest searches in; NULL: there is none. */
const char *search_before_what(const struct search_before *before);

#endif
