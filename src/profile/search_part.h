/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the parts of the n-way search share; for search*.c only. */
#ifndef MISSTOP_PROFILE_SEARCH_PART_H
#define MISSTOP_PROFILE_SEARCH_PART_H

#include "profile/search.h"

/* Gives the region a counter for the next interval. */
void search_measure(struct search *search, const struct region *region);

/* search_measured.c: this interval's counter into the average of all its measurements. */
void search_average(const struct search *search, struct region *region);
/* All measured regions into the queue; returns whether one without misses was kept. */
bool search_queue_measured(struct search *search);
enum region_state search_found_state(const struct search *search, const struct region *region);

void search_drop(struct search *search, const struct region *region, const char *reason);
/* Keeps or drops a region without a miss; returns whether it was kept. */
bool search_queue_silent(struct search *search, struct region *region);

/* search_inside.c: the search within one object. One range at a time. */
bool search_inside_wants(const struct region *region);
/* False: the range became a result at once. */
bool search_inside_begin(struct search *search, const struct region *whole);
void search_inside_measure(struct search *search);
/* After an interval: the pieces leave the counters; when they are enough, what they say is queued. */
void search_inside_note(struct search *search);
void search_join_neighbours(struct search *search);

/* search_settled.c */
bool search_finished(const struct search *search);
/* The found regions, and only they, get the counters. */
void search_settle(struct search *search);
/* The interval's counters, settled: false where what was found has lost its misses. */
bool search_still_explains(struct search *search, uint64_t now_ns);

#endif
