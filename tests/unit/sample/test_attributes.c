/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <string.h>

#include "sample/perf/session.h"
#include "sample/perfdata/attributes.h"
#include "sample/perfdata/header.h"
#include "sample/perfdata/processes.h"
#include "unit.h"
#include "unit/sample/recording.h"

static const struct recording_event loads = {
    .type = 4,
    .config = 0x1cd,
    .period = 4000,
    .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR |
                   PERF_SAMPLE_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_DATA_SRC,
    .flags = RECORDING_ID_ALL | RECORDING_PRECISE,
    .regs_user = 0xff0fff,
    .regs_intr = 0x1ff,
    .id = 77,
};

static void attributes_are_read_in_either_byte_order(void **state)
{
    static struct recording recording;
    (void)state;
    for (int swap = 0; swap < 2; swap++) {
        struct attributes attributes = {0};
        memset(&recording, 0, sizeof recording);
        recording.swap = swap;
        recording_attr(&recording, &loads, 112);
        assert_int_equal(attributes_add(&attributes, recording.bytes, 112, swap), 0);
        const struct attribute *event = &attributes.events[0];
        assert_int_equal(event->attr.type, 4);
        assert_int_equal(event->attr.config, 0x1cd);
        assert_int_equal(event->attr.precise_ip, 2);
        assert_int_equal(event->attr.sample_id_all, 1);
        assert_int_equal(event->attr.freq, 0);
        assert_int_equal(event->format.sample_type, loads.sample_type);
        assert_int_equal(event->format.period, 4000);
        assert_int_equal(event->format.regs_user, 0xff0fff);
        assert_int_equal(event->format.regs_intr, 0x1ff);
        assert_true(event->format.sample_id_all && event->format.exact_ip);
        assert_true(event->format.recorded_address && event->format.has_skid_regs);
        assert_int_equal(event->format.swap, swap);
        attributes_fini(&attributes);
    }
}

static void shorter_attributes_are_zero_filled(void **state)
{
    static struct recording recording;
    struct attributes attributes = {0};
    (void)state;
    recording_attr(&recording, &loads, 112);
    assert_int_equal(attributes_add(&attributes, recording.bytes, 64, false), 0);
    assert_int_equal(attributes.events[0].format.period, 4000);
    assert_int_equal(attributes.events[0].format.regs_user, 0);
    attributes_fini(&attributes);
}

/*
 * perf record -d requests a data source for every event; a fault has a real address, a timer has 0.
 */
static void software_events_have_no_data_source(void **state)
{
    static const struct {
        uint64_t config;
        bool address;
    } software[] = {{PERF_COUNT_SW_CPU_CLOCK, false},
                    {PERF_COUNT_SW_CONTEXT_SWITCHES, false},
                    {PERF_COUNT_SW_PAGE_FAULTS, true},
                    {PERF_COUNT_SW_PAGE_FAULTS_MIN, true}};
    (void)state;
    for (size_t i = 0; i < sizeof software / sizeof *software; i++) {
        static struct recording recording;
        struct attributes attributes = {0};
        struct recording_event event = loads;
        event.type = PERF_TYPE_SOFTWARE;
        event.config = software[i].config;
        memset(&recording, 0, sizeof recording);
        recording_attr(&recording, &event, 112);
        assert_int_equal(attributes_add(&attributes, recording.bytes, 112, false), 0);
        assert_true(attributes.events[0].format.no_data_source);
        assert_int_equal(attributes.events[0].format.recorded_address, software[i].address);
        attributes_fini(&attributes);
    }
}

static void add_event(struct attributes *attributes, uint32_t type, uint64_t config,
                      uint64_t samples, const char *name)
{
    static struct recording recording;
    struct recording_event event = loads;
    memset(&recording, 0, sizeof recording);
    event.type = type;
    event.config = config;
    recording_attr(&recording, &event, 112);
    assert_int_equal(attributes_add(attributes, recording.bytes, 112, false), 0);
    struct attribute *added = &attributes->events[attributes->count - 1];
    added->samples = samples;
    snprintf(added->name, sizeof added->name, "%s", name);
}

