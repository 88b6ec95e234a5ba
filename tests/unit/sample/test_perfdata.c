/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "sample/perfdata/attributes.h"
#include "sample/perfdata/header.h"
#include "sample/perfdata/perfdata.h"
#include "unit.h"
#include "unit/sample/perfdata_fixture.h"
#include "unit/sample/recording.h"

enum { ID = 77, ID_OTHER = 78 };

/* Two events with one id each; attributes of `attr_bytes`, as by older and newer perf. */
static void begin(struct recording *file, size_t attr_bytes)
{
    struct recording_event events[2] = {{.id = ID}, {.config = 1, .id = ID_OTHER}};
    for (int i = 0; i < 2; i++) {
        events[i].type = PERF_TYPE_SOFTWARE;
        events[i].period = 1000;
        events[i].flags = RECORDING_ID_ALL;
        events[i].sample_type =
            PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
    }
    recording_file(file, false, events, 2, attr_bytes);
}

static void sample(struct recording *file, uint64_t id, uint32_t pid, uint64_t time_ns)
{
    recording_begin(file, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
    recording_u64(file, id);
    recording_u64(file, 0x401000);
    recording_u64(file, (uint64_t)pid << 32 | pid);
    recording_u64(file, time_ns);
    recording_end(file);
}

static int open_bytes(struct perfdata **out, const void *bytes, size_t size, pid_t pid,
                      struct error *error)
{
    char path[64];
    int fd;
    memset(error, 0x5a, sizeof *error); /* earlier contents must not matter */
    int code = perfdata_open(out, recording_path(bytes, size, &fd, path), pid, NULL, NULL, error);
    close(fd);
    return code;
}

static struct seen read_bytes(const struct recording *file, pid_t pid)
{
    struct perfdata *perfdata;
    struct seen seen = {0};
    struct error error;
    assert_int_equal(open_bytes(&perfdata, file->bytes, file->size, pid, &error), 0);
    seen_rest(perfdata, &seen);
    perfdata_close(perfdata);
    return seen;
}

static void events_are_distinguished_and_weighed(void **state)
{
    struct recording file;
    (void)state;
    begin(&file, sizeof(struct perf_event_attr));
    sample(&file, ID, 5, 10);
    sample(&file, ID_OTHER, 5, 20);
    sample(&file, ID_OTHER, 5, 30);
    recording_finish(&file);
    struct seen seen = read_bytes(&file, 0);
    assert_int_equal(seen.samples, 3);
    assert_int_equal(seen.of_event[0], 1);
    assert_int_equal(seen.of_event[1], 2);
    assert_int_equal(seen.weight, 3000);
}

static void attributes_of_any_size_are_read(void **state)
{
    static const size_t sizes[] = {64, 72, 80, 96, 104, 112, 120, 128, 136, 144, 200};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct recording file;
        begin(&file, sizes[i]);
        sample(&file, ID, 5, 10);
        sample(&file, ID_OTHER, 5, 10);
        recording_finish(&file);
        assert_int_equal(read_bytes(&file, 0).of_event[1], 1);
    }
}

/* mem-loads-aux and dummies come before the sampled events; event 0 must rank. */
static void events_without_samples_are_listed_last(void **state)
{
    struct recording file;
    (void)state;
    begin(&file, sizeof(struct perf_event_attr));
    sample(&file, ID_OTHER, 5, 10);
    recording_finish(&file);
    struct seen seen = read_bytes(&file, 0);
    assert_int_equal(seen.of_event[0], 1);
    assert_int_equal(seen.of_event[1], 0);
}

static void samples_are_delivered_in_time_order(void **state)
{
    struct recording file;
    (void)state;
    begin(&file, sizeof(struct perf_event_attr));
    sample(&file, ID, 5, 30);
    sample(&file, ID, 5, 10);
    recording_begin(&file, 68, 0); /* FINISHED_ROUND */
    recording_end(&file);
    sample(&file, ID, 5, 20);
    recording_finish(&file);
    struct seen seen = read_bytes(&file, 0);
    assert_int_equal(seen.samples, 3);
    assert_false(seen.backwards);
    assert_int_equal(seen.last_ns, 30);
}

