/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sample/perfdata_write.h"

#include "sample/perfdata_write_file.h"
#include "sample/perfdata_write_process.h"
#include "sample/perfdata_write_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A second of 4,000 samples: one write for each refresh. */
enum { BUFFER_BYTES = 1 << 20 };

static int trouble(struct perfdata_writer *writer, int code)
{
    if (code && writer->trouble.code != code)
        perfdata_file_explain(writer->path, code, &writer->trouble);
    return code;
}

/* Into the buffer, where there must be room. */
static void append(struct perfdata_writer *writer, const struct record *record,
                   const struct perfdata_written *told)
{
    unsigned event = record->kind == RECORD_SAMPLE ? record->sample.event : 0;
    const struct perfdata_layout *layout =
        &writer->events[event < writer->event_count ? event : 0].layout;
    writer->buffer.used +=
        perfdata_write_record(writer->buffer.at + writer->buffer.used, layout, record, told);
    writer->round = true;
}

static bool has_room(const struct perfdata_writer *writer)
{
    return writer->buffer.room - writer->buffer.used >= PERFDATA_WRITE_RECORD_MAX;
}

/* The records that wait to the file. What of them a full disk took is written again. */
static int flush(struct perfdata_writer *writer)
{
    int code = writer->buffer.used ? perfdata_head_unseal(writer) : 0;
    if (!code)
        code =
            perfdata_file_put(writer->fd, writer->data_end, writer->buffer.at, writer->buffer.used);
    if (!code) {
        writer->data_end += writer->buffer.used;
        writer->sealed &= !writer->buffer.used;
        writer->buffer.used = 0;
    }
    return trouble(writer, code);
}

/* Where a record does not fit it is lost, as one that the kernel had no room for. */
static int put(struct perfdata_writer *writer, const struct record *record,
               const struct perfdata_written *told)
{
    int code = writer->trouble.code;
    if (!has_room(writer) && !code)
        code = flush(writer);
    if (has_room(writer)) {
        append(writer, record, told);
        return 0;
    }
    writer->dropped++;
    return code;
}

static void tell(void *context, const struct record *record)
{
    put(context, record, NULL);
}

/* Of the process as it was found: told, and remembered. */
static void tell_first(void *context, const struct record *record)
{
    struct perfdata_writer *writer = context;
    if (record->kind == RECORD_MAPPING)
        perfdata_build_ids_note(&writer->build_ids, &record->mapping, kernel_host(), writer->pid);
    if (perfdata_tasks_note(&writer->tasks, record, true))
        trouble(writer, -ENOMEM);
    put(writer, record, NULL);
}

/* What stands there already: the process, and the kernel where it is sampled too. */
static void tell_what_there_is(struct perfdata_writer *writer, bool launched)
{
    bool kernel = false;
    for (unsigned i = 0; i < writer->event_count; i++)
        kernel |= !writer->events[i].attr.exclude_kernel;
    if (kernel) {
        perfdata_build_ids_kernel(&writer->build_ids, kernel_host());
        perfdata_process_kernel(kernel_host(), tell_first, writer);
    }
    perfdata_process_tell(kernel_host(), writer->pid, !launched, tell_first, writer);
}

/* The records of a file that is still to be created, first what is known of tasks. */
static void begin(struct perfdata_writer *writer)
{
    writer->generation++;
    writer->first_sample_ns = writer->last_sample_ns = 0;
    writer->tail_bytes = 0;
    perfdata_head_number(writer);
    perfdata_tasks_tell(&writer->tasks, 0, tell, writer);
    writer->told_end = writer->data_end + writer->buffer.used;
}

/* Header, description and all. Nothing is done where nothing has changed. */
static int bring_up_to_date(struct perfdata_writer *writer)
{
    int code = flush(writer);
    int later = writer->sealed ? 0 : perfdata_head_seal(writer);
    return code ? code : trouble(writer, later);
}

/* An empty file that could not be begun is left for the next try. */
static int open_file(struct perfdata_writer *writer)
{
    writer->fd = perfdata_writer_create(writer->path, NULL, &writer->trouble);
    if (writer->fd < 0)
        return writer->fd;
    int code = perfdata_head_begin(writer);
    if (!code)
        return 0;
    if (ftruncate(writer->fd, 0))
        unlink(writer->path);
    close(writer->fd);
    writer->fd = -1;
    return trouble(writer, code);
}

void perfdata_writer_want_another(struct perfdata_writer *writer)
{
    writer->wants_another = true;
}

/* The file is finished, moved away, and another begun. */
static int rotate(struct perfdata_writer *writer)
{
    writer->wants_another = false;
    int code = bring_up_to_date(writer);
    if (!code)
        code = perfdata_writer_shift(writer->path, NULL, writer->files, &writer->trouble);
    if (code)
        return code;
    close(writer->fd);
    begin(writer);
    return open_file(writer);
}

