/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a shared line is a case of, from what is kept of it. Pure functions. Private to
 * src/profile.
 */
#ifndef MISSTOP_PROFILE_SHARING_VERDICT_H
#define MISSTOP_PROFILE_SHARING_VERDICT_H

#include "profile/sharing_line.h"
#include "snapshot.h"

/* From this many turns on a line is listed, and from this many its verdict is given. */
enum { SHARING_TURNS_LISTED = 4, SHARING_TURNS_SURE = 8, SHARING_HITM_SURE = 5 };

/* Counts under one basis. */
struct sharing_judged {
    enum sharing_verdict verdict;
    enum sharing_evidence evidence;
    bool listed; /* there is evidence at all */
    bool sure;
    double samples;
    double turns;
    double pairs;
    double expected; /* turns if the accesses of all sides were shuffled */
    double hitm;     /* NAN: the source cannot tell */
    double overlap;  /* part of the contention that is for the same bytes; NAN: none is seen */
};

struct sharing_judged sharing_judge(const struct sharing_line *line, enum snapshot_basis basis,
                                    double scale);

#endif
