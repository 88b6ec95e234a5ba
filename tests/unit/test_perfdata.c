/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include "sample/perfdata.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* A recording put together in memory; read through /proc/self/fd. */
struct recording {
    unsigned char bytes[8192];
    size_t size;
    size_t data_at; /* offset of the first record */
};

enum { ID = 77, ID_OTHER = 78 };

static void put(struct recording *file, const void *bytes, size_t size)
{
    assert_true(file->size + size <= sizeof file->bytes);
    memcpy(file->bytes + file->size, bytes, size);
    file->size += size;
}

static void word(struct recording *file, uint64_t value)
{
    put(file, &value, sizeof value);
}

/* Two events with one id each; attributes of `attr_bytes`, as older and newer perf write. */
static void begin(struct recording *file, size_t attr_bytes)
{
    unsigned char wide[256] = {0};
    struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
                                   .size = (uint32_t)attr_bytes,
                                   .sample_id_all = 1,
                                   .sample_period = 1000,
                                   .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP |
                                                  PERF_SAMPLE_TID | PERF_SAMPLE_TIME};
    uint64_t step = attr_bytes + 16;
    uint64_t ids = 104 + 2 * step;
    memset(file, 0, sizeof *file);
    put(file, "PERFILE2", 8);
    word(file, 104);
    word(file, step);
    word(file, 104);
    word(file, 2 * step);
    word(file, ids + 16);
    word(file, 0); /* size of the data: set by finish() */
    for (int i = 0; i < 6; i++)
        word(file, 0);
    for (uint64_t event = 0; event < 2; event++) {
        attr.config = event;
        memcpy(wide, &attr, attr_bytes < sizeof attr ? attr_bytes : sizeof attr);
        put(file, wide, attr_bytes);
        word(file, ids + event * 8);
        word(file, 8);
    }
    word(file, ID);
    word(file, ID_OTHER);
    file->data_at = file->size;
}

static void header(struct recording *file, uint32_t type, uint16_t misc, uint16_t size)
{
    struct perf_event_header record = {type, misc, size};
    put(file, &record, sizeof record);
}

static void sample(struct recording *file, uint64_t id, uint32_t pid, uint64_t time_ns)
{
    header(file, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, 40);
    word(file, id);
    word(file, 0x401000);
    word(file, (uint64_t)pid << 32 | pid);
    word(file, time_ns);
}

static void finish(struct recording *file)
{
    uint64_t size = file->size - file->data_at;
    memcpy(file->bytes + 48, &size, 8);
}

static int open_bytes(struct perfdata **out, const void *bytes, size_t size, pid_t pid,
                      struct error *error)
{
    char path[64];
    int fd = memfd_create("recording", MFD_CLOEXEC);
    assert_int_equal(write(fd, bytes, size), size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    memset(error, 0x5a, sizeof *error); /* what stood there before must not matter */
    int code = perfdata_open(out, path, pid, error);
    close(fd);
    return code;
}

struct seen {
    size_t samples;
    size_t others;
    size_t of_event[SAMPLE_EVENTS_MAX];
    size_t with_address;
    size_t nonzero_address;
    size_t with_registers;
    size_t with_latency;
    size_t with_data_src;
    size_t kernel;
    uint64_t last_ns;
    uint64_t weight;
    bool backwards;
};

static void count(void *context, const struct record *record)
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

static struct seen read_bytes(const struct recording *file, pid_t pid)
{
    struct perfdata *perfdata;
    struct seen seen = {0};
    struct error error;
    assert_int_equal(open_bytes(&perfdata, file->bytes, file->size, pid, &error), 0);
    while (perfdata_read(perfdata, UINT64_MAX, count, &seen) >= 0)
        continue;
    perfdata_close(perfdata);
    return seen;
}

static void events_are_told_apart_and_weighed(void **state)
{
    struct recording file;
    (void)state;
    begin(&file, sizeof(struct perf_event_attr));
    sample(&file, ID, 5, 10);
    sample(&file, ID_OTHER, 5, 20);
    sample(&file, ID_OTHER, 5, 30);
    finish(&file);
    struct seen seen = read_bytes(&file, 0);
    assert_int_equal(seen.samples, 3);
    assert_int_equal(seen.of_event[0], 1);
    assert_int_equal(seen.of_event[1], 2);
    assert_int_equal(seen.weight, 3000);
}

static void attributes_of_any_size(void **state)
{
    static const size_t sizes[] = {64, 72, 80, 96, 104, 112, 120, 128, 136, 144, 200};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct recording file;
        begin(&file, sizes[i]);
        sample(&file, ID, 5, 10);
        sample(&file, ID_OTHER, 5, 10);
        finish(&file);
        assert_int_equal(read_bytes(&file, 0).of_event[1], 1);
    }
}

