/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sample/perfdata/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "sample/perf/record.h"
#include "sample/perfdata/header.h"
#include "sample/perfdata/input.h"
#include "sample/perfdata/writer_state.h"

enum { PATH_BYTES_MAX = 4096, COMM_BYTES_MAX = 64 };

/* Newer than some uapi headers that this must compile with. */
#define SAMPLE_WEIGHT_STRUCT (UINT64_C(1) << 24)
#define BLK_NA               (UINT64_C(0x01) << 40)

static uint64_t written_registers(const struct perf_event_attr *attr)
{
    uint64_t asked = attr->sample_type & PERF_SAMPLE_REGS_USER   ? attr->sample_regs_user
                     : attr->sample_type & PERF_SAMPLE_REGS_INTR ? attr->sample_regs_intr
                                                                 : 0;
    uint64_t kept = 0;
    for (unsigned bit = 0; bit < RECORD_REGISTER_BITS; bit++)
        if (record_register_of_bit[bit] != SREG_NONE)
            kept |= asked & UINT64_C(1) << bit;
    return kept;
}

/* Records also carry the decoded address and the data source. */
static void perfdata_layout_init(struct perfdata_layout *layout, struct perf_event_attr *attr,
                                 uint64_t id)
{
    uint64_t latency = PERF_SAMPLE_WEIGHT | SAMPLE_WEIGHT_STRUCT;
    layout->id = id;
    layout->regs = written_registers(attr);
    layout->sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
                          PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_PERIOD |
                          PERF_SAMPLE_DATA_SRC |
                          (attr->sample_type & (PERF_SAMPLE_CPU | PERF_SAMPLE_PHYS_ADDR));
    if (layout->regs)
        layout->sample_type |= PERF_SAMPLE_REGS_USER;
    if (attr->sample_type & latency)
        layout->sample_type |= PERF_SAMPLE_WEIGHT;
    attr->size = sizeof *attr;
    attr->sample_type = layout->sample_type;
    attr->sample_regs_user = layout->regs;
    attr->sample_regs_intr = attr->read_format = attr->branch_sample_type = 0;
    attr->sample_stack_user = 0;
    attr->sample_id_all = 1;
}

/* Puts a text with its NUL, padded to whole words. */
static void put_text(struct perfdata_bytes *out, const char *text, size_t size_max)
{
    size_t length = strnlen(text, size_max - 1);
    perfdata_bytes_put(out, text, length);
    perfdata_bytes_zero(out, 8 - length % 8);
}

/* Begins a record: leaves room for its header, which is written last. */
static size_t begin_record(struct perfdata_bytes *out)
{
    size_t start = out->used;
    perfdata_bytes_zero(out, sizeof(struct perf_event_header));
    return start;
}

static void end_record(struct perfdata_bytes *out, size_t start, uint32_t type, uint16_t misc)
{
    struct perf_event_header header = {
        .type = type, .misc = misc, .size = (uint16_t)(out->used - start)};
    memcpy(out->at + start, &header, sizeof header);
}

/* Writes the record that ends a round: later records are not older than the records before the
 * previous one. */
static void perfdata_write_round(struct perfdata_bytes *out)
{
    end_record(out, begin_record(out), TAPE_FINISHED_ROUND, 0);
}

/* Puts the fields that sample_id_all adds after records other than samples. */
static void put_trailer(struct perfdata_bytes *out, const struct perfdata_layout *layout,
                        const struct record *record)
{
    perfdata_bytes_u32(out, record->pid);
    perfdata_bytes_u32(out, record->tid);
    perfdata_bytes_u64(out, record->time_ns);
    if (layout->sample_type & PERF_SAMPLE_CPU) {
        perfdata_bytes_u32(out, SAMPLE_NO_CPU);
        perfdata_bytes_u32(out, 0);
    }
    perfdata_bytes_u64(out, layout->id);
}

static uint16_t record_misc(const struct sample *sample)
{
    uint16_t exact = sample->has & SAMPLE_HAS_EXACT_IP ? PERF_RECORD_MISC_EXACT_IP : 0;
    switch (sample->mode) {
    case SAMPLE_USER:
        return exact | PERF_RECORD_MISC_USER;
    case SAMPLE_KERNEL:
        return exact | PERF_RECORD_MISC_KERNEL;
    default:
        return exact | PERF_RECORD_MISC_HYPERVISOR;
    }
}

