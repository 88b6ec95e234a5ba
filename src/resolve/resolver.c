/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "resolve/resolver_state.h"

#include "base/clock.h"
#include "base/text.h"
#include "resolve/files.h"
#include "resolve/process.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int open_allocations(struct resolver *resolver, struct error *error)
{
    struct allocations_options options = {.feed = resolver->options.feed,
                                          .walk = resolver->options.walk,
                                          .note = resolver->options.heap_note,
                                          .pid = resolver->options.pid,
                                          .name = resolver_name_address,
                                          .assigned = resolver_assigned,
                                          .context = resolver};
    return allocations_new(&resolver->allocations, &options, error);
}

/* Of a recording: only one that came with it, for a local one is of another process. */
static void read_recorded_jitmap(struct resolver *resolver)
{
    char path[PATH_MAX];
    const struct resolver_options *options = &resolver->options;
    if (options->live || !options->symfs ||
        snprintf(path, sizeof path, "%s/tmp/perf-%d.map", options->symfs, (int)options->pid) >=
            (int)sizeof path)
        return;
    int fd = files_open(path);
    if (fd < 0)
        return;
    jitmap_read(&resolver->functions.jitmap, fd);
    close(fd);
}

int resolver_open(struct resolver **out, const struct resolver_options *options,
                  struct error *error)
{
    struct modules_from from = {.pid = options->pid,
                                .live = options->live,
                                .symfs = options->symfs,
                                .elsewhere = options->elsewhere,
                                .debuginfod = options->debuginfod};
    struct resolver *resolver = calloc(1, sizeof *resolver);
    if (!resolver || names_init(&resolver->names)) {
        free(resolver);
        return error_set(error, -ENOMEM, "out of memory");
    }
    resolver->options = *options;
    functions_init(&resolver->functions);
    unwind_init(&resolver->unwind, options->live ? options->pid : 0);
    resolver->alive = true;
    if (options->live)
        nodes_init(&resolver->nodes, options->pid, NULL);
    memory_use_init(&resolver->memory_use, options->live ? options->pid : 0);
    read_recorded_jitmap(resolver);
    resolver->typing = typing_new();
    resolver->bin_of_object = calloc(NAMES_OBJECTS_MAX, sizeof *resolver->bin_of_object);
    if (!resolver->typing || !resolver->bin_of_object ||
        object_types_init(&resolver->object_types) || object_types_init(&resolver->class_types) ||
        type_instances_init(&resolver->type_instances) ||
        provisional_init(&resolver->provisional)) {
        resolver_close(resolver);
        return error_set(error, -ENOMEM, "out of memory");
    }
    int code = space_init(&resolver->space, &from);
    if (!code && options->live && open_allocations(resolver, error)) {
        resolver_close(resolver);
        return -ENOMEM;
    }
    if (code) {
        resolver_close(resolver);
        return code == -EACCES || code == -EPERM
                   ? error_set(error, code, "memory map of process %d: permission denied; try sudo",
                               (int)options->pid)
                   : error_set(error, code, "process %d is gone", (int)options->pid);
    }
    resolver_tick(resolver, clock_now_ns());
    *out = resolver;
    return 0;
}

void resolver_close(struct resolver *resolver)
{
    if (!resolver)
        return;
    typing_free(resolver->typing);
    object_types_fini(&resolver->object_types);
    object_types_fini(&resolver->class_types);
    type_instances_fini(&resolver->type_instances);
    provisional_fini(&resolver->provisional);
    unwind_fini(&resolver->unwind);
    space_fini(&resolver->space);
    names_fini(&resolver->names);
    functions_fini(&resolver->functions);
    tcbs_fini(&resolver->tcbs);
    tls_fini(&resolver->tls);
    thread_names_fini(&resolver->threads_named);
    allocations_free(resolver->allocations);
    free(resolver->bin_of_object);
    free(resolver);
}

static void code_changed(struct resolver *resolver, uint64_t start, uint64_t end)
{
    functions_forget(&resolver->functions);
    unwind_forget(&resolver->unwind);
    if (resolver->change_count == RESOLVER_CHANGES_MAX) {
        resolver->changes[0] = (struct code_range){0, UINT64_MAX};
        resolver->change_count = 1;
        return;
    }
    resolver->changes[resolver->change_count++] = (struct code_range){start, end};
}

bool resolver_code_changed(struct resolver *resolver, uint64_t *start, uint64_t *end)
{
    if (!resolver->change_count)
        return false;
    resolver->change_count--;
    *start = resolver->changes[resolver->change_count].start;
    *end = resolver->changes[resolver->change_count].end;
    return true;
}

