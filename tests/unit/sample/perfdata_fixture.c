/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes recordings and reads them back: perfdata_fixture.h. */
#include "unit/sample/perfdata_fixture.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit.h"

static const char *text_of(const struct record *record)
{
    return record->kind == RECORD_MAPPING ? record->mapping.path
           : record->kind == RECORD_COMM  ? record->comm.name
                                          : NULL;
}

/* Strings are valid only during the callback. */
static void take(void *context, const struct record *record)
{
    struct found *found = context;
    struct record copy = *record;
    if (record->kind == RECORD_MAPPING)
        copy.mapping.path = strdup(record->mapping.path);
    if (record->kind == RECORD_COMM)
        copy.comm.name = strdup(record->comm.name);
    if (!(found->count & (found->count - 1)))
        found->records =
            realloc(found->records, (found->count ? found->count * 2 : 1) * sizeof copy);
    assert_non_null(found->records);
    found->records[found->count++] = copy;
    found->samples += copy.kind == RECORD_SAMPLE;
}

int found_read(struct found *found, const char *path)
{
    struct perfdata *perfdata;
    struct sampler_info info = {0};
    struct error error = {0};
    *found = (struct found){0};
    int code = perfdata_open(&perfdata, path, PERFDATA_EVERY_PROCESS, NULL, NULL, &error);
    if (code) {
        assert_int_equal(error.code, code);
        assert_true(*error.text && !strchr(error.text, '\n'));
        return code;
    }
    perfdata_describe(perfdata, &info);
    while (perfdata_read(perfdata, UINT64_MAX, take, found) >= 0)
        continue;
    struct perfdata_counts counts = perfdata_counts(perfdata);
    found->killed = counts.killed;
    found->cut = counts.is_truncated;
    found->damaged = counts.damaged;
    found->bad = counts.malformed + counts.unknown + counts.late;
    found->mark = perfdata_file_mark(path);
    snprintf(found->event, sizeof found->event, "%s", info.events[0].name);
    snprintf(found->host, sizeof found->host, "%s", perfdata_machine(perfdata)->host);
    perfdata_close(perfdata);
    return 0;
}

void found_fini(struct found *found)
{
    for (size_t i = 0; i < found->count; i++)
        free((char *)text_of(&found->records[i]));
    free(found->records);
}

static void same_mapping(const struct sample_mapping *a, const struct sample_mapping *b)
{
    assert_int_equal(a->start, b->start);
    assert_int_equal(a->length, b->length);
    assert_int_equal(a->file_offset, b->file_offset);
    assert_int_equal(a->inode, b->inode);
    assert_int_equal(a->device_major, b->device_major);
    assert_int_equal(a->device_minor, b->device_minor);
    assert_int_equal(a->protection, b->protection);
    assert_int_equal(a->flags, b->flags);
    assert_int_equal(a->executable, b->executable);
}

static void same_sample(const struct sample *a, const struct sample *b)
{
    assert_memory_equal(a, b, offsetof(struct sample, mode));
    assert_int_equal(a->mode, b->mode);
    if (a->has & SAMPLE_HAS_REGS)
        assert_memory_equal(a->regs, b->regs, sizeof a->regs);
}

static void same(const struct record *a, const struct record *b)
{
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->time_ns, b->time_ns);
    assert_int_equal(a->pid, b->pid);
    assert_int_equal(a->tid, b->tid);
    if (text_of(a))
        assert_string_equal(text_of(a), text_of(b));
    switch (a->kind) {
    case RECORD_SAMPLE:
        same_sample(&a->sample, &b->sample);
        break;
    case RECORD_MAPPING:
        same_mapping(&a->mapping, &b->mapping);
        break;
    case RECORD_COMM:
        assert_int_equal(a->comm.exec, b->comm.exec);
        break;
    case RECORD_FORK:
    case RECORD_EXIT:
        assert_int_equal(a->fork.parent_pid, b->fork.parent_pid);
        assert_int_equal(a->fork.parent_tid, b->fork.parent_tid);
        break;
    case RECORD_LOST:
        assert_int_equal(a->count, b->count);
        break;
    default:
        break;
    }
}

void found_is(const struct found *found, const struct written *written, size_t first)
{
    assert_true(first + found->count <= written->expected_count);
    assert_int_equal(found->bad, 0);
    for (size_t i = 0; i < found->count; i++)
        same(&found->records[i], &written->expected[first + i]);
}

void found_all(const struct written *written, const char *path, size_t first, size_t count)
{
    struct found found;
    assert_int_equal(found_read(&found, path), 0);
    assert_int_equal(found.count, count);
    found_is(&found, written, first);
    assert_false(found.killed || found.cut || found.damaged);
    assert_string_equal(found.event, "event-0");
    assert_string_equal(found.host, "elsewhere");
    found_fini(&found);
}

