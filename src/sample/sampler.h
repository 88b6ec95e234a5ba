/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A sampling session: one source, live on a process or replayed from a file, read
 * as records in time order. Opened by main, drained by the loop. One thread only.
 */
#ifndef MISSTOP_SAMPLE_SAMPLER_H
#define MISSTOP_SAMPLE_SAMPLER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/error.h"
#include "sample.h"
#include "sample/kernel.h"
#include "snapshot_simulation.h"

struct sampler;
struct perf_event_attr;
struct perfdata;
struct sim_memory;

struct sampler_options {
    pid_t pid;              /* live: the process to watch */
    bool launched;          /* the process waits to be started by us: enable on exec */
    const char *input;      /* replay: path of a perf.data, "-" for standard input; else NULL */
    const char *source;     /* "auto", "pebs", "ibs", "counter", "clock" */
    const char *events;     /* -e LIST or NULL for the source's own choice */
    uint32_t rate;          /* wanted samples per second of the ranking event; 0: SESSION_RATE, or
                               less where that would slow the process */
    uint64_t period;        /* -c: fixed period, 0: steered to the rate */
    struct sim_memory *sim; /* source "sim": what its tool writes to, not owned; else NULL */
    void (*progress)(void *context, double share); /* see perfdata_open(); or NULL */
    void *progress_context;
};

typedef void (*sampler_sink)(void *context, const struct record *record);

/* Negative errno with cause and remedy on failure, and nothing left open. */
int sampler_open(struct sampler **sampler, const struct sampler_options *options,
                 struct error *error);
void sampler_close(struct sampler *sampler);

/* A descriptor for poll(): readable when records wait. -1 in replay, but of a pipe that goes on. */
int sampler_fd(const struct sampler *sampler);

/*
 * Hands every record that waits to the sink, in time order. Returns their number, 0 when
 * there was nothing, -ENODATA at the end of a replay, a negative errno on trouble.
 * Replay hands over at most the records up to `until_ns` of recorded time since its start, live
 * those up to `until_ns` of CLOCK_MONOTONIC; UINT64_MAX: everything. Live, the rings of several
 * CPUs are read one after the other: a time about SAMPLER_SETTLES_NS ago makes sure that no
 * record of one comes after a later one of another.
 */
#define SAMPLER_SETTLES_NS 200000
long sampler_read(struct sampler *sampler, uint64_t until_ns, sampler_sink sink, void *context);

/*
 * Live, asked before each record is handed over: false, and it waits for the next call. So one call
 * takes no longer than its caller has time for. Waiting records are bounded: then records stay in
 * the kernel's rings, which count their losses. NULL: all are handed over.
 */
typedef bool sampler_may(void *context, uint64_t time_ns);
void sampler_pace(struct sampler *sampler, sampler_may *may, void *context);

/*
 * Whether some up to `until_ns` still wait: of a simulation one call hands over no more than takes
 * a few ms, live what the pace allows. *reached_ns: no further than there has been read, then; else
 * it is left alone.
 */
bool sampler_behind(const struct sampler *sampler, uint64_t *reached_ns);

/*
 * Once per refresh: follows new threads that escaped inherit, CPUs that came or went, and
 * steers each event's period to the wanted rate (prime, jittered). Returns 0, or -ESRCH
 * when the target has ended.
 */
int sampler_tick(struct sampler *sampler, uint64_t now_ns);

/* Records and samples stop or go on without reopening. */
int sampler_enable(struct sampler *sampler, bool on);

/* Event `index` ranks from now on: a source with more detail for one event gives it to this one. */
void sampler_rank(struct sampler *sampler, unsigned index);

const struct sampler_info *sampler_info(const struct sampler *sampler);

/* Exact totals where the source is sim; else all 0. */
struct snapshot_simulation sampler_simulation(const struct sampler *sampler);

/* ---- recordings ---- */

/* The recording, to be asked for its facts (sample/perfdata/perfdata.h); NULL: live. */
struct perfdata *sampler_recording(const struct sampler *sampler);

/*
 * Back to the start, for another process if `pid` is one. -ESPIPE: the recording comes through a
 * pipe and is gone.
 */
int sampler_restart(struct sampler *sampler, pid_t pid, struct error *error);

/* From here on a thread of its own reads and parses the recording, where it is a file. What sinks
 * get stays the same. 0 or a negative errno. */
int sampler_read_ahead(struct sampler *sampler);

/* Event `index` as it was opened or recorded, to be written to a recording; NULL: no such event. */
const struct perf_event_attr *sampler_attribute(const struct sampler *sampler, unsigned index);

/*
 * `misstop doctor`: for every source whether it is usable here, why not, and the command
 * that would enable it; what the kernel, the CPU and libpfm4 say. Never fails.
 */
void sampler_doctor(FILE *out);

/* sampler_doctor() for any kernel, so that tests can put another in its place. */
void doctor_print(FILE *out, const struct kernel *kernel);

#endif
