/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Common problems recognised in a snapshot after all other parts are finished. Each rule is a row
 * in the table of its family (layout.c, access.c, misses.c, threads.c) and a function of the
 * snapshot and the spreads of the leading objects. A rule reports nothing unless all its conditions
 * hold: a wrong finding costs its reader more than a missing one. The thresholds of a rule are next
 * to it. They are based on programs with the problem, compared with fixed ones:
 *
 *     make -C build judge-findings                                         (tests/judged)
 *     FINDINGS_FULL=1 make -C build check TESTS=tests/live/test_findings   (estimates and gains)
 *
 * doc/design/findings.md has the figures. A threshold from another source has the source next to
 * it. Shares are of all samples unless stated otherwise. Private to src/profile; build_findings()
 * (state.h) applies the rules; tests can pass a snapshot of their own.
 */
#ifndef MISSTOP_PROFILE_FINDINGS_FINDINGS_H
#define MISSTOP_PROFILE_FINDINGS_FINDINGS_H

#include <stdint.h>

#include "base/array.h"
#include "profile/cache/spread.h"
#include "snapshot.h"
#include "snapshot_findings.h"

/*
 * Findings held between refreshes: the window drops half of its samples whenever it is full
 * (window.h), so a finding near a threshold would come and go. A finding that was found in two
 * refreshes keeps its last state until as many new samples have arrived as it was based on; but at
 * most for FINDINGS_HELD_S, because with few samples none would leave.
 */
enum { FINDINGS_HELD_MAX = 24, FINDINGS_HELD_TEXT = 2048 };

#define FINDINGS_HELD_S 30.0

struct finding_held {
    struct snapshot_finding finding; /* its strings point into text */
    char text[FINDINGS_HELD_TEXT];
    uint64_t expires_at_added; /* value of window.added at which it expires */
    double found_s;            /* elapsed time of the last refresh that found it */
    uint32_t seen_count;
};

struct findings_held {
    struct finding_held *list; /* [FINDINGS_HELD_MAX]; NULL until the first finding */
    size_t count;
};

void findings_held_fini(struct findings_held *held);

/* Drops the findings about objects that were renamed (renamed[id] != 0): their counts have moved,
 * and the new objects are judged. */
void findings_held_drop_renamed(struct findings_held *held, const uint32_t *renamed, size_t count);

struct findings_moment {
    uint64_t added; /* total samples added to the window */
    uint32_t used;  /* samples in it now */
    double elapsed_s;
};

/* Stores the findings of `list` and appends held findings that are absent (strings in the arena),
 * at most `room` in all. Returns the number of findings. Holds nothing if memory runs out. */
size_t findings_held_join(struct findings_held *held, struct snapshot_finding *list, size_t count,
                          size_t room, const struct findings_moment *moment, struct arena *arena);

enum { FINDINGS_MAX = 24, FINDINGS_PAGE_BYTES = 4096 };

/* More than a core's own caches hold (an L2 of 0.25 to 3 MiB). If the source measures time, smaller
 * data may be time spent computing. */
#define FINDINGS_BEYOND_BYTES  (4.0 * 1024 * 1024)
#define FINDINGS_GAIN_MIN      0.03 /* share of all samples: less is not worth a change */
#define FINDINGS_SAMPLES       200  /* minimum of an object: an error of 7 points in its shares */
#define FINDINGS_MOSTLY        0.5
#define FINDINGS_STREAMING_MIN 0.1 /* every large object is read at some time */

struct findings {
    const struct snapshot *snapshot;
    struct arena *arena;
    const struct spread *spreads; /* [spread_count], of the first objects */
    size_t spread_count;
    const struct window *window; /* NULL in some tests */
    struct place_names names;
    bool is_current;   /* the snapshot is of the current state: words of memory match it */
    double attributed; /* attributed share of all samples of the ranking event, by weight */
    double span_s;     /* CPU time that the window covers; NAN: not known; `rate` too */
    double rate;       /* attributed samples per second of span_s */
    struct snapshot_finding *list; /* [FINDINGS_MAX] */
    size_t count;
};

struct findings_rule {
    enum finding_rule rule;
    enum finding_kind kind;
    /* One of these functions; neither if the function of another rule also reports this finding. */
    void (*find)(struct findings *findings);
    /* Called for each object with enough samples. */
    void (*find_object)(struct findings *findings, size_t object);
    bool needs_real_time;      /* not if a cache is simulated: simulated misses take no time */
    bool changes_use;          /* the remedy changes the use of the memory, not its layout */
    bool assumes_reuse;        /* assumes that lines were cached before and are reused */
    bool assumes_unused_bytes; /* assumes that whole lines are fetched for few bytes */
};
struct findings_family {
    const struct findings_rule *rules;
    size_t count;
};
#define FINDINGS_FAMILY(rules)                                                                     \
    {                                                                                              \
        rules, sizeof(rules) / sizeof *(rules)                                                     \
    }
