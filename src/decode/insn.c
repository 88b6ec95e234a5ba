/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decodes general registers, operations, flow and implicit operands by opcode: Intel SDM vol. 2. */
#include "decode/insn.h"

#include "decode/encoding.h"

/* Maps the hardware's register numbers in ModRM, SIB and REX. */
static const uint8_t by_number[16] = {SREG_AX,  SREG_CX,  SREG_DX,  SREG_BX, SREG_SP,  SREG_BP,
                                      SREG_SI,  SREG_DI,  SREG_R8,  SREG_R9, SREG_R10, SREG_R11,
                                      SREG_R12, SREG_R13, SREG_R14, SREG_R15};

static const uint32_t AX = 1u << SREG_AX, BX = 1u << SREG_BX, CX = 1u << SREG_CX,
                      DX = 1u << SREG_DX, SI = 1u << SREG_SI, DI = 1u << SREG_DI,
                      BP = 1u << SREG_BP, SP = 1u << SREG_SP;

struct part {
    uint8_t reg;
    uint8_t width; /* bytes; 0: high byte of AX to BX, which is not tracked */
};

static uint8_t register_of(uint8_t number)
{
    return number < 16 ? by_number[number] : (uint8_t)SREG_NONE;
}

static struct part register_part_of(const struct encoding *in, uint8_t number, unsigned width)
{
    if (width == 1 && !in->rex && in->space == SPACE_LEGACY && number >= 4 && number < 8)
        return (struct part){by_number[number - 4], 0};
    return (struct part){register_of(number), (uint8_t)width};
}

static uint32_t register_bit(uint8_t reg)
{
    return reg < SREG_COUNT ? 1u << reg : 0;
}

/* Returns the operand width: in most pairs of opcodes the even one has byte operands. */
static unsigned width_of(const struct encoding *in)
{
    return in->opcode & 1 ? general_bytes(in) : 1;
}

static bool is_one_byte_opcode(const struct encoding *in, uint8_t first, uint8_t last)
{
    return in->map == MAP_ONE && in->opcode >= first && in->opcode <= last;
}

static bool is_0f(const struct encoding *in, uint8_t first, uint8_t last)
{
    return in->space == SPACE_LEGACY && in->map == MAP_0F && in->opcode >= first &&
           in->opcode <= last;
}

static bool is_string(const struct encoding *in)
{
    return is_one_byte_opcode(in, 0xa4, 0xa7) || is_one_byte_opcode(in, 0xaa, 0xaf) ||
           is_one_byte_opcode(in, 0x6c, 0x6f);
}

/* ---- flow ---- */

static enum insn_flow flow_of(const struct encoding *in)
{
    unsigned group = in->reg & 7;
    if (is_one_byte_opcode(in, 0xff, 0xff))
        return group == 2 || group == 3   ? INSN_CALL
               : group == 4 || group == 5 ? INSN_JUMP
                                          : INSN_PLAIN;
    if (is_one_byte_opcode(in, 0xe9, 0xe9) || is_one_byte_opcode(in, 0xeb, 0xeb))
        return INSN_JUMP;
    if (is_one_byte_opcode(in, 0xe8, 0xe8))
        return INSN_CALL;
    if (is_one_byte_opcode(in, 0xc2, 0xc3) || is_one_byte_opcode(in, 0xca, 0xcb) ||
        is_one_byte_opcode(in, 0xcf, 0xcf))
        return INSN_RETURN;
    if (is_one_byte_opcode(in, 0x70, 0x7f) || is_one_byte_opcode(in, 0xe0, 0xe3) ||
        is_0f(in, 0x80, 0x8f))
        return INSN_CONDITIONAL;
    if (is_0f(in, 0x05, 0x05) || is_0f(in, 0x34, 0x34))
        return INSN_SYSCALL;
    if (is_one_byte_opcode(in, 0xf4, 0xf4) || is_one_byte_opcode(in, 0xcc, 0xcc) ||
        is_0f(in, 0x0b, 0x0b) || is_0f(in, 0xb9, 0xb9) || is_0f(in, 0xff, 0xff))
        return INSN_STOP;
    return INSN_PLAIN;
}

static void set_flow(struct insn_outline *out, uint64_t address, const struct encoding *in)
{
    out->flow = (uint8_t)flow_of(in);
    out->condition = INSN_CONDITION_NONE;
    if (out->flow == INSN_CONDITIONAL && !is_one_byte_opcode(in, 0xe0, 0xe3))
        out->condition = in->opcode & 0xf;
    bool indirect = in->has_modrm || out->flow == INSN_RETURN || out->flow == INSN_SYSCALL ||
                    out->flow == INSN_STOP;
    if (out->flow != INSN_PLAIN && !indirect)
        out->target = address + in->length + (uint64_t)in->immediate;
}

bool insn_condition_holds(uint8_t condition, uint64_t flags)
{
    bool carry = flags & 1, parity = flags >> 2 & 1, zero = flags >> 6 & 1;
    bool sign = flags >> 7 & 1, overflow = flags >> 11 & 1;
    const bool holds[] = {overflow,
                          carry,
                          zero,
                          carry || zero,
                          sign,
                          parity,
                          sign != overflow,
                          zero || sign != overflow};
    return holds[condition >> 1 & 7] != (condition & 1);
}

