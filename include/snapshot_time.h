/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Part of struct snapshot (see snapshot.h for its rules): the whole run over time, by object,
 * function, field and group of threads, with its phases. Independent of the displayed basis. */
#ifndef MISSTOP_SNAPSHOT_TIME_H
#define MISSTOP_SNAPSHOT_TIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Measures over time. One of them ranks; the others are known if they are sampled too. */
enum snapshot_measure {
    MEASURE_MISSES,   /* or another event that is not one of the other two */
    MEASURE_ACCESSES, /* loads, if the event counts loads */
    MEASURE_WAITING,  /* cycles or time; latency x accesses if no event counts them */
    SNAPSHOT_MEASURES
};

/* Counts per period, from all attributed samples. */
struct snapshot_stream {
    /* Index into objects of the object, or of the field's object; UINT32_MAX: none. */
    uint32_t object;
    const char *name;
    double *weight;    /* [periods] */
    double share;      /* fraction of the whole run */
    double volatility; /* volatility at the displayed period; NAN: too few samples */
    /* [profile_count], at the periods of the profile; NULL except for objects. */
    double *volatilities;
};

struct snapshot_streams {
    struct snapshot_stream *list; /* largest count first */
    size_t count;
};

struct snapshot_measured {
    double *all; /* [periods], attributed samples; NULL: not sampled */
    /* [periods], samples without an object, not included in `all`; NULL: not known. */
    double *no_object;
    struct snapshot_streams objects;
    struct snapshot_streams functions;
    struct snapshot_streams fields;  /* fields of the leading objects */
    struct snapshot_streams threads; /* grouped by name, ignoring a number at the end */
};

/* A time range with a stable distribution of the misses over objects. */
struct snapshot_phase {
    double start_s;    /* time from the start of the run */
    double end_s;      /* end so far, for the last one */
    double detected_s; /* time at which its start was detected; NAN: the first phase */
    double samples;
    char name[4]; /* "A": similar time ranges have the same name; "": not classified yet */
    /* Share of the misses on other objects than in the previous time range, for the same periods as
     * `gained_object` and `lost_object`; NAN: first time range, or nothing to compare. */
    double distance;
    const char *leader; /* object with most misses in it; NULL: none */
    uint32_t object;    /* index of the leader in objects; UINT32_MAX */
    double leader_share;
    /* object that gained most share since the previous time range; NULL */
    const char *gained_object;
    double gained_share; /* 0 to 1 of the misses; NAN */
    const char *lost_object;
    double lost_share;
    double *shares;      /* [objects.count], shares of its misses; NULL: no misses */
    double no_object;    /* fraction of its samples that have no object, attributed or not */
    bool leader_changed; /* another object led in the previous time range */
    bool has_recurred;   /* a time range of this name occurred before */
};

/* Noise counts as damped if the volatility is at or below this. DTrack selects by a threshold (4.3)
 * but gives no value. */
#define SNAPSHOT_VOLATILITY_DAMPED 0.25

struct snapshot_volatility {
    double period_s;
    double value; /* 0 to 1 */
};

/* Two objects; one has its misses when the other has none. */
struct snapshot_alternation {
    uint32_t left; /* indices into the objects of the ranking measure */
    uint32_t right;
    double correlation; /* -1 to 0 */
};

struct snapshot_timeline {
    double start_s;    /* elapsed time at the first period; NAN: no period yet */
    uint64_t start_ns; /* the same by the clock of the samples; 0: none */
    /* Period of the points: a multiple of base_s, chosen by volatility and phases. */
    double period_s;
    double damping_period_s; /* period that damps the noise of the whole run; NAN: none */
    double base_s;           /* current base period */
    size_t periods;
    /* measure of the ranking event; phases are computed from it */
    enum snapshot_measure ranking_measure;
    struct snapshot_measured by_measure[SNAPSHOT_MEASURES];
    struct snapshot_phase *phases; /* sorted by time; the last one is still running */
    size_t phase_count;
    size_t distinct_phases;
    struct snapshot_volatility *profile; /* sorted by period */
    size_t profile_count;
    /* Profile of the last two minutes, at the shortest base period. */
    struct snapshot_volatility *recent;
    size_t recent_count;
    double recent_s;       /* period chosen from `recent`; NAN: too early */
    bool recent_is_damped; /* recent_s damps the noise */
    double display_s;      /* refresh interval that damps the noise and keeps the phases; NAN */
    struct snapshot_alternation *alternations; /* strongest first */
    size_t alternation_count;
};

static inline const struct snapshot_measured *
snapshot_timeline_ranking(const struct snapshot_timeline *timeline)
{
    return &timeline->by_measure[timeline->ranking_measure];
}

#endif
