/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "sample/perf/record.h"
#include "sample/kernel.h"
#include "unit.h"
#include "unit/sample/recording.h"

/* Bytes of one record as a test assembles them. */
struct builder {
    unsigned char bytes[4096];
    size_t size;
};

static void begin(struct builder *builder, uint32_t type, uint16_t misc)
{
    struct perf_event_header header = {.type = type, .misc = misc};
    memcpy(builder->bytes, &header, sizeof header);
    builder->size = sizeof header;
}

static void put_word(struct builder *builder, uint64_t value)
{
    memcpy(builder->bytes + builder->size, &value, 8);
    builder->size += 8;
}

static void put_pair(struct builder *builder, uint32_t low, uint32_t high)
{
    put_word(builder, (uint64_t)high << 32 | low);
}

static void put_string(struct builder *builder, const char *text)
{
    size_t room = (strlen(text) + 8) & ~(size_t)7;
    memset(builder->bytes + builder->size, 0, room);
    memcpy(builder->bytes + builder->size, text, strlen(text));
    builder->size += room;
}

static void end(struct builder *builder)
{
    uint16_t size = (uint16_t)builder->size;
    memcpy(builder->bytes + 6, &size, 2);
}

static const struct record_format *one_format(void *context, uint64_t id, bool has_id)
{
    (void)id;
    (void)has_id;
    return context;
}

/* Parses an exact heap copy, so that ASan detects a read past the end of the record. */
static int parse(const struct builder *builder, const struct record_format *format,
                 struct record *out)
{
    unsigned char *copy = malloc(builder->size);
    memcpy(copy, builder->bytes, builder->size);
    int code = record_parse(copy, builder->size, one_format, (void *)(uintptr_t)format, out);
    free(copy);
    return code;
}

static const uint64_t usual = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
                              PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU |
                              PERF_SAMPLE_PERIOD;