static void new_program(struct resolver *resolver, const struct record *record)
{
    typing_forget(resolver->typing);
    type_instances_forget(&resolver->type_instances);
    provisional_forget(resolver);
    space_forget(&resolver->space);
    tcbs_fini(&resolver->tcbs);
    tls_fini(&resolver->tls);
    if (resolver->allocations)
        allocations_forget(resolver->allocations);
    thread_names_forget_all(&resolver->threads_named);
    memset(resolver->bin_of_object, 0, NAMES_OBJECTS_MAX * sizeof *resolver->bin_of_object);
    code_changed(resolver, 0, UINT64_MAX);
    text_sanitise(resolver->comm, sizeof resolver->comm, record->comm.name,
                  strlen(record->comm.name));
    resolver->exe[0] = '\0';
    if (record->comm.exe)
        text_sanitise(resolver->exe, sizeof resolver->exe, record->comm.exe,
                      strlen(record->comm.exe));
    resolver->distrusted = true;
    resolver->scan_ns = 0;
}

static void take_mapping(struct resolver *resolver, const struct sample_mapping *mapping)
{
    memset(resolver->heard_of, 0, sizeof resolver->heard_of);
    memset(resolver->tls_of, 0, sizeof resolver->tls_of);
    if (space_take(&resolver->space, mapping))
        code_changed(resolver, mapping->start, mapping->start + mapping->length);
}

void resolver_record(struct resolver *resolver, const struct record *record)
{
    bool ours = record->pid == (uint32_t)resolver->options.pid;
    if (record->kind == RECORD_FORK)
        thread_names_forget(&resolver->threads_named, record->tid);
    if (record->kind == RECORD_COMM && ours && !record->comm.exec)
        thread_names_put(&resolver->threads_named, record->tid, record->comm.name);
    if (record->kind == RECORD_MAPPING && ours)
        take_mapping(resolver, &record->mapping);
    else if (record->kind == RECORD_COMM && ours && record->comm.exec)
        new_program(resolver, record);
    else if (record->kind == RECORD_COMM && ours && record->tid == record->pid)
        text_sanitise(resolver->comm, sizeof resolver->comm, record->comm.name,
                      strlen(record->comm.name));
}

bool resolver_thread(void *context, uint32_t tid, char *out, size_t out_size)
{
    struct resolver *resolver = context;
    bool live = resolver->options.live && resolver->alive;
    if (thread_names_get(&resolver->threads_named, resolver->options.pid, tid, live, out, out_size))
        return true;
    /* A thread that has given itself no name has its process's. */
    snprintf(out, out_size, "%s", resolver->comm);
    return resolver->comm[0];
}

void resolver_distrust(struct resolver *resolver)
{
    resolver->distrusted = true;
}

static void tick_allocations(struct resolver *resolver, uint64_t now_ns)
{
    if (resolver->allocations)
        allocations_tick(resolver->allocations, &resolver->space, &resolver->tcbs, resolver->alive,
                         now_ns);
}

void resolver_tick(struct resolver *resolver, uint64_t now_ns)
{
    struct process_stat stat;
    provisional_tick(resolver, now_ns);
    if (!resolver->options.live)
        return;
    resolver->alive = process_stat(resolver->options.pid, &stat) && stat.state != 'Z';
    if (!resolver->alive) {
        tick_allocations(resolver, now_ns);
        return;
    }
    resolver->threads = stat.threads;
    resolver->cpu_ticks = stat.cpu_ticks;
    resolver->stopped = stat.state == 'T' || stat.state == 't';
    memory_use_tick(&resolver->memory_use, &stat, now_ns);
    memcpy(resolver->comm, stat.comm, sizeof resolver->comm);
    if (!resolver->exe[0])
        process_exe(resolver->options.pid, resolver->exe, sizeof resolver->exe);
    if (resolver->distrusted && space_reread(&resolver->space, now_ns))
        resolver->distrusted = false;
    tcbs_refresh(&resolver->tcbs, resolver->options.pid);
    stacks_refresh(&resolver->space.stacks, &resolver->tcbs, &resolver->space.maps,
                   (uint32_t)resolver->options.pid);
    tls_refresh(&resolver->tls, &resolver->space, &resolver->tcbs);
    if (jitmap_refresh(&resolver->functions.jitmap, resolver->options.pid))
        functions_forget(&resolver->functions);
    tick_allocations(resolver, now_ns);
}

bool resolver_code_only(const struct resolver *resolver)
{
    const struct space *space = &resolver->space;
    return !space->from.live && !space->data_recorded && space->maps.count;
}

void resolver_be_patient(struct resolver *resolver, uint64_t patience_ns)
{
    typing_be_patient(resolver->typing, patience_ns);
}

size_t resolver_binaries(const struct resolver *resolver, struct binary_desc *out, size_t most)
{
    return binaries_list(&resolver->space.binaries, out, most);
}

struct resolver_target resolver_target(const struct resolver *resolver)
{
    return (struct resolver_target){
        .pid = (uint32_t)resolver->options.pid,
        .threads = resolver->threads,
        .comm = resolver->comm,
        .exe = resolver->exe,
        .alive = resolver->alive,
        .stopped = resolver->stopped,
        .cpu_ticks = resolver->cpu_ticks,
    };
}
