/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One file that is asked about: its questions, the process that reads it, how often that died.
 * For reader.c, which says when a process may run.
 */
#ifndef MISSTOP_RESOLVE_DWARF_READER_FILE_H
#define MISSTOP_RESOLVE_DWARF_READER_FILE_H

#include "resolve/dwarf/asked.h"
#include "resolve/dwarf/references.h"
#include "resolve/dwarf/worker.h"

enum reader_state {
    READER_UNKNOWN, /* whether it has debugging information was not looked at */
    READER_USABLE,
    READER_WITHOUT, /* it has none */
    READER_GIVEN_UP
};

struct reader_file {
    struct module *module;
    uint32_t serial;
    enum reader_state state;
    struct asked asked;
    uint32_t sent;   /* of those asked, the oldest */
    uint32_t number; /* of the oldest */
    struct references types;
    struct worker worker;
    bool opened; /* by the worker that runs */
    bool yields; /* it gets no more questions: another file waits for its place */
    uint32_t deaths;
    uint32_t lived;     /* answers since the last death */
    uint64_t cpu_ns;    /* what the worker had used when that wait began */
    uint64_t waited_ns; /* of the oldest question sent, or for the opening */
    uint64_t idle_ns;
    uint64_t pause_ns;  /* until a process is tried for again */
    uint64_t needs_ns;  /* without a process */
    uint64_t served_ns; /* since the worker was started */
    uint64_t resident_bytes;
};

/* What all files share in one run. */
struct reader_run {
    const struct readers_limits *limits;
    const struct readers_take *take;
    const struct serve_source *source;
    uint64_t passed_ns; /* since the last run */
    uint32_t looks;     /* files that may still be looked into in this run */
    size_t answers;
};

/* NULL: out of memory. */
struct reader_file *reader_file_new(const struct module *module);
/* Its process is ended, and the caller's to wait for: the PID, or 0. */
pid_t reader_file_free(struct reader_file *file);

/* Starts a process; where none can be had it is tried again a little later, then given up. */
void reader_file_start(struct reader_file *file, struct reader_run *run);

/* Ends the process that has nothing to do: the PID to wait for. */
pid_t reader_file_rest(struct reader_file *file);

/*
 * One round: looks whether there is anything to read, sends, takes answers, watches over the
 * process. The PID of a process that was ended and is to be waited for, or 0.
 */
pid_t reader_file_run(struct reader_file *file, struct reader_run *run);

static inline bool reader_file_runs(const struct reader_file *file)
{
    return file->worker.pid;
}

/* It has questions that a process of its own would answer. */
static inline bool reader_file_needs(const struct reader_file *file)
{
    return file->state == READER_USABLE && file->asked.count && !file->worker.pid &&
           !file->pause_ns;
}

/* Its process could be ended without loss. */
static inline bool reader_file_rests(const struct reader_file *file)
{
    return file->worker.pid && !file->sent && (!file->asked.count || file->yields);
}

#endif
