/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/avx512.h"

#include <string.h>

enum {
    EVEX_ESCAPE = 0x62,
    EVEX_PREFIX = 4,
    FULL_MEM = 0 /* no broadcast */,
    MAP_0F3A = 3,
    VEX_THREE = 0xc4,
    VEX_TWO = 0xc5
};

/* Opcodes whose operand is a full vector, or one element where `scalar` is set. */
static const struct {
    uint8_t map;
    uint8_t opcode;
    uint8_t element; /* FULL_MEM, 4; 8 where EVEX.W says so */
    uint8_t scalar;  /* bytes of the operand where it is no vector */
} known[] = {
    {1, 0x64, FULL_MEM, 0}, {1, 0x65, FULL_MEM, 0}, {1, 0x66, 4, 0}, /* vpcmpgtb, w, d */
    {1, 0x74, FULL_MEM, 0}, {1, 0x75, FULL_MEM, 0}, {1, 0x76, 4, 0}, /* vpcmpeqb, w, d */
    {2, 0x26, FULL_MEM, 0}, {2, 0x27, 4, 0},                         /* vptestmb/nmb, d/q */
    {2, 0x29, 4, 0},        {2, 0x37, 4, 0},                         /* vpcmpeqq, vpcmpgtq */
    {2, 0x78, FULL_MEM, 1}, {2, 0x79, FULL_MEM, 2},                  /* vpbroadcastb, w */
    {3, 0x1e, 4, 0},        {3, 0x1f, 4, 0},                         /* vpcmpud, vpcmpd */
    {3, 0x25, 4, 0},                                                 /* vpternlogd/q */
    {3, 0x3e, FULL_MEM, 0}, {3, 0x3f, FULL_MEM, 0},                  /* vpcmpub/w, vpcmpb/w */
};

/* ModRM and SIB number registers as the hardware does. */
static const uint8_t by_number[16] = {SREG_AX,  SREG_CX,  SREG_DX,  SREG_BX, SREG_SP,  SREG_BP,
                                      SREG_SI,  SREG_DI,  SREG_R8,  SREG_R9, SREG_R10, SREG_R11,
                                      SREG_R12, SREG_R13, SREG_R14, SREG_R15};

struct evex {
    const uint8_t *bytes;
    size_t size;
    size_t at;
    uint8_t mod;
    uint8_t rm;
    bool base_high;  /* B: registers 8 to 15 as base */
    bool index_high; /* X */
    uint8_t unit;    /* a one-byte displacement counts in these bytes */
};

static int index_of(const uint8_t *bytes)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].map == (bytes[1] & 7) && known[i].opcode == bytes[EVEX_PREFIX])
            return (int)i;
    return -1;
}

static bool take(struct evex *evex, void *out, size_t size)
{
    if (evex->size - evex->at < size)
        return false;
    memcpy(out, evex->bytes + evex->at, size);
    evex->at += size;
    return true;
}

static bool take_displacement(struct evex *evex, struct insn_memory *memory)
{
    int8_t small = 0;
    int32_t large = 0;
    bool nothing = evex->mod == 0 && memory->base != SREG_NONE;
    if (evex->mod == 1) {
        if (!take(evex, &small, sizeof small))
            return false;
        memory->displacement = (int64_t)small * evex->unit;
    } else if (!nothing) {
        if (!take(evex, &large, sizeof large))
            return false;
        memory->displacement = large;
    }
    return true;
}

/* The operand of mod 0 to 2; RIP-relative ones are made absolute by the caller. */
static bool take_operand(struct evex *evex, struct insn_memory *memory, bool *rip_relative)
{
    memory->index = SREG_NONE;
    memory->scale = 1;
    memory->base = by_number[evex->rm | evex->base_high << 3];
    *rip_relative = evex->rm == 5 && evex->mod == 0;
    if (*rip_relative)
        memory->base = SREG_NONE;
    if (evex->rm == 4) {
        uint8_t sib;
        if (!take(evex, &sib, 1))
            return false;
        unsigned index = (sib >> 3 & 7) | (unsigned)evex->index_high << 3;
        memory->index = index == 4 ? SREG_NONE : by_number[index];
        memory->scale = (uint8_t)(1u << (sib >> 6));
        memory->base = by_number[(sib & 7) | evex->base_high << 3];
        if ((sib & 7) == 5 && evex->mod == 0)
            memory->base = SREG_NONE;
    }
    return take_displacement(evex, memory);
}

