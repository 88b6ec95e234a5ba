/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sample/perfdata/perfdata.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/hash.h"
#include "sample/perf/event.h"
#include "sample/perfdata/attributes.h"
#include "sample/perfdata/header.h"
#include "sample/perfdata/input.h"
#include "sample/perfdata/order.h"
#include "sample/perfdata/processes.h"

/* Bloom filter of the 64 KiB blocks in which code was sampled: a bit of 0 means none was. */
enum { CODE_SHIFT = 16, CODE_BYTES = 1 << CODE_SHIFT, CODE_BITS = 1 << 16, CODE_MAX = 1 << 13 };

struct perfdata {
    struct input input;
    struct perfdata_header header;
    struct tape tape;
    struct tape_record held; /* read but not processed yet; bytes NULL: none */
    struct attributes attributes;
    struct build_ids build_ids;
    struct processes processes;
    struct reads reads;
    struct order order;
    struct perfdata_machine machine;
    struct perfdata_counts counts;
    pid_t pid;
    char name[128];     /* path, for messages */
    bool surveyed;      /* read to the end once: events, processes and counts are known */
    bool has_backlog;   /* of a followed pipe: the last call did not read everything */
    bool finished;      /* the tape has no more records */
    uint64_t oldest_ns; /* time of the oldest record; 0: not known */
    uint64_t first_ns;  /* time 0 of the replay: the first sample of its process; 0: not known */
    uint64_t clock_ns;  /* time of the last delivered record */
    uint64_t code_last; /* block of the last sample counted */
    uint64_t code[CODE_BITS / 64];
    perfdata_progress progress; /* NULL: no progress callback */
    void *progress_context;
};

/* Metadata of a recording: features, attributes of a piped recording, counts. */

/* Larger features (build-ids of a hundred thousand files) are skipped. */
enum { FEATURE_BYTES_MAX = 16 << 20 };

/* Registers have the numbers of the machine of the recording. */
static void settle_registers(struct perfdata *file)
{
    const char *architecture = file->machine.architecture;
    if (*architecture && strcmp(architecture, "x86_64"))
        attributes_set_foreign(&file->attributes);
    if (!strncmp(file->machine.cpuid, "GenuineIntel,", 13))
        attributes_set_pebs(&file->attributes);
}

static int take_feature(struct perfdata *file, unsigned feature, struct cursor *cursor)
{
    struct features features = {&file->machine, &file->attributes, &file->build_ids};
    int code = features_take(&features, feature, cursor);
    if (feature == FEATURE_ARCH || feature == FEATURE_CPUID)
        settle_registers(file);
    return code;
}

static int take_section(struct perfdata *file, unsigned feature, struct perfdata_section section)
{
    if (!section.size || section.size > FEATURE_BYTES_MAX)
        return 0;
    unsigned char *bytes = malloc(section.size);
    if (!bytes)
        return -ENOMEM;
    int code = 0;
    if (input_read_at(&file->input, section.offset, bytes, section.size) == (long)section.size) {
        struct cursor cursor = {bytes, section.size, false, file->header.swap};
        code = take_feature(file, feature, &cursor);
    }
    free(bytes);
    return code;
}

/* Takes the features of a recording that is not piped. Returns 0 or -ENOMEM. */
static int perfdata_take_features(struct perfdata *file)
{
    int code = 0;
    for (unsigned feature = 0; !code && feature < FEATURE_COUNT; feature++) {
        struct perfdata_section section;
        if (perfdata_header_feature(&file->header, &file->input, feature, &section))
            code = take_section(file, feature, section);
    }
    return code;
}

/* Ignores attributes beyond the limit; records of an event without attribute are counted. */
static int take_attribute(struct perfdata *file, struct cursor *cursor)
{
    int code = attributes_add_record(&file->attributes, cursor);
    settle_registers(file);
    file->counts.malformed += code == -EBADMSG || code == -E2BIG;
    return code == -ENOMEM ? code : 0;
}

/* Takes a record of perf's own unless already known. Returns 0 or -ENOMEM. */
static int perfdata_take_own(struct perfdata *file, const struct tape_record *found)
{
    struct cursor cursor = {found->bytes, found->header.size, false, file->header.swap};
    int code;
    if (file->surveyed)
        return 0;
    if (found->header.type == TAPE_BUILD_ID) {
        code = build_ids_add(&file->build_ids, &cursor);
        return code == -ENOMEM ? code : 0;
    }
    cursor_skip(&cursor, sizeof found->header);
    switch (found->header.type) {
    case TAPE_ATTR:
        return take_attribute(file, &cursor);
    case TAPE_EVENT_UPDATE:
        event_desc_update(&cursor, &file->attributes);
        return 0;
    case TAPE_FEATURE:
        return take_feature(file, (unsigned)cursor_u64(&cursor), &cursor);
    default:
        return 0;
    }
}

