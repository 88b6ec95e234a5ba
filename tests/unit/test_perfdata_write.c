/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is written comes back, record by record, and after every kind of end. That perf reads the
 * same is tests/replay/test_write.sh.
 */
#include "unit.h"

#include "written.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WEIGHT_STRUCT (UINT64_C(1) << 24)
#define USUAL         (PERF_SAMPLE_REGS_USER | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC)

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
        if (!(type & PERF_SAMPLE_DATA_SRC) && set & 1)
            written.attrs[0].type = PERF_TYPE_SOFTWARE;
        written_open(&written);
        written_records(&written, 200);
        written_close(&written);
        found_all(&written, written.path, 0, written.expected_count);
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
        written_records(&written, refresh == 3 ? 8000 : 100);
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
        found_all(&written, copy, 0, written.expected_count);
    }
    written_close(&written);
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
    written_records(&written, 20);
    written_close(&written);
    for (size_t size = 0; size < written_size(written.path); size++) {
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

/* Where the kernel is sampled too, what it maps stands in the recording, if it may be known. */
static void a_live_recording_begins_with_what_there_is(void **state)
{
    struct written written;
    struct found found;
    bool kernel = false, here = false;
    char line[64] = "";
    (void)state;
    FILE *kallsyms = fopen("/proc/kallsyms", "re");
    bool shown = kallsyms && fgets(line, sizeof line, kallsyms) && strtoull(line, NULL, 16);
    if (kallsyms)
        fclose(kallsyms);
    written_init(&written, USUAL, 0);
    written.info.live = true;
    written.info.pid = getpid();
    written.options.machine = NULL;
    written_open(&written);
    written_close(&written);
    assert_int_equal(found_read(&found, written.path), 0);
    for (size_t i = 0; i < found.count; i++) {
        const struct record *record = &found.records[i];
        uint64_t code = (uint64_t)(uintptr_t)a_live_recording_begins_with_what_there_is;
        bool mapped = record->kind == RECORD_MAPPING;
        kernel |= mapped && !strcmp(record->mapping.path, "[kernel.kallsyms]_text");
        here |= mapped && record->pid == (uint32_t)getpid() &&
                code - record->mapping.start < record->mapping.length;
    }
    assert_true(here);
    assert_int_equal(kernel, shown);
    found_fini(&found);
    written_fini(&written);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_come_back_whatever_their_fields),
        cmocka_unit_test(what_was_synced_is_whole_after_a_kill),
        cmocka_unit_test(a_file_cut_anywhere_is_read_as_far_as_it_goes),
        cmocka_unit_test(a_live_recording_begins_with_what_there_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