uint64_t insn_compare_flags(enum insn_compare compares, uint64_t left, uint64_t right,
                            uint8_t bytes)
{
    unsigned top = bytes * 8u - 1;
    uint64_t mask = UINT64_MAX >> (63 - top);
    left &= mask;
    right &= mask;
    uint64_t result = (compares == INSN_COMPARE_SUB ? left - right : left & right) & mask;
    uint64_t flags = (uint64_t)!__builtin_parity((unsigned)result & 0xff) << 2 |
                     (uint64_t)!result << 6 | (result >> top & 1) << 7;
    if (compares == INSN_COMPARE_SUB)
        flags |= (uint64_t)(left < right) | ((left ^ right) & (left ^ result)) >> top << 11;
    return flags;
}

/* ---- memory ---- */

static struct insn_memory memory_at(uint8_t base, int64_t displacement, unsigned bytes,
                                    enum access_kind kind)
{
    return (struct insn_memory){.base = base,
                                .index = SREG_NONE,
                                .vector_index = SREG_NONE,
                                .scale = 1,
                                .size = (uint8_t)bytes,
                                .kind = (uint8_t)kind,
                                .displacement = displacement};
}

static void add_memory(struct insn *out, struct insn_memory memory)
{
    if (out->memory_count < INSN_MEMORY_MAX)
        out->memory[out->memory_count++] = memory;
}

static struct insn_memory operand_memory(const struct insn *out, const struct encoding *in,
                                         struct opcode_operand operand)
{
    unsigned bytes = operand.bytes <= UINT8_MAX ? operand.bytes : 0;
    struct insn_memory memory =
        memory_at(register_of(in->base), in->displacement, bytes, operand.kind);
    if (in->short_displacement && in->space == SPACE_EVEX)
        memory.displacement *= operand.unit;
    if (in->is_ip_relative)
        memory.displacement += (int64_t)(out->address + out->length);
    memory.index = register_of(in->index);
    memory.vector_index = in->vector_index;
    memory.scale = in->scale;
    memory.segment = in->segment;
    memory.has_32bit_address = in->has_32bit_address;
    memory.vector = in->vector_index != NO_REGISTER;
    if (memory.vector)
        memory.lanes = (uint8_t)opcode_lanes(in);
    if (memory.vector)
        memory.index_bytes = in->opcode & 1 ? 8 : 4;
    return memory;
}

/* Adds operands of push, call and the like, relative to RSP before the instruction. */
static void add_stack(struct insn *out, const struct encoding *in)
{
    unsigned group = in->reg & 7;
    unsigned bytes = in->operand16 && !in->rex_w ? 2 : 8;
    bool near_call =
        is_one_byte_opcode(in, 0xe8, 0xe8) || (is_one_byte_opcode(in, 0xff, 0xff) && group == 2);
    bool push = is_one_byte_opcode(in, 0x50, 0x57) || is_one_byte_opcode(in, 0x68, 0x68) ||
                is_one_byte_opcode(in, 0x6a, 0x6a) || is_one_byte_opcode(in, 0x9c, 0x9c) ||
                (is_one_byte_opcode(in, 0xff, 0xff) && group == 6) || is_0f(in, 0xa0, 0xa0) ||
                is_0f(in, 0xa8, 0xa8);
    bool pop = is_one_byte_opcode(in, 0x58, 0x5f) || is_one_byte_opcode(in, 0x8f, 0x8f) ||
               is_one_byte_opcode(in, 0x9d, 0x9d) || is_0f(in, 0xa1, 0xa1) || is_0f(in, 0xa9, 0xa9);
    if (near_call || push) {
        bytes = near_call ? 8 : bytes;
        out->stack_step = (int16_t) - (int)bytes;
        add_memory(out, memory_at(SREG_SP, -(int64_t)bytes, bytes, ACCESS_STORE));
    } else if (pop) {
        out->stack_step = (int16_t)bytes;
        add_memory(out, memory_at(SREG_SP, 0, bytes, ACCESS_LOAD));
    } else if (is_one_byte_opcode(in, 0xc2, 0xc3)) {
        out->stack_step = (int16_t)(8 + in->immediate);
        add_memory(out, memory_at(SREG_SP, 0, 8, ACCESS_LOAD));
    } else if (is_one_byte_opcode(in, 0xc9, 0xc9)) {
        add_memory(out, memory_at(SREG_BP, 0, bytes, ACCESS_LOAD));
    } else if (is_one_byte_opcode(in, 0xc8, 0xc8)) {
        add_memory(out, memory_at(SREG_SP, -(int64_t)bytes, bytes, ACCESS_STORE));
    } else if (is_one_byte_opcode(in, 0xff, 0xff) &&
               group == 3) { /* far: saves and restores a selector, too */
        bytes = 2 * general_bytes(in);
        out->stack_step = (int16_t) - (int)bytes;
        add_memory(out, memory_at(SREG_SP, -(int64_t)bytes, bytes, ACCESS_STORE));
    } else if (is_one_byte_opcode(in, 0xca, 0xcb) || is_one_byte_opcode(in, 0xcf, 0xcf)) {
        bytes = (in->opcode == 0xcf ? 5 : 2) * general_bytes(in);
        out->stack_step = (int16_t)(bytes + (unsigned)in->immediate);
        add_memory(out, memory_at(SREG_SP, 0, bytes, ACCESS_LOAD));
    }
}