/* Returns 1 with the event, or 0 for a record that is not needed or unusable (counted). */
static int perfdata_parse(struct perfdata *file, const struct tape_record *found,
                          struct attribute **event, struct record *record)
{
    *event = file->attributes.count ? attributes_of(&file->attributes, found->bytes, &found->header)
                                    : NULL;
    if (!*event) {
        file->counts.unknown += !file->surveyed;
        return 0;
    }
    int code = record_parse_as(found->bytes, found->header.size, &(*event)->format, record);
    file->counts.malformed += code < 0 && !file->surveyed;
    return code == 1;
}

struct expansion {
    struct perfdata *file;
    reads_take take;
    void *context;
};

static int pass_expanded(void *context, struct attribute *event, const struct record *record)
{
    struct expansion *expansion = context;
    if (event)
        return expansion->take(expansion->context, event, record);
    expansion->file->counts.unknown += !expansion->file->surveyed;
    return 0;
}

/* Passes on the samples of one record: the record itself or, if samples carry counts, one sample
 * per member of the group. Returns 0, -ENOMEM, or the error of `take`. */
static int perfdata_expand(struct perfdata *file, const struct tape_record *found,
                           struct attribute *event, const struct record *record, reads_take take,
                           void *context)
{
    struct expansion expansion = {file, take, context};
    if (record->kind != RECORD_SAMPLE || !format_has_reads(&event->format))
        return take(context, event, record);
    int code = reads_expand(&file->reads, &file->attributes, found->bytes, found->header.size,
                            event, record, pass_expanded, &expansion);
    return code == -EBADMSG ? 0 : code; /* it cannot be damaged: it was parsed before */
}

static void note_oldest_time(struct perfdata *file, uint64_t time_ns)
{
    if (time_ns && (!file->oldest_ns || time_ns < file->oldest_ns))
        file->oldest_ns = time_ns;
}

struct sample_run {
    uint32_t pid;
    struct processes_samples samples;
};

static int end_sample_run(struct perfdata *file, struct sample_run *run)
{
    int code =
        run->samples.count ? processes_note_samples(&file->processes, run->pid, &run->samples) : 0;
    note_oldest_time(file, run->samples.first_ns);
    run->samples = (struct processes_samples){0};
    return code;
}

static void note_code(struct perfdata *file, uint64_t ip)
{
    uint64_t part = ip >> CODE_SHIFT;
    uint64_t bit = hash_mix(part) % CODE_BITS;
    if (part == file->code_last)
        return;
    file->code_last = part;
    file->code[bit / 64] |= UINT64_C(1) << bit % 64;
}

bool perfdata_sampled(const struct perfdata *file, uint64_t start, uint64_t length)
{
    if (!file->counts.with_address && !file->counts.with_registers)
        return false;
    uint64_t parts = (start % CODE_BYTES + length + CODE_BYTES - 1) >> CODE_SHIFT;
    for (uint64_t i = 0; i < parts && i < CODE_MAX; i++) {
        uint64_t bit = hash_mix((start >> CODE_SHIFT) + i) % CODE_BITS;
        if (file->code[bit / 64] >> bit % 64 & 1)
            return true;
    }
    return parts > CODE_MAX;
}

static int count_sample(struct perfdata *file, struct sample_run *run, struct attribute *event,
                        const struct record_survey *sample)
{
    int code = sample->brief.pid != run->pid ? end_sample_run(file, run) : 0;
    run->pid = sample->brief.pid;
    note_code(file, sample->ip);
    event->samples++;
    file->counts.samples++;
    file->counts.with_address += sample->address;
    file->counts.with_registers += !sample->address && sample->registers;
    if (!processes_samples_add(&run->samples, sample->brief.time_ns))
        note_oldest_time(file, sample->brief.time_ns);
    return code;
}

static int count_single_sample(struct perfdata *file, struct attribute *event,
                               const struct record_survey *sample)
{
    struct sample_run run = {0};
    int code = count_sample(file, &run, event, sample);
    return code ? code : end_sample_run(file, &run);
}

/* Adds a record to counts and processes, unless surveyed. Returns 0 or -ENOMEM. */
static int perfdata_count(struct perfdata *file, struct attribute *event,
                          const struct record *record)
{
    if (file->surveyed)
        return 0;
    if (record->kind == RECORD_SAMPLE)
        return count_single_sample(file, event,
                                   &(struct record_survey){{record->time_ns, record->pid},
                                                           record->sample.ip,
                                                           record->sample.has & SAMPLE_HAS_ADDRESS,
                                                           record->sample.has & SAMPLE_HAS_REGS});
    if (record->kind == RECORD_LOST)
        file->counts.lost += record->count;
    note_oldest_time(file, record->time_ns);
    return processes_note(&file->processes, record);
}

enum { PIPE_HEADER_BYTES = 16 };

/* A pipe that has begun and is then silent for this long is a live recording. */
static const double IDLE_S = 1;

static int out_of_memory(struct error *error)
{
    return error_set(error, -ENOMEM, "out of memory");
}

/* Reads the ids of one event, 8 bytes each; skips ids outside of the file. */
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
    /* Events beyond the maximum of a recording are skipped, and their records counted. */
    return code == -ENOMEM ? code : 0;
}

