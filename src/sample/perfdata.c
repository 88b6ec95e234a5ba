/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sample/perfdata.h"

#include "base/hash.h"
#include "sample/event_desc.h"
#include "sample/record.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Record types of perf itself (tools/lib/perf/include/perf/event.h). */
enum { PERFDATA_AUXTRACE = 71, PERFDATA_COMPRESSED = 81, PERFDATA_COMPRESSED2 = 83 };
enum { PERFDATA_ATTRS_MAX = 64, PERFDATA_WEIGHT_STRUCT = 1 << 24 };

struct file_section {
    uint64_t offset;
    uint64_t size;
};

struct file_header {
    char magic[8];
    uint64_t size;
    uint64_t attr_size;
    struct file_section attrs;
    struct file_section data;
    struct file_section event_types; /* unused since perf 3 */
    uint64_t features[EVENT_DESC_FEATURES / 64];
};

struct perfdata_entry {
    uint64_t time_ns;
    uint64_t offset;
};

struct perfdata {
    unsigned char *bytes;
    size_t size;
    const unsigned char *names; /* EVENT_DESC section, NULL: none */
    size_t names_size;
    bool cut; /* it ends before its data do */
    struct record_format formats[PERFDATA_ATTRS_MAX];
    struct perf_event_attr attrs[PERFDATA_ATTRS_MAX];
    size_t format_count;
    struct hash event_of_id;
    struct perfdata_entry *entries;
    size_t entry_count;
    size_t entry_room;
    size_t next;
    uint64_t first_ns;
    uint64_t bad;
    uint64_t in_order_ns;
    pid_t pid;
};

static bool inside(const struct perfdata *file, struct file_section section)
{
    return section.offset <= file->size && section.size <= file->size - section.offset;
}

/* A copy of its own: a file cut short while it is read must not raise SIGBUS. */
static int load_bytes(struct perfdata *file, int fd, size_t size)
{
    ssize_t got = 1;
    file->bytes = malloc(size);
    if (!file->bytes)
        return -ENOMEM;
    while (file->size < size && got > 0) {
        got = read(fd, file->bytes + file->size, size - file->size);
        if (got > 0)
            file->size += (size_t)got;
    }
    return got < 0 ? -errno : 0;
}

