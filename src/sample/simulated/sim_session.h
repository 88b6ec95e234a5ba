/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The source `sim`: misses of a launched program with exact address, instruction and level. All are
 * reported while misstop keeps up, otherwise some, weighted for those left out. A miss in several
 * levels is a sample of each level's event, as with hardware counters.
 */
#ifndef MISSTOP_SAMPLE_SIMULATED_SIM_SESSION_H
#define MISSTOP_SAMPLE_SIMULATED_SIM_SESSION_H

#include <linux/perf_event.h>

#include "base/clock.h"
#include "base/error.h"
#include "sample/sampler.h"
#include "sample/simulated/sim_memory.h"

/* Upper bound per call, some ms of work, so that the screen does not wait. */
enum { SIM_SESSION_AT_ONCE = 2048 };

struct sim_event {
    struct perf_event_attr attr; /* for writing a recording; the kernel has no such event */
    uint8_t level;               /* counts accesses that this level did not hold, */
    bool accesses;               /* or a share of all accesses */
};

struct sim_session {
    struct sim_memory *memory; /* not owned; NULL: no session */
    struct stamp_clock clock;
    uint32_t level_count;
    struct sim_event events[SAMPLE_EVENTS_MAX];
    unsigned event_count;
    uint32_t pid;
    uint64_t tail; /* units read */
    uint64_t last_ns;
    uint64_t lost; /* already reported */
    uint64_t malformed_units;
    bool paused;      /* by the user */
    bool has_backlog; /* the last read left some */
};

/* Plans the events of `list` (-e; NULL: all), describes the session. Returns 0 or -EINVAL. */
int sim_session_open(struct sim_session *session, struct sim_memory *memory, pid_t pid,
                     const char *list, struct sampler_info *info, struct error *error);

/* Same as sampler_read(); at most SIM_SESSION_AT_ONCE units. */
long sim_session_read(struct sim_session *session, uint64_t until_ns, sampler_sink sink,
                      void *context);

/* Enables or disables counting; takes effect within a few ms. */
void sim_session_enable(struct sim_session *session, bool on);

/* Makes misses report from now on the evictor of their line in the level of this event. Misses
 * already in the ring still report the evictor of the earlier level. */
void sim_session_rank(struct sim_session *session, unsigned event);

struct snapshot_simulation sim_session_totals(const struct sim_session *session);

void sim_session_describe(const struct sim_session *session, struct sampler_info *info);

#endif
