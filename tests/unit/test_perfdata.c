/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unit.h"

#include "recording.h"
#include "seen.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ID = 77, ID_OTHER = 78 };

/* Two events with one id each; attributes of `attr_bytes`, as older and newer perf write. */
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
    memset(error, 0x5a, sizeof *error); /* what stood there before must not matter */
    int code = perfdata_open(out, recording_path(bytes, size, &fd, path), pid, error);
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

static void events_are_told_apart_and_weighed(void **state)
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

static void attributes_of_any_size(void **state)
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

/* mem-loads-aux and dummies come before what is sampled; event 0 is to rank. */
static void events_without_samples_come_last(void **state)
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

static void samples_come_in_time_order(void **state)
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

static void other_processes_are_left_out(void **state)
{
    struct recording file;
    (void)state;
    begin(&file, sizeof(struct perf_event_attr));
    sample(&file, ID, 5, 10);
    sample(&file, ID, 6, 20);
    sample(&file, ID, 6, 30);
    recording_finish(&file);
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
    recording_finish(&file);
    assert_int_equal(open_bytes(&perfdata, file.bytes, file.size, 0, &error), 0);
    assert_int_equal(perfdata_span(perfdata).start_ns, 1000);
    assert_int_equal(perfdata_span(perfdata).length_ns, 400);
    seen_rest(perfdata, &first);
    assert_int_equal(perfdata_restart(perfdata, 0, &error), 0);
    assert_int_equal(perfdata_read(perfdata, 100, seen_count, &again), 2);
    assert_int_equal(perfdata_restart(perfdata, 0, &error), 0); /* from the midst of it */
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

static void named(struct recording *file, uint32_t pid, uint64_t time_ns, const char *name)
{
    recording_begin(file, PERF_RECORD_COMM, 0);
    recording_u64(file, (uint64_t)pid << 32 | pid);
    recording_string(file, name);
    recording_u64(file, (uint64_t)pid << 32 | pid);
    recording_u64(file, time_ns);
    recording_u64(file, ID);
    recording_end(file);
}

static void forked(struct recording *file, uint32_t child, uint32_t parent, uint64_t time_ns)
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

/* Forked, it never ran another program: it is called as its parent was then. */
static void a_fork_is_named_after_its_parent(void **state)
{
    struct recording file;
    struct perfdata *perfdata;
    struct error error;
    char name[32] = "";
    size_t count;
    (void)state;
    begin(&file, sizeof(struct perf_event_attr));
    named(&file, 5, 1, "parent");
    forked(&file, 6, 5, 10);
    named(&file, 5, 15, "later");
    sample(&file, ID, 6, 20);
    sample(&file, ID, 0, 30);
    sample(&file, ID, 0, 40);
    recording_finish(&file);
    assert_int_equal(open_bytes(&perfdata, file.bytes, file.size, 0, &error), 0);
    const struct perfdata_process *list = perfdata_processes(perfdata, &count);
    assert_int_equal(list[0].pid, 0); /* listed, though not shown unasked */
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

/* data.size 0 while the recorder has it open: its end is to come. */
static void a_file_still_written_is_not_killed(void **state)
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
        assert_int_equal(perfdata_open(&perfdata, path, 0, &error), 0);
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
    recording_finish(&file);
    assert_int_equal(open_bytes(&perfdata, file.bytes, file.size, 0, &error), 0);
    assert_int_equal(perfdata_read(perfdata, 250, seen_count, &seen), 3);
    assert_int_equal(perfdata_read(perfdata, 250, seen_count, &seen), 0);
    assert_int_equal(perfdata_read(perfdata, 500, seen_count, &seen), 3);
    assert_int_equal(perfdata_read(perfdata, UINT64_MAX, seen_count, &seen), 4);
    assert_int_equal(perfdata_read(perfdata, UINT64_MAX, seen_count, &seen), -ENODATA);
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
    recording_finish(&file);
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
    expect_refusal_of(file.bytes, file.size, 6, -ESRCH, "no samples of process 6, but of 5 (?)");
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
    recording_begin(&file, PERF_RECORD_SAMPLE, 0); /* and no end */
    sample(&file, ID, 5, 20);
    recording_finish(&file);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_are_told_apart_and_weighed),
        cmocka_unit_test(attributes_of_any_size),
        cmocka_unit_test(events_without_samples_come_last),
        cmocka_unit_test(samples_come_in_time_order),
        cmocka_unit_test(other_processes_are_left_out),
        cmocka_unit_test(it_is_played_again_for_another_process),
        cmocka_unit_test(a_fork_is_named_after_its_parent),
        cmocka_unit_test(a_file_still_written_is_not_killed),
        cmocka_unit_test(reading_stops_at_the_time_asked_for),
        cmocka_unit_test(a_killed_recorder_left_its_records),
        cmocka_unit_test(a_cut_recording_says_so),
        cmocka_unit_test(what_cannot_be_read_is_named),
        cmocka_unit_test(records_of_size_zero_end_the_reading),
        cmocka_unit_test(events_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
