/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sentences that screens, batch text, JSON and HTML share: fields known, time ranges, phases,
 * sharing, watchpoints and reuse. */
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

/* How far the fields of the samples are known, in one line; the debug information being loaded; how
 * an object's type is known (layout NULL: its own). "": nothing to say. */
void field_summary(const struct snapshot *snapshot, char *out, size_t size);
void field_reading(const struct snapshot *snapshot, char *out, size_t size);
void field_known(const struct snapshot_object *object, const struct snapshot_layout *layout,
                 char *out, size_t size);

/* One or two sentences of what the picture of a layout says; "": too few samples. */
enum { LAYOUT_READING_BYTES = 256 };
void layout_reading(const struct snapshot_layout *layout, char *out, size_t size);

/* The layout in question: a sentence. */
void whatif_plan_words(const struct whatif_plan *plan, char *out, size_t size);

/* Why there is no feed of the heap, or which blocks it does not see; NULL: nothing to say. */
const char *heap_note(const struct snapshot *snapshot);

/* Share of the samples with code that is not here, 0 to 1; 0 where nothing is missing. */
double binary_missing(const struct snapshot_binaries *binaries);

/* "41.2% of the samples are in programs or libraries that are not here"; "" if none is. */
void binary_note(const struct snapshot_binaries *binaries, char *out, size_t size);

/* The state of one: where it was found if that is another place, "not found: build-id 12ab...",
 * "another build is here: ..."; "" where there is nothing to say. */
void binary_fate(const struct binary_desc *binary, char *out, size_t size);

/* How to get those that are missing, and what a recording with code only lacks. */
extern const char binary_remedy[];
extern const char binary_code_only[];

/* The missing ones, the unverified ones, and the remedies: nothing where all is well. */
void binary_report(FILE *out, const struct snapshot_binaries *binaries);

/* The event that ranks; NULL: none is known. */
const struct snapshot_event *ranking_event(const struct snapshot_source *source);

/* In JSON, whatever was measured: "misses", "accesses", "waiting"; the name of the event where that
 * ranks and is none of those. */
const char *measure_key(const struct snapshot *snapshot, enum snapshot_measure measure);
/* The word for what the event that ranks measures: "misses", "accesses", "stall time", "time";
 * "samples" of any other event. */
const char *measured_word(const struct snapshot_source *source);
/* For people: as measure_key(), but by that word. */
const char *measure_name(const struct snapshot *snapshot, enum snapshot_measure measure);

/* Why it is not sampled, and how to have it: one sentence or two. */
const char *measure_wanting(const struct snapshot *snapshot, enum snapshot_measure measure);

/* "phase B, 12.0s to 1m31.5s, 4.21k samples"; how many of how many where it was thinned. */
void time_range_words(const struct snapshot_time_range *range, char *out, size_t size);

/* How many phases, what leads, and the last change; "": none were looked for. */
enum { PHASES_READING_BYTES = 1024 };
void phases_reading(const struct snapshot_timeline *timeline, char *out, size_t size);
/* How much the run, and one object (NULL: none), change from a period to the next (DTrack 4.3); "":
 * not known. */
void volatility_words(const struct snapshot_timeline *timeline,
                      const struct snapshot_stream *object, char *out, size_t size);

/* "phase A again since 20.3s: table leads with 93%; ...": the status line when one begins. */
void phase_news(const struct snapshot_phase *phase, char *out, size_t size);

/* Sentences on objects listed and not listed, for the screen and the page of --html. */
/* "148 more objects have less than 0.1% each, 3.4% together"; "" where all are listed. */
void objects_left_out(const struct snapshot *snapshot, char *out, size_t size);

/* Sets of the cache, and recurrence in the window: capacity or conflict, and why; "": there is
 * nothing. sets_note(): why the sets may be others; "". */
void sets_reading(const struct snapshot *snapshot, char *out, size_t size);
const char *sets_note(const struct snapshot_sets *sets);
void window_reading(const struct snapshot *snapshot, char *out, size_t size);

/* Over bytes or elements so many that which of them leads is chance. */
bool object_is_spread(const struct snapshot_object *object);

/* Why there are no rows of objects: a sentence for screen and text. */
const char *objects_nothing_yet(const struct snapshot *snapshot);

/* "312M loads, 98M stores; missed L1 1.24%, ..."; "" where nothing is simulated. */
void simulation_sentence(const struct snapshot_simulation *simulation, char *out, size_t size);

/* Sharing of cache lines in sentences; for the Sharing screen, Findings, text, JSON and HTML. */
/* The evidence and the remedy: one to three sentences. */
enum { SHARING_READING_BYTES = 2048 };
void sharing_reading(const struct snapshot_sharing_group *group, char *out, size_t size);

/* The remedy alone; "": there is none, or it is not known. */
void sharing_remedy_words(const struct sharing_remedy *remedy, char *out, size_t size);

/* The subject of the curves, and the misses of all accesses at the caches marked. */
void reuse_summary(const struct snapshot *snapshot, char *out, size_t size);

/* The meaning of a row's curve, and the remedy: a sentence or two. */
void reuse_advice(const struct snapshot_reuse *reuse, const struct snapshot_reuse_row *row,
                  char *out, size_t size);

/* "32K", "1M", "1.4M": short enough for an axis. */
const char *reuse_size_text(char out[16], double size_bytes);

/* Whether a figure says enough. */
bool reuse_is_sure(const struct snapshot_share *missed);

/* The state and results of watchpoints, in a line each; for the Watch screen, Detail and batch
 * text. */
/* "cost 0.90% of its time, 1% allowed; 4 debug registers on 1 thread: set 403 times, ..." */
void watch_summary(const struct snapshot_watch *watch, char *out, size_t size);

/* "2 of 9 objects have a verdict; at this pace the next in about 3s", and a faster way where the
 * budget is the limit; false: all have one. */
bool watch_pace(const struct snapshot_watch *watch, char *out, size_t size);

/* The results for an object, by its id; NULL: none. */
const struct snapshot_watch_object *watch_find(const struct snapshot *snapshot, uint32_t id);

/* "watched: capacity; 96% touched again within 22ms, after 4ms; 20% of the line used". */
void watch_line(const struct snapshot_watch_object *object, char *out, size_t size);

/* Why the verdict, and what to do: one to three sentences. */
enum { WATCH_READING_BYTES = 640 };
void watch_reading(const struct snapshot_watch *watch, const struct snapshot_watch_object *object,
                   char *out, size_t size);

#endif