/* mem-loads-aux and dummies come before what is sampled; event 0 is to rank. */
static void events_without_samples_come_last(void **state)
{
    struct recording file;
    (void)state;
    begin(&file, sizeof(struct perf_event_attr));
    sample(&file, ID_OTHER, 5, 10);
    finish(&file);
    struct seen seen = read_bytes(&file, 0);
    assert_int_equal(seen.of_event[0], 1);
    assert_int_equal(seen.of_event[1], 0);
}

static void samples_come_in_time_order(void **state)
{
    struct recording file;
    (void)state;
    begin(&file, sizeof(struct perf_event_attr));
    sample(&file, ID, 5, 30);
    sample(&file, ID, 5, 10);
    header(&file, 68, 0, 8); /* FINISHED_ROUND */
    sample(&file, ID, 5, 20);
    finish(&file);
    struct seen seen = read_bytes(&file, 0);
    assert_int_equal(seen.samples, 3);
    assert_false(seen.backwards);
    assert_int_equal(seen.last_ns, 30);
}

static void other_processes_are_left_out(void **state)
{
    struct recording file;
    (void)state;
    begin(&file, sizeof(struct perf_event_attr));
    sample(&file, ID, 5, 10);
    sample(&file, ID, 6, 20);
    sample(&file, ID, 6, 30);
    finish(&file);
    assert_int_equal(read_bytes(&file, 0).samples, 2); /* of the busiest */
    assert_int_equal(read_bytes(&file, 5).samples, 1);
}

/* Time 0 is the first sample of the process shown; what came before is there at once. */
static void it_is_played_again_for_another_process(void **state)
{
    struct recording file;
    struct perfdata *perfdata;
    struct seen first = {0};
    struct seen again = {0};
    struct seen other = {0};
    struct error error;
    (void)state;
    begin(&file, sizeof(struct perf_event_attr));
    for (uint64_t i = 0; i < 5; i++)
        sample(&file, ID, 6, 1000 + i * 100);
    for (uint64_t i = 0; i < 4; i++)
        sample(&file, ID, 5, 5000 + i * 100);
    finish(&file);
    assert_int_equal(open_bytes(&perfdata, file.bytes, file.size, 0, &error), 0);
    assert_int_equal(perfdata_span(perfdata).start_ns, 1000);
    assert_int_equal(perfdata_span(perfdata).length_ns, 400);
    while (perfdata_read(perfdata, UINT64_MAX, count, &first) >= 0)
        continue;
    assert_int_equal(perfdata_restart(perfdata, 0, &error), 0);
    assert_int_equal(perfdata_read(perfdata, 100, count, &again), 2);
    assert_int_equal(perfdata_restart(perfdata, 0, &error), 0); /* from the midst of it */
    again = (struct seen){0};
    while (perfdata_read(perfdata, UINT64_MAX, count, &again) >= 0)
        continue;
    assert_memory_equal(&again, &first, sizeof first);
    assert_int_equal(perfdata_restart(perfdata, 5, &error), 0);
    assert_int_equal(perfdata_span(perfdata).start_ns, 5000);
    assert_int_equal(perfdata_read(perfdata, 0, count, &other), 1);
    while (perfdata_read(perfdata, UINT64_MAX, count, &other) >= 0)
        continue;
    assert_int_equal(other.samples, 4);
    assert_false(other.backwards);
    assert_int_equal(perfdata_restart(perfdata, 77, &error), -ESRCH);
    assert_non_null(strstr(error.text, "6 (?), 5 (?)"));
    perfdata_close(perfdata);
}