static int load_file(struct perfdata *file, const char *path, struct error *error)
{
    struct stat status;
    if (!strcmp(path, "-"))
        return error_set(error, -ENOTSUP,
                         "-i -: piped recordings cannot be read yet; record to a "
                         "file with perf record -o FILE");
    /* O_NONBLOCK: a FIFO that nobody writes to must not hold us up before it is refused. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return error_set(error, -errno, "cannot open %s: %s", path, strerror(errno));
    int code = fstat(fd, &status) ? -errno : 0;
    if (!code && S_ISREG(status.st_mode) && status.st_size)
        code = load_bytes(file, fd, (size_t)status.st_size);
    close(fd);
    if (code)
        return error_set(error, code, "cannot read %s: %s", path, strerror(-code));
    if (!S_ISREG(status.st_mode))
        return error_set(error, -ENOTSUP, "%s is no regular file; give the path of a recording",
                         path);
    if (!file->size)
        return error_set(error, -EBADMSG, "%s is empty; was the recording stopped too early?",
                         path);
    return 0;
}

/* Fills the header, from as much of it as the file has, if it can be read further. */
static int check_magic(const struct perfdata *file, struct file_header *header, const char *path,
                       struct error *error)
{
    *header = (struct file_header){0};
    memcpy(header, file->bytes, file->size < sizeof *header ? file->size : sizeof *header);
    if (!memcmp(header->magic, "2ELIFREP", 8))
        return error_set(error, -ENOTSUP,
                         "%s was recorded on a machine of the other byte order, "
                         "which cannot be read yet",
                         path);
    if (memcmp(header->magic, "PERFILE2", 8))
        return error_set(error, -EBADMSG,
                         "%s is not a perf.data file; make one with perf mem "
                         "record or perf record --user-regs",
                         path);
    if (header->size == 16)
        return error_set(error, -ENOTSUP,
                         "%s is a piped recording, which cannot be read yet; "
                         "record to a file with perf record -o FILE",
                         path);
    if (file->size < sizeof *header)
        return error_set(error, -EBADMSG,
                         "%s is too short for a perf.data file: it was cut off; "
                         "copy it again",
                         path);
    if (header->attr_size < 64 + 16 || header->attr_size > 4096 || !inside(file, header->attrs) ||
        header->data.offset > file->size)
        return error_set(error, -EBADMSG,
                         "%s is damaged: its header points outside the file; "
                         "copy it again",
                         path);
    return 0;
}

static struct record_format format_of(const struct perf_event_attr *attr, uint16_t index)
{
    bool address = attr->sample_type & PERF_SAMPLE_ADDR;
    return (struct record_format){
        .sample_type = attr->sample_type,
        .read_format = attr->read_format,
        .branch_type = attr->branch_sample_type,
        .regs_user = attr->sample_regs_user,
        .regs_intr = attr->sample_regs_intr,
        .period = attr->freq ? 1 : attr->sample_period,
        .sample_id_all = attr->sample_id_all,
        .exact_ip = attr->precise_ip >= 2,
        .recorded_address = address && attr->sample_type & PERF_SAMPLE_DATA_SRC,
        .alien_regs = attr->precise_ip > 0,
        .event = index < SAMPLE_EVENTS_MAX ? index : SAMPLE_EVENTS_MAX - 1,
    };
}

static int read_attrs(struct perfdata *file, const struct file_header *header)
{
    size_t count = header->attrs.size / header->attr_size;
    for (size_t i = 0; i < count && i < PERFDATA_ATTRS_MAX; i++) {
        const unsigned char *at = file->bytes + header->attrs.offset + i * header->attr_size;
        struct file_section ids;
        struct perf_event_attr *attr = &file->attrs[i];
        size_t size = header->attr_size - sizeof ids;
        /* Older and newer attributes are shorter and longer: the head is the same. */
        memcpy(attr, at, size < sizeof *attr ? size : sizeof *attr);
        memcpy(&ids, at + size, sizeof ids);
        file->formats[i] = format_of(attr, (uint16_t)i);
        file->format_count = i + 1;
        for (uint64_t id = 0; inside(file, ids) && id < ids.size / 8; id++) {
            uint64_t value;
            memcpy(&value, file->bytes + ids.offset + id * 8, 8);
            uint32_t *slot = hash_insert(&file->event_of_id, value, NULL);
            if (!slot)
                return -ENOMEM;
            *slot = (uint32_t)i;
        }
    }
    return file->format_count ? 0 : -EBADMSG;
}

/* Where samples carry their id without IDENTIFIER: after IP, TID, TIME and ADDR. */
static uint64_t id_after_address(const struct perfdata *file, const unsigned char *bytes,
                                 size_t size)
{
    uint64_t type = file->formats[0].sample_type;
    size_t words = !!(type & PERF_SAMPLE_IP) + !!(type & PERF_SAMPLE_TID) +
                   !!(type & PERF_SAMPLE_TIME) + !!(type & PERF_SAMPLE_ADDR);
    uint64_t id = 0;
    if (type & PERF_SAMPLE_ID && size >= 8 + words * 8 + 8)
        memcpy(&id, bytes + 8 + words * 8, 8);
    return id;
}

struct perfdata_lookup {
    const struct perfdata *file;
    const unsigned char *bytes;
    size_t size;
};

static const struct record_format *lookup(void *context, uint64_t id, bool has_id)
{
    const struct perfdata_lookup *at = context;
    const struct perfdata *file = at->file;
    struct perf_event_header header;
    memcpy(&header, at->bytes, sizeof header);
    bool identified = file->formats[0].sample_type & PERF_SAMPLE_IDENTIFIER;
    if (!identified && header.type == PERF_RECORD_SAMPLE)
        id = id_after_address(file, at->bytes, header.size);
    uint32_t *event = has_id ? hash_find(&file->event_of_id, id) : NULL;
    return &file->formats[event ? *event : 0];
}

static int parse_at(const struct perfdata *file, uint64_t offset, struct record *record)
{
    struct perfdata_lookup at = {file, file->bytes + offset, file->size - offset};
    return record_parse(at.bytes, at.size, lookup, &at, record);
}

static int add_entry(struct perfdata *file, uint64_t time_ns, uint64_t offset)
{
    if (file->entry_count == file->entry_room) {
        size_t room = file->entry_room ? file->entry_room * 2 : 4096;
        struct perfdata_entry *more = realloc(file->entries, room * sizeof *more);
        if (!more)
            return -ENOMEM;
        file->entries = more;
        file->entry_room = room;
    }
    /* Records without a time keep their place among those around them. */
    file->in_order_ns = time_ns ? time_ns : file->in_order_ns;
    file->entries[file->entry_count++] = (struct perfdata_entry){file->in_order_ns, offset};
    return 0;
}

/* Size of what stands at offset, with what follows it outside the record; 0: damaged. */
static uint64_t step_over(const struct perfdata *file, uint64_t offset,
                          const struct perf_event_header *header)
{
    uint64_t extra = 0;
    if (header->type == PERFDATA_AUXTRACE && header->size >= 16)
        memcpy(&extra, file->bytes + offset + 8, 8);
    if (header->size < sizeof *header || extra > file->size)
        return 0;
    return header->size + extra;
}

static int index_records(struct perfdata *file, const struct file_header *header, const char *path,
                         struct error *error)
{
    /* data.size 0: the recorder was killed; records go on to the end of the file. */
    uint64_t size = header->data.size ? header->data.size : file->size - header->data.offset;
    uint64_t end = header->data.offset + size;
    if (end > file->size || end < header->data.offset) {
        end = file->size;
        file->cut = true;
    }
    for (uint64_t offset = header->data.offset; offset + 8 <= end;) {
        struct perf_event_header record;
        struct record parsed;
        memcpy(&record, file->bytes + offset, sizeof record);
        if (record.type == PERFDATA_COMPRESSED || record.type == PERFDATA_COMPRESSED2)
            return error_set(error, -ENOTSUP,
                             "%s is compressed, which cannot be read yet; record "
                             "without -z",
                             path);
        uint64_t step = step_over(file, offset, &record);
        if (!step || step > end - offset) {
            file->bad++;
            break;
        }
        int code = parse_at(file, offset, &parsed);
        file->bad += code < 0;
        if (code == 1 && add_entry(file, parsed.time_ns, offset))
            return error_set(error, -ENOMEM, "out of memory");
        offset += step;
    }
    return 0;
}

static int compare_entries(const void *a, const void *b)
{
    const struct perfdata_entry *x = a;
    const struct perfdata_entry *y = b;
    if (x->time_ns != y->time_ns)
        return x->time_ns < y->time_ns ? -1 : 1;
    return x->offset < y->offset ? -1 : 1;
}

/* The process with most samples. */
static pid_t busiest(struct perfdata *file)
{
    struct hash counts;
    struct record record;
    uint32_t most = 0;
    pid_t pid = 0;
    hash_init(&counts);
    for (size_t i = 0; i < file->entry_count; i++) {
        if (parse_at(file, file->entries[i].offset, &record) != 1 || record.kind != RECORD_SAMPLE)
            continue;
        if (!record.pid) /* the idle task, in recordings of the whole system */
            continue;
        uint32_t *count = hash_insert(&counts, record.pid, NULL);
        if (count && ++*count > most) {
            most = *count;
            pid = (pid_t)record.pid;
        }
    }
    hash_fini(&counts);
    return pid;
}

int perfdata_open(struct perfdata **out, const char *path, pid_t pid, struct error *error)
{
    struct file_header header;
    struct perfdata *file = calloc(1, sizeof *file);
    if (!file)
        return error_set(error, -ENOMEM, "out of memory");
    int code = load_file(file, path, error);
    if (!code)
        code = check_magic(file, &header, path, error);
    if (!code && read_attrs(file, &header))
        code = error_set(error, -EBADMSG, "%s is damaged: it describes no events", path);
    if (!code)
        code = index_records(file, &header, path, error);
    if (!code && header.data.size)
        file->names = event_desc_find(file->bytes, file->size, header.features,
                                      header.data.offset + header.data.size, &file->names_size);
    if (code) {
        perfdata_close(file);
        return code;
    }
    if (file->entry_count)
        qsort(file->entries, file->entry_count, sizeof *file->entries, compare_entries);
    file->pid = pid ? pid : busiest(file);
    if (!file->pid) {
        perfdata_close(file);
        return error_set(error, -ENODATA, "%s holds no samples of a process", path);
    }
    for (size_t i = 0; i < file->entry_count && !file->first_ns; i++)
        file->first_ns = file->entries[i].time_ns;
    *out = file;
    return 0;
}

void perfdata_close(struct perfdata *file)
{
    free(file->bytes);
    free(file->entries);
    hash_fini(&file->event_of_id);
    free(file);
}

long perfdata_read(struct perfdata *file, uint64_t until_ns, sampler_sink sink, void *context)
{
    long handed = 0;
    struct record record;
    if (file->next == file->entry_count)
        return -ENODATA;
    for (; file->next < file->entry_count; file->next++) {
        const struct perfdata_entry *entry = &file->entries[file->next];
        if (entry->time_ns > file->first_ns && entry->time_ns - file->first_ns > until_ns)
            break;
        if (parse_at(file, entry->offset, &record) != 1)
            continue;
        if (record.kind != RECORD_LOST && record.pid != (uint32_t)file->pid)
            continue;
        record.time_ns = entry->time_ns;
        if (record.kind == RECORD_SAMPLE)
            record.sample.time_ns = entry->time_ns;
        sink(context, &record);
        handed++;
    }
    return handed;
}

static enum event_role role_of(const struct perf_event_attr *attr)
{
    if (attr->sample_type & PERF_SAMPLE_DATA_SRC)
        return EVENT_OTHER;
    bool clock = attr->type == PERF_TYPE_SOFTWARE && attr->config <= PERF_COUNT_SW_TASK_CLOCK;
    bool cycles = attr->type == PERF_TYPE_HARDWARE && attr->config == PERF_COUNT_HW_CPU_CYCLES;
    return clock || cycles ? EVENT_STALL : EVENT_OTHER;
}

static void name_event(const struct perfdata *file, unsigned index, char *out, size_t out_size)
{
    if (!file->names || !event_desc_name(file->names, file->names_size, index, out, out_size))
        event_desc_guess(&file->attrs[index], out, out_size);
}

void perfdata_describe(const struct perfdata *file, struct sampler_info *info)
{
    size_t count = file->format_count < SAMPLE_EVENTS_MAX ? file->format_count : SAMPLE_EVENTS_MAX;
    info->source = "replay";
    info->pid = file->pid;
    info->weighs = "the recorded event";
    info->records_bad = file->bad;
    info->event_count = (unsigned)count;
    for (size_t i = 0; i < count; i++) {
        const struct perf_event_attr *attr = &file->attrs[i];
        info->exact_address |= file->formats[i].recorded_address;
        info->exact_ip |= file->formats[i].exact_ip;
        info->latency |= !!(attr->sample_type & (PERF_SAMPLE_WEIGHT | PERFDATA_WEIGHT_STRUCT));
        info->data_source |= !!(attr->sample_type & PERF_SAMPLE_DATA_SRC);
        info->events[i].role = role_of(attr);
        info->events[i].period = attr->freq ? 0 : attr->sample_period;
        name_event(file, (unsigned)i, info->events[i].name, sizeof info->events[i].name);
    }
    if (file->cut)
        snprintf(info->note, sizeof info->note,
                 "the recording is cut short: its end is missing; copy it again");
    else if (file->bad)
        snprintf(info->note, sizeof info->note,
                 "%llu damaged records in the recording were left "
                 "out",
                 (unsigned long long)file->bad);
}
