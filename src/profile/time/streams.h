/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Streams of misses, or of another measure, over the whole run (DTrack, section 4.1): one per
 * object, field, function or thread group, with one base period, in bounded memory. When a row is
 * full, adjacent points are added pairwise and the base period doubles, so an hour and a day need
 * the same memory. Curves of any coarser period are computed from the base. Private to src/profile.
 *
 * Nothing is done per sample: at the end of each period the caller passes the totals counted so
 * far, and the stream records the increase.
 */
#ifndef MISSTOP_PROFILE_TIME_STREAMS_H
#define MISSTOP_PROFILE_TIME_STREAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"

enum {
    STREAMS_POINTS = 512, /* maximum points of a stream; even */
    STREAMS_MAX = 8192    /* 32 MiB with all their points */
};

/* The key of a stream: a kind, and an id within that kind. */
#define STREAM_KEY(kind, id) ((uint64_t)(kind) << 56 | (id))
#define STREAM_KIND(key)     ((unsigned)((key) >> 56))
#define STREAM_ID(key)       ((uint32_t)(key))

struct stream {
    uint64_t key;      /* STREAM_KEY() */
    double last_total; /* the last total passed */
    double total;      /* sum of its points */
    double *at;        /* [row_points]; the last one is the current period */
};

/* Limit of the number of streams, shared by several struct streams. */
struct streams_budget {
    size_t used;
    size_t max; /* STREAMS_MAX, except in tests */
};

struct streams {
    struct stream *list;
    size_t count;
    size_t room;
    struct streams_budget *budget; /* owned by the caller */
    double min_total;              /* lower bound of all totals */
    struct hash of_key;            /* tid -> index into list */
    uint64_t start_ns;
    uint64_t period_ns; /* current period: the first one, doubled each time the rows were full */
    size_t points;      /* complete periods */
    size_t row_points;  /* capacity of each row, more than `points` */
    bool has_evicted;   /* streams were dropped or evicted */
};

void streams_init(struct streams *streams, struct streams_budget *budget, uint64_t start_ns,
                  uint64_t period_ns);
void streams_fini(struct streams *streams);

/* Returns the end of the current period. */
static inline uint64_t streams_next_ns(const struct streams *streams)
{
    return streams->start_ns + (streams->points + 1) * streams->period_ns;
}

/*
 * Sets the total of a key since the start; the increase goes into the current period. A total lower
 * than the last one has restarted from 0. If there is no room, a new key evicts the stream with the
 * lowest total if its own total is higher, and starts with the current period; otherwise it is
 * dropped.
 */
void streams_put(struct streams *streams, uint64_t key, double total);

/* A stream uses either streams_put() or streams_add(). */
void streams_add(struct streams *streams, uint64_t key, double added);

/* Sets the total of a key without recording it: it was counted before the first period. */
void streams_skip(struct streams *streams, uint64_t key, double total);

/* Merges the stream of a key into that of `into`, or renames it if there is none. */
void streams_join(struct streams *streams, uint64_t key, uint64_t into);

/* Ends the current period, and any empty periods up to now_ns. */
void streams_close(struct streams *streams, uint64_t now_ns);

/* Returns the stream of a key; NULL: none. */
const struct stream *streams_find(const struct streams *streams, uint64_t key);

/* Computes the curve of a stream's complete periods, each point the sum of `by`; `out` holds
 * streams->points / by. Returns the number of points. */
size_t streams_curve(const struct streams *streams, const struct stream *stream, size_t by,
                     double *out);

/* How much a curve changes from point to point (DTrack, sections 4.2, 4.3). */
enum {
    VOLATILITY_POINTS_MIN = 8,  /* minimum points of a curve */
    VOLATILITY_PERIODS_MAX = 64 /* maximum entries of a profile */
};

/* g_t = |X_t - X_(t-1)| / max(X_t, X_(t-1)) of counts: 0 to 1; 0 for two zeros. */
double volatility_step(double before, double after);

/* Returns the 90th percentile of a curve's steps, by nearest rank; NAN: fewer than
 * VOLATILITY_POINTS_MIN points. Does not modify the curve. */
double volatility_of(const double *curve, size_t count);

/* Volatility of one or several curves at one period. */
struct volatility {
    size_t period_steps; /* the period, in base periods */
    double value;
};

/* A curve at its base period, and its weight among other curves. */
struct volatility_curve {
    const double *at;
    double weight;
};

/*
 * Computes the volatility profile of curves of `points` points: the weighted mean of their
 * volatilities at periods of 1, 2, 3, ... base periods, until a curve has too few points. The steps
 * are finer than in the paper (4.3): troughs are at factors and multiples of a period in the
 * program, and a coarse grid misses them. `profile` holds VOLATILITY_PERIODS_MAX. Returns the
 * number of entries.
 */
size_t volatility_profile_of(const struct volatility_curve *curves, size_t count, size_t points,
                             struct volatility *profile);

/* Like volatility_profile_of(), for the `strongest` streams of one kind. */
size_t volatility_profile(const struct streams *streams, unsigned kind, size_t strongest,
                          struct volatility *profile);

/* Returns the shortest period with a volatility of at most `threshold`; if there is none, the
 * period with the lowest volatility. 0: the profile is empty. */
size_t volatility_period(const struct volatility *profile, size_t count, double threshold);

#endif