static void reading_stops_at_the_time_asked_for(void **state)
{
    struct recording file;
    struct perfdata *perfdata;
    struct seen seen = {0};
    struct error error;
    (void)state;
    begin(&file, sizeof(struct perf_event_attr));
    for (uint64_t i = 0; i < 10; i++)
        sample(&file, ID, 5, 1000 + i * 100);
    finish(&file);
    assert_int_equal(open_bytes(&perfdata, file.bytes, file.size, 0, &error), 0);
    assert_int_equal(perfdata_read(perfdata, 250, count, &seen), 3);
    assert_int_equal(perfdata_read(perfdata, 250, count, &seen), 0);
    assert_int_equal(perfdata_read(perfdata, 500, count, &seen), 3);
    assert_int_equal(perfdata_read(perfdata, UINT64_MAX, count, &seen), 4);
    assert_int_equal(perfdata_read(perfdata, UINT64_MAX, count, &seen), -ENODATA);
    perfdata_close(perfdata);
}

/* data.size 0: the recorder was killed; the records go on to the end of the file. */
static void a_killed_recorder_left_its_records(void **state)
{
    struct recording file;
    (void)state;
    begin(&file, sizeof(struct perf_event_attr));
    sample(&file, ID, 5, 10);
    sample(&file, ID, 5, 20);
    assert_int_equal(read_bytes(&file, 0).samples, 2);
    file.size -= 4; /* and the last one cut */
    assert_int_equal(read_bytes(&file, 0).samples, 1);
}

static void a_cut_recording_says_so(void **state)
{
    struct recording file;
    struct perfdata *perfdata;
    struct sampler_info info = {0};
    struct error error;
    (void)state;
    begin(&file, sizeof(struct perf_event_attr));
    sample(&file, ID, 5, 10);
    sample(&file, ID, 5, 20);
    finish(&file);
    assert_int_equal(open_bytes(&perfdata, file.bytes, file.size - 40, 0, &error), 0);
    perfdata_describe(perfdata, &info);
    assert_non_null(strstr(info.note, "cut short"));
    perfdata_close(perfdata);
}

static void expect_refusal_of(const void *bytes, size_t size, pid_t pid, int code,
                              const char *word_in_text)
{
    struct perfdata *perfdata;
    struct error error;
    assert_int_equal(open_bytes(&perfdata, bytes, size, pid, &error), code);
    assert_int_equal(error.code, code);
    if (!strstr(error.text, word_in_text))
        fail_msg("'%s' lacks '%s'", error.text, word_in_text);
    assert_null(strchr(error.text, '\n'));
}

static void expect_refusal(const void *bytes, size_t size, int code, const char *word_in_text)
{
    expect_refusal_of(bytes, size, 0, code, word_in_text);
}