static unsigned number(const struct attributes *attributes, size_t index)
{
    return attributes->events[index].format.event;
}

/* perf record on a hybrid CPU: the event of the efficient cores comes first and has hardly any
 * samples. */
static void hybrid_core_events_are_joined(void **state)
{
    static const char *const names[][2] = {{"cpu_atom/cycles:u/", "cpu_core/cycles:u/"},
                                           {"cpu_atom/cycles/Pu", "cpu_core/cycles/Pu"},
                                           {"", ""}};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct attributes attributes = {0};
        add_event(&attributes, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, 0, "dummy:u");
        add_event(&attributes, PERF_TYPE_HARDWARE, UINT64_C(10) << 32, 1, names[i][0]);
        add_event(&attributes, PERF_TYPE_HARDWARE, UINT64_C(4) << 32, 999, names[i][1]);
        add_event(&attributes, PERF_TYPE_HARDWARE, UINT64_C(4) << 32 | 1, 5, "");
        attributes_number(&attributes);
        assert_int_equal(number(&attributes, 1), 0);
        assert_int_equal(number(&attributes, 2), 0);
        assert_int_equal(number(&attributes, 3), 1);
        assert_true(attributes.joined[0] && !attributes.joined[1]);
        assert_int_equal(attributes.number_count, 2); /* the dummy must not rank */
        assert_int_equal(attributes.events[2].attr.config, PERF_COUNT_HW_CPU_CYCLES);
        attributes_fini(&attributes);
    }
    /*
     * Raw events have the number of their PMU as type: only the names show that they are the same.
     */
    struct attributes attributes = {0};
    add_event(&attributes, 10, 0x5d0, 1, "cpu_atom/mem-loads,ldlat=30/P");
    add_event(&attributes, 4, 0x1cd, 9, "cpu_core/mem-loads,ldlat=30/P");
    add_event(&attributes, 4, 0x2cd, 9, "cpu_core/mem-stores/P");
    add_event(&attributes, 4, 0x2cd, 9, "cpu_core/mem-stores/P");
    attributes_number(&attributes);
    assert_int_equal(number(&attributes, 1), 0);
    assert_int_equal(number(&attributes, 2), 1);
    assert_int_equal(number(&attributes, 3), 2); /* requested twice */
    attributes_fini(&attributes);
}

static void plain_name_omits_hybrid_pmu(void **state)
{
    char name[64];
    (void)state;
    assert_true(attributes_plain_name("cpu_core/cycles:u/", name, sizeof name));
    assert_string_equal(name, "cycles:u");
    assert_true(attributes_plain_name("cpu_atom/mem-loads,ldlat=30/P", name, sizeof name));
    assert_string_equal(name, "mem-loads,ldlat=30:P");
    assert_false(attributes_plain_name("cpu_core/", name, sizeof name));
    assert_false(attributes_plain_name("cycles:u", name, sizeof name));
    assert_string_equal(name, "cycles:u");
}

static int add_record(struct attributes *attributes, uint32_t size_field, size_t size)
{
    static struct recording recording;
    memset(&recording, 0, sizeof recording);
    recording_attr(&recording, &loads, 112);
    memcpy(recording.bytes + 4, &size_field, 4);
    recording_u64(&recording, 77);
    recording_u64(&recording, 78);
    struct cursor cursor = {recording.bytes, size, false, false};
    return attributes_add_record(attributes, &cursor);
}

static void piped_attributes_have_ids(void **state)
{
    struct attributes attributes = {0};
    (void)state;
    assert_int_equal(add_record(&attributes, 112, 128), 0);
    assert_ptr_equal(attributes_by_id(&attributes, 77), &attributes.events[0]);
    assert_ptr_equal(attributes_by_id(&attributes, 78), &attributes.events[0]);
    assert_null(attributes_by_id(&attributes, 79));
    assert_int_equal(add_record(&attributes, 136, 128), -EBADMSG); /* more than available */
    assert_int_equal(add_record(&attributes, 8, 128), -EBADMSG);
    assert_int_equal(attributes.count, 1);
    assert_int_equal(add_record(&attributes, 0, 128), 0); /* the oldest perf did not write a size */
    attributes_fini(&attributes);
}

