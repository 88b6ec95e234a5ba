/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Samples that carry the counts of a group: who gets which weight, and counts that lie. */
#include "unit.h"

#include "recording.h"
#include "sample/perfdata/attributes.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { LEADER = 7, MEMBER = 8, STRANGER = 99 };

static struct attribute events[2] = {
    {.format = {.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN,
                .read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED,
                .event = 0}},
    {.format = {.event = 1}}};
static struct attributes attributes = {.events = events, .count = 2};
static struct reads reads;
static char told[256];

static int note(void *context, struct attribute *event, const struct record *record)
{
    size_t used = strlen(told);
    (void)context;
    snprintf(told + used, sizeof told - used, "%d:%d:%llx ", event ? (int)(event - events) : -1,
             event ? (int)record->sample.weight : 0, (unsigned long long)record->sample.ip);
    return 0;
}

/* One sample at 0x1000 of a group whose members count so much. */
static int expand(uint64_t members, const uint64_t (*counts)[2], size_t written)
{
    static struct recording recording;
    struct record record = {.kind = RECORD_SAMPLE, .sample = {.ip = 0x1000, .weight = 1}};
    memset(&recording, 0, sizeof recording);
    told[0] = '\0';
    recording_begin(&recording, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
    recording_u64(&recording, 0x1000);
    recording_u64(&recording, members);
    recording_u64(&recording, 12345); /* time enabled */
    for (size_t i = 0; i < written; i++) {
        recording_u64(&recording, counts[i][1]);
        recording_u64(&recording, counts[i][0]);
    }
    recording_end(&recording);
    return reads_expand(&reads, &attributes, recording.bytes, recording.size, &events[0], &record,
                        note, NULL);
}

static int begin(void **state)
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

static void each_weighs_what_it_counted_since(void **state)
{
    (void)state;
    assert_true(reads_in(&events[0].format));
    assert_false(reads_in(&events[1].format));
    assert_int_equal(expand(2, (uint64_t[][2]){{LEADER, 100}, {MEMBER, 5}}, 2), 0);
    assert_string_equal(told, "0:100:1000 1:5:1000 ");
    /* Nothing was counted of the second: there is no sample of it. */
    assert_int_equal(expand(2, (uint64_t[][2]){{LEADER, 230}, {MEMBER, 5}}, 2), 0);
    assert_string_equal(told, "0:130:1000 ");
    assert_int_equal(expand(2, (uint64_t[][2]){{LEADER, 230}, {MEMBER, 6}}, 2), 0);
    assert_string_equal(told, "1:1:1000 ");
    reads_restart(&reads);
    assert_int_equal(expand(1, (uint64_t[][2]){{LEADER, 230}}, 1), 0);
    assert_string_equal(told, "0:230:1000 ");
}

static void what_is_not_described_is_told(void **state)
{
    (void)state;
    assert_int_equal(expand(2, (uint64_t[][2]){{STRANGER, 3}, {MEMBER, 5}}, 2), 0);
    assert_string_equal(told, "-1:0:1000 1:5:1000 ");
}

static void counts_that_lie_are_refused(void **state)
{
    (void)state;
    const uint64_t one[][2] = {{MEMBER, 4}};
    assert_int_equal(expand(UINT64_MAX, one, 1), -EBADMSG);
    assert_int_equal(expand(2, one, 1), -EBADMSG);
    assert_int_equal(expand(0, one, 1), 0);
    assert_string_equal(told, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_weighs_what_it_counted_since, begin, end),
        cmocka_unit_test_setup_teardown(what_is_not_described_is_told, begin, end),
        cmocka_unit_test_setup_teardown(counts_that_lie_are_refused, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