static uint64_t address_of(const struct sample *sample, const struct perfdata_written *written)
{
    return sample->has & SAMPLE_HAS_ADDRESS ? sample->address : written ? written->address : 0;
}

/* Sets the unknown fields to "not available". */
static uint64_t complete_data_source(uint64_t data_src)
{
    enum { FIELDS = 6 };
    static const struct {
        uint64_t bits;
        uint64_t na;
    } fields[FIELDS] = {
        {UINT64_C(0x1f), PERF_MEM_S(OP, NA)},
        {UINT64_C(0x3fff) << 5 | UINT64_C(0xf) << 33, PERF_MEM_S(LVL, NA)},
        {UINT64_C(0x1f) << 19, PERF_MEM_S(SNOOP, NA)},
        {UINT64_C(0x3) << 24, PERF_MEM_S(LOCK, NA)},
        {UINT64_C(0x7f) << 26, PERF_MEM_S(TLB, NA)},
        {UINT64_C(0x7) << 40, BLK_NA},
    };
    for (unsigned i = 0; i < FIELDS; i++)
        if (!(data_src & fields[i].bits))
            data_src |= fields[i].na;
    return data_src;
}

/* Returns the hardware's value unchanged. An address with an unknown operation keeps 0, which means
 * "not recorded", because "not available" would invalidate the address (record.c). */
static uint64_t data_src_of(const struct sample *sample, const struct perfdata_written *written)
{
    if (sample->has & SAMPLE_HAS_DATA_SRC && sample->data_src)
        return sample->data_src;
    if (written && written->data_src)
        return complete_data_source(written->data_src);
    return address_of(sample, written) ? 0 : complete_data_source(0);
}

static void put_registers(struct perfdata_bytes *out, uint64_t mask, const struct sample *sample)
{
    bool known = sample->has & SAMPLE_HAS_REGS;
    uint64_t words[1 + RECORD_REGISTER_BITS] = {known ? PERF_SAMPLE_REGS_ABI_64
                                                      : PERF_SAMPLE_REGS_ABI_NONE};
    size_t count = 1;
    for (; known && mask; mask &= mask - 1)
        words[count++] = sample->regs[record_register_of_bit[__builtin_ctzll(mask)]];
    perfdata_bytes_put(out, words, count * sizeof *words);
}

static void put_sample(struct perfdata_bytes *out, const struct perfdata_layout *layout,
                       const struct sample *sample, const struct perfdata_written *written)
{
    perfdata_bytes_u64(out, layout->id);
    perfdata_bytes_u64(out, sample->ip);
    perfdata_bytes_u32(out, sample->pid);
    perfdata_bytes_u32(out, sample->tid);
    perfdata_bytes_u64(out, sample->time_ns);
    perfdata_bytes_u64(out, address_of(sample, written));
    if (layout->sample_type & PERF_SAMPLE_CPU) {
        perfdata_bytes_u32(out, sample->cpu);
        perfdata_bytes_u32(out, 0);
    }
    perfdata_bytes_u64(out, sample->weight);
    if (layout->sample_type & PERF_SAMPLE_REGS_USER)
        put_registers(out, layout->regs, sample);
    if (layout->sample_type & PERF_SAMPLE_WEIGHT)
        perfdata_bytes_u64(out, sample->has & SAMPLE_HAS_LATENCY ? sample->latency : 0);
    perfdata_bytes_u64(out, data_src_of(sample, written));
    if (layout->sample_type & PERF_SAMPLE_PHYS_ADDR)
        perfdata_bytes_u64(out, sample->has & SAMPLE_HAS_PHYSICAL ? sample->physical : 0);
}

static void put_mapping(struct perfdata_bytes *out, const struct sample_mapping *mapping)
{
    perfdata_bytes_u64(out, mapping->start);
    perfdata_bytes_u64(out, mapping->length);
    perfdata_bytes_u64(out, mapping->file_offset);
    perfdata_bytes_u32(out, mapping->device_major);
    perfdata_bytes_u32(out, mapping->device_minor);
    perfdata_bytes_u64(out, mapping->inode);
    perfdata_bytes_u64(out, 0); /* generation */
    perfdata_bytes_u32(out, mapping->protection);
    perfdata_bytes_u32(out, mapping->flags);
    put_text(out, mapping->path, PATH_BYTES_MAX);
}