static void other_processes_are_excluded(void **state)
{
    struct recording file;
    (void)state;
    begin(&file, sizeof(struct perf_event_attr));
    sample(&file, ID, 5, 10);
    sample(&file, ID, 6, 20);
    sample(&file, ID, 6, 30);
    recording_finish(&file);
    assert_int_equal(read_bytes(&file, 0).samples, 2); /* of the process with most samples */
    assert_int_equal(read_bytes(&file, 5).samples, 1);
}

/* Time 0 is the first sample of the process shown; everything before it is present at once. */
static void recording_is_replayed_for_another_process(void **state)
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
    recording_finish(&file);
    assert_int_equal(open_bytes(&perfdata, file.bytes, file.size, 0, &error), 0);
    assert_int_equal(perfdata_span(perfdata).start_ns, 1000);
    assert_int_equal(perfdata_span(perfdata).length_ns, 400);
    seen_rest(perfdata, &first);
    assert_int_equal(perfdata_restart(perfdata, 0, &error), 0);
    assert_int_equal(perfdata_read(perfdata, 100, seen_count, &again), 2);
    assert_int_equal(perfdata_restart(perfdata, 0, &error), 0); /* in the middle */
    again = (struct seen){0};
    seen_rest(perfdata, &again);
    assert_memory_equal(&again, &first, sizeof first);
    assert_int_equal(perfdata_restart(perfdata, 5, &error), 0);
    assert_int_equal(perfdata_span(perfdata).start_ns, 5000);
    assert_int_equal(perfdata_read(perfdata, 0, seen_count, &other), 1);
    seen_rest(perfdata, &other);
    assert_int_equal(other.samples, 4);
    assert_false(other.backwards);
    assert_int_equal(perfdata_restart(perfdata, 77, &error), -ESRCH);
    assert_non_null(strstr(error.text, "6 (?), 5 (?)"));
    perfdata_close(perfdata);
}

static void put_name(struct recording *file, uint32_t pid, uint64_t time_ns, const char *name)
{
    recording_begin(file, PERF_RECORD_COMM, 0);
    recording_u64(file, (uint64_t)pid << 32 | pid);
    recording_string(file, name);
    recording_u64(file, (uint64_t)pid << 32 | pid);
    recording_u64(file, time_ns);
    recording_u64(file, ID);
    recording_end(file);
}

static void put_fork(struct recording *file, uint32_t child, uint32_t parent, uint64_t time_ns)
{
    recording_begin(file, PERF_RECORD_FORK, 0);
    recording_u64(file, (uint64_t)parent << 32 | child);
    recording_u64(file, (uint64_t)parent << 32 | child);
    recording_u64(file, time_ns);
    recording_u64(file, (uint64_t)child << 32 | child);
    recording_u64(file, time_ns);
    recording_u64(file, ID);
    recording_end(file);
}

static void note_name(void *context, const struct record *record)
{
    char *name = context;
    if (record->kind == RECORD_COMM && record->pid == 6)
        snprintf(name, 32, "%s", record->comm.name);
}

/* Forked, without an exec: it has the name that its parent had then. */
static void forked_process_has_its_parents_name(void **state)
{
    struct recording file;
    struct perfdata *perfdata;
    struct error error;
    char name[32] = "";
    size_t count;
    (void)state;
    begin(&file, sizeof(struct perf_event_attr));
    put_name(&file, 5, 1, "parent");
    put_fork(&file, 6, 5, 10);
    put_name(&file, 5, 15, "later");
    sample(&file, ID, 6, 20);
    sample(&file, ID, 0, 30);
    sample(&file, ID, 0, 40);
    recording_finish(&file);
    assert_int_equal(open_bytes(&perfdata, file.bytes, file.size, 0, &error), 0);
    const struct perfdata_process *list = perfdata_processes(perfdata, &count);
    assert_int_equal(list[0].pid, 0); /* listed, but shown only on request */
    assert_string_equal(list[0].comm, "swapper");
    assert_int_equal(list[1].pid, 6);
    assert_string_equal(list[1].comm, "parent");
    while (perfdata_read(perfdata, UINT64_MAX, note_name, name) >= 0)
        ;
    assert_string_equal(name, "parent");
    struct seen idle = {0};
    assert_int_equal(perfdata_restart(perfdata, PERFDATA_IDLE, &error), 0);
    seen_rest(perfdata, &idle);
    assert_int_equal(idle.samples, 2);
    idle = (struct seen){0};
    assert_int_equal(perfdata_restart(perfdata, 0, &error), 0); /* the same again */
    seen_rest(perfdata, &idle);
    assert_int_equal(idle.samples, 2);
    perfdata_close(perfdata);
}

