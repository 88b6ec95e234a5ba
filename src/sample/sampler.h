/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A sampling session: one source, live on a process or replayed from a file, read as records in
 * time order. Opened by main, read by the main loop. One thread only. */
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
    bool launched;          /* the process waits for misstop to start it: enable on exec */
    const char *input;      /* replay: path of a perf.data, "-" for standard input; else NULL */
    const char *source;     /* "auto", "pebs", "ibs", "counter", "clock" */
    const char *events;     /* -e LIST or NULL for the source's own choice */
    uint32_t rate;          /* samples per second of the ranking event; 0: SESSION_RATE or less */
    uint64_t period;        /* -c: fixed period; 0: adjusted to the rate */
    struct sim_memory *sim; /* source "sim": memory of its tool, not owned; else NULL */
    void (*progress)(void *context, double share); /* see perfdata_open(); or NULL */
    void *progress_context;
};

typedef void (*sampler_sink)(void *context, const struct record *record);

/* Returns 0, or a negative errno with cause and remedy; on failure nothing is left open. */
int sampler_open(struct sampler **sampler, const struct sampler_options *options,
                 struct error *error);
void sampler_close(struct sampler *sampler);

/* Returns a descriptor for poll(), readable when records are waiting. -1 in replay, except for a
 * pipe that is still being written. */
int sampler_fd(const struct sampler *sampler);

/*
 * Hands every waiting record to the sink, in time order. Returns their number, -ENODATA at the end
 * of a replay, or another negative errno. `until_ns`: recorded time since the start, or live
 * CLOCK_MONOTONIC; UINT64_MAX: all. Live, only records older than about SAMPLER_SETTLES_NS are sure
 * to be in order across CPUs, because their rings are read one after the other.
 */
#define SAMPLER_SETTLES_NS 200000
long sampler_read(struct sampler *sampler, uint64_t until_ns, sampler_sink sink, void *context);

/*
 * Live only: called before each record is handed over. If it returns false, the record waits for
 * the next call, so a call takes no longer than its caller has time for. The number of waiting
 * records is bounded; further records stay in the kernel's rings, which count losses. NULL: all
 * records are handed over.
 */
typedef bool sampler_may(void *context, uint64_t time_ns);
void sampler_pace(struct sampler *sampler, sampler_may *may, void *context);

/*
 * Returns true if records up to `until_ns` are still waiting: one call on a simulation hands over
 * only a few ms of work, and a live call what the pace allows. Sets *reached_ns to the time of the
 * last record if records wait, otherwise leaves it unchanged.
 */
bool sampler_has_backlog(const struct sampler *sampler, uint64_t *reached_ns);

/* Opens events for new threads and CPUs, and adjusts the period of each event to the wanted rate
 * (prime, jittered). Once per refresh. Returns 0, or -ESRCH if the target has ended. */
int sampler_tick(struct sampler *sampler, uint64_t now_ns);

int sampler_enable(struct sampler *sampler, bool on);

/* Makes event `index` the ranking event: a source that has more detail for one event provides it
 * for this one. */
void sampler_rank(struct sampler *sampler, unsigned index);

const struct sampler_info *sampler_info(const struct sampler *sampler);

/* Returns exact totals of the sim source; all 0 for other sources. */
struct snapshot_simulation sampler_simulation(const struct sampler *sampler);

/* ---- recordings ---- */

/* Returns the recording, for its facts (sample/perfdata/perfdata.h); NULL: live. */
struct perfdata *sampler_recording(const struct sampler *sampler);

/* Goes back to the start, for process `pid`. -ESPIPE: the recording came through a pipe and cannot
 * be read again. */
int sampler_restart(struct sampler *sampler, pid_t pid, struct error *error);

/* Starts a thread that reads and parses the recording ahead, if the recording is a file. Sinks get
 * the same records. Returns 0 or a negative errno. */
int sampler_read_ahead(struct sampler *sampler);

/* Returns the attribute of event `index` as opened or recorded, for writing a recording; NULL: no
 * such event. */
const struct perf_event_attr *sampler_attribute(const struct sampler *sampler, unsigned index);

/* Reports for `misstop doctor` whether each source works here, why not, and the command that
 * enables it; then the properties of the kernel, the CPU and libpfm4. Never fails. */
void sampler_doctor(FILE *out);

/* Does the same as sampler_doctor(), for any kernel (tests replace it). */
void doctor_print(FILE *out, const struct kernel *kernel);

#endif