static void put_ids(struct perfdata_bytes *out, const struct record *record)
{
    perfdata_bytes_u32(out, record->pid);
    perfdata_bytes_u32(out, record->tid);
}

static void put_task(struct perfdata_bytes *out, const struct record *record)
{
    perfdata_bytes_u32(out, record->pid);
    perfdata_bytes_u32(out, record->fork.parent_pid);
    perfdata_bytes_u32(out, record->tid);
    perfdata_bytes_u32(out, record->fork.parent_tid);
    perfdata_bytes_u64(out, record->time_ns);
}

/* Puts the body of a record other than a sample. Returns its type, and sets *misc. */
static uint32_t put_body(struct perfdata_bytes *out, const struct perfdata_layout *layout,
                         const struct record *record, uint16_t *misc)
{
    *misc = 0;
    switch (record->kind) {
    case RECORD_MAPPING:
        *misc =
            record->pid == PERFDATA_KERNEL_PID ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER;
        *misc |= record->mapping.executable ? 0 : PERF_RECORD_MISC_MMAP_DATA;
        put_ids(out, record);
        put_mapping(out, &record->mapping);
        return PERF_RECORD_MMAP2;
    case RECORD_COMM:
        *misc = record->comm.exec ? PERF_RECORD_MISC_COMM_EXEC : 0;
        put_ids(out, record);
        put_text(out, record->comm.name, COMM_BYTES_MAX);
        return PERF_RECORD_COMM;
    case RECORD_FORK:
    case RECORD_EXIT:
        put_task(out, record);
        return record->kind == RECORD_FORK ? PERF_RECORD_FORK : PERF_RECORD_EXIT;
    case RECORD_LOST:
        perfdata_bytes_u64(out, layout->id);
        perfdata_bytes_u64(out, record->count);
        return PERF_RECORD_LOST;
    default:
        perfdata_bytes_u64(out, record->time_ns);
        perfdata_bytes_u64(out, layout->id);
        perfdata_bytes_u64(out, 0); /* stream_id */
        return record->kind == RECORD_THROTTLE ? PERF_RECORD_THROTTLE : PERF_RECORD_UNTHROTTLE;
    }
}

/* Appends a multiple of 8 bytes. Records other than samples have the layout of event 0. */
static void perfdata_write_record(struct perfdata_bytes *out, const struct perfdata_layout *layout,
                                  const struct record *record,
                                  const struct perfdata_written *written)
{
    size_t start = begin_record(out);
    uint16_t misc;
    if (record->kind == RECORD_SAMPLE) {
        put_sample(out, layout, &record->sample, written);
        end_record(out, start, PERF_RECORD_SAMPLE, record_misc(&record->sample));
        return;
    }
    uint32_t type = put_body(out, layout, record, &misc);
    put_trailer(out, layout, record);
    end_record(out, start, type, misc);
}

/* Checks the options of a recording and copies them to its state. */

enum { FILES_USUAL = 2, SESSION_BITS = 40 };

static void perfdata_writer_take(struct perfdata_writer *writer,
                                 const struct perfdata_writer_options *options)
{
    const struct sampler_info *info = options->info;
    uint64_t now = clock_now_ns();
    writer->live = info->live;
    writer->pid = info->live ? info->pid : 0;
    writer->limit_bytes = options->limit_bytes;
    writer->files = options->files ? options->files : FILES_USUAL;
    /* Sets the highest bit: the kernel's ids never get that high. */
    writer->session = (hash_mix(now ^ (uint64_t)getpid() << 32) >> (64 - SESSION_BITS)) |
                      UINT64_C(1) << (SESSION_BITS - 1);
    writer->event_count = info->event_count;
    for (unsigned i = 0; i < info->event_count; i++) {
        struct perfdata_writer_event *event = &writer->events[i];
        event->attr = options->attrs[i];
        event->by_writer = !(event->attr.sample_type & PERF_SAMPLE_DATA_SRC);
        perfdata_layout_init(&event->layout, &event->attr, 0);
        snprintf(event->name, sizeof event->name, "%s", info->events[i].name);
    }
    if (options->machine)
        perfdata_host_copy(&writer->sections, options->machine);
    else
        perfdata_host_describe(&writer->sections, kernel_host());
}