/* data.size is 0 while the recorder has the file open: more will come. */
static void file_being_written_is_not_truncated(void **state)
{
    struct recording file;
    struct perfdata *perfdata;
    struct error error;
    struct sampler_info info = {0};
    char path[] = "/tmp/misstop-growing-XXXXXX";
    (void)state;
    begin(&file, sizeof(struct perf_event_attr));
    sample(&file, ID, 5, 10);
    int fd = mkstemp(path);
    assert_int_equal(write(fd, file.bytes, file.size), file.size);
    for (int open = 1; open >= 0; open--) {
        assert_int_equal(perfdata_open(&perfdata, path, 0, NULL, NULL, &error), 0);
        struct perfdata_counts counts = perfdata_counts(perfdata);
        perfdata_describe(perfdata, &info);
        assert_true(counts.killed);
        if (!counts.perhaps_growing) { /* a file system without leases */
            assert_int_equal(counts.growing, open);
            assert_non_null(strstr(info.note, open ? "still being recorded" : "was killed"));
        }
        perfdata_close(perfdata);
        if (open)
            close(fd);
    }
    unlink(path);
}

static void reading_stops_at_the_requested_time(void **state)
{
    struct recording file;
    struct perfdata *perfdata;
    struct seen seen = {0};
    struct error error;
    (void)state;
    begin(&file, sizeof(struct perf_event_attr));
    for (uint64_t i = 0; i < 10; i++)
        sample(&file, ID, 5, 1000 + i * 100);
    recording_finish(&file);
    assert_int_equal(open_bytes(&perfdata, file.bytes, file.size, 0, &error), 0);
    assert_int_equal(perfdata_read(perfdata, 250, seen_count, &seen), 3);
    assert_int_equal(perfdata_read(perfdata, 250, seen_count, &seen), 0);
    assert_int_equal(perfdata_read(perfdata, 500, seen_count, &seen), 3);
    assert_int_equal(perfdata_read(perfdata, UINT64_MAX, seen_count, &seen), 4);
    assert_int_equal(perfdata_read(perfdata, UINT64_MAX, seen_count, &seen), -ENODATA);
    perfdata_close(perfdata);
}

/* data.size is 0 because the recorder was killed; the records continue to the end of the file. */
static void records_of_a_killed_recorder_are_read(void **state)
{
    struct recording file;
    (void)state;
    begin(&file, sizeof(struct perf_event_attr));
    sample(&file, ID, 5, 10);
    sample(&file, ID, 5, 20);
    assert_int_equal(read_bytes(&file, 0).samples, 2);
    file.size -= 4; /* and the last one is truncated */
    assert_int_equal(read_bytes(&file, 0).samples, 1);
}

static void truncated_recording_is_noted(void **state)
{
    struct recording file;
    struct perfdata *perfdata;
    struct sampler_info info = {0};
    struct error error;
    (void)state;
    begin(&file, sizeof(struct perf_event_attr));
    sample(&file, ID, 5, 10);
    sample(&file, ID, 5, 20);
    recording_finish(&file);
    assert_int_equal(open_bytes(&perfdata, file.bytes, file.size - 40, 0, &error), 0);
    perfdata_describe(perfdata, &info);
    assert_non_null(strstr(info.note, "truncated"));
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
        fail_msg("error text '%s' lacks '%s'", error.text, word_in_text);
    assert_null(strchr(error.text, '\n'));
}

static void expect_refusal(const void *bytes, size_t size, int code, const char *word_in_text)
{
    expect_refusal_of(bytes, size, 0, code, word_in_text);
}