static void what_cannot_be_read_is_named(void **state)
{
    static const char text[] =
        "#!/bin/sh\n# A script that is longer than the header of a recording is, "
        "so that its length alone does not give it away.\n";
    struct recording file;
    struct error error = {0};
    struct perfdata *perfdata;
    uint64_t pipe_header = 16;
    (void)state;
    expect_refusal(text, sizeof text, -EBADMSG, "not a perf.data file");
    expect_refusal(text, 20, -EBADMSG, "not a perf.data file");
    expect_refusal("", 0, -EBADMSG, "empty");
    expect_refusal("PERFILE2", 8, -EBADMSG, "too short");
    begin(&file, sizeof(struct perf_event_attr));
    finish(&file);
    expect_refusal(file.bytes, file.size, -ENODATA, "no samples");
    expect_refusal(file.bytes, 110, -EBADMSG, "damaged");
    memcpy(file.bytes + 8, &pipe_header, 8);
    expect_refusal(file.bytes, 16, -EBADMSG, "no events");
    memcpy(file.bytes, "PERFFILE", 8);
    expect_refusal(file.bytes, file.size, -ENOTSUP, "before 2010");
    begin(&file, sizeof(struct perf_event_attr));
    sample(&file, ID, 5, 10);
    finish(&file);
    expect_refusal_of(file.bytes, file.size, 6, -ESRCH, "nothing of process 6, but of 5 (?)");
    assert_int_equal(perfdata_open(&perfdata, "/nonexistent", 0, &error), -ENOENT);
    assert_int_equal(perfdata_open(&perfdata, "/", 0, &error), -ENOTSUP);
    assert_int_equal(perfdata_open(&perfdata, "/dev/null", 0, &error), -ENOTSUP);
}

static void records_of_size_zero_end_the_reading(void **state)
{
    struct recording file;
    (void)state;
    begin(&file, sizeof(struct perf_event_attr));
    sample(&file, ID, 5, 10);
    header(&file, PERF_RECORD_SAMPLE, 0, 0);
    sample(&file, ID, 5, 20);
    finish(&file);
    assert_int_equal(read_bytes(&file, 0).samples, 1);
}

static void events_have_names(void **state)
{
    struct recording file;
    struct perfdata *perfdata;
    struct sampler_info info = {0};
    struct error error;
    (void)state;
    begin(&file, sizeof(struct perf_event_attr));
    sample(&file, ID, 5, 10);
    finish(&file);
    assert_int_equal(open_bytes(&perfdata, file.bytes, file.size, 0, &error), 0);
    perfdata_describe(perfdata, &info);
    assert_string_equal(info.source, "replay");
    assert_int_equal(info.event_count, 2);
    assert_string_equal(info.events[0].name, "cpu-clock");
    assert_string_equal(info.events[1].name, "task-clock");
    assert_int_equal(info.events[0].period, 1000);
    assert_false(info.live);
    perfdata_close(perfdata);
}

/* Recordings of other projects, read where they are and never copied (their README). */
static const char *shared(char path[512], const char *name)
{
    const char *folder = getenv("SHARED_DATA");
    snprintf(path, 512, "%s/%s", folder ? folder : "/work/shared/data", name);
    if (access(path, R_OK)) {
        print_message("skipped: %s is not here\n", path);
        skip();
    }
    return path;
}

static void pebs_of_a_laptop(void **state)
{
    char path[512];
    struct perfdata *perfdata;
    struct seen seen = {0};
    struct sampler_info info = {0};
    struct error error = {0};
    (void)state;
    shared(path, "pebs-i9-9980HK-loads-stores.perf.data");
    assert_int_equal(perfdata_open(&perfdata, path, 0, &error), 0);
    perfdata_describe(perfdata, &info);
    while (perfdata_read(perfdata, UINT64_MAX, count, &seen) >= 0)
        continue;
    perfdata_close(perfdata);
    assert_int_equal(seen.samples, 698);
    assert_int_equal(seen.of_event[0], 204);
    assert_int_equal(seen.of_event[1], 494);
    assert_int_equal(seen.with_address, 698);
    assert_int_equal(seen.with_data_src, 698);
    assert_false(seen.backwards);
    assert_true(info.exact_address && info.latency && info.data_source);
    assert_int_equal(info.records_bad, 0);
    assert_string_equal(info.events[0].name, "cpu/mem-loads,ldlat=30/P");
}

