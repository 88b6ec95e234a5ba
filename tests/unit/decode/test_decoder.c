/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Instruction bytes and registers in, addresses and reasons out; also random bytes. */
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "decode/decoder.h"
#include "decode/insn.h"
#include "unit.h"

enum { CODE_BASE = 0x400000, DATA_BASE = 0x10000, FUZZ_RUNS = 30000 };

struct fake {
    unsigned char code[512];
    size_t size;
    bool bounds; /* the bounds of the function are known */
    uint64_t data[64];
};

static size_t fake_code(void *context, uint64_t address, void *out, size_t size)
{
    const struct fake *fake = context;
    if (address < CODE_BASE || address >= CODE_BASE + fake->size)
        return 0;
    size_t left = CODE_BASE + fake->size - address;
    size = size < left ? size : left;
    memcpy(out, fake->code + (address - CODE_BASE), size);
    return size;
}

static bool fake_function(void *context, uint64_t ip, uint64_t *start, uint64_t *end)
{
    const struct fake *fake = context;
    (void)ip;
    *start = CODE_BASE;
    *end = CODE_BASE + fake->size;
    return fake->bounds;
}

static bool fake_memory(void *context, uint64_t address, void *out, size_t size)
{
    const struct fake *fake = context;
    if (address < DATA_BASE || address + size > DATA_BASE + sizeof fake->data)
        return false;
    memcpy(out, (const char *)fake->data + (address - DATA_BASE), size);
    return true;
}

static unsigned has_more; /* enum sample_has, in addition to registers */

static struct access decode(struct fake *fake, const char *bytes, size_t size, uint64_t ip,
                            const uint64_t *regs)
{
    struct decode_target target = {
        .context = fake, .code = fake_code, .function = fake_function, .memory = fake_memory};
    struct sample sample = {
        .ip = CODE_BASE + ip, .weight = 1, .has = (uint16_t)(SAMPLE_HAS_REGS | has_more)};
    struct access access;
    memcpy(fake->code, bytes, size);
    fake->size = size;
    fake->bounds = true;
    memcpy(sample.regs, regs, sizeof sample.regs);
    struct decoder *decoder = decoder_new(&target);
    decoder_decode(decoder, &sample, &access);
    decoder_free(decoder);
    return access;
}

#define DECODE(fake, bytes, ip, regs) decode(fake, bytes, sizeof(bytes) - 1, ip, regs)

/* Same as decode(), for a sample without some registers. */
static struct access decode_without(struct fake *fake, const char *bytes, size_t size, uint64_t ip,
                                    uint32_t missing, uint16_t has)
{
    struct decode_target target = {.context = fake, .code = fake_code, .function = fake_function};
    struct sample sample = {.ip = CODE_BASE + ip,
                            .weight = 1,
                            .has = has,
                            .regs = {[SREG_SI] = 0x1000, [SREG_DX] = 4},
                            .regs_missing = missing};
    struct access access;
    memcpy(fake->code, bytes, size);
    fake->size = size;
    fake->bounds = true;
    struct decoder *decoder = decoder_new(&target);
    decoder_decode(decoder, &sample, &access);
    decoder_free(decoder);
    return access;
}

/* perf record --intr-regs=ax,si: registers that were not recorded must not count as 0. */
static void unrecorded_registers_are_not_used(void **state)
{
    (void)state;
    struct fake fake = {0};
    static const char load[] = "\xf2\x0f\x58\x04\xd6\x48\x39\xc2"; /* as below */
    static const char undone[] =
        "\x48\x8b\x06\x48\x83\xc6\x08\x90"; /* mov (%rsi),%rax; add $8,%rsi */
    assert_int_equal(decode_without(&fake, load, 8, 5, 1u << SREG_R15, SAMPLE_HAS_REGS).address,
                     0x1020);
    assert_int_equal(decode_without(&fake, load, 8, 5, 1u << SREG_DX, SAMPLE_HAS_REGS).reason,
                     REASON_NO_REGISTERS);
    assert_int_equal(decode_without(&fake, undone, 8, 7, 0, SAMPLE_HAS_REGS).address, 0xff8);
    assert_int_equal(decode_without(&fake, undone, 8, 7, 1u << SREG_SI, SAMPLE_HAS_REGS).reason,
                     REASON_NO_REGISTERS);
    assert_int_equal(decode_without(&fake, load, 8, 5, 0, SAMPLE_HAS_FOREIGN_REGS).reason,
                     REASON_NOT_X86_64);
    assert_int_equal(decode_without(&fake, load, 8, 5, 0, 0).reason, REASON_NO_REGISTERS);
}

static void load_before_the_sampled_instruction_is_found(void **state)
{
    (void)state;
    struct fake fake = {0};
    uint64_t regs[SREG_COUNT] = {[SREG_SI] = 0x1000, [SREG_DX] = 4};
    /* addsd (%rsi,%rdx,8),%xmm0; cmp %rax,%rdx */
    struct access access = DECODE(&fake, "\xf2\x0f\x58\x04\xd6\x48\x39\xc2", 5, regs);
    assert_int_equal(access.reason, REASON_NONE);
    assert_int_equal(access.address, 0x1020);
    assert_int_equal(access.kind, ACCESS_LOAD);
    assert_int_equal(access.size, 8);
    assert_int_equal(access.how, ACCESS_DIRECT);
    assert_int_equal(access.ip, CODE_BASE);
}

/* Each code ends with a return; the sample is after the load, at `after`. */
static void spin_loops_set_waits(void **state)
{
    static const struct {
        const char *name;
        const char *bytes;
        size_t size;
        uint64_t after;
        bool waits;
    } loops[] = {
#define LOOP(name, bytes, after, waits) {name, bytes, sizeof(bytes) - 1, after, waits}
        LOOP("load, test, count", "\x48\x8b\x07\x48\x85\xc0\x75\x04\xff\xc9\x75\xf4\xc3", 3, true),
        LOOP("pause, compare", "\xf3\x90\x83\x3f\x00\x74\xf9\xc3", 5, true),
        LOOP("the pointer loaded again", "\x48\x8b\x56\x08\x83\x3a\x00\x74\xf7\xc3", 7, true),
        LOOP("a counter in memory", "\x48\x8b\x07\x48\x83\xc0\x01\x48\x89\x07\xff\xc9\x75\xf2\xc3",
             3, false),
        LOOP("the same in one", "\x83\x07\x01\xff\xc9\x75\xf9\xc3", 3, false),
        LOOP("a sum beside", "\x83\x3f\x00\xf2\x0f\x58\xc1\x75\xf7\xc3", 3, false),
        LOOP("a sum", "\x8b\x07\x01\xc2\xff\xc9\x75\xf8\xc3", 2, false),
        LOOP("a sum of doubles", "\xf2\x0f\x58\x07\xff\xc9\x75\xf8\xc3", 4, false),
        LOOP("the same in two", "\xf2\x0f\x10\x0f\xf2\x0f\x58\xc1\xff\xc9\x75\xf4\xc3", 4, false),
        LOOP("through an array", "\x83\x3f\x00\x74\x06\x48\x83\xc7\x04\xeb\xf5\xc3", 3, false),
        LOOP("down a list", "\x48\x8b\x3f\x48\x85\xff\x75\xf8\xc3", 3, false),
        LOOP("down a list, in two", "\x48\x8b\x07\x48\x89\xc7\x48\x85\xff\x75\xf5\xc3", 3, false),
        LOOP("no loop", "\x48\x8b\x07\x48\x85\xc0\xc3", 3, false),
#undef LOOP
    };
    (void)state;
    uint64_t regs[SREG_COUNT] = {
        [SREG_DI] = DATA_BASE, [SREG_SI] = DATA_BASE, [SREG_DX] = DATA_BASE, [SREG_CX] = 5};
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) {
        struct fake fake = {.size = 0};
        struct access access = decode(&fake, loops[i].bytes, loops[i].size, loops[i].after, regs);
        if (access.is_spinning != loops[i].waits)
            print_error("loop '%s':\n", loops[i].name);
        assert_int_equal(access.is_spinning, loops[i].waits);
    }
}

/* addsd 8(%rsp), with or without a call in the loop; also with another base register. */
static void stack_slot_in_calling_loop_sets_kept(void **state)
{
    static const struct {
        const char *bytes;
        size_t size;
        bool kept;
    } loops[] = {
#define LOOP(bytes, kept) {bytes, sizeof(bytes) - 1, kept}
        LOOP("\xf2\x0f\x58\x44\x24\x08\xff\xd3\xff\xc9\x75\xf4\xc3", true),
        LOOP("\xf2\x0f\x58\x44\x24\x08\x90\x90\xff\xc9\x75\xf4\xc3", false),
        LOOP("\xf2\x0f\x58\x47\x08\x90\xff\xd3\xff\xc9\x75\xf4\xc3", false),
        LOOP("\xf2\x0f\x58\x44\x24\x08\xff\xd3\xff\xc9\x90\x90\xc3", false),
#undef LOOP
    };
    (void)state;
    uint64_t regs[SREG_COUNT] = {[SREG_DI] = DATA_BASE, [SREG_SP] = DATA_BASE};
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) {
        struct fake fake = {.size = 0};
        uint64_t after = i == 2 ? 5 : 6;
        struct access access = decode(&fake, loops[i].bytes, loops[i].size, after, regs);
        assert_int_equal(access.size, 8);
        assert_int_equal(access.is_spill_slot, loops[i].kept);
    }
}

