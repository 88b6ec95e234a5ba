/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decode/encoding.h"

enum { ENCODING_MAX = 15 };

struct cursor {
    const uint8_t *bytes;
    size_t size;
    size_t at;
    bool failed;
};

static uint8_t next_byte(struct cursor *cursor)
{
    if (cursor->at >= cursor->size) {
        cursor->failed = true;
        return 0;
    }
    return cursor->bytes[cursor->at++];
}

static uint8_t peek_byte(const struct cursor *cursor)
{
    return cursor->at < cursor->size ? cursor->bytes[cursor->at] : 0;
}

/* Reads a number of 1, 2, 4 or 8 bytes, sign-extended. */
static int64_t next_number(struct cursor *cursor, unsigned bytes)
{
    uint64_t value = 0;
    if (!bytes)
        return 0;
    if (cursor->size - cursor->at < bytes) {
        cursor->failed = true;
        return 0;
    }
    for (unsigned i = 0; i < bytes; i++)
        value |= (uint64_t)cursor->bytes[cursor->at + i] << i * 8;
    cursor->at += bytes;
    unsigned shift = 64 - bytes * 8;
    return (int64_t)(value << shift) >> shift;
}

/* Reads the prefixes (SDM 2.1.1 and 2.2.1): the last of F2 and F3 is the mandatory prefix and takes
 * precedence over 66; a REX counts only directly before the opcode. Returns the REX, 0: none. */
static uint8_t read_prefixes(struct cursor *cursor, struct encoding *out)
{
    uint8_t rex = 0;
    for (;;) {
        uint8_t byte = peek_byte(cursor);
        switch (byte) {
        case 0xf0:
            out->lock = true;
            break;
        case 0xf2:
        case 0xf3:
            out->prefix = byte == 0xf2 ? PREFIX_F2 : PREFIX_F3;
            out->repeated = true;
            break;
        case 0x66:
            out->operand16 = true;
            break;
        case 0x67:
            out->has_32bit_address = true;
            break;
        case 0x26:
        case 0x2e:
        case 0x36:
        case 0x3e:
            /* The last of several segment prefixes counts, but these four are flat and ignored. */
            break;
        case 0x64:
        case 0x65:
            out->segment = byte == 0x64 ? 1 : 2;
            break;
        default:
            if ((byte & 0xf0) != 0x40)
                return rex;
            rex = next_byte(cursor);
            continue;
        }
        rex = 0;
        next_byte(cursor);
        if (cursor->failed || cursor->at > ENCODING_MAX)
            return 0;
    }
}

/* The bits that extend ModRM and SIB, named as in REX: W R X B. */
struct extension {
    uint8_t reg, index, base;
    uint8_t index_high; /* EVEX.V', extends a vector index */
    uint8_t reg_high, rm_high;
};

static bool read_legacy(struct cursor *cursor, struct encoding *out, uint8_t rex,
                        struct extension *more)
{
    out->space = SPACE_LEGACY;
    out->rex = rex;
    out->rex_w = rex >> 3 & 1;
    out->vector = 16;
    *more = (struct extension){.reg = (rex & 4) << 1,
                               .index = (uint8_t)((rex & 2) << 2),
                               .base = (uint8_t)((rex & 1) << 3)};
    if (!out->repeated && out->operand16)
        out->prefix = PREFIX_66;
    out->opcode = next_byte(cursor);
    if (out->opcode != 0x0f)
        return true;
    out->map = MAP_0F;
    out->opcode = next_byte(cursor);
    if (out->opcode == 0x38 || out->opcode == 0x3a) {
        out->map = out->opcode == 0x38 ? MAP_0F38 : MAP_0F3A;
        out->opcode = next_byte(cursor);
    }
    return true;
}

/* Reads C5, C4 and XOP's 8F (AMD64 APM vol. 3, 1.8); their bits are inverted. */
static bool read_vex(struct cursor *cursor, struct encoding *out, struct extension *more)
{
    uint8_t escape = next_byte(cursor);
    uint8_t first = next_byte(cursor);
    uint8_t second = first;
    *more = (struct extension){.reg = (uint8_t)((~first & 0x80) >> 4)};
    out->space = escape == 0x8f ? SPACE_XOP : SPACE_VEX;
    out->map = MAP_0F;
    if (escape != 0xc5) {
        more->index = (uint8_t)((~first & 0x40) >> 3);
        more->base = (uint8_t)((~first & 0x20) >> 2);
        out->map = first & 0x1f;
        second = next_byte(cursor);
        out->rex_w = second >> 7;
    }
    out->vvvv = (uint8_t)(~second >> 3 & 15);
    out->vector = second & 4 ? 32 : 16;
    out->prefix = second & 3;
    out->opcode = next_byte(cursor);
    if (out->space == SPACE_XOP)
        return out->map >= MAP_XOP && out->map <= MAP_XOP + 2 && out->prefix == PREFIX_NONE;
    return out->map >= MAP_0F && out->map <= MAP_0F3A;
}

