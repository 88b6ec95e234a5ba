/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/files.h"
#include "sample/kernel.h"
#include "sample/perfdata/writer_state.h"

static void write_name(const struct kernel *kernel, struct record task, sampler_sink sink,
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

/* The parent is the first thread, as in perf record: the creating thread is not known. */
static void write_thread(const struct kernel *kernel, pid_t pid, pid_t tid, sampler_sink sink,
                         void *context)
{
    struct record task = {.pid = (uint32_t)pid, .tid = (uint32_t)tid};
    if (tid != pid) {
        task.kind = RECORD_FORK;
        task.fork.parent_pid = task.fork.parent_tid = (uint32_t)pid;
        sink(context, &task);
    }
    write_name(kernel, task, sink, context);
}

/* Parses one line of /proc/PID/maps (proc(5)). Returns false if it is not one. */
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

static void write_mappings(const struct kernel *kernel, pid_t pid, sampler_sink sink, void *context)
{
    char path[64];
    char *line = NULL;
    size_t room = 0;
    snprintf(path, sizeof path, "%s/%d/maps", kernel->procfs, (int)files_proc_tid(pid));
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

void perfdata_process_write(const struct kernel *kernel, pid_t pid, bool mappings,
                            sampler_sink sink, void *context)
{
    struct threads threads = {0};
    write_thread(kernel, pid, pid, sink, context);
    if (mappings)
        write_mappings(kernel, pid, sink, context);
    if (!threads_read(&threads, kernel, pid))
        for (size_t i = 0; i < threads.count; i++)
            if (threads.tids[i] != pid)
                write_thread(kernel, pid, threads.tids[i], sink, context);
    threads_fini(&threads);
}

/* Returns false if the addresses are hidden. */
static bool find_kernel_text(FILE *kallsyms, uint64_t *start, uint64_t *past)
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

void perfdata_process_kernel(const struct kernel *kernel, sampler_sink sink, void *context)
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
    if (find_kernel_text(file, &mapping->start, &past)) {
        mapping->length = past - mapping->start;
        mapping->file_offset = mapping->start; /* perf computes the relocation from it */
        sink(context, &record);
    }
    fclose(file);
}

/* vm.max_map_count is 65530 unless raised; each thread adds a name and a fork. */
enum { TASKS_MAX = 1 << 18, TASKS_GONE_MIN = 256 };

void perfdata_tasks_fini(struct perfdata_tasks *tasks)
{
    for (size_t i = 0; i < tasks->count; i++)
        free(tasks->list[i].record);
    free(tasks->list);
    *tasks = (struct perfdata_tasks){0};
}

static struct perfdata_task tasks_key(const struct record *record)
{
    struct perfdata_task key = {.pid = record->pid, .tid = record->tid, .kind = record->kind};
    if (record->kind == RECORD_MAPPING) {
        uint64_t start = key.start = record->mapping.start;
        uint64_t length = record->mapping.length;
        key.end = length > UINT64_MAX - start ? UINT64_MAX : start + length;
    }
    return key;
}

/* A partly hidden mapping stays: the newer one comes after it. */
static bool ends_task(const struct perfdata_task *fresh, bool exec, const struct perfdata_task *old)
{
    bool named = old->kind != RECORD_MAPPING && old->tid == fresh->tid;
    if (old->pid != fresh->pid)
        return false;
    switch (fresh->kind) {
    case RECORD_MAPPING:
        return old->kind == RECORD_MAPPING && old->start >= fresh->start && old->end <= fresh->end;
    case RECORD_COMM:
        /* exec leaves one thread and no mappings. */
        return exec || (old->kind == RECORD_COMM && named);
    case RECORD_FORK:
        return named;
    default:
        /* The first thread's name is the process's, which continues with the other threads. */
        return named && old->tid != old->pid;
    }
}

static void compact_tasks(struct perfdata_tasks *tasks)
{
    size_t kept = 0;
    if (tasks->obsolete_count < TASKS_GONE_MIN || tasks->obsolete_count < tasks->count / 2)
        return;
    for (size_t i = 0; i < tasks->count; i++)
        if (tasks->list[i].record)
            tasks->list[kept++] = tasks->list[i];
    tasks->count = kept;
    tasks->obsolete_count = 0;
}

static void tasks_forget(struct perfdata_tasks *tasks, const struct record *fresh)
{
    struct perfdata_task key = tasks_key(fresh);
    bool exec = fresh->kind == RECORD_COMM && fresh->comm.exec;
    for (size_t i = 0; i < tasks->count; i++) {
        struct perfdata_task *old = &tasks->list[i];
        if (!old->record || !ends_task(&key, exec, old))
            continue;
        free(old->record);
        old->record = NULL;
        tasks->obsolete_count++;
    }
    compact_tasks(tasks);
}

static const char *text_of(const struct record *record)
{
    return record->kind == RECORD_MAPPING ? record->mapping.path
           : record->kind == RECORD_COMM  ? record->comm.name
                                          : "";
}

static struct record *copy_task_record(const struct record *record)
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
    /* The exec is over: the repeated record only gives the name. */
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
        tasks_forget(tasks, record);
    if (!lasting || tasks->count == TASKS_MAX)
        return 0;
    bool room = array_reserve_next(&tasks->list, &tasks->room, tasks->count, sizeof *tasks->list,
                                   ARRAY_UNBOUNDED);
    struct record *copied = room ? copy_task_record(record) : NULL;
    if (!copied)
        return -ENOMEM;
    struct perfdata_task task = tasks_key(record);
    task.record = copied;
    tasks->list[tasks->count++] = task;
    return 0;
}