/* addsd 8(%rsp), then a store of the sum to that slot, to the next slot, or no store; dec %ecx;
 * jne. */
static void stack_slot_written_in_its_loop_sets_rewritten(void **state)
{
    static const struct {
        const char *bytes;
        bool rewritten;
    } loops[] = {
        {"\xf2\x0f\x58\x44\x24\x08\xf2\x0f\x11\x44\x24\x08\xff\xc9\x75\xf0\xc3", true},
        {"\xf2\x0f\x58\x44\x24\x08\xf2\x0f\x11\x44\x24\x10\xff\xc9\x75\xf0\xc3", false},
        {"\xf2\x0f\x58\x44\x24\x08\xf2\x0f\x10\x44\x24\x08\xff\xc9\x75\xf0\xc3", false},
    };
    (void)state;
    uint64_t regs[SREG_COUNT] = {[SREG_SP] = DATA_BASE};
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) {
        struct fake fake = {.size = 0};
        struct access access = decode(&fake, loops[i].bytes, 17, 6, regs);
        assert_int_equal(access.size, 8);
        assert_int_equal(access.is_stored_in_loop, loops[i].rewritten);
    }
}

static void pointer_chasing_loop_sets_chases(void **state)
{
    static const struct {
        const char *name;
        const char *bytes;
        size_t size;
        uint64_t after;
        bool chases;
    } loops[] = {
#define LOOP(name, bytes, after, chases) {name, bytes, sizeof(bytes) - 1, after, chases}
        LOOP("down a list", "\x48\x8b\x3f\x48\x85\xff\x75\xf8\xc3", 3, true),
        LOOP("in two", "\x48\x8b\x07\x48\x89\xc7\x48\x85\xff\x75\xf5\xc3", 3, true),
        LOOP("another field", "\x83\x7f\x08\x00\x48\x8b\x3f\x48\x85\xff\x75\xf4\xc3", 4, true),
        LOOP("later", "\x48\x8b\x3f\x48\xff\xc2\x48\x85\xff\x75\xf5\xc3", 6, false),
        LOOP("through an array", "\x83\x3f\x00\x74\x06\x48\x83\xc7\x04\xeb\xf5\xc3", 3, false),
        LOOP("the pointer from one place", "\x48\x8b\x56\x08\x83\x3a\x00\x74\xf7\xc3", 7, false),
        LOOP("no loop", "\x48\x8b\x07\x48\x8b\x00\xc3", 6, false),
#undef LOOP
    };
    (void)state;
    uint64_t regs[SREG_COUNT] = {
        [SREG_DI] = DATA_BASE, [SREG_SI] = DATA_BASE, [SREG_DX] = DATA_BASE, [SREG_AX] = DATA_BASE};
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) {
        struct fake fake = {.size = 0};
        struct access access = decode(&fake, loops[i].bytes, loops[i].size, loops[i].after, regs);
        if (access.is_pointer_chase != loops[i].chases)
            print_error("loop '%s':\n", loops[i].name);
        assert_int_equal(access.is_pointer_chase, loops[i].chases);
    }
}

/* addsd (%rdi,%rax,8); inc %rax, with or without xor %eax,%eax before; and the same with a store of
 * the sum. */
static void sequential_accesses_to_a_line_set_again(void **state)
{
    static const char sum[] = "\x31\xc0\xf2\x0f\x58\x04\xc7\x48\xff\xc0\x48\x39\xf0\x75\xf3\xc3";
    static const char sum_stored[] =
        "\x31\xc0\xf2\x0f\x58\x04\xc7\xf2\x0f\x11\x04\xc7\x48\xff\xc0\x48\x39\xf0\x75\xee"
        "\xc3";
    (void)state;
    for (uint64_t i = 0; i < 24; i++) {
        uint64_t regs[SREG_COUNT] = {[SREG_DI] = DATA_BASE, [SREG_AX] = i, [SREG_SI] = 24};
        struct fake fake = {.size = 0};
        struct access access = decode(&fake, sum, sizeof sum - 1, 7, regs);
        assert_int_equal(access.per_line_log2, i ? 3 : 0);
        assert_int_equal(access.line_was_accessed, i % 8 != 0);
        fake = (struct fake){.size = 0};
        access = decode(&fake, sum + 2, sizeof sum - 3, 5, regs);
        assert_int_equal(access.per_line_log2, 0);
        fake = (struct fake){.size = 0};
        access = decode(&fake, sum_stored, sizeof sum_stored - 1, 12, regs);
        assert_true(access.kind == ACCESS_STORE && access.line_was_accessed);
    }
    /* Starting in the middle of a line, the first access is the first of its line. */
    uint64_t regs[SREG_COUNT] = {[SREG_DI] = DATA_BASE + 32, [SREG_SI] = 24};
    struct fake fake = {.size = 0};
    assert_false(decode(&fake, sum, sizeof sum - 1, 7, regs).line_was_accessed);
    regs[SREG_AX] = 1;
    fake = (struct fake){.size = 0};
    assert_true(decode(&fake, sum, sizeof sum - 1, 7, regs).line_was_accessed);
}

/* addsd (%rdi,%rax,8); inc %rcx; mulsd %xmm0,%xmm0: samples two instructions after the access. */
static void sequential_accesses_are_recognised_despite_skid(void **state)
{
    static const char sum[] = "\x31\xc0\xf2\x0f\x58\x04\xc7\x48\xff\xc1\xf2\x0f\x59\xc0"
                              "\x48\xff\xc0\x48\x39\xf0\x75\xec\xc3";
    (void)state;
    for (uint64_t i = 1; i < 24; i++) {
        uint64_t regs[SREG_COUNT] = {[SREG_DI] = DATA_BASE, [SREG_AX] = i, [SREG_SI] = 24};
        struct fake fake = {.size = 0};
        struct access access = decode(&fake, sum, sizeof sum - 1, 10, regs);
        assert_int_equal(access.address, DATA_BASE + i * 8);
        assert_int_equal(access.per_line_log2, 3);
        assert_int_equal(access.line_was_accessed, i % 8 != 0);
    }
}

/* An access after others by the same registers; `at` is the offset of (%rdi) in its line. */
static void access_after_another_to_its_line_sets_again(void **state)
{
    static const struct {
        const char *name;
        const char *bytes;
        size_t size;
        uint64_t after;
        uint64_t at;
        bool again;
    } codes[] = {
#define CODE(name, bytes, after, at, again) {name, bytes, sizeof(bytes) - 1, after, at, again}
        /* mov (%rdi),%rax; mov 8(%rdi),%rdx; ret */
        CODE("the first", "\x48\x8b\x07\x48\x8b\x57\x08\xc3", 3, 0, false),
        CODE("the second", "\x48\x8b\x07\x48\x8b\x57\x08\xc3", 7, 0, true),
        CODE("on the next line", "\x48\x8b\x07\x48\x8b\x57\x08\xc3", 7, 56, false),
        CODE("beside the first's end", "\x48\x8b\x07\x48\x8b\x57\x08\xc3", 7, 57, true),
        CODE("over a line's end", "\x48\x8b\x07\x48\x8b\x57\x04\xc3", 7, 56, false),
        /* mov 8(%rdi),%rax; mov (%rdi),%rdx; ret */
        CODE("below", "\x48\x8b\x47\x08\x48\x8b\x17\xc3", 7, 48, true),
        CODE("below, on another line", "\x48\x8b\x47\x08\x48\x8b\x17\xc3", 7, 56, false),
        /* mov %rax,(%rdi): a store may still be pending */
        CODE("after a store", "\x48\x89\x07\x48\x8b\x57\x08\xc3", 7, 0, false),
        CODE("a store", "\x48\x8b\x07\x48\x89\x57\x08\xc3", 7, 0, true),
        /* mov (%rdi),%rdi; mov 8(%rdi),%rdx; ret */
        CODE("another register's value", "\x48\x8b\x3f\x48\x8b\x57\x08\xc3", 7, 0, false),
        CODE("another register", "\x48\x8b\x06\x48\x8b\x57\x08\xc3", 7, 0, false),
        /* mov (%rdi),%rax; call *%rax; mov 8(%rdi),%rdx; ret */
        CODE("after a call", "\x48\x8b\x07\xff\xd0\x48\x8b\x57\x08\xc3", 9, 0, false),
        /* mov (%rdi),%rax; mov 8(%rdi),%rdx; jne to the second mov */
        CODE("where a jump leads", "\x48\x8b\x07\x48\x8b\x57\x08\x75\xfa\xc3", 7, 0, false),
#undef CODE
    };
    (void)state;
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        uint64_t regs[SREG_COUNT] = {[SREG_DI] = DATA_BASE + codes[i].at, [SREG_SI] = DATA_BASE};
        struct fake fake = {.size = 0};
        struct access access = decode(&fake, codes[i].bytes, codes[i].size, codes[i].after, regs);
        if (access.line_was_accessed != codes[i].again || access.reason)
            print_error("code '%s':\n", codes[i].name);
        assert_false(access.reason);
        assert_int_equal(access.line_was_accessed, codes[i].again);
    }
}

