/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The encoded fields of an x86-64 instruction (Intel SDM vol. 2, chapter 2). */
#ifndef MISSTOP_DECODE_ENCODING_H
#define MISSTOP_DECODE_ENCODING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum encoding_space { SPACE_LEGACY = 1, SPACE_VEX = 2, SPACE_EVEX = 4, SPACE_XOP = 8 };

/* Mandatory prefixes, numbered as in VEX.pp. */
enum encoding_prefix { PREFIX_NONE, PREFIX_66, PREFIX_F3, PREFIX_F2 };

/* Opcode maps: one byte; 0F; 0F 38; 0F 3A; EVEX 5 and 6 (FP16); XOP 8 to 10. */
enum encoding_map {
    MAP_ONE,
    MAP_0F,
    MAP_0F38,
    MAP_0F3A,
    MAP_FP16 = 5,
    MAP_FP16_MORE = 6,
    MAP_XOP = 8
};

enum { NO_REGISTER = 0xff };

struct encoding {
    uint8_t length;
    uint8_t space;  /* enum encoding_space */
    uint8_t map;    /* enum encoding_map */
    uint8_t prefix; /* enum encoding_prefix */
    uint8_t opcode;
    uint8_t segment;        /* 0 none, 1 fs, 2 gs */
    bool rex_w;             /* REX.W, VEX.W */
    bool rex;               /* has a REX: byte registers 4 to 7 are SPL to DIL */
    bool operand16;         /* has 66, mandatory or not */
    bool has_32bit_address; /* has 67: 32-bit addresses */
    bool lock;
    bool repeated;  /* has F2 or F3 */
    bool broadcast; /* EVEX.b */
    bool has_modrm;
    uint8_t vector;             /* bytes: 16, 32, 64 */
    uint8_t mod, reg, rm, vvvv; /* hardware numbers, with the extension bits of the prefixes */
    /* low three bits of the opcode with REX.B: push, pop, mov, bswap, xchg */
    uint8_t opcode_register;
    uint8_t base, index;  /* of a memory operand, or NO_REGISTER */
    uint8_t vector_index; /* the index if it is a vector register */
    uint8_t scale;
    bool is_ip_relative;     /* RIP-relative: the displacement is from the next instruction */
    bool short_displacement; /* displacement of one byte, which EVEX scales */
    int64_t displacement;
    int64_t immediate; /* the first, sign-extended; 8-byte address of mov with A0 to A3 */
};

/* Returns false if the bytes are no instruction of 64-bit mode, or too few. */
bool encoding_read(struct encoding *out, const uint8_t *bytes, size_t size);

struct opcode_operand {
    uint8_t kind;   /* enum access_kind; ACCESS_UNKNOWN_KIND: only the address is used */
    uint16_t bytes; /* 0: not known */
    uint8_t unit;   /* unit of a one-byte displacement with EVEX */
};

/* Returns how an instruction uses its memory operand; it must have one. */
struct opcode_operand opcode_memory(const struct encoding *in);

/* Returns true if the index of the memory operand is a vector: gathers and scatters. */
bool opcode_is_gather(const struct encoding *in);

unsigned opcode_lanes(const struct encoding *in);

/* Returns the operand size of general registers, unless the opcode has byte operands. */
static inline unsigned general_bytes(const struct encoding *in)
{
    return in->rex_w ? 8 : in->operand16 ? 2 : 4;
}

#endif