/* A file takes at least as many records as it says of tasks before: else it would never end. */
static bool full(const struct perfdata_writer *writer)
{
    uint64_t end = writer->data_end + writer->buffer.used;
    bool at_limit = writer->limit_bytes &&
                    end + writer->tail_bytes + PERFDATA_WRITE_RECORD_MAX > writer->limit_bytes;
    return (at_limit || writer->wants_another) &&
           end > writer->told_end + (writer->told_end - writer->data_at);
}

static void note_time(struct perfdata_writer *writer, const struct record *record)
{
    writer->last_ns = record->time_ns;
    if (record->kind != RECORD_SAMPLE)
        return;
    if (!writer->first_sample_ns)
        writer->first_sample_ns = record->time_ns;
    writer->last_sample_ns = record->time_ns;
}

int perfdata_writer_add(struct perfdata_writer *writer, const struct record *record,
                        const struct perfdata_written *told)
{
    if (!writer->trouble.code && full(writer))
        rotate(writer);
    note_time(writer, record);
    if (record->kind == RECORD_MAPPING)
        perfdata_build_ids_note(&writer->build_ids, &record->mapping, kernel_host(), writer->pid);
    int code = put(writer, record, told);
    if (record->kind != RECORD_SAMPLE && perfdata_tasks_note(&writer->tasks, record, false))
        code = trouble(writer, -ENOMEM);
    return code;
}

/* What could not be written is told once there is room again, and what it said of tasks. */
static void tell_dropped(struct perfdata_writer *writer)
{
    struct record lost = {.kind = RECORD_LOST,
                          .time_ns = writer->last_ns,
                          .pid = (uint32_t)writer->pid,
                          .tid = (uint32_t)writer->pid,
                          .count = writer->dropped - writer->dropped_before};
    if (!lost.count)
        return;
    writer->dropped_before = writer->dropped;
    put(writer, &lost, NULL);
    perfdata_tasks_tell(&writer->tasks, writer->last_ns, tell, writer);
}

/* After trouble: whether the cause is gone. */
static int recover(struct perfdata_writer *writer)
{
    writer->trouble = (struct error){0};
    int code = writer->fd < 0 ? open_file(writer) : 0;
    if (!code)
        code = flush(writer);
    if (!code)
        tell_dropped(writer);
    return code;
}

int perfdata_writer_sync(struct perfdata_writer *writer, struct error *error)
{
    int code = writer->trouble.code ? recover(writer) : 0;
    if (writer->round && has_room(writer)) {
        writer->buffer.used += perfdata_write_round(writer->buffer.at + writer->buffer.used);
        writer->round = false;
    }
    if (writer->fd >= 0)
        code = bring_up_to_date(writer);
    if (code && error)
        *error = writer->trouble;
    return code;
}

static void release(struct perfdata_writer *writer)
{
    if (writer->fd >= 0)
        close(writer->fd);
    perfdata_bytes_fini(&writer->buffer);
    perfdata_bytes_fini(&writer->tail);
    perfdata_tasks_fini(&writer->tasks);
    perfdata_build_ids_fini(&writer->build_ids);
    perfdata_sections_fini(&writer->sections);
    free(writer->path);
    free(writer);
}

int perfdata_writer_close(struct perfdata_writer *writer, struct error *error)
{
    if (!writer)
        return 0;
    int code = perfdata_writer_sync(writer, error);
    release(writer);
    return code;
}

uint64_t perfdata_writer_bytes(const struct perfdata_writer *writer)
{
    return writer->data_end + writer->buffer.used + writer->tail_bytes;
}

uint64_t perfdata_writer_dropped(const struct perfdata_writer *writer)
{
    return writer->dropped;
}

int perfdata_writer_open(struct perfdata_writer **out,
                         const struct perfdata_writer_options *options, struct error *error)
{
    int code = perfdata_writer_check(options, error);
    if (code)
        return code;
    struct perfdata_writer *writer = calloc(1, sizeof *writer);
    if (!writer)
        return error_set(error, -ENOMEM, "out of memory");
    writer->fd = -1;
    writer->path = strdup(options->path);
    if (!writer->path || !perfdata_bytes_reserve(&writer->buffer, BUFFER_BYTES))
        trouble(writer, -ENOMEM);
    else
        perfdata_writer_take(writer, options);
    begin(writer);
    code = writer->trouble.code ? writer->trouble.code : open_file(writer);
    if (!code && writer->live)
        tell_what_there_is(writer, options->launched);
    writer->told_end = writer->data_end + writer->buffer.used;
    code = code ? code : perfdata_writer_sync(writer, NULL);
    if (!code) {
        *out = writer;
        return 0;
    }
    if (error)
        *error = writer->trouble;
    release(writer);
    return code;
}