/* The id is after the address in samples, and before the last word, the CPU, in other records. */
static void records_without_identifier_find_their_event(void **state)
{
    static struct recording recording;
    struct attributes attributes = {0};
    struct perf_event_header header;
    (void)state;
    recording_attr(&recording, &loads, 112);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(attributes_add(&attributes, recording.bytes, 112, false), 0);
        assert_int_equal(attributes_add_id(&attributes, i, 77 + i), 0);
    }
    for (uint64_t id = 76; id < 79; id++) {
        recording.size = 0;
        recording_begin(&recording, PERF_RECORD_SAMPLE, 0);
        for (int i = 0; i < 4; i++)
            recording_u64(&recording, 1);
        recording_u64(&recording, id);
        recording_end(&recording);
        header = record_header(recording.bytes, recording.size, false);
        struct attribute *event = id < 77 ? NULL : &attributes.events[id - 77];
        assert_ptr_equal(attributes_of(&attributes, recording.bytes, &header), event);
        recording.size = 0;
        recording_begin(&recording, PERF_RECORD_THROTTLE, 0);
        for (int i = 0; i < 5; i++)
            recording_u64(&recording, 1);
        recording_u64(&recording, id);
        recording_u64(&recording, 1); /* the CPU */
        recording_end(&recording);
        header = record_header(recording.bytes, recording.size, false);
        assert_ptr_equal(attributes_of(&attributes, recording.bytes, &header), event);
    }
    attributes_fini(&attributes);
}

static void excess_events_are_refused(void **state)
{
    static struct recording recording;
    struct attributes attributes = {0};
    size_t count = 0;
    int code;
    (void)state;
    recording_attr(&recording, &loads, 112);
    while (!(code = attributes_add(&attributes, recording.bytes, 112, false)) && count < 1 << 20)
        count++;
    assert_int_equal(code, -E2BIG);
    attributes_number(&attributes);
    assert_int_equal(attributes.events[count - 1].format.event, SAMPLE_EVENTS_MAX - 1);
    attributes_fini(&attributes);
}

static void feature_string(struct recording *recording, const char *text)
{
    recording_u32(recording, 64);
    recording_bytes(recording, text, strlen(text) + 1);
    recording->size += 63 - strlen(text);
}

static void features_describe_the_machine(void **state)
{
    static struct recording recording;
    struct perfdata_machine machine = {0};
    struct features features = {&machine, NULL, NULL};
    (void)state;
    for (int swap = 0; swap < 2; swap++) {
        memset(&recording, 0, sizeof recording);
        recording.swap = swap;
        recording_u32(&recording, 1);
        recording_u32(&recording, 3);
        for (uint32_t i = 0; i < 3; i++) { /* L1 of two cores and one L2 */
            uint32_t cache[] = {i < 2 ? 1 : 2, 64, i < 2 ? 64 : 1024, 8};
            for (size_t word = 0; word < 4; word++)
                recording_u32(&recording, cache[word]);
            feature_string(&recording, "Data");
            feature_string(&recording, i < 2 ? "32K" : "512K");
            feature_string(&recording, "0-1");
        }
        machine = (struct perfdata_machine){0};
        struct cursor cursor = {recording.bytes, recording.size, false, swap};
        assert_int_equal(features_take(&features, FEATURE_CACHE, &cursor), 0);
        assert_int_equal(machine.cache_count, 2);
        assert_int_equal(machine.caches[1].sets, 1024);
        assert_string_equal(machine.caches[1].size, "512K");
        recording.size = 0;
        recording_u32(&recording, 2);
        feature_string(&recording, "perf");
        feature_string(&recording, "\033]0;x");
        cursor = (struct cursor){recording.bytes, recording.size, false, swap};
        assert_int_equal(features_take(&features, FEATURE_CMDLINE, &cursor), 0);
        assert_string_equal(machine.command, "perf ?]0;x");
    }
}