void seen_count(void *context, const struct record *record)
{
    struct seen *seen = context;
    seen->backwards |= record->time_ns < seen->last_ns;
    seen->last_ns = record->time_ns;
    if (record->kind != RECORD_SAMPLE) {
        seen->others++;
        return;
    }
    seen->samples++;
    seen->weight += record->sample.weight;
    seen->of_event[record->sample.event]++;
    seen->with_address += !!(record->sample.has & SAMPLE_HAS_ADDRESS);
    seen->nonzero_address += record->sample.address != 0;
    seen->with_registers += !!(record->sample.has & SAMPLE_HAS_REGS);
    seen->with_latency += !!(record->sample.has & SAMPLE_HAS_LATENCY);
    seen->with_data_src += !!(record->sample.has & SAMPLE_HAS_DATA_SRC);
    seen->kernel += record->sample.mode == SAMPLE_KERNEL;
}

void seen_rest(struct perfdata *perfdata, struct seen *seen)
{
    while (perfdata_read(perfdata, UINT64_MAX, seen_count, seen) >= 0)
        continue;
}

#define WEIGHT_STRUCT (UINT64_C(1) << 24)

/* ax bx cx dx si di bp sp ip flags, r8 to r15: the registers that misstop requests. */
#define REGISTERS UINT64_C(0xff03ff)

void written_init(struct written *written, uint64_t sample_type, unsigned precise)
{
    static const struct perfdata_machine machine = {
        .host = "elsewhere", .architecture = "x86_64", .command = "misstop -p 4711"};
    *written = (struct written){.prng = {sample_type + precise + 1}, .time_ns = 1000000000};
    strcpy(written->folder, "/tmp/misstop-written-XXXXXX");
    assert_non_null(mkdtemp(written->folder));
    snprintf(written->path, sizeof written->path, "%s/perf.data", written->folder);
    written->info.event_count = 2;
    for (unsigned i = 0; i < 2; i++) {
        snprintf(written->info.events[i].name, sizeof written->info.events[i].name, "event-%u", i);
        written->attrs[i] = (struct perf_event_attr){.type = PERF_TYPE_RAW,
                                                     .config = i + 1,
                                                     .size = sizeof(struct perf_event_attr),
                                                     .sample_period = 10007};
    }
    written->attrs[0].sample_type = sample_type;
    written->attrs[0].precise_ip = precise & 3;
    written->attrs[0].sample_regs_user = sample_type & PERF_SAMPLE_REGS_USER ? REGISTERS : 0;
    written->attrs[0].sample_regs_intr = sample_type & PERF_SAMPLE_REGS_INTR ? REGISTERS : 0;
    written->options = (struct perfdata_writer_options){.path = written->path,
                                                        .info = &written->info,
                                                        .attrs = written->attrs,
                                                        .machine = &machine};
    written->expected = calloc(WRITTEN_RECORDS, sizeof *written->expected);
    assert_non_null(written->expected);
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    (void)status, (void)kind, (void)place;
    return remove(path);
}