/* Reads an EVEX prefix (SDM 2.7.1). With rounding control among registers, L'L is not a length. */
static bool read_evex(struct cursor *cursor, struct encoding *out, struct extension *more)
{
    uint8_t p[3];
    next_byte(cursor);
    for (int i = 0; i < 3; i++)
        p[i] = next_byte(cursor);
    *more = (struct extension){.reg = (uint8_t)((~p[0] & 0x80) >> 4),
                               .index = (uint8_t)((~p[0] & 0x40) >> 3),
                               .base = (uint8_t)((~p[0] & 0x20) >> 2),
                               .index_high = (uint8_t)((~p[2] & 8) << 1),
                               .reg_high = (uint8_t)(~p[0] & 0x10),
                               .rm_high = (uint8_t)((~p[0] & 0x40) >> 2)};
    out->space = SPACE_EVEX;
    out->map = p[0] & 7;
    out->rex_w = p[1] >> 7;
    out->vvvv = (uint8_t)((~p[1] >> 3 & 15) | (~p[2] & 8) << 1);
    out->prefix = p[1] & 3;
    out->broadcast = p[2] >> 4 & 1;
    unsigned length = p[2] >> 5 & 3;
    out->opcode = next_byte(cursor);
    bool registers = peek_byte(cursor) >> 6 == 3;
    bool rounds = out->broadcast && registers;
    out->vector = rounds || length == 3 ? 64 : (uint8_t)(16u << length);
    bool known = (out->map >= MAP_0F && out->map <= MAP_0F3A) || out->map == MAP_FP16 ||
                 out->map == MAP_FP16_MORE;
    return known && !(p[0] & 8) && p[1] & 4 && (length != 3 || rounds);
}

/*
 * The bytes after an opcode, as in the maps of the SDM's appendix A: M is a ModRM; b, w, d are an
 * immediate of 1, 2, 4 bytes; z is 2 or 4 bytes by the operand size; v up to 8; a an address; B, Z
 * a ModRM and b, z; L like B, but absent with VEX; '-' marks an invalid opcode in 64-bit mode.
 */
static const char forms_one[] = "MMMMbz--MMMMbz-."  /* 00 */
                                "MMMMbz--MMMMbz--"  /* 10 */
                                "MMMMbz.-MMMMbz.-"  /* 20 */
                                "MMMMbz.-MMMMbz.-"  /* 30 */
                                "................"  /* 40 */
                                "................"  /* 50 */
                                "--.M....zZbB...."  /* 60 */
                                "bbbbbbbbbbbbbbbb"  /* 70 */
                                "BZ-BMMMMMMMMMMMM"  /* 80 */
                                "..........-....."  /* 90 */
                                "aaaa....bz......"  /* a0 */
                                "bbbbbbbbvvvvvvvv"  /* b0 */
                                "BBw...BZw.w..b-."  /* c0 */
                                "MMMM---.MMMMMMMM"  /* d0 */
                                "bbbbbbbbdd-b...."  /* e0 */
                                "......BZ......MM"; /* f0: in f6 and f7 only test has it */
static const char forms_0f[] = "MMMM-.....-.-M.L"   /* 00 */
                               "MMMMMMMMMMMMMMMM"   /* 10 */
                               "MMMM----MMMMMMMM"   /* 20 */
                               "......-..-.-----"   /* 30 */
                               "MMMMMMMMMMMMMMMM"   /* 40 */
                               "MMMMMMMMMMMMMMMM"   /* 50 */
                               "MMMMMMMMMMMMMMMM"   /* 60 */
                               "BBBBMMM.MM--MMMM"   /* 70 */
                               "dddddddddddddddd"   /* 80 */
                               "MMMMMMMMMMMMMMMM"   /* 90 */
                               "...MLM--...MLMMM"   /* a0 */
                               "MMMMMMMMMMLMMMMM"   /* b0 */
                               "MMBMBBBM........"   /* c0 */
                               "MMMMMMMMMMMMMMMM"   /* d0 */
                               "MMMMMMMMMMMMMMMM"   /* e0 */
                               "MMMMMMMMMMMMMMMM";  /* f0 */

static char opcode_form(const struct encoding *in)
{
    if (in->map > MAP_0F)
        return 'M';
    return in->map == MAP_ONE ? forms_one[in->opcode] : forms_0f[in->opcode];
}