extern const struct findings_family findings_layout;
extern const struct findings_family findings_access;
extern const struct findings_family findings_misses;
extern const struct findings_family findings_threads;

/* Returns a rule; NULL for RULE_NONE. */
const struct findings_rule *findings_rule(enum finding_rule rule);
void findings_apply(struct findings *findings, enum finding_rule rule);
void findings_find(struct findings *findings);

/* Confirms, weakens or drops findings by the causes of misses and the watches; then sorts them. */
void findings_weigh(struct findings *findings);

/* Appends the findings held from earlier refreshes. */
void findings_hold(struct findings *findings, struct findings_held *held);

/* Adds a copy of a finding; fills in id, name, function and line from the object if it is listed.
 * Ignores findings below FINDINGS_GAIN_MIN. */
void findings_add(struct findings *findings, const struct snapshot_finding *finding);
/* Return true if there is a finding about the object, of any kind or of one. */
bool findings_has(const struct findings *findings, uint32_t object);
bool findings_has_kind(const struct findings *findings, uint32_t object, enum finding_kind kind);

/* Returns true if the samples on two objects are in the same memory: one was renamed. */
bool findings_overlap(const struct findings *findings, uint32_t one, uint32_t other);

/* Returns the spread of an object; NULL: too few samples for any rule about it. */
const struct spread *findings_spread(const struct findings *findings, size_t object);
double findings_share(const struct findings *findings, size_t object);
/* Returns the object's share of all samples including its part of those without an object: an upper
 * bound of what a remedy can save. */
double findings_gain_max(const struct findings *findings, size_t object);
/* Returns a function's share of all samples; findings_order() the order of accesses. */
double findings_code_share(const struct findings *findings, const struct snapshot_code *code);
enum spread_order findings_order(const struct findings *findings, size_t object);

/* Returns true if a cache is simulated: its misses are what counts, and time has no meaning. */
bool findings_simulated(const struct findings *findings);
/* Returns the name of the simulated cache with the ranking misses; NULL: not known. */
const char *findings_level_name(const struct findings *findings);
/* Returns the causes of an object's simulated misses; NULL: no causes, or too few misses. */
const struct snapshot_causes_row *findings_causes(const struct findings *findings, uint32_t object);
/* Returns the smallest data worth a finding: the simulated cache, or FINDINGS_BEYOND_BYTES. */
double findings_min_bytes(const struct findings *findings);

/* Returns the heap bin of an object's blocks; NULL: none. */
const struct snapshot_bin *findings_bin(const struct findings *findings, size_t object);

/* Estimates a lower bound of an object's distinct pages that miss, sampled or not (Chao, as
 * spread_bytes()). Walks the window, so check other conditions first. */
double findings_pages(const struct findings *findings, size_t object);

/* Links of some nodes in the window, read just now. */
struct findings_links {
    uint32_t links_in_object; /* links that lead to memory of the object */
    uint32_t far_links;       /* links to another page */
    uint32_t near_links;      /* links to a neighbour */
    uint32_t pairs;           /* nodes soon followed by a miss on another node */
    /* of these, misses on the link's target; only if every miss is recorded */
    uint32_t followed_misses;
    uint32_t nodes;      /* nodes with a link that could be read */
    uint32_t deep_nodes; /* nodes with this many successors: */
};
enum { FINDINGS_LINKS_DEEP = 4 };

/* Returns true if two links lead back to each other's node: a doubly linked list. */
bool findings_links_mutual(const struct findings *findings, size_t object,
                           const struct snapshot_layout *layout, uint64_t one, uint64_t other);

/* Queries facts about the process and the memory around an address. */
void findings_memory(const struct findings *findings, uint64_t address, struct memory_use *use);

/* Returns true if a member is a pointer to the type with that name. */
bool findings_points_to(const struct snapshot_layout_row *row, const char *type);

/* The bytes of an element in use, and the range of the hot ones. */
struct findings_hot {
    uint64_t used_bytes; /* total size of members with a relevant number of samples */
    uint64_t first;      /* offset of the first hot byte; `end`: one past the last */
    uint64_t end;
    const char *members; /* "x, y, z", hottest first; NULL: no names */
};
void findings_hot(const struct snapshot_layout *layout, struct arena *arena,
                  struct findings_hot *hot);

#endif
