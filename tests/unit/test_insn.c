/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Encodings as GNU as writes them; the operands as objdump prints them. */
#include "unit.h"

#include "base/hash.h"
#include "decode/insn.h"

#include <string.h>

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

static void operands_are_those_of_objdump(void **state)
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

static void registers_only_have_no_operand(void **state)
{
    (void)state;
    struct insn insn; /* vptestmb %ymm26,%ymm26,%k1 */
    assert_true(insn_decode(&insn, ADDRESS, (const uint8_t *)"\x62\x92\x2d\x20\x26\xca", 6));
    assert_int_equal(insn.length, 6);
    assert_int_equal(insn.memory_count, 0);
}

static void masks_move_and_test(void **state)
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

/* What memory operands are for: read, written, both, or an address only. */
static void reading_is_not_writing(void **state)
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

static void lanes_are_as_many_as_fit(void **state)
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

/* Nothing is read behind the bytes given (the sanitizers watch); bytes of no instruction of 64-bit
 * code are refused. */
static void other_bytes_are_refused(void **state)
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

/* Shifts and masks of a part of a register are no operations on the whole of it. */
static void parts_of_registers_are_told(void **state)
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(operands_are_those_of_objdump),
                                       cmocka_unit_test(registers_only_have_no_operand),
                                       cmocka_unit_test(masks_move_and_test),
                                       cmocka_unit_test(reading_is_not_writing),
                                       cmocka_unit_test(lanes_are_as_many_as_fit),
                                       cmocka_unit_test(parts_of_registers_are_told),
                                       cmocka_unit_test(other_bytes_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
