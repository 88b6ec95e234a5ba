/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files of a recording: older ones, links and folders, a full disk, the limit. */
#include "unit.h"

#include "written.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define USUAL (PERF_SAMPLE_REGS_USER | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC)

static void a_full_disk_is_said_and_survived(void **state)
{
    struct rlimit usual, small;
    struct written written;
    struct error error = {0};
    (void)state;
    written_init(&written, USUAL, 0);
    written_open(&written);
    written_records(&written, 500);
    assert_int_equal(perfdata_writer_sync(written.writer, &error), 0);
    size_t before = written.expected_count;
    getrlimit(RLIMIT_FSIZE, &usual);
    small = usual;
    small.rlim_cur = written_size(written.path) + 1000;
    setrlimit(RLIMIT_FSIZE, &small);
    written_records(&written, 100);
    size_t kept = written.expected_count;
    assert_int_equal(perfdata_writer_sync(written.writer, &error), -EFBIG);
    assert_non_null(strstr(error.text, "ulimit -f"));
    found_all(&written, written.path, 0, before);
    /* The buffer fills up, and the rest is lost. */
    struct record lost = {
        .kind = RECORD_SAMPLE, .time_ns = written.time_ns, .sample = {.time_ns = written.time_ns}};
    while (!perfdata_writer_add(written.writer, &lost, NULL))
        continue;
    assert_true(perfdata_writer_dropped(written.writer) >= 1);
    setrlimit(RLIMIT_FSIZE, &usual);
    assert_int_equal(perfdata_writer_sync(written.writer, &error), 0);
    written_close(&written);
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
    written_close(&written);
    first = written.expected_count;
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, i ? "%s.%d" : "%s", written.path, i);
        assert_int_equal(found_read(&found, path), 0);
        assert_true(written_size(path) <= PERFDATA_WRITER_LIMIT_MIN);
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
    assert_int_equal(written_size(path), 0);
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
    written_close(&written);
    assert_int_equal(written_size(other), 17);
    assert_int_equal(lstat(written.path, &status), 0);
    assert_true(S_ISREG(status.st_mode));
    assert_int_equal(status.st_mode & 0777, 0600);
    size_t size = written_size(written.path);
    written_open(&written);
    written_close(&written);
    snprintf(other, sizeof other, "%s.old", written.path);
    assert_int_equal(written_size(other), size);
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
        cmocka_unit_test(a_full_disk_is_said_and_survived),
        cmocka_unit_test(at_the_limit_files_are_begun_that_stand_alone),
        cmocka_unit_test(an_older_file_makes_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
