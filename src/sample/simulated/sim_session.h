/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The source `sim`: what misstop's Valgrind tool reports a launched program, as records. Misses
 * come with their exact address, instruction and level; all of them while misstop keeps up, else
 * some of them with the weight of those left out. One miss that several levels did not hold is a
 * sample of each level's event, as hardware counters would have it. Owned by the sampler.
 */
#ifndef MISSTOP_SAMPLE_SIMULATED_SIM_SESSION_H
#define MISSTOP_SAMPLE_SIMULATED_SIM_SESSION_H

#include <linux/perf_event.h>

#include "base/clock.h"
#include "base/error.h"
#include "sample/sampler.h"
#include "sample/simulated/sim_memory.h"

/* Bound of one call, so that a screen is not kept waiting: some ms of work. */
enum { SIM_SESSION_AT_ONCE = 2048 };

struct sim_event {
    struct perf_event_attr attr; /* for writing a recording; no kernel has such an event */
    uint8_t level;               /* accesses that this level did not hold; */
    bool accesses;               /* or a part of all accesses */
};

struct sim_session {
    struct sim_memory *memory; /* not owned; NULL: the session is none */
    struct stamp_clock clock;
    uint32_t level_count;
    struct sim_event events[SAMPLE_EVENTS_MAX];
    unsigned event_count;
    uint32_t pid;
    uint64_t tail; /* units read */
    uint64_t last_ns;
    uint64_t lost; /* reported already */
    uint64_t bad;
    bool paused; /* by the user */
    bool behind; /* the last reading left some */
};

/* Plans the events of `list` (-e, or NULL for all) and describes the session. -EINVAL. */
int sim_session_open(struct sim_session *session, struct sim_memory *memory, pid_t pid,
                     const char *list, struct sampler_info *info, struct error *error);

/* As sampler_read(); at most SIM_SESSION_AT_ONCE. */
long sim_session_read(struct sim_session *session, uint64_t until_ns, sampler_sink sink,
                      void *context);

/* Accesses count, or do not, from the next few ms on. */
void sim_session_enable(struct sim_session *session, bool on);

/* Misses report from now on the evictor of their line in the level that this event counts misses
 * of; those on their way still report that of the earlier level. */
void sim_session_rank(struct sim_session *session, unsigned event);

/* Exact, as of now. */
struct snapshot_simulation sim_session_totals(const struct sim_session *session);

/* Brings the figures of `info` that move up to date. */
void sim_session_describe(const struct sim_session *session, struct sampler_info *info);

#endif
