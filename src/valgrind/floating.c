/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "valgrind/floating.h"

enum { PLAIN = 0, P66 = 1, PF3 = 2, PF2 = 3 }; /* as VEX prefixes have it */
enum { MAP_0F = 1, MAP_0F38 = 2 };

static Bool is_prefix(UChar byte)
{
    return byte == 0x26 || byte == 0x2e || byte == 0x36 || byte == 0x3e || byte == 0x64 ||
           byte == 0x65 || byte == 0x66 || byte == 0x67 || byte == 0xf0 || byte == 0xf2 ||
           byte == 0xf3;
}

static UInt meaning(UChar prefix, UInt before)
{
    return prefix == 0xf2 ? PF2 : prefix == 0xf3 ? PF3 : prefix == 0x66 && !before ? P66 : before;
}

/*
 * Intel SDM volume 2, tables. movups and movaps without a prefix copy anything:
 * compilers and libraries move structures with them.
 */
static Bool is_floating(UInt map, UInt prefix, UChar opcode)
{
    if (map == MAP_0F38)
        return opcode >= 0x96 && opcode <= 0xbf && (opcode & 0xf) >= 6; /* fused multiply-add */
    if (map != MAP_0F)
        return False;
    if (opcode == 0x10 || opcode == 0x11 || opcode == 0x28 || opcode == 0x29)
        return prefix != PLAIN;
    return (opcode >= 0x12 && opcode <= 0x17) || (opcode >= 0x2a && opcode <= 0x2f) ||
           (opcode >= 0x50 && opcode <= 0x5f) || opcode == 0x7c || opcode == 0x7d ||
           opcode == 0xc2 || opcode == 0xc6 || opcode == 0xd0;
}

Bool floating_is(const UChar *code, UInt length)
{
    UInt prefix = PLAIN, at = 0;
    while (at < length && is_prefix(code[at]))
        prefix = meaning(code[at++], prefix);
    if (at < length && (code[at] & 0xf0) == 0x40)
        at++;
    if (at + 1 < length && code[at] >= 0xd8 && code[at] <= 0xdf)
        return True; /* x87 */
    if (at + 2 < length && code[at] == 0xc5)
        return is_floating(MAP_0F, code[at + 1] & 3, code[at + 2]);
    if (at + 3 < length && code[at] == 0xc4)
        return is_floating(code[at + 1] & 0x1f, code[at + 2] & 3, code[at + 3]);
    return at + 1 < length && code[at] == 0x0f && is_floating(MAP_0F, prefix, code[at + 1]);
}