static void unreadable_recordings_are_refused_with_reason(void **state)
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
    recording_finish(&file);
    expect_refusal(file.bytes, file.size, -ENODATA, "no samples");
    expect_refusal(file.bytes, 110, -EBADMSG, "damaged");
    memcpy(file.bytes + 8, &pipe_header, 8);
    expect_refusal(file.bytes, 16, -EBADMSG, "no events");
    memcpy(file.bytes, "PERFFILE", 8);
    expect_refusal(file.bytes, file.size, -ENOTSUP, "before 2010");
    begin(&file, sizeof(struct perf_event_attr));
    sample(&file, ID, 5, 10);
    recording_finish(&file);
    expect_refusal_of(file.bytes, file.size, 6, -ESRCH, "no samples of process 6, only of 5 (?)");
    assert_int_equal(perfdata_open(&perfdata, "/nonexistent", 0, NULL, NULL, &error), -ENOENT);
    assert_int_equal(perfdata_open(&perfdata, "/", 0, NULL, NULL, &error), -ENOTSUP);
    assert_int_equal(perfdata_open(&perfdata, "/dev/null", 0, NULL, NULL, &error), -ENOTSUP);
}

static void zero_sized_record_ends_reading(void **state)
{
    struct recording file;
    (void)state;
    begin(&file, sizeof(struct perf_event_attr));
    sample(&file, ID, 5, 10);
    recording_begin(&file, PERF_RECORD_SAMPLE, 0); /* and no end */
    sample(&file, ID, 5, 20);
    recording_finish(&file);
    assert_int_equal(read_bytes(&file, 0).samples, 1);
}

