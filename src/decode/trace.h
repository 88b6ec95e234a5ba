/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The instructions that ran just before a sample, oldest first, and what the registers held
 * at any point among them, worked out from what they hold at the sample: taken back over
 * invertible changes, found in a copy, or computed again from older values.
 */
#ifndef MISSTOP_DECODE_TRACE_H
#define MISSTOP_DECODE_TRACE_H

#include "decode/decoder.h"
#include "decode/insn.h"

#include <stddef.h>
#include <stdint.h>

enum { TRACE_MAX = 40 };

struct trace {
    const struct insn *insns[TRACE_MAX];
    uint8_t count;
    uint32_t written[TRACE_MAX + 1]; /* registers that an instruction or a later one writes */
};

/* When its instructions are all there. */
void trace_seal(struct trace *trace);

/* One evaluation; the flags say what it had to resort to. */
struct trace_values {
    const struct trace *trace;
    const uint64_t *regs; /* after the last instruction */
    const struct decode_target *target;
    uint32_t missing; /* bits of those that are not known */
    uint32_t tid;
    uint8_t budget; /* steps left */
    bool undone;
    bool reread;
    bool no_segment;
    bool no_register;
};

/* Value of a register just before instruction `at` of the trace (count: now). */
bool trace_register(struct trace_values *values, uint8_t reg, size_t at, uint64_t *value);

/* Address of a memory operand of instruction `at`, before it ran. */
bool trace_address(struct trace_values *values, const struct insn_memory *memory, size_t at,
                   uint64_t *address);

#endif