static int perfdata_writer_check(const struct perfdata_writer_options *options, struct error *error)
{
    if (options->limit_bytes && options->limit_bytes < PERFDATA_WRITER_LIMIT_MIN)
        return error_set(error, -EINVAL, "--record-limit: a file needs at least 1M");
    if (options->files > PERFDATA_WRITER_FILES_MAX)
        return error_set(error, -EINVAL, "--record-limit: at most %d files",
                         PERFDATA_WRITER_FILES_MAX);
    if (!options->info->event_count || options->info->event_count > SAMPLE_EVENTS_MAX)
        return error_set(error, -EINVAL, "there are no events to record");
    return 0;
}

/* Returns true if a write would exceed the limit and raise SIGXFSZ, which ends the program. */
static bool exceeds_file_limit(uint64_t past)
{
    struct rlimit limit;
    return past > INT64_MAX || (!getrlimit(RLIMIT_FSIZE, &limit) && past > limit.rlim_cur);
}

/* Returns 0 or a negative errno; on error any part may have been written. */
static int perfdata_file_put(int fd, uint64_t offset, const void *bytes, size_t size)
{
    const char *at = bytes;
    if (exceeds_file_limit(offset + size))
        return -EFBIG;
    while (size) {
        ssize_t written = pwrite(fd, at, size, (off_t)offset);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return written < 0 ? -errno : -EIO;
        at += written;
        offset += (uint64_t)written;
        size -= (size_t)written;
    }
    return 0;
}

/* Explains why `path` cannot be written, and what helps. Returns `code`. */
static int perfdata_file_explain(const char *path, int code, struct error *error)
{
    switch (code) {
    case -ENOSPC:
        return error_set(error, code,
                         "%s: the disk is full, samples are not recorded; free space to continue, "
                         "or choose another place with -o and a --record-limit",
                         path);
    case -EDQUOT:
        return error_set(error, code,
                         "%s: your quota is used up, samples are not recorded; free space to "
                         "continue, or use --record-limit",
                         path);
    case -EFBIG:
        return error_set(error, code,
                         "%s has reached the file size limit (ulimit -f), samples are not "
                         "recorded; raise it, or use a smaller --record-limit",
                         path);
    case -EACCES:
    case -EPERM:
    case -EROFS:
        return error_set(error, code, "cannot write %s: %s; name another place with -o", path,
                         strerror(-code));
    case -ENOENT:
    case -ENOTDIR:
        return error_set(error, code, "cannot write %s: no such directory; create it first", path);
    default:
        return error_set(error, code, "cannot write %s: %s; samples are not recorded", path,
                         strerror(-code));
    }
}

/* Makes the name PATH + MIDDLE + .SUFFIX. Returns false if it is too long. */
static bool name_of(char out[PATH_MAX], const char *path, const char *middle, const char *suffix)
{
    int length =
        snprintf(out, PATH_MAX, "%s%s%s%s", path, middle, suffix ? "." : "", suffix ? suffix : "");
    return length > 0 && length < PATH_MAX;
}

static bool numbered_path(char out[PATH_MAX], const char *path, unsigned number, const char *suffix)
{
    char middle[16] = "";
    if (number)
        snprintf(middle, sizeof middle, ".%u", number);
    return name_of(out, path, middle, suffix);
}

/* Moves an older file to PATH.old; moves a link itself and never follows it. */
static int move_older_file(const char *name, const char *path, const char *suffix,
                           struct error *error)
{
    char old[PATH_MAX];
    struct stat status;
    if (lstat(name, &status))
        return errno == ENOENT ? 0 : perfdata_file_explain(name, -errno, error);
    if (S_ISDIR(status.st_mode))
        return error_set(error, -EISDIR, "%s is a directory; name a file with -o", name);
    if (!S_ISREG(status.st_mode) && !S_ISLNK(status.st_mode))
        return error_set(error, -ENOTSUP,
                         "%s is not a regular file; recordings are written only to files", name);
    if (!name_of(old, path, ".old", suffix))
        return perfdata_file_explain(name, -ENAMETOOLONG, error);
    if (status.st_size ? rename(name, old) : unlink(name))
        return error_set(error, -errno,
                         "cannot move the older %s to %s: %s; name another place with -o", name,
                         old, strerror(errno));
    return 0;
}

int perfdata_writer_create(const char *path, const char *suffix, struct error *error)
{
    char name[PATH_MAX];
    if (!name_of(name, path, "", suffix))
        return perfdata_file_explain(path, -ENAMETOOLONG, error);
    int code = move_older_file(name, path, suffix, error);
    if (code)
        return code;
    int fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    return fd < 0 ? perfdata_file_explain(name, -errno, error) : fd;
}