static void atomic_instructions_set_locked(void **state)
{
    (void)state;
    struct fake fake = {0};
    uint64_t regs[SREG_COUNT] = {[SREG_DI] = 0x1000};
    /* lock incq 8(%rdi); nop */
    struct access access = DECODE(&fake, "\xf0\x48\xff\x47\x08\x90", 5, regs);
    assert_true(access.locked && access.kind == ACCESS_LOAD_STORE && access.address == 0x1008);
    /* xchg %eax,(%rdi); nop: atomic without a prefix */
    access = DECODE(&fake, "\x87\x07\x90", 2, regs);
    assert_true(access.locked && access.kind == ACCESS_LOAD_STORE);
    /* incq 8(%rdi); nop */
    access = DECODE(&fake, "\x48\xff\x47\x08\x90", 4, regs);
    assert_true(!access.locked && access.kind == ACCESS_LOAD_STORE);
}

/* clflush (%rdi), nop; mov (%rsi),%rax, nop: the load may access the flushed line. */
static void flush_marks_all_accesses_of_its_function(void **state)
{
    struct fake fake = {.bounds = true};
    uint64_t regs[SREG_COUNT] = {[SREG_DI] = DATA_BASE, [SREG_SI] = DATA_BASE + 8};
    (void)state;
    struct access access = decode(&fake, "\x0f\xae\x3f\x90\x48\x8b\x06\x90", 8, 7, regs);
    assert_true(access.flushes_line && access.address == DATA_BASE + 8);
    access = decode(&fake, "\x0f\xae\xf8\x90\x48\x8b\x06\x90", 8, 7, regs); /* sfence */
    assert_true(!access.flushes_line && access.address == DATA_BASE + 8);
    access = decode(&fake, "\x66\x0f\xae\x37\x90", 5, 4, regs); /* clwb */
    assert_true(access.flushes_line && access.address == DATA_BASE);
    access = decode(&fake, "\x0f\xae\x37\x90", 4, 3, regs); /* xsaveopt */
    assert_false(access.flushes_line);
    /* A non-temporal store evicts only its own line. */
    access = decode(&fake, "\x0f\xc3\x07\x90\x48\x8b\x06\x90", 8, 3, regs);
    assert_true(access.flushes_line && access.kind == ACCESS_STORE);
    access = decode(&fake, "\x0f\xc3\x07\x90\x48\x8b\x06\x90", 8, 7, regs);
    assert_false(access.flushes_line);
    access = decode(&fake, "\xc5\xfd\xe7\x07\x90", 5, 4, regs); /* vmovntdq */
    assert_true(access.flushes_line);
}

static void register_changes_after_the_access_are_undone(void **state)
{
    (void)state;
    struct fake fake = {0};
    uint64_t regs[SREG_COUNT] = {[SREG_SI] = 0x1008};
    /* mov (%rsi),%rax; add $8,%rsi; nop */
    struct access access = DECODE(&fake, "\x48\x8b\x06\x48\x83\xc6\x08\x90", 7, regs);
    assert_int_equal(access.reason, REASON_NONE);
    assert_int_equal(access.address, 0x1000);
    assert_int_equal(access.how, ACCESS_INVERTED);
}

/* The indices are not in the sample: picks one lane if they were loaded, otherwise finds only the
 * object. */
static void gather_address_is_one_of_its_lanes(void **state)
{
    (void)state;
    struct fake fake = {
        .data = {0x0000000700000003, 0x0000000700000003, 0x0000000700000003, 0x0000000700000003}};
    uint64_t regs[SREG_COUNT] = {[SREG_SI] = DATA_BASE, [SREG_DI] = 0x5000};
    /* vmovdqu (%rsi),%ymm1; vpcmpeqd %ymm3,%ymm3,%ymm3; vpgatherdd %ymm3,(%rdi,%ymm1,4),%ymm2; nop
     */
    struct access access =
        DECODE(&fake, "\xc5\xfe\x6f\x0e\xc5\xe5\x76\xdb\xc4\xe2\x65\x90\x14\x8f\x90", 14, regs);
    assert_int_equal(access.reason, REASON_NONE);
    assert_int_equal(access.how, ACCESS_LANE);
    assert_true(access.address == 0x5000 + 3 * 4 || access.address == 0x5000 + 7 * 4);
    assert_int_equal(access.size, 4);
    assert_int_equal(access.kind, ACCESS_LOAD);
    /* vpmovsxdq (%rsi),%zmm1; vpgatherqq (%rdi,%zmm1,8),%zmm2{%k1}; nop */
    access = DECODE(&fake, "\x62\xf2\x7d\x48\x25\x0e\x62\xf2\xfd\x49\x91\x14\xcf\x90", 13, regs);
    assert_int_equal(access.how, ACCESS_LANE);
    assert_true(access.address == 0x5000 + 3 * 8 || access.address == 0x5000 + 7 * 8);
    /* vpaddd %ymm4,%ymm5,%ymm1; vpgatherdd %ymm3,0x10(%rdi,%ymm1,4),%ymm2; nop */
    access = DECODE(&fake, "\xc5\xd5\xfe\xcc\xc4\xe2\x65\x90\x54\x8f\x10\x90", 11, regs);
    assert_int_equal(access.reason, REASON_NONE);
    assert_int_equal(access.how, ACCESS_IN_OBJECT);
    assert_int_equal(access.address, 0x5010);
    /* vpgatherqq 0x0(,%zmm1,1),%zmm2{%k1}; nop: a vector of pointers */
    access = DECODE(&fake, "\x62\xf2\xfd\x49\x91\x14\x0d\x00\x00\x00\x00\x90", 11, regs);
    assert_int_equal(access.reason, REASON_GATHER);
}

static void overwritten_base_is_recomputed(void **state)
{
    (void)state;
    struct fake fake = {0};
    uint64_t regs[SREG_COUNT] = {[SREG_DX] = 3, [SREG_R8] = 0x2000, [SREG_AX] = 99};
    /* mov %rdx,%rax; shl $6,%rax; add %r8,%rax; mov 0x28(%rax),%rax; add %rdx,%rax */
    struct access access = DECODE(
        &fake, "\x48\x89\xd0\x48\xc1\xe0\x06\x4c\x01\xc0\x48\x8b\x40\x28\x48\x01\xd0", 14, regs);
    assert_int_equal(access.reason, REASON_NONE);
    assert_int_equal(access.address, 0x2000 + 3 * 64 + 0x28);
}

static void overwritten_base_is_reread_from_memory(void **state)
{
    (void)state;
    struct fake fake = {.data = {0x5000}};
    uint64_t regs[SREG_COUNT] = {[SREG_BX] = DATA_BASE};
    /* mov (%rbx),%rax; mov 8(%rax),%rax; nop */
    struct access access = DECODE(&fake, "\x48\x8b\x03\x48\x8b\x40\x08\x90", 7, regs);
    assert_int_equal(access.reason, REASON_NONE);
    assert_int_equal(access.address, 0x5008);
    assert_int_equal(access.how, ACCESS_REREAD);
}

/* Recovers a base from a copy made before the load, and a sum with a memory operand. */
static void base_is_recovered_from_copies_and_sums(void **state)
{
    (void)state;
    struct fake fake = {.data = {[1] = 0x2000}};
    uint64_t regs[SREG_COUNT] = {[SREG_BX] = 0x1000, [SREG_SI] = DATA_BASE, [SREG_DI] = 0x100};
    /* mov %rsi,%rbx; mov (%rsi),%rsi; nop */
    struct access access = DECODE(&fake, "\x48\x89\xf3\x48\x8b\x36\x90", 6, regs);
    assert_int_equal(access.reason, REASON_NONE);
    assert_int_equal(access.address, 0x1000);
    assert_int_equal(access.how, ACCESS_INVERTED);
    /* mov %rsi,%rbx; inc %rsi; mov (%rsi),%rsi; nop: the copy is older than the increment */
    access = DECODE(&fake, "\x48\x89\xf3\x48\xff\xc6\x48\x8b\x36\x90", 9, regs);
    assert_int_equal(access.address, 0x1001);
    /* mov %rdi,%rdx; add 8(%rsi),%rdx; mov (%rdx),%rdx; nop */
    access = DECODE(&fake, "\x48\x89\xfa\x48\x03\x56\x08\x48\x8b\x12\x90", 10, regs);
    assert_int_equal(access.reason, REASON_NONE);
    assert_int_equal(access.address, 0x2100);
    assert_int_equal(access.how, ACCESS_REREAD);
}

/* mov (%rsi,%rax,8),%rax; nop: the table shows which element was loaded if only one matches. */
static void table_element_is_identified_by_its_value(void **state)
{
    (void)state;
    static const char code[] = "\x48\x8b\x04\xc6\x90";
    struct fake fake = {.data = {[2] = 0x1111, [5] = 0xabcdef, [9] = 0x2222}};
    uint64_t regs[SREG_COUNT] = {[SREG_SI] = DATA_BASE, [SREG_AX] = 0xabcdef};
    struct access access = decode(&fake, code, sizeof code - 1, 4, regs);
    assert_int_equal(access.reason, REASON_NONE);
    assert_int_equal(access.address, DATA_BASE + 40);
    assert_int_equal(access.how, ACCESS_INFERRED);
    fake.data[9] = 0xabcdef; /* two elements match */
    assert_int_equal(decode(&fake, code, sizeof code - 1, 4, regs).reason, REASON_OVERWRITTEN);
    fake.data[5] = fake.data[9] = 0; /* no element matches */
    assert_int_equal(decode(&fake, code, sizeof code - 1, 4, regs).reason, REASON_OVERWRITTEN);
    regs[SREG_SI] = 0x1000; /* unreadable */
    assert_int_equal(decode(&fake, code, sizeof code - 1, 4, regs).reason, REASON_OVERWRITTEN);
}

