/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sample/perfdata.h"

#include "sample/perfdata_state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { PIPE_HEADER_BYTES = 16 };

/* A pipe that is silent for so long, once it has begun, is recorded while it is read. */
static const double IDLE_S = 1;

static int out_of_memory(struct error *error)
{
    return error_set(error, -ENOMEM, "out of memory");
}

/* Ids of one event, 8 bytes each, that lie elsewhere in the file; what lies outside is left out. */
static int read_ids(struct perfdata *file, size_t index, struct perfdata_section ids)
{
    unsigned char bytes[512];
    while (ids.size >= 8) {
        uint64_t wanted = ids.size < sizeof bytes ? ids.size : sizeof bytes;
        long got = input_read_at(&file->input, ids.offset, bytes, wanted);
        if (got < 8)
            return 0;
        struct cursor cursor = {bytes, (size_t)got, false, file->header.swap};
        while (cursor.left >= 8) {
            int code = attributes_add_id(&file->attributes, index, cursor_u64(&cursor));
            if (code)
                return code;
        }
        ids.offset += (uint64_t)got & ~UINT64_C(7);
        ids.size -= (uint64_t)got & ~UINT64_C(7);
    }
    return 0;
}

static int read_attribute(struct perfdata *file, uint64_t offset)
{
    unsigned char bytes[4096];
    size_t size = (size_t)file->header.attr_size;
    struct perfdata_section ids;
    if (input_read_at(&file->input, offset, bytes, size) != (long)size)
        return -EBADMSG;
    size -= sizeof ids;
    struct cursor cursor = {bytes + size, sizeof ids, false, file->header.swap};
    ids.offset = cursor_u64(&cursor);
    ids.size = cursor_u64(&cursor);
    int code = attributes_add(&file->attributes, bytes, size, file->header.swap);
    return code ? code : read_ids(file, file->attributes.count - 1, ids);
}

static int read_attributes(struct perfdata *file)
{
    const struct perfdata_section *attrs = &file->header.attrs;
    int code = 0;
    for (uint64_t at = 0; !code && at + file->header.attr_size <= attrs->size;
         at += file->header.attr_size)
        code = read_attribute(file, attrs->offset + at);
    /* Events beyond what a recording can have are left out, and their records counted. */
    return code == -ENOMEM ? code : 0;
}

/* Sets the tape to the first record. */
static int rewind_tape(struct perfdata *file)
{
    const struct perfdata_header *header = &file->header;
    tape_fini(&file->tape);
    reads_restart(&file->reads);
    tape_init(&file->tape, &file->input, header->swap);
    if (header->piped)
        return file->input.seekable ? input_seek(&file->input, PIPE_HEADER_BYTES)
                                    : !input_skip(&file->input, PIPE_HEADER_BYTES);
    file->tape.expects_more = header->cut;
    file->input.end =
        header->killed || header->cut ? UINT64_MAX : header->data.offset + header->data.size;
    return input_seek(&file->input, header->data.offset);
}

static int count(void *context, struct attribute *event, const struct record *record)
{
    return perfdata_count(context, event, record);
}

static int survey_record(struct perfdata *file, const struct tape_record *found)
{
    struct attribute *event;
    struct record record;
    if (!found->bytes)
        return 0;
    if (found->header.type >= TAPE_USER)
        return perfdata_take_own(file, found);
    if (!perfdata_parse(file, found, &event, &record))
        return 0;
    return perfdata_expand(file, found, event, &record, count, file);
}

/* Reads it to its end once: its events, processes and counts. */
static int survey(struct perfdata *file, const char *path, struct error *error)
{
    struct tape_record found;
    int code;
    while ((code = tape_next(&file->tape, &found)) == 1) {
        code = survey_record(file, &found);
        if (code)
            break;
    }
    if (code == -ENOMEM)
        return out_of_memory(error);
    if (code)
        return error_set(error, code, "cannot read %s: %s", path, strerror(-code));
    processes_sort(&file->processes);
    attributes_number(&file->attributes);
    file->counts.aux_bytes = file->tape.aux_bytes;
    file->counts.cut = file->tape.end == TAPE_CUT;
    file->counts.damaged = file->tape.end > TAPE_CUT;
    file->surveyed = true;
    return rewind_tape(file);
}

