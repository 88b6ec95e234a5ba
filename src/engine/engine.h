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
struct engine;

struct engine_options {
    pid_t pid;
    bool launched;                                 /* pid waits before its exec */
    const char *input;                             /* replay, or NULL */
    void (*progress)(void *context, double share); /* a recording was looked through so far; NULL */
    void *progress_context;
    const char *symfs;
    bool debuginfod;  /* --debuginfod */
    bool batch;       /* no screen: debug information of a recording is waited for */
    bool forgets;     /* no time range of the run will be asked for */
    unsigned threads; /* of the replay of a recording that perf made; 0: one */
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
    const char *record;          /* -o: the samples are written there, too; NULL */
    uint64_t record_limit_bytes; /* of one file; 0: none */
    unsigned record_files;       /* kept at the limit; 0: the writer's choice */
    const char *const *what_if;  /* [WHATIF_MAX] --what-if OBJECT:QUESTION, NULL behind the last */
    double watch; /* --watch: part of the target's CPU time for watchpoints; 0: none */
};

int engine_open(struct engine **engine, const struct engine_options *options, struct error *error);
void engine_close(struct engine *engine);

/* The recording is written out and closed. 0, also without a recording, or a negative errno. */
int engine_stop_recording(struct engine *engine, struct error *error);

/* Descriptor to poll for records; -1: none, call engine_drain() at will (replay). */
int engine_fd(const struct engine *engine);

/* The same where the agent's allocations fill its memory; whoever polls it reads the 8 bytes. */
int engine_heap_fd(const struct engine *engine);

/*
 * Moves waiting records through to the tables: live those up to until_ns of CLOCK_MONOTONIC
 * (see SAMPLER_SETTLES_NS), in replay those of the first until_ns of the recording; UINT64_MAX:
 * all of them. Of a simulation some ms of work at a time. Number of records, or -ENODATA at the
 * end.
 */
long engine_drain(struct engine *engine, uint64_t until_ns);

/* Whether the last drain left some, so as not to take too long: to be called again soon. */
bool engine_behind(const struct engine *engine);

/* How long the loop may wait, at the most, until it drains again. */
int engine_patience_ms(struct engine *engine);

/* ---- of a replay ---- */

/*
 * Back to the start of the recording, with empty tables; of another process if `pid` is one.
 * -ESPIPE and the like leave all as it was; after -ENOMEM only engine_close() may follow.
 */
int engine_restart(struct engine *engine, pid_t pid, struct error *error);

/* Whether it is a pipe that goes on; *idled: silent at times, because it is being recorded. It is
 * drained like a live process, and ends with -ENODATA. */
bool engine_follows(const struct engine *engine, bool *idled);

/* Events passed on the way to a place in a recording are not news there. */
void engine_forget_news(struct engine *engine);
/* Whether that can be done; else the recording comes through a pipe. */
bool engine_rereadable(const struct engine *engine);

/* Whether names come from what misstop recorded, and need not be found out again. */
bool engine_learnt(const struct engine *engine);

/* Whether the next drains are part of the way to the end that a replay begins with: on it the
 * tables of FILE.misstop are brought up to date when they were while it was recorded. */
void engine_go_through(struct engine *engine, bool through);

/* From the first sample of the process to its last; 0: not known, or the samples have no times. */
uint64_t engine_length_ns(const struct engine *engine);

/*
 * Takes the debug information that has been read; returns how much is still loading. A recording
 * can wait for it: samples read before have no fields.
 */
unsigned engine_loading(struct engine *engine);

/* Those with samples, most first (sample/perfdata/perfdata.h). */
struct perfdata_process;
const struct perfdata_process *engine_processes(const struct engine *engine, size_t *count);

/* ---- */

/* Sampling stops or goes on; all stays open. */
int engine_enable(struct engine *engine, bool on);

/* Once per refresh, before the snapshot. -ESRCH when the target has ended. */
int engine_tick(struct engine *engine);

/* Binaries of a replay, for snapshots; `list`: room for BINARIES_SHOWN. Strings live until the next
 * record. */
struct snapshot_binaries engine_binaries(const struct engine *engine, struct binary_desc *list);

/* The next snapshot waits a moment for debug information that its rows need: it is the last. */
void engine_be_patient(struct engine *engine);

/* NULL: out of memory. Freed by snapshot_free(). */
const struct snapshot *engine_snapshot(struct engine *engine, double interval_s);

/* The same of the whole run, with every instruction and object (snapshot_objects.h). */
const struct snapshot *engine_snapshot_run(struct engine *engine);

/* A request of a view to the tables; others are ignored. Text for the status line or "". */
const char *engine_request(struct engine *engine, const struct request *request);

/* Whether a time range that was asked for is still being read: then the loop does not wait. */
bool engine_fills(const struct engine *engine);
/* Reads on for some milliseconds; true: that was all of it, time for a picture. */
bool engine_fill(struct engine *engine);

/* --stretch SPEC, "START-END" in seconds or "phase=LETTER", shown from here on, read to its end: 0,
 * or a negative errno with the reason. The other only checks the form of SPEC. */
int engine_show_time_range(struct engine *engine, const char *spec, struct error *error);
int engine_check_time_range(const char *spec, struct error *error);

/* For view_sources: one instruction as text. */
bool engine_instruction(void *engine, uint64_t ip, char *out, size_t size);

/* The same: one line of a source file, and where the file was looked for. */
bool engine_source(void *engine, const char *file, uint32_t line, char *out, size_t size);
const char *engine_source_note(void *engine, const char *file);

#endif