static void list_walk_is_inferred_but_single_step_is_overwritten(void **state)
{
    (void)state;
    struct fake fake = {0};
    uint64_t regs[SREG_COUNT] = {[SREG_AX] = 0x7000};
    /* loop: mov (%rax),%rax; sub $1,%edx; jne loop */
    struct access access = DECODE(&fake, "\x48\x8b\x00\x83\xea\x01\x75\xf8", 3, regs);
    assert_int_equal(access.reason, REASON_NONE);
    assert_int_equal(access.how, ACCESS_INFERRED);
    assert_int_equal(access.address, 0x7000);
    /* mov (%rax),%rax; nop */
    access = DECODE(&fake, "\x48\x8b\x00\x90", 3, regs);
    assert_int_equal(access.reason, REASON_OVERWRITTEN);
}

/* An event that counts instructions sampled the last instruction, whatever it does: no walk back to
 * an earlier access. */
static void instruction_event_never_walks_back_to_earlier_access(void **state)
{
    (void)state;
    struct fake fake = {0};
    uint64_t regs[SREG_COUNT] = {[SREG_SI] = 0x1000, [SREG_DI] = 0x2000, [SREG_SP] = 0x3000};
    /* mov (%rdi),%rcx; loop: cmp (%rsi),%rax; jne loop; nop; call +0; ret */
    static const char code[] = "\x48\x8b\x0f\x48\x3b\x06\x75\xfb\x90\xe8\0\0\0\0\xc3";
    has_more = SAMPLE_HAS_ANY_INSTRUCTION;
    regs[SREG_FLAGS] = 0x40; /* entered from above */
    struct access access = decode(&fake, code, sizeof code - 1, 3, regs);
    assert_int_equal(access.address, 0x2000);
    regs[SREG_FLAGS] = 0; /* sampled the jump back */
    access = decode(&fake, code, sizeof code - 1, 3, regs);
    assert_int_equal(access.reason, REASON_NO_MEMORY);
    access = decode(&fake, code, sizeof code - 1, 6, regs);
    assert_int_equal(access.address, 0x1000);
    regs[SREG_FLAGS] = 0x40; /* sampled the jump, not taken */
    access = decode(&fake, code, sizeof code - 1, 8, regs);
    assert_int_equal(access.reason, REASON_NO_MEMORY);
    access = decode(&fake, code, sizeof code - 1, 9, regs); /* nop */
    assert_int_equal(access.reason, REASON_NO_MEMORY);
    access = decode(&fake, code, sizeof code - 1, 14, regs); /* a call returned: ret read */
    assert_int_equal(access.reason, REASON_NONE);
    assert_int_equal(access.address, 0x3000 - 8);
    has_more = 0;
    access = decode(&fake, code, sizeof code - 1, 8, regs);
    assert_int_equal(access.address, 0x1000);
}

static void flags_select_the_path_that_was_taken(void **state)
{
    (void)state;
    struct fake fake = {0};
    uint64_t regs[SREG_COUNT] = {[SREG_SI] = 0x1000, [SREG_DI] = 0x2000};
    /* mov (%rdi),%rcx; loop: cmp (%rsi),%rax; jne loop; ret */
    static const char code[] = "\x48\x8b\x0f\x48\x3b\x06\x75\xfb\xc3";
    regs[SREG_FLAGS] = 0; /* not zero: the jump back was taken */
    struct access access = decode(&fake, code, sizeof code - 1, 3, regs);
    assert_int_equal(access.reason, REASON_NONE);
    assert_int_equal(access.address, 0x1000);
    regs[SREG_FLAGS] = 0x40; /* zero: entered from above */
    access = decode(&fake, code, sizeof code - 1, 3, regs);
    assert_int_equal(access.address, 0x2000);
    access = decode(&fake, code, sizeof code - 1, 8, regs);
    assert_int_equal(access.address, 0x1000);
}

/* Two paths to a label: one with a load or comparison at (%rdi), the other with one at (%rsi),
 * which is the next line. */
static void path_with_contradicting_register_values_is_excluded(void **state)
{
    static const char constants[] = "\x48\x8b\x17\xb8\x05\0\0\0\xeb\x05" /* mov (%rdi),%rdx;
        mov $5,%eax; jmp label */
                                    "\x48\x8b\x16\x31\xc0" /* mov (%rsi),%rdx; xor %eax,%eax */
                                    "\x49\x83\xc0\x01";    /* label: add $1,%r8 */
    /* cmp (%rdi),%ecx; jmp label; cmp (%rsi),%ecx; label: mov %rax,%rax */
    static const char comparisons[] = "\x3b\x0f\xeb\x02\x3b\x0e\x48\x89\xc0";
    /* jmp *%rcx; first: mov (%rdi),%rdx; jmp label; second: mov (%rsi),%rdx; label: add $1,%r8 */
    static const char cases[] = "\xff\xe1\x48\x8b\x17\xeb\x03\x48\x8b\x16\x49\x83\xc0\x01";
    /* movzbl (%rdi),%ecx; jmp label; mov (%rsi),%rcx; label: add $1,%r8 */
    static const char widths[] = "\x0f\xb6\x0f\xeb\x03\x48\x8b\x0e\x49\x83\xc0\x01";
    static const struct {
        const char *code;
        size_t size;
        uint64_t ip, ax, cx, flags, address; /* address 0: ambiguous */
    } ways[] = {
#define WAY(code, ip, ax, cx, flags, address) {code, sizeof code - 1, ip, ax, cx, flags, address}
        WAY(constants, 15, 5, 0, 0x44, DATA_BASE),
        WAY(constants, 15, 0, 0, 0x44, DATA_BASE + 64),
        WAY(constants, 15, 0, 0, 0x81, 0), /* xor leaves zero */
        WAY(constants, 15, 7, 0, 0x44, 0),
        WAY(comparisons, 6, 0, 10, 0x44, DATA_BASE), /* 10 is there, and 20 is in the next line */
        WAY(comparisons, 6, 0, 10, 0x85, DATA_BASE + 64),
        WAY(comparisons, 6, 0, 10, 0x01, 0),
        WAY(cases, 10, 0, CODE_BASE + 2, 0, DATA_BASE),
        WAY(cases, 10, 0, CODE_BASE + 7, 0, DATA_BASE + 64),
        WAY(widths, 8, 0, 0x12345, 0, DATA_BASE + 64), /* does not fit in a byte */
        WAY(widths, 8, 0, 0x12, 0, 0),
    };
    struct fake fake = {.data = {[0] = 10, [8] = 20}};
    (void)state;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        uint64_t regs[SREG_COUNT] = {[SREG_DI] = DATA_BASE,
                                     [SREG_SI] = DATA_BASE + 64,
                                     [SREG_AX] = ways[i].ax,
                                     [SREG_CX] = ways[i].cx,
                                     [SREG_IP] = CODE_BASE + ways[i].ip,
                                     [SREG_FLAGS] = ways[i].flags};
        struct access access = decode(&fake, ways[i].code, ways[i].size, ways[i].ip, regs);
        assert_int_equal(access.reason, ways[i].address ? REASON_NONE : REASON_AMBIGUOUS);
        assert_true(!ways[i].address || access.address == ways[i].address);
    }
}

/* mov (%rdi),%rax; jmp label; mov 8(%rdi),%rax; label: add $1,%r8 */
static void paths_to_the_same_line_are_merged(void **state)
{
    static const char code[] = "\x48\x8b\x07\xeb\x04\x48\x8b\x47\x08\x49\x83\xc0\x01";
    struct fake fake = {0};
    uint64_t regs[SREG_COUNT] = {[SREG_DI] = DATA_BASE, [SREG_IP] = CODE_BASE + 9};
    (void)state;
    struct access access = decode(&fake, code, sizeof code - 1, 9, regs);
    assert_int_equal(access.reason, REASON_NONE);
    assert_int_equal(access.address / 64, DATA_BASE / 64);
    assert_int_equal(access.how, ACCESS_INFERRED);
    regs[SREG_DI] = DATA_BASE + 56;
    assert_int_equal(decode(&fake, code, sizeof code - 1, 9, regs).reason, REASON_AMBIGUOUS);
}

/* Two procedure linkage stubs, and a call of the second. */
static void plt_stub_sample_is_its_call(void **state)
{
    static const char code[] = "\xff\x25\0\x10\0\0\x68\0\0\0\0\xe9\0\x10\0\0"
                               "\xff\x25\0\x10\0\0\x68\x01\0\0\0\xe9\0\x10\0\0"
                               "\x90\x90\x90\xe8\xe8\xff\xff\xff\xc3";
    struct fake fake = {.data = {[0] = CODE_BASE + 40}};
    uint64_t regs[SREG_COUNT] = {[SREG_SP] = DATA_BASE, [SREG_IP] = CODE_BASE + 16};
    (void)state;
    struct access access = decode(&fake, code, sizeof code - 1, 16, regs);
    assert_int_equal(access.reason, REASON_NONE);
    assert_int_equal(access.address, DATA_BASE);
    assert_int_equal(access.kind, ACCESS_STORE);
}

