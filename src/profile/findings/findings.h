/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Common problems recognised in a snapshot with all other parts finished. Each rule is a row in the
 * table of its family (layout.c, access.c, misses.c, threads.c) and a function over the snapshot
 * and the spreads of the leading objects, silent unless all its conditions hold: a wrong finding
 * costs its reader more than a missing one. Its thresholds are beside it. Evidence for these:
 * programs with the problem beside mended ones,
 *
 *     make -C build judge-findings                                         (tests/judged)
 *     FINDINGS_FULL=1 make -C build check TESTS=tests/live/test_findings   (estimates beside gains)
 *
 * doc/design/findings.md has the figures. Where another source gives the number, it is beside it.
 * Parts are of all samples where nothing else is said. Private to src/profile; build_findings()
 * (state.h) applies the rules; tests may give them a snapshot of their own.
 */
#ifndef MISSTOP_PROFILE_FINDINGS_FINDINGS_H
#define MISSTOP_PROFILE_FINDINGS_FINDINGS_H

#include <stdint.h>

#include "base/array.h"
#include "profile/cache/spread.h"
#include "snapshot.h"
#include "snapshot_findings.h"

/*
 * Findings from refresh to refresh. A rule judges by the contents of the window, and half of that
 * is dropped at once whenever it is full (window.h): a finding near a threshold would come and go.
 * So one that was found in two refreshes stays as it was last, until the samples that it was found
 * by have left the window, that is, until as many have come as there were then; and no longer than
 * FINDINGS_HELD_S, for where few samples come none leave. Owned by the profile; findings.c calls
 * it.
 */
enum { FINDINGS_HELD_MAX = 24, FINDINGS_HELD_TEXT = 2048 };

#define FINDINGS_HELD_S 30.0

struct finding_held {
    struct snapshot_finding finding; /* its strings point into text */
    char text[FINDINGS_HELD_TEXT];
    uint64_t window_until; /* samples added to the window by when it is forgotten */
    double found_s;        /* elapsed time of the last refresh that found it */
    uint32_t times;
};

struct findings_held {
    struct finding_held *list; /* [FINDINGS_HELD_MAX]; NULL until the first finding */
    size_t count;
};

void findings_held_fini(struct findings_held *held);
void findings_held_clear(struct findings_held *held);

/* Forgets those of objects that are another one now (renamed[id] != 0): what they were found by has
 * moved there, and is judged there. */
void findings_held_leave(struct findings_held *held, const uint32_t *renamed, size_t count);

/* Position of the window and the clock. */
struct findings_moment {
    uint64_t added; /* samples, to the window, ever */
    uint32_t used;  /* in it now */
    double elapsed_s;
};

/*
 * Remembers the findings of `list` and adds those that are held and absent (strings in the arena),
 * at most `room` in all. Returns their number. Without memory nothing is held.
 */
size_t findings_held_join(struct findings_held *held, struct snapshot_finding *list, size_t count,
                          size_t room, const struct findings_moment *moment, struct arena *arena);

enum { FINDINGS_MAX = 24, FINDINGS_PAGE_BYTES = 4096 };

/* More than a core's own caches hold (an L2 of 0.25 to 3 MiB): data of less may be time of work,
 * where the source weighs time. */
#define FINDINGS_BEYOND_BYTES    (4.0 * 1024 * 1024)
#define FINDINGS_GAIN_LEAST      0.03 /* of all samples: less is not worth a change of the program */
#define FINDINGS_SAMPLES         200  /* on the object: shares of it are known to 7 points then */
#define FINDINGS_MOSTLY          0.5
#define FINDINGS_STREAMING_LEAST 0.1 /* everything large is read sometime */

struct findings {
    const struct snapshot *snapshot;
    struct arena *arena;
    const struct spread *spreads; /* of the first objects */
    size_t spread_count;
    const struct window *window; /* NULL: none, in tests */
    struct place_names names;
    bool now;          /* the snapshot is of the run up to now: words of memory are of that time */
    double attributed; /* part of all samples of the event that ranks, by weight, as shares are */
    double span_s;     /* CPU time that the window covers; NAN: not known, like the next one */
    double rate;       /* samples a second of it that were attributed */
    struct snapshot_finding *list; /* [FINDINGS_MAX] */
    size_t count;
};