int perfdata_writer_shift(const char *path, const char *suffix, unsigned files, struct error *error)
{
    char from[PATH_MAX];
    char to[PATH_MAX];
    if (!numbered_path(to, path, files, suffix))
        return perfdata_file_explain(path, -ENAMETOOLONG, error);
    for (unsigned number = files - 1; number > 0; number--) {
        if (!numbered_path(from, path, number - 1, suffix) ||
            !numbered_path(to, path, number, suffix))
            return perfdata_file_explain(path, -ENAMETOOLONG, error);
        if (rename(from, to) && errno != ENOENT)
            return error_set(error, -errno, "cannot move %s to %s: %s", from, to, strerror(errno));
    }
    if (files == 1 && numbered_path(from, path, 0, suffix) && unlink(from) && errno != ENOENT)
        return error_set(error, -errno, "cannot remove %s: %s", from, strerror(errno));
    return 0;
}

/*
 * Header, ids and attributes before the records, the features after them. The header never refers
 * to a part that is absent: the bits of the features are cleared before records overwrite them, and
 * the size of the data grows only after the data are written.
 */

enum { ID_BYTES = 8, SECTION_BYTES = 16, GENERATIONS = 1 << 16 };
enum { ATTR_BYTES = sizeof(struct perf_event_attr) + SECTION_BYTES };

uint64_t perfdata_writer_mark(const struct perfdata_writer *writer)
{
    return writer->session * GENERATIONS + writer->generation % GENERATIONS;
}

/* Assigns the ids of the events in this file, which contains no records yet. */
static void perfdata_head_number(struct perfdata_writer *writer)
{
    uint64_t first = perfdata_writer_mark(writer) << PERFDATA_MARK_SHIFT;
    for (unsigned i = 0; i < writer->event_count; i++)
        writer->events[i].layout.id =
            first + i + 1 + (writer->events[i].by_writer ? PERFDATA_ID_RECORDED : 0);
    writer->data_at = writer->data_end =
        PERFDATA_HEADER_BYTES + writer->event_count * (uint64_t)(ID_BYTES + ATTR_BYTES);
}

static void put_section(struct perfdata_bytes *bytes, uint64_t offset, uint64_t size)
{
    perfdata_bytes_u64(bytes, offset);
    perfdata_bytes_u64(bytes, size);
}

static void put_header(struct perfdata_bytes *bytes, const struct perfdata_writer *writer,
                       uint64_t features)
{
    uint64_t ids_end = PERFDATA_HEADER_BYTES + writer->event_count * (uint64_t)ID_BYTES;
    perfdata_bytes_put(bytes, "PERFILE2", 8);
    perfdata_bytes_u64(bytes, PERFDATA_HEADER_BYTES);
    perfdata_bytes_u64(bytes, ATTR_BYTES);
    put_section(bytes, ids_end, writer->event_count * (uint64_t)ATTR_BYTES);
    put_section(bytes, writer->data_at, writer->data_end - writer->data_at);
    put_section(bytes, 0, 0); /* event types, unused since perf 3 */
    perfdata_bytes_u64(bytes, features);
    perfdata_bytes_zero(bytes, PERFDATA_FEATURES / 8 - sizeof features);
}

static int write_header(struct perfdata_writer *writer, uint64_t features)
{
    struct perfdata_bytes *bytes = &writer->tail;
    perfdata_bytes_clear(bytes);
    put_header(bytes, writer, features);
    return bytes->failed ? -ENOMEM : perfdata_file_put(writer->fd, 0, bytes->at, bytes->used);
}

/* Writes header, ids and attributes at the start of an empty file. Returns 0 or -errno. */
static int perfdata_head_begin(struct perfdata_writer *writer)
{
    struct perfdata_bytes *bytes = &writer->tail;
    uint64_t id_at = PERFDATA_HEADER_BYTES;
    perfdata_bytes_clear(bytes);
    put_header(bytes, writer, 0);
    for (unsigned i = 0; i < writer->event_count; i++)
        perfdata_bytes_u64(bytes, writer->events[i].layout.id);
    for (unsigned i = 0; i < writer->event_count; i++, id_at += ID_BYTES) {
        perfdata_bytes_put(bytes, &writer->events[i].attr, sizeof writer->events[i].attr);
        put_section(bytes, id_at, ID_BYTES);
    }
    writer->sealed = false;
    return bytes->failed ? -ENOMEM : perfdata_file_put(writer->fd, 0, bytes->at, bytes->used);
}

