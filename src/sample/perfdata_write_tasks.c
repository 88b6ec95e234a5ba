/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sample/perfdata_write_tasks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* vm.max_map_count is 65530, unless raised; and a name and a fork of each thread. */
enum { TASKS_MAX = 1 << 18, TASKS_GONE_MIN = 256 };

void perfdata_tasks_fini(struct perfdata_tasks *tasks)
{
    for (size_t i = 0; i < tasks->count; i++)
        free(tasks->list[i].record);
    free(tasks->list);
    *tasks = (struct perfdata_tasks){0};
}

static struct perfdata_task key_of(const struct record *record)
{
    struct perfdata_task key = {.pid = record->pid, .tid = record->tid, .kind = record->kind};
    if (record->kind == RECORD_MAPPING) {
        uint64_t start = key.start = record->mapping.start;
        uint64_t length = record->mapping.length;
        key.past = length > UINT64_MAX - start ? UINT64_MAX : start + length;
    }
    return key;
}

/* Whether `fresh` makes `old` untrue. What it hides in part stays: the newer one comes later. */
static bool ends(const struct perfdata_task *fresh, bool exec, const struct perfdata_task *old)
{
    bool named = old->kind != RECORD_MAPPING && old->tid == fresh->tid;
    if (old->pid != fresh->pid)
        return false;
    switch (fresh->kind) {
    case RECORD_MAPPING:
        return old->kind == RECORD_MAPPING && old->start >= fresh->start &&
               old->past <= fresh->past;
    case RECORD_COMM:
        /* exec leaves one thread, and nothing mapped. */
        return exec || (old->kind == RECORD_COMM && named);
    case RECORD_FORK:
        return named;
    default:
        /* The first thread's name is that of the process, which goes on with the others. */
        return named && old->tid != old->pid;
    }
}

static void close_ranks(struct perfdata_tasks *tasks)
{
    size_t kept = 0;
    if (tasks->gone < TASKS_GONE_MIN || tasks->gone < tasks->count / 2)
        return;
    for (size_t i = 0; i < tasks->count; i++)
        if (tasks->list[i].record)
            tasks->list[kept++] = tasks->list[i];
    tasks->count = kept;
    tasks->gone = 0;
}

static void forget(struct perfdata_tasks *tasks, const struct record *fresh)
{
    struct perfdata_task key = key_of(fresh);
    bool exec = fresh->kind == RECORD_COMM && fresh->comm.exec;
    for (size_t i = 0; i < tasks->count; i++) {
        struct perfdata_task *old = &tasks->list[i];
        if (!old->record || !ends(&key, exec, old))
            continue;
        free(old->record);
        old->record = NULL;
        tasks->gone++;
    }
    close_ranks(tasks);
}

static bool make_room(struct perfdata_tasks *tasks)
{
    if (tasks->count < tasks->room)
        return true;
    size_t room = tasks->room ? tasks->room * 2 : 256;
    struct perfdata_task *more = realloc(tasks->list, room * sizeof *more);
    if (!more)
        return false;
    tasks->list = more;
    tasks->room = room;
    return true;
}

static const char *text_of(const struct record *record)
{
    return record->kind == RECORD_MAPPING ? record->mapping.path
           : record->kind == RECORD_COMM  ? record->comm.name
                                          : "";
}

static struct record *copy(const struct record *record)
{
    const char *text = text_of(record);
    size_t size = strlen(text) + 1;
    struct record *copied = malloc(sizeof *copied + size);
    if (!copied)
        return NULL;
    *copied = *record;
    char *own = memcpy(copied + 1, text, size);
    if (record->kind == RECORD_MAPPING)
        copied->mapping.path = own;
    /* It was an exec when it happened; told again it is the name only. */
    if (record->kind == RECORD_COMM) {
        copied->comm.name = own;
        copied->comm.exec = false;
    }
    return copied;
}

int perfdata_tasks_note(struct perfdata_tasks *tasks, const struct record *record, bool first)
{
    bool lasting = record->kind == RECORD_MAPPING || record->kind == RECORD_COMM ||
                   record->kind == RECORD_FORK;
    if (!first && (lasting || record->kind == RECORD_EXIT))
        forget(tasks, record);
    if (!lasting || tasks->count == TASKS_MAX)
        return 0;
    struct record *copied = make_room(tasks) ? copy(record) : NULL;
    if (!copied)
        return -ENOMEM;
    struct perfdata_task task = key_of(record);
    task.record = copied;
    tasks->list[tasks->count++] = task;
    return 0;
}

void perfdata_tasks_tell(const struct perfdata_tasks *tasks, uint64_t time_ns,
                         perfdata_tasks_sink sink, void *context)
{
    for (size_t i = 0; i < tasks->count; i++) {
        if (!tasks->list[i].record)
            continue;
        struct record record = *tasks->list[i].record;
        record.time_ns = time_ns;
        sink(context, &record);
    }
}