struct findings_rule {
    enum finding_rule rule;
    enum finding_kind kind;
    /* One of these, or neither: another rule's function reports this one too. */
    void (*find)(struct findings *findings);
    void (*find_object)(struct findings *findings, size_t object); /* of each that is worth it */
    bool of_samples; /* where no cache is simulated: simulated misses take no time */
    bool of_use;     /* the remedy is another use of the memory, not another layout */
    bool of_reuse;   /* lines were in the cache before, and would be found there again */
    bool of_unused;  /* whole lines are fetched for few bytes */
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

/* NULL: none, of RULE_NONE. */
const struct findings_rule *findings_rule(enum finding_rule rule);
void findings_apply(struct findings *findings, enum finding_rule rule);
/* All rules. */
void findings_find(struct findings *findings);

/* Confirms, weakens or drops a finding by the causes of misses and the watches. Then the order. */
void findings_weigh(struct findings *findings);

/* Then those that are held from earlier refreshes. */
void findings_hold(struct findings *findings, struct findings_held *held);

/* Takes a copy; id, name, function and line are filled in from the object, if it is listed. Silent
 * below FINDINGS_GAIN_LEAST. */
void findings_add(struct findings *findings, const struct snapshot_finding *finding);
/* Order of the list: the gain, or the samples it is about where the gain is not known. */
bool findings_has(const struct findings *findings, uint32_t object);
bool findings_has_kind(const struct findings *findings, uint32_t object, enum finding_kind kind);

/* The samples on two objects are in the same memory: one had another name before. */
bool findings_overlap(const struct findings *findings, uint32_t one, uint32_t other);

/* NULL: too few samples on the object for any rule about its spread. */
const struct spread *findings_spread(const struct findings *findings, size_t object);
/* Part of all samples on the object; its spread's order. */
double findings_share(const struct findings *findings, size_t object);
/* Part of all samples on the object with its part of those that have none: the most that a remedy
 * could save. */
double findings_most(const struct findings *findings, size_t object);
/* Part of all samples in a function. */
double findings_code_share(const struct findings *findings, const struct snapshot_code *code);
enum spread_order findings_order(const struct findings *findings, size_t object);

/* A cache is simulated, and misses of it are what counts here; time means nothing then. */
bool findings_simulated(const struct findings *findings);
/* The simulated cache that ranks by its misses, and its name; NULL: not known. */
const char *findings_level_name(const struct findings *findings);
/* Of an object in a simulation; NULL: no causes, or too few of its misses. */
const struct snapshot_causes_row *findings_causes(const struct findings *findings, uint32_t object);
/* Data of less is not worth a word: what the simulated cache holds, else FINDINGS_BEYOND_BYTES. */
double findings_beyond(const struct findings *findings);

/* The heap bin that an object's blocks are counted in; NULL: none. */
const struct snapshot_bin *findings_bin(const struct findings *findings, size_t object);

/* Distinct pages of an object that miss, seen or not: at least so many (Chao, as spread_bytes()).
 * Walks the window: for objects that all else speaks for. */
double findings_pages(const struct findings *findings, size_t object);

/* Some nodes of the window with links read just now. */
struct findings_links {
    uint32_t read;     /* that lead to memory of the object */
    uint32_t far;      /* of these, to another page */
    uint32_t near;     /* ... to a neighbour */
    uint32_t pairs;    /* nodes after which another miss on one came soon, */
    uint32_t followed; /* links followed: only if every miss is recorded */
    uint32_t nodes;    /* nodes with a link that was looked up */
    uint32_t deep;     /* of these, followed by so many more: */
};
enum { FINDINGS_LINKS_DEEP = 4 };
void findings_links(const struct findings *findings, size_t object,
                    const struct snapshot_layout *layout, uint64_t link_offset,
                    struct findings_links *links);

/* Two links that lead back to where the other one came from, of most nodes that were sampled: a
 * list in both directions. */
bool findings_links_mutual(const struct findings *findings, size_t object,
                           const struct snapshot_layout *layout, uint64_t one, uint64_t other);

/* Facts of the process and of the memory around an address. */
void findings_memory(const struct findings *findings, uint64_t address, struct memory_use *use);

/* A member that is a pointer to a type of that name. */
bool findings_points_to(const struct snapshot_layout_row *row, const char *type);

/* Bytes of an element in use, and between the first and the last that matter. */
struct findings_hot {
    uint64_t used_bytes; /* of members that were sampled at all, worth mentioning */
    uint64_t first;      /* offset of the first hot byte; end: one after the last */
    uint64_t end;
    const char *members; /* "x, y, z", hottest first; NULL: no names */
};
void findings_hot(const struct snapshot_layout *layout, struct arena *arena,
                  struct findings_hot *hot);

#endif
