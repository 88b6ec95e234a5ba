/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Online detection of phases: time ranges in which the misses have the same distribution over
 * objects (DTrack, section 4). The distribution is of shares instead of counts, so that load on the
 * machine is not mistaken for a change of the program. Private to src/profile.
 *
 * The test is a window-limited generalised likelihood ratio (Willsky and Jones 1976; Lai 1995). At
 * each block of misses, the last 4, 8 and 16 blocks are compared with the blocks before them in the
 * segment, by the likelihood ratio of two multinomials against one. Longer windows are added if the
 * volatility requires it (phases_rescan()). Misses come in bursts and programs run loops, so the
 * ratio is divided by the dispersion of adjacent windows of the same length within segments: a loop
 * shorter than the window is not a phase, and noise of any colour raises its own threshold. The
 * dispersion is an M-estimate with exponential forgetting: large values are clamped (Huber 1964; as
 * a recursion Gelper, Fried and Croux, J. of Forecasting 29, 2010) and old values decay, so that
 * neither the noise of the start nor a missed change stays in it.
 *
 * A change is reported if the newest blocks are still closer to the other changed blocks than to
 * the old ones; a garbage collection that comes and goes is not a change. A segment of fewer than 4
 * blocks is the transition between its neighbours, and so is a segment of up to 16 blocks that
 * matches no known phase and is a mixture of its neighbours (within 10 % of its misses). Its time
 * is divided between them in proportion to its misses. A segment with the letter of the one before
 * is merged with it.
 *
 * Objects map to columns by a hash of their id, so that an object that appears late needs no
 * history. A recurring phase is recognised by its shares, within a distance of 15 % of the misses
 * in excess of the expected noise of both.
 */
#ifndef MISSTOP_PROFILE_TIME_PHASES_H
#define MISSTOP_PROFILE_TIME_PHASES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "snapshot_share.h"

enum {
    PHASES_COLUMNS = 64,
    PHASES_SCALES = 7,   /* windows of 1, 2, 4, ... 64 blocks */
    PHASES_USUAL = 5,    /* windows of up to 16 blocks are always tested */
    PHASES_TESTED = 2,   /* shortest window tested: 4 blocks */
    PHASES_FIRST = 12,   /* blocks before the first test: the dispersion has to be measured first */
    PHASES_LAG = 4,      /* blocks after which it is certain that no change came */
    PHASES_WINDOW = 132, /* blocks kept: two of the longest windows, and the lag */
    PHASES_MAX = 26,     /* different phases: A to Z */
    PHASES_SEGMENTS = 4096,
    PHASES_BLOCK_SAMPLES = 100, /* smaller blocks grow before anything is tested */
    PHASES_SHORTEST = 4,        /* blocks; shorter segments are transitions */
    PHASES_EDGE = 16, /* blocks; longer segments are not transitions, whatever their shares */
    PHASES_NONE = 255
};

/* Minimum share of the misses that moves to other columns when the phase changes. */
#define PHASES_DISTANCE 0.10

struct phases_block {
    uint64_t start_ns;
    double counts[PHASES_COLUMNS];
    double sum;
};

struct phases_segment {
    uint64_t start_ns;
    uint64_t end_ns;      /* for the last segment, its end so far */
    uint64_t detected_ns; /* when its beginning was detected; 0: the first segment */
    double samples;
    uint8_t phase; /* index; PHASES_NONE: too short to classify */
};

/* A recurring phase, with one letter. */
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
    struct phases_phase known[PHASES_MAX];
    unsigned known_count;
    double segment_counts[PHASES_COLUMNS]; /* counts of all blocks of the last segment */
    double segment_sum;
    bool after_transition;           /* the last change ended a transition instead of a segment */
    double previous[PHASES_COLUMNS]; /* counts of the previous segment */
    uint64_t blocks;                 /* blocks in the last segment */
    struct phases_block window[PHASES_WINDOW]; /* ring buffer of its newest blocks */
    struct phases_block current_block;         /* block in progress */
    uint64_t block_total;                      /* blocks of all segments */
    unsigned scales;               /* window lengths tested: PHASES_TESTED up to this one */
    double ratios[PHASES_SCALES];  /* sums of the ratios of adjacent windows */
    double degrees[PHASES_SCALES]; /* sums of their degrees of freedom */
};

/* Returns 0 or -ENOMEM. */
int phases_init(struct phases *phases, uint64_t start_ns);
void phases_fini(struct phases *phases);

unsigned phases_column(uint32_t object);

/* Adds the samples by column in [start_ns, end_ns), which follows the previous range. Returns true
 * if a new segment has begun, possibly some blocks ago. */
bool phases_add(struct phases *phases, const double counts[PHASES_COLUMNS], uint64_t start_ns,
                uint64_t end_ns);

/* Extends the tested windows to 16 times the period that damps this program's noise, as far as
 * PHASES_SCALES allows. Shorter windows are always tested, so that short phases are found. */
void phases_rescan(struct phases *phases, uint64_t period_ns);

/* Returns the length of the shortest ended segment with an observed beginning; 0: none. */
uint64_t phases_shortest_ns(const struct phases *phases);

/* Returns the known phase that the last segment matches so far; PHASES_NONE: none, or the segment
 * is too short. */
uint8_t phases_now(const struct phases *phases);

/* Copies the first `room` time ranges of a phase in order of time and returns the total number. A
 * range that is still open ends at the last known time. */
size_t phases_time_ranges(const struct phases *phases, uint8_t phase, struct time_range *out,
                          size_t room);
/* Like phases_now(), but if the last segment matches no known phase, returns the letter that it
 * will get if its shares stay as they are. */
uint8_t phases_letter(const struct phases *phases);

/* Copies the newest segments, at least one, and returns how many. The last segment has the letter
 * that it matches so far, and is merged with the segment before if both have the same letter. */
size_t phases_newest(const struct phases *phases, struct phases_segment *out, size_t room);

/* Starts a new segment with the newest `length` blocks. */
void phases_split(struct phases *phases, uint64_t length);

#endif