/* The source comes first, because it is waited for; the destination is buffered. */
static void add_string(struct insn *out, const struct encoding *in)
{
    unsigned bytes = width_of(in);
    struct insn_memory source = memory_at(SREG_SI, 0, bytes, ACCESS_LOAD);
    struct insn_memory destination = memory_at(SREG_DI, 0, bytes, ACCESS_STORE);
    source.segment = in->segment;
    source.has_32bit_address = destination.has_32bit_address = in->has_32bit_address;
    bool from = is_one_byte_opcode(in, 0xa4, 0xa7) || is_one_byte_opcode(in, 0xac, 0xad) ||
                is_one_byte_opcode(in, 0x6e, 0x6f);
    bool to = !is_one_byte_opcode(in, 0xac, 0xad) && !is_one_byte_opcode(in, 0x6e, 0x6f);
    if (in->opcode >= 0x6c && in->opcode <= 0x6f && bytes == 8) /* in and out use at most 4 */
        source.size = destination.size = 4;
    if (is_one_byte_opcode(in, 0xa6, 0xa7) || is_one_byte_opcode(in, 0xae, 0xaf))
        destination.kind = ACCESS_LOAD;
    if (from)
        add_memory(out, source);
    if (to)
        add_memory(out, destination);
    out->string_step = source.size;
    out->repeats = in->repeated;
    out->writes = (from ? SI : 0) | (to ? DI : 0) | (in->repeated ? CX : 0) |
                  (is_one_byte_opcode(in, 0xac, 0xad) ? AX : 0);
}

/* Adds memory addressed by registers that are not in a ModRM: a mask move, a move of 64 bytes. */
static void add_implied_memory(struct insn *out, const struct encoding *in)
{
    bool legacy_or_vex = in->space == SPACE_LEGACY || in->space == SPACE_VEX;
    if (legacy_or_vex && in->map == MAP_0F && in->opcode == 0xf7) {
        struct insn_memory memory =
            memory_at(SREG_DI, 0, in->prefix == PREFIX_66 ? 16 : 8, ACCESS_STORE);
        memory.segment = in->segment;
        memory.has_32bit_address = in->has_32bit_address;
        add_memory(out, memory);
    } else if (in->space == SPACE_LEGACY && in->map == MAP_0F38 && in->opcode == 0xf8) {
        add_memory(out, memory_at(register_of(in->reg), 0, 64, ACCESS_STORE));
    }
}

static void set_memory(struct insn *out, const struct encoding *in)
{
    if (in->has_modrm && in->mod != 3) {
        struct opcode_operand operand = opcode_memory(in);
        struct insn_memory memory = operand_memory(out, in, operand);
        if (operand.kind != ACCESS_UNKNOWN_KIND)
            add_memory(out, memory);
        else if (is_one_byte_opcode(in, 0x8d, 0x8d))
            out->memory[0] = memory;
    }
    if (is_one_byte_opcode(in, 0xa0, 0xa3)) {
        struct insn_memory memory = memory_at(SREG_NONE, in->immediate, width_of(in),
                                              in->opcode < 0xa2 ? ACCESS_LOAD : ACCESS_STORE);
        memory.segment = in->segment;
        memory.has_32bit_address = in->has_32bit_address;
        add_memory(out, memory);
    }
    add_stack(out, in);
    if (is_string(in))
        add_string(out, in);
    add_implied_memory(out, in);
}

/* ---- registers written ---- */

/* Effects of legacy opcodes that do not depend on ModRM: f changes the flags, r the register of
 * ModRM.reg, a RAX; b flags and register, c flags and RAX. */
static const char effects_one[] = "ffbbcc..ffbbcc.."  /* 00 */
                                  "ffbbcc..ffbbcc.."  /* 10 */
                                  "ffbbcc..ffbbcc.."  /* 20 */
                                  "ffbbcc..ffffff.."  /* 30 */
                                  "................"  /* 40 */
                                  "................"  /* 50 */
                                  "...r.....b.b...."  /* 60 */
                                  "................"  /* 70 */
                                  "ff.fffrr..rr.r.."  /* 80 */
                                  "........a....ffa"  /* 90 */
                                  "aa....ffff....ff"  /* a0 */
                                  "................"  /* b0 */
                                  "ff.............f"  /* c0 */
                                  "ffff...a........"  /* d0 */
                                  "....aa......aa.."  /* e0 */
                                  ".....f..ff......"; /* f0 */
static const char effects_0f[] = "..bb.f.........."   /* 00 */
                                 "................"   /* 10 */
                                 "..............ff"   /* 20 */
                                 "................"   /* 30 */
                                 "rrrrrrrrrrrrrrrr"   /* 40 */
                                 "................"   /* 50 */
                                 "................"   /* 60 */
                                 "................"   /* 70 */
                                 "................"   /* 80 */
                                 "................"   /* 90 */
                                 "...fff....ffff.b"   /* a0 */
                                 "ccrfrrrrb.ffbbrr"   /* b0 */
                                 "bb.............."   /* c0 */
                                 "................"   /* d0 */
                                 "................"   /* e0 */
                                 "................";  /* f0 */

static char opcode_effect(const struct encoding *in)
{
    if (in->space != SPACE_LEGACY || in->map > MAP_0F)
        return '.';
    return in->map == MAP_ONE ? effects_one[in->opcode] : effects_0f[in->opcode];
}