void perfdata_tasks_write(const struct perfdata_tasks *tasks, uint64_t time_ns, sampler_sink sink,
                          void *context)
{
    for (size_t i = 0; i < tasks->count; i++) {
        if (!tasks->list[i].record)
            continue;
        struct record record = *tasks->list[i].record;
        record.time_ns = time_ns;
        sink(context, &record);
    }
}

enum {
    FILES_MAX = 1 << 14,
    SEGMENTS_MAX = 64,
    NOTE_BYTES_MAX = 4096,
    PATH_BYTES_MAX = 4096,
    NAME_ALIGN = 64,
    EVERY_PROCESS = -1
};

#define FILE_BYTES_MAX (UINT64_C(64) << 30)

void perfdata_build_ids_fini(struct perfdata_build_ids *ids)
{
    perfdata_bytes_fini(&ids->section);
    hash_fini(&ids->seen);
}

/* Finds the build-id in notes: three words, then name and contents, each padded to words. */
static bool find_build_id_note(const unsigned char *bytes, size_t left, struct build_id *id)
{
    Elf64_Nhdr note;
    while (left >= sizeof note) {
        memcpy(&note, bytes, sizeof note);
        uint64_t name_bytes = ((uint64_t)note.n_namesz + 3) & ~UINT64_C(3);
        uint64_t id_bytes = ((uint64_t)note.n_descsz + 3) & ~UINT64_C(3);
        if (sizeof note + name_bytes + id_bytes > left)
            return false;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
            !memcmp(bytes + sizeof note, "GNU", 4) && note.n_descsz &&
            note.n_descsz <= sizeof id->bytes) {
            *id = (struct build_id){.size = (uint8_t)note.n_descsz};
            memcpy(id->bytes, bytes + sizeof note + name_bytes, note.n_descsz);
            return true;
        }
        bytes += sizeof note + name_bytes + id_bytes;
        left -= sizeof note + name_bytes + id_bytes;
    }
    return false;
}

static bool read_notes(int fd, uint64_t offset, uint64_t size, struct build_id *id)
{
    unsigned char bytes[NOTE_BYTES_MAX];
    size_t wanted = size < sizeof bytes ? (size_t)size : sizeof bytes;
    ssize_t got = offset <= INT64_MAX ? pread(fd, bytes, wanted, (off_t)offset) : -1;
    return got > 0 && find_build_id_note(bytes, (size_t)got, id);
}

/* Returns the position of a note segment; size 0: another kind of segment. */
static uint64_t note_segment(const unsigned char *header, bool wide, uint64_t *offset)
{
    Elf64_Phdr phdr64;
    Elf32_Phdr phdr32;
    if (wide) {
        memcpy(&phdr64, header, sizeof phdr64);
        *offset = phdr64.p_offset;
        return phdr64.p_type == PT_NOTE ? phdr64.p_filesz : 0;
    }
    memcpy(&phdr32, header, sizeof phdr32);
    *offset = phdr32.p_offset;
    return phdr32.p_type == PT_NOTE ? phdr32.p_filesz : 0;
}