/* No-ops between a return and a label do not run, so no path goes through them. */
static void padding_is_not_a_path(void **state)
{
    (void)state;
    struct fake fake = {0};
    uint64_t regs[SREG_COUNT] = {[SREG_DI] = 0x2000};
    /* mov (%rdi),%rax; jmp label; ret; nopl 0(%rax,%rax); label: add $1,%rdx; nop */
    struct access access =
        DECODE(&fake, "\x48\x8b\x07\xeb\x06\xc3\x0f\x1f\x44\x00\x00\x48\x83\xc2\x01\x90", 15, regs);
    assert_int_equal(access.reason, REASON_NONE);
    assert_int_equal(access.address, 0x2000);
    /* mov (%rdi),%rax; jmp label; nopl; label: the same, but the no-op is a jump target, too */
    access =
        DECODE(&fake, "\x48\x8b\x07\xeb\x06\xc3\x0f\x1f\x44\x00\x00\x48\x83\xc2\x01\x90\xeb\xf4",
               15, regs);
    assert_int_not_equal(access.reason, REASON_NONE);
}

/* The first instruction of a function, push %rbx, and a call to it, which ends at 16. */
static struct access enter(struct fake *fake, const char *call, size_t size, const uint64_t *regs)
{
    char code[18] = "\x53\xc3";
    memset(code + 2, 0x90, sizeof code - 2);
    memcpy(code + 16 - size, call, size);
    return decode(fake, code, sizeof code, 0, regs);
}

static void function_entry_sample_is_the_call_through_memory(void **state)
{
    (void)state;
    struct fake fake = {.data = {[0] = CODE_BASE + 16, [4] = CODE_BASE}};
    uint64_t regs[SREG_COUNT] = {[SREG_SP] = DATA_BASE,
                                 [SREG_AX] = DATA_BASE + 8,
                                 [SREG_R13] = DATA_BASE + 0xa0,
                                 [SREG_CX] = 3};
    const struct {
        const char *bytes;
        size_t size;
        uint8_t base;
    } calls[] = {{"\xff\x50\x18", 3, SREG_AX},                /* call *24(%rax) */
                 {"\x41\xff\x55\x80", 4, SREG_R13},           /* call *-128(%r13) */
                 {"\xff\x54\x24\x18", 4, SREG_SP},            /* call *24(%rsp), before its push */
                 {"\xff\x14\xc8", 3, SREG_AX},                /* call *(%rax,%rcx,8) */
                 {"\xff\x90\x18\x00\x00\x00", 6, SREG_AX},    /* with a 32-bit displacement */
                 {"\xff\x15\x10\x00\xc1\xff", 6, SREG_NONE}}; /* call *0x20 + data(%rip) */
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        struct access access = enter(&fake, calls[i].bytes, calls[i].size, regs);
        assert_int_equal(access.reason, REASON_NONE);
        assert_int_equal(access.address, DATA_BASE + 32);
        assert_int_equal(access.ip, CODE_BASE + 16 - calls[i].size);
        assert_int_equal(access.kind, ACCESS_LOAD);
        assert_int_equal(access.how, ACCESS_REREAD);
        assert_int_equal(access.base, calls[i].base);
    }
    has_more = SAMPLE_HAS_ANY_INSTRUCTION; /* it ran last, even though in another function */
    assert_int_equal(enter(&fake, "\xff\x50\x18", 3, regs).reason, REASON_NONE);
    has_more = 0;
    fake.data[4] = CODE_BASE + 1; /* now another function is there: it was another call */
    assert_int_equal(enter(&fake, "\xff\x50\x18", 3, regs).reason, REASON_CALL_BOUNDARY);
    fake.data[0] = 1;
    assert_int_equal(enter(&fake, "\xff\x50\x18", 3, regs).reason, REASON_CALL_BOUNDARY);
}

/* call *24(%rax), with its return address in the recorded stack but no longer in memory. */
static void recorded_stack_supplies_the_return_address(void **state)
{
    struct fake fake = {.data = {[0] = 1, [4] = CODE_BASE}, .size = 18, .bounds = true};
    struct decode_target target = {
        .context = &fake, .code = fake_code, .function = fake_function, .memory = fake_memory};
    uint64_t stack[2] = {CODE_BASE + 16};
    struct sample sample = {.ip = CODE_BASE,
                            .weight = 1,
                            .has = SAMPLE_HAS_REGS,
                            .stack = (const unsigned char *)stack,
                            .stack_bytes = sizeof stack,
                            .regs = {[SREG_SP] = DATA_BASE, [SREG_AX] = DATA_BASE + 8}};
    struct access access;
    struct decoder *decoder = decoder_new(&target);
    (void)state;
    memcpy(fake.code, "\x53\xc3\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\xff\x50\x18\x90\x90",
           18);
    decoder_decode(decoder, &sample, &access);
    assert_int_equal(access.reason, REASON_NONE);
    assert_int_equal(access.address, DATA_BASE + 32);
    decoder_free(decoder);
}

/* Decodes two entries, the first with another return address on the stack. */
static struct access enter_again(struct fake *fake, const uint64_t *regs, uint64_t before)
{
    struct decode_target target = {
        .context = fake, .code = fake_code, .function = fake_function, .memory = fake_memory};
    struct sample sample = {.ip = CODE_BASE, .weight = 1, .has = SAMPLE_HAS_REGS};
    struct access access;
    uint64_t now = fake->data[0];
    memcpy(sample.regs, regs, sizeof sample.regs);
    struct decoder *decoder = decoder_new(&target);
    fake->data[0] = before;
    decoder_decode(decoder, &sample, &access);
    fake->data[0] = now;
    decoder_decode(decoder, &sample, &access);
    decoder_free(decoder);
    return access;
}

/* Another call has overwritten the return address by the time it is read. */
static void earlier_caller_is_used_if_return_address_is_lost(void **state)
{
    (void)state;
    struct fake fake = {.data = {[0] = 1, [4] = CODE_BASE}};
    uint64_t regs[SREG_COUNT] = {[SREG_SP] = DATA_BASE, [SREG_AX] = DATA_BASE + 8};
    static const char code[] = "\x53\xc3\x90\x90\x90\x90\x90\x90\x90\x90\x90\xff\x50\x18"
                               "\xe8\xed\xff\xff\xff\x90"; /* call *24(%rax); call 0 */
    memcpy(fake.code, code, sizeof code - 1);
    fake.size = sizeof code - 1;
    fake.bounds = true;
    struct access access = enter_again(&fake, regs, CODE_BASE + 14);
    assert_int_equal(access.reason, REASON_NONE);
    assert_int_equal(access.address, DATA_BASE + 32);
    assert_int_equal(access.ip, CODE_BASE + 11);
    assert_int_equal(access.how, ACCESS_REREAD);
    access = enter_again(&fake, regs, CODE_BASE + 19);
    assert_int_equal(access.reason, REASON_NONE);
    assert_int_equal(access.address, DATA_BASE);
    assert_int_equal(access.kind, ACCESS_STORE);
    assert_int_equal(access.how, ACCESS_INFERRED);
    assert_int_equal(enter_again(&fake, regs, 1).reason, REASON_CALL_BOUNDARY);
    /* The call through that register cannot be the one sampled: its target is different now. */
    fake.data[4] = 0;
    assert_int_equal(enter_again(&fake, regs, CODE_BASE + 14).reason, REASON_CALL_BOUNDARY);
}

/* Haskell's code has a table before each block, which is no code, and no symbols but of a few. */
static void code_between_data_tables_is_decoded(void **state)
{
    enum { BLOCKS = 8, BLOCK_BYTES = 48, ENTRY = 16, CMP = 25 };
    static const unsigned char block[BLOCK_BYTES] =
        "\x04\0\0\0\0\0\0\0\x1e\0\0\0\0\0\0\0" /* table: 30 is no code */
        "\x49\x83\xc4\x10"                     /* add $16,%r12 */
        "\x4d\x3b\xa5\x58\x03\0\0"             /* cmp 0x358(%r13),%r12 */
        "\x0f\x87\xb6\0\0\0"                   /* ja */
        "\x4c\x8b\x75\x20"                     /* mov 0x20(%rbp),%r14 */
        "\x48\x8b\x43\x07"                     /* mov 7(%rbx),%rax */
        "\x49\x39\xc6"                         /* cmp %rax,%r14 */
        "\xff\x65\0";                          /* jmp *(%rbp) */
    struct fake fake = {.size = sizeof block * BLOCKS};
    struct decode_target target = {
        .context = &fake, .code = fake_code, .function = fake_function, .memory = fake_memory};
    struct sample sample = {.weight = 1,
                            .has = SAMPLE_HAS_REGS,
                            .ip = CODE_BASE + BLOCK_BYTES * (BLOCKS - 1) + ENTRY + CMP,
                            .regs = {[SREG_BX] = DATA_BASE, [SREG_BP] = DATA_BASE + 64}};
    struct access access;
    (void)state;
    for (size_t i = 0; i < BLOCKS; i++)
        memcpy(fake.code + i * sizeof block, block, sizeof block);
    struct decoder *decoder = decoder_new(&target);
    decoder_decode(decoder, &sample, &access);
    assert_int_equal(access.reason, REASON_NONE);
    assert_int_equal(access.address, DATA_BASE + 7);
    decoder_free(decoder);
    /* The same holds for an instruction that decoding from the function's start misses, whatever
     * was decoded before. */
    fake.bounds = true;
    for (int before = 0; before < 2; before++) {
        decoder = decoder_new(&target);
        sample.ip = CODE_BASE + ENTRY;
        if (before)
            decoder_decode(decoder, &sample, &access);
        sample.ip = CODE_BASE + BLOCK_BYTES + ENTRY;
        decoder_decode(decoder, &sample, &access);
        assert_int_equal(access.reason, REASON_CALL_BOUNDARY);
        decoder_free(decoder);
    }
}