/* Lists the events again, with their names. */
static void describe_events(struct perfdata_writer *writer)
{
    struct perfdata_bytes *section = &writer->sections.of[FEATURE_EVENT_DESC];
    perfdata_bytes_clear(section);
    perfdata_bytes_u32(section, writer->event_count);
    perfdata_bytes_u32(section, sizeof(struct perf_event_attr));
    for (unsigned i = 0; i < writer->event_count; i++) {
        const struct perfdata_writer_event *event = &writer->events[i];
        perfdata_bytes_put(section, &event->attr, sizeof event->attr);
        perfdata_bytes_u32(section, 1);
        perfdata_bytes_string(section, event->name);
        perfdata_bytes_u64(section, event->layout.id);
    }
}

static void describe_times(struct perfdata_writer *writer)
{
    struct perfdata_bytes *section = &writer->sections.of[FEATURE_SAMPLE_TIME];
    perfdata_bytes_clear(section);
    if (!writer->first_sample_ns)
        return;
    perfdata_bytes_u64(section, writer->first_sample_ns);
    perfdata_bytes_u64(section, writer->last_sample_ns);
}

static const struct perfdata_bytes *section_of(const struct perfdata_writer *writer,
                                               unsigned feature)
{
    return feature == FEATURE_BUILD_ID ? &writer->build_ids.section : &writer->sections.of[feature];
}

/* Puts a table of sections, and the sections. Returns the bits of the sections. */
static uint64_t put_features(struct perfdata_writer *writer)
{
    struct perfdata_bytes *bytes = &writer->tail;
    uint64_t features = 0;
    describe_events(writer);
    describe_times(writer);
    for (unsigned i = 0; i < FEATURE_COUNT; i++)
        if (section_of(writer, i)->used && !section_of(writer, i)->failed)
            features |= UINT64_C(1) << i;
    uint64_t at = writer->data_end + (uint64_t)__builtin_popcountll(features) * SECTION_BYTES;
    perfdata_bytes_clear(bytes);
    for (unsigned i = 0; i < FEATURE_COUNT; i++)
        if (features >> i & 1) {
            put_section(bytes, at, section_of(writer, i)->used);
            at += section_of(writer, i)->used;
        }
    for (unsigned i = 0; i < FEATURE_COUNT; i++)
        if (features >> i & 1)
            perfdata_bytes_put(bytes, section_of(writer, i)->at, section_of(writer, i)->used);
    return features;
}

/* Records are about to overwrite it. perfdata_head_seal() writes it after the records again. */
static int perfdata_head_unseal(struct perfdata_writer *writer)
{
    int code = writer->sealed ? write_header(writer, 0) : 0;
    writer->sealed &= !!code;
    return code;
}

static int perfdata_head_seal(struct perfdata_writer *writer)
{
    uint64_t features = put_features(writer);
    uint64_t past = writer->data_end + writer->tail.used;
    int code = writer->tail.failed ? -ENOMEM
                                   : perfdata_file_put(writer->fd, writer->data_end,
                                                       writer->tail.at, writer->tail.used);
    /* Removes what a failed write, or a description that did not fit, has left. */
    if (ftruncate(writer->fd, (off_t)(code ? writer->data_end : past)) && !code)
        code = -errno;
    if (!code)
        writer->tail_bytes = writer->tail.used;
    int later = write_header(writer, code ? 0 : features);
    code = code ? code : later;
    writer->sealed = !code;
    return code;
}

/* Holds one second of 4,000 samples: one write per refresh. */
enum { BUFFER_BYTES = 1 << 20 };

static int note_writer_trouble(struct perfdata_writer *writer, int code)
{
    if (code && writer->trouble.code != code)
        perfdata_file_explain(writer->path, code, &writer->trouble);
    return code;
}

/* Appends to the buffer, which must have room. */
static void writer_append(struct perfdata_writer *writer, const struct record *record,
                          const struct perfdata_written *written)
{
    unsigned event = record->kind == RECORD_SAMPLE ? record->sample.event : 0;
    const struct perfdata_layout *layout =
        &writer->events[event < writer->event_count ? event : 0].layout;
    perfdata_write_record(&writer->buffer, layout, record, written);
    writer->round_is_open = true;
}