static int rewind_tape(struct perfdata *file)
{
    const struct perfdata_header *header = &file->header;
    tape_fini(&file->tape);
    reads_restart(&file->reads);
    tape_init(&file->tape, &file->input, header->swap);
    if (header->piped)
        return file->input.seekable ? input_seek(&file->input, PIPE_HEADER_BYTES)
                                    : !input_skip(&file->input, PIPE_HEADER_BYTES);
    file->tape.expects_more = header->is_truncated;
    file->input.end = header->killed || header->is_truncated
                          ? UINT64_MAX
                          : header->data.offset + header->data.size;
    return input_seek(&file->input, header->data.offset);
}

static int perfdata_count_sample(void *context, struct attribute *event,
                                 const struct record *record)
{
    return perfdata_count(context, event, record);
}

static int survey_record(struct perfdata *file, const struct tape_record *found)
{
    struct attribute *event;
    struct record record;
    struct record_survey sample;
    if (!found->bytes)
        return 0;
    if (found->header.type >= TAPE_USER)
        return perfdata_take_own(file, found);
    event = found->header.type == PERF_RECORD_SAMPLE && file->attributes.count
                ? attributes_of(&file->attributes, found->bytes, &found->header)
                : NULL;
    if (event && record_survey(found->bytes, &found->header, &event->format, &sample))
        return count_single_sample(file, event, &sample);
    if (!perfdata_parse(file, found, &event, &record))
        return 0;
    return perfdata_expand(file, found, event, &record, perfdata_count_sample, file);
}

/* Returns the next buffered record's event if it is a whole sample of fixed size, or NULL. */
static struct attribute *peek_sample(const struct perfdata *file, const unsigned char *at,
                                     size_t left, struct perf_event_header *header)
{
    struct attribute *event;
    if (left < sizeof *header)
        return NULL;
    memcpy(header, at, sizeof *header);
    if (header->type != PERF_RECORD_SAMPLE || header->size < sizeof *header || header->size > left)
        return NULL;
    event = attributes_of(&file->attributes, at, header);
    return event && event->format.places.size && header->size >= event->format.places.size ? event
                                                                                           : NULL;
}

/* Does the same as survey_record() for all buffered samples. */
static int survey_buffered(struct perfdata *file)
{
    struct sample_run run = {0};
    struct perf_event_header header;
    struct record_survey sample;
    struct attribute *event;
    size_t left;
    int code = 0;
    const unsigned char *start = tape_ahead(&file->tape, &left);
    const unsigned char *at = start;
    const unsigned char *end = start + left;
    if (file->header.swap || !file->attributes.count)
        return 0;
    while (!code && (event = peek_sample(file, at, (size_t)(end - at), &header)) &&
           record_survey(at, &header, &event->format, &sample)) {
        code = count_sample(file, &run, event, &sample);
        at += header.size;
    }
    tape_take(&file->tape, (size_t)(at - start));
    return code ? code : end_sample_run(file, &run);
}

/* Reports progress. Returns -EINTR if a signal is pending. Called from time to time. */
static int check_progress(struct perfdata *file)
{
    const struct input *input = &file->input;
    if (file->progress && input->size_bytes != UINT64_MAX)
        file->progress(file->progress_context, (double)input->at / (double)input->size_bytes);
    return input_interrupted() ? -EINTR : 0;
}

/* Reads the recording to its end once, for its events, processes and counts. */
static int survey_recording(struct perfdata *file, const char *path, struct error *error)
{
    enum { SAMPLES_APART = 1 << 16 };
    struct tape_record found;
    uint64_t looked_up = 0;
    int code = 0;
    while (!code && (code = tape_next(&file->tape, &found)) == 1) {
        code = survey_record(file, &found);
        if (!code)
            code = survey_buffered(file);
        if (!code && file->counts.samples / SAMPLES_APART != looked_up)
            code = check_progress(file);
        looked_up = file->counts.samples / SAMPLES_APART;
    }
    if (code == -EINTR)
        return error_set(error, code, "ended by a signal while scanning %s", path);
    if (code == -ENOMEM)
        return out_of_memory(error);
    if (code)
        return error_set(error, code, "cannot read %s: %s", path, strerror(-code));
    processes_sort(&file->processes);
    attributes_number(&file->attributes);
    file->counts.aux_bytes = file->tape.aux_bytes;
    file->counts.is_truncated = file->tape.end == TAPE_CUT;
    file->counts.damaged = file->tape.end > TAPE_CUT;
    file->surveyed = true;
    return rewind_tape(file);
}

/* Reads everything before the kernel's first record, for a pipe that is played as it arrives. */
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

