/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The EVEX comparisons that the string functions of C libraries are made of (vpcmpeqb,
 * vptestnmb, vpternlogd and their kin), which capstone 4 does not know. Asked only where
 * capstone gives up; nothing else is decoded here.
 */
#ifndef MISSTOP_DECODE_EVEX_H
#define MISSTOP_DECODE_EVEX_H

#include "decode/insn.h"

/*
 * Decodes one instruction; false: not one of those. All of them read a whole vector, or one
 * broadcast element, and write a vector or a mask: no general register changes.
 * Source: Intel SDM volume 2, 2.7 (EVEX encoding, compressed displacement).
 */
bool insn_from_evex(struct insn *out, uint64_t address, const uint8_t *bytes, size_t size);

#endif