void written_fini(struct written *written)
{
    nftw(written->folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    free(written->expected);
}

void written_open(struct written *written)
{
    struct error error = {0};
    if (perfdata_writer_open(&written->writer, &written->options, &error))
        fail_msg("%s", error.text);
}

void written_add(struct written *written, const struct record *record,
                 const struct perfdata_written *reported, const struct record *expected)
{
    assert_true(written->expected_count < WRITTEN_RECORDS);
    written->expected[written->expected_count++] = *expected;
    assert_int_equal(perfdata_writer_add(written->writer, record, reported), 0);
}

/* Returns 0 in half of the cases, otherwise a value that is not 0. */
static uint64_t zero_or_random(struct prng *prng)
{
    return prng_below(prng, 2) ? prng_next(prng) | 1 : 0;
}

static struct record head(struct written *written, enum record_kind kind)
{
    written->time_ns += prng_below(&written->prng, 1000);
    return (struct record){.kind = kind,
                           .time_ns = written->time_ns,
                           .pid = WRITTEN_PID,
                           .tid = WRITTEN_PID + (uint32_t)prng_below(&written->prng, 4)};
}

static void fill(struct written *written, struct sample *sample)
{
    struct prng *prng = &written->prng;
    uint64_t type = written->attrs[sample->event].sample_type;
    sample->ip = prng_next(prng);
    sample->weight = prng_next(prng) >> 40;
    sample->cpu =
        type & PERF_SAMPLE_CPU ? (uint32_t)prng_below(prng, 256) : (uint32_t)SAMPLE_NO_CPU;
    sample->mode = prng_below(prng, 8) ? SAMPLE_USER : SAMPLE_KERNEL;
    if (type & (PERF_SAMPLE_WEIGHT | WEIGHT_STRUCT) &&
        (sample->latency = zero_or_random(prng) >> 40))
        sample->has |= SAMPLE_HAS_LATENCY;
    if (type & PERF_SAMPLE_PHYS_ADDR && (sample->physical = zero_or_random(prng)))
        sample->has |= SAMPLE_HAS_PHYSICAL;
    if (type & PERF_SAMPLE_DATA_SRC && zero_or_random(prng)) {
        sample->data_src = PERF_MEM_S(OP, LOAD) | PERF_MEM_S(LVL, HIT) | PERF_MEM_S(LVL, L2);
        sample->has |= SAMPLE_HAS_DATA_SRC | SAMPLE_HAS_ADDRESS;
        sample->address = prng_next(prng) | 1;
    }
    if (type & (PERF_SAMPLE_REGS_USER | PERF_SAMPLE_REGS_INTR) && zero_or_random(prng)) {
        sample->has |= SAMPLE_HAS_REGS;
        for (unsigned i = 0; i < SREG_COUNT; i++)
            sample->regs[i] = prng_next(prng);
    }
}

void written_sample(struct written *written)
{
    struct record record = head(written, RECORD_SAMPLE);
    struct sample *sample = &record.sample;
    struct perfdata_written reported = {0};
    sample->time_ns = record.time_ns;
    sample->pid = record.pid;
    sample->tid = record.tid;
    sample->event = (uint16_t)prng_below(&written->prng, 2);
    fill(written, sample);
    unsigned precise = written->attrs[sample->event].precise_ip;
    if (precise >= 2 || !prng_below(&written->prng, 4))
        sample->has |= SAMPLE_HAS_EXACT_IP;
    if (precise)
        sample->has |= SAMPLE_HAS_SKID_REGS;
    struct record expected = record;
    if (!(sample->has & SAMPLE_HAS_ADDRESS) && zero_or_random(&written->prng)) {
        reported.address = expected.sample.address = prng_next(&written->prng) | 1;
        reported.data_src = PERF_MEM_S(OP, STORE);
        expected.sample.has |= SAMPLE_HAS_ADDRESS;
    }
    if (!sample->data_src) {
        uint64_t op = reported.address ? PERF_MEM_S(OP, STORE) : PERF_MEM_S(OP, NA);
        expected.sample.data_src = op | PERF_MEM_S(LVL, NA) | PERF_MEM_S(SNOOP, NA) |
                                   PERF_MEM_S(LOCK, NA) | PERF_MEM_S(TLB, NA) | UINT64_C(1) << 40;
    }
    bool has_source = written->attrs[sample->event].sample_type & PERF_SAMPLE_DATA_SRC;
    if (expected.sample.has & SAMPLE_HAS_ADDRESS && !has_source && !precise)
        expected.sample.has |= SAMPLE_HAS_WRITER_ADDRESS;
    /* If the event has no data source of its own, the one written for perf does not count. */
    if (has_source)
        expected.sample.has |= SAMPLE_HAS_DATA_SRC;
    written_add(written, &record, &reported, &expected);
}

/* Writes a record of another kind. */
static void written_other(struct written *written)
{
    static const char *const names[] = {"worker", "main", "\033[1mhostile", ""};
    static const char *const paths[] = {"//anon", "[heap]", "/usr/lib/libc.so.6", "/a\nb"};
    static const enum record_kind kinds[] = {RECORD_MAPPING,   RECORD_COMM, RECORD_FORK,
                                             RECORD_EXIT,      RECORD_LOST, RECORD_THROTTLE,
                                             RECORD_UNTHROTTLE};
    struct prng *prng = &written->prng;
    struct record record = head(written, kinds[prng_below(prng, 7)]);
    if (record.kind == RECORD_MAPPING)
        record.mapping = (struct sample_mapping){.start = prng_next(prng) >> 20 << 12,
                                                 .length = 4096,
                                                 .file_offset = prng_below(prng, 99) * 4096,
                                                 .inode = prng_next(prng),
                                                 .device_major = 8,
                                                 .device_minor = 1,
                                                 .protection = PROT_READ,
                                                 .flags = MAP_PRIVATE,
                                                 .executable = prng_below(prng, 2),
                                                 .path = paths[prng_below(prng, 4)]};
    else if (record.kind == RECORD_COMM)
        record.comm.name = names[prng_below(prng, 4)], record.comm.exec = prng_below(prng, 2);
    else if (record.kind == RECORD_LOST)
        record.count = prng_next(prng);
    else if (record.kind == RECORD_FORK || record.kind == RECORD_EXIT)
        record.fork.parent_pid = record.fork.parent_tid = WRITTEN_PID;
    written_add(written, &record, NULL, &record);
}

void written_records(struct written *written, unsigned count)
{
    while (count--)
        prng_below(&written->prng, 8) ? written_sample(written) : written_other(written);
    written_sample(written);
}

void written_close(struct written *written)
{
    struct error error = {0};
    if (perfdata_writer_close(written->writer, &error))
        fail_msg("%s", error.text);
}

size_t written_size(const char *path)
{
    struct stat status;
    return stat(path, &status) ? 0 : (size_t)status.st_size;
}