static void truncated_features_are_harmless(void **state)
{
    static unsigned char bytes[256];
    struct perfdata_machine machine = {0};
    struct attributes attributes = {0};
    struct build_ids build_ids = {0};
    struct features features = {&machine, &attributes, &build_ids};
    (void)state;
    for (int fill = 0; fill < 256; fill += 51)
        for (size_t size = 0; size < sizeof bytes; size++)
            for (unsigned feature = 0; feature < FEATURE_COUNT; feature++) {
                memset(bytes, fill, sizeof bytes);
                struct cursor cursor = {bytes + sizeof bytes - size, size, false, false};
                assert_int_equal(features_take(&features, feature, &cursor), 0);
            }
    build_ids_fini(&build_ids);
}

static void put_build_id(struct recording *recording, uint16_t misc, unsigned char size,
                         const char *path)
{
    unsigned char id[24] = {1, 2, 3};
    id[20] = size;
    recording_begin(recording, 67, misc);
    recording_u32(recording, UINT32_MAX);
    recording_bytes(recording, id, sizeof id);
    recording_string(recording, path);
    recording_end(recording);
}

static void mappings_get_build_id_by_path(void **state)
{
    static struct recording recording;
    struct build_ids build_ids = {0};
    struct sample_mapping mapping = {.path = "/bin/xz"};
    (void)state;
    put_build_id(&recording, 0, 0, "/bin/cat");
    put_build_id(&recording, 1 << 15, 16, "/bin/xz");
    put_build_id(&recording, 1 << 15, 21, "/bin/bad");
    struct cursor cursor = {recording.bytes, recording.size, false, false};
    assert_int_equal(build_ids_add(&build_ids, &cursor), 0);
    assert_int_equal(build_ids_add(&build_ids, &cursor), 0);
    assert_int_equal(build_ids_add(&build_ids, &cursor), -EBADMSG);
    build_ids_complete(&build_ids, &mapping);
    assert_int_equal(mapping.build_id_size, 16);
    assert_int_equal(mapping.build_id[2], 3);
    mapping.path = "/bin/cat";
    build_ids_complete(&build_ids, &mapping);
    assert_int_equal(mapping.build_id_size, 16); /* keeps its own */
    mapping = (struct sample_mapping){.path = "/bin/bad"};
    build_ids_complete(&build_ids, &mapping);
    assert_int_equal(mapping.build_id_size, 0);
    build_ids_fini(&build_ids);
}

static void processes_are_counted_named_and_linked(void **state)
{
    struct processes processes = {0};
    struct record records[] = {
        {.kind = RECORD_COMM, .pid = 5, .tid = 5, .comm = {.name = "sh"}},
        {.kind = RECORD_FORK, .time_ns = 100, .pid = 6, .tid = 6, .fork = {5, 5}},
        {.kind = RECORD_FORK, .time_ns = 150, .pid = 6, .tid = 7, .fork = {6, 6}},
        {.kind = RECORD_COMM, .pid = 6, .tid = 7, .comm = {.name = "thread"}},
        {.kind = RECORD_SAMPLE, .pid = 5, .tid = 5},
        {.kind = RECORD_SAMPLE, .pid = 6, .tid = 6},
        {.kind = RECORD_SAMPLE, .pid = 6, .tid = 7},
    };
    (void)state;
    for (size_t i = 0; i < sizeof records / sizeof *records; i++)
        assert_int_equal(processes_note(&processes, &records[i]), 0);
    processes_sort(&processes);
    assert_int_equal(processes.count, 2);
    assert_int_equal(processes.list[0].pid, 6);
    assert_int_equal(processes.list[0].samples, 2);
    assert_string_equal(processes.list[0].comm, "sh"); /* its parent's: it did not exec */
    assert_non_null(processes_find(&processes, 5));
    assert_null(processes_find(&processes, 9));
    assert_true(processes_inherits(&processes, 6, 5, 99));
    assert_false(processes_inherits(&processes, 6, 5, 101));
    assert_false(processes_inherits(&processes, 5, 6, 50));
    processes_fini(&processes);
}