/* Reads the header; after it the input can be read twice, unless it is played at once. */
static int perfdata_begin_file(struct perfdata *file, const char *path, pid_t pid,
                               struct error *error)
{
    int code = perfdata_header_read(&file->header, &file->input, path, error);
    if (!code && !file->input.seekable && (!file->header.piped || !pid)) {
        /* A recording that was written as a file has its description at the end. */
        int goes_on = input_spool(&file->input, file->header.piped ? IDLE_S : NAN, error);
        code = goes_on < 0 ? goes_on : 0;
        if (goes_on == 1 && !file->header.piped)
            code = error_set(error, -EFBIG, "no space to copy %s; give the file itself", path);
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

/* Lists the processes that can be chosen: "12 (xz), 13 (cat), ...". */
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

static int perfdata_choose_process(struct perfdata *file, pid_t pid, struct error *error)
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
        return error_set(error, -ESRCH, "%s has no samples of process 0, only of %s", path,
                         *others ? others : "none");
    }
    /* 0 is the idle task, in system-wide recordings. */
    for (size_t i = 0; !file->pid && i < file->processes.count; i++)
        if (file->processes.list[i].samples)
            file->pid = file->processes.list[i].pid;
    if (!file->pid)
        return error_set(error, -ENODATA, "%s has no samples of a process%s", path,
                         file->counts.damaged ? "; it is damaged, and was read up to the damage"
                         : file->counts.is_truncated ? "; its end is missing"
                                                     : "");
    if (!pid || processes_find(&file->processes, (uint32_t)pid))
        return 0;
    list_processes(file, others, sizeof others);
    return error_set(error, -ESRCH, "%s has no samples of process %d, only of %s", path, (int)pid,
                     *others ? others : "none");
}

/* Everything before the first sample shown is present from the start. */
static void set_start_clock(struct perfdata *file)
{
    struct perfdata_span span = perfdata_span(file);
    file->clock_ns = file->oldest_ns;
    file->first_ns = span.start_ns;
}

int perfdata_restart(struct perfdata *file, pid_t pid, struct error *error)
{
    if (!file->surveyed || file->input.follows_pipe)
        return error_set(error, -ESPIPE, "%s is a pipe and cannot be read again; record to a file",
                         file->name);
    pid_t shown = file->pid ? file->pid : PERFDATA_IDLE;
    int code = perfdata_choose_process(file, pid ? pid : shown, error);
    if (code) {
        file->pid = shown == PERFDATA_IDLE ? 0 : shown;
        return code;
    }
    order_fini(&file->order);
    order_init(&file->order, ORDER_BYTES_MAX, ORDER_RECORDS_MAX);
    file->held.bytes = NULL;
    file->finished = false;
    set_start_clock(file);
    code = rewind_tape(file);
    return code ? error_set(error, code, "cannot read %s again: %s", file->name, strerror(-code))
                : 0;
}

static void close_perfdata(struct perfdata *file)
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
    int code = perfdata_begin_file(file, name, pid, error);
    if (!code)
        code = file->input.seekable ? survey_recording(file, name, error)
                                    : read_head(file, name, error);
    if (!code && !file->attributes.count)
        code = error_set(error, -EBADMSG, "%s is damaged: it describes no events", name);
    if (!code)
        code = perfdata_choose_process(file, pid, error);
    if (!code)
        set_start_clock(file);
    if (!code && (file->input.pipe_continues || !file->input.seekable))
        input_follow(&file->input);
    return code;
}

/* Copies more of a pipe that contains no sample so far, and reads from the start. */
static int copy_more_of_pipe(struct perfdata *file, struct error *error)
{
    struct input input = file->input;
    int code = input_spool_more(&input, IDLE_S, error);
    file->input = (struct input){.fd = -1};
    close_perfdata(file);
    *file = (struct perfdata){
        .input = input, .progress = file->progress, .progress_context = file->progress_context};
    order_init(&file->order, ORDER_BYTES_MAX, ORDER_RECORDS_MAX);
    return code < 0 ? code : 0;
}

int perfdata_open(struct perfdata **out, const char *path, pid_t pid, perfdata_progress progress,
                  void *context, struct error *error)
{
    struct perfdata *file = calloc(1, sizeof *file);
    if (!file)
        return out_of_memory(error);
    file->progress = progress;
    file->progress_context = context;
    order_init(&file->order, ORDER_BYTES_MAX, ORDER_RECORDS_MAX);
    int code = input_open(&file->input, path, error);
    if (!code)
        code = open_input(file, path, pid, error);
    while ((code == -ENODATA || code == -EBADMSG) && file->input.pipe_continues &&
           !(code = copy_more_of_pipe(file, error)))
        code = open_input(file, path, pid, error);
    if (file->input.failed == -EINTR)
        code = error_set(error, -EINTR, "ended by a signal before the recording arrived");
    file->progress = NULL;
    if (code)
        perfdata_close(file);
    else
        *out = file;
    return code;
}

int perfdata_fd(const struct perfdata *file)
{
    return file->input.follows_pipe ? file->input.pipe_fd : -1;
}

bool perfdata_is_live_pipe(const struct perfdata *file)
{
    return file->input.was_idle;
}

bool perfdata_has_backlog(const struct perfdata *file)
{
    return file->has_backlog;
}