static struct insn plain(uint64_t address)
{
    return (struct insn){.address = address,
                         .condition = INSN_CONDITION_NONE,
                         .dest = SREG_NONE,
                         .source = SREG_NONE,
                         .stored = SREG_NONE};
}

static bool vector_insn(struct insn *out, uint64_t address, const uint8_t *bytes, size_t size)
{
    if (size < EVEX_PREFIX + 2 || bytes[0] != EVEX_ESCAPE || bytes[1] & 8 || !(bytes[2] & 4))
        return false;
    int found = index_of(bytes);
    unsigned vector = 16u << (bytes[3] >> 5 & 3);
    bool broadcast = bytes[3] >> 4 & 1;
    bool in_memory = bytes[EVEX_PREFIX + 1] >> 6 != 3;
    bool rip_relative = false;
    if (found < 0 || vector > 64 || (broadcast && (!in_memory || known[found].element == FULL_MEM)))
        return false;
    struct evex evex = {.bytes = bytes,
                        .size = size,
                        .at = EVEX_PREFIX + 2,
                        .mod = bytes[EVEX_PREFIX + 1] >> 6,
                        .rm = bytes[EVEX_PREFIX + 1] & 7,
                        .base_high = !(bytes[1] & 0x20),
                        .index_high = !(bytes[1] & 0x40)};
    evex.unit = (uint8_t)(known[found].scalar ? known[found].scalar
                          : !broadcast        ? vector
                          : bytes[2] & 0x80   ? 8
                                              : known[found].element);
    *out = plain(address);
    struct insn_memory *memory = &out->memory[0];
    if (in_memory && !take_operand(&evex, memory, &rip_relative))
        return false;
    evex.at += known[found].map == MAP_0F3A; /* imm8 */
    if (evex.at > size)
        return false;
    out->length = (uint8_t)evex.at;
    if (in_memory) {
        memory->size = evex.unit;
        memory->kind = ACCESS_LOAD;
        memory->displacement += rip_relative ? (int64_t)(address + evex.at) : 0;
        out->memory_count = 1;
    }
    return true;
}

/* Between registers only: kand, kor and so on, kunpck, kmov, kortest, ktest, all of map 0F. */
static bool mask_insn(struct insn *out, uint64_t address, const uint8_t *bytes, size_t size)
{
    bool three = size && bytes[0] == VEX_THREE;
    size_t at = three ? 3 : 2;
    if (size < at + 2 || (!three && bytes[0] != VEX_TWO) || (three && (bytes[1] & 0x1f) != 1) ||
        bytes[at + 1] >> 6 != 3)
        return false;
    uint8_t opcode = bytes[at];
    bool logical =
        opcode >= 0x41 && opcode <= 0x4b && opcode != 0x43 && opcode != 0x48 && opcode != 0x49;
    bool tests = opcode == 0x98 || opcode == 0x99;
    if (!logical && !tests && opcode != 0x90 && opcode != 0x92 && opcode != 0x93)
        return false;
    *out = plain(address);
    out->length = (uint8_t)(at + 2);
    out->changes_flags = tests;
    if (opcode == 0x93)
        out->writes = 1u << by_number[(bytes[at + 1] >> 3 & 7) | (bytes[1] & 0x80 ? 0 : 8)];
    return true;
}

bool insn_from_avx512(struct insn *out, uint64_t address, const uint8_t *bytes, size_t size)
{
    return vector_insn(out, address, bytes, size) || mask_insn(out, address, bytes, size);
}
