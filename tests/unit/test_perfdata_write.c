/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is written comes back: record by record, after every kind of end, from files that were
 * rotated. That perf reads the same is tests/replay/test_write.sh.
 */
#include "unit.h"

#include "written.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define WEIGHT_STRUCT (UINT64_C(1) << 24)
#define USUAL         (PERF_SAMPLE_REGS_USER | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC)

static void add_records(struct written *written, unsigned count)
{
    while (count--)
        prng_below(&written->prng, 8) ? written_sample(written) : written_other(written);
    written_sample(written);
}

static void close_writer(struct written *written)
{
    struct error error = {0};
    if (perfdata_writer_close(written->writer, &error))
        fail_msg("%s", error.text);
}

/* Both events have samples, or they are numbered anew. */
static void expect(const struct written *written, const char *path, size_t first, size_t count)
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

static void records_come_back_whatever_their_fields(void **state)
{
    static const uint64_t fields[] = {
        PERF_SAMPLE_REGS_USER, PERF_SAMPLE_REGS_INTR, PERF_SAMPLE_WEIGHT, WEIGHT_STRUCT,
        PERF_SAMPLE_PHYS_ADDR, PERF_SAMPLE_DATA_SRC,  PERF_SAMPLE_CPU};
    (void)state;
    for (unsigned set = 0; set < 1u << 8; set++) {
        struct written written;
        uint64_t type = 0;
        for (unsigned i = 0; i < 7; i++)
            type |= set >> i & 1 ? fields[i] : 0;
        written_init(&written, type, set >> 7 & 1 ? 2 : 0);
        written_open(&written);
        add_records(&written, 200);
        close_writer(&written);
        expect(&written, written.path, 0, written.expected_count);
        written_fini(&written);
    }
}

static void copy_file(const char *from, const char *to, size_t size_max)
{
    static char bytes[16 << 20];
    FILE *in = fopen(from, "re");
    unlink(to); /* a file that is truncated and closed is flushed to the disk: slow */
    FILE *out = fopen(to, "we");
    assert_non_null(in);
    assert_non_null(out);
    size_t size = fread(bytes, 1, sizeof bytes < size_max ? sizeof bytes : size_max, in);
    assert_int_equal(fwrite(bytes, 1, size, out), size);
    fclose(in);
    assert_int_equal(fclose(out), 0);
}

static size_t size_of(const char *path)
{
    struct stat status;
    return stat(path, &status) ? 0 : (size_t)status.st_size;
}

/* The file as a kill would leave it: no more is called of the writer. */
static void what_was_synced_is_whole_after_a_kill(void **state)
{
    struct written written;
    char copy[160];
    (void)state;
    written_init(&written, USUAL, 0);
    snprintf(copy, sizeof copy, "%s/copy", written.folder);
    written_open(&written);
    for (int refresh = 0; refresh < 5; refresh++) {
        size_t synced = written.expected_count;
        /* More than the buffer holds: some of it is written without a sync. */
        add_records(&written, refresh == 3 ? 8000 : 100);
        struct found found;
        copy_file(written.path, copy, SIZE_MAX);
        if (refresh && !found_read(&found, copy)) {
            assert_true(found.count >= synced);
            found_is(&found, &written, 0);
            assert_false(found.killed || found.damaged);
            found_fini(&found);
        }
        assert_int_equal(perfdata_writer_sync(written.writer, NULL), 0);
        copy_file(written.path, copy, SIZE_MAX);
        expect(&written, copy, 0, written.expected_count);
    }
    close_writer(&written);
    written_fini(&written);
}

static void a_file_cut_anywhere_is_read_as_far_as_it_goes(void **state)
{
    struct written written;
    char copy[160];
    size_t before = 0;
    (void)state;
    written_init(&written, USUAL, 0);
    snprintf(copy, sizeof copy, "%s/copy", written.folder);
    written_open(&written);
    written_sample(&written);
    add_records(&written, 20);
    close_writer(&written);
    for (size_t size = 0; size < size_of(written.path); size++) {
        struct found found;
        copy_file(written.path, copy, size);
        if (found_read(&found, copy))
            continue;
        /* Which of the events has samples is not known before. */
        if (found.samples > 8)
            found_is(&found, &written, 0);
        assert_true(found.count >= before);
        before = found.count;
        found_fini(&found);
    }
    assert_int_equal(before, written.expected_count);
    written_fini(&written);
}

