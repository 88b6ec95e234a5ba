/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Recordings of real PEBS and IBS hardware take the same path as live samples: record, decoder,
 * profile. The expected figures are those of perf script -i FILE -F
 * event,pid,weight,data_src,addr,ip and, for IBS, of the text file's own columns. Skipped by name
 * if the recordings are absent
 * (../shared/data next to the sources).
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "access.h"
#include "decode/decoder.h"
#include "profile/profile.h"
#include "sample/perf/source.h"
#include "sample/sampler.h"
#include "unit.h"
#include "unit/names.h"

static char path[4096];

static const char *recording(const char *name)
{
    const char *sources = getenv("srcdir");
    snprintf(path, sizeof path, "%s/../shared/data/%s", sources ? sources : ".", name);
    if (access(path, R_OK)) {
        print_message("skipped: %s is absent\n", path);
        skip();
    }
    return path;
}

/* The recorded binaries are absent: no code can be read. */
static size_t no_code(void *context, uint64_t address, void *out, size_t size)
{
    (void)context;
    (void)address;
    (void)out;
    (void)size;
    return 0;
}

/* Counted from the samples and, independently, by the profile. */
static struct {
    unsigned samples;
    unsigned user;
    unsigned attributed;
    unsigned reasons[REASON_COUNT];
    unsigned kinds[ACCESS_PREFETCH + 1];
    unsigned levels[DATA_LEVEL_COUNT];
    unsigned tlb_missed;
    unsigned locked;
    unsigned hitm;
    unsigned timed;
    uint64_t cycles;
    double weight_by_level[SAMPLE_EVENTS_MAX][DATA_LEVEL_COUNT]; /* attributed samples only */
    struct decoder *decoder;
    struct profile *profile;
    uint64_t last_ns;
} seen;

static bool fake_object(void *context, uint32_t object, struct object_desc *desc)
{
    (void)context;
    *desc = (struct object_desc){.name = "all", .module = "", .kind = OBJECT_UNKNOWN};
    return object == 1;
}

static void begin(void)
{
    static const struct decode_target target = {.code = no_code};
    static const struct fake_names answers = {.object = fake_object};
    struct profile_options options = {
        .names = FAKE_NAMES(&answers), .ways = 10, .event_count = SAMPLE_EVENTS_MAX};
    memset(&seen, 0, sizeof seen);
    assert_int_equal(geometry_parse(&options.geometry, "L1=32K,8,64", "/", NULL), 0);
    assert_int_equal(profile_new(&seen.profile, &options, NULL), 0);
    seen.decoder = decoder_new(&target);
    assert_non_null(seen.decoder);
}

static void end(void)
{
    decoder_free(seen.decoder);
    profile_free(seen.profile);
}

static void follow(const struct sample *sample)
{
    struct place place = {.object = 1};
    decoder_decode(seen.decoder, sample, &place.access);
    const struct access *access = &place.access;
    seen.last_ns = access->time_ns;
    seen.attributed += access->reason == REASON_NONE;
    seen.reasons[access->reason]++;
    profile_add(seen.profile, &place);
    if (access->reason)
        return;
    seen.kinds[access->kind]++;
    assert_int_equal(access->how, ACCESS_RECORDED);
    seen.weight_by_level[access->event][data_source_decode(access->data_src).level] +=
        access->weight ? (double)access->weight : 1;
}

static void take(void *context, const struct record *record)
{
    (void)context;
    if (record->kind != RECORD_SAMPLE)
        return;
    const struct sample *sample = &record->sample;
    struct data_source source = data_source_decode(sample->data_src);
    seen.samples++;
    seen.user += sample->mode == SAMPLE_USER;
    seen.levels[source.level]++;
    seen.tlb_missed += source.tlb == TLB_MISS;
    seen.locked += source.locked == ANSWER_YES;
    seen.hitm += source.snoop == SNOOP_HITM;
    seen.timed += !!(sample->has & SAMPLE_HAS_LATENCY);
    seen.cycles += sample->has & SAMPLE_HAS_LATENCY ? sample->latency : 0;
    follow(sample);
}

static void replay(const char *file, pid_t pid)
{
    struct sampler_options options = {.input = file, .pid = pid, .source = "auto", .rate = 1000};
    struct sampler *sampler;
    struct error error = {0};
    if (sampler_open(&sampler, &options, &error))
        fail_msg("%s", error.text);
    while (sampler_read(sampler, UINT64_MAX, take, NULL) >= 0)
        continue;
    sampler_close(sampler);
}