static bool has_room(const struct perfdata_writer *writer)
{
    return writer->buffer.room - writer->buffer.used >= PERFDATA_WRITE_RECORD_MAX;
}

/* Writes the waiting records to the file. After a failed write, all of them are written again. */
static int flush_buffer(struct perfdata_writer *writer)
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
    return note_writer_trouble(writer, code);
}

/* Without room, drops the record and counts it like one that the kernel lost. */
static int writer_put(struct perfdata_writer *writer, const struct record *record,
                      const struct perfdata_written *written)
{
    int code = writer->trouble.code;
    if (!has_room(writer) && !code)
        code = flush_buffer(writer);
    if (has_room(writer)) {
        writer_append(writer, record, written);
        return 0;
    }
    writer->dropped++;
    return code;
}

static void writer_take_record(void *context, const struct record *record)
{
    writer_put(context, record, NULL);
}

/* Writes a record of the initial state of the process, and remembers it. */
static void write_first(void *context, const struct record *record)
{
    struct perfdata_writer *writer = context;
    if (record->kind == RECORD_MAPPING)
        perfdata_build_ids_note(&writer->build_ids, &record->mapping, kernel_host(), writer->pid);
    if (perfdata_tasks_note(&writer->tasks, record, true))
        note_writer_trouble(writer, -ENOMEM);
    writer_put(writer, record, NULL);
}

/* Writes the existing state: of the process, and of the kernel if it is sampled too. */
static void write_initial_state(struct perfdata_writer *writer, bool launched)
{
    bool kernel = false;
    for (unsigned i = 0; i < writer->event_count; i++)
        kernel |= !writer->events[i].attr.exclude_kernel;
    if (kernel) {
        perfdata_build_ids_kernel(&writer->build_ids, kernel_host());
        perfdata_process_kernel(kernel_host(), write_first, writer);
    }
    perfdata_process_write(kernel_host(), writer->pid, !launched, write_first, writer);
}

/* Begins the records of a file that is still to be created, with the state of tasks. */
static void writer_begin(struct perfdata_writer *writer)
{
    writer->generation++;
    writer->first_sample_ns = writer->last_sample_ns = 0;
    writer->tail_bytes = 0;
    perfdata_head_number(writer);
    perfdata_tasks_write(&writer->tasks, 0, writer_take_record, writer);
    writer->initial_end = writer->data_end + writer->buffer.used;
}

/* Writes pending records, header and description; does nothing if nothing has changed. */
static int write_pending(struct perfdata_writer *writer)
{
    int code = flush_buffer(writer);
    int later = writer->sealed ? 0 : perfdata_head_seal(writer);
    return code ? code : note_writer_trouble(writer, later);
}

/* Creates a file. If that fails midway, empties or removes the file for the next try. */
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
    return note_writer_trouble(writer, code);
}

void perfdata_writer_want_another(struct perfdata_writer *writer)
{
    writer->begins_next_file = true;
}

static int rotate_file(struct perfdata_writer *writer)
{
    writer->begins_next_file = false;
    int code = write_pending(writer);
    if (!code)
        code = perfdata_writer_shift(writer->path, NULL, writer->files, &writer->trouble);
    if (code)
        return code;
    close(writer->fd);
    writer_begin(writer);
    return open_file(writer);
}

/* Returns true if the file is to be rotated. A file takes at least as many bytes of records as its
 * initial state of tasks has: otherwise every record would begin another file. */
static bool file_is_full(const struct perfdata_writer *writer)
{
    uint64_t end = writer->data_end + writer->buffer.used;
    bool at_limit = writer->limit_bytes &&
                    end + writer->tail_bytes + PERFDATA_WRITE_RECORD_MAX > writer->limit_bytes;
    return (at_limit || writer->begins_next_file) &&
           end > writer->initial_end + (writer->initial_end - writer->data_at);
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
                        const struct perfdata_written *written)
{
    if (!writer->trouble.code && file_is_full(writer))
        rotate_file(writer);
    note_time(writer, record);
    if (record->kind == RECORD_MAPPING)
        perfdata_build_ids_note(&writer->build_ids, &record->mapping, kernel_host(), writer->pid);
    int code = writer_put(writer, record, written);
    if (record->kind != RECORD_SAMPLE && perfdata_tasks_note(&writer->tasks, record, false))
        code = note_writer_trouble(writer, -ENOMEM);
    return code;
}

