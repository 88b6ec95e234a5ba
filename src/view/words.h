/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sentences that screens, batch text, JSON and HTML share. */
#ifndef MISSTOP_VIEW_WORDS_H
#define MISSTOP_VIEW_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "place.h"
#include "profile/whatif.h"
#include "snapshot.h"
#include "snapshot_sharing.h"
#include "view/display/canvas.h"

/* Format which debug information is loading; how an object's type is known (layout NULL: its own
 * type). "" if there is nothing to report. */
void field_reading(const struct snapshot *snapshot, char *out, size_t size);
void field_known(const struct snapshot_object *object, const struct snapshot_layout *layout,
                 char *out, size_t size);

/* Formats one or two sentences that interpret a layout; "" if there are too few samples. */
enum { LAYOUT_READING_BYTES = 256 };
void layout_reading(const struct snapshot_layout *layout, char *out, size_t size);

void whatif_plan_words(const struct whatif_plan *plan, char *out, size_t size);

/* Explains why there is no heap feed, or which blocks it lacks; NULL: nothing to report. */
const char *heap_note(const struct snapshot *snapshot);

/* Returns the share of the samples in missing code files, 0 to 1; 0 if none is missing. */
double binary_missing(const struct snapshot_binaries *binaries);

/* Formats "41.2% of the samples are in programs or libraries that are not here"; "" if none are. */
void binary_note(const struct snapshot_binaries *binaries, char *out, size_t size);

/* Formats the state of one binary: its location if it differs, "not found: build-id 12ab...",
 * "another build is here: ..."; "" if there is nothing to report. */
void binary_fate(const struct binary_desc *binary, char *out, size_t size);

/* How to get the missing files, and the limits of a recording that has only code mappings. */
extern const char binary_remedy[];
extern const char binary_code_only[];

/* Prints missing and unverified binaries, and the remedies; nothing if all are there. */
void binary_report(FILE *out, const struct snapshot_binaries *binaries);

/* Returns the event that ranks; NULL if none is known. */
const struct snapshot_event *ranking_event(const struct snapshot_source *source);

/* Returns the name of the measure in JSON: "misses", "accesses", "waiting"; the event's name if it
 * ranks and is none of these. */
const char *measure_key(const struct snapshot *snapshot, enum snapshot_measure measure);
/* Returns the word for the measure of the ranking event: "misses", "accesses", "stall time",
 * "time"; "samples" for any other event. */
const char *measured_word(const struct snapshot_source *source);
/* Like measure_key(), with that word; for people. */
const char *measure_name(const struct snapshot *snapshot, enum snapshot_measure measure);

/* Explains in one or two sentences why the measure is not sampled, and how to get it. */
const char *measure_wanting(const struct snapshot *snapshot, enum snapshot_measure measure);

/* Formats "phase B, 12.0s to 1m31.5s, 4.21k samples"; also how many are left after thinning. */
void time_range_words(const struct snapshot_time_range *range, char *out, size_t size);

/* The number of phases, the leading object, the last change; "" if phases were not analysed. */
enum { PHASES_READING_BYTES = 1024 };
void phases_reading(const struct snapshot_timeline *timeline, char *out, size_t size);
/* Formats how much the run, and one object (NULL: none), change from period to period (DTrack 4.3);
 * "" if not known. */
void volatility_words(const struct snapshot_timeline *timeline,
                      const struct snapshot_stream *object, char *out, size_t size);

/* Formats the start of a phase: "phase A again since 20.3s: table leads with 93%; ...". */
void phase_news(const struct snapshot_phase *phase, char *out, size_t size);

/* Formats "148 more objects have less than 0.1% each, 3.4% together"; "" if all are listed. */
void objects_left_out(const struct snapshot *snapshot, char *out, size_t size);

/* Interprets the cache sets and the recurrence in the window: capacity or conflict, and why; "" if
 * there is nothing to report. sets_note(): why the sets may differ from the real ones; "". */
void sets_reading(const struct snapshot *snapshot, char *out, size_t size);
const char *sets_note(const struct snapshot_sets *sets);
void window_reading(const struct snapshot *snapshot, char *out, size_t size);
/* Format the underlying figures: the cache and the test of its sets, the samples of the window. */
void sets_summary(const struct snapshot_sets *sets, char *out, size_t size);
void window_summary(const struct snapshot_window *window, char *out, size_t size);

/* Formats "all: settled, round 8 of 0.5 s, 4 ways; found explains 34.0%". */
void search_summary(const struct snapshot_search *search, char *out, size_t size);

/* Returns true if accesses spread over so many bytes or elements that the leading one is random. */
bool object_is_spread(const struct snapshot_object *object);

/* Explains in a sentence why there are no rows of objects, for screen and text. */
const char *objects_nothing_yet(const struct snapshot *snapshot);

/* Formats "312M loads, 98M stores; missed L1 1.24%, ..."; "" if nothing is simulated. */
void simulation_sentence(const struct snapshot_simulation *simulation, char *out, size_t size);

/* Formats the evidence and the remedy, in one to three sentences. */
enum { SHARING_READING_BYTES = 2048 };
void sharing_reading(const struct snapshot_sharing_group *group, char *out, size_t size);

/* Formats the remedy; "" if there is none, or it is not known. */
void sharing_remedy_words(const struct sharing_remedy *remedy, char *out, size_t size);

/* Formats the subject of the curves, and the total misses at the marked caches. */
void reuse_summary(const struct snapshot *snapshot, char *out, size_t size);

/* Interprets a row's curve and suggests a remedy, in one or two sentences. */
void reuse_advice(const struct snapshot_reuse *reuse, const struct snapshot_reuse_row *row,
                  char *out, size_t size);

/* Formats a size, "32K", "1M", "1.4M", short enough for an axis. */
const char *reuse_size_text(char out[16], double size_bytes);

/* Returns true if the figure's interval is narrow enough to show. */
bool reuse_is_sure(const struct snapshot_share *missed);

/* Formats "cost 0.90% of its time, 1% allowed; 4 debug registers on 1 thread: ...". */
void watch_summary(const struct snapshot_watch *watch, char *out, size_t size);

/* Formats "2 of 9 objects have a verdict; at this pace the next in about 3s", and how to speed it
 * up if the budget is the limit. Returns false if all objects have a verdict. */
bool watch_pace(const struct snapshot_watch *watch, char *out, size_t size);

/* Returns the results for an object id; NULL if there are none. */
const struct snapshot_watch_object *watch_find(const struct snapshot *snapshot, uint32_t id);

/* Formats "watched: capacity; 96% accessed again within 22ms, after 4ms; 20% of the line used". */
void watch_line(const struct snapshot_watch_object *object, char *out, size_t size);

enum { WATCH_READING_BYTES = 640 };

#endif
