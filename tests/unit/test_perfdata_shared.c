/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recordings of other projects, from hardware that is not here: what is in them comes out. */
#include "unit.h"

#include "seen.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Read where they are and never copied (their README). */
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

static struct seen read_shared(const char *name, pid_t pid, struct sampler_info *info)
{
    char path[512];
    struct perfdata *perfdata;
    struct seen seen = {0};
    struct error error = {0};
    assert_int_equal(perfdata_open(&perfdata, shared(path, name), pid, &error), 0);
    perfdata_describe(perfdata, info);
    seen_rest(perfdata, &seen);
    perfdata_close(perfdata);
    return seen;
}

static void pebs_of_a_laptop(void **state)
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
    assert_true(info.exact_address && info.latency && info.data_source);
    assert_int_equal(info.records_bad, 0);
    assert_string_equal(info.events[0].name, "cpu/mem-loads,ldlat=30/P");
}

static void pebs_of_a_server(void **state)
{
    struct sampler_info info = {0};
    (void)state;
    struct seen seen = read_shared("pebs-xeon-8173M-weight-struct.perf.data", 0, &info);
    /* System-wide: 14 samples of several processes; those of the busiest are shown. */
    assert_in_range(seen.samples, 1, 14);
    assert_int_equal(seen.with_latency, seen.samples);
    assert_false(seen.backwards);
    assert_true(info.latency);
}

static void pipe_with_compressed_records(void **state)
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
    seen_rest(perfdata, &seen);
    assert_true(perfdata_counts(perfdata).damaged);
    assert_int_equal(seen.others, 568);
    perfdata_close(perfdata);
}

static void trace_payload_is_stepped_over(void **state)
{
    struct sampler_info info = {0};
    (void)state;
    struct seen seen = read_shared("auxtrace-intel-pt.perf.data", 0, &info);
    assert_int_equal(seen.samples, 15);
    assert_int_equal(info.records_bad, 0);
    assert_non_null(strstr(info.note, "149968 bytes of trace data"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pebs_of_a_laptop),
        cmocka_unit_test(pebs_of_a_server),
        cmocka_unit_test(pipe_with_compressed_records),
        cmocka_unit_test(damaged_pipe),
        cmocka_unit_test(trace_payload_is_stepped_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