static void put_usual_head(struct builder *builder, uint64_t address)
{
    begin(builder, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
    put_word(builder, 77); /* id */
    put_word(builder, 0x401000);
    put_pair(builder, 10, 11);
    put_word(builder, 123456789);
    put_word(builder, address);
    put_pair(builder, 3, 0);
    put_word(builder, 10007);
}

static void sample_registers_are_mapped_to_sreg(void **state)
{
    struct record_format format = {
        .sample_type = usual | PERF_SAMPLE_REGS_USER, .regs_user = 0xff03ff, .event = 2};
    struct builder builder;
    struct record record;
    (void)state;
    put_usual_head(&builder, 0);
    put_word(&builder, PERF_SAMPLE_REGS_ABI_64);
    for (uint64_t reg = 0; reg < SREG_COUNT; reg++)
        put_word(&builder, 100 + reg);
    end(&builder);
    assert_int_equal(parse(&builder, &format, &record), 1);
    assert_int_equal(record.kind, RECORD_SAMPLE);
    assert_int_equal(record.pid, 10);
    assert_int_equal(record.sample.tid, 11);
    assert_int_equal(record.sample.time_ns, 123456789);
    assert_int_equal(record.sample.ip, 0x401000);
    assert_int_equal(record.sample.cpu, 3);
    assert_int_equal(record.sample.weight, 10007);
    assert_int_equal(record.sample.event, 2);
    assert_int_equal(record.sample.mode, SAMPLE_USER);
    assert_int_equal(record.sample.has, SAMPLE_HAS_REGS);
    for (uint64_t reg = 0; reg < SREG_COUNT; reg++)
        assert_int_equal(record.sample.regs[reg], 100 + reg);
}

static void other_registers_do_not_shift_known_ones(void **state)
{
    /* AX, CS (bit 10), R8 (bit 16), and the two halves of XMM0 (bits 32, 33). */
    struct record_format format = {.sample_type = usual | PERF_SAMPLE_REGS_USER,
                                   .regs_user = 1 | 1 << 10 | 1 << 16 | UINT64_C(3) << 32};
    struct builder builder;
    struct record record;
    (void)state;
    put_usual_head(&builder, 0);
    put_word(&builder, PERF_SAMPLE_REGS_ABI_64);
    for (uint64_t i = 1; i <= 5; i++)
        put_word(&builder, i);
    end(&builder);
    assert_int_equal(parse(&builder, &format, &record), 1);
    assert_int_equal(record.sample.regs[SREG_AX], 1);
    assert_int_equal(record.sample.regs[SREG_R8], 3);
    assert_int_equal(record.sample.regs[SREG_CX], 0);
    /* Registers that were not requested must not count as 0; the instruction pointer is in the
     * sample. */
    uint32_t known = 1u << SREG_AX | 1u << SREG_R8 | 1u << SREG_IP;
    assert_int_equal(record.sample.regs_missing, ((1u << SREG_COUNT) - 1) & ~known);
    assert_int_equal(record.sample.regs[SREG_IP], record.sample.ip);
}

static void samples_without_register_abi_have_none(void **state)
{
    struct record_format format = {
        .sample_type = usual | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_DATA_SRC, .regs_user = 0xff03ff};
    struct builder builder;
    struct record record;
    (void)state;
    put_usual_head(&builder, 0);
    put_word(&builder, PERF_SAMPLE_REGS_ABI_NONE);
    put_word(&builder, 0x55);
    end(&builder);
    assert_int_equal(parse(&builder, &format, &record), 1);
    assert_false(record.sample.has & SAMPLE_HAS_REGS);
    assert_int_equal(record.sample.data_src, 0x55);
}

/* 32-bit registers are not valid for x86-64 code. */
static void registers_of_32_bit_code_are_ignored(void **state)
{
    struct record_format format = {.sample_type = usual | PERF_SAMPLE_REGS_USER, .regs_user = 1};
    struct builder builder;
    struct record record;
    (void)state;
    put_usual_head(&builder, 0);
    put_word(&builder, PERF_SAMPLE_REGS_ABI_32);
    put_word(&builder, 5);
    end(&builder);
    assert_int_equal(parse(&builder, &format, &record), 1);
    assert_int_equal(record.sample.has, SAMPLE_HAS_FOREIGN_REGS);
}

/* A sample with nothing but a call chain. */
static struct sample with_chain(const uint64_t *entries, uint64_t count)
{
    static struct builder builder;
    static struct record record;
    struct record_format format = {.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN};
    begin(&builder, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
    put_word(&builder, 0x401000);
    put_word(&builder, count);
    for (uint64_t i = 0; i < count; i++)
        put_word(&builder, entries[i]);
    end(&builder);
    assert_int_equal(record_parse_as(builder.bytes, builder.size, &format, &record), 1);
    return record.sample;
}

static void user_part_of_call_chain_is_extracted(void **state)
{
    (void)state;
    uint64_t entry;
    static const uint64_t both[] = {(uint64_t)PERF_CONTEXT_KERNEL,
                                    0xffffffff81000000,
                                    (uint64_t)PERF_CONTEXT_USER,
                                    0x401000,
                                    0x402000,
                                    0x403000};
    struct sample sample = with_chain(both, 6);
    assert_int_equal(sample.chain_count, 3);
    memcpy(&entry, sample.chain, sizeof entry);
    assert_int_equal(entry, 0x401000);
    memcpy(&entry, sample.chain + 2 * sizeof entry, sizeof entry);
    assert_int_equal(entry, 0x403000);
    static const uint64_t guests[] = {(uint64_t)PERF_CONTEXT_USER, 0x401000,
                                      (uint64_t)PERF_CONTEXT_GUEST, 0x402000};
    assert_int_equal(with_chain(guests, 4).chain_count, 1);
    static const uint64_t twice[] = {(uint64_t)PERF_CONTEXT_USER,   0x401000,
                                     (uint64_t)PERF_CONTEXT_KERNEL, 0xffffffff81000000,
                                     (uint64_t)PERF_CONTEXT_USER,   0x402000};
    assert_int_equal(with_chain(twice, 6).chain_count, 1);
    assert_null(with_chain(both, 2).chain);
    assert_null(with_chain(both, 3).chain);
    assert_null(with_chain(both + 3, 3).chain); /* without a marker the owner is unknown */
    assert_null(with_chain(both, 0).chain);
}

/* Every variable-sized field precedes the fields that are read, in the order of the ABI. */
static void all_variable_sized_fields_are_skipped(void **state)
{
    struct record_format format = {
        .sample_type = usual | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_READ |
                       PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW | PERF_SAMPLE_BRANCH_STACK |
                       PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER | PERF_SAMPLE_WEIGHT |
                       PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_TRANSACTION | PERF_SAMPLE_REGS_INTR |
                       PERF_SAMPLE_PHYS_ADDR,
        .read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED,
        .branch_type = 1 << 17, /* hw_index */
        .regs_user = 1,
        .regs_intr = 3,
        .recorded_address = true};
    struct builder builder;
    struct record record;
    (void)state;
    begin(&builder, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER | PERF_RECORD_MISC_EXACT_IP);
    put_word(&builder, 77);
    put_word(&builder, 0x401000);
    put_pair(&builder, 10, 11);
    put_word(&builder, 5);
    put_word(&builder, 0xabc0);
    put_word(&builder, 77); /* ID */
    put_word(&builder, 78); /* STREAM_ID */
    put_pair(&builder, 3, 0);
    put_word(&builder, 10007);
    put_word(&builder, 2); /* READ: group of 2 */
    put_word(&builder, 1);
    for (int i = 0; i < 4; i++)
        put_word(&builder, 9);
    put_word(&builder, 3); /* CALLCHAIN */
    for (int i = 0; i < 3; i++)
        put_word(&builder, 9);
    put_pair(&builder, 4, 9); /* RAW: 4 bytes */
    put_word(&builder, 1);    /* BRANCH_STACK */
    for (int i = 0; i < 4; i++)
        put_word(&builder, 9);
    put_word(&builder, PERF_SAMPLE_REGS_ABI_64);
    put_word(&builder, 42); /* AX */
    put_word(&builder, 16); /* STACK_USER */
    put_word(&builder, 0x5eed);
    put_word(&builder, 9);
    put_word(&builder, 8);                       /* bytes of it that were filled */
    put_word(&builder, 300);                     /* WEIGHT */
    put_word(&builder, PERF_MEM_S(OP, LOAD));    /* DATA_SRC */
    put_word(&builder, 9);                       /* TRANSACTION */
    put_word(&builder, PERF_SAMPLE_REGS_ABI_64); /* REGS_INTR */
    put_word(&builder, 9);
    put_word(&builder, 9);
    put_word(&builder, 0x1234000); /* PHYS_ADDR */
    end(&builder);
    assert_int_equal(parse(&builder, &format, &record), 1);
    uint64_t on_stack = 0;
    assert_int_equal(record_parse_as(builder.bytes, builder.size, &format, &record), 1);
    assert_int_equal(record.sample.stack_bytes, sizeof on_stack);
    memcpy(&on_stack, record.sample.stack, sizeof on_stack);
    assert_int_equal(on_stack, 0x5eed);
    assert_int_equal(record.sample.regs[SREG_AX], 42);
    assert_int_equal(record.sample.latency, 300);
    assert_int_equal(record.sample.physical, 0x1234000);
    assert_int_equal(record.sample.address, 0xabc0);
    assert_int_equal(record.sample.has, SAMPLE_HAS_ADDRESS | SAMPLE_HAS_REGS | SAMPLE_HAS_LATENCY |
                                            SAMPLE_HAS_DATA_SRC | SAMPLE_HAS_PHYSICAL |
                                            SAMPLE_HAS_EXACT_IP);
    /* Truncated anywhere, the record is bad and is never read past its end. */
    for (size_t size = 8; size < builder.size; size++) {
        struct builder cut = builder;
        cut.size = size;
        end(&cut);
        assert_int_equal(parse(&cut, &format, &record), -EBADMSG);
    }
}

static void weight_struct_latency_is_low_half(void **state)
{
    struct record_format format = {.sample_type = usual | UINT64_C(1) << 24};
    struct builder builder;
    struct record record;
    (void)state;
    put_usual_head(&builder, 0);
    put_pair(&builder, 250, 0x00070008);
    end(&builder);
    assert_int_equal(parse(&builder, &format, &record), 1);
    assert_int_equal(record.sample.latency, 250);
}

static int address_with(uint64_t address, uint64_t data_src, bool recorded)
{
    struct record_format format = {.sample_type = usual | PERF_SAMPLE_DATA_SRC,
                                   .recorded_address = recorded};
    struct builder builder;
    struct record record;
    put_usual_head(&builder, address);
    put_word(&builder, data_src);
    end(&builder);
    assert_int_equal(parse(&builder, &format, &record), 1);
    return !!(record.sample.has & SAMPLE_HAS_ADDRESS);
}

/* IBS also tags operations that access no memory: their address is an old one (doc/facts.md). */
static void address_is_valid_for_memory_access_only(void **state)
{
    (void)state;
    assert_true(address_with(0x1000, PERF_MEM_S(OP, LOAD), true));
    assert_true(address_with(0x1000, PERF_MEM_S(OP, STORE), true));
    assert_true(address_with(0x1000, 0, true)); /* data source not known: no contradiction */
    assert_false(address_with(0x1000, PERF_MEM_S(OP, NA), true));
    assert_false(address_with(0, PERF_MEM_S(OP, LOAD), true));
    assert_false(address_with(0x1000, PERF_MEM_S(OP, LOAD), false));
}

static void cpu_modes_are_distinguished(void **state)
{
    struct record_format format = {.sample_type = PERF_SAMPLE_IP};
    static const struct {
        uint16_t misc;
        enum sample_mode mode;
    } cases[] = {{PERF_RECORD_MISC_USER, SAMPLE_USER},
                 {PERF_RECORD_MISC_KERNEL, SAMPLE_KERNEL},
                 {PERF_RECORD_MISC_HYPERVISOR, SAMPLE_OTHER_MODE},
                 {PERF_RECORD_MISC_GUEST_USER, SAMPLE_OTHER_MODE}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct builder builder;
        struct record record;
        begin(&builder, PERF_RECORD_SAMPLE, cases[i].misc);
        put_word(&builder, 1);
        end(&builder);
        assert_int_equal(parse(&builder, &format, &record), 1);
        assert_int_equal(record.sample.mode, cases[i].mode);
    }
}

static void put_trailer(struct builder *builder, uint64_t time_ns)
{
    put_pair(builder, 10, 11);
    put_word(builder, time_ns);
    put_pair(builder, 0, 0);
    put_word(builder, 77);
}

/* Strings point into the record, so the bytes must outlive the parse here. */
static void mapping_path_excludes_the_trailer(void **state)
{
    struct record_format format = {.sample_type = usual, .sample_id_all = true};
    struct builder builder;
    struct record record;
    (void)state;
    begin(&builder, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_DATA);
    put_pair(&builder, 10, 11);
    put_word(&builder, 0x7f0000000000);
    put_word(&builder, 0x2000);
    put_word(&builder, 0x1000);
    put_pair(&builder, 8, 1);
    put_word(&builder, 4711);
    put_word(&builder, 0);
    put_pair(&builder, 3, 2);
    put_string(&builder, "/lib/libx.so");
    put_trailer(&builder, 99);
    end(&builder);
    assert_int_equal(record_parse(builder.bytes, builder.size, one_format, &format, &record), 1);
    assert_int_equal(record.kind, RECORD_MAPPING);
    assert_int_equal(record.time_ns, 99);
    assert_int_equal(record.mapping.start, 0x7f0000000000);
    assert_int_equal(record.mapping.length, 0x2000);
    assert_int_equal(record.mapping.file_offset, 0x1000);
    assert_int_equal(record.mapping.device_major, 8);
    assert_int_equal(record.mapping.device_minor, 1);
    assert_int_equal(record.mapping.inode, 4711);
    assert_int_equal(record.mapping.protection, 3);
    assert_false(record.mapping.executable);
    assert_string_equal(record.mapping.path, "/lib/libx.so");
}

/* As written by kernels 3.12 to 3.15: the path is where later kernels write the protection. */
static void old_mapping_records_lack_protection(void **state)
{
    static const char *const paths[] = {"/lib/libx.so", "[vdso]", "//anon", ""};
    struct record_format format = {.sample_type = usual, .sample_id_all = true};
    struct builder builder;
    struct record record;
    (void)state;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        begin(&builder, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);
        put_pair(&builder, 10, 11);
        for (int j = 0; j < 3; j++)
            put_word(&builder, 0x1000);
        put_pair(&builder, 8, 1);
        put_word(&builder, 4711);
        put_word(&builder, 0);
        put_string(&builder, paths[i]);
        put_trailer(&builder, 99);
        end(&builder);
        assert_int_equal(record_parse(builder.bytes, builder.size, one_format, &format, &record),
                         1);
        assert_int_equal(record.mapping.inode, 4711);
        assert_int_equal(record.mapping.protection, 0);
        assert_true(record.mapping.executable);
        assert_string_equal(record.mapping.path, paths[i]);
    }
}

static void mapping_build_id_size_is_checked(void **state)
{
    struct record_format format = {.sample_type = 0};
    struct builder builder;
    struct record record;
    (void)state;
    for (unsigned size = 20; size <= 21; size++) {
        begin(&builder, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER | 1 << 14);
        put_pair(&builder, 10, 11);
        for (int i = 0; i < 3; i++)
            put_word(&builder, 0x1000);
        put_pair(&builder, size, 0x04030201);
        put_word(&builder, 5);
        put_word(&builder, 6);
        put_pair(&builder, 5, 2);
        put_string(&builder, "/x");
        end(&builder);
        assert_int_equal(parse(&builder, &format, &record), 1);
        assert_int_equal(record.mapping.build_id_size, size == 20 ? 20 : 0);
        assert_int_equal(record.mapping.build_id[0], 1);
        assert_int_equal(record.mapping.protection, 5);
        assert_true(record.mapping.executable);
    }
}

static void unterminated_string_is_refused(void **state)
{
    struct record_format format = {.sample_type = 0};
    struct builder builder;
    struct record record;
    (void)state;
    begin(&builder, PERF_RECORD_COMM, 0);
    put_pair(&builder, 10, 11);
    put_word(&builder, UINT64_C(0x4141414141414141));
    end(&builder);
    assert_int_equal(parse(&builder, &format, &record), -EBADMSG);
    /* The zeros of the trailer must not end the name before it. */
    struct record_format trailing = {.sample_type = usual, .sample_id_all = true};
    put_trailer(&builder, 6);
    end(&builder);
    assert_int_equal(parse(&builder, &trailing, &record), -EBADMSG);
    builder.size = 16; /* no room for a name */
    end(&builder);
    assert_int_equal(parse(&builder, &format, &record), -EBADMSG);
}

static void fork_comm_and_lost_records_are_parsed(void **state)
{
    struct record_format format = {.sample_type = usual, .sample_id_all = true};
    struct builder builder;
    struct record record;
    (void)state;
    begin(&builder, PERF_RECORD_FORK, 0);
    put_pair(&builder, 20, 10);
    put_pair(&builder, 21, 11);
    put_word(&builder, 5);
    put_trailer(&builder, 6);
    end(&builder);
    assert_int_equal(parse(&builder, &format, &record), 1);
    assert_int_equal(record.kind, RECORD_FORK);
    assert_int_equal(record.pid, 20);
    assert_int_equal(record.tid, 21);
    assert_int_equal(record.fork.parent_pid, 10);
    assert_int_equal(record.fork.parent_tid, 11);
    assert_int_equal(record.time_ns, 6);

    begin(&builder, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC);
    put_pair(&builder, 10, 11);
    put_string(&builder, "xz");
    put_trailer(&builder, 6);
    end(&builder);
    assert_int_equal(record_parse(builder.bytes, builder.size, one_format, &format, &record), 1);
    assert_true(record.comm.exec);
    assert_string_equal(record.comm.name, "xz");

    begin(&builder, PERF_RECORD_LOST, 0);
    put_word(&builder, 77);
    put_word(&builder, 1234);
    put_trailer(&builder, 6);
    end(&builder);
    assert_int_equal(parse(&builder, &format, &record), 1);
    assert_int_equal(record.kind, RECORD_LOST);
    assert_int_equal(record.count, 1234);

    begin(&builder, PERF_RECORD_LOST_SAMPLES, 0);
    put_word(&builder, 5);
    put_trailer(&builder, 6);
    end(&builder);
    assert_int_equal(parse(&builder, &format, &record), 1);
    assert_int_equal(record.count, 5);

    begin(&builder, PERF_RECORD_THROTTLE, 0);
    for (int i = 0; i < 3; i++)
        put_word(&builder, 1);
    put_trailer(&builder, 6);
    end(&builder);
    assert_int_equal(parse(&builder, &format, &record), 1);
    assert_int_equal(record.kind, RECORD_THROTTLE);
}

/* Events that share a ring are distinguished by IDENTIFIER: first in samples, last in other
 * records. */
struct seen_id {
    struct record_format format;
    uint64_t id;
};

static const struct record_format *note_id(void *context, uint64_t id, bool has_id)
{
    struct seen_id *seen = context;
    seen->id = has_id ? id : 0;
    return &seen->format;
}

static void record_id_is_found_at_either_end(void **state)
{
    struct seen_id seen = {.format = {.sample_type = usual, .sample_id_all = true}};
    struct builder builder;
    struct record record;
    (void)state;
    put_usual_head(&builder, 0);
    end(&builder);
    record_parse(builder.bytes, builder.size, note_id, &seen, &record);
    assert_int_equal(seen.id, 77);
    seen.id = 0;
    begin(&builder, PERF_RECORD_LOST_SAMPLES, 0);
    put_word(&builder, 5);
    put_trailer(&builder, 6);
    end(&builder);
    record_parse(builder.bytes, builder.size, note_id, &seen, &record);
    assert_int_equal(seen.id, 77);
}

static void implausible_record_headers_are_refused(void **state)
{
    struct record_format format = {.sample_type = usual};
    struct builder builder;
    struct record record;
    (void)state;
    put_usual_head(&builder, 0);
    for (uint16_t size = 0; size < 8; size++) {
        memcpy(builder.bytes + 6, &size, 2);
        assert_int_equal(parse(&builder, &format, &record), -EBADMSG);
    }
    uint16_t longer = (uint16_t)(builder.size + 8);
    memcpy(builder.bytes + 6, &longer, 2);
    assert_int_equal(parse(&builder, &format, &record), -EBADMSG);
    assert_int_equal(record_parse(builder.bytes, 7, one_format, &format, &record), -EBADMSG);
}

static int run_record(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sample_registers_are_mapped_to_sreg),
        cmocka_unit_test(other_registers_do_not_shift_known_ones),
        cmocka_unit_test(samples_without_register_abi_have_none),
        cmocka_unit_test(registers_of_32_bit_code_are_ignored),
        cmocka_unit_test(user_part_of_call_chain_is_extracted),
        cmocka_unit_test(all_variable_sized_fields_are_skipped),
        cmocka_unit_test(weight_struct_latency_is_low_half),
        cmocka_unit_test(address_is_valid_for_memory_access_only),
        cmocka_unit_test(cpu_modes_are_distinguished),
        cmocka_unit_test(mapping_path_excludes_the_trailer),
        cmocka_unit_test(old_mapping_records_lack_protection),
        cmocka_unit_test(mapping_build_id_size_is_checked),
        cmocka_unit_test(unterminated_string_is_refused),
        cmocka_unit_test(fork_comm_and_lost_records_are_parsed),
        cmocka_unit_test(record_id_is_found_at_either_end),
        cmocka_unit_test(implausible_record_headers_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* A sample with every possible field, in either byte order, complete and truncated. */

enum { ALL_FIELDS = (1 << 24) - 1, WEIGHT_STRUCT = 1 << 24 };

static struct record_format format_with_all_fields(bool swap)
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

static void put_words(struct recording *recording, uint64_t first, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        recording_u64(recording, first + i);
}

static void put_middle(struct recording *recording)
{
    recording_u64(recording, 2); /* READ: two members */
    put_words(recording, 0, 2 + 2 * 3);
    recording_u64(recording, 3); /* CALLCHAIN */
    put_words(recording, 0x401000, 3);
    recording_u32(recording, 12); /* RAW */
    for (uint32_t i = 0; i < 3; i++)
        recording_u32(recording, i);
    recording_u64(recording, 2); /* BRANCH_STACK */
    recording_u64(recording, 7);
    put_words(recording, 0, 2 * 3 + 2);
}

static void put_everything(struct recording *recording, bool swap)
{
    memset(recording, 0, sizeof *recording);
    recording->swap = swap;
    recording_begin(recording, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
    put_words(recording, 77, 1);       /* IDENTIFIER */
    put_words(recording, 0x401234, 1); /* IP */
    recording_u32(recording, 10);
    recording_u32(recording, 11);
    put_words(recording, 123456789, 1); /* TIME */
    put_words(recording, 0x7f0010, 1);  /* ADDR */
    put_words(recording, 77, 2);        /* ID, STREAM_ID */
    recording_u32(recording, 5);        /* CPU */
    recording_u32(recording, 0xffffffff);
    put_words(recording, 10007, 1); /* PERIOD */
    put_middle(recording);
    recording_u64(recording, PERF_SAMPLE_REGS_ABI_64);
    put_words(recording, 100, 21);
    recording_u64(recording, 16); /* STACK_USER */
    put_words(recording, 0, 3);
    recording_u64(recording, UINT64_C(0x0003000200000000) | 321); /* WEIGHT_STRUCT */
    recording_u64(recording, 0x5080142);                          /* DATA_SRC */
    recording_u64(recording, 1);                                  /* TRANSACTION */
    recording_u64(recording, PERF_SAMPLE_REGS_ABI_64);            /* REGS_INTR */
    put_words(recording, 900, 3);
    put_words(recording, 0x1234000, 1); /* PHYS_ADDR */
    put_words(recording, 1, 3);         /* CGROUP, DATA_PAGE_SIZE, CODE_PAGE_SIZE */
    recording_u64(recording, 8);        /* AUX */
    recording_u64(recording, 0);
    recording_end(recording);
}

static void record_fields_are_read_in_either_byte_order(void **state)
{
    static struct recording recording;
    (void)state;
    for (int swap = 0; swap < 2; swap++) {
        struct record_format format = format_with_all_fields(swap);
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
        assert_int_equal(sample->regs[SREG_R8], 112); /* after two segment registers */
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

/* A record with a size that is some words too small lacks a field, whichever it is. */
static void record_truncated_in_any_field_is_refused(void **state)
{
    static struct recording recording;
    struct record_format format = format_with_all_fields(false);
    struct record record;
    (void)state;
    put_everything(&recording, false);
    for (size_t size = 8; size < recording.size; size += 8) {
        unsigned char *copy = malloc(size);
        uint16_t reported = (uint16_t)size;
        memcpy(copy, recording.bytes, size);
        memcpy(copy + 6, &reported, sizeof reported);
        assert_int_equal(record_parse_as(copy, size, &format, &record), -EBADMSG);
        free(copy);
    }
}

/* A count that exceeds the record must not be multiplied and trusted. */
static void implausible_field_counts_are_refused(void **state)
{
    static struct recording recording;
    struct record_format format = format_with_all_fields(false);
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

static void interrupt_registers_are_used_without_user_registers(void **state)
{
    (void)state;
    struct sample sample = with_registers(0, PERF_RECORD_MISC_USER, false);
    assert_int_equal(sample.has, SAMPLE_HAS_REGS);
    assert_int_equal(sample.regs[SREG_AX], 2);
    sample = with_registers(PERF_SAMPLE_REGS_USER, PERF_RECORD_MISC_USER, false);
    assert_int_equal(sample.regs[SREG_AX], 1);
    /* Kernel registers are not the user's. */
    assert_int_equal(with_registers(0, PERF_RECORD_MISC_KERNEL, false).has, 0);
    /* The register numbers of another architecture have another meaning here. */
    assert_int_equal(with_registers(0, PERF_RECORD_MISC_USER, true).has, SAMPLE_HAS_FOREIGN_REGS);
    assert_int_equal(with_registers(PERF_SAMPLE_REGS_USER, PERF_RECORD_MISC_USER, true).has,
                     SAMPLE_HAS_FOREIGN_REGS);
}

/* Unneeded records and unknown types are skipped and do not count as damage. */
static void other_record_types_are_skipped(void **state)
{
    static struct recording recording;
    struct record_format format = format_with_all_fields(false);
    struct record record;
    (void)state;
    format.sample_id_all = true;
    for (uint32_t type = PERF_RECORD_AUX; type < 30; type++) {
        if (type == PERF_RECORD_LOST_SAMPLES)
            continue;
        memset(&recording, 0, sizeof recording);
        recording_begin(&recording, type, 0);
        put_words(&recording, 1, 12);
        recording_end(&recording);
        assert_int_equal(record_parse_as(recording.bytes, recording.size, &format, &record), 0);
    }
}

/* Random records of random formats, some truncated, some with registers of 32-bit code or none. */
static void record_survey_agrees_with_parsing(void **state)
{
    static const uint64_t fields[] = {
        PERF_SAMPLE_IDENTIFIER, PERF_SAMPLE_IP,        PERF_SAMPLE_TID,       PERF_SAMPLE_TIME,
        PERF_SAMPLE_ADDR,       PERF_SAMPLE_ID,        PERF_SAMPLE_STREAM_ID, PERF_SAMPLE_CPU,
        PERF_SAMPLE_PERIOD,     PERF_SAMPLE_REGS_USER, PERF_SAMPLE_WEIGHT,    PERF_SAMPLE_DATA_SRC,
        PERF_SAMPLE_REGS_INTR,  PERF_SAMPLE_PHYS_ADDR};
    struct prng prng = {7};
    unsigned surveyed = 0;
    unsigned addresses = 0;
    unsigned registers = 0;
    (void)state;
    for (int i = 0; i < 20000; i++) {
        uint64_t random = prng_next(&prng);
        struct record_format format = {.regs_user = random >> 20 & 0xff,
                                       .regs_intr = random >> 30 & 0xff,
                                       .recorded_address = random >> 40 & 1,
                                       .no_data_source = random >> 41 & 1,
                                       .foreign_regs = (random >> 42 & 7) == 0};
        for (size_t k = 0; k < sizeof fields / sizeof *fields; k++)
            format.sample_type |= random >> k & 1 ? fields[k] : 0;
        record_find_places(&format);
        assert_true(format.places.size);
        struct builder builder;
        begin(&builder, PERF_RECORD_SAMPLE,
              random >> 50 & 1 ? PERF_RECORD_MISC_USER : PERF_RECORD_MISC_KERNEL);
        for (uint64_t words = random >> 51 & 63; words; words--)
            put_word(&builder, prng_next(&prng) & 3);
        end(&builder);
        struct perf_event_header header = record_header(builder.bytes, builder.size, false);
        struct record_survey survey;
        struct record record;
        bool known = record_survey(builder.bytes, &header, &format, &survey);
        int code = record_parse_as(builder.bytes, builder.size, &format, &record);
        assert_int_equal(known, code == 1);
        if (!known)
            continue;
        assert_int_equal(survey.brief.pid, record.pid);
        assert_int_equal(survey.brief.time_ns, record.time_ns);
        assert_int_equal(survey.address, !!(record.sample.has & SAMPLE_HAS_ADDRESS));
        assert_int_equal(survey.registers, !!(record.sample.has & SAMPLE_HAS_REGS));
        surveyed++;
        addresses += survey.address;
        registers += survey.registers;
    }
    assert_true(surveyed > 1000 && addresses > 100 && registers > 100);
}

static int run_record_fields(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(record_fields_are_read_in_either_byte_order),
        cmocka_unit_test(record_truncated_in_any_field_is_refused),
        cmocka_unit_test(implausible_field_counts_are_refused),
        cmocka_unit_test(interrupt_registers_are_used_without_user_registers),
        cmocka_unit_test(other_record_types_are_skipped),
        cmocka_unit_test(record_survey_agrees_with_parsing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

enum { DATA = 4096 };

struct fixture {
    struct ring ring;
    struct perf_event_mmap_page *page;
    unsigned char *data;
};

static int set_up(void **state)
{
    static struct fixture fixture;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    fixture.page = aligned_alloc(page, page + DATA);
    memset(fixture.page, 0, page + DATA);
    fixture.data = (unsigned char *)fixture.page + page;
    fixture.ring = (struct ring){.memory = fixture.page, .data_bytes = DATA};
    *state = &fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;
    free(fixture->page);
    return 0;
}

/* Writes like the kernel: the bytes first, wrapping, then the head. */
static void put(struct fixture *fixture, uint16_t size, unsigned char fill)
{
    unsigned char record[DATA];
    struct perf_event_header header = {.type = PERF_RECORD_SAMPLE, .size = size};
    memset(record, fill, sizeof record);
    memcpy(record, &header, sizeof header);
    for (size_t i = 0; i < size; i++)
        fixture->data[(fixture->page->data_head + i) % DATA] = record[i];
    fixture->page->data_head += size;
}

static void empty_ring_has_no_record(void **state)
{
    struct fixture *fixture = *state;
    unsigned char out[DATA];
    assert_int_equal(ring_next(&fixture->ring, out, sizeof out), 0);
}

static void wrapped_records_are_read_whole(void **state)
{
    struct fixture *fixture = *state;
    unsigned char out[DATA];
    for (unsigned i = 0; i < 500; i++) {
        unsigned char fill = (unsigned char)(i + 1);
        put(fixture, 1000, fill);
        assert_int_equal(ring_next(&fixture->ring, out, sizeof out), 1000);
        for (size_t at = 8; at < 1000; at++)
            assert_int_equal(out[at], fill);
        ring_release(&fixture->ring);
        assert_int_equal(fixture->page->data_tail, fixture->page->data_head);
    }
}

/* A header of 8 bytes may itself wrap: records are multiples of 8, but sizes are not trusted. */
static void wrapped_record_header_is_read(void **state)
{
    struct fixture *fixture = *state;
    unsigned char out[DATA];
    fixture->page->data_head = fixture->ring.tail = DATA - 4;
    put(fixture, 24, 9);
    assert_int_equal(ring_next(&fixture->ring, out, sizeof out), 24);
    assert_int_equal(out[23], 9);
}

static void ring_space_is_freed_on_release_only(void **state)
{
    struct fixture *fixture = *state;
    unsigned char out[DATA];
    put(fixture, 64, 1);
    ring_next(&fixture->ring, out, sizeof out);
    assert_int_equal(fixture->page->data_tail, 0);
    ring_release(&fixture->ring);
    assert_int_equal(fixture->page->data_tail, 64);
}

static void expect_record_skipped(struct fixture *fixture, size_t out_size)
{
    unsigned char out[DATA];
    assert_int_equal(ring_next(&fixture->ring, out, out_size), -EBADMSG);
    assert_int_equal(ring_next(&fixture->ring, out, out_size), 0);
}

static void implausible_ring_record_sizes_are_skipped(void **state)
{
    struct fixture *fixture = *state;
    put(fixture, 64, 1);
    fixture->data[6] = fixture->data[7] = 0; /* size 0 */
    expect_record_skipped(fixture, DATA);
    put(fixture, 64, 1);
    fixture->data[64 + 6] = 7; /* shorter than its header */
    expect_record_skipped(fixture, DATA);
    put(fixture, 64, 1);
    fixture->data[128 + 7] = 0xff; /* longer than the available bytes */
    expect_record_skipped(fixture, DATA);
    put(fixture, 64, 1); /* longer than the buffer */
    expect_record_skipped(fixture, 32);
    fixture->page->data_head += DATA + 8; /* more available than the ring holds */
    expect_record_skipped(fixture, DATA);
    fixture->page->data_head += 4; /* less available than a header */
    expect_record_skipped(fixture, DATA);
    fixture->page->data_head -= 4; /* the head went backwards */
    expect_record_skipped(fixture, DATA);
}

static int run_ring(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(empty_ring_has_no_record, set_up, tear_down),
        cmocka_unit_test_setup_teardown(wrapped_records_are_read_whole, set_up, tear_down),
        cmocka_unit_test_setup_teardown(wrapped_record_header_is_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(ring_space_is_freed_on_release_only, set_up, tear_down),
        cmocka_unit_test_setup_teardown(implausible_ring_record_sizes_are_skipped, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(void)
{
    int failed = 0;
    failed += run_record();
    failed += run_record_fields();
    failed += run_ring();
    return failed;
}