/* An index that counts down from the pointer, as a skip list's levels in rocksdb. */
static void negated_index_is_recomputed(void **state)
{
    struct fake fake = {0};
    const uint64_t regs[SREG_COUNT] = {[SREG_BX] = 0x9000, [SREG_R13] = 3, [SREG_AX] = 0x1234};
    (void)state;
    /* lea 0(,%r13,8),%rax; neg %rax; mov (%rbx,%rax),%rax; nop */
    struct access access =
        DECODE(&fake, "\x4a\x8d\x04\xed\0\0\0\0\x48\xf7\xd8\x48\x8b\x04\x03\x90", 15, regs);
    assert_int_equal(access.reason, REASON_NONE);
    assert_int_equal(access.address, 0x9000 - 3 * 8);
    /* the same with not */
    access = DECODE(&fake, "\x4a\x8d\x04\xed\0\0\0\0\x48\xf7\xd0\x48\x8b\x04\x03\x90", 15, regs);
    assert_int_equal(access.reason, REASON_NONE);
    assert_int_equal(access.address, 0x9000 - 3 * 8 - 1);
}

static bool fake_mapped(void *context, uint64_t address)
{
    (void)context;
    return address >= DATA_BASE;
}

/* mov 8(%rcx),%rax; mov (%rax),%rax; nop. If 8(%rcx) holds a number when it is read, the address is
 * lost; it is not a wrong one. */
static void implausible_reread_base_is_overwritten(void **state)
{
    static const char code[] = "\x48\x8b\x41\x08\x48\x8b\x00\x90";
    struct fake fake = {.size = sizeof code - 1, .bounds = true, .data = {[1] = DATA_BASE + 64}};
    struct decode_target target = {.context = &fake,
                                   .code = fake_code,
                                   .function = fake_function,
                                   .memory = fake_memory,
                                   .mapped = fake_mapped};
    struct sample sample = {
        .weight = 1, .ip = CODE_BASE + 7, .has = SAMPLE_HAS_REGS, .regs = {[SREG_CX] = DATA_BASE}};
    struct access access;
    struct decoder *decoder = decoder_new(&target);
    (void)state;
    memcpy(fake.code, code, sizeof code - 1);
    decoder_decode(decoder, &sample, &access);
    assert_int_equal(access.reason, REASON_NONE);
    assert_int_equal(access.how, ACCESS_REREAD);
    assert_int_equal(access.address, DATA_BASE + 64);
    fake.data[1] = 7;
    decoder_decode(decoder, &sample, &access);
    assert_int_equal(access.reason, REASON_OVERWRITTEN);
    decoder_free(decoder);
}

static void push_pop_and_rip_relative_addresses_are_computed(void **state)
{
    (void)state;
    struct fake fake = {0};
    uint64_t regs[SREG_COUNT] = {[SREG_SP] = 0x8000};
    struct access access = DECODE(&fake, "\x50\x90", 1, regs); /* push %rax */
    assert_int_equal(access.address, 0x8000);
    assert_int_equal(access.kind, ACCESS_STORE);
    access = DECODE(&fake, "\x58\x90", 1, regs); /* pop %rax */
    assert_int_equal(access.address, 0x8000 - 8);
    access = DECODE(&fake, "\x48\x8b\x05\x10\x00\x00\x00\x90", 7, regs); /* mov 16(%rip),%rax */
    assert_int_equal(access.address, CODE_BASE + 7 + 16);
}

static void string_instruction_addresses_are_computed(void **state)
{
    (void)state;
    struct fake fake = {0};
    uint64_t regs[SREG_COUNT] = {[SREG_SI] = 0x3008, [SREG_DI] = 0x4008};
    struct access access = DECODE(&fake, "\x48\xa5\x90", 2, regs); /* movsq, complete */
    assert_int_equal(access.address, 0x3000);
    access = DECODE(&fake, "\xf3\x48\xa5\x90", 0, regs); /* rep movsq, interrupted */
    assert_int_equal(access.address, 0x3008);
}

static void undecodable_samples_have_distinct_reasons(void **state)
{
    (void)state;
    struct fake fake = {0};
    uint64_t regs[SREG_COUNT] = {0};
    assert_int_equal(DECODE(&fake,
                            "\x01\xd0\x01\xd0\x01\xd0\x01\xd0\x01\xd0\x01\xd0\x01\xd0\x01"
                            "\xd0\x01\xd0\x01\xd0",
                            18, regs)
                         .reason,
                     REASON_NO_MEMORY);
    assert_int_equal(DECODE(&fake, "\x90", 64, regs).reason, REASON_NO_CODE);
    assert_int_equal(DECODE(&fake, "\x06\x06", 0, regs).reason, REASON_BAD_CODE);
    /* mov %fs:0x28,%rax, with fs unknown */
    assert_int_equal(DECODE(&fake, "\x64\x48\x8b\x04\x25\x28\x00\x00\x00\x90", 9, regs).reason,
                     REASON_SEGMENT);
    /* mov (%rsi),%rax; mov %rbx,%rsi; ret, with rsi overwritten */
    assert_int_equal(DECODE(&fake, "\x48\x8b\x06\x48\x89\xde\xc3", 6, regs).reason,
                     REASON_CLOBBERED);
    /* syscall; nop */
    assert_int_equal(DECODE(&fake, "\x0f\x05\x90", 2, regs).reason, REASON_NO_MEMORY);
}

/* An address from the recording at a load that agrees, at a load that does not, and where there is
 * no code. */
static void recorded_address_takes_precedence_over_decoded_address(void **state)
{
    struct fake fake = {.size = 5, .bounds = true};
    struct decode_target target = {
        .context = &fake, .code = fake_code, .function = fake_function, .memory = fake_memory};
    struct sample sample = {.ip = CODE_BASE + 3,
                            .address = 0x1000,
                            .data_src = PERF_MEM_S(OP, STORE),
                            .regs = {[SREG_SI] = 0x1000},
                            .has =
                                SAMPLE_HAS_REGS | SAMPLE_HAS_ADDRESS | SAMPLE_HAS_WRITER_ADDRESS};
    struct access access;
    struct decoder *decoder = decoder_new(&target);
    (void)state;
    memcpy(fake.code, "\x48\x8b\x06\x90\xc3", 5); /* mov (%rsi),%rax; nop; ret */
    decoder_decode(decoder, &sample, &access);
    assert_int_equal(access.reason, REASON_NONE);
    assert_int_equal(access.how, ACCESS_DIRECT);
    assert_int_equal(access.kind, ACCESS_LOAD);
    sample.address = 0x2000;
    decoder_decode(decoder, &sample, &access);
    assert_int_equal(access.address, 0x2000);
    assert_int_equal(access.how, ACCESS_RECORDED);
    sample.ip = DATA_BASE;
    decoder_decode(decoder, &sample, &access);
    assert_int_equal(access.reason, REASON_NONE);
    assert_int_equal(access.address, 0x2000);
    assert_int_equal(access.kind, ACCESS_STORE);
    sample.mode = SAMPLE_KERNEL;
    decoder_decode(decoder, &sample, &access);
    assert_int_equal(access.reason, REASON_KERNEL);
    decoder_free(decoder);
}

/* Random bytes and mutated code give an address or one reason, and never crash. */
static void random_code_yields_an_address_or_a_reason(void **state)
{
    (void)state;
    struct fake fake = {.size = 256};
    struct decode_target target = {
        .context = &fake, .code = fake_code, .function = fake_function, .memory = fake_memory};
    struct prng prng = {7};
    struct decoder *decoder = decoder_new(&target);
    for (int run = 0; run < FUZZ_RUNS; run++) {
        struct sample sample = {.weight = 1, .has = (uint16_t)(prng_next(&prng) & 0xff)};
        struct access access;
        if (run % 16 == 0) {
            for (size_t i = 0; i < fake.size; i++)
                fake.code[i] = (unsigned char)prng_next(&prng);
            /* Calls within the code, and loads that overwrite their base. */
            for (size_t i = 0; run % 32 && i + 8 < fake.size; i += 8 + prng_below(&prng, 4)) {
                static const unsigned char call[] = {0xe8, 0, 0, 0, 0};
                static const unsigned char loads[] = {0x48, 0x8b, 0x45, 0xf8,
                                                      0x48, 0x8b, 0x00, 0xc3};
                if (prng_below(&prng, 2)) {
                    memcpy(fake.code + i, loads, sizeof loads);
                } else {
                    memcpy(fake.code + i, call, sizeof call);
                    fake.code[i + 1] = (unsigned char)prng_below(&prng, 120);
                }
            }
            fake.bounds = prng_below(&prng, 2);
            decoder_forget(decoder, 0, UINT64_MAX);
        }
        for (int i = 0; i < SREG_COUNT; i++)
            sample.regs[i] =
                prng_below(&prng, 4) ? DATA_BASE + prng_below(&prng, 512) : prng_next(&prng);
        sample.ip = CODE_BASE + prng_below(&prng, 300);
        uint64_t stack[64]; /* return addresses and pointers */
        for (size_t i = 0; i < 64; i++)
            stack[i] = prng_below(&prng, 2) ? CODE_BASE + prng_below(&prng, 300)
                                            : DATA_BASE + prng_below(&prng, 512);
        sample.stack = prng_below(&prng, 4) ? (const unsigned char *)stack : NULL;
        sample.stack_bytes = sample.stack ? (uint32_t)prng_below(&prng, sizeof stack + 1) : 0;
        sample.address = prng_below(&prng, 2) ? prng_next(&prng) : 0;
        decoder_decode(decoder, &sample, &access);
        assert_true(access.reason < REASON_COUNT);
        assert_true(access.how < ACCESS_HOW_COUNT);
    }
    decoder_free(decoder);
    print_message("%d executions\n", FUZZ_RUNS);
}

