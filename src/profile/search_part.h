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

/* search_even.c: follows evenness down inside opened objects, before the halves are queued. */
void search_note_evenness(struct search *search);
/* Ranges without a hotter part are one final region again. */
void search_close_even_ranges(struct search *search);

/* search_settled.c */
bool search_finished(const struct search *search);
/* The found regions, and only they, get the counters. */
void search_settle(struct search *search);
/* The interval's counters, settled: false where what was found has lost its misses. */
bool search_still_explains(struct search *search);

#endif
