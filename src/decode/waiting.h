/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Loops that do nothing but look at memory until somebody else has changed it: spinning on a flag
 * or on a lock. For function.c.
 */
#ifndef MISSTOP_DECODE_WAITING_H
#define MISSTOP_DECODE_WAITING_H

#include "decode/insn.h"

#include <stddef.h>

/*
 * Sets `waits` of the loads in such loops: a jump back over a few instructions, which load,
 * compare, count and jump; write no memory, compute nothing with what was loaded, and load from the
 * same place each time round. The instructions of one function, ascending.
 */
void waiting_mark(struct insn *insns, size_t count);

/*
 * Sets `kept` of accesses to slots of the frame in loops that call something: the callee may use
 * the registers (no vector register lives across a call), so such a variable lives in memory, and
 * what reads it first mostly waits for what the call returned.
 */
void waiting_mark_kept(struct insn *insns, size_t count);

#endif