/* Adjacent functions of 256 one-byte instructions. Counts how often the first two were read. */
enum { NEAR = 256, KEPT_FUNCTIONS = 700 };

static size_t near_code(void *context, uint64_t address, void *out, size_t size)
{
    unsigned *reads = context;
    if ((address - CODE_BASE) / NEAR < 2)
        reads[(address - CODE_BASE) / NEAR]++;
    memset(out, 0x50, size); /* push %rax */
    return size;
}

static bool near_function(void *context, uint64_t ip, uint64_t *start, uint64_t *end)
{
    (void)context;
    *start = ip - ip % NEAR;
    *end = *start + NEAR;
    return true;
}

/* With more IPs than the cache holds, a function that is sampled all the time stays, and another is
 * evicted. */
static void function_cache_evicts_least_recently_sampled_function(void **state)
{
    unsigned reads[2] = {0};
    struct decode_target target = {.context = reads, .code = near_code, .function = near_function};
    struct sample sample = {.weight = 1, .has = SAMPLE_HAS_REGS, .regs = {[SREG_SP] = DATA_BASE}};
    struct access access;
    struct decoder *decoder = decoder_new(&target);
    (void)state;
    for (uint64_t i = NEAR; i < (uint64_t)KEPT_FUNCTIONS * NEAR; i++) {
        sample.ip = CODE_BASE + i;
        decoder_decode(decoder, &sample, &access);
        assert_true(access.address == sample.regs[SREG_SP] || i % NEAR == 0);
        sample.ip = CODE_BASE + i % NEAR;
        decoder_decode(decoder, &sample, &access);
        assert_true(access.address == sample.regs[SREG_SP] || i % NEAR == 0);
    }
    assert_int_equal(reads[0], 1);
    assert_int_equal(reads[1], 1);
    sample.ip = CODE_BASE + NEAR;
    decoder_decode(decoder, &sample, &access);
    assert_int_equal(reads[1], 2);
    decoder_free(decoder);
}

static int run_decoder(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flush_marks_all_accesses_of_its_function),
        cmocka_unit_test(load_before_the_sampled_instruction_is_found),
        cmocka_unit_test(spin_loops_set_waits),
        cmocka_unit_test(stack_slot_in_calling_loop_sets_kept),
        cmocka_unit_test(stack_slot_written_in_its_loop_sets_rewritten),
        cmocka_unit_test(pointer_chasing_loop_sets_chases),
        cmocka_unit_test(sequential_accesses_to_a_line_set_again),
        cmocka_unit_test(sequential_accesses_are_recognised_despite_skid),
        cmocka_unit_test(access_after_another_to_its_line_sets_again),
        cmocka_unit_test(atomic_instructions_set_locked),
        cmocka_unit_test(unrecorded_registers_are_not_used),
        cmocka_unit_test(register_changes_after_the_access_are_undone),
        cmocka_unit_test(gather_address_is_one_of_its_lanes),
        cmocka_unit_test(overwritten_base_is_recomputed),
        cmocka_unit_test(overwritten_base_is_reread_from_memory),
        cmocka_unit_test(base_is_recovered_from_copies_and_sums),
        cmocka_unit_test(table_element_is_identified_by_its_value),
        cmocka_unit_test(list_walk_is_inferred_but_single_step_is_overwritten),
        cmocka_unit_test(instruction_event_never_walks_back_to_earlier_access),
        cmocka_unit_test(path_with_contradicting_register_values_is_excluded),
        cmocka_unit_test(paths_to_the_same_line_are_merged),
        cmocka_unit_test(plt_stub_sample_is_its_call),
        cmocka_unit_test(recorded_stack_supplies_the_return_address),
        cmocka_unit_test(flags_select_the_path_that_was_taken),
        cmocka_unit_test(padding_is_not_a_path),
        cmocka_unit_test(function_entry_sample_is_the_call_through_memory),
        cmocka_unit_test(earlier_caller_is_used_if_return_address_is_lost),
        cmocka_unit_test(push_pop_and_rip_relative_addresses_are_computed),
        cmocka_unit_test(code_between_data_tables_is_decoded),
        cmocka_unit_test(negated_index_is_recomputed),
        cmocka_unit_test(implausible_reread_base_is_overwritten),
        cmocka_unit_test(string_instruction_addresses_are_computed),
        cmocka_unit_test(undecodable_samples_have_distinct_reasons),
        cmocka_unit_test(recorded_address_takes_precedence_over_decoded_address),
        cmocka_unit_test(random_code_yields_an_address_or_a_reason),
        cmocka_unit_test(function_cache_evicts_least_recently_sampled_function),
    };
    return cmocka_run_group_tests_name("decoder", tests, NULL, NULL);
}

/* Encodings as written by GNU as; operands as printed by objdump. */

enum { ADDRESS = 0x1000 };

static const struct {
    const char *text;
    const char *bytes;
    uint8_t length, base, index, scale, size;
    int64_t displacement;
} cases[] = {
    {"vpcmpeqb 0xfc0(%rax),%zmm16,%k0", "\x62\xf1\x7d\x40\x74\x40\x3f", 7, SREG_AX, SREG_NONE, 1,
     64, 0xfc0},
    {"vpcmpeqb -0x80(%r13,%r12,8),%ymm17,%k1{%k2}", "\x62\x91\x75\x22\x74\x4c\xe5\xfc", 8, SREG_R13,
     SREG_R12, 8, 32, -0x80},
    {"vpcmpeqd 0x4(%rdx){1to8},%ymm18,%k1", "\x62\xf1\x6d\x30\x76\x4a\x01", 7, SREG_DX, SREG_NONE,
     1, 4, 4},
    {"vpcmpeqq -0x8(%rdx){1to4},%ymm18,%k1", "\x62\xf2\xed\x30\x29\x4a\xff", 7, SREG_DX, SREG_NONE,
     1, 8, -8},
    {"vptestnmb 0x1234567(%r8),%zmm20,%k3", "\x62\xd2\x5e\x40\x26\x98\x67\x45\x23\x01", 10, SREG_R8,
     SREG_NONE, 1, 64, 0x1234567},
    {"vpternlogd $0xde,0x10(%rip),%ymm22,%ymm23", "\x62\xe3\x4d\x20\x25\x3d\x10\x00\x00\x00\xde",
     11, SREG_NONE, SREG_NONE, 1, 32, ADDRESS + 11 + 0x10},
    {"vpcmpnequb 0x0(,%rcx,4),%ymm18,%k1", "\x62\xf3\x6d\x20\x3e\x0c\x8d\x00\x00\x00\x00\x04", 12,
     SREG_NONE, SREG_CX, 4, 32, 0},
    {"vpcmpltub 0x12345678,%ymm18,%k1", "\x62\xf3\x6d\x20\x3e\x0c\x25\x78\x56\x34\x12\x01", 12,
     SREG_NONE, SREG_NONE, 1, 32, 0x12345678},
    {"vpbroadcastb 0x5(%rdi,%rcx,1),%zmm2", "\x62\xf2\x7d\x48\x78\x54\x0f\x05", 8, SREG_DI, SREG_CX,
     1, 1, 5},
    {"vshufi32x4 $0x44,0x40(%rsi),%zmm0,%zmm1", "\x62\xf3\x7d\x48\x43\x4e\x01\x44", 8, SREG_SI,
     SREG_NONE, 1, 64, 0x40},
    {"vpexpandb 0x3(%rsi),%zmm1{%k1}", "\x62\xf2\x7d\x49\x62\x4e\x03", 7, SREG_SI, SREG_NONE, 1, 64,
     3},
};

static void operands_match_objdump(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct insn insn;
        const uint8_t *bytes = (const uint8_t *)cases[i].bytes;
        print_message("%s\n", cases[i].text);
        assert_true(insn_decode(&insn, ADDRESS, bytes, cases[i].length));
        assert_int_equal(insn.length, cases[i].length);
        assert_int_equal(insn.memory_count, 1);
        assert_int_equal(insn.memory[0].base, cases[i].base);
        assert_int_equal(insn.memory[0].index, cases[i].index);
        assert_int_equal(insn.memory[0].scale, cases[i].scale);
        assert_int_equal(insn.memory[0].size, cases[i].size);
        assert_int_equal(insn.memory[0].displacement, cases[i].displacement);
        assert_int_equal(insn.memory[0].kind, ACCESS_LOAD);
        assert_int_equal(insn.writes, 0);
        for (uint8_t length = 0; length < cases[i].length; length++)
            assert_false(insn_decode(&insn, ADDRESS, bytes, length));
    }
}