bool perfdata_build_id_read(int fd, struct build_id *id)
{
    union {
        unsigned char ident[EI_NIDENT];
        Elf64_Ehdr wide;
        Elf32_Ehdr narrow;
    } head = {0};
    unsigned char segments[SEGMENTS_MAX * sizeof(Elf64_Phdr)];
    if (pread(fd, &head, sizeof head, 0) < (ssize_t)sizeof head.narrow ||
        memcmp(head.ident, ELFMAG, SELFMAG) || head.ident[EI_DATA] != ELFDATA2LSB)
        return false;
    bool wide = head.ident[EI_CLASS] == ELFCLASS64;
    size_t each = wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
    uint64_t at = wide ? head.wide.e_phoff : head.narrow.e_phoff;
    size_t count = wide ? head.wide.e_phnum : head.narrow.e_phnum;
    ssize_t got = at <= INT64_MAX ? pread(fd, segments, sizeof segments, (off_t)at) : -1;
    for (size_t i = 0; got > 0 && i < count && (i + 1) * each <= (size_t)got; i++) {
        uint64_t offset;
        uint64_t size = note_segment(segments + i * each, wide, &offset);
        if (size && read_notes(fd, offset, size, id))
            return true;
    }
    return false;
}

/* Reads the file through the root of the process; it must be the mapped file, not a later one. */
static bool read_file(const struct sample_mapping *mapping, const struct kernel *kernel, pid_t pid,
                      struct build_id *id)
{
    char path[64];
    struct stat status;
    struct files_client client;
    snprintf(path, sizeof path, "%s/%d/root", kernel->procfs, (int)pid);
    int root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (root < 0)
        return false;
    files_client_process(&client, pid);
    int fd = files_open_below(root, mapping->path, &client, FILES_FOLLOW, FILE_BYTES_MAX);
    close(root);
    if (fd < 0)
        return false;
    bool found = !fstat(fd, &status) && (!mapping->inode || status.st_ino == mapping->inode) &&
                 perfdata_build_id_read(fd, id);
    close(fd);
    return found;
}

/* Adds a struct build_id_event; in the feature it has no type. */
static void build_id_list_entry(struct perfdata_build_ids *ids, uint16_t mode, const char *path,
                                const struct build_id *id)
{
    struct perfdata_bytes *section = &ids->section;
    size_t length = strnlen(path, PATH_BYTES_MAX - 1);
    size_t filled = (length + NAME_ALIGN) & ~(size_t)(NAME_ALIGN - 1);
    uint8_t field[BUILD_ID_FIELD_BYTES] = {0};
    struct perf_event_header header = {.misc = mode | BUILD_ID_MISC_SIZE};
    header.size = (uint16_t)(sizeof header + sizeof(uint32_t) + sizeof field + filled);
    memcpy(field, id->bytes, id->size);
    field[sizeof id->bytes] = id->size;
    if (!perfdata_bytes_reserve(section, header.size))
        return;
    perfdata_bytes_put(section, &header, sizeof header);
    perfdata_bytes_u32(section, (uint32_t)EVERY_PROCESS);
    perfdata_bytes_put(section, field, sizeof field);
    perfdata_bytes_put(section, path, length);
    perfdata_bytes_zero(section, filled - length);
}

/* Returns true for a file, not for "//anon", "[heap]", "/memfd:...", "/dev/zero". */
static bool is_file(const char *path)
{
    return path[0] == '/' && path[1] != '/' && strncmp(path, "/memfd:", 7) &&
           strncmp(path, "/dev/", 5) && strncmp(path, "/SYSV", 5);
}

void perfdata_build_ids_note(struct perfdata_build_ids *ids, const struct sample_mapping *mapping,
                             const struct kernel *kernel, pid_t pid)
{
    bool created = false;
    struct build_id id;
    bool recorded = mapping->build_id_size && mapping->build_id_size <= sizeof id.bytes;
    if (!(recorded || is_file(mapping->path)) || ids->seen.count >= FILES_MAX ||
        !hash_insert(&ids->seen, hash_bytes(mapping->path, strlen(mapping->path)), &created) ||
        !created)
        return;
    if (recorded) {
        id.size = mapping->build_id_size;
        memcpy(id.bytes, mapping->build_id, sizeof id.bytes);
        build_id_list_entry(ids, PERF_RECORD_MISC_USER, mapping->path, &id);
    } else if (pid && read_file(mapping, kernel, pid, &id)) {
        build_id_list_entry(ids, PERF_RECORD_MISC_USER, mapping->path, &id);
    }
}

void perfdata_build_ids_kernel(struct perfdata_build_ids *ids, const struct kernel *kernel)
{
    char path[64];
    struct build_id id;
    snprintf(path, sizeof path, "%s/kernel/notes", kernel->sysfs);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    if (read_notes(fd, 0, NOTE_BYTES_MAX, &id))
        build_id_list_entry(ids, PERF_RECORD_MISC_KERNEL, "[kernel.kallsyms]", &id);
    close(fd);
}