void perfdata_close(struct perfdata *file)
{
    close_perfdata(file);
    free(file);
}

/* Reads the mark of a recording without reading the whole recording. */

/* Returns the first id of the first event; its position is after the attribute. */
static uint64_t first_id(const struct input *input, const struct perfdata_header *header)
{
    struct perfdata_section ids;
    uint64_t id;
    if (header->piped || header->swap || header->attrs.size < header->attr_size ||
        header->attr_size < sizeof ids)
        return 0;
    uint64_t at = header->attrs.offset + header->attr_size - sizeof ids;
    if (input_read_at(input, at, &ids, sizeof ids) != (long)sizeof ids || ids.size < sizeof id ||
        input_read_at(input, ids.offset, &id, sizeof id) != (long)sizeof id)
        return 0;
    return id;
}

uint64_t perfdata_file_mark(const char *path)
{
    struct input input;
    struct perfdata_header header;
    uint64_t mark = 0;
    if (!strcmp(path, "-") || input_open(&input, path, NULL))
        return 0;
    if (input.seekable && !perfdata_header_read(&header, &input, path, NULL))
        mark = first_id(&input, &header) >> PERFDATA_MARK_SHIFT;
    input_close(&input);
    return mark;
}

/* Plays a recording: delivers the records of the chosen process in time order. */

struct player {
    struct perfdata *file;
    sampler_sink sink;
    void *context;
    long delivered;
};

static void deliver_to_sink(struct player *player, struct record *record)
{
    struct perfdata *file = player->file;
    /* A record that is late, or has no time, must not turn time back. */
    if (record->time_ns < file->clock_ns || record->time_ns == UINT64_MAX)
        record->time_ns = file->clock_ns;
    file->clock_ns = record->time_ns;
    if (record->kind == RECORD_SAMPLE)
        record->sample.time_ns = record->time_ns;
    if (record->kind == RECORD_MAPPING)
        build_ids_complete(&file->build_ids, &record->mapping);
    player->sink(player->context, record);
    player->delivered++;
}

static bool wanted_pid(const struct perfdata *file, uint32_t pid)
{
    return file->pid == PERFDATA_EVERY_PROCESS || pid == (uint32_t)file->pid;
}

/* Returns true for records of an ancestor that apply to the child: the mappings at the time of the
 * fork, and the name. Mappings from before the ancestor ran another program do not apply. */
static bool is_inherited(const struct perfdata *file, const struct record *record)
{
    bool name = record->kind == RECORD_COMM && record->pid == record->tid;
    return (record->kind == RECORD_MAPPING || name) && !wanted_pid(file, record->pid) &&
           processes_inherits(&file->processes, (uint32_t)file->pid, record->pid, record->time_ns);
}

/* Attributes an inherited record to the shown process. */
static void adopt_record(const struct perfdata *file, struct record *record)
{
    if (file->pid != PERFDATA_EVERY_PROCESS && !wanted_pid(file, record->pid) &&
        (record->kind == RECORD_MAPPING || record->kind == RECORD_COMM))
        record->pid = record->tid = (uint32_t)file->pid;
}

static bool is_wanted_record(const struct perfdata *file, const struct record *record)
{
    return record->kind == RECORD_LOST || wanted_pid(file, record->pid) ||
           is_inherited(file, record);
}

/* Returns false for a record without a time; such records are delivered at once, as perf does. */
static bool has_time(uint64_t time_ns)
{
    return time_ns && time_ns != UINT64_MAX;
}

static int perfdata_keep_record(struct perfdata *file, const struct attribute *event,
                                const struct tape_record *found, const struct record *record,
                                uint64_t time_ns)
{
    struct order_item item = {.size_bytes = found->header.size,
                              .event = (uint16_t)(event - file->attributes.events)};
    /* Keeps large samples without a stack or call chain as parsed records, which are smaller. A
     * sample that is one of several from the same record differs from its bytes. */
    bool stacks = event->format.sample_type & (PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_STACK_USER);
    if (record && record->kind == RECORD_SAMPLE &&
        ((item.size_bytes > sizeof *record && !stacks) || format_has_reads(&event->format))) {
        item.parsed = 1;
        item.size_bytes = sizeof *record;
        return order_add(&file->order, time_ns, item, record);
    }
    return order_add(&file->order, time_ns, item, found->bytes);
}

/* The fast path: a small sample of another process is skipped, otherwise queued unparsed. */
static bool queue_or_skip_sample(struct player *player, const struct tape_record *found, int *code)
{
    struct perfdata *file = player->file;
    struct record_brief brief;
    if (!file->surveyed || found->header.type != PERF_RECORD_SAMPLE)
        return false;
    struct attribute *event = attributes_of(&file->attributes, found->bytes, &found->header);
    *code = 0;
    if (event && format_has_reads(&event->format))
        return false;
    if (!event || !record_brief(found->bytes, found->header.size, &event->format, &brief) ||
        !wanted_pid(file, brief.pid))
        return true;
    if (!has_time(brief.time_ns) || found->header.size > sizeof(struct record))
        return false;
    *code = perfdata_keep_record(file, event, found, NULL, brief.time_ns);
    return true;
}

