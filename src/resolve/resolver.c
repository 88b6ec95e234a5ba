/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/files.h"
#include "base/text.h"
#include "resolve/process/process.h"
#include "resolve/resolver_state.h"

static int open_allocations(struct resolver *resolver, struct error *error)
{
    bool live = resolver->options.live;
    struct allocations_options options = {.feed = live ? resolver->options.feed : NULL,
                                          .walk = live && resolver->options.walk,
                                          .note = resolver->options.heap_note,
                                          .pid = resolver->options.pid,
                                          .name = resolver_name_address,
                                          .assigned = resolver_assignee,
                                          .context = resolver};
    return allocations_new(&resolver->allocations, &options, error);
}

enum { AWAIT_HEAP_NS = 300000000 };

/* Reads the JIT map of a recording, only if it was copied with the recording: a local map belongs
 * to another process. */
static void read_recorded_jitmap(struct resolver *resolver)
{
    char path[64];
    const struct resolver_options *options = &resolver->options;
    if (options->live || !options->symfs)
        return;
    snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)options->pid);
    int fd = files_open_in_folder(options->symfs, path, JITMAP_BYTES_MAX);
    if (fd < 0)
        return;
    jitmap_read(&resolver->jitmap, fd);
    close(fd);
}

static int resolver_refuse(pid_t pid, int code, struct error *error)
{
    char cause[ERROR_CAUSE];
    if (code == -EACCES || code == -EPERM)
        return error_set(error, code, "memory map of process %d: permission denied; %s", (int)pid,
                         error_rights_remedy());
    if (code == -ENOENT || code == -ESRCH)
        return error_set(error, code, "process %d is gone", (int)pid);
    return error_set(error, code, "memory map of process %d: %s", (int)pid,
                     error_cause(code, cause));
}

int resolver_open(struct resolver **out, const struct resolver_options *options,
                  struct error *error)
{
    struct lookup_from from = {.pid = options->pid,
                               .live = options->live,
                               .files = options->files,
                               .symfs = options->live ? NULL : options->symfs,
                               .is_from_other_host = options->is_from_other_host,
                               .host_unknown = options->host_unknown,
                               .debuginfod = options->debuginfod};
    struct resolver *resolver = calloc(1, sizeof *resolver);
    if (!resolver || names_init(&resolver->names)) {
        free(resolver);
        return error_set(error, -ENOMEM, "out of memory");
    }
    resolver->options = *options;
    jitmap_init(&resolver->jitmap);
    unwind_init(&resolver->unwind, options->live ? options->pid : 0);
    resolver->alive = true;
    /* No record contains the name of the idle task. */
    if (!options->live && !options->pid)
        snprintf(resolver->comm, sizeof resolver->comm, "swapper");
    if (options->live)
        nodes_init(&resolver->nodes, options->pid, NULL);
    memory_use_init(&resolver->memory_use, options->live ? options->pid : 0);
    read_recorded_jitmap(resolver);
    resolver->resolved = options->live ? NULL : calloc(RESOLVED_RECENT, sizeof *resolver->resolved);
    resolver->typing = typing_new();
    resolver->bin_of_object = calloc(NAMES_OBJECTS_MAX, sizeof *resolver->bin_of_object);
    if (!resolver->typing || !resolver->bin_of_object ||
        type_instances_init(&resolver->type_instances) ||
        provisional_init(&resolver->provisional)) {
        resolver_close(resolver);
        return error_set(error, -ENOMEM, "out of memory");
    }
    int code = space_init(&resolver->space, &from);
    if (!code && open_allocations(resolver, error)) {
        resolver_close(resolver);
        return -ENOMEM;
    }
    if (code) {
        resolver_close(resolver);
        return resolver_refuse(options->pid, code, error);
    }
    resolver_tick(resolver, clock_now_ns());
    /* Wait for the first count, so that the first samples find blocks unless the heap is huge. */
    allocations_await(resolver->allocations, AWAIT_HEAP_NS);
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
    runtimes_fini(&resolver->runtimes);
    unwind_fini(&resolver->unwind);
    callers_fini(&resolver->callers);
    space_fini(&resolver->space);
    names_fini(&resolver->names);
    jitmap_fini(&resolver->jitmap);
    tcbs_fini(&resolver->tcbs);
    tls_fini(&resolver->tls);
    thread_names_fini(&resolver->threads_named);
    allocations_free(resolver->allocations);
    free(resolver->bin_of_object);
    free(resolver->resolved);
    free(resolver);
}

