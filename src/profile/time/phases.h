/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Phases of a run, found as it goes on: time ranges in which the misses fall on the objects in the
 * same shares (DTrack, section 4; the shares, not the counts, so that a machine under load is no
 * change of the program). Private to src/profile.
 *
 * The test is a window-limited generalised likelihood ratio (Willsky and Jones 1976; Lai 1995): at
 * each block of misses, the last 4, 8 and 16 blocks (and more of them where the volatility asks
 * for it: phases_look_over()) are compared with the blocks before them in the segment, by the
 * likelihood ratio of two multinomials against one. Misses come in bursts and programs go round in
 * loops, so the ratio is divided by the difference of neighbouring windows of that length inside
 * segments (a dispersion for each length): a loop shorter than the window is no phase, and noise
 * of any colour sets its own bar. The dispersion is an M-estimate with exponential forgetting:
 * large values count by a bound (Huber 1964; as a recursion Gelper, Fried and Croux, J. of
 * Forecasting 29, 2010), and old ones count less and less, so that neither the noise of a start
 * nor a missed change stays in it.
 *
 * A change is reported when the newest blocks are still more like the rest of the new ones than
 * like the old: a collector that comes and goes is none. A segment of fewer than 4 blocks, or of
 * up to 16 that is like no known one and a mixture of its neighbours (within 10 % of its misses),
 * is the edge between them: each has as much of its time as of its misses. A segment that has the
 * letter of the one before is one with it.
 *
 * Objects are columns by a hash of their id: fixed from the start, so that an object that turns up
 * late needs no history. A phase that comes back is recognised by its shares, at a distance of up
 * to 15 % of the misses beside the expected noise of both.
 */
#ifndef MISSTOP_PROFILE_TIME_PHASES_H
#define MISSTOP_PROFILE_TIME_PHASES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "snapshot_share.h"

enum {
    PHASES_COLUMNS = 64,
    PHASES_SCALES = 7,   /* windows of 1, 2, 4, ... 64 blocks, */
    PHASES_USUAL = 5,    /* those of up to 16 are always tested */
    PHASES_TESTED = 2,   /* ... from 4 blocks on, for shorter ones are edges and chance */
    PHASES_FIRST = 12,   /* blocks before anything is tested: bursts are to be known first */
    PHASES_LAG = 4,      /* blocks after which it is plain that no change came */
    PHASES_WINDOW = 132, /* blocks that are kept: two of the longest windows, and those */
    PHASES_MOST = 26,    /* different ones: A to Z */
    PHASES_SEGMENTS = 4096,
    PHASES_BLOCK_SAMPLES = 100, /* fewer are joined with the next before anything is tested */
    PHASES_SHORTEST = 4,        /* blocks; shorter segments are the edge between their neighbours */
    PHASES_EDGE = 16,           /* blocks; longer ones are no edge, whatever they are like */
    PHASES_NONE = 255
};

/* Share of the misses that falls on other columns in another phase, at the least. */
#define PHASES_DISTANCE 0.10

struct phases_block {
    uint64_t start_ns;
    double counts[PHASES_COLUMNS];
    double sum;
};

/* A time range of the run with a stable distribution. */
struct phases_segment {
    uint64_t start_ns;
    uint64_t end_ns;   /* so far, of the last one */
    uint64_t known_ns; /* when it was known that it had begun; 0: the first */
    double samples;
    uint8_t phase; /* index; PHASES_NONE: too short to say */
};

/* The recurring phase of one letter. */
struct phases_phase {
    double shares[PHASES_COLUMNS];
    double samples;
    uint64_t time_ns;
    uint32_t segments;
};

struct phases {
    struct phases_segment *segments;
    size_t segment_count;
    size_t segment_room;
    struct phases_phase known[PHASES_MOST];
    unsigned known_count;
    double now[PHASES_COLUMNS]; /* counts of the last segment, all of its blocks */
    double now_sum;
    bool was_edge; /* the part before the last change was no segment, and went to its neighbours */
    double previous[PHASES_COLUMNS];           /* of the segment before it */
    uint64_t blocks;                           /* in the last segment */
    struct phases_block window[PHASES_WINDOW]; /* its newest, in a ring */
    struct phases_block growing;               /* not large enough to be a block yet */
    uint64_t seen;                             /* blocks, of all segments */
    unsigned scales;                           /* windows below this one are tested */
    double ratios[PHASES_SCALES];              /* of neighbouring windows: their sum, */
    double degrees[PHASES_SCALES];             /* and that of their degrees of freedom */
};

/* -ENOMEM. */
int phases_init(struct phases *phases, uint64_t start_ns);
void phases_fini(struct phases *phases);

/* The column of an object id. */
unsigned phases_column(uint32_t object);

/*
 * Samples by column of [start_ns, end_ns), which follows the one before. true: a new segment has
 * begun, perhaps some blocks ago.
 */
bool phases_add(struct phases *phases, const double counts[PHASES_COLUMNS], uint64_t start_ns,
                uint64_t end_ns);

/*
 * The period at which the noise of this program is damped: windows of up to 16 times as long are
 * tested, as far as there are any. Shorter ones are tested whatever it is, so that short phases are
 * seen, those too that nothing has shown yet.
 */
void phases_look_over(struct phases *phases, uint64_t period_ns);

/* The shortest that has ended, if its beginning was seen; 0: none. */
uint64_t phases_shortest_ns(const struct phases *phases);

/* The known phase that the last segment is like so far; PHASES_NONE: none, or it is too short. */
uint8_t phases_now(const struct phases *phases);

/* The time ranges of a phase, in the order of time: returns their number and fills in the first
 * `room`. The last one, which goes on, ends where it is known to. */
size_t phases_time_ranges(const struct phases *phases, uint8_t phase, struct time_range *out,
                          size_t room);
/* The same, but where it is like none so far the letter that it will have if it stays like that. */
uint8_t phases_letter(const struct phases *phases);

/* Copies the newest segments, at least one. The last one has the letter it is like so far, and is
 * one with the segment before it while that is the same letter. Returns how many. */
size_t phases_newest(const struct phases *phases, struct phases_segment *out, size_t room);

/* The newest blocks begin a segment of their own. */
void phases_split(struct phases *phases, uint64_t length);

#endif