/* Does the same as queue_or_skip_sample() for all buffered samples, until a record can be
 * delivered. */
static int take_buffered_samples(struct player *player)
{
    struct perfdata *file = player->file;
    struct perf_event_header header;
    struct attribute *event;
    size_t left;
    int code = 0;
    const unsigned char *start = tape_ahead(&file->tape, &left);
    const unsigned char *at = start;
    const unsigned char *end = start + left;
    if (!file->surveyed || file->input.follows_pipe || file->header.swap)
        return 0;
    while (!code && !order_ready(&file->order) &&
           (event = peek_sample(file, at, (size_t)(end - at), &header)) &&
           !format_has_reads(&event->format)) {
        struct record_brief brief = record_fixed_brief(at, &event->format);
        if (!has_time(brief.time_ns) || header.size > sizeof(struct record))
            break;
        if (wanted_pid(file, brief.pid))
            code = perfdata_keep_record(file, event,
                                        &(struct tape_record){.header = header, .bytes = at}, NULL,
                                        brief.time_ns);
        at += header.size;
    }
    tape_take(&file->tape, (size_t)(at - start));
    return code;
}

struct run_context {
    struct player *player;
    const struct tape_record *found;
};

static int take_record_copy(void *context, struct attribute *event, const struct record *record)
{
    struct run_context *taken = context;
    struct perfdata *file = taken->player->file;
    struct record copy = *record;
    int code = perfdata_count(file, event, record);
    if (code || !is_wanted_record(file, record))
        return code;
    if (has_time(record->time_ns))
        return perfdata_keep_record(file, event, taken->found, record, record->time_ns);
    adopt_record(file, &copy);
    deliver_to_sink(taken->player, &copy);
    return 0;
}

static int take_kernel(struct player *player, const struct tape_record *found)
{
    struct perfdata *file = player->file;
    struct run_context taken = {player, found};
    struct attribute *event;
    struct record record;
    int code;
    if (queue_or_skip_sample(player, found, &code))
        return code;
    if (!perfdata_parse(file, found, &event, &record))
        return 0;
    return perfdata_expand(file, found, event, &record, take_record_copy, &taken);
}

static int pull_record(struct player *player)
{
    struct perfdata *file = player->file;
    struct tape_record found = file->held;
    file->held.bytes = NULL;
    int code = found.bytes ? 1 : tape_next(&file->tape, &found);
    if (code == -EAGAIN)
        return code;
    if (code <= 0) {
        file->finished = true;
        order_finish(&file->order);
        return code;
    }
    if (!found.bytes) /* skipped */
        return 0;
    if (found.header.type < TAPE_USER) {
        code = take_kernel(player, &found);
        return code ? code : take_buffered_samples(player);
    }
    if (found.header.type == TAPE_FINISHED_ROUND)
        order_round(&file->order);
    return perfdata_take_own(file, &found);
}

static void deliver_item(struct player *player, const struct order_item *item)
{
    struct perfdata *file = player->file;
    struct record record;
    const void *bytes = item + 1;
    const struct record_format *format = &file->attributes.events[item->event].format;
    if (item->parsed)
        memcpy(&record, bytes, sizeof record);
    else if (record_parse_as(bytes, item->size_bytes, format, &record) != 1)
        return; /* was counted by the survey */
    if (item->parsed && record.kind == RECORD_SAMPLE)
        record.sample.stack = record.sample.chain = NULL; /* the bytes were not kept */
    adopt_record(file, &record);
    deliver_to_sink(player, &record);
}

static bool is_due(struct perfdata *file, uint64_t time_ns, uint64_t until_ns)
{
    if (!file->first_ns)
        file->first_ns = time_ns;
    return time_ns <= file->first_ns || time_ns - file->first_ns <= until_ns;
}

long perfdata_read_some(struct perfdata *file, uint64_t until_ns, long most, sampler_sink sink,
                        void *context)
{
    /* From a followed pipe, only a few ms of work at a time. */
    enum { AT_ONCE = 4096 };
    struct player player = {file, sink, context, 0};
    size_t pulled = 0;
    uint64_t time_ns;
    file->has_backlog = false;
    for (;;) {
        const struct order_item *item = order_head(&file->order, &time_ns);
        if (player.delivered == most || (item && !is_due(file, time_ns, until_ns)))
            return player.delivered;
        if (item) {
            deliver_item(&player, item);
            order_pop(&file->order);
            continue;
        }
        if (file->finished)
            return player.delivered ? player.delivered : -ENODATA;
        file->has_backlog = file->input.follows_pipe && ++pulled == AT_ONCE;
        if (file->has_backlog)
            return player.delivered;
        int code = pull_record(&player);
        if (code == -EAGAIN) {
            /* perf ends a round when a ring is half full, after several seconds: too late here. */
            if (!input_quiet(&file->input) || file->order.next == file->order.count)
                return player.delivered;
            order_finish(&file->order);
            continue;
        }
        if (code < 0)
            return code;
    }
}