/* Returns true for moves from vector and mask registers to general registers, in any encoding. */
static bool vector_writes_reg(const struct encoding *in)
{
    bool scalar = in->prefix == PREFIX_F3 || in->prefix == PREFIX_F2;
    switch (in->opcode) {
    case 0x2c:
    case 0x2d:
        return scalar;
    case 0x78:
    case 0x79:
        return scalar && in->space == SPACE_EVEX;
    case 0x50:
    case 0xc5:
    case 0xd7:
        return in->map == MAP_0F;
    case 0x93:
        return in->map == MAP_0F && in->space == SPACE_VEX;
    default:
        return false;
    }
}

static bool writes_reg(const struct encoding *in)
{
    char effect = opcode_effect(in);
    if (effect == 'r' || effect == 'b')
        return true;
    switch (in->map) {
    case MAP_0F:
    case MAP_FP16:
        return vector_writes_reg(in);
    case MAP_0F38:
        if (in->space == SPACE_VEX) /* andn; bzhi, pdep, pext; mulx; bextr, shifts */
            return in->opcode == 0xf2 || (in->opcode >= 0xf5 && in->opcode <= 0xf7);
        if (in->space != SPACE_LEGACY)
            return false;
        if (in->opcode == 0xf6) /* adcx, adox, not wrss */
            return in->prefix == PREFIX_66 || in->prefix == PREFIX_F3;
        if (in->opcode == 0xfa || in->opcode == 0xfb) /* encodekey */
            return in->prefix == PREFIX_F3;
        return in->opcode == 0xf0 || (in->opcode == 0xf1 && in->prefix == PREFIX_F2);
    case MAP_0F3A:
        return in->space == SPACE_VEX && in->opcode == 0xf0;
    case MAP_XOP + 2: /* bextr */
        return in->opcode == 0x10;
    default:
        return false;
    }
}

/* Returns true for VEX and XOP instructions that write a third general operand. */
static bool writes_vvvv(const struct encoding *in)
{
    if (in->space == SPACE_XOP)
        return in->map == MAP_XOP + 1 && (in->opcode == 0x01 || in->opcode == 0x02);
    return in->space == SPACE_VEX && in->map == MAP_0F38 &&
           (in->opcode == 0xf3 || (in->opcode == 0xf6 && in->prefix == PREFIX_F2));
}

static bool rm_is_general(const struct encoding *in)
{
    if (in->map == MAP_ONE)
        return in->opcode < 0xd8 || in->opcode > 0xdf;
    if (in->map == MAP_0F && in->opcode == 0x7e)
        return in->prefix == PREFIX_66 || in->prefix == PREFIX_NONE;
    if (in->map == MAP_0F3A)
        return in->opcode >= 0x14 && in->opcode <= 0x17;
    if (in->map == MAP_FP16)
        return in->opcode == 0x7e;
    if (in->space != SPACE_LEGACY || in->map != MAP_0F)
        return false;
    uint8_t op = in->opcode;
    return op == 0x00 || op == 0x78 || (op >= 0x90 && op <= 0x9f) || (op >= 0xa3 && op <= 0xad) ||
           (op >= 0xaf && op <= 0xc1 && op != 0xb2 && op != 0xb4 && op != 0xb5);
}

/* Handles MMX moves to general registers, 7E without a prefix; 0F 7E is also an MMX store. */
static bool writes_rm(const struct encoding *in)
{
    unsigned group = in->reg & 7;
    if (!in->has_modrm || in->mod != 3)
        return false;
    if (is_0f(in, 0x20, 0x21))
        return true;
    if (is_0f(in, 0x01, 0x01))
        return group == 4;
    if (is_0f(in, 0x1e, 0x1e))
        return in->prefix == PREFIX_F3 && group == 1;
    if (is_0f(in, 0xae, 0xae))
        return in->prefix == PREFIX_F3 && group < 2;
    if (is_0f(in, 0xc7, 0xc7))
        return group == 7 || (group == 6 && in->prefix != PREFIX_F3);
    if (is_one_byte_opcode(in, 0xc6, 0xc7) && group)
        return false;
    if (is_one_byte_opcode(in, 0x8f, 0x8f))
        return true;
    uint8_t kind = rm_is_general(in) ? opcode_memory(in).kind : (uint8_t)ACCESS_LOAD;
    return kind == ACCESS_STORE || kind == ACCESS_LOAD_STORE;
}

static uint32_t one_byte_opcode_writes(const struct encoding *in)
{
    unsigned group = in->reg & 7;
    uint8_t op = in->opcode;
    if (op >= 0x58 && op <= 0x5f)
        return register_bit(register_of(in->opcode_register));
    if (op >= 0x91 && op <= 0x97)
        return AX | register_bit(register_of(in->opcode_register));
    if (op >= 0xb0 && op <= 0xbf)
        return register_bit(register_part_of(in, in->opcode_register, op < 0xb8 ? 1 : 8).reg);
    switch (op) {
    case 0x90:
        return in->opcode_register ? AX | register_bit(register_of(in->opcode_register)) : 0;
    case 0x99:
        return DX;
    case 0xc6:
    case 0xc7: /* xabort, xbegin */
        return group == 7 ? AX : 0;
    case 0xc8:
    case 0xc9:
        return BP | SP;
    case 0xdf: /* fnstsw */
        return in->mod == 3 && group == 4 && !(in->rm & 7) ? AX : 0;
    case 0xe0:
    case 0xe1:
    case 0xe2:
        return CX;
    case 0xf6:
        return group >= 4 ? AX : 0;
    case 0xf7:
        return group >= 4 ? AX | DX : 0;
    default:
        return 0;
    }
}

