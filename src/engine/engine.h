/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The stages joined: sampler -> decoder -> resolver -> profile -> snapshot. The loop drives
 * it; it knows no view. One thread only.
 */
#ifndef MISSTOP_ENGINE_ENGINE_H
#define MISSTOP_ENGINE_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "request.h"
#include "snapshot.h"

struct feed;
struct sim_memory;
struct pipeline;

struct pipeline_options {
    pid_t pid;
    bool launched;     /* pid waits before its exec */
    const char *input; /* replay, or NULL */
    const char *symfs;
    bool debuginfod; /* --debuginfod */
    bool batch;      /* nobody looks on: debugging information of a recording is waited for */
    const char *source;
    const char *events;
    uint32_t rate;
    uint64_t period;
    struct sim_memory *sim; /* of a program under the simulated cache, or NULL; not owned */
    uint32_t window;
    double half_life_s;
    bool whole_run; /* the tables begin with everything, not with the recent past */
    uint32_t ways;
    const char *cache;           /* -C */
    const char *search;          /* --search */
    struct feed *feed;           /* of the agent in a launched program, or NULL; not owned */
    bool walk;                   /* read the heap of a running process */
    const char *heap_note;       /* why there is no agent, or NULL */
    const char *record;          /* -o: what is sampled is written there, too; NULL */
    uint64_t record_limit_bytes; /* of one file; 0: none */
    unsigned record_files;       /* kept at the limit; 0: the writer's choice */
    const char *const *what_if;  /* [WHATIF_MAX] --what-if OBJECT:QUESTION, NULL behind the last */
    double watch; /* --watch: part of the target's CPU time for watchpoints; 0: none */
};

int pipeline_open(struct pipeline **pipeline, const struct pipeline_options *options,
                  struct error *error);
void pipeline_close(struct pipeline *pipeline);

/* What was recorded is written out and closed. 0, also where nothing was recorded, or a negative
 * errno. */
int pipeline_stop_recording(struct pipeline *pipeline, struct error *error);

/* Descriptor to poll for records; -1: none, call pipeline_drain() at will (replay). */
int pipeline_fd(const struct pipeline *pipeline);

/*
 * Moves waiting records through to the tables: live those up to until_ns of CLOCK_MONOTONIC
 * (see SAMPLER_SETTLES_NS), in replay those of the first until_ns of the recording; UINT64_MAX:
 * all of them. Of a simulation some ms of work at a time. Number of records, or -ENODATA at the
 * end.
 */
long pipeline_drain(struct pipeline *pipeline, uint64_t until_ns);

/* Whether the last drain left some, so as not to take too long: to be called again soon. */
bool pipeline_behind(const struct pipeline *pipeline);

/* How long the loop may wait, at the most, until it drains again. */
int pipeline_patience_ms(struct pipeline *pipeline);

/* ---- of a replay ---- */

/*
 * Back to the start of the recording, with empty tables; of another process if `pid` is one.
 * -ESPIPE and the like leave all as it was; after -ENOMEM only pipeline_close() may follow.
 */
int pipeline_restart(struct pipeline *pipeline, pid_t pid, struct error *error);

/* Whether it is a pipe that goes on; *idled: silent at times, for it is being recorded. It is
 * drained like a live process, and ends with -ENODATA. */
bool pipeline_follows(const struct pipeline *pipeline, bool *idled);

/* What was passed on the way to a place in a recording is no news there. */
void pipeline_forget_news(struct pipeline *pipeline);
/* Whether that can be done; else the recording comes through a pipe. */
bool pipeline_rereadable(const struct pipeline *pipeline);

/* Whether names come from what misstop recorded, and need not be found out again. */
bool pipeline_learnt(const struct pipeline *pipeline);

/* From the first sample of the process to its last; 0: not known, or the samples have no times. */
uint64_t pipeline_length_ns(const struct pipeline *pipeline);

/*
 * Takes what has been read of debugging information; how much is still waited for. A recording can
 * wait for it: what is read before has no fields.
 */
unsigned pipeline_reading(struct pipeline *pipeline);

/* Those with samples, most first (sample/perfdata.h). */
struct perfdata_process;
const struct perfdata_process *pipeline_processes(const struct pipeline *pipeline, size_t *count);

/* ---- */

/* Sampling stops or goes on; all stays open. */
int pipeline_enable(struct pipeline *pipeline, bool on);

/* Once per refresh, before the snapshot. -ESRCH when the target has ended. */
int pipeline_tick(struct pipeline *pipeline);

/* Of a replay, what snapshots have of it; `list`: room for BINARIES_SHOWN. Strings live until the
 * next record. */
struct snapshot_binaries pipeline_binaries(const struct pipeline *pipeline,
                                           struct binary_desc *list);

/* NULL: out of memory. Freed by snapshot_free(). */
const struct snapshot *pipeline_snapshot(struct pipeline *pipeline, double interval_s);

/* The same of the whole run, with every instruction and object (snapshot_objects.h). */
const struct snapshot *pipeline_snapshot_run(struct pipeline *pipeline);

/* What a view asked of the tables; others are ignored. Text for the status line or "". */
const char *pipeline_request(struct pipeline *pipeline, const struct request *request);

/* Whether a stretch that was asked for is still being read: then the loop does not wait. */
bool pipeline_fills(const struct pipeline *pipeline);
/* Reads on for some milliseconds; true: that was all of it, time for a picture. */
bool pipeline_fill(struct pipeline *pipeline);

/* --stretch SPEC, "START-END" in seconds or "phase=LETTER", shown from here on, wholly read: 0, or
 * a negative errno with the reason. The other: whether it can be understood. */
int pipeline_show_stretch(struct pipeline *pipeline, const char *spec, struct error *error);
int pipeline_check_stretch(const char *spec, struct error *error);

/* For screen_sources: one instruction as text. */
bool pipeline_instruction(void *pipeline, uint64_t ip, char *out, size_t size);

/* The same: one line of a source file, and where the file was looked for. */
bool pipeline_source(void *pipeline, const char *file, uint32_t line, char *out, size_t size);
const char *pipeline_source_note(void *pipeline, const char *file);

#endif
