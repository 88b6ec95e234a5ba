/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sample/perfdata_write_process.h"

#include "base/files.h"
#include "sample/threads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static void tell_name(const struct kernel *kernel, struct record task, perfdata_process_sink sink,
                      void *context)
{
    char path[64];
    char name[64];
    snprintf(path, sizeof path, "%u/task/%u/comm", task.pid, task.tid);
    if (!kernel_text(kernel->procfs, path, name, sizeof name))
        return;
    task.kind = RECORD_COMM;
    task.comm.name = name;
    task.comm.exec = false;
    sink(context, &task);
}

/* Who made a thread is not told: the first one, as perf record says too. */
static void tell_thread(const struct kernel *kernel, pid_t pid, pid_t tid,
                        perfdata_process_sink sink, void *context)
{
    struct record task = {.pid = (uint32_t)pid, .tid = (uint32_t)tid};
    if (tid != pid) {
        task.kind = RECORD_FORK;
        task.fork.parent_pid = task.fork.parent_tid = (uint32_t)pid;
        sink(context, &task);
    }
    tell_name(kernel, task, sink, context);
}

/* One line of /proc/PID/maps (proc(5)); false if it is none. */
static bool take_line(char *line, struct sample_mapping *mapping)
{
    unsigned long start, end, offset, inode;
    char mode[5] = "";
    int used = 0;
    line[strcspn(line, "\n")] = '\0';
    if (sscanf(line, "%lx-%lx %4s %lx %x:%x %lu %n", &start, &end, mode, &offset,
               &mapping->device_major, &mapping->device_minor, &inode, &used) < 7 ||
        end <= start || strlen(mode) != 4)
        return false;
    mapping->start = start;
    mapping->length = end - start;
    mapping->file_offset = offset;
    mapping->inode = inode;
    mapping->protection = (mode[0] == 'r' ? PROT_READ : 0u) | (mode[1] == 'w' ? PROT_WRITE : 0u) |
                          (mode[2] == 'x' ? PROT_EXEC : 0u);
    mapping->flags = mode[3] == 's' ? MAP_SHARED : MAP_PRIVATE;
    mapping->executable = mode[2] == 'x';
    mapping->path = line[used] ? line + used : "//anon";
    return true;
}

static void tell_mappings(const struct kernel *kernel, pid_t pid, perfdata_process_sink sink,
                          void *context)
{
    char path[64];
    char *line = NULL;
    size_t room = 0;
    snprintf(path, sizeof path, "%s/%d/maps", kernel->procfs, (int)files_shown_by(pid));
    FILE *file = fopen(path, "re");
    if (!file)
        return;
    while (getline(&line, &room, file) > 0) {
        struct record record = {.kind = RECORD_MAPPING, .pid = (uint32_t)pid, .tid = (uint32_t)pid};
        if (take_line(line, &record.mapping))
            sink(context, &record);
    }
    free(line);
    fclose(file);
}

void perfdata_process_tell(const struct kernel *kernel, pid_t pid, bool mappings,
                           perfdata_process_sink sink, void *context)
{
    struct threads threads = {0};
    tell_thread(kernel, pid, pid, sink, context);
    if (mappings)
        tell_mappings(kernel, pid, sink, context);
    if (!threads_read(&threads, kernel, pid))
        for (size_t i = 0; i < threads.count; i++)
            if (threads.tids[i] != pid)
                tell_thread(kernel, pid, threads.tids[i], sink, context);
    threads_fini(&threads);
}

/* Addresses of the first and past the last instruction; false where they are hidden. */
static bool find_text(FILE *kallsyms, uint64_t *start, uint64_t *past)
{
    char line[512];
    char name[128];
    unsigned long long address;
    *start = *past = 0;
    while ((!*start || !*past) && fgets(line, sizeof line, kallsyms))
        if (sscanf(line, "%llx %*c %127s", &address, name) == 2) {
            *start = strcmp(name, "_text") ? *start : address;
            *past = strcmp(name, "_etext") ? *past : address;
        }
    return *start && *past > *start;
}

void perfdata_process_kernel(const struct kernel *kernel, perfdata_process_sink sink, void *context)
{
    char path[64];
    uint64_t past;
    struct record record = {
        .kind = RECORD_MAPPING,
        .pid = PERFDATA_KERNEL_PID,
        .mapping = {.protection = PROT_EXEC, .executable = true, .path = "[kernel.kallsyms]_text"}};
    struct sample_mapping *mapping = &record.mapping;
    snprintf(path, sizeof path, "%s/kallsyms", kernel->procfs);
    FILE *file = fopen(path, "re");
    if (!file)
        return;
    if (find_text(file, &mapping->start, &past)) {
        mapping->length = past - mapping->start;
        mapping->file_offset = mapping->start; /* by which perf finds out how far it was moved */
        sink(context, &record);
    }
    fclose(file);
}