long perfdata_read(struct perfdata *file, uint64_t until_ns, sampler_sink sink, void *context)
{
    return perfdata_read_some(file, until_ns, LONG_MAX, sink, context);
}

/* Facts of an open recording, for display. */

const struct perfdata_process *perfdata_processes(const struct perfdata *file, size_t *count)
{
    *count = file->surveyed ? file->processes.count : 0;
    return file->processes.list;
}

const struct perf_event_attr *perfdata_attribute(const struct perfdata *file, unsigned index)
{
    for (size_t i = 0; i < file->attributes.count; i++)
        if (file->attributes.events[i].format.event == index)
            return &file->attributes.events[i].attr;
    return NULL;
}

const struct perfdata_machine *perfdata_machine(const struct perfdata *file)
{
    return &file->machine;
}

struct perfdata_counts perfdata_counts(const struct perfdata *file)
{
    struct perfdata_counts counts = file->counts;
    counts.late = file->order.late;
    if (!file->surveyed) {
        counts.aux_bytes = file->tape.aux_bytes;
        counts.is_truncated = file->tape.end == TAPE_CUT;
        counts.damaged = file->tape.end > TAPE_CUT;
    }
    return counts;
}

struct perfdata_span perfdata_span(const struct perfdata *file)
{
    uint64_t first_ns = 0;
    uint64_t last_ns = 0;
    for (size_t i = 0; file->surveyed && i < file->processes.count; i++) {
        const struct perfdata_process *process = &file->processes.list[i];
        if (!process->first_sample_ns ||
            (file->pid != PERFDATA_EVERY_PROCESS && process->pid != file->pid))
            continue;
        if (!first_ns || process->first_sample_ns < first_ns)
            first_ns = process->first_sample_ns;
        if (process->last_sample_ns > last_ns)
            last_ns = process->last_sample_ns;
    }
    return (struct perfdata_span){first_ns, file->input.follows_pipe ? 0 : last_ns - first_ns};
}

static bool has_source(const struct attribute *event)
{
    return event->attr.sample_type & PERF_SAMPLE_DATA_SRC && !event->format.no_data_source;
}

static enum event_role role_of_cache(uint64_t config)
{
    const uint64_t read_misses = PERF_COUNT_HW_CACHE_RESULT_MISS << 16;
    return config == PERF_COUNT_HW_CACHE_L1D                   ? EVENT_ACCESS
           : config == (read_misses | PERF_COUNT_HW_CACHE_L1D) ? EVENT_MISS_L1
           : config == (read_misses | PERF_COUNT_HW_CACHE_LL)  ? EVENT_MEM_FILL
                                                               : EVENT_OTHER;
}

/* Accepts only events with the same meaning on every CPU, because miss levels are computed from
 * them. Names are Intel's. */
static enum event_role role_of(const struct attribute *event)
{
    static const struct {
        const char *name;
        enum event_role role;
    } named[] = {
        {"mem_load_retired.l1_miss", EVENT_MISS_L1},
        {"mem_load_retired.l2_miss", EVENT_MISS_L2},
        {"mem_load_retired.l3_miss", EVENT_MEM_FILL},
        {"mem_load_uops_retired.l1_miss", EVENT_MISS_L1},
        {"mem_load_uops_retired.l2_miss", EVENT_MISS_L2},
        {"mem_load_uops_retired.l3_miss", EVENT_MEM_FILL},
        {"mem_inst_retired.all_loads", EVENT_ACCESS},
        {"mem_uops_retired.all_loads", EVENT_ACCESS},
        {"ls_dispatch.ld_dispatch", EVENT_ACCESS},
        {"cycle_activity.stalls_l1d_miss", EVENT_STALL},
        {"cycle_activity.stalls_l1d_pending", EVENT_STALL},
    };
    const struct perf_event_attr *attr = &event->attr;
    if (attr->type == PERF_TYPE_HW_CACHE)
        return role_of_cache(attr->config);
    size_t length = strcspn(event->name, ":"); /* modifiers follow */
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        if (strlen(named[i].name) == length && !strncasecmp(event->name, named[i].name, length))
            return named[i].role;
    if (event_counts_instructions(attr))
        return EVENT_ACCESS;
    bool clock = attr->type == PERF_TYPE_SOFTWARE && attr->config <= PERF_COUNT_SW_TASK_CLOCK;
    bool cycles = attr->type == PERF_TYPE_HARDWARE && attr->config == PERF_COUNT_HW_CPU_CYCLES;
    return clock || cycles ? EVENT_TIME : EVENT_OTHER;
}