/* The profile must have the same figures for the attributed samples. */
static void check_profile(uint16_t event)
{
    struct snapshot head = {.iteration = 1};
    profile_set_basis(seen.profile, BASIS_RUN);
    const struct snapshot *snapshot = profile_snapshot(seen.profile, &head, seen.last_ns + 1);
    assert_non_null(snapshot);
    assert_non_null(snapshot->levels);
    assert_int_equal(snapshot->object_count, 1);
    for (int i = 0; i < DATA_LEVEL_COUNT; i++)
        assert_true(fabs(snapshot->objects[0].levels->level[i] - seen.weight_by_level[event][i]) <
                    1e-6);
    assert_true(fabs(snapshot->objects[0].levels->stall - 1) < 1e-9);
    snapshot_free(snapshot);
}

/* 204 loads and 494 stores of one process on a desktop Coffee Lake. */
static void pebs_loads_and_stores_of_i9_are_decoded(void **state)
{
    (void)state;
    const char *file = recording("pebs-i9-9980HK-loads-stores.perf.data");
    begin();
    replay(file, 0);
    assert_int_equal(seen.samples, 698);
    assert_int_equal(seen.user, 622);
    assert_int_equal(seen.levels[DATA_L1], 185 + 493);
    assert_int_equal(seen.levels[DATA_BEYOND_L1], 1);
    assert_int_equal(seen.levels[DATA_LFB], 12);
    assert_int_equal(seen.levels[DATA_L3], 6);
    assert_int_equal(seen.levels[DATA_DRAM], 1);
    assert_int_equal(seen.tlb_missed, 1);
    assert_int_equal(seen.locked, 5);
    assert_int_equal(seen.hitm, 0);
    assert_int_equal(seen.timed, 204);
    assert_int_equal(seen.cycles, 9922);
    /* Kernel samples are marked as such; the others need no code to be attributed. */
    assert_int_equal(seen.reasons[REASON_KERNEL], 76);
    assert_int_equal(seen.attributed, 622);
    assert_int_equal(seen.kinds[ACCESS_LOAD] + seen.kinds[ACCESS_STORE], 622);
    check_profile(0);
    end();
}

/* WEIGHT_STRUCT on a Skylake server, system-wide: one process after the other. */
static void pebs_loads_of_a_xeon_are_decoded(void **state)
{
    static const pid_t pids[] = {3216, 3217, 17564, 17575, 17654, 17662, 17689, 20132};
    (void)state;
    const char *file = recording("pebs-xeon-8173M-weight-struct.perf.data");
    begin();
    for (size_t i = 0; i < sizeof pids / sizeof *pids; i++)
        replay(file, pids[i]);
    /* 14 minus two of the idle task, which is not a process. */
    assert_int_equal(seen.samples, 12);
    assert_int_equal(seen.levels[DATA_LFB], 4);
    assert_int_equal(seen.levels[DATA_L1], 4);
    assert_int_equal(seen.levels[DATA_L2], 1);
    assert_int_equal(seen.levels[DATA_L3], 3);
    assert_int_equal(seen.tlb_missed, 1);
    assert_int_equal(seen.locked, 2);
    assert_int_equal(seen.timed, 12);
    assert_int_equal(seen.cycles, 225 + 96 + 71 + 70 + 92 + 77 + 240 + 70 + 117 + 81 + 249 + 168);
    end();
}

/* Columns of the IBS file that the kernel would put into a sample. */
enum ibs_column {
    IBS_TSC,
    IBS_CPU,
    IBS_TID,
    IBS_PID,
    IBS_KERNEL,
    IBS_RIP,
    IBS_MAX_COUNT,
    IBS_LOAD = 19,
    IBS_STORE,
    IBS_L1_TLB_MISS,
    IBS_L2_TLB_MISS,
    IBS_DC_MISS = 26,
    IBS_LOCKED = 30,
    IBS_NO_MAB,
    IBS_LINEAR_VALID,
    IBS_LATENCY = 39,
    IBS_LINEAR = 41,
    IBS_COLUMNS
};

static bool split(char *line, uint64_t columns[IBS_COLUMNS])
{
    for (int i = 0; i < IBS_COLUMNS; i++) {
        char *end = strchr(line, ',');
        if (!end)
            return false;
        columns[i] = strtoull(line, NULL, 0);
        line = end + 1;
    }
    return true;
}