static bool has_modrm(const struct encoding *in)
{
    if (in->space == SPACE_LEGACY)
        return opcode_form(in) >= 'A' && opcode_form(in) <= 'Z';
    return !(in->space == SPACE_VEX && in->map == MAP_0F && in->opcode == 0x77); /* vzeroupper */
}

static void read_memory(struct cursor *cursor, struct encoding *out, const struct extension *more)
{
    uint8_t low = out->rm & 7;
    out->scale = 1;
    out->base = low | more->base;
    if (low == 4) {
        uint8_t sib = next_byte(cursor);
        uint8_t index = (sib >> 3 & 7) | more->index;
        low = sib & 7;
        out->base = low | more->base;
        out->scale = (uint8_t)(1u << (sib >> 6));
        if (opcode_is_gather(out))
            out->vector_index = index | more->index_high;
        else if (index != 4)
            out->index = index;
    }
    unsigned bytes = out->mod == 1 ? 1 : out->mod == 2 ? 4 : 0;
    if (low == 5 && !out->mod) {
        out->is_ip_relative = (out->rm & 7) == 5;
        out->base = NO_REGISTER;
        bytes = 4;
    }
    out->short_displacement = bytes == 1;
    out->displacement = next_number(cursor, bytes);
}

static void read_modrm(struct cursor *cursor, struct encoding *out, const struct extension *more)
{
    uint8_t modrm = next_byte(cursor);
    bool control = out->space == SPACE_LEGACY && out->map == MAP_0F && out->opcode >= 0x20 &&
                   out->opcode <= 0x23;
    out->mod = control ? 3 : modrm >> 6;
    out->reg = (modrm >> 3 & 7) | more->reg | more->reg_high;
    out->rm = (modrm & 7) | more->base;
    if (out->mod == 3)
        out->rm |= more->rm_high;
    else
        read_memory(cursor, out, more);
}

static unsigned immediate_legacy(const struct encoding *in)
{
    unsigned whole = in->operand16 && !in->rex_w ? 2 : 4;
    if (in->map == MAP_ONE && (in->opcode & 0xfe) == 0xf6 && (in->reg & 7) >= 2)
        return 0;
    if (in->map == MAP_0F && in->opcode == 0x78 &&
        (in->prefix == PREFIX_66 || in->prefix == PREFIX_F2)) /* extrq, insertq */
        return 2;
    switch (opcode_form(in)) {
    case 'b':
    case 'B':
    case 'L':
        return 1;
    case 'w':
        return 2;
    case 'd':
        return 4;
    case 'z':
    case 'Z':
        return whole;
    case 'v':
        return in->rex_w ? 8 : whole;
    case 'a':
        return in->has_32bit_address ? 4 : 8;
    default:
        return 0;
    }
}

static unsigned immediate_bytes(const struct encoding *in)
{
    if (in->map == MAP_0F3A || in->map == MAP_XOP)
        return 1;
    if (in->map == MAP_XOP + 2)
        return 4;
    return in->space == SPACE_LEGACY ? immediate_legacy(in) : opcode_form(in) == 'B';
}

bool encoding_read(struct encoding *out, const uint8_t *bytes, size_t size)
{
    struct cursor cursor = {bytes, size < ENCODING_MAX ? size : ENCODING_MAX, 0, false};
    struct extension more;
    *out = (struct encoding){
        .base = NO_REGISTER, .index = NO_REGISTER, .vector_index = NO_REGISTER, .mod = 3};
    uint8_t rex = read_prefixes(&cursor, out);
    uint8_t escape = peek_byte(&cursor);
    bool prefixed = rex || out->operand16 || out->repeated || out->lock;
    bool xop =
        escape == 0x8f && cursor.at + 1 < cursor.size && (bytes[cursor.at + 1] & 0x1f) >= MAP_XOP;
    bool known = true;
    if (escape == 0xc4 || escape == 0xc5 || escape == 0x62 || xop)
        known = !prefixed &&
                (escape == 0x62 ? read_evex(&cursor, out, &more) : read_vex(&cursor, out, &more));
    else
        known = read_legacy(&cursor, out, rex, &more);
    bool none = out->space == SPACE_LEGACY && opcode_form(out) == '-';
    if (!known || cursor.failed || none)
        return false;
    out->opcode_register = (out->opcode & 7) | more.base;
    out->has_modrm = has_modrm(out);
    if (out->has_modrm)
        read_modrm(&cursor, out, &more);
    out->immediate = next_number(&cursor, immediate_bytes(out));
    if (out->map == MAP_ONE && out->opcode == 0xc8)
        next_byte(&cursor);
    out->length = (uint8_t)cursor.at;
    return !cursor.failed;
}