static void a_full_disk_is_said_and_survived(void **state)
{
    struct rlimit usual, small;
    struct written written;
    struct error error = {0};
    (void)state;
    written_init(&written, USUAL, 0);
    written_open(&written);
    add_records(&written, 500);
    assert_int_equal(perfdata_writer_sync(written.writer, &error), 0);
    size_t before = written.expected_count;
    getrlimit(RLIMIT_FSIZE, &usual);
    small = usual;
    small.rlim_cur = size_of(written.path) + 1000;
    setrlimit(RLIMIT_FSIZE, &small);
    add_records(&written, 100);
    size_t kept = written.expected_count;
    assert_int_equal(perfdata_writer_sync(written.writer, &error), -EFBIG);
    assert_non_null(strstr(error.text, "ulimit -f"));
    expect(&written, written.path, 0, before);
    /* The buffer fills up, and the rest is lost. */
    struct record lost = {
        .kind = RECORD_SAMPLE, .time_ns = written.time_ns, .sample = {.time_ns = written.time_ns}};
    while (!perfdata_writer_add(written.writer, &lost, NULL))
        continue;
    assert_true(perfdata_writer_dropped(written.writer) >= 1);
    setrlimit(RLIMIT_FSIZE, &usual);
    assert_int_equal(perfdata_writer_sync(written.writer, &error), 0);
    close_writer(&written);
    struct found found;
    uint64_t told = 0;
    assert_int_equal(found_read(&found, written.path), 0);
    assert_true(found.count > kept);
    for (size_t i = kept; i < found.count; i++)
        told += found.records[i].kind == RECORD_LOST ? found.records[i].count : 0;
    assert_int_equal(told, 1);
    struct found before_it = found;
    before_it.count = kept;
    found_is(&before_it, &written, 0);
    found_fini(&found);
    written_fini(&written);
}

/* How many records at the head say what was before. */
static size_t told_before(const struct found *found)
{
    size_t count = 0;
    while (count < found->count && (found->records[count].kind == RECORD_MAPPING ||
                                    found->records[count].kind == RECORD_COMM))
        count++;
    return count;
}

static void at_the_limit_files_are_begun_that_stand_alone(void **state)
{
    struct written written;
    struct found found;
    char path[160];
    uint64_t mark;
    size_t first;
    (void)state;
    written_init(&written, USUAL, 0);
    written.options.limit_bytes = PERFDATA_WRITER_LIMIT_MIN;
    written.options.files = 3;
    written_open(&written);
    mark = perfdata_writer_mark(written.writer);
    struct record mapping = {
        .kind = RECORD_MAPPING,
        .time_ns = written.time_ns,
        .pid = WRITTEN_PID,
        .tid = WRITTEN_PID,
        .mapping = {.start = 0x1000, .length = 0x1000, .executable = true, .path = "//anon"}};
    written_add(&written, &mapping, NULL, &mapping);
    while (written.expected_count + 1 < WRITTEN_RECORDS)
        written_sample(&written);
    assert_true(mark != perfdata_writer_mark(written.writer));
    mark = perfdata_writer_mark(written.writer);
    close_writer(&written);
    first = written.expected_count;
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, i ? "%s.%d" : "%s", written.path, i);
        assert_int_equal(found_read(&found, path), 0);
        assert_true(size_of(path) <= PERFDATA_WRITER_LIMIT_MIN);
        assert_int_equal(found.mark, mark - (uint64_t)i);
        assert_int_equal(told_before(&found), 1);
        assert_int_equal(found.records[0].mapping.start, 0x1000);
        first -= found.samples;
        for (size_t k = 1; k < found.count; k++)
            assert_int_equal(found.records[k].time_ns, written.expected[first + k - 1].time_ns);
        found_fini(&found);
    }
    assert_true(first > 1); /* the oldest are gone */
    snprintf(path, sizeof path, "%s.3", written.path);
    assert_int_equal(size_of(path), 0);
    written_fini(&written);
}

static void an_older_file_makes_way(void **state)
{
    struct written written;
    struct error error = {0};
    struct stat status;
    char other[160];
    (void)state;
    written_init(&written, USUAL, 0);
    snprintf(other, sizeof other, "%s/other", written.folder);
    FILE *file = fopen(other, "we");
    fputs("not to be touched", file);
    fclose(file);
    assert_int_equal(symlink(other, written.path), 0);
    written_open(&written);
    close_writer(&written);
    assert_int_equal(size_of(other), 17);
    assert_int_equal(lstat(written.path, &status), 0);
    assert_true(S_ISREG(status.st_mode));
    assert_int_equal(status.st_mode & 0777, 0600);
    size_t size = size_of(written.path);
    written_open(&written);
    close_writer(&written);
    snprintf(other, sizeof other, "%s.old", written.path);
    assert_int_equal(size_of(other), size);
    unlink(written.path);
    assert_int_equal(mkfifo(written.path, 0600), 0);
    assert_int_equal(perfdata_writer_open(&written.writer, &written.options, &error), -ENOTSUP);
    assert_non_null(strstr(error.text, "no regular file"));
    written.options.path = written.folder;
    assert_int_equal(perfdata_writer_open(&written.writer, &written.options, &error), -EISDIR);
    written.options.path = "/nonexistent/perf.data";
    assert_int_equal(perfdata_writer_open(&written.writer, &written.options, &error), -ENOENT);
    assert_non_null(strstr(error.text, "no such folder"));
    written.options.limit_bytes = 1000;
    assert_int_equal(perfdata_writer_open(&written.writer, &written.options, &error), -EINVAL);
    written_fini(&written);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_come_back_whatever_their_fields),
        cmocka_unit_test(what_was_synced_is_whole_after_a_kill),
        cmocka_unit_test(a_file_cut_anywhere_is_read_as_far_as_it_goes),
        cmocka_unit_test(a_full_disk_is_said_and_survived),
        cmocka_unit_test(at_the_limit_files_are_begun_that_stand_alone),
        cmocka_unit_test(an_older_file_makes_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