/* Returns the registers written by 0F 01 without memory, by ModRM. */
static uint32_t system_writes(const struct encoding *in)
{
    unsigned which = in->mod == 3 ? (unsigned)(0xc0 | (in->reg & 7) << 3 | (in->rm & 7)) : 0;
    switch (which) {
    case 0xd0: /* xgetbv */
    case 0xee: /* rdpkru */
        return AX | DX;
    case 0xf9: /* rdtscp */
        return AX | CX | DX;
    default:
        return 0;
    }
}

static uint32_t general_0f_writes(const struct encoding *in)
{
    if (in->opcode >= 0xc8 && in->opcode <= 0xcf)
        return register_bit(register_of(in->opcode_register));
    switch (in->opcode) {
    case 0x01:
        return system_writes(in);
    case 0x05:
        return CX | 1u << SREG_R11;
    case 0x31:
    case 0x32:
    case 0x33:
        return AX | DX;
    case 0xa2:
        return AX | BX | CX | DX;
    case 0xc7:
        return in->mod != 3 && (in->reg & 7) == 1 ? AX | DX : 0;
    default:
        return 0;
    }
}

static void set_written_registers(struct insn *out, const struct encoding *in)
{
    bool bytes_of_pair = in->map == MAP_ONE || is_0f(in, 0x90, 0x9f) || is_0f(in, 0xb0, 0xb1) ||
                         is_0f(in, 0xc0, 0xc1);
    bool narrow = is_0f(in, 0x90, 0x9f) ||
                  (bytes_of_pair && !(in->opcode & 1) && in->opcode != 0x8c && in->opcode != 0x8e);
    unsigned width = narrow && !is_one_byte_opcode(in, 0x63, 0x6b) ? 1 : 8;
    if (in->has_modrm && writes_reg(in))
        out->writes |= register_bit(register_part_of(in, in->reg, width).reg);
    if (writes_rm(in))
        out->writes |= register_bit(register_part_of(in, in->rm, width).reg);
    if (writes_vvvv(in))
        out->writes |= register_bit(register_of(in->vvvv));
    if (opcode_effect(in) == 'a' || opcode_effect(in) == 'c')
        out->writes |= AX;
    if (in->map == MAP_ONE)
        out->writes |= one_byte_opcode_writes(in);
    if (in->space == SPACE_LEGACY && in->map == MAP_0F)
        out->writes |= general_0f_writes(in);
    if (in->map == MAP_0F3A && (in->opcode == 0x61 || in->opcode == 0x63) &&
        in->space != SPACE_EVEX)
        out->writes |= CX; /* pcmpestri, pcmpistri */
    if (out->stack_step)
        out->writes |= SP;
}

/* ---- flags ---- */

static bool one_byte_opcode_flags(const struct encoding *in)
{
    unsigned group = in->reg & 7;
    switch (in->opcode) {
    case 0xdb: /* fcomi and fucomi change flags; fucompp of 0xda does not */
    case 0xdf:
        return in->mod == 3 && (group == 5 || group == 6);
    case 0xf6:
    case 0xf7:
        return group != 2;
    case 0xfe:
    case 0xff:
        return group < 2;
    default:
        return false;
    }
}

static bool general_0f_flags(const struct encoding *in)
{
    unsigned group = in->reg & 7;
    switch (in->opcode) {
    case 0x00:
        return group == 4 || group == 5;
    case 0x01: /* xtest */
        return in->mod == 3 && group == 2 && (in->rm & 7) == 6;
    case 0x78:
    case 0x79:
        return in->prefix == PREFIX_NONE;
    case 0xae: /* umonitor does not change flags; umwait and tpause do */
        return in->mod == 3 ? group == 6 && in->prefix != PREFIX_F3 && in->prefix != PREFIX_NONE
                            : group == 6 && in->prefix == PREFIX_F3;
    case 0xc7: /* rdrand, rdseed; with F3 senduipi, rdpid */
        return in->mod == 3 ? group >= 6 && in->prefix != PREFIX_F3 : group == 1 || group >= 6;
    default:
        return false;
    }
}

static bool changes_flags(const struct encoding *in)
{
    char effect = opcode_effect(in);
    if (effect == 'f' || effect == 'b' || effect == 'c')
        return true;
    switch (in->map) {
    case MAP_ONE:
        return one_byte_opcode_flags(in);
    case MAP_0F:
        if (in->space == SPACE_LEGACY)
            return general_0f_flags(in);
        return in->opcode == 0x2e || in->opcode == 0x2f ||
               (in->space == SPACE_VEX && (in->opcode == 0x98 || in->opcode == 0x99));
    case MAP_0F38:
        if (in->space == SPACE_LEGACY)
            return in->opcode == 0x17 || in->opcode == 0x80 || in->opcode == 0x81 ||
                   (in->opcode == 0xf6 && in->prefix != PREFIX_NONE) ||
                   (in->opcode == 0xf8 && in->repeated) ||
                   (in->opcode >= 0xd8 && in->opcode <= 0xfb && in->prefix == PREFIX_F3);
        if (in->space != SPACE_VEX)
            return false;
        return in->opcode == 0x0e || in->opcode == 0x0f || in->opcode == 0x17 ||
               in->opcode == 0xf2 || in->opcode == 0xf3 ||
               ((in->opcode == 0xf5 || in->opcode == 0xf7) && in->prefix == PREFIX_NONE);
    case MAP_0F3A:
        return in->space != SPACE_EVEX && in->opcode >= 0x60 && in->opcode <= 0x63;
    case MAP_FP16:
        return in->opcode == 0x2e || in->opcode == 0x2f;
    case MAP_XOP + 1:
        return in->opcode == 0x01 || in->opcode == 0x02;
    case MAP_XOP + 2:
        return in->opcode == 0x10;
    default:
        return false;
    }
}