static void register_operands_are_not_memory_operands(void **state)
{
    (void)state;
    struct insn insn; /* vptestmb %ymm26,%ymm26,%k1 */
    assert_true(insn_decode(&insn, ADDRESS, (const uint8_t *)"\x62\x92\x2d\x20\x26\xca", 6));
    assert_int_equal(insn.length, 6);
    assert_int_equal(insn.memory_count, 0);
}

static void mask_register_instructions_are_decoded(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        uint8_t length;
        uint32_t writes;
        bool flags;
    } masks[] = {{"\xc5\x7b\x93\xc0", 4, 1u << SREG_R8, false},     /* kmovd %k0,%r8d */
                 {"\xc5\xfb\x92\xc9", 4, 0, false},                 /* kmovd %ecx,%k1 */
                 {"\xc4\xe1\xfb\x93\xd1", 5, 1u << SREG_DX, false}, /* kmovq %k1,%rdx */
                 {"\xc4\xe1\xf9\x98\xc8", 5, 0, true},              /* kortestd %k0,%k1 */
                 {"\xc4\xe1\xe4\x4b\xda", 5, 0, false}};            /* kunpckdq %k2,%k3,%k3 */
    for (size_t i = 0; i < sizeof masks / sizeof *masks; i++) {
        struct insn insn;
        const uint8_t *bytes = (const uint8_t *)masks[i].bytes;
        assert_true(insn_decode(&insn, ADDRESS, bytes, masks[i].length));
        assert_int_equal(insn.length, masks[i].length);
        assert_int_equal(insn.writes, masks[i].writes);
        assert_int_equal(insn.changes_flags, masks[i].flags);
        assert_int_equal(insn.memory_count, 0);
        assert_false(insn_decode(&insn, ADDRESS, bytes, masks[i].length - 1));
    }
}

/* Kinds of memory operands: read, written, both, or address only. */
static void operand_kinds_and_sizes_are_decoded(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *bytes;
        uint8_t length, kind, size;
    } kinds[] = {
        {"testl $1,(%rdi)", "\xf7\x07\x01\x00\x00\x00", 6, ACCESS_LOAD, 4},
        {"testb $4,0xab(%rdi)", "\xf6\x87\xab\x00\x00\x00\x04", 7, ACCESS_LOAD, 1},
        {"test %rax,(%rdi)", "\x48\x85\x07", 3, ACCESS_LOAD, 8},
        {"cmpl $1,(%rdi)", "\x83\x3f\x01", 3, ACCESS_LOAD, 4},
        {"btl $3,(%rdi)", "\x0f\xba\x27\x03", 4, ACCESS_LOAD, 4},
        {"notl (%rdi)", "\xf7\x17", 2, ACCESS_LOAD_STORE, 4},
        {"btsl $3,(%rdi)", "\x0f\xba\x2f\x03", 4, ACCESS_LOAD_STORE, 4},
        {"setg (%rdi)", "\x0f\x9f\x07", 3, ACCESS_STORE, 1},
        {"fstpl (%rdi)", "\xdd\x1f", 2, ACCESS_STORE, 8},
        {"stmxcsr (%rdi)", "\x0f\xae\x1f", 3, ACCESS_STORE, 4},
        {"movntdq %xmm0,(%rdi)", "\x66\x0f\xe7\x07", 4, ACCESS_STORE, 16},
        {"vpscatterdd %zmm0,(%rax,%zmm1,4){%k1}", "\x62\xf2\x7d\x49\xa0\x04\x88", 7, ACCESS_STORE,
         4},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct insn insn;
        print_message("%s\n", kinds[i].text);
        assert_true(insn_decode(&insn, ADDRESS, (const uint8_t *)kinds[i].bytes, kinds[i].length));
        assert_int_equal(insn.length, kinds[i].length);
        assert_int_equal(insn.memory_count, 1);
        assert_int_equal(insn.memory[0].kind, kinds[i].kind);
        assert_int_equal(insn.memory[0].size, kinds[i].size);
    }
}

static void gather_lane_counts_and_sizes_are_decoded(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        uint8_t length, lanes, size, index;
    } gathers[] = {
        {"\x62\xf2\x7d\x49\x90\x04\x88", 7, 16, 4, 1},  /* vpgatherdd (%rax,%zmm1,4) */
        {"\x62\xf2\xfd\x49\x92\x04\xc8", 7, 8, 8, 1},   /* vgatherdpd (%rax,%ymm1,8) */
        {"\x62\xf2\x7d\x49\x91\x04\x88", 7, 8, 4, 1},   /* vpgatherqd (%rax,%zmm1,4) */
        {"\x62\xf2\x7d\x41\x90\x04\x88", 7, 16, 4, 17}, /* vpgatherdd (%rax,%zmm17,4) */
        {"\xc4\xe2\x6d\x90\x04\x88", 6, 8, 4, 1},       /* vpgatherdd (%rax,%ymm1,4),ymm2 */
        {"\xc4\xe2\xed\x92\x04\xc8", 6, 4, 8, 1},       /* vgatherdpd (%rax,%xmm1,8) */
    };
    for (size_t i = 0; i < sizeof gathers / sizeof *gathers; i++) {
        struct insn insn;
        assert_true(
            insn_decode(&insn, ADDRESS, (const uint8_t *)gathers[i].bytes, gathers[i].length));
        assert_int_equal(insn.length, gathers[i].length);
        assert_true(insn.memory[0].vector);
        assert_int_equal(insn.memory[0].base, SREG_AX);
        assert_int_equal(insn.memory[0].index, SREG_NONE);
        assert_int_equal(insn.memory[0].lanes, gathers[i].lanes);
        assert_int_equal(insn.memory[0].size, gathers[i].size);
        assert_int_equal(insn.memory[0].vector_index, gathers[i].index);
    }
}

/* Reads nothing after the given bytes (checked by the sanitizers), and refuses bytes that are no
 * instruction of 64-bit mode. */
static void invalid_instructions_are_refused(void **state)
{
    (void)state;
    static const char *const none[] = {"\x06",
                                       "\x0f\x04",
                                       "\x82\xc0\x01",
                                       "\xd4\x0a",
                                       "\x66\xc4\xe1\x78\x28\xc0",
                                       "\x62\xf0\x7d\x48\x6f\xc0"};
    struct prng prng = {11};
    struct insn insn;
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_false(insn_decode(&insn, ADDRESS, (const uint8_t *)none[i], strlen(none[i])));
    for (int i = 0; i < 200000; i++) {
        uint8_t bytes[16];
        size_t size = prng_below(&prng, sizeof bytes + 1);
        for (size_t at = 0; at < size; at++)
            bytes[at] = (uint8_t)prng_below(&prng, 256);
        if (size && i % 2)
            bytes[0] = 0x62;
        if (insn_decode(&insn, ADDRESS, bytes, size))
            assert_true(insn.length <= size && insn.length);
    }
}

/* Shifts and masks of part of a register do not count as operations on the whole register. */
static void operations_on_partial_registers_are_distinguished(void **state)
{
    static const struct {
        const char *bytes;
        uint8_t length, op, narrow_op, width;
        int64_t immediate;
    } parts[] = {
        {"\xc0\xe8\x03", 3, INSN_OP_NONE, INSN_OP_SHR, 1, 3},         /* shr $3,%al */
        {"\x66\xc1\xe8\x06", 4, INSN_OP_NONE, INSN_OP_SHR, 2, 6},     /* shr $6,%ax */
        {"\x66\x25\xff\x03", 4, INSN_OP_NONE, INSN_OP_AND, 2, 0x3ff}, /* and $0x3ff,%ax */
        {"\xc0\xec\x03", 3, INSN_OP_NONE, INSN_OP_NONE, 0, 3},        /* shr $3,%ah */
        {"\xc1\xe8\x03", 3, INSN_OP_SHR, INSN_OP_NONE, 4, 3},         /* shr $3,%eax */
    };
    (void)state;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        struct insn insn;
        assert_true(insn_decode(&insn, ADDRESS, (const uint8_t *)parts[i].bytes, parts[i].length));
        assert_int_equal(insn.op, parts[i].op);
        assert_int_equal(insn.narrow_op, parts[i].narrow_op);
        assert_int_equal(insn.width, parts[i].width);
        assert_int_equal(insn.immediate, parts[i].immediate);
    }
}

static int run_insn(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operands_match_objdump),
        cmocka_unit_test(register_operands_are_not_memory_operands),
        cmocka_unit_test(mask_register_instructions_are_decoded),
        cmocka_unit_test(operand_kinds_and_sizes_are_decoded),
        cmocka_unit_test(gather_lane_counts_and_sizes_are_decoded),
        cmocka_unit_test(operations_on_partial_registers_are_distinguished),
        cmocka_unit_test(invalid_instructions_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(void)
{
    int failed = 0;
    failed += run_decoder();
    failed += run_insn();
    return failed;
}
