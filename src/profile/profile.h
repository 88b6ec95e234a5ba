/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The tables (doc/design/window.md): PMPT's window, decaying counts, the n-way search; makes
 * snapshots. The clock is a parameter. Nothing allocates per sample once the tables have reached
 * their size, and all memory is bounded. Single-threaded.
 */
#ifndef MISSTOP_PROFILE_PROFILE_H
#define MISSTOP_PROFILE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "place.h"
#include "profile/cache/geometry.h"
#include "snapshot.h"
#include "snapshot_share.h"
#include "snapshot_watch.h"

struct profile;

struct profile_options {
    struct place_names names;
    uint32_t window_entries;  /* -w; 0: default */
    double half_life_s;       /* -H; 0: no decay */
    uint32_t ways;            /* -W */
    struct geometry geometry; /* cache level of the counted sets */
    uint16_t event_count;
    uint8_t roles[SAMPLE_EVENTS_MAX]; /* enum event_role of each event */
    uint16_t ranking;                 /* event index */
    bool watch;                       /* profile_watch() will be called */
    bool simulated;                   /* one miss is a sample of each level that missed */
    bool lines;                       /* profile_add_lines() will be called */
    uint64_t cache_lines[3]; /* lines of L1d, L2, L3, for the verdicts of watches; 0: not known */
    /* The profile of the run, if these tables hold a time range of it: its timeline is shown, and
     * live state is not known. It outlives this profile. NULL: this is the whole run. */
    const struct profile *run;
};

int profile_new(struct profile **profile, const struct profile_options *options,
                struct error *error);
void profile_free(struct profile *profile);

/* Adds one sample, attributed or not (place->access.reason). Times never decrease. */
void profile_add(struct profile *profile, const struct place *place);
/* Returns true if counting a sample of that time needs names (place_names): then only the thread
 * that answers may count it. */
bool profile_needs_names(const struct profile *profile, uint64_t time_ns);
/* Adds many samples, which is faster than one by one. */
void profile_add_all(struct profile *profile, const struct place *places, size_t count);

/* Adds line events of a simulation, which are not samples. Earlier misses must have been added. */
void profile_add_lines(struct profile *profile, const struct line_place *lines, size_t count);

/* Adds the result of a watchpoint; `function` and `ip` are those of the code that touched the line.
 * Samples up to its end must have been added. */
void profile_watch(struct profile *profile, const struct watch_result *result, uint32_t function,
                   uint64_t ip);

/* Renames objects: moves their counts to the new objects, and counts later samples of the old ids
 * there. A renamed id is not used again. */
void profile_rename(struct profile *profile, const struct object_rename *list, size_t count);
void profile_rename_as(struct profile *profile, const struct profile *other);
/* Returns the object that an id counts under now. */
uint32_t profile_object(const struct profile *profile, uint32_t object);

/* Counts records that the source lost, or throttle records, in the totals. */
void profile_lost(struct profile *profile, uint64_t count);
void profile_throttled(struct profile *profile, uint64_t count);

/* Copies the first `room` time ranges of a phase, in order of time; returns the total number. */
size_t profile_time_ranges(const struct profile *profile, char letter, struct time_range *out,
                           size_t room);

/* Requests of the views. */
void profile_set_basis(struct profile *profile, enum snapshot_basis basis);
enum snapshot_basis profile_basis(const struct profile *profile);
void profile_set_ranking(struct profile *profile, uint16_t event);
void profile_zero(struct profile *profile, uint64_t now_ns);

/* Sets whether later snapshots list every instruction with every object (snapshot_objects.h). */
void profile_want_accesses(struct profile *profile, bool wanted);

/* Starts the n-way search on [base, bound) at now; "all" is 0, UINT64_MAX. */
void profile_search_start(struct profile *profile, uint64_t base, uint64_t bound, const char *what,
                          uint64_t now_ns);
void profile_search_stop(struct profile *profile);
/* Goes back to the search that the current one replaced; returns false if there is none. */
bool profile_search_back(struct profile *profile, uint64_t now_ns);
enum search_state profile_search_state(const struct profile *profile);
/* Starts the search of another profile from scratch in this one, if it has one. */
void profile_search_like(struct profile *profile, const struct profile *other, uint64_t now_ns);
/* Adds a place only to the search: the tables have it. Times continue from the search's start. */
void profile_search_add(struct profile *profile, const struct place *place, uint64_t now_ns);

/* Advances the histories by one refresh. The caller fills in target, source, interval_s, iteration,
 * elapsed_s and status in `head` (copied). NULL: out of memory. Free with snapshot_free(). */
const struct snapshot *profile_snapshot(struct profile *profile, const struct snapshot *head,
                                        uint64_t now_ns);
/* Makes a snapshot of only the objects, fields and layouts, for what-if plans. It is not a refresh:
 * histories do not advance, so that a replay without such calls has the same results. */
const struct snapshot *profile_glance(struct profile *profile, const struct snapshot *head);
void snapshot_free(const struct snapshot *snapshot);

#endif