static void describe_event(const struct attribute *event, const struct attributes *all,
                           struct sampler_info *info)
{
    struct sampler_event *out = &info->events[event->format.event];
    uint64_t latency = PERF_SAMPLE_WEIGHT | UINT64_C(1) << 24; /* WEIGHT_STRUCT */
    info->exact_address |= event->format.recorded_address && !event->format.by_writer;
    info->exact_ip |= event->format.exact_ip;
    info->has_latency |= !!(event->attr.sample_type & latency);
    info->has_data_source |= has_source(event);
    out->period = event->attr.freq ? 0 : event->attr.sample_period;
    if (*event->name && all->joined[event->format.event])
        attributes_plain_name(event->name, out->name, sizeof out->name);
    else if (*event->name)
        snprintf(out->name, sizeof out->name, "%s", event->name);
    else
        event_desc_guess(&event->attr, out->name, sizeof out->name);
    struct event meaning = {.type = event->attr.type,
                            .config = event->attr.config,
                            .config1 = event->attr.config1,
                            .config2 = event->attr.config2,
                            .precise_ip = event->attr.precise_ip};
    snprintf(meaning.name, sizeof meaning.name, "%s", out->name);
    meaning.role = has_source(event) && event_samples_all(&meaning) ? EVENT_ACCESS : role_of(event);
    out->role = meaning.role;
    event_describe_weight(&meaning, out->weight_unit, sizeof out->weight_unit);
}

static void info_add_text(struct sampler_info *info, const char *text)
{
    size_t used = strlen(info->note);
    snprintf(info->note + used, sizeof info->note - used, "%s%s", used ? "; " : "", text);
}

static void info_add_count(struct sampler_info *info, uint64_t count, const char *text)
{
    char line[128];
    snprintf(line, sizeof line, "%llu %s", (unsigned long long)count, text);
    if (count)
        info_add_text(info, line);
}

/* Adds the most specific notes first, because the note may be too short for all of them. */
static void describe_trouble(struct sampler_info *info, const struct perfdata_counts *counts)
{
    if (counts->growing)
        info_add_text(info, "still being recorded: shown as far as written");
    else if (counts->perhaps_growing)
        info_add_text(info,
                      "the recorder was killed, or is still writing: shown as far as written");
    else if (counts->killed)
        info_add_text(info, "the recorder was killed: shown as far as written");
    else if (counts->is_truncated)
        info_add_text(info, "the recording is truncated; copy it again");
    if (counts->damaged)
        info_add_text(info, "the recording is damaged: read up to the damage");
    info_add_count(info, counts->malformed, "damaged records were skipped");
    info_add_count(info, counts->unknown, "records of undescribed events were skipped");
    info_add_count(info, counts->lost, "records were lost by the recorder");
    info_add_count(info, counts->aux_bytes, "bytes of trace data (AUX) were skipped");
    info_add_count(info, counts->late, "records were out of order");
}

static bool maps_data(const struct perfdata *file)
{
    for (size_t i = 0; i < file->attributes.count; i++)
        if (file->attributes.events[i].attr.mmap_data)
            return true;
    return false;
}

/* Reports events that were merged from different kinds of cores. */
static void describe_cores(const struct perfdata *file, struct sampler_info *info)
{
    bool joined = false;
    for (unsigned i = 0; i < file->attributes.number_count; i++)
        joined |= file->attributes.joined[i];
    if (joined)
        info_add_text(info,
                      "events of the CPU's core types (cpu_core, cpu_atom) are counted as one");
}

/* Reports whether the samples can be given addresses, and the remedy if not. */
static void describe_use(const struct perfdata *file, struct sampler_info *info,
                         const struct perfdata_counts *counts)
{
    if (counts->samples && !counts->with_address && !counts->with_registers)
        info_add_text(info,
                      "no sample has an address or registers: record with perf mem record, or with "
                      "perf record --intr-regs");
    else if (counts->samples && !maps_data(file))
        info_add_text(info, "mappings of data were not recorded: variables are known from the "
                            "files, other memory by its position; perf record -d adds them");
}

/* Addresses recorded by hardware are valid on any architecture. */
static void describe_foreign(const struct perfdata *file, struct sampler_info *info)
{
    char line[128];
    const char *architecture = file->machine.architecture;
    info->is_foreign_arch = *architecture && strcmp(architecture, "x86_64") != 0;
    snprintf(line, sizeof line,
             "recorded on %s: recorded addresses are shown, but code is not decoded", architecture);
    if (info->is_foreign_arch)
        info_add_text(info, line);
}

void perfdata_describe(const struct perfdata *file, struct sampler_info *info)
{
    struct perfdata_counts counts = perfdata_counts(file);
    size_t count = file->attributes.count;
    info->source = "replay";
    info->pid = file->pid;
    info->weight_unit = "the recorded event";
    info->records_bad = counts.malformed + counts.unknown + counts.damaged;
    info->event_count = file->attributes.number_count;
    /* Backwards, so that the first of several events with the same number names it. */
    while (count--)
        if (file->attributes.events[count].format.event < info->event_count)
            describe_event(&file->attributes.events[count], &file->attributes, info);
    info->note[0] = '\0';
    describe_foreign(file, info);
    describe_trouble(info, &counts);
    describe_use(file, info, &counts);
    describe_cores(file, info);
}