/* Builds the data source like perf_ibs_get_data_src() in amd/ibs.c. */
static uint64_t data_src_of(const uint64_t *columns)
{
    uint64_t word = columns[IBS_LOAD]    ? PERF_MEM_S(OP, LOAD)
                    : columns[IBS_STORE] ? PERF_MEM_S(OP, STORE)
                                         : PERF_MEM_S(OP, NA);
    if (!columns[IBS_LOAD] && !columns[IBS_STORE])
        return word;
    word |= !columns[IBS_DC_MISS] ? PERF_MEM_S(LVL, L1) | PERF_MEM_S(LVL, HIT)
            : columns[IBS_NO_MAB] ? PERF_MEM_S(LVL, LFB) | PERF_MEM_S(LVL, HIT)
                                  : PERF_MEM_S(LVL, NA);
    word |= columns[IBS_LOCKED] ? PERF_MEM_S(LOCK, LOCKED) : PERF_MEM_S(LOCK, NA);
    if (!columns[IBS_LINEAR_VALID])
        return word | PERF_MEM_S(TLB, NA);
    if (!columns[IBS_L1_TLB_MISS])
        return word | PERF_MEM_S(TLB, L1) | PERF_MEM_S(TLB, HIT);
    return word | PERF_MEM_S(TLB, L2) |
           (columns[IBS_L2_TLB_MISS] ? PERF_MEM_S(TLB, MISS) : PERF_MEM_S(TLB, HIT));
}

static const struct record_format *lookup(void *context, uint64_t id, bool has_id)
{
    (void)id;
    (void)has_id;
    return context;
}

/* Converts one row to a record in the ring of our own ibs session. */
static void take_row(const uint64_t *columns, const struct perf_event_attr *attr,
                     struct record_format *format)
{
    uint64_t data_src = data_src_of(columns);
    bool access = columns[IBS_LINEAR_VALID] && (columns[IBS_LOAD] || columns[IBS_STORE]);
    uint64_t words[] = {
        0, /* header */
        0, /* identifier */
        columns[IBS_RIP],
        columns[IBS_PID] | columns[IBS_TID] << 32,
        columns[IBS_TSC],
        access ? columns[IBS_LINEAR] : 0,
        columns[IBS_CPU],
        columns[IBS_MAX_COUNT] << 4,
        columns[IBS_LATENCY],
        data_src,
    };
    struct perf_event_header header = {.type = PERF_RECORD_SAMPLE,
                                       .misc = columns[IBS_KERNEL] ? PERF_RECORD_MISC_KERNEL
                                                                   : PERF_RECORD_MISC_USER,
                                       .size = sizeof words};
    struct record record;
    uint64_t wanted = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
                      PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_WEIGHT |
                      PERF_SAMPLE_DATA_SRC;
    assert_int_equal(attr->sample_type, wanted);
    memcpy(words, &header, sizeof header);
    assert_int_equal(record_parse(words, sizeof words, lookup, format, &record), 1);
    take(NULL, &record);
}

static void ibs_ops_of_an_amd_cpu_are_decoded(void **state)
{
    struct source_plan plan = {.count = 1, .includes_kernel = true};
    struct perf_event_attr attr;
    char line[4096];
    uint64_t columns[IBS_COLUMNS];
    unsigned accesses = 0;
    uint64_t cycles = 0;
    (void)state;
    FILE *file = fopen(recording("ibs-op-samples.csv"), "re");
    assert_non_null(file);
    source_attribute(&source_ibs, &plan, &plan.events[0], &attr);
    struct record_format format = source_format(&source_ibs, &attr, 0);
    begin();
    while (fgets(line, sizeof line, file))
        if (split(line, columns) && columns[IBS_TSC]) {
            take_row(columns, &attr, &format);
            accesses += columns[IBS_LINEAR_VALID];
            cycles += columns[IBS_LATENCY];
        }
    fclose(file);
    assert_int_equal(seen.samples, 999);
    assert_int_equal(accesses, 175);
    assert_int_equal(seen.cycles, cycles);
    /* All rows are from user mode; those without an address are marked. */
    assert_int_equal(seen.attributed, 175);
    assert_int_equal(seen.reasons[REASON_NO_ADDRESS], 999 - 175);
    assert_int_equal(seen.timed, 10);
    /* 112 loads and 67 stores; 4 rows are both, which the kernel reports as loads. */
    assert_int_equal(seen.kinds[ACCESS_LOAD], 112);
    assert_int_equal(seen.kinds[ACCESS_STORE], 63);
    /* 182 in total, including those without an address; 4 misses have an unknown source. */
    assert_int_equal(seen.levels[DATA_L1], 171);
    assert_int_equal(seen.levels[DATA_LFB], 7);
    assert_int_equal(seen.levels[DATA_UNKNOWN], 999 - 171 - 7);
    assert_int_equal(seen.tlb_missed, 2);
    check_profile(0);
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pebs_loads_and_stores_of_i9_are_decoded),
        cmocka_unit_test(pebs_loads_of_a_xeon_are_decoded),
        cmocka_unit_test(ibs_ops_of_an_amd_cpu_are_decoded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
