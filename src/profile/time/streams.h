/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Streams of misses, or of another measure, over the whole run (DTrack, section 4.1): one per
 * object, field, function or group of threads, at one base period, in bounded memory. When the room
 * for points is used up, neighbours are added pairwise and the base period doubles, so an hour and
 * a day take the same room; curves of any coarser period follow from the base. Private to
 * src/profile.
 *
 * Nothing is done per sample: at the end of each period the caller puts the totals counted so
 * far, and the stream takes what was added since.
 */
#ifndef MISSTOP_PROFILE_TIME_STREAMS_H
#define MISSTOP_PROFILE_TIME_STREAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"

enum {
    STREAMS_POINTS = 512, /* of a stream, at the most; even */
    STREAMS_MAX = 8192    /* with all their points: 32 MiB */
};

/* The key of one thing among those of all kinds. */
#define STREAM_KEY(kind, id) ((uint64_t)(kind) << 56 | (id))
#define STREAM_KIND(key)     ((unsigned)((key) >> 56))
#define STREAM_ID(key)       ((uint32_t)(key))

struct stream {
    uint64_t key; /* the caller's */
    double put;   /* the total put last */
    double total; /* of its points */
    double *at;   /* [row_points]; the last one is of the period that still runs */
};

/* Streams there may be, of all that are kept side by side. */
struct streams_budget {
    size_t used;
    size_t most; /* STREAMS_MAX unless a test wants fewer */
};

struct streams {
    struct stream *list;
    size_t count;
    size_t room;
    struct streams_budget *budget; /* the caller's */
    double least;                  /* no total of theirs is below it */
    struct hash of_key;            /* index into list */
    uint64_t start_ns;
    uint64_t period_ns; /* now; first_period_ns doubled as often as there was no room */
    size_t points;      /* whole periods */
    size_t row_points;  /* room of each row, more than `points` */
    bool crowded;       /* streams were left out or made room for others */
};

void streams_init(struct streams *streams, struct streams_budget *budget, uint64_t start_ns,
                  uint64_t period_ns);
void streams_fini(struct streams *streams);

/* The end of the period that runs. */
static inline uint64_t streams_next_ns(const struct streams *streams)
{
    return streams->start_ns + (streams->points + 1) * streams->period_ns;
}

/*
 * The count of a key from the start: the increase goes into the current period. A total that is
 * lower than the last one was begun anew, from 0. A key that comes when there is no room takes the
 * place of the one with the least total if its own is higher, and its stream begins there; else it
 * is left out.
 */
void streams_put(struct streams *streams, uint64_t key, double total);

/* The same for an increase instead of a total. A stream is put or added to, not both. */
void streams_add(struct streams *streams, uint64_t key, double added);

/* The count of a key so far is of before the first period. */
void streams_skip(struct streams *streams, uint64_t key, double total);

/* The count of one key belongs to the other: its stream goes into that one's, or becomes it. */
void streams_join(struct streams *streams, uint64_t key, uint64_t into);

/* Ends the period that runs, and those after it that have passed without anything. */
void streams_close(struct streams *streams, uint64_t now_ns);

/* NULL: none of that key. */
const struct stream *streams_find(const struct streams *streams, uint64_t key);

/* The same of a stream's whole periods; `out` holds streams->points / by. */
size_t streams_curve(const struct streams *streams, const struct stream *stream, size_t by,
                     double *out);

/*
 * How much a curve changes from point to point, as DTrack defines it (sections 4.2, 4.3), and the
 * period at which phases show and noise does not. Private to src/profile.
 */
enum {
    VOLATILITY_POINTS_MIN = 8,  /* of a curve; fewer say nothing */
    VOLATILITY_PERIODS_MAX = 64 /* of a profile */
};

/* g_t = |X_t - X_(t-1)| / max(X_t, X_(t-1)), of counts: 0 to 1; of two zeros 0. */
double volatility_step(double before, double after);

/*
 * Of a curve: the 90th percentile of its steps, by nearest rank. NAN: fewer than
 * VOLATILITY_POINTS_MIN points. Sorts nothing of the caller's.
 */
double volatility_of(const double *curve, size_t count);

/* The volatility of one curve, or of several taken together, at one period. */
struct volatility {
    size_t by; /* base periods in one of these */
    double value;
};

/* A curve at its base period, and what it counts as beside others. */
struct volatility_curve {
    const double *at;
    double weight;
};

/*
 * The profile of curves of `points` points: at periods of 1, 2, 3, ... base periods, finer where
 * the paper asks for it (4.3: troughs are at factors and multiples of a period in the program, and
 * a coarse grid passes them by), the mean of their volatilities by weight. Until curves have too
 * few points. `profile` holds VOLATILITY_PERIODS_MAX. Returns the number computed.
 */
size_t volatility_profile_of(const struct volatility_curve *curves, size_t count, size_t points,
                             struct volatility *profile);

/* The same of the strongest streams of one kind: `strongest` of them at the most. */
size_t volatility_profile(const struct streams *streams, unsigned kind, size_t strongest,
                          struct volatility *profile);

/*
 * The period to choose: the shortest with a volatility at or below `threshold`; if there is none,
 * the one with the least. 0: the profile is empty.
 */
size_t volatility_period(const struct volatility *profile, size_t count, double threshold);

#endif
