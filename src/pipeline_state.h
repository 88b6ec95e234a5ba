/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What pipeline.c fills and its other files read: pipeline_describe.c (snapshots) and
 * pipeline_request.c (what views ask). Private to pipeline*.c.
 */
#ifndef MISSTOP_PIPELINE_STATE_H
#define MISSTOP_PIPELINE_STATE_H

#include "pipeline.h"

#include "base/clock.h"
#include "decode/decoder.h"
#include "profile/profile.h"
#include "resolve/resolver.h"
#include "resolve/source.h"
#include "sample/sampler.h"

struct pipeline {
    struct sampler *sampler;
    struct resolver *resolver;
    struct decoder *decoder;
    struct profile *profile;
    struct source_texts *sources; /* NULL: out of memory */
    const char *search;           /* object named by --search that was not there yet */
    uint64_t opened_ns;
    uint64_t record_ns; /* time of the newest record: the clock of a replay */
    uint64_t first_ns;  /* time of the oldest record in a replay */
    uint64_t last_tick_ns;
    uint64_t ranked_before; /* samples of the ranking event at the last refresh */
    uint64_t samples[SAMPLE_EVENTS_MAX];
    double events[SAMPLE_EVENTS_MAX]; /* that they stand for */
    uint64_t zeroed_ns;               /* counts begin here; 0: at the start */
    uint32_t iteration;
    uint16_t ranking;
    bool live;
    bool ended;
    bool heap; /* its blocks are told or walked */
    bool exec_seen;
    long told; /* events of the agent since pipeline_patience_ms() was asked */
    char status[256];
};

/* The clock of the records: time as it is, or in a replay that of the newest record. */
static inline uint64_t pipeline_now(const struct pipeline *pipeline)
{
    return pipeline->live ? clock_now_ns() : pipeline->record_ns;
}

/* --search WHAT: 0, or -EINVAL; started now, or kept until an object of that name turns up. */
int pipeline_search_check(const char *what, struct error *error);
void pipeline_search_start(struct pipeline *pipeline, const char *what);

#endif
