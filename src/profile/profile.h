/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The tables (doc/design/window.md): takes places, keeps PMPT's window, decaying counts
 * of objects, offsets, code and sets, and the n-way search; makes snapshots. The clock is
 * passed in. No allocation per sample after the tables have found their size; all memory
 * is bounded. One thread only.
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
    double half_life_s;       /* -H; 0: nothing decays */
    uint32_t ways;            /* -W */
    struct geometry geometry; /* cache level that sets are counted for */
    uint16_t event_count;
    uint8_t roles[SAMPLE_EVENTS_MAX]; /* enum event_role of each event */
    uint16_t ranking;                 /* event index */
    bool watch;                       /* profile_watch() will be called */
    bool simulated;                   /* one miss is a sample of each level that missed */
    bool lines;                       /* profile_add_lines() will be called */
    uint64_t cache_lines[3];          /* of L1d, L2, L3, for what watches mean; 0: not known */
    /* These tables hold a time range of that one: its timeline is shown with them, and live state
     * is not known (snapshot.h). It outlives them. NULL: the run itself. */
    const struct profile *run;
};

int profile_new(struct profile **profile, const struct profile_options *options,
                struct error *error);
void profile_free(struct profile *profile);

/* One sample, attributed or not: place->access.reason decides. Times never go back. */
void profile_add(struct profile *profile, const struct place *place);
/* Whether counting a sample of that time would ask for names (place_names): then only the thread
 * that answers may count it. */
bool profile_asks(const struct profile *profile, uint64_t time_ns);
/* Many of them, which is faster than one by one. */
void profile_add_all(struct profile *profile, const struct place *places, size_t count);

/* Line events of a simulation; no samples. Misses up to then were added before. */
void profile_add_lines(struct profile *profile, const struct line_place *lines, size_t count);

/* Result of a watchpoint; `function` and `ip` are of the touching code, where the line was touched.
 * Samples up to its end were added before. */
void profile_watch(struct profile *profile, const struct watch_result *result, uint32_t function,
                   uint64_t ip);

/*
 * Objects that have turned out to be others: what was counted for them moves, and what comes under
 * their ids from here on counts there. Once an id has ended it does not come back.
 */
void profile_rename(struct profile *profile, const struct object_rename *list, size_t count);
/* The same for all objects that another profile knows of. */
void profile_rename_as(struct profile *profile, const struct profile *other);
/* The object that an id counts under now. */
uint32_t profile_object(const struct profile *profile, uint32_t object);

/* Records the source lost, or throttle records, for the totals. */
void profile_lost(struct profile *profile, uint64_t count);
void profile_throttled(struct profile *profile, uint64_t count);

/* The time ranges of a phase, by its letter, in the order of time: returns their number and fills
 * in the first `room`. */
size_t profile_time_ranges(const struct profile *profile, char letter, struct time_range *out,
                           size_t room);

/* Requests of the views. */
void profile_set_basis(struct profile *profile, enum snapshot_basis basis);
enum snapshot_basis profile_basis(const struct profile *profile);
void profile_set_ranking(struct profile *profile, uint16_t event);
void profile_zero(struct profile *profile, uint64_t now_ns);

/* Snapshots from here on list every instruction with every object (snapshot_objects.h), or not. */
void profile_want_accesses(struct profile *profile, bool wanted);

/* Starts the n-way search on [base, bound) at now; "all" is 0, UINT64_MAX. */
void profile_search_start(struct profile *profile, uint64_t base, uint64_t bound, const char *what,
                          uint64_t now_ns);
void profile_search_stop(struct profile *profile);
/* To the one that another took the place of, as it stood then; false: there is none. */
bool profile_search_back(struct profile *profile, uint64_t now_ns);
enum search_state profile_search_state(const struct profile *profile);
/* The search that the other one has, started here from its beginning; or none. */
void profile_search_as(struct profile *profile, const struct profile *other, uint64_t now_ns);
/* To the search alone: places that the tables have had before. Their times go on from its start. */
void profile_search_add(struct profile *profile, const struct place *place, uint64_t now_ns);

/*
 * Makes a snapshot as of now_ns and moves the histories on by one refresh. The caller fills
 * target, source, interval_s, iteration, elapsed_s and status through `head` (copied).
 * NULL: out of memory. Free with snapshot_free().
 */
const struct snapshot *profile_snapshot(struct profile *profile, const struct snapshot *head,
                                        uint64_t now_ns);
/* The objects, fields and layouts alone of the counts so far, for what-if plans. It is no refresh:
 * time does not move on, so that a replay, which has no such calls, gives the same. */
const struct snapshot *profile_glance(struct profile *profile, const struct snapshot *head);
void snapshot_free(const struct snapshot *snapshot);

#endif
