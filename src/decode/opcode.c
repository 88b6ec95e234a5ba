/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The memory operand of each opcode: read, written or only addressed, and its size (Intel SDM vol.
 * 2 appendix A, and the instructions' operand and tuple tables; AMD64 APM vol. 3 and 4). Vector
 * instructions without a row read a whole vector, which is right even for newer ones.
 */
#include "access.h"
#include "decode/encoding.h"

/* Operand sizes; values below SIZE_FIRST are a number of bytes. */
enum size {
    SIZE_FIRST = 240,
    SIZE_WHOLE = SIZE_FIRST, /* the vector */
    SIZE_HALF,               /* of a vector */
    SIZE_QUARTER,
    SIZE_EIGHTH,
    SIZE_WIDE,      /* 8 with W, otherwise 4 */
    SIZE_PAIR,      /* half a vector, or a whole one with W */
    SIZE_DUPLICATE, /* 8 bytes of a 16-byte vector, otherwise all of it: movddup */
    SIZE_SCALAR,    /* one element if the opcode is odd, otherwise the vector */
    SIZE_NARROW,    /* elements of 1/2, 1/4 or 1/8 of the register's element size */
    SIZE_GENERAL,   /* a general register */
    SIZE_OF_PAIR,   /* a general register if the opcode is odd, otherwise 1 */
    SIZE_FAR        /* a general register and a selector */
};

enum {
    P0 = 1 << PREFIX_NONE,
    P66 = 1 << PREFIX_66,
    PF3 = 1 << PREFIX_F3,
    PF2 = 1 << PREFIX_F2,
    PALL = 15,
    OLD = SPACE_LEGACY | SPACE_VEX,
    NEW = SPACE_VEX | SPACE_EVEX,
    EVEX = SPACE_EVEX,
    EACH = SPACE_LEGACY | SPACE_VEX | SPACE_EVEX,
    R = ACCESS_LOAD,
    W = ACCESS_STORE,
    P = ACCESS_PREFETCH,
    X = ACCESS_LOAD_STORE,
    A = ACCESS_UNKNOWN_KIND
};

/* `unit`: element size for an EVEX broadcast or displacement, if it is not 8 with W and otherwise
 * 4; SIZE_WIDE for the scattered elements of compress and expand. */
struct row {
    uint8_t first, last;
    uint8_t prefixes;
    uint8_t spaces;
    uint8_t kind;
    uint8_t size;
    uint8_t unit;
};

static const struct row rows_0f[] = {
    {0x02, 0x03, PALL, SPACE_LEGACY, R, 2, 0},
    {0x0d, 0x0d, PALL, SPACE_LEGACY, P, 0, 0},
    {0x19, 0x1f, PALL, SPACE_LEGACY, A, 0, 0}, /* no-ops, and hints of newer CPUs */
    {0x40, 0x4f, PALL, SPACE_LEGACY, R, SIZE_GENERAL, 0},
    {0x78, 0x78, P0, SPACE_LEGACY, W, 8, 0},
    {0x79, 0x79, P0, SPACE_LEGACY, R, 8, 0},
    {0x90, 0x9f, PALL, SPACE_LEGACY, W, 1, 0},
    {0xa3, 0xa3, PALL, SPACE_LEGACY, R, SIZE_GENERAL, 0}, /* bt: maybe another word */
    {0xa4, 0xa5, PALL, SPACE_LEGACY, X, SIZE_GENERAL, 0},
    {0xab, 0xad, PALL, SPACE_LEGACY, X, SIZE_GENERAL, 0},
    {0xaf, 0xaf, PALL, SPACE_LEGACY, R, SIZE_GENERAL, 0},
    {0xb0, 0xb1, PALL, SPACE_LEGACY, X, SIZE_OF_PAIR, 0},
    {0xb2, 0xb2, PALL, SPACE_LEGACY, R, SIZE_FAR, 0},
    {0xb3, 0xb3, PALL, SPACE_LEGACY, X, SIZE_GENERAL, 0},
    {0xb4, 0xb5, PALL, SPACE_LEGACY, R, SIZE_FAR, 0},
    {0xb6, 0xb6, PALL, SPACE_LEGACY, R, 1, 0},
    {0xb7, 0xb7, PALL, SPACE_LEGACY, R, 2, 0},
    {0xb9, 0xb9, PALL, SPACE_LEGACY, R, 4, 0}, /* ud1, ud0 */
    {0xbb, 0xbb, PALL, SPACE_LEGACY, X, SIZE_GENERAL, 0},
    {0xb8, 0xbd, PALL, SPACE_LEGACY, R, SIZE_GENERAL, 0},
    {0xbe, 0xbe, PALL, SPACE_LEGACY, R, 1, 0},
    {0xbf, 0xbf, PALL, SPACE_LEGACY, R, 2, 0},
    {0xc0, 0xc1, PALL, SPACE_LEGACY, X, SIZE_OF_PAIR, 0},
    {0xc3, 0xc3, PALL, SPACE_LEGACY, W, SIZE_GENERAL, 0},
    {0xff, 0xff, PALL, SPACE_LEGACY, R, 4, 0},
    {0x10, 0x11, PF3, EACH, R, 4, 0},
    {0x10, 0x11, PF2, EACH, R, 8, 0},
    {0x12, 0x12, P0 | P66, EACH, R, 8, 0},
    {0x12, 0x12, PF2, EACH, R, SIZE_DUPLICATE, 0},
    {0x13, 0x13, PALL, EACH, W, 8, 0},
    {0x16, 0x16, P0 | P66, EACH, R, 8, 0},
    {0x17, 0x17, PALL, EACH, W, 8, 0},
    {0x29, 0x29, PALL, EACH, W, SIZE_WHOLE, 0},
    {0x2a, 0x2a, P0 | P66, EACH, R, 8, 0},
    {0x2a, 0x2a, PF3 | PF2, EACH, R, SIZE_WIDE, SIZE_WIDE},
    {0x2b, 0x2b, PF3, EACH, W, 4, 0}, /* movntss of AMD */
    {0x2b, 0x2b, PF2, EACH, W, 8, 0},
    {0x2b, 0x2b, PALL, EACH, W, SIZE_WHOLE, 0},
    {0x2c, 0x2d, P0, EACH, R, 8, 0},
    {0x2c, 0x2d, P66, EACH, R, 16, 0},
    {0x2e, 0x2f, P0, EACH, R, 4, 0},
    {0x2e, 0x2f, P66, EACH, R, 8, 0},
    {0x5a, 0x5a, P0, EACH, R, SIZE_HALF, 0},
    {0x5b, 0x5b, PALL, EACH, R, SIZE_WHOLE, 0},
    {0x2c, 0x5f, PF3, EACH, R, 4, 0},
    {0x2c, 0x5f, PF2, EACH, R, 8, 0},
    {0x60, 0x62, P0, SPACE_LEGACY, R, 4, 0}, /* punpckl of MMX */
    {0x6e, 0x6e, PALL, EACH, R, SIZE_WIDE, SIZE_WIDE},
    {0x78, 0x79, P66, EVEX, R, SIZE_PAIR, 0},
    {0x78, 0x79, PF3, EVEX, R, 4, 0},
    {0x78, 0x79, PF2, EVEX, R, 8, 0},
    {0x7a, 0x7a, P66 | PF3, EVEX, R, SIZE_PAIR, 0},
    {0x7b, 0x7b, P66, EVEX, R, SIZE_PAIR, 0},
    {0x7b, 0x7b, PF3 | PF2, EVEX, R, SIZE_WIDE, SIZE_WIDE},
    {0x7e, 0x7e, PF3, EACH, R, 8, 0},
    {0x7e, 0x7e, P0 | P66, EACH, W, SIZE_WIDE, SIZE_WIDE},
    {0x7f, 0x7f, PALL, EACH, W, SIZE_WHOLE, 0},
    {0xc2, 0xc2, PF3, EACH, R, 4, 0},
    {0xc2, 0xc2, PF2, EACH, R, 8, 0},
    {0xc4, 0xc4, PALL, EACH, R, 2, 0},
    {0xd1, 0xd3, P0, SPACE_LEGACY, R, 8, 0}, /* shifts by the loaded value */
    {0xd1, 0xd3, PALL, EACH, R, 16, 0},
    {0xd6, 0xd6, P66, EACH, W, 8, 0},
    {0xe1, 0xe2, P0, SPACE_LEGACY, R, 8, 0},
    {0xe1, 0xe2, PALL, EACH, R, 16, 0},
    {0xe6, 0xe6, PF3, EACH, R, SIZE_PAIR, 0},
    {0xe7, 0xe7, PALL, EACH, W, SIZE_WHOLE, 0},
    {0xf1, 0xf3, P0, SPACE_LEGACY, R, 8, 0},
    {0xf1, 0xf3, PALL, EACH, R, 16, 0},
};

static const struct row rows_0f38[] = {
    {0x80, 0x82, PALL, SPACE_LEGACY, R, 16, 0},
    {0xdc, 0xdd, PF3, SPACE_LEGACY, R, 48, 0}, /* Key Locker: handles of keys of 128 or 256 bits */
    {0xde, 0xdf, PF3, SPACE_LEGACY, R, 64, 0},
    {0xf0, 0xf0, PF2, SPACE_LEGACY, R, 1, 0}, /* crc32, movbe */
    {0xf1, 0xf1, P0 | P66 | PF3, SPACE_LEGACY, W, SIZE_GENERAL, 0},
    {0xf0, 0xf1, PALL, SPACE_LEGACY, R, SIZE_GENERAL, 0},
    {0xf5, 0xf5, PALL, SPACE_LEGACY, W, SIZE_WIDE, 0},
    {0xf6, 0xf6, P0, SPACE_LEGACY, W, SIZE_WIDE, 0}, /* wrss; adcx, adox */
    {0xf6, 0xf6, PALL, SPACE_LEGACY, R, SIZE_WIDE, 0},
    {0xf8, 0xf8, PALL, SPACE_LEGACY, R, 64, 0}, /* movdir64b, enqcmd: to where a register points */
    {0xf9, 0xf9, PALL, SPACE_LEGACY, W, SIZE_WIDE, 0},
    {0x10, 0x15, PF3, EVEX, W, SIZE_NARROW, 0}, /* vpmovus: stores narrower elements */
    {0x20, 0x25, PF3, EVEX, W, SIZE_NARROW, 0},
    {0x30, 0x35, PF3, EVEX, W, SIZE_NARROW, 0},
    {0x20, 0x25, P66, EACH, R, SIZE_NARROW, 0}, /* pmovsx, pmovzx */
    {0x30, 0x35, P66, EACH, R, SIZE_NARROW, 0},
    {0x13, 0x13, P66, EACH, R, SIZE_HALF, 0}, /* vcvtph2ps */
    {0x18, 0x18, P66, EACH, R, 4, 0},
    {0x19, 0x19, P66, EACH, R, 8, 0},
    {0x1a, 0x1a, P66, EACH, R, 16, 0},
    {0x1b, 0x1b, P66, EACH, R, 32, 0},
    {0x2d, 0x2d, P66, EVEX, R, SIZE_WIDE, 0}, /* vscalefss */
    {0x2e, 0x2f, P66, SPACE_VEX, W, SIZE_WHOLE, 0},
    {0x43, 0x43, P66, EVEX, R, SIZE_WIDE, 0},
    {0x49, 0x49, P0, SPACE_VEX, R, 64, 0}, /* ldtilecfg, sttilecfg */
    {0x49, 0x49, P66, SPACE_VEX, W, 64, 0},
    {0x4b, 0x4b, P66 | PF2, SPACE_VEX, R, 0, 0}, /* tiles: configured rows */
    {0x4b, 0x4b, PF3, SPACE_VEX, W, 0, 0},
    {0x4d, 0x4d, P66, EVEX, R, SIZE_WIDE, 0},
    {0x4f, 0x4f, P66, EVEX, R, SIZE_WIDE, 0},
    {0x52, 0x53, PF2, EVEX, R, 16, 0}, /* vp4dpwssd */
    {0x58, 0x58, P66, EACH, R, 4, 0},
    {0x59, 0x59, P66, EACH, R, 8, 0},
    {0x5a, 0x5a, P66, EACH, R, 16, 0},
    {0x5b, 0x5b, P66, EACH, R, 32, 0},
    {0x62, 0x62, P66, EVEX, R, SIZE_WHOLE, 1}, /* vpexpandb; w with W */
    {0x63, 0x63, P66, EVEX, W, SIZE_WHOLE, 1},
    {0x78, 0x78, P66, EACH, R, 1, 0},
    {0x79, 0x79, P66, EACH, R, 2, 0},
    {0x88, 0x89, P66, EVEX, R, SIZE_WHOLE, SIZE_WIDE},
    {0x8a, 0x8b, P66, EVEX, W, SIZE_WHOLE, SIZE_WIDE},
    {0x8e, 0x8e, P66, SPACE_VEX, W, SIZE_WHOLE, 0},
    {0x90, 0x93, P66, NEW, R, SIZE_WIDE, 0}, /* gathers and scatters: one element */
    {0xa0, 0xa3, P66, EVEX, W, SIZE_WIDE, 0},
    {0x9a, 0x9b, PF2, EVEX, R, 16, 0}, /* v4fmaddps */
    {0xaa, 0xab, PF2, EVEX, R, 16, 0},
    {0x98, 0x9f, P66, EACH, R, SIZE_SCALAR, 0}, /* fused multiply and add */
    {0xa8, 0xaf, P66, EACH, R, SIZE_SCALAR, 0},
    {0xb8, 0xbf, P66, EACH, R, SIZE_SCALAR, 0},
    {0xc6, 0xc7, P66, EVEX, P, SIZE_WIDE, 0},
    {0xcb, 0xcb, P66, EVEX, R, SIZE_WIDE, 0},
    {0xcd, 0xcd, P66, EVEX, R, SIZE_WIDE, 0},
    {0xf2, 0xf7, PALL, SPACE_VEX, R, SIZE_WIDE, 0}, /* BMI */
};

static const struct row rows_0f3a[] = {
    {0x0a, 0x0a, P66, EACH, R, 4, 0},
    {0x0b, 0x0b, P66, EACH, R, 8, 0},
    {0x14, 0x14, P66, EACH, W, 1, 0},
    {0x15, 0x15, P66, EACH, W, 2, 0},
    {0x16, 0x16, P66, EACH, W, SIZE_WIDE, 0},
    {0x17, 0x17, P66, EACH, W, 4, 0},
    {0x18, 0x18, P66, EACH, R, 16, 0},
    {0x19, 0x19, P66, EACH, W, 16, 0},
    {0x1a, 0x1a, P66, EACH, R, 32, 0},
    {0x1b, 0x1b, P66, EACH, W, 32, 0},
    {0x1d, 0x1d, P66, EACH, W, SIZE_HALF, 0},
    {0x20, 0x20, P66, EACH, R, 1, 0},
    {0x21, 0x21, P66, EACH, R, 4, 0},
    {0x22, 0x22, P66, EACH, R, SIZE_WIDE, 0},
    {0x38, 0x38, P66, NEW, R, 16, 0},
    {0x39, 0x39, P66, NEW, W, 16, 0},
    {0x3a, 0x3a, P66, NEW, R, 32, 0},
    {0x3b, 0x3b, P66, NEW, W, 32, 0},
    {0x27, 0x27, P66, EVEX, R, SIZE_WIDE, 0},
    {0x51, 0x51, P66, EVEX, R, SIZE_WIDE, 0},
    {0x55, 0x55, P66, EVEX, R, SIZE_WIDE, 0},
    {0x57, 0x57, P66, EVEX, R, SIZE_WIDE, 0},
    {0x67, 0x67, P66, EVEX, R, SIZE_WIDE, 0},
    {0x6a, 0x6a, P66, SPACE_VEX, R, 4, 0}, /* FMA4 */
    {0x6b, 0x6b, P66, SPACE_VEX, R, 8, 0},
    {0x6e, 0x6e, P66, SPACE_VEX, R, 4, 0},
    {0x6f, 0x6f, P66, SPACE_VEX, R, 8, 0},
    {0x7a, 0x7a, P66, SPACE_VEX, R, 4, 0},
    {0x7b, 0x7b, P66, SPACE_VEX, R, 8, 0},
    {0x7e, 0x7e, P66, SPACE_VEX, R, 4, 0},
    {0x7f, 0x7f, P66, SPACE_VEX, R, 8, 0},
    {0x0a, 0x0a, P0, EVEX, R, 2, 2}, /* FP16 */
    {0x27, 0x27, P0, EVEX, R, 2, 2},
    {0x57, 0x57, P0, EVEX, R, 2, 2},
    {0x67, 0x67, P0, EVEX, R, 2, 2},
    {0xc2, 0xc2, PF3, EVEX, R, 2, 2},
    {0x08, 0xc2, P0, EVEX, R, SIZE_WHOLE, 2},
    {0xf0, 0xf0, PF2, SPACE_VEX, R, SIZE_WIDE, 0}, /* rorx */
};

static const struct row rows_fp16[] = {
    {0x11, 0x11, PF3, EVEX, W, 2, 2},
    {0x1d, 0x1d, P0, EVEX, R, 4, 0},
    {0x1d, 0x1d, P66, EVEX, R, SIZE_WHOLE, 4},
    {0x2a, 0x2a, PF3, EVEX, R, SIZE_WIDE, 0},
    {0x2e, 0x2f, P0, EVEX, R, 2, 2},
    {0x5a, 0x5a, P0, EVEX, R, SIZE_QUARTER, 2},
    {0x5a, 0x5a, P66, EVEX, R, SIZE_WHOLE, 8},
    {0x5a, 0x5a, PF2, EVEX, R, 8, 8},
    {0x5b, 0x5b, P0, EVEX, R, SIZE_WHOLE, SIZE_WIDE},
    {0x5b, 0x5b, P66 | PF3, EVEX, R, SIZE_HALF, 2},
    {0x6e, 0x6e, P66, EVEX, R, 2, 2},
    {0x78, 0x79, P0, EVEX, R, SIZE_HALF, 2},
    {0x78, 0x79, P66, EVEX, R, SIZE_QUARTER, 2},
    {0x7a, 0x7a, P66, EVEX, R, SIZE_QUARTER, 2},
    {0x7a, 0x7a, PF2, EVEX, R, SIZE_WHOLE, SIZE_WIDE},
    {0x7b, 0x7b, P66, EVEX, R, SIZE_QUARTER, 2},
    {0x7b, 0x7b, PF3, EVEX, R, SIZE_WIDE, 0},
    {0x7c, 0x7d, PALL, EVEX, R, SIZE_WHOLE, 2},
    {0x7e, 0x7e, P66, EVEX, W, 2, 2},
    {0x10, 0x79, PF3, EVEX, R, 2, 2},
    {0x00, 0xff, PALL, EVEX, R, SIZE_WHOLE, 2},
};

static const struct row rows_fp16_more[] = {
    {0x13, 0x13, P0, EVEX, R, 2, 2},
    {0x13, 0x13, P66, EVEX, R, SIZE_HALF, 2},
    {0x2d, 0x2d, P66, EVEX, R, 2, 2},
    {0x43, 0x43, P66, EVEX, R, 2, 2},
    {0x4d, 0x4d, P66, EVEX, R, 2, 2},
    {0x4f, 0x4f, P66, EVEX, R, 2, 2},
    {0x56, 0x56, PF3 | PF2, EVEX, R, SIZE_WHOLE, 4}, /* complex numbers */
    {0x57, 0x57, PF3 | PF2, EVEX, R, 4, 4},
    {0xd6, 0xd6, PF3 | PF2, EVEX, R, SIZE_WHOLE, 4},
    {0xd7, 0xd7, PF3 | PF2, EVEX, R, 4, 4},
    {0x98, 0x9f, P66, EVEX, R, SIZE_SCALAR, 2},
    {0xa8, 0xaf, P66, EVEX, R, SIZE_SCALAR, 2},
    {0xb8, 0xbf, P66, EVEX, R, SIZE_SCALAR, 2},
    {0x00, 0xff, PALL, EVEX, R, SIZE_WHOLE, 2},
};

static const struct row rows_xop[] = {
    {0x82, 0x82, P0, SPACE_XOP, R, 4, 0}, /* vfrczss, vfrczsd */
    {0x83, 0x83, P0, SPACE_XOP, R, 8, 0},
    {0x01, 0x12, P0, SPACE_XOP, R, SIZE_WIDE, 0}, /* TBM, LWP */
};

#define ROWS(rows)                                                                                 \
    {                                                                                              \
        rows, sizeof rows / sizeof *rows                                                           \
    }
static const struct rows {
    const struct row *rows;
    size_t count;
} tables[] = {
    [MAP_0F] = ROWS(rows_0f),
    [MAP_0F38] = ROWS(rows_0f38),
    [MAP_0F3A] = ROWS(rows_0f3a),
    [MAP_FP16] = ROWS(rows_fp16),
    [MAP_FP16_MORE] = ROWS(rows_fp16_more),
    [MAP_XOP + 1] = ROWS(rows_xop),
    [MAP_XOP + 2] = ROWS(rows_xop),
};

static const struct row *find_row(const struct encoding *in)
{
    if (in->map >= sizeof tables / sizeof *tables)
        return NULL;
    const struct rows *table = &tables[in->map];
    for (size_t i = 0; i < table->count; i++) {
        const struct row *row = &table->rows[i];
        if (in->opcode >= row->first && in->opcode <= row->last &&
            row->prefixes >> in->prefix & 1 && row->spaces & in->space)
            return row;
    }
    return NULL;
}

/* Without a prefix, integer instructions of SSE are MMX instructions of 8 bytes. */
static bool is_mmx(const struct encoding *in)
{
    if (in->space != SPACE_LEGACY || in->prefix != PREFIX_NONE)
        return false;
    if (in->map == MAP_0F38)
        return in->opcode < 0x20;
    if (in->map == MAP_0F3A)
        return in->opcode == 0x0f;
    return in->opcode == 0x0f || (in->opcode >= 0x60 && in->opcode <= 0x77) || in->opcode == 0x7f ||
           (in->opcode >= 0xd1 && in->opcode != 0xc6);
}

static uint8_t operand_bytes(const struct encoding *in, uint8_t size)
{
    static const uint8_t narrower[6] = {2, 4, 8, 2, 4, 2};
    unsigned vector = is_mmx(in) ? 8 : in->vector;
    switch (size) {
    case SIZE_WHOLE:
        return (uint8_t)vector;
    case SIZE_HALF:
        return (uint8_t)(vector / 2);
    case SIZE_QUARTER:
        return (uint8_t)(vector / 4);
    case SIZE_EIGHTH:
        return (uint8_t)(vector / 8);
    case SIZE_WIDE:
        return in->rex_w ? 8 : 4;
    case SIZE_PAIR:
        return (uint8_t)(in->space == SPACE_EVEX && in->rex_w ? vector : vector / 2);
    case SIZE_DUPLICATE:
        return vector == 16 ? 8 : (uint8_t)vector;
    case SIZE_SCALAR:
        if (in->opcode & 1)
            return in->map == MAP_FP16_MORE ? 2 : operand_bytes(in, SIZE_WIDE);
        return (uint8_t)vector;
    case SIZE_NARROW:
        return (uint8_t)(vector / narrower[in->opcode & 0xf]);
    case SIZE_GENERAL:
        return (uint8_t)general_bytes(in);
    case SIZE_OF_PAIR:
        return in->opcode & 1 ? (uint8_t)general_bytes(in) : 1;
    case SIZE_FAR:
        return (uint8_t)(general_bytes(in) + 2);
    default:
        return size;
    }
}

static struct opcode_operand row_memory(const struct encoding *in)
{
    const struct row *row = find_row(in);
    struct opcode_operand operand = {.kind = row ? row->kind : ACCESS_LOAD};
    uint8_t element = operand_bytes(in, SIZE_WIDE);
    if (row && row->unit)
        element = row->unit == 1 ? (in->rex_w ? 2 : 1) : operand_bytes(in, row->unit);
    if (in->map == MAP_0F && in->opcode == 0x11)
        operand.kind = ACCESS_STORE;
    operand.bytes = operand_bytes(in, row ? row->size : SIZE_WHOLE);
    bool scattered = row && row->size == SIZE_WHOLE && (row->unit == 1 || row->unit == SIZE_WIDE) &&
                     in->map == MAP_0F38; /* compress, expand */
    if (in->broadcast && !scattered && !opcode_is_gather(in))
        operand.bytes = element;
    operand.unit = scattered ? element : (uint8_t)operand.bytes;
    return operand;
}

/* Handles moves and loads of mask registers and MXCSR, with VEX. */
static bool is_special_vex(const struct encoding *in, struct opcode_operand *operand)
{
    if (in->space != SPACE_VEX || in->map != MAP_0F)
        return false;
    if (in->opcode == 0xae) {
        *operand = (struct opcode_operand){(in->reg & 7) == 3 ? W : R, 4, 4};
        return true;
    }
    if (in->opcode != 0x90 && in->opcode != 0x91)
        return false;
    unsigned bytes = in->prefix == PREFIX_66 ? (in->rex_w ? 4 : 1) : in->rex_w ? 8 : 2;
    *operand = (struct opcode_operand){in->opcode == 0x91 ? W : R, (uint16_t)bytes, 0};
    return true;
}

bool opcode_is_gather(const struct encoding *in)
{
    if (in->map != MAP_0F38 || in->prefix != PREFIX_66 || !(in->space & (SPACE_VEX | SPACE_EVEX)))
        return false;
    return (in->opcode >= 0x90 && in->opcode <= 0x93) ||
           (in->space == SPACE_EVEX && ((in->opcode >= 0xa0 && in->opcode <= 0xa3) ||
                                        in->opcode == 0xc6 || in->opcode == 0xc7));
}

/* Returns how many of the wider of index and element fit; an odd opcode has 8-byte indices. */
unsigned opcode_lanes(const struct encoding *in)
{
    bool wide_index = in->opcode & 1;
    return in->vector / (in->rex_w || wide_index ? 8u : 4u);
}

static struct opcode_operand operand_of(uint8_t kind, unsigned bytes)
{
    return (struct opcode_operand){kind, (uint16_t)bytes, 0};
}

/* Handles D8 to DF, by ModRM.reg. */
static struct opcode_operand float_memory(const struct encoding *in)
{
    static const struct {
        uint8_t kind, bytes;
    } table[8][8] = {
        {{R, 4}, {R, 4}, {R, 4}, {R, 4}, {R, 4}, {R, 4}, {R, 4}, {R, 4}},
        {{R, 4}, {A, 0}, {W, 4}, {W, 4}, {R, 28}, {R, 2}, {W, 28}, {W, 2}},
        {{R, 4}, {R, 4}, {R, 4}, {R, 4}, {R, 4}, {R, 4}, {R, 4}, {R, 4}},
        {{R, 4}, {W, 4}, {W, 4}, {W, 4}, {A, 0}, {R, 10}, {A, 0}, {W, 10}},
        {{R, 8}, {R, 8}, {R, 8}, {R, 8}, {R, 8}, {R, 8}, {R, 8}, {R, 8}},
        {{R, 8}, {W, 8}, {W, 8}, {W, 8}, {R, 108}, {A, 0}, {W, 108}, {W, 2}},
        {{R, 2}, {R, 2}, {R, 2}, {R, 2}, {R, 2}, {R, 2}, {R, 2}, {R, 2}},
        {{R, 2}, {W, 2}, {W, 2}, {W, 2}, {R, 10}, {R, 8}, {W, 10}, {W, 8}},
    };
    unsigned row = in->opcode & 7;
    unsigned column = in->reg & 7;
    unsigned bytes = table[row][column].bytes;
    if (in->operand16 && !in->rex_w && bytes >= 28) /* 16-bit form of the environment */
        bytes -= 14;
    return operand_of(table[row][column].kind, bytes);
}

static struct opcode_operand one_byte_opcode_memory(const struct encoding *in)
{
    unsigned group = in->reg & 7;
    unsigned full = general_bytes(in);
    unsigned bytes = in->opcode & 1 ? full : 1;
    if (in->opcode < 0x40) {
        bool compares = in->opcode >= 0x38;
        return operand_of(in->opcode & 2 || compares ? R : X, bytes);
    }
    switch (in->opcode) {
    case 0x63: /* movsxd */
        return operand_of(R, 4);
    case 0x69:
    case 0x6b:
        return operand_of(R, full);
    case 0x80:
    case 0x81:
    case 0x83:
        return operand_of(group == 7 ? R : X, bytes);
    case 0x84: /* test */
    case 0x85:
    case 0x8a:
    case 0x8b:
        return operand_of(R, bytes);
    case 0x88:
    case 0x89:
    case 0xc6:
    case 0xc7:
        return operand_of(W, bytes);
    case 0x8c:
        return operand_of(W, 2);
    case 0x8d: /* lea */
        return operand_of(A, 0);
    case 0x8e:
        return operand_of(R, 2);
    case 0x8f: /* pop */
        return operand_of(W, in->operand16 && !in->rex_w ? 2 : 8);
    case 0xf6:
    case 0xf7: /* test, not, neg, mul, imul, div, idiv */
        return operand_of(group == 2 || group == 3 ? X : R, bytes);
    case 0xfe:
        return operand_of(X, 1);
    case 0xff: /* inc, dec; call, jmp, push; far ones with a selector */
        if (group < 2)
            return operand_of(X, full);
        if (group == 3 || group == 5)
            return operand_of(R, full + 2);
        return operand_of(R, group == 6 && in->operand16 && !in->rex_w ? 2 : 8);
    default: /* xchg, shifts */
        return in->opcode >= 0xd8 && in->opcode <= 0xdf ? float_memory(in) : operand_of(X, bytes);
    }
}

/* Handles 0F AE. */
static struct opcode_operand state_memory(const struct encoding *in)
{
    static const struct {
        uint8_t kind;
        uint16_t bytes;
    } table[8] = {{W, 512}, {R, 512}, {R, 4}, {W, 4}, {X, 0}, {R, 0}, {X, 0}, {R, 64}};
    unsigned group = in->reg & 7;
    if (in->prefix == PREFIX_66)
        return operand_of(R, 64); /* clwb, clflushopt */
    if (in->prefix == PREFIX_F3)
        return group == 4 ? operand_of(R, in->rex_w ? 8 : 4) : operand_of(X, 8);
    return operand_of(table[group].kind, table[group].bytes);
}

/* Handles 0F opcodes with an operand that depends on ModRM.reg. */
static bool group_memory(const struct encoding *in, struct opcode_operand *out)
{
    unsigned group = in->reg & 7;
    switch (in->opcode) {
    case 0x00:
        *out = operand_of(group < 2 ? W : R, 2);
        return true;
    case 0x01:
        *out = group < 2    ? operand_of(W, 10)
               : group < 4  ? operand_of(R, 10)
               : group == 4 ? operand_of(W, 2)
               : group == 6 ? operand_of(R, 2)
               : group == 5 ? operand_of(X, 8) /* rstorssp */
                            : operand_of(A, 0);
        return true;
    case 0x18:
        *out = operand_of(group < 4 ? P : A, 0);
        return true;
    case 0xae:
        *out = state_memory(in);
        return true;
    case 0xba:
        *out = operand_of(group == 4 ? R : X, general_bytes(in));
        return true;
    case 0xc7:
        *out = group == 1   ? operand_of(X, in->rex_w ? 16 : 8)
               : group == 3 ? operand_of(R, 0)
               : group == 4 ? operand_of(W, 0)
               : group == 5 ? operand_of(X, 0)
                            : operand_of(group == 6 ? R : W, 8);
        return true;
    default:
        return false;
    }
}

struct opcode_operand opcode_memory(const struct encoding *in)
{
    struct opcode_operand operand;
    if (in->map == MAP_ONE)
        return one_byte_opcode_memory(in);
    if (in->space == SPACE_LEGACY && in->map == MAP_0F && group_memory(in, &operand))
        return operand;
    if (in->space == SPACE_LEGACY && in->map == MAP_0F38 && in->opcode == 0xd8 &&
        in->prefix == PREFIX_F3) /* Key Locker */
        return operand_of(R, in->reg & 2 ? 64 : 48);
    return is_special_vex(in, &operand) ? operand : row_memory(in);
}