static int run_attributes(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(attributes_are_read_in_either_byte_order),
        cmocka_unit_test(shorter_attributes_are_zero_filled),
        cmocka_unit_test(software_events_have_no_data_source),
        cmocka_unit_test(hybrid_core_events_are_joined),
        cmocka_unit_test(plain_name_omits_hybrid_pmu),
        cmocka_unit_test(piped_attributes_have_ids),
        cmocka_unit_test(records_without_identifier_find_their_event),
        cmocka_unit_test(excess_events_are_refused),
        cmocka_unit_test(features_describe_the_machine),
        cmocka_unit_test(truncated_features_are_harmless),
        cmocka_unit_test(mappings_get_build_id_by_path),
        cmocka_unit_test(processes_are_counted_named_and_linked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

static bool divides_none(uint64_t value)
{
    for (uint64_t divisor = 2; divisor * divisor <= value; divisor++)
        if (value % divisor == 0)
            return false;
    return value > 1;
}

static void period_prime_is_the_next_prime(void **state)
{
    (void)state;
    assert_int_equal(period_prime(0), 2);
    assert_int_equal(period_prime(4), 5);
    assert_int_equal(period_prime(9), 11);
    assert_int_equal(period_prime(25), 29);
    assert_int_equal(period_prime(10000), 10007);
    assert_int_equal(period_prime(50000), 50021);
}

static void period_jitter_is_prime_and_near(void **state)
{
    struct prng prng = {.state = 1};
    uint64_t least = UINT64_MAX;
    uint64_t most = 0;
    uint64_t sum = 0;
    (void)state;
    for (int i = 0; i < 1000; i++) {
        uint64_t period = period_jitter(50000, &prng);
        assert_true(divides_none(period));
        least = period < least ? period : least;
        most = period > most ? period : most;
        sum += period;
    }
    assert_in_range(least, 45000, 46000);
    assert_in_range(most, 54000, 55100);
    assert_in_range(sum / 1000, 49500, 50500);
}

static void period_steering_reaches_the_requested_rate(void **state)
{
    uint64_t period = 10007;
    (void)state;
    /* 300 million misses per second: 2000 samples per second need a period of 150,000. */
    for (int i = 0; i < 20; i++)
        period = period_steer(period, 3e8 / (double)period, 2000, 997, UINT64_C(1) << 36);
    assert_in_range(period, 140000, 160000);
    for (int i = 0; i < 20; i++)
        period = period_steer(period, 4e7 / (double)period, 2000, 997, UINT64_C(1) << 36);
    assert_in_range(period, 19000, 21000);
}

static void period_steering_respects_bounds_and_step(void **state)
{
    (void)state;
    assert_int_equal(period_steer(1000, 0, 2000, 997, 5000), 997);
    assert_int_equal(period_steer(4000, 1e9, 2000, 997, 5000), 5000);
    assert_int_equal(period_steer(100000, 1e12, 2000, 1, UINT64_C(1) << 36), 400000);
    assert_int_equal(period_steer(100000, 0.001, 2000, 1, UINT64_C(1) << 36), 25000);
    assert_int_equal(period_steer(100000, 0, 2000, 1, UINT64_C(1) << 36), 50000);
}

static void period_jitter_respects_the_step(void **state)
{
    struct prng prng = {.state = 7};
    (void)state;
    for (int i = 0; i < 200; i++) {
        uint64_t period = period_jitter_step(100000, 16, &prng);
        assert_int_equal(period % 16, 0);
        assert_true(divides_none(period / 16));
        assert_in_range(period, 89000, 111000);
    }
    assert_int_equal(period_jitter_step(3, 16, &prng) % 16, 0);
    assert_true(period_jitter_step(3, 16, &prng) > 0);
}

static int run_period(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(period_prime_is_the_next_prime),
        cmocka_unit_test(period_jitter_is_prime_and_near),
        cmocka_unit_test(period_steering_reaches_the_requested_rate),
        cmocka_unit_test(period_steering_respects_bounds_and_step),
        cmocka_unit_test(period_jitter_respects_the_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(void)
{
    int failed = 0;
    failed += run_attributes();
    failed += run_period();
    return failed;
}
