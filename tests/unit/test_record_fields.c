/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A sample with every field there is, in either byte order, whole and cut. */
#include "unit.h"

#include "recording.h"
#include "sample/perf/record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { ALL_FIELDS = (1 << 24) - 1, WEIGHT_STRUCT = 1 << 24 };

static struct record_format everything(bool swap)
{
    return (struct record_format){
        .sample_type = (ALL_FIELDS & ~(uint64_t)PERF_SAMPLE_WEIGHT) | WEIGHT_STRUCT,
        .read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED |
                       PERF_FORMAT_TOTAL_TIME_RUNNING | 1 << 4 /* LOST */,
        .branch_type = 1 << 17 | 1 << 19, /* HW_INDEX, COUNTERS */
        .regs_user = UINT64_C(0xff0fff) | UINT64_C(1) << 40,
        .regs_intr = 7,
        .recorded_address = true,
        .swap = swap,
        .event = 3,
    };
}

static void words(struct recording *recording, uint64_t first, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        recording_u64(recording, first + i);
}

static void put_middle(struct recording *recording)
{
    recording_u64(recording, 2); /* READ: two members */
    words(recording, 0, 2 + 2 * 3);
    recording_u64(recording, 3); /* CALLCHAIN */
    words(recording, 0x401000, 3);
    recording_u32(recording, 12); /* RAW */
    for (uint32_t i = 0; i < 3; i++)
        recording_u32(recording, i);
    recording_u64(recording, 2); /* BRANCH_STACK */
    recording_u64(recording, 7);
    words(recording, 0, 2 * 3 + 2);
}