/* Of a pipe that is played while it comes: what stands before the first record of the kernel. */
static int read_head(struct perfdata *file, const char *path, struct error *error)
{
    int code;
    while ((code = tape_next(&file->tape, &file->held)) == 1 &&
           (!file->held.bytes || file->held.header.type >= TAPE_USER)) {
        code = file->held.bytes ? perfdata_take_own(file, &file->held) : 0;
        if (code)
            break;
    }
    if (code != 1)
        file->held.bytes = NULL;
    if (code == -ENOMEM)
        return out_of_memory(error);
    if (code < 0)
        return error_set(error, code, "cannot read %s: %s", path, strerror(-code));
    attributes_number(&file->attributes);
    return 0;
}

/* The header; after it the input can be read twice, unless it is to be played at once. */
static int begin(struct perfdata *file, const char *path, pid_t pid, struct error *error)
{
    int code = perfdata_header_read(&file->header, &file->input, path, error);
    if (!code && !file->input.seekable && (!file->header.piped || !pid)) {
        /* One that was written as a file has its description at its end. */
        int goes_on = input_spool(&file->input, file->header.piped ? IDLE_S : NAN, error);
        code = goes_on < 0 ? goes_on : 0;
        if (goes_on == 1 && !file->header.piped)
            code = error_set(error, -EFBIG,
                             "%s is larger than there is room for; give the file itself", path);
        if (!code)
            code = perfdata_header_read(&file->header, &file->input, path, error);
    }
    if (!code && !file->header.piped && (read_attributes(file) || perfdata_take_features(file)))
        code = out_of_memory(error);
    file->counts.killed = file->header.killed;
    if (file->header.killed && !file->header.piped) {
        int writer = input_has_writer(&file->input);
        file->counts.growing = writer > 0;
        file->counts.perhaps_growing = writer < 0;
    }
    file->machine.written_unix_s = file->input.written_unix_s;
    if (!code && rewind_tape(file))
        code = error_set(error, -EBADMSG, "cannot read %s", path);
    return code;
}

/* "12 (xz), 13 (cat), ...": whom one could have asked for. */
static void list_processes(const struct perfdata *file, char *out, size_t out_size)
{
    size_t used = 0;
    *out = '\0';
    for (size_t i = 0; i < file->processes.count && i < 5 && used < out_size; i++) {
        const struct perfdata_process *process = &file->processes.list[i];
        if (process->samples)
            used += (size_t)snprintf(out + used, out_size - used, "%s%d (%s)", i ? ", " : "",
                                     (int)process->pid, *process->comm ? process->comm : "?");
    }
}

static int choose(struct perfdata *file, pid_t pid, struct error *error)
{
    char others[256];
    const char *path = file->name;
    file->pid = pid == PERFDATA_IDLE ? 0 : pid;
    if (!file->surveyed || pid == PERFDATA_EVERY_PROCESS)
        return 0;
    if (pid == PERFDATA_IDLE) {
        pid = 0;
        if (processes_find(&file->processes, 0))
            return 0;
        list_processes(file, others, sizeof others);
        return error_set(error, -ESRCH, "%s holds nothing of process 0, but of %s", path,
                         *others ? others : "none");
    }
    /* 0 is the idle task, in recordings of the whole system. */
    for (size_t i = 0; !file->pid && i < file->processes.count; i++)
        if (file->processes.list[i].samples)
            file->pid = file->processes.list[i].pid;
    if (!file->pid)
        return error_set(error, -ENODATA, "%s holds no samples of a process%s", path,
                         file->counts.damaged ? "; it is damaged, and was read up to there"
                         : file->counts.cut   ? "; its end is missing"
                                              : "");
    if (!pid || processes_find(&file->processes, (uint32_t)pid))
        return 0;
    list_processes(file, others, sizeof others);
    return error_set(error, -ESRCH, "%s holds nothing of process %d, but of %s", path, (int)pid,
                     *others ? others : "none");
}

