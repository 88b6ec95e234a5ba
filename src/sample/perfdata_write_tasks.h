/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a recording has said so far of threads, their names and mappings, and is still so: a file
 * that is begun later says it again. For perfdata_write*.c.
 */
#ifndef MISSTOP_SAMPLE_PERFDATA_WRITE_TASKS_H
#define MISSTOP_SAMPLE_PERFDATA_WRITE_TASKS_H

#include "sample.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is searched at every mapping, beside the rest. */
struct perfdata_task {
    uint64_t start; /* of a mapping */
    uint64_t past;
    uint32_t pid;
    uint32_t tid;
    uint32_t kind;
    struct record *record; /* with its text behind it; NULL: no longer so */
};

struct perfdata_tasks {
    struct perfdata_task *list; /* in the order of their coming */
    size_t count;
    size_t gone;
    size_t room;
};

typedef void (*perfdata_tasks_sink)(void *context, const struct record *record);

void perfdata_tasks_fini(struct perfdata_tasks *tasks);

/*
 * Takes note of a mapping, name, fork or exit; `first`: of a list of what there is, where nothing
 * replaces what came before. 0 or -ENOMEM. More than a process may have are not remembered.
 */
int perfdata_tasks_note(struct perfdata_tasks *tasks, const struct record *record, bool first);

/* All that is known, as records of `time_ns`; 0: as what was so before the first record. */
void perfdata_tasks_tell(const struct perfdata_tasks *tasks, uint64_t time_ns,
                         perfdata_tasks_sink sink, void *context);

#endif
