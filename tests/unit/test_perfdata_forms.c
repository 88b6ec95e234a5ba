/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The same records in all the forms that a recording can have. */
#include "unit.h"

#include "recording.h"
#include "sample/perfdata/perfdata.h"
#include "sample/perfdata/header.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct recording_event event = {
    .type = PERF_TYPE_SOFTWARE,
    .period = 1000,
    .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
    .flags = RECORDING_ID_ALL,
    .id = 77,
};

static void ids(struct recording *recording, uint32_t pid)
{
    recording_u32(recording, pid);
    recording_u32(recording, pid);
}

static void trailer(struct recording *recording, uint32_t pid, uint64_t time_ns)
{
    ids(recording, pid);
    recording_u64(recording, time_ns);
    recording_u64(recording, event.id);
    recording_end(recording);
}

static void sample(struct recording *recording, uint32_t pid, uint64_t time_ns)
{
    recording_begin(recording, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
    recording_u64(recording, event.id);
    recording_u64(recording, 0x401000 + time_ns);
    ids(recording, pid);
    recording_u64(recording, time_ns);
    recording_end(recording);
}

static void mapping(struct recording *recording, uint32_t pid, uint64_t time_ns, const char *path)
{
    recording_begin(recording, PERF_RECORD_MMAP, PERF_RECORD_MISC_USER);
    ids(recording, pid);
    for (uint64_t i = 1; i <= 3; i++)
        recording_u64(recording, i << 12);
    recording_string(recording, path);
    trailer(recording, pid, time_ns);
}

static void fork_of(struct recording *recording, uint32_t child, uint32_t parent, uint64_t time_ns)
{
    recording_begin(recording, PERF_RECORD_FORK, 0);
    recording_u32(recording, child);
    recording_u32(recording, parent);
    recording_u32(recording, child);
    recording_u32(recording, parent);
    recording_u64(recording, time_ns);
    trailer(recording, parent, time_ns);
}

static void round_end(struct recording *recording)
{
    recording_begin(recording, 68, 0);
    recording_end(recording);
}

static void put_records(struct recording *recording)
{
    mapping(recording, 5, 0, "/bin/first"); /* before there was a clock */
    sample(recording, 5, 30);
    sample(recording, 6, 20);
    mapping(recording, 5, 10, "/lib/before");
    round_end(recording);
    fork_of(recording, 6, 5, 15);
    mapping(recording, 5, 40, "/lib/after");
    sample(recording, 6, 50);
    round_end(recording);
    sample(recording, 6, 45);
    recording_begin(recording, PERF_RECORD_LOST, 0);
    recording_u64(recording, event.id);
    recording_u64(recording, 9);
    trailer(recording, 7, 60);
}

/* One letter for each record, with its time behind it. */
static void note(void *context, const struct record *record)
{
    static const char letters[] = {
        [RECORD_SAMPLE] = 'S',   [RECORD_MAPPING] = 'M',   [RECORD_COMM] = 'C',
        [RECORD_FORK] = 'F',     [RECORD_EXIT] = 'E',      [RECORD_LOST] = 'L',
        [RECORD_THROTTLE] = 'T', [RECORD_UNTHROTTLE] = 'U'};
    char *text = context;
    size_t used = strlen(text);
    snprintf(text + used, 512 - used, "%c%d", letters[record->kind], (int)record->time_ns);
    if (record->kind == RECORD_MAPPING)
        snprintf(text + strlen(text), 512 - strlen(text), "%s", record->mapping.path);
    snprintf(text + strlen(text), 512 - strlen(text), "/%d ", (int)record->pid);
}

static void read_path(const char *path, pid_t pid, char text[512])
{
    struct perfdata *file;
    struct error error;
    text[0] = '\0';
    if (perfdata_open(&file, path, pid, &error))
        fail_msg("%s", error.text);
    while (perfdata_read(file, UINT64_MAX, note, text) >= 0)
        continue;
    assert_int_equal(perfdata_counts(file).late, 0);
    assert_int_equal(perfdata_counts(file).bad, 0);
    perfdata_close(file);
}

static void read_recording(const struct recording *recording, pid_t pid, char text[512])
{
    char path[64];
    int fd;
    read_path(recording_path(recording->bytes, recording->size, &fd, path), pid, text);
    close(fd);
}

static void make(struct recording *recording, bool piped, bool swap)
{
    if (piped) {
        recording_pipe(recording, swap);
        recording_pipe_event(recording, &event);
    } else {
        recording_file(recording, swap, &event, 1, 112);
    }
    put_records(recording);
    if (!piped)
        recording_finish(recording);
}

/* What has no time comes first of what waits; the rest in order; 6 has its parent's mappings. */
static const char everyone[] = "M10/bin/first/5 M10/lib/before/5 F15/6 S20/6 S30/5 M40/lib/after/5 "
                               "S45/6 S50/6 L60/7 ";
static const char busiest[] = "M10/lib/before/6 F15/6 S20/6 S45/6 S50/6 L60/7 ";

static void files_and_pipes_of_either_byte_order(void **state)
{
    static struct recording recording;
    char text[512];
    (void)state;
    for (int form = 0; form < 4; form++) {
        make(&recording, form & 1, form & 2);
        read_recording(&recording, PERFDATA_EVERY_PROCESS, text);
        assert_string_equal(text, everyone);
        read_recording(&recording, 0, text);
        assert_non_null(strstr(text, busiest));
    }
}

static void *feed(void *context)
{
    int *end = context;
    static struct recording recording;
    make(&recording, true, false);
    for (size_t at = 0; at < recording.size; at++) /* as slowly as can be */
        if (write(*end, recording.bytes + at, 1) != 1)
            break;
    close(*end);
    return NULL;
}

/* With the process named a pipe is played as it comes; else it is spooled to be counted. */
static void pipes_that_trickle(void **state)
{
    (void)state;
    for (int named = 0; named < 2; named++) {
        int ends[2];
        pthread_t feeder;
        char text[512];
        char path[64];
        assert_int_equal(pipe(ends), 0);
        assert_int_equal(pthread_create(&feeder, NULL, feed, &ends[1]), 0);
        snprintf(path, sizeof path, "/proc/self/fd/%d", ends[0]);
        read_path(path, named ? 6 : 0, text);
        assert_non_null(strstr(text, "F15/6 S20/6 S45/6 S50/6 L60/7 "));
        pthread_join(feeder, NULL);
        close(ends[0]);
    }
}

static void records_of_no_event_are_counted(void **state)
{
    static struct recording recording;
    static const struct recording_event other = {.sample_type = PERF_SAMPLE_IDENTIFIER, .id = 78};
    struct perfdata *file;
    struct sampler_info info = {0};
    struct error error;
    char text[512] = "";
    char path[64];
    int fd;
    (void)state;
    recording_pipe(&recording, false);
    recording_pipe_event(&recording, &event);
    recording_pipe_event(&recording, &other);
    sample(&recording, 5, 2);
    sample(&recording, 5, 3);
    recording.bytes[recording.size - 32] = 99; /* its id */
    recording_path(recording.bytes, recording.size, &fd, path);
    assert_int_equal(perfdata_open(&file, path, 0, &error), 0);
    while (perfdata_read(file, UINT64_MAX, note, text) >= 0)
        continue;
    assert_string_equal(text, "S2/5 ");
    perfdata_describe(file, &info);
    assert_int_equal(perfdata_counts(file).unknown, 1);
    assert_non_null(strstr(info.note, "1 records of events that it does not describe"));
    perfdata_close(file);
    close(fd);
}

/* The table of features has a section for each bit that is set, in their order. */
static void features_are_found_by_their_bit(void **state)
{
    static struct recording recording;
    struct perfdata_header header = {.features = {1 << 3 | 1 << 6, UINT64_C(1) << 63}};
    struct perfdata_section section;
    struct input input;
    struct error error;
    char path[64];
    int fd;
    (void)state;
    for (uint64_t i = 0; i < 6; i++)
        recording_u64(&recording, i);
    recording_path(recording.bytes, recording.size, &fd, path);
    assert_int_equal(input_open(&input, path, &error), 0);
    assert_true(perfdata_header_feature(&header, &input, 3, &section));
    assert_int_equal(section.size, 1);
    assert_true(perfdata_header_feature(&header, &input, 6, &section));
    assert_int_equal(section.offset, 2);
    assert_true(perfdata_header_feature(&header, &input, 127, &section));
    assert_int_equal(section.offset, 4);
    assert_false(perfdata_header_feature(&header, &input, 7, &section));
    assert_false(perfdata_header_feature(&header, &input, 256, &section));
    header.killed = true;
    assert_false(perfdata_header_feature(&header, &input, 3, &section));
    input_close(&input);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_and_pipes_of_either_byte_order),
        cmocka_unit_test(pipes_that_trickle),
        cmocka_unit_test(records_of_no_event_are_counted),
        cmocka_unit_test(features_are_found_by_their_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
