/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Part of struct snapshot (its rules are in snapshot.h): the whole run over time, by object,
 * function, field and group of threads, and the phases in it. Whatever the basis shown. */
#ifndef MISSTOP_SNAPSHOT_TIME_H
#define MISSTOP_SNAPSHOT_TIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Measures over time. One of them ranks; another is known where it is sampled too. */
enum snapshot_measure {
    MEASURE_MISSES,   /* or another event that is neither of those */
    MEASURE_ACCESSES, /* loads, where the event counts loads */
    MEASURE_WAITING,  /* cycles or time; by latency x accesses where no event counts them */
    SNAPSHOT_MEASURES
};

/* Counts of one object, function, field or group of threads in each period, of all attributed
 * samples. */
struct snapshot_stream {
    uint32_t object; /* it is, or that the field is of: index into objects; UINT32_MAX: none */
    const char *name;
    double *weight;    /* [periods] */
    double share;      /* of the whole run */
    double volatility; /* at the period shown; NAN: too few */
    double
        *volatilities; /* [profile_count], at the periods of the profile; of objects, else NULL */
};

struct snapshot_streams {
    struct snapshot_stream *list; /* those that counted most first */
    size_t count;
};

/* One measure of the run. */
struct snapshot_measured {
    double *all;    /* [periods], attributed; NULL: it is not sampled */
    double *nobody; /* [periods], what has no object, beside `all`; NULL: not known */
    struct snapshot_streams objects;
    struct snapshot_streams functions;
    struct snapshot_streams fields;  /* of the leading objects */
    struct snapshot_streams threads; /* by name: those that differ in a number at the end */
};

/* A time range in which the misses fall on the objects in the same shares. */
struct snapshot_phase {
    double start_s; /* from the start of the run */
    double end_s;   /* so far, of the last one */
    double known_s; /* when it was known that it had begun; NAN: the first */
    double samples;
    char name[4];       /* "A": time ranges of one name are alike; "": not classified yet */
    double distance;    /* share of misses that fell elsewhere than in the one before: of the same
                         * periods as what rose and fell; NAN: the first, or nothing to compare */
    const char *leader; /* the object with most misses in it; NULL: none */
    uint32_t object;    /* its index into objects; UINT32_MAX */
    double leader_share;
    const char *rose; /* the object that gained most share since the time range before; NULL */
    double rose_by;   /* 0 to 1 of the misses; NAN */
    const char *fell;
    double fell_by;
    double *shares; /* [objects.count] of the misses in it; NULL: there are none */
    double nobody;  /* part of all that was sampled in it, attributed or not, without an object */
    bool inversion; /* another object led before */
    bool again;     /* there was one of its name before */
};

/* Noise is damped where the volatility is at or below this: DTrack selects by a threshold (4.3) but
 * gives no value. */
#define SNAPSHOT_VOLATILITY_DAMPED 0.25

struct snapshot_volatility {
    double period_s;
    double value; /* 0 to 1 */
};

/* Two objects; one has its misses when the other has none. */
struct snapshot_turns {
    uint32_t left; /* indices into the objects of what ranks */
    uint32_t right;
    double correlation; /* -1 to 0 */
};

struct snapshot_timeline {
    double start_s;    /* of the first period, elapsed time; NAN: nothing yet */
    uint64_t start_ns; /* the same by the clock of the samples; 0 */
    double period_s;   /* of the points: some base periods, by the volatility and the phases */
    double damped_s;   /* at which the noise of the whole run is damped; NAN: at none */
    double base_s;     /* the base period now */
    size_t periods;
    enum snapshot_measure ranks; /* measure of the ranking event; phases are of it */
    struct snapshot_measured by[SNAPSHOT_MEASURES];
    struct snapshot_phase *phases; /* in time order; the last one goes on */
    size_t phase_count;
    size_t different;                    /* phases with other distributions */
    struct snapshot_volatility *profile; /* by period */
    size_t profile_count;
    struct snapshot_volatility *recent; /* of the last two minutes, at the shortest base period */
    size_t recent_count;
    double recent_s;    /* the period chosen from it; NAN: too early to say */
    bool recent_damped; /* the noise is, at that period */
    double display_s; /* for the refreshed figures: it damps the noise and keeps the phases; NAN */
    struct snapshot_turns *turns; /* strongest first */
    size_t turn_count;
};

static inline const struct snapshot_measured *
snapshot_timeline_ranking(const struct snapshot_timeline *timeline)
{
    return &timeline->by[timeline->ranks];
}

#endif