/* ---- operations ---- */

static void set_dest(struct insn *out, struct part part)
{
    out->dest = part.reg;
    out->width = part.width;
}

static void set_source(struct insn *out, struct part part)
{
    out->source = part.reg;
    out->source_width = part.width;
}

/* Sets dest = dest op rm; with memory only what set_vague() reports. */
static void set_from_rm(struct insn *out, const struct encoding *in, enum insn_op op,
                        unsigned bytes)
{
    out->op = (uint8_t)op;
    if (in->mod == 3) {
        set_source(out, register_part_of(in, in->rm, bytes));
    } else if (op == INSN_OP_MOVE) {
        out->op = INSN_OP_LOAD;
        out->source_width = (uint8_t)bytes;
    } else {
        out->op = INSN_OP_NONE;
        if (op == INSN_OP_ADD || op == INSN_OP_SUB)
            out->partial_op = op == INSN_OP_ADD ? INSN_PARTIAL_ADD : INSN_PARTIAL_SUB;
    }
}

static void set_immediate(struct insn *out, enum insn_op op, int64_t immediate)
{
    out->op = (uint8_t)op;
    out->immediate = immediate;
    out->source_width = out->width;
}

static void set_arithmetic(struct insn *out, const struct encoding *in, unsigned which,
                           unsigned form)
{
    static const uint8_t operations[8] = {INSN_OP_ADD, INSN_OP_OR,  INSN_OP_NONE, INSN_OP_NONE,
                                          INSN_OP_AND, INSN_OP_SUB, INSN_OP_XOR,  INSN_OP_NONE};
    enum insn_op op = operations[which];
    unsigned bytes = form & 1 ? general_bytes(in) : 1;
    if (which == 7 || (form < 2 && in->mod != 3))
        return; /* cmp, or a memory destination */
    if (form >= 4) {
        set_dest(out, (struct part){SREG_AX, (uint8_t)bytes});
        set_immediate(out, op, in->immediate);
        return;
    }
    set_dest(out, register_part_of(in, form < 2 ? in->rm : in->reg, bytes));
    if (form < 2) {
        out->op = (uint8_t)op;
        set_source(out, register_part_of(in, in->reg, bytes));
    } else {
        set_from_rm(out, in, op, bytes);
    }
}

/* Handles C0, C1, D0 to D3. */
static void set_shift(struct insn *out, const struct encoding *in)
{
    static const uint8_t operations[8] = {INSN_OP_NONE, INSN_OP_NONE, INSN_OP_NONE, INSN_OP_NONE,
                                          INSN_OP_SHL,  INSN_OP_SHR,  INSN_OP_SHL,  INSN_OP_SAR};
    if (in->mod != 3)
        return;
    set_dest(out, register_part_of(in, in->rm, width_of(in)));
    out->op = operations[in->reg & 7];
    if (in->opcode >= 0xd2)
        set_source(out, (struct part){SREG_CX, 1});
    else
        set_immediate(out, out->op, in->opcode >= 0xd0 ? 1 : in->immediate);
}

/* Handles F6, F7, FE, FF. */
static void set_unary(struct insn *out, const struct encoding *in)
{
    unsigned group = in->reg & 7;
    bool counts = in->opcode >= 0xfe;
    if (in->mod != 3)
        return;
    if (counts && group < 2) {
        set_dest(out, register_part_of(in, in->rm, width_of(in)));
        set_immediate(out, group ? INSN_OP_SUB : INSN_OP_ADD, 1);
    } else if (!counts && (group == 2 || group == 3)) {
        set_dest(out, register_part_of(in, in->rm, width_of(in)));
        set_immediate(out, group == 2 ? INSN_OP_NOT : INSN_OP_NEG, 1);
    } else if (in->opcode == 0xff && (group == 2 || group == 4)) {
        set_dest(out, (struct part){register_of(in->rm), 8});
    } else if (in->opcode == 0xff && group == 6) {
        out->stored_register = register_of(in->rm);
    }
}

static void set_move(struct insn *out, const struct encoding *in)
{
    unsigned bytes = width_of(in);
    if (in->opcode >= 0x8a) {
        set_dest(out, register_part_of(in, in->reg, bytes));
        set_from_rm(out, in, INSN_OP_MOVE, bytes);
    } else if (in->mod == 3) {
        set_dest(out, register_part_of(in, in->rm, bytes));
        set_source(out, register_part_of(in, in->reg, bytes));
        out->op = INSN_OP_MOVE;
    } else if (bytes >= 4) {
        out->stored_register = register_of(in->reg);
    }
}