static void put_everything(struct recording *recording, bool swap)
{
    memset(recording, 0, sizeof *recording);
    recording->swap = swap;
    recording_begin(recording, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
    words(recording, 77, 1);       /* IDENTIFIER */
    words(recording, 0x401234, 1); /* IP */
    recording_u32(recording, 10);
    recording_u32(recording, 11);
    words(recording, 123456789, 1); /* TIME */
    words(recording, 0x7f0010, 1);  /* ADDR */
    words(recording, 77, 2);        /* ID, STREAM_ID */
    recording_u32(recording, 5);    /* CPU */
    recording_u32(recording, 0xffffffff);
    words(recording, 10007, 1); /* PERIOD */
    put_middle(recording);
    recording_u64(recording, PERF_SAMPLE_REGS_ABI_64);
    words(recording, 100, 21);
    recording_u64(recording, 16); /* STACK_USER */
    words(recording, 0, 3);
    recording_u64(recording, UINT64_C(0x0003000200000000) | 321); /* WEIGHT_STRUCT */
    recording_u64(recording, 0x5080142);                          /* DATA_SRC */
    recording_u64(recording, 1);                                  /* TRANSACTION */
    recording_u64(recording, PERF_SAMPLE_REGS_ABI_64);            /* REGS_INTR */
    words(recording, 900, 3);
    words(recording, 0x1234000, 1); /* PHYS_ADDR */
    words(recording, 1, 3);         /* CGROUP, DATA_PAGE_SIZE, CODE_PAGE_SIZE */
    recording_u64(recording, 8);    /* AUX */
    recording_u64(recording, 0);
    recording_end(recording);
}

static void every_field_in_either_byte_order(void **state)
{
    static struct recording recording;
    (void)state;
    for (int swap = 0; swap < 2; swap++) {
        struct record_format format = everything(swap);
        struct record record;
        put_everything(&recording, swap);
        assert_int_equal(record_parse_as(recording.bytes, recording.size, &format, &record), 1);
        const struct sample *sample = &record.sample;
        assert_int_equal(sample->ip, 0x401234);
        assert_int_equal(sample->pid, 10);
        assert_int_equal(sample->tid, 11);
        assert_int_equal(sample->time_ns, 123456789);
        assert_int_equal(sample->address, 0x7f0010);
        assert_int_equal(sample->cpu, 5);
        assert_int_equal(sample->weight, 10007);
        assert_int_equal(sample->latency, 321);
        assert_int_equal(sample->data_src, 0x5080142);
        assert_int_equal(sample->physical, 0x1234000);
        assert_int_equal(sample->regs[SREG_AX], 100);
        assert_int_equal(sample->regs[SREG_FLAGS], 109);
        assert_int_equal(sample->regs[SREG_R8], 112); /* after two segments */
        assert_int_equal(sample->regs[SREG_R15], 119);
        assert_int_equal(sample->event, 3);
        assert_int_equal(sample->has, SAMPLE_HAS_ADDRESS | SAMPLE_HAS_REGS | SAMPLE_HAS_LATENCY |
                                          SAMPLE_HAS_DATA_SRC | SAMPLE_HAS_PHYSICAL);
        uint64_t id;
        struct record_brief brief;
        assert_true(record_id(recording.bytes, recording.size, &format, &id));
        assert_int_equal(id, 77);
        assert_true(record_brief(recording.bytes, recording.size, &format, &brief));
        assert_int_equal(brief.pid, 10);
        assert_int_equal(brief.time_ns, 123456789);
    }
}

/* A record that says it is shorter by some words lacks a field, whichever that is. */
static void cut_in_any_field_it_is_bad(void **state)
{
    static struct recording recording;
    struct record_format format = everything(false);
    struct record record;
    (void)state;
    put_everything(&recording, false);
    for (size_t size = 8; size < recording.size; size += 8) {
        unsigned char *copy = malloc(size);
        uint16_t told = (uint16_t)size;
        memcpy(copy, recording.bytes, size);
        memcpy(copy + 6, &told, sizeof told);
        assert_int_equal(record_parse_as(copy, size, &format, &record), -EBADMSG);
        free(copy);
    }
}

/* A count that claims more than the record holds must not be multiplied and believed. */
static void counts_that_lie_are_refused(void **state)
{
    static struct recording recording;
    struct record_format format = everything(false);
    struct record record;
    static const uint64_t lies[] = {UINT64_MAX, UINT64_MAX / 8 + 1, UINT64_MAX / 24 + 1,
                                    UINT64_C(1) << 61};
    (void)state;
    put_everything(&recording, false);
    size_t counts_at[] = {8 + 9 * 8, 8 + 18 * 8, 8 + 24 * 8}; /* READ, CALLCHAIN, BRANCH_STACK */
    for (size_t i = 0; i < sizeof counts_at / sizeof *counts_at; i++)
        for (size_t lie = 0; lie < sizeof lies / sizeof *lies; lie++) {
            put_everything(&recording, false);
            memcpy(recording.bytes + counts_at[i], &lies[lie], 8);
            assert_int_equal(record_parse_as(recording.bytes, recording.size, &format, &record),
                             -EBADMSG);
        }
}

static struct sample with_registers(uint64_t type, uint16_t misc, bool foreign)
{
    static struct recording recording;
    struct record record;
    struct record_format format = {.sample_type = type | PERF_SAMPLE_REGS_INTR,
                                   .regs_user = 1,
                                   .regs_intr = 1,
                                   .foreign_regs = foreign};
    memset(&recording, 0, sizeof recording);
    recording_begin(&recording, PERF_RECORD_SAMPLE, misc);
    if (type & PERF_SAMPLE_REGS_USER) {
        recording_u64(&recording, PERF_SAMPLE_REGS_ABI_64);
        recording_u64(&recording, 1);
    }
    recording_u64(&recording, PERF_SAMPLE_REGS_ABI_64);
    recording_u64(&recording, 2);
    recording_end(&recording);
    assert_int_equal(record_parse_as(recording.bytes, recording.size, &format, &record), 1);
    return record.sample;
}

static void interrupted_registers_serve_where_there_are_no_others(void **state)
{
    (void)state;
    struct sample sample = with_registers(0, PERF_RECORD_MISC_USER, false);
    assert_int_equal(sample.has, SAMPLE_HAS_REGS);
    assert_int_equal(sample.regs[SREG_AX], 2);
    sample = with_registers(PERF_SAMPLE_REGS_USER, PERF_RECORD_MISC_USER, false);
    assert_int_equal(sample.regs[SREG_AX], 1);
    /* Those of the kernel are not the user's. */
    assert_int_equal(with_registers(0, PERF_RECORD_MISC_KERNEL, false).has, 0);
    /* Numbers of another machine's registers mean others here. */
    assert_int_equal(with_registers(0, PERF_RECORD_MISC_USER, true).has, SAMPLE_HAS_OTHER_REGS);
    assert_int_equal(with_registers(PERF_SAMPLE_REGS_USER, PERF_RECORD_MISC_USER, true).has,
                     SAMPLE_HAS_OTHER_REGS);
}

/* Records of no interest and those that nobody knows yet: skipped, not damage. */
static void other_kinds_are_skipped(void **state)
{
    static struct recording recording;
    struct record_format format = everything(false);
    struct record record;
    (void)state;
    format.sample_id_all = true;
    for (uint32_t type = PERF_RECORD_AUX; type < 30; type++) {
        if (type == PERF_RECORD_LOST_SAMPLES)
            continue;
        memset(&recording, 0, sizeof recording);
        recording_begin(&recording, type, 0);
        words(&recording, 1, 12);
        recording_end(&recording);
        assert_int_equal(record_parse_as(recording.bytes, recording.size, &format, &record), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_in_either_byte_order),
        cmocka_unit_test(cut_in_any_field_it_is_bad),
        cmocka_unit_test(counts_that_lie_are_refused),
        cmocka_unit_test(interrupted_registers_serve_where_there_are_no_others),
        cmocka_unit_test(other_kinds_are_skipped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