/* Reports dropped records once there is room again, and repeats the state of tasks. */
static void write_dropped(struct perfdata_writer *writer)
{
    struct record lost = {.kind = RECORD_LOST,
                          .time_ns = writer->last_ns,
                          .pid = (uint32_t)writer->pid,
                          .tid = (uint32_t)writer->pid,
                          .count = writer->dropped - writer->dropped_before};
    if (!lost.count)
        return;
    writer->dropped_before = writer->dropped;
    writer_put(writer, &lost, NULL);
    perfdata_tasks_write(&writer->tasks, writer->last_ns, writer_take_record, writer);
}

/* Tries again after an error. Returns 0 if its cause is gone. */
static int recover_writer(struct perfdata_writer *writer)
{
    writer->trouble = (struct error){0};
    int code = writer->fd < 0 ? open_file(writer) : 0;
    if (!code)
        code = flush_buffer(writer);
    if (!code)
        write_dropped(writer);
    return code;
}

int perfdata_writer_sync(struct perfdata_writer *writer, struct error *error)
{
    int code = writer->trouble.code ? recover_writer(writer) : 0;
    if (writer->round_is_open && has_room(writer)) {
        perfdata_write_round(&writer->buffer);
        writer->round_is_open = false;
    }
    if (writer->fd >= 0)
        code = write_pending(writer);
    if (code && error)
        *error = writer->trouble;
    return code;
}

static void release_writer(struct perfdata_writer *writer)
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
    release_writer(writer);
    return code;
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
        note_writer_trouble(writer, -ENOMEM);
    else
        perfdata_writer_take(writer, options);
    writer_begin(writer);
    code = writer->trouble.code ? writer->trouble.code : open_file(writer);
    if (!code && writer->live)
        write_initial_state(writer, options->launched);
    writer->initial_end = writer->data_end + writer->buffer.used;
    code = code ? code : perfdata_writer_sync(writer, NULL);
    if (!code) {
        *out = writer;
        return 0;
    }
    if (error)
        *error = writer->trouble;
    release_writer(writer);
    return code;
}

enum { STRING_ALIGN = 64 /* as perf: tools/perf/util/header.h, NAME_ALIGN */ };

void perfdata_bytes_fini(struct perfdata_bytes *bytes)
{
    free(bytes->at);
    *bytes = (struct perfdata_bytes){0};
}

void perfdata_bytes_clear(struct perfdata_bytes *bytes)
{
    bytes->used = 0;
    bytes->failed = false;
}

bool perfdata_bytes_reserve(struct perfdata_bytes *bytes, size_t size)
{
    if (bytes->room - bytes->used >= size)
        return true;
    size_t room = bytes->room ? bytes->room : 4096;
    while (room - bytes->used < size)
        room *= 2;
    bytes->failed |= !array_reserve_exact(&bytes->at, &bytes->room, room, 1);
    return bytes->room - bytes->used >= size;
}

void perfdata_bytes_put(struct perfdata_bytes *bytes, const void *data, size_t size)
{
    if (!size || !perfdata_bytes_reserve(bytes, size))
        return;
    memcpy(bytes->at + bytes->used, data, size);
    bytes->used += size;
}

void perfdata_bytes_zero(struct perfdata_bytes *bytes, size_t size)
{
    if (!size || !perfdata_bytes_reserve(bytes, size))
        return;
    memset(bytes->at + bytes->used, 0, size);
    bytes->used += size;
}

void perfdata_bytes_u32(struct perfdata_bytes *bytes, uint32_t value)
{
    perfdata_bytes_put(bytes, &value, sizeof value);
}

void perfdata_bytes_u64(struct perfdata_bytes *bytes, uint64_t value)
{
    perfdata_bytes_put(bytes, &value, sizeof value);
}

void perfdata_bytes_string(struct perfdata_bytes *bytes, const char *text)
{
    size_t length = strlen(text);
    size_t filled = (length + STRING_ALIGN) & ~(size_t)(STRING_ALIGN - 1);
    perfdata_bytes_u32(bytes, (uint32_t)filled);
    perfdata_bytes_put(bytes, text, length);
    perfdata_bytes_zero(bytes, filled - length);
}