static void forget_functions(struct resolver *resolver)
{
    memset(resolver->functions, 0, sizeof resolver->functions);
}

static void note_code_change(struct resolver *resolver, uint64_t start, uint64_t end)
{
    forget_functions(resolver);
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

static void start_new_program(struct resolver *resolver, const struct record *record)
{
    typing_forget(resolver->typing);
    type_instances_forget(&resolver->type_instances);
    provisional_forget(resolver);
    space_forget(&resolver->space);
    names_forget(&resolver->names);
    tcbs_fini(&resolver->tcbs);
    tls_fini(&resolver->tls);
    allocations_forget(resolver->allocations);
    runtimes_forget(&resolver->runtimes);
    thread_names_forget_all(&resolver->threads_named);
    memset(resolver->bin_of_object, 0, NAMES_OBJECTS_MAX * sizeof *resolver->bin_of_object);
    note_code_change(resolver, 0, UINT64_MAX);
    text_sanitise(resolver->comm, sizeof resolver->comm, record->comm.name,
                  strlen(record->comm.name));
    resolver->exe[0] = '\0';
    if (record->comm.exe)
        text_sanitise(resolver->exe, sizeof resolver->exe, record->comm.exe,
                      strlen(record->comm.exe));
    resolver->maps_are_stale = true;
    resolver->new_program = true;
    resolver->scan_ns = 0;
}

static void take_mapping(struct resolver *resolver, const struct sample_mapping *mapping)
{
    memset(resolver->seen_tids, 0, sizeof resolver->seen_tids);
    memset(resolver->tls_checked_tids, 0, sizeof resolver->tls_checked_tids);
    if (space_take(&resolver->space, mapping))
        note_code_change(resolver, mapping->start, mapping->start + mapping->length);
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
        start_new_program(resolver, record);
    else if (record->kind == RECORD_COMM && ours && record->tid == record->pid)
        text_sanitise(resolver->comm, sizeof resolver->comm, record->comm.name,
                      strlen(record->comm.name));
}

void resolver_expect(struct resolver *resolver, uint64_t address)
{
    struct module *code = resolver_code_at(resolver, address);
    if (code)
        typing_expect(resolver->typing, code);
}

bool resolver_thread(struct resolver *resolver, uint32_t tid, char *out, size_t out_size)
{
    bool live = resolver->options.live && resolver->alive;
    if (thread_names_get(&resolver->threads_named, resolver->options.pid, tid, live, out, out_size))
        return true;
    /* A thread without a name of its own has the name of its process. */
    snprintf(out, out_size, "%s", resolver->comm);
    return resolver->comm[0];
}

void resolver_mark_maps_stale(struct resolver *resolver)
{
    resolver->maps_are_stale = true;
}

static void update_rights(struct resolver *resolver)
{
    struct process_rights rights;
    if (!process_rights(resolver->options.pid, &rights))
        return;
    if (resolver->new_program)
        resolver->sampling_ended |= rights.real != rights.effective || rights.is_root_owned ||
                                    (rights.effective != resolver->user && rights.setuid);
    resolver->new_program = false;
    resolver->user = rights.effective;
}

bool resolver_sampling_ended(const struct resolver *resolver)
{
    return resolver->sampling_ended;
}

static void tick_allocations(struct resolver *resolver, uint64_t now_ns)
{
    allocations_tick(resolver->allocations, &resolver->space, &resolver->tcbs, resolver->alive,
                     now_ns);
}

void resolver_tick(struct resolver *resolver, uint64_t now_ns)
{
    struct process_stat stat;
    provisional_tick(resolver, now_ns);
    if (!resolver->options.live)
        return;
    bool there = process_stat(resolver->options.pid, &stat);
    if (!there && (errno == EMFILE || errno == ENFILE))
        return; /* says nothing about the process */
    resolver->alive = there && stat.state != 'Z';
    if (!resolver->alive) {
        tick_allocations(resolver, now_ns);
        return;
    }
    resolver->threads = stat.threads;
    update_rights(resolver);
    resolver->cpu_ticks = stat.cpu_ticks;
    resolver->stopped = stat.state == 'T' || stat.state == 't';
    memory_use_tick(&resolver->memory_use, &stat, now_ns);
    callers_tick(&resolver->callers, now_ns);
    memcpy(resolver->comm, stat.comm, sizeof resolver->comm);
    if (!resolver->exe[0])
        process_exe(resolver->options.pid, resolver->exe, sizeof resolver->exe);
    if (resolver->maps_are_stale && space_reread(&resolver->space, now_ns))
        resolver->maps_are_stale = false;
    tcbs_tick(&resolver->tcbs, resolver->options.pid, now_ns);
    stacks_refresh(&resolver->space.stacks, &resolver->tcbs, &resolver->space.maps,
                   (uint32_t)resolver->options.pid);
    tls_refresh(&resolver->tls, &resolver->space, &resolver->tcbs);
    if (jitmap_refresh(&resolver->jitmap, resolver->options.pid, resolver->options.files))
        forget_functions(resolver);
    runtimes_detect(&resolver->runtimes, &resolver->space, resolver->options.pid, now_ns);
    resolver->runtimes.classes.tick++;
    if (resolver->runtimes.hotspot.known)
        forget_functions(resolver);
    tick_allocations(resolver, now_ns);
}

bool resolver_code_only(const struct resolver *resolver)
{
    const struct space *space = &resolver->space;
    return !space->from.live && !space->data_recorded && space->maps.count;
}

void resolver_set_patience(struct resolver *resolver, uint64_t patience_ns)
{
    typing_set_patience(resolver->typing, patience_ns);
}

size_t resolver_binaries(const struct resolver *resolver, struct binary_desc *out, size_t most)
{
    return binaries_list(&resolver->space.binaries, out, most);
}

uint64_t resolver_unmapped(const struct resolver *resolver)
{
    return resolver->space.binaries.outside_mappings;
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

/* Requests of the decoder: code, bounds, memory, segment bases. */

enum { RESOLVER_SCAN_PER_S = 1 };

size_t resolver_code(void *context, uint64_t address, void *out, size_t size)
{
    struct resolver *resolver = context;
    /* Prefer memory, which is what runs: unlike the file, it has relocations and patches. */
    size_t got =
        resolver->options.live ? process_read_some(resolver->options.pid, address, out, size) : 0;
    if (got)
        return got;
    struct module *module = resolver_code_at(resolver, address);
    return module ? module_bytes(module, address, out, size) : 0;
}

bool resolver_memory(void *context, uint64_t address, void *out, size_t size)
{
    struct resolver *resolver = context;
    if (resolver->options.live)
        return process_read(resolver->options.pid, address, out, size);
    /* A recording has no memory, but bytes that are never written are also in the file. */
    struct module *module = resolver_code_at(resolver, address);
    return module && module_constant(module, address, out, size);
}

bool resolver_segment(void *context, uint32_t tid, bool gs, uint64_t *base)
{
    struct resolver *resolver = context;
    if (gs || !resolver->options.live)
        return false;
    const struct tcb *tcb = tcbs_find_or_ask(&resolver->tcbs, resolver->options.pid, tid);
    uint64_t now = tcb ? 0 : clock_now_ns();
    if (!tcb && now >= resolver->scan_ns) {
        resolver->scan_ns = now + CLOCK_NS_PER_S / RESOLVER_SCAN_PER_S;
        space_reread(&resolver->space, now);
        tcbs_scan(&resolver->tcbs, resolver->options.pid, &resolver->space.maps);
        stacks_refresh(&resolver->space.stacks, &resolver->tcbs, &resolver->space.maps,
                       (uint32_t)resolver->options.pid);
        tcb = tcbs_of_thread(&resolver->tcbs, tid);
    }
    *base = tcb ? tcb->base : 0;
    return tcb;
}

bool resolver_mapped(void *context, uint64_t address)
{
    struct resolver *resolver = context;
    return space_map(&resolver->space, address) ||
           space_unrecorded(&resolver->space, address) != SPACE_NOTHING;
}

/* Inputs for the heap and the types: the time to follow to, and the user's bins. */

long resolver_follow(struct resolver *resolver, uint64_t until_ns)
{
    return allocations_follow(resolver->allocations, until_ns);
}

void resolver_settle(struct resolver *resolver, uint64_t now_ns)
{
    /* After an exec: records report mappings, but not what became read-only later. */
    if (resolver->maps_are_stale && resolver->options.live &&
        space_reread(&resolver->space, now_ns))
        resolver->maps_are_stale = false;
    if (resolver->options.live && resolver->alive)
        runtimes_detect(&resolver->runtimes, &resolver->space, resolver->options.pid, now_ns);
    if (typing_run(resolver->typing, now_ns))
        allocations_retry_names(resolver->allocations);
    allocations_settle(resolver->allocations, now_ns);
}

void resolver_heap_mark(struct resolver *resolver, uint64_t now_ns)
{
    allocations_mark(resolver->allocations, now_ns);
}

int resolver_bin_rename(struct resolver *resolver, uint32_t bin, const char *name)
{
    return allocations_rename(resolver->allocations, bin, name);
}

int resolver_bin_combine(struct resolver *resolver, const uint32_t *bins, uint32_t count)
{
    return allocations_combine(resolver->allocations, bins, count);
}

int resolver_bin_undo(struct resolver *resolver)
{
    return allocations_undo(resolver->allocations);
}

/* The blocks of an object, and the call paths that allocate more of them. */

static const char *watch_refusal(enum object_kind kind)
{
    switch (kind) {
    case OBJECT_HEAP:
        return "its individual blocks are not known; this requires the allocation agent (--heap)";
    case OBJECT_STACK:
        return "it is on a stack, where a variable's address changes with every call";
    case OBJECT_TLS:
        return "each thread has its own copy at another address";
    default:
        return "its bounds are not known";
    }
}

int resolver_blocks(struct resolver *resolver, uint32_t object, resolver_block *sink, void *context,
                    bool *follows, struct error *error)
{
    union place_answer answer;
    const struct object_desc *desc = &answer.object;
    uint32_t bin = object < resolver->names.object_count ? resolver->bin_of_object[object] : 0;
    struct place_names names = resolver_names(resolver);
    *follows = false;
    if (!place_ask(&names, PLACE_OBJECT, object, &answer))
        return error_set(error, -ENOENT, "it is gone");
    if (bin && !allocations_blocks(resolver->allocations, bin, sink, context)) {
        *follows = true;
        return 0;
    }
    if (desc->kind != OBJECT_GLOBAL || !desc->size_bytes)
        return error_set(error, -ENOTSUP, "%s", watch_refusal(desc->kind));
    sink(context, desc->address, desc->size_bytes);
    return 0;
}

enum allocation_path resolver_path(const struct resolver *resolver, uint32_t object, uint32_t path)
{
    uint32_t bin = object < resolver->names.object_count ? resolver->bin_of_object[object] : 0;
    return bin ? allocations_path(resolver->allocations, bin, path) : ALLOCATION_PATH_OTHER;
}
