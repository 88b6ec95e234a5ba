/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef MISSTOP_SAMPLE_PERFDATA_PROCESSES_H
#define MISSTOP_SAMPLE_PERFDATA_PROCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "sample.h"
#include "sample/perfdata/perfdata.h"

struct process_origin {
    uint32_t parent_pid; /* 0: not forked during the recording */
    uint64_t forked_ns;
    uint64_t named_ns; /* when it got its current name; 0: the first name, or its parent's */
};

struct processes {
    struct perfdata_process *list; /* in order of appearance until sorted */
    struct process_origin *origins;
    size_t count;
    size_t room;
    struct hash index_of_pid;
    uint32_t last; /* index of the last lookup: samples of a process come in runs */
};

void processes_fini(struct processes *processes);

/* Processes a sample, comm or fork; ignores other records. Returns 0 or -ENOMEM. */
int processes_note(struct processes *processes, const struct record *record);

/* Samples of one process; first_ns 0: none has a time. */
struct processes_samples {
    uint64_t count;
    uint64_t first_ns;
    uint64_t last_ns;
};

/* Counts one more sample. Returns true if it has a time. */
static inline bool processes_samples_add(struct processes_samples *samples, uint64_t time_ns)
{
    bool has_time = time_ns && time_ns != UINT64_MAX;
    samples->count++;
    if (has_time && (!samples->first_ns || time_ns < samples->first_ns))
        samples->first_ns = time_ns;
    if (has_time && time_ns > samples->last_ns)
        samples->last_ns = time_ns;
    return has_time;
}

int processes_note_samples(struct processes *processes, uint32_t pid,
                           const struct processes_samples *samples);

/* Sorts the processes by samples, most first; no records may be processed after that. */
void processes_sort(struct processes *processes);

/* Returns a process, or NULL if it is not in the recording. */
const struct perfdata_process *processes_find(const struct processes *processes, uint32_t pid);

/* Returns true if `heir` inherited a mapping that `pid` had at `time_ns`: `pid` is an ancestor of
 * `heir`, and the fork came later. */
bool processes_inherits(const struct processes *processes, uint32_t heir, uint32_t pid,
                        uint64_t time_ns);

#endif