/* All that comes before the first sample shown is there from the start. */
static void set_clock(struct perfdata *file)
{
    struct sampler_span span = perfdata_span(file);
    file->clock_ns = file->oldest_ns;
    file->first_ns = span.start_ns;
}

int perfdata_restart(struct perfdata *file, pid_t pid, struct error *error)
{
    if (!file->surveyed || file->input.follows)
        return error_set(error, -ESPIPE,
                         "%s is a pipe, read while it comes: it cannot be read again; record to "
                         "a file",
                         file->name);
    pid_t shown = file->pid ? file->pid : PERFDATA_IDLE;
    int code = choose(file, pid ? pid : shown, error);
    if (code) {
        file->pid = shown == PERFDATA_IDLE ? 0 : shown;
        return code;
    }
    order_fini(&file->order);
    order_init(&file->order, ORDER_BYTES_MAX, ORDER_RECORDS_MAX);
    file->held.bytes = NULL;
    file->finished = false;
    set_clock(file);
    code = rewind_tape(file);
    return code ? error_set(error, code, "cannot read %s again: %s", file->name, strerror(-code))
                : 0;
}

static void close_all(struct perfdata *file)
{
    tape_fini(&file->tape);
    order_fini(&file->order);
    processes_fini(&file->processes);
    reads_fini(&file->reads);
    build_ids_fini(&file->build_ids);
    attributes_fini(&file->attributes);
    input_close(&file->input);
}

static int open_input(struct perfdata *file, const char *path, pid_t pid, struct error *error)
{
    const char *name = strcmp(path, "-") ? path : "standard input";
    snprintf(file->name, sizeof file->name, "%s", name);
    int code = begin(file, name, pid, error);
    if (!code)
        code = file->input.seekable ? survey(file, name, error) : read_head(file, name, error);
    if (!code && !file->attributes.count)
        code = error_set(error, -EBADMSG, "%s is damaged: it describes no events", name);
    if (!code)
        code = choose(file, pid, error);
    if (!code)
        set_clock(file);
    if (!code && (file->input.goes_on || !file->input.seekable))
        input_follow(&file->input);
    return code;
}

/* What is in the pipe so far holds no sample: more of it, read from the start. */
static int try_again(struct perfdata *file, struct error *error)
{
    struct input input = file->input;
    int code = input_spool_more(&input, IDLE_S, error);
    file->input = (struct input){.fd = -1};
    close_all(file);
    *file = (struct perfdata){.input = input};
    order_init(&file->order, ORDER_BYTES_MAX, ORDER_RECORDS_MAX);
    return code < 0 ? code : 0;
}

int perfdata_open(struct perfdata **out, const char *path, pid_t pid, struct error *error)
{
    struct perfdata *file = calloc(1, sizeof *file);
    if (!file)
        return out_of_memory(error);
    order_init(&file->order, ORDER_BYTES_MAX, ORDER_RECORDS_MAX);
    int code = input_open(&file->input, path, error);
    if (!code)
        code = open_input(file, path, pid, error);
    while ((code == -ENODATA || code == -EBADMSG) && file->input.goes_on &&
           !(code = try_again(file, error)))
        code = open_input(file, path, pid, error);
    if (file->input.failed == -EINTR)
        code = error_set(error, -EINTR, "ended by a signal before the recording had come");
    if (code)
        perfdata_close(file);
    else
        *out = file;
    return code;
}

int perfdata_fd(const struct perfdata *file)
{
    return input_fd(&file->input);
}

bool perfdata_idled(const struct perfdata *file)
{
    return file->input.idled;
}

bool perfdata_more(const struct perfdata *file)
{
    return file->more;
}

void perfdata_close(struct perfdata *file)
{
    close_all(file);
    free(file);
}