static void set_exchange(struct insn *out, const struct encoding *in)
{
    unsigned bytes = in->opcode < 0x90 ? width_of(in) : general_bytes(in);
    if (in->opcode < 0x90 && in->mod != 3)
        return;
    if (in->opcode == 0x90 && !in->opcode_register)
        return;
    uint8_t first = in->opcode < 0x90 ? in->rm : in->opcode_register;
    uint8_t second = in->opcode < 0x90 ? in->reg : 0;
    set_dest(out, register_part_of(in, first, bytes));
    set_source(out, register_part_of(in, second, bytes));
    out->op = INSN_OP_EXCHANGE;
}

static void set_one_byte_opcode(struct insn *out, const struct encoding *in)
{
    uint8_t op = in->opcode;
    unsigned full = general_bytes(in);
    if (op < 0x40) {
        if ((op & 7) < 6)
            set_arithmetic(out, in, op >> 3, op & 7);
    } else if (op >= 0x50 && op <= 0x57) {
        out->stored_register = register_of(in->opcode_register);
    } else if (op >= 0x58 && op <= 0x5f) {
        set_dest(out, (struct part){register_of(in->opcode_register), 8});
    } else if (op == 0x63) {
        set_dest(out, register_part_of(in, in->reg, full));
        out->sign_extends = true;
        set_from_rm(out, in, INSN_OP_MOVE, 4);
    } else if (op == 0x69 || op == 0x6b) {
        set_dest(out, register_part_of(in, in->reg, full));
        set_from_rm(out, in, INSN_OP_MUL3, full);
        out->immediate = in->immediate;
    } else if (op == 0x80 || op == 0x81 || op == 0x83) {
        if (in->mod == 3 && (in->reg & 7) != 7) {
            set_arithmetic(out, in, in->reg & 7, op & 1);
            out->source = SREG_NONE;
            set_immediate(out, out->op, in->immediate);
        }
    } else if (op == 0x86 || op == 0x87 || (op >= 0x90 && op <= 0x97)) {
        set_exchange(out, in);
    } else if (op >= 0x88 && op <= 0x8b) {
        set_move(out, in);
    } else if (op == 0x8d) {
        set_dest(out, register_part_of(in, in->reg, full));
        out->op = INSN_OP_LEA;
    } else if (op == 0x98 && full >= 4) { /* cdqe and cwde extend in place */
        set_dest(out, (struct part){SREG_AX, (uint8_t)full});
        set_source(out, (struct part){SREG_AX, (uint8_t)(full / 2)});
        out->op = INSN_OP_MOVE;
        out->sign_extends = true;
    } else if (op == 0xa1) {
        set_dest(out, (struct part){SREG_AX, (uint8_t)full});
        out->op = INSN_OP_LOAD;
        out->source_width = (uint8_t)full;
    } else if (op >= 0xb8 && op <= 0xbf) {
        set_dest(out, (struct part){register_of(in->opcode_register), (uint8_t)full});
        set_immediate(out, INSN_OP_MOVE, in->immediate);
    } else if (op == 0xc7 && in->mod == 3 && !(in->reg & 7)) {
        set_dest(out, register_part_of(in, in->rm, full));
        set_immediate(out, INSN_OP_MOVE, in->immediate);
    } else if ((op >= 0xc0 && op <= 0xc1) || (op >= 0xd0 && op <= 0xd3)) {
        set_shift(out, in);
    } else if (op == 0xf6 || op == 0xf7 || op >= 0xfe) {
        set_unary(out, in);
    }
}

static void set_0f(struct insn *out, const struct encoding *in)
{
    uint8_t op = in->opcode;
    unsigned full = general_bytes(in);
    if (op >= 0x40 && op <= 0x4f) {
        set_dest(out, register_part_of(in, in->reg, full));
        out->partial_op = INSN_PARTIAL_CHOOSE;
        out->source = in->mod == 3 ? register_of(in->rm) : (uint8_t)SREG_NONE;
    } else if (op == 0xaf) {
        set_dest(out, register_part_of(in, in->reg, full));
        set_from_rm(out, in, INSN_OP_MUL, full);
    } else if (op == 0xb6 || op == 0xb7 || op == 0xbe || op == 0xbf) {
        set_dest(out, register_part_of(in, in->reg, full));
        out->sign_extends = op >= 0xbe;
        set_from_rm(out, in, INSN_OP_MOVE, op & 1 ? 2 : 1);
    }
}

/* Tracks only operations of 4 and 8 bytes on whole operands. */
static void set_operation(struct insn *out, const struct encoding *in)
{
    out->dest = out->source = out->stored_register = SREG_NONE;
    if (in->map == MAP_ONE)
        set_one_byte_opcode(out, in);
    else if (in->space == SPACE_LEGACY && in->map == MAP_0F)
        set_0f(out, in);
    if (out->width != 8)
        out->partial_op = INSN_PARTIAL_NONE;
    bool whole = out->width >= 4 && (out->source == SREG_NONE || out->source_width);
    if (!whole && out->width && out->width < 4)
        out->narrow_op = out->op;
    if (!whole)
        out->op = INSN_OP_NONE;
}

