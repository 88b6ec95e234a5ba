/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sample/perfdata/processes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"

/* Upper bounds of the list of processes and of the ancestors that are followed. */
enum { PROCESSES_MAX = 1 << 16, PROCESSES_FOREFATHERS = 16 };

void processes_fini(struct processes *processes)
{
    free(processes->list);
    free(processes->origins);
    hash_fini(&processes->index_of_pid);
    *processes = (struct processes){0};
}

static int grow_processes(struct processes *processes)
{
    size_t wanted = processes->room ? processes->room * 2 : 64;
    size_t room = processes->room;
    return array_reserve_exact(&processes->list, &room, wanted, sizeof *processes->list) &&
                   array_reserve_exact(&processes->origins, &processes->room, wanted,
                                       sizeof *processes->origins)
               ? 0
               : -ENOMEM;
}

/* Finds or adds a process. Returns 1, 0 if there are too many, or -ENOMEM. */
static int entry_of(struct processes *processes, uint32_t pid, uint32_t *index)
{
    bool created;
    if (processes->count && (uint32_t)processes->list[processes->last].pid == pid) {
        *index = processes->last;
        return 1;
    }
    const uint32_t *known = hash_find(&processes->index_of_pid, pid);
    if (known) {
        *index = processes->last = *known;
        return 1;
    }
    if (processes->count == PROCESSES_MAX)
        return 0;
    if (processes->count == processes->room && grow_processes(processes))
        return -ENOMEM;
    uint32_t *slot = hash_insert(&processes->index_of_pid, pid, &created);
    if (!slot)
        return -ENOMEM;
    *slot = *index = (uint32_t)processes->count++;
    processes->list[*index] = (struct perfdata_process){.pid = (pid_t)pid};
    if (!pid)
        snprintf(processes->list[*index].comm, sizeof processes->list->comm, "swapper");
    processes->origins[*index] = (struct process_origin){0};
    return 1;
}

static int note_fork(struct processes *processes, const struct record *record, uint32_t index)
{
    uint32_t parent;
    if (record->fork.parent_pid == record->pid)
        return 0; /* a thread */
    uint64_t named_ns = processes->origins[index].named_ns;
    processes->origins[index] =
        (struct process_origin){record->fork.parent_pid, record->time_ns, named_ns};
    int code = entry_of(processes, record->fork.parent_pid, &parent);
    /* A later record of another CPU may be read first: keep a name of its own. */
    if (code == 1 && named_ns <= record->time_ns)
        memcpy(processes->list[index].comm, processes->list[parent].comm,
               sizeof processes->list[index].comm);
    return code < 0 ? code : 0;
}

static void note_name(struct perfdata_process *process, uint64_t *named_ns,
                      const struct record *record)
{
    if (record->time_ns < *named_ns)
        return;
    *named_ns = record->time_ns;
    text_sanitise(process->comm, sizeof process->comm, record->comm.name,
                  strlen(record->comm.name));
}

int processes_note_samples(struct processes *processes, uint32_t pid,
                           const struct processes_samples *samples)
{
    uint32_t index;
    int code = entry_of(processes, pid, &index);
    if (code != 1)
        return code;
    struct perfdata_process *process = &processes->list[index];
    process->samples += samples->count;
    if (!samples->first_ns)
        return 0;
    if (!process->first_sample_ns || samples->first_ns < process->first_sample_ns)
        process->first_sample_ns = samples->first_ns;
    if (samples->last_ns > process->last_sample_ns)
        process->last_sample_ns = samples->last_ns;
    return 0;
}

int processes_note(struct processes *processes, const struct record *record)
{
    uint32_t index;
    struct processes_samples one = {0};
    bool names = record->kind == RECORD_COMM && record->pid == record->tid;
    if (record->kind == RECORD_SAMPLE) {
        processes_samples_add(&one, record->time_ns);
        return processes_note_samples(processes, record->pid, &one);
    }
    if (record->kind != RECORD_FORK && !names)
        return 0;
    int code = entry_of(processes, record->pid, &index);
    if (code != 1)
        return code;
    struct perfdata_process *process = &processes->list[index];
    if (record->kind == RECORD_FORK)
        return note_fork(processes, record, index);
    note_name(process, &processes->origins[index].named_ns, record);
    return 0;
}

void processes_sort(struct processes *processes)
{
    /* If two have as many samples, the lower number comes first: it is usually the older process.
     * The origins keep the order of the hash. */
    SORT(processes->list, processes->count, LARGEST(struct perfdata_process, samples),
         SMALLEST(struct perfdata_process, pid));
}

const struct perfdata_process *processes_find(const struct processes *processes, uint32_t pid)
{
    for (size_t i = 0; i < processes->count; i++)
        if ((uint32_t)processes->list[i].pid == pid)
            return &processes->list[i];
    return NULL;
}

bool processes_inherits(const struct processes *processes, uint32_t heir, uint32_t pid,
                        uint64_t time_ns)
{
    for (unsigned step = 0; step < PROCESSES_FOREFATHERS; step++) {
        const uint32_t *index = hash_find(&processes->index_of_pid, heir);
        if (!index || !processes->origins[*index].parent_pid ||
            time_ns > processes->origins[*index].forked_ns)
            return false;
        heir = processes->origins[*index].parent_pid;
        if (heir == pid)
            return true;
    }
    return false;
}
