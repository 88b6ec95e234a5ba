/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The AVX-512 instructions that the string functions of C libraries are made of and capstone 4
 * does not know: comparisons (vpcmpeqb, vptestnmb, vpternlogd and their kin) and the moves and
 * tests of mask registers. Asked only where capstone gives up; nothing else is decoded here.
 */
#ifndef MISSTOP_DECODE_AVX512_H
#define MISSTOP_DECODE_AVX512_H

#include "decode/insn.h"

/*
 * Decodes one instruction; false: not one of those. A comparison reads a whole vector, or one
 * broadcast element, and changes no general register; a mask move may write one.
 * Source: Intel SDM volume 2, 2.7 (EVEX encoding, compressed displacement), KMOV, KORTEST.
 */
bool insn_from_avx512(struct insn *out, uint64_t address, const uint8_t *bytes, size_t size);

#endif
