/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Connects the stages: sampler -> decoder -> resolver -> profile -> snapshot. The loop drives it;
 * it does not depend on any view. Single-threaded. */
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
    bool launched;     /* the process waits before its exec */
    const char *input; /* replay, or NULL */
    /* Reports the fraction of a recording scanned so far; NULL: not called. */
    void (*progress)(void *context, double share);
    void *progress_context;
    const char *symfs;
    bool debuginfod;
    bool batch;         /* no screen: waits for a recording's debug information */
    bool keeps_no_past; /* no time range of the run will be requested */
    unsigned threads;   /* number for the replay of a perf recording; 0: one */
    const char *source;
    const char *events;
    uint32_t rate;
    uint64_t period;
    struct sim_memory *sim; /* memory of a program under the simulated cache, or NULL; not owned */
    uint32_t window;
    double half_life_s;
    bool whole_run; /* the tables start with the whole run instead of the recent past */
    uint32_t ways;
    const char *cache;           /* -C */
    const char *search;          /* --search */
    struct feed *feed;           /* feed of the agent in a launched program, or NULL; not owned */
    bool walk;                   /* read the heap of a running process */
    const char *heap_note;       /* why there is no agent, or NULL */
    const char *record;          /* -o: file to record the samples to; NULL: none */
    uint64_t record_limit_bytes; /* limit of one file; 0: none */
    unsigned record_files;       /* number of files kept at the limit; 0: the writer's choice */
    /* [WHATIF_MAX] --what-if OBJECT:QUESTION, terminated by NULL if fewer. */
    const char *const *what_if;
    double watch; /* --watch: fraction of the target's CPU time for watchpoints; 0: none */
};

int engine_open(struct engine **engine, const struct engine_options *options, struct error *error);
void engine_close(struct engine *engine);

/* Writes out and closes the recording. Returns 0, also if there is none, or a negative errno. */
int engine_stop_recording(struct engine *engine, struct error *error);

/* Returns the descriptor to poll; -1: none, call engine_drain() at any time (replay). */
int engine_fd(const struct engine *engine);

/* Returns a descriptor, readable when the agent's memory fills up: read its 8 bytes. */
int engine_heap_fd(const struct engine *engine);

/*
 * Returns the number of records, or -ENODATA at the end. Live: records up to until_ns of
 * CLOCK_MONOTONIC (see SAMPLER_SETTLES_NS). Replay: of the first until_ns of the recording. In a
 * simulation, each call does a few ms of work.
 */
long engine_drain(struct engine *engine, uint64_t until_ns);

/* Returns true if the last drain stopped early to limit its duration: drain again soon. */
bool engine_has_backlog(const struct engine *engine);

/* Returns the longest time the loop may wait before it drains again. */
int engine_patience_ms(struct engine *engine);

/* ---- replay ---- */

/* Goes back to the recording's start with empty tables; switches to process `pid` if not 0. -ESPIPE
 * and the like change nothing. After -ENOMEM only engine_close() is allowed. */
int engine_restart(struct engine *engine, pid_t pid, struct error *error);

/* Returns true if a pipe that is still being written is read, like a live process until -ENODATA.
 * *idled: the pipe was silent at times, because it is being recorded. */
bool engine_follows(const struct engine *engine, bool *idled);

/* Drops events passed on the way to a position, so that they are not reported as news. */
void engine_drop_events(struct engine *engine);
/* Returns true if the recording can be read again from its start; false for a pipe, or with -o. */
bool engine_is_rereadable(const struct engine *engine);

/* Returns true if names come from misstop's own recording and need not be resolved again. */
bool engine_names_are_recorded(const struct engine *engine);

/* Sets whether the next drains are part of the initial pass to the end of a recording. During that
 * pass the tables of FILE.misstop are refreshed at the same times as while it was recorded. */
void engine_set_initial_pass(struct engine *engine, bool through);

/* Returns the time from first to last sample of the process; 0: not known, or no times. */
uint64_t engine_length_ns(const struct engine *engine);

/* Takes over the debug information that has been read and returns how much is still loading. A
 * replay can wait for it: samples decoded earlier have no fields. */
unsigned engine_loading(struct engine *engine);

/* Returns the processes with samples, most samples first (sample/perfdata/perfdata.h). */
struct perfdata_process;
const struct perfdata_process *engine_processes(const struct engine *engine, size_t *count);

/* ---- live and replay ---- */

/* Pauses or resumes sampling; everything stays open. */
int engine_enable(struct engine *engine, bool on);

/* Call once per refresh, before the snapshot. Returns -ESRCH if the target has ended. */
int engine_tick(struct engine *engine);

/* Returns the binaries of a replay for a snapshot. `list` has room for BINARIES_SHOWN entries.
 * Strings are valid until the next record. */
struct snapshot_binaries engine_binaries(const struct engine *engine, struct binary_desc *list);

/* Makes the next snapshot, the last one, wait briefly for debug information that its rows need. */
void engine_set_patience(struct engine *engine);

/* Returns the next snapshot, or NULL if out of memory. Free with snapshot_free(). */
const struct snapshot *engine_snapshot(struct engine *engine, double interval_s);

/* Like engine_snapshot(), for the whole run, with every instruction and object. */
const struct snapshot *engine_snapshot_run(struct engine *engine);

/* Ignores requests that are not for the engine. Returns text for the status line or "". */
const char *engine_request(struct engine *engine, const struct request *request);

/* Returns true while a requested time range is still being read; the loop must not wait then. */
bool engine_is_filling(const struct engine *engine);
/* Takes some milliseconds. Returns true when all of it has been read and can be shown. */
bool engine_fill(struct engine *engine);

/* Shows the whole time range SPEC of --stretch: "START-END" in seconds or "phase=LETTER". Returns
 * 0, or a negative errno with the reason. engine_check_time_range() only checks the syntax. */
int engine_show_time_range(struct engine *engine, const char *spec, struct error *error);
int engine_check_time_range(const char *spec, struct error *error);

/* For view_sources: formats one instruction as text. */
bool engine_instruction(void *engine, uint64_t ip, char *out, size_t size);

/* For view_sources: returns one line of a source file, and where the file was searched for. */
bool engine_source(void *engine, const char *file, uint32_t line, char *out, size_t size);
const char *engine_source_note(void *engine, const char *file);

#endif