static void set_compare(struct insn *out, const struct encoding *in)
{
    bool group = is_one_byte_opcode(in, 0x80, 0x83) && (in->reg & 7) == 7;
    bool cmp = is_one_byte_opcode(in, 0x38, 0x3d) || group;
    bool unary = is_one_byte_opcode(in, 0xf6, 0xf7) && (in->reg & 7) < 2;
    bool test = is_one_byte_opcode(in, 0x84, 0x85) || is_one_byte_opcode(in, 0xa8, 0xa9) || unary;
    bool of_ax = is_one_byte_opcode(in, 0x3c, 0x3d) || is_one_byte_opcode(in, 0xa8, 0xa9);
    out->compare_left = out->compare_right = SREG_NONE;
    if (!cmp && !test)
        return;
    unsigned bytes = width_of(in);
    struct part rm = {SREG_NONE, (uint8_t)bytes};
    struct part reg = rm;
    if (of_ax)
        rm.reg = SREG_AX;
    else if (in->mod == 3)
        rm = register_part_of(in, in->rm, bytes);
    if (of_ax || group || unary)
        out->immediate = in->immediate;
    else
        reg = register_part_of(in, in->reg, bytes);
    bool swapped = is_one_byte_opcode(in, 0x3a, 0x3b);
    out->compare_left = swapped ? reg.reg : rm.reg;
    out->compare_right = swapped ? rm.reg : reg.reg;
    out->compare_bytes = (uint8_t)bytes;
    if (rm.width && reg.width)
        out->compare_op = cmp ? INSN_COMPARE_SUB : INSN_COMPARE_AND;
}

/* Sets only the source of a gather's indices. */
static void set_vector(struct insn *out, const struct encoding *in)
{
    static const uint8_t from[6] = {1, 1, 1, 2, 2, 4}; /* pmovsx, pmovzx: bw bd bq wd wq dq */
    static const uint8_t to[6] = {2, 4, 8, 4, 8, 8};
    out->vector_dest = SREG_NONE;
    bool stores = out->memory_count && out->memory[0].kind != ACCESS_LOAD;
    if (in->map == MAP_ONE || !in->has_modrm || stores)
        return;
    out->vector_dest = in->reg;
    if (in->mod == 3)
        return;
    unsigned extend = in->opcode & 0xf;
    bool widens =
        in->map == MAP_0F38 && in->prefix == PREFIX_66 && (in->opcode & 0xe0) == 0x20 && extend < 6;
    if (in->map == MAP_0F && ((in->opcode == 0x6f && in->prefix != PREFIX_NONE) ||
                              in->opcode == 0x28 || (in->opcode == 0x10 && in->prefix < PREFIX_F3)))
        out->vector_load = INSN_VECTOR_COPY;
    if (!widens)
        return;
    out->vector_load = from[extend];
    out->width = to[extend];
    out->sign_extends = in->opcode < 0x30;
}

static bool is_nop(const struct encoding *in)
{
    if (is_one_byte_opcode(in, 0x90, 0x90))
        return !in->opcode_register && in->prefix != PREFIX_F3; /* F3: pause */
    bool endbr = is_0f(in, 0x1e, 0x1e) && in->prefix == PREFIX_F3;
    return is_0f(in, 0x19, 0x1f) && !endbr;
}

/* Returns true if a line leaves some or all caches: 0F AE /7, 66 0F AE /6 (clwb, which evicts on
 * some CPUs), and 0F 1C /0 (cldemote). */
static bool is_line_flush(const struct encoding *in)
{
    unsigned group = in->reg & 7;
    if (!in->has_modrm || in->mod == 3)
        return false;
    return (is_0f(in, 0xae, 0xae) && in->prefix != PREFIX_F3 &&
            (group == 7 || (group == 6 && in->prefix == PREFIX_66))) ||
           (is_0f(in, 0x1c, 0x1c) && !group && in->prefix == PREFIX_NONE);
}

/* Matches movntps and movntpd, movntq and movntdq, movnti. */
static bool is_non_temporal(const struct encoding *in)
{
    return in->map == MAP_0F && in->has_modrm && in->mod != 3 &&
           (in->opcode == 0x2b || in->opcode == 0xe7 || is_0f(in, 0xc3, 0xc3));
}

static void set_outline(struct insn_outline *out, uint64_t address, const struct encoding *in)
{
    *out = (struct insn_outline){
        .length = in->length, .is_nop = is_nop(in), .flushes_line = is_line_flush(in)};
    set_flow(out, address, in);
}

bool insn_outline(struct insn_outline *out, uint64_t address, const uint8_t *bytes, size_t size)
{
    struct encoding in;
    bool known = encoding_read(&in, bytes, size);
    if (known)
        set_outline(out, address, &in);
    return known;
}

bool insn_decode(struct insn *out, uint64_t address, const uint8_t *bytes, size_t size)
{
    struct encoding in;
    struct insn_outline outline;
    if (!encoding_read(&in, bytes, size))
        return false;
    set_outline(&outline, address, &in);
    *out = (struct insn){.address = address,
                         .target = outline.target,
                         .length = outline.length,
                         .flow = outline.flow,
                         .condition = outline.condition,
                         .is_nop = outline.is_nop,
                         .evicts_line = outline.flushes_line || is_non_temporal(&in),
                         .decoded = true};
    set_memory(out, &in);
    set_written_registers(out, &in);
    set_operation(out, &in);
    set_compare(out, &in);
    set_vector(out, &in);
    out->changes_flags = changes_flags(&in);
    bool exchanges =
        is_one_byte_opcode(&in, 0x86, 0x87) && in.mod != 3; /* atomic without a prefix */
    out->locked = in.lock || exchanges;
    return true;
}