static void pebs_of_a_server(void **state)
{
    char path[512];
    struct perfdata *perfdata;
    struct seen seen = {0};
    struct sampler_info info = {0};
    struct error error = {0};
    (void)state;
    shared(path, "pebs-xeon-8173M-weight-struct.perf.data");
    assert_int_equal(perfdata_open(&perfdata, path, 0, &error), 0);
    perfdata_describe(perfdata, &info);
    while (perfdata_read(perfdata, UINT64_MAX, count, &seen) >= 0)
        continue;
    perfdata_close(perfdata);
    /* System-wide: 14 samples of several processes; those of the busiest are shown. */
    assert_in_range(seen.samples, 1, 14);
    assert_int_equal(seen.with_latency, seen.samples);
    assert_false(seen.backwards);
    assert_true(info.latency);
}

static void pipe_with_compressed_records(void **state)
{
    char path[512];
    struct perfdata *perfdata;
    struct seen seen = {0};
    struct sampler_info info = {0};
    struct error error = {0};
    (void)state;
    shared(path, "cycles-i7-10700K-zstd-pipe.perf.data");
    assert_int_equal(perfdata_open(&perfdata, path, PERFDATA_EVERY_PROCESS, &error), 0);
    perfdata_describe(perfdata, &info);
    while (perfdata_read(perfdata, UINT64_MAX, count, &seen) >= 0)
        continue;
    perfdata_close(perfdata);
    assert_int_equal(seen.samples, 547);
    assert_int_equal(seen.nonzero_address, 257);
    assert_int_equal(seen.with_registers, 547);
    assert_int_equal(info.records_bad, 0);
    assert_false(seen.backwards);
    assert_string_equal(info.events[0].name, "cycles:P");
}

/* A record of size 0 among the mappings: no sample stands before it. */
static void damaged_pipe(void **state)
{
    char path[512];
    struct perfdata *perfdata;
    struct seen seen = {0};
    struct error error = {0};
    (void)state;
    shared(path, "piped-corrupt-zero-size.perf.data");
    assert_int_equal(perfdata_open(&perfdata, path, 0, &error), -ENODATA);
    assert_non_null(strstr(error.text, "damaged"));
    assert_int_equal(perfdata_open(&perfdata, path, PERFDATA_EVERY_PROCESS, &error), 0);
    while (perfdata_read(perfdata, UINT64_MAX, count, &seen) >= 0)
        continue;
    assert_true(perfdata_counts(perfdata).damaged);
    assert_int_equal(seen.others, 568);
    perfdata_close(perfdata);
}

static void trace_payload_is_stepped_over(void **state)
{
    char path[512];
    struct perfdata *perfdata;
    struct seen seen = {0};
    struct sampler_info info = {0};
    struct error error = {0};
    (void)state;
    shared(path, "auxtrace-intel-pt.perf.data");
    assert_int_equal(perfdata_open(&perfdata, path, 0, &error), 0);
    perfdata_describe(perfdata, &info);
    while (perfdata_read(perfdata, UINT64_MAX, count, &seen) >= 0)
        continue;
    perfdata_close(perfdata);
    assert_int_equal(seen.samples, 15);
    assert_int_equal(info.records_bad, 0);
    assert_non_null(strstr(info.note, "149968 bytes of trace data"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_are_told_apart_and_weighed),
        cmocka_unit_test(attributes_of_any_size),
        cmocka_unit_test(events_without_samples_come_last),
        cmocka_unit_test(samples_come_in_time_order),
        cmocka_unit_test(other_processes_are_left_out),
        cmocka_unit_test(it_is_played_again_for_another_process),
        cmocka_unit_test(reading_stops_at_the_time_asked_for),
        cmocka_unit_test(a_killed_recorder_left_its_records),
        cmocka_unit_test(a_cut_recording_says_so),
        cmocka_unit_test(what_cannot_be_read_is_named),
        cmocka_unit_test(records_of_size_zero_end_the_reading),
        cmocka_unit_test(events_have_names),
        cmocka_unit_test(pebs_of_a_laptop),
        cmocka_unit_test(pebs_of_a_server),
        cmocka_unit_test(pipe_with_compressed_records),
        cmocka_unit_test(damaged_pipe),
        cmocka_unit_test(trace_payload_is_stepped_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