static void recorded_events_have_names(void **state)
{
    struct recording file;
    struct perfdata *perfdata;
    struct sampler_info info = {0};
    struct error error;
    (void)state;
    begin(&file, sizeof(struct perf_event_attr));
    sample(&file, ID, 5, 10);
    recording_finish(&file);
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

static int run_perfdata(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_are_distinguished_and_weighed),
        cmocka_unit_test(attributes_of_any_size_are_read),
        cmocka_unit_test(events_without_samples_are_listed_last),
        cmocka_unit_test(samples_are_delivered_in_time_order),
        cmocka_unit_test(other_processes_are_excluded),
        cmocka_unit_test(recording_is_replayed_for_another_process),
        cmocka_unit_test(forked_process_has_its_parents_name),
        cmocka_unit_test(file_being_written_is_not_truncated),
        cmocka_unit_test(reading_stops_at_the_requested_time),
        cmocka_unit_test(records_of_a_killed_recorder_are_read),
        cmocka_unit_test(truncated_recording_is_noted),
        cmocka_unit_test(unreadable_recordings_are_refused_with_reason),
        cmocka_unit_test(zero_sized_record_ends_reading),
        cmocka_unit_test(recorded_events_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The same records in all forms of a recording. */

static const struct recording_event forms_event = {
    .type = PERF_TYPE_SOFTWARE,
    .period = 1000,
    .sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
    .flags = RECORDING_ID_ALL,
    .id = 77,
};

static void put_ids(struct recording *recording, uint32_t pid)
{
    recording_u32(recording, pid);
    recording_u32(recording, pid);
}

static void put_trailer(struct recording *recording, uint32_t pid, uint64_t time_ns)
{
    put_ids(recording, pid);
    recording_u64(recording, time_ns);
    recording_u64(recording, forms_event.id);
    recording_end(recording);
}

static void put_form_sample(struct recording *recording, uint32_t pid, uint64_t time_ns)
{
    recording_begin(recording, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
    recording_u64(recording, forms_event.id);
    recording_u64(recording, 0x401000 + time_ns);
    put_ids(recording, pid);
    recording_u64(recording, time_ns);
    recording_end(recording);
}

static void put_mapping(struct recording *recording, uint32_t pid, uint64_t time_ns,
                        const char *path)
{
    recording_begin(recording, PERF_RECORD_MMAP, PERF_RECORD_MISC_USER);
    put_ids(recording, pid);
    for (uint64_t i = 1; i <= 3; i++)
        recording_u64(recording, i << 12);
    recording_string(recording, path);
    put_trailer(recording, pid, time_ns);
}

static void put_form_fork(struct recording *recording, uint32_t child, uint32_t parent,
                          uint64_t time_ns)
{
    recording_begin(recording, PERF_RECORD_FORK, 0);
    recording_u32(recording, child);
    recording_u32(recording, parent);
    recording_u32(recording, child);
    recording_u32(recording, parent);
    recording_u64(recording, time_ns);
    put_trailer(recording, parent, time_ns);
}

static void put_round_end(struct recording *recording)
{
    recording_begin(recording, 68, 0);
    recording_end(recording);
}

static void put_records(struct recording *recording)
{
    put_mapping(recording, 5, 0, "/bin/first"); /* before the clock is known */
    put_form_sample(recording, 5, 30);
    put_form_sample(recording, 6, 20);
    put_mapping(recording, 5, 10, "/lib/before");
    put_round_end(recording);
    put_form_fork(recording, 6, 5, 15);
    put_mapping(recording, 5, 40, "/lib/after");
    put_form_sample(recording, 6, 50);
    put_round_end(recording);
    put_form_sample(recording, 6, 45);
    recording_begin(recording, PERF_RECORD_LOST, 0);
    recording_u64(recording, forms_event.id);
    recording_u64(recording, 9);
    put_trailer(recording, 7, 60);
}

/* Notes one letter per record, followed by its time. */
static void forms_note(void *context, const struct record *record)
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
    if (perfdata_open(&file, path, pid, NULL, NULL, &error))
        fail_msg("%s", error.text);
    while (perfdata_read(file, UINT64_MAX, forms_note, text) >= 0)
        continue;
    assert_int_equal(perfdata_counts(file).late, 0);
    assert_int_equal(perfdata_counts(file).malformed, 0);
    perfdata_close(file);
}

static void read_recording(const struct recording *recording, pid_t pid, char text[512])
{
    char path[64];
    int fd;
    read_path(recording_path(recording->bytes, recording->size, &fd, path), pid, text);
    close(fd);
}

static void make_recording(struct recording *recording, bool piped, bool swap)
{
    if (piped) {
        recording_pipe(recording, swap);
        recording_pipe_event(recording, &forms_event);
    } else {
        recording_file(recording, swap, &forms_event, 1, 112);
    }
    put_records(recording);
    if (!piped)
        recording_finish(recording);
}

/* Records without a time come first, the others in order; 6 has its parent's mappings. */
static const char everyone[] = "M10/bin/first/5 M10/lib/before/5 F15/6 S20/6 S30/5 M40/lib/after/5 "
                               "S45/6 S50/6 L60/7 ";
static const char busiest[] = "M10/lib/before/6 F15/6 S20/6 S45/6 S50/6 L60/7 ";

static void files_and_pipes_work_in_either_byte_order(void **state)
{
    static struct recording recording;
    char text[512];
    (void)state;
    for (int form = 0; form < 4; form++) {
        make_recording(&recording, form & 1, form & 2);
        read_recording(&recording, PERFDATA_EVERY_PROCESS, text);
        assert_string_equal(text, everyone);
        read_recording(&recording, 0, text);
        assert_non_null(strstr(text, busiest));
    }
}

static void *feed_pipe(void *context)
{
    int *end = context;
    static struct recording recording;
    make_recording(&recording, true, false);
    for (size_t at = 0; at < recording.size; at++) /* one byte at a time */
        if (write(*end, recording.bytes + at, 1) != 1)
            break;
    close(*end);
    return NULL;
}

/*
 * If the process is named, a pipe is played as it arrives; otherwise it is spooled and counted
 * first.
 */
static void slow_pipe_is_played_as_it_arrives(void **state)
{
    (void)state;
    for (int named = 0; named < 2; named++) {
        int ends[2];
        pthread_t feeder;
        char text[512];
        char path[64];
        assert_int_equal(pipe(ends), 0);
        assert_int_equal(pthread_create(&feeder, NULL, feed_pipe, &ends[1]), 0);
        snprintf(path, sizeof path, "/proc/self/fd/%d", ends[0]);
        read_path(path, named ? 6 : 0, text);
        assert_non_null(strstr(text, "F15/6 S20/6 S45/6 S50/6 L60/7 "));
        pthread_join(feeder, NULL);
        close(ends[0]);
    }
}

static void records_of_undescribed_events_are_counted(void **state)
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
    recording_pipe_event(&recording, &forms_event);
    recording_pipe_event(&recording, &other);
    put_form_sample(&recording, 5, 2);
    put_form_sample(&recording, 5, 3);
    recording.bytes[recording.size - 32] = 99; /* its id */
    recording_path(recording.bytes, recording.size, &fd, path);
    assert_int_equal(perfdata_open(&file, path, 0, NULL, NULL, &error), 0);
    while (perfdata_read(file, UINT64_MAX, forms_note, text) >= 0)
        continue;
    assert_string_equal(text, "S2/5 ");
    perfdata_describe(file, &info);
    assert_int_equal(perfdata_counts(file).unknown, 1);
    assert_non_null(strstr(info.note, "1 records of undescribed events"));
    perfdata_close(file);
    close(fd);
}

struct reported {
    double last;
    int times;
};

static void note_reported(void *context, double share)
{
    struct reported *reported = context;
    assert_true(share > reported->last && share <= 1);
    reported->last = share;
    reported->times++;
}

/* A recording of 200,000 samples, with progress reports, that can be interrupted. */
static void long_survey_reports_progress_and_is_interruptible(void **state)
{
    enum { SAMPLES = 200000 };
    static struct recording recording;
    struct perfdata *file;
    struct reported reported = {0};
    struct error error;
    sigset_t end;
    sigset_t before;
    char path[] = "/tmp/misstop-survey-XXXXXX";
    int fd = mkstemp(path);
    (void)state;
    assert_true(fd >= 0);
    recording_pipe(&recording, false);
    recording_pipe_event(&recording, &forms_event);
    size_t head = recording.size;
    put_form_sample(&recording, 5, 2);
    assert_int_equal(write(fd, recording.bytes, recording.size), recording.size);
    for (int i = 1; i < SAMPLES; i++)
        assert_int_equal(write(fd, recording.bytes + head, recording.size - head),
                         recording.size - head);
    assert_int_equal(perfdata_open(&file, path, 0, note_reported, &reported, &error), 0);
    assert_int_equal(perfdata_counts(file).samples, SAMPLES);
    assert_int_equal(reported.times, 3);
    perfdata_close(file);
    sigemptyset(&end);
    sigaddset(&end, SIGUSR1);
    sigprocmask(SIG_BLOCK, &end, &before);
    raise(SIGUSR1);
    assert_int_equal(perfdata_open(&file, path, 0, NULL, NULL, &error), -EINTR);
    assert_non_null(strstr(error.text, "ended by a signal"));
    sigtimedwait(&end, NULL, &(struct timespec){0});
    sigprocmask(SIG_SETMASK, &before, NULL);
    close(fd);
    unlink(path);
}

/* The table of features has a section for each bit set, in order of the bits. */
static void feature_sections_are_found_by_bit(void **state)
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

static int run_perfdata_forms(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_and_pipes_work_in_either_byte_order),
        cmocka_unit_test(slow_pipe_is_played_as_it_arrives),
        cmocka_unit_test(records_of_undescribed_events_are_counted),
        cmocka_unit_test(long_survey_reports_progress_and_is_interruptible),
        cmocka_unit_test(feature_sections_are_found_by_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Recordings of other projects, from hardware that is not available here. */

/* Read in place and never copied (see their README). */
static const char *shared_path(char path[512], const char *name)
{
    const char *folder = getenv("SHARED_DATA");
    snprintf(path, 512, "%s/%s", folder ? folder : "/work/shared/data", name);
    if (access(path, R_OK)) {
        print_message("skipped: %s is absent\n", path);
        skip();
    }
    return path;
}

static struct seen read_shared(const char *name, pid_t pid, struct sampler_info *info)
{
    char path[512];
    struct perfdata *perfdata;
    struct seen seen = {0};
    struct error error = {0};
    assert_int_equal(perfdata_open(&perfdata, shared_path(path, name), pid, NULL, NULL, &error), 0);
    perfdata_describe(perfdata, info);
    seen_rest(perfdata, &seen);
    perfdata_close(perfdata);
    return seen;
}

static void pebs_recording_of_a_laptop_is_read(void **state)
{
    struct sampler_info info = {0};
    (void)state;
    struct seen seen = read_shared("pebs-i9-9980HK-loads-stores.perf.data", 0, &info);
    assert_int_equal(seen.samples, 698);
    assert_int_equal(seen.of_event[0], 204);
    assert_int_equal(seen.of_event[1], 494);
    assert_int_equal(seen.with_address, 698);
    assert_int_equal(seen.with_data_src, 698);
    assert_false(seen.backwards);
    assert_true(info.exact_address && info.has_latency && info.has_data_source);
    assert_int_equal(info.records_bad, 0);
    assert_string_equal(info.events[0].name, "cpu/mem-loads,ldlat=30/P");
}

static void pebs_recording_of_a_server_is_read(void **state)
{
    struct sampler_info info = {0};
    (void)state;
    struct seen seen = read_shared("pebs-xeon-8173M-weight-struct.perf.data", 0, &info);
    /* System-wide: 14 samples of several processes; shows the process with most samples. */
    assert_in_range(seen.samples, 1, 14);
    assert_int_equal(seen.with_latency, seen.samples);
    assert_false(seen.backwards);
    assert_true(info.has_latency);
}

static void piped_recording_with_compressed_records_is_read(void **state)
{
    struct sampler_info info = {0};
    (void)state;
    struct seen seen =
        read_shared("cycles-i7-10700K-zstd-pipe.perf.data", PERFDATA_EVERY_PROCESS, &info);
    assert_int_equal(seen.samples, 547);
    assert_int_equal(seen.nonzero_address, 257);
    assert_int_equal(seen.with_registers, 547);
    assert_int_equal(info.records_bad, 0);
    assert_false(seen.backwards);
    assert_string_equal(info.events[0].name, "cycles:P");
}

static void expect_sampled(void *context, const struct record *record)
{
    if (record->kind == RECORD_SAMPLE)
        assert_true(perfdata_sampled(context, record->sample.ip, 1));
}

/* Known before the first sample is played; for recordings with samples of one size and of several
 * sizes. */
static void sampled_code_is_known_in_advance(void **state)
{
    static const char *const names[] = {"pebs-xeon-8173M-weight-struct.perf.data",
                                        "cycles-i7-10700K-zstd-pipe.perf.data"};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        char path[512];
        struct perfdata *perfdata;
        struct error error = {0};
        unsigned elsewhere = 0;
        shared_path(path, names[i]);
        assert_int_equal(perfdata_open(&perfdata, path, 0, NULL, NULL, &error), 0);
        assert_false(perfdata_sampled(perfdata, 0x10000, 0));
        for (uint64_t at = UINT64_C(1) << 46; at < (UINT64_C(1) << 46) + 100; at++)
            elsewhere += perfdata_sampled(perfdata, at << 16, 0x10000);
        assert_true(elsewhere < 10); /* a Bloom filter has some false positives */
        while (perfdata_read(perfdata, UINT64_MAX, expect_sampled, perfdata) >= 0)
            continue;
        perfdata_close(perfdata);
    }
}

/* A record of size 0 among the mappings, before any sample. */
static void damaged_pipe_is_read_until_the_damage(void **state)
{
    char path[512];
    struct perfdata *perfdata;
    struct seen seen = {0};
    struct error error = {0};
    (void)state;
    shared_path(path, "piped-corrupt-zero-size.perf.data");
    assert_int_equal(perfdata_open(&perfdata, path, 0, NULL, NULL, &error), -ENODATA);
    assert_non_null(strstr(error.text, "damaged"));
    assert_int_equal(perfdata_open(&perfdata, path, PERFDATA_EVERY_PROCESS, NULL, NULL, &error), 0);
    seen_rest(perfdata, &seen);
    assert_true(perfdata_counts(perfdata).damaged);
    assert_int_equal(seen.others, 568);
    perfdata_close(perfdata);
}

static void trace_payload_in_recording_is_skipped(void **state)
{
    struct sampler_info info = {0};
    (void)state;
    struct seen seen = read_shared("auxtrace-intel-pt.perf.data", 0, &info);
    assert_int_equal(seen.samples, 15);
    assert_int_equal(info.records_bad, 0);
    assert_non_null(strstr(info.note, "149968 bytes of trace data"));
}

static int run_perfdata_shared(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pebs_recording_of_a_laptop_is_read),
        cmocka_unit_test(pebs_recording_of_a_server_is_read),
        cmocka_unit_test(sampled_code_is_known_in_advance),
        cmocka_unit_test(piped_recording_with_compressed_records_is_read),
        cmocka_unit_test(damaged_pipe_is_read_until_the_damage),
        cmocka_unit_test(trace_payload_in_recording_is_skipped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Samples with the counts of a group: the weight of each member, and invalid counts. */

enum { LEADER = 7, MEMBER = 8, STRANGER = 99 };

static struct attribute reads_events[2] = {
    {.format = {.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN,
                .read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED,
                .event = 0}},
    {.format = {.event = 1}}};
static struct attributes attributes = {.events = reads_events, .count = 2};
static struct reads reads;
static char reported[256];

static int reads_note(void *context, struct attribute *event, const struct record *record)
{
    size_t used = strlen(reported);
    (void)context;
    snprintf(reported + used, sizeof reported - used, "%d:%d:%llx ",
             event ? (int)(event - reads_events) : -1, event ? (int)record->sample.weight : 0,
             (unsigned long long)record->sample.ip);
    return 0;
}

/* Expands one sample at 0x1000 of a group with these counts. */
static int expand(uint64_t members, const uint64_t (*counts)[2], size_t written)
{
    static struct recording recording;
    struct record record = {.kind = RECORD_SAMPLE, .sample = {.ip = 0x1000, .weight = 1}};
    memset(&recording, 0, sizeof recording);
    reported[0] = '\0';
    recording_begin(&recording, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
    recording_u64(&recording, 0x1000);
    recording_u64(&recording, members);
    recording_u64(&recording, 12345); /* time enabled */
    for (size_t i = 0; i < written; i++) {
        recording_u64(&recording, counts[i][1]);
        recording_u64(&recording, counts[i][0]);
    }
    recording_end(&recording);
    return reads_expand(&reads, &attributes, recording.bytes, recording.size, &reads_events[0],
                        &record, reads_note, NULL);
}

static int reads_begin(void **state)
{
    (void)state;
    *hash_insert(&attributes.event_of_id, LEADER, NULL) = 0;
    *hash_insert(&attributes.event_of_id, MEMBER, NULL) = 1;
    return 0;
}

static int end(void **state)
{
    (void)state;
    reads_fini(&reads);
    hash_fini(&attributes.event_of_id);
    return 0;
}

static void group_members_weigh_their_count_difference(void **state)
{
    (void)state;
    assert_true(format_has_reads(&reads_events[0].format));
    assert_false(format_has_reads(&reads_events[1].format));
    assert_int_equal(expand(2, (uint64_t[][2]){{LEADER, 100}, {MEMBER, 5}}, 2), 0);
    assert_string_equal(reported, "0:100:1000 1:5:1000 ");
    /* The second member counted nothing, so it gets no sample. */
    assert_int_equal(expand(2, (uint64_t[][2]){{LEADER, 230}, {MEMBER, 5}}, 2), 0);
    assert_string_equal(reported, "0:130:1000 ");
    assert_int_equal(expand(2, (uint64_t[][2]){{LEADER, 230}, {MEMBER, 6}}, 2), 0);
    assert_string_equal(reported, "1:1:1000 ");
    reads_restart(&reads);
    assert_int_equal(expand(1, (uint64_t[][2]){{LEADER, 230}}, 1), 0);
    assert_string_equal(reported, "0:230:1000 ");
}

static void undescribed_group_members_are_reported(void **state)
{
    (void)state;
    assert_int_equal(expand(2, (uint64_t[][2]){{STRANGER, 3}, {MEMBER, 5}}, 2), 0);
    assert_string_equal(reported, "-1:0:1000 1:5:1000 ");
}

static void implausible_group_counts_are_refused(void **state)
{
    (void)state;
    const uint64_t one[][2] = {{MEMBER, 4}};
    assert_int_equal(expand(UINT64_MAX, one, 1), -EBADMSG);
    assert_int_equal(expand(2, one, 1), -EBADMSG);
    assert_int_equal(expand(0, one, 1), 0);
    assert_string_equal(reported, "");
}

static int run_reads(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(group_members_weigh_their_count_difference, reads_begin,
                                        end),
        cmocka_unit_test_setup_teardown(undescribed_group_members_are_reported, reads_begin, end),
        cmocka_unit_test_setup_teardown(implausible_group_counts_are_refused, reads_begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(void)
{
    int failed = 0;
    failed += run_perfdata();
    failed += run_perfdata_forms();
    failed += run_perfdata_shared();
    failed += run_reads();
    return failed;
}
