/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The instructions that ran just before a sample, oldest first, and what the registers held
 * at any point among them, worked out from what they hold at the sample: taken back over
 * invertible changes, found in a copy, or computed again from older values.
 */
#ifndef MISSTOP_DECODE_TRACE_H
#define MISSTOP_DECODE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/decoder.h"
#include "decode/function.h"
#include "decode/insn.h"

enum { TRACE_MAX = 40, TRACE_SEGMENTS_MAX = 8 };

/* A function that was called and has returned: instructions call + 1 to end - 1. The registers that
 * it must preserve (System V ABI AMD64, 3.2.1) are the same at both ends. */
struct trace_segment {
    uint8_t call, end;
};

struct trace {
    const struct insn **insns;
    uint32_t *written;   /* count + 1: registers that an instruction or a later one writes */
    uint32_t entered_by; /* one of these registers held the first one's address; 0: not known */
    uint8_t count;
    uint8_t segment_count;
    struct trace_segment segments[TRACE_SEGMENTS_MAX];
};

/* When its instructions are all there: fills `written`. */
void trace_seal(const struct trace *trace);

/* One evaluation; the flags say what it had to resort to. */
struct trace_values {
    const struct trace *trace;
    const uint64_t *regs; /* after the last instruction */
    const struct decode_target *target;
    uint32_t missing; /* bits of those that are not known */
    uint32_t tid;
    const unsigned char *stack; /* from the stack pointer up, at the sample; NULL: not recorded */
    uint32_t stack_bytes;
    uint16_t budget; /* steps left */
    bool undone;
    bool reread;
    bool returned; /* the trace has functions that have returned: nothing below the stack pointer */
    bool leaf;     /* ... the frame of a leaf function, which the sample's stack does not hold */
    bool inferred; /* ... from a place that may have been written since */
    bool no_segment;
    bool no_register;
};

/* Memory as it is now, or of the stack as it was. False: not known. */
bool trace_memory(struct trace_values *values, uint64_t address, void *out, size_t size);

/* Value of a register just before instruction `at` of the trace (count: now). */
bool trace_register(struct trace_values *values, uint8_t reg, size_t at, uint64_t *value);

/* Address of a memory operand of instruction `at`, before it ran. */
bool trace_address(struct trace_values *values, const struct insn_memory *memory, size_t at,
                   uint64_t *address);

/* How well the trace agrees with the registers and flags at the sample. */
enum trace_agreement {
    TRACE_REFUTED, /* a copy, constant, comparison or jump of it leads to others */
    TRACE_DOUBTED, /* ... if memory is as it was */
    TRACE_AGREES   /* as far as they say */
};
enum trace_agreement trace_agrees(const struct trace_values *values);

/*
 * A trace that goes on across calls: code that is not optimised gets an element's address from a
 * function (operator[], index()), and its small functions get theirs from the caller. Made at the
 * sample, where the trace inside the function did not suffice.
 */
enum { ACROSS_MAX = 160 };

/* How the decoder finds the function around an address; NULL: there is no code. */
struct across_code {
    const struct function *(*find)(void *context, uint64_t ip);
    void *context;
};

struct across {
    struct trace trace;
    size_t at; /* the culprit in it */
    const struct insn *insns[ACROSS_MAX];
    uint32_t written[ACROSS_MAX + 1];
};

/*
 * Fills `out` with the trace of `values` up to its culprit, instruction `at`, and the code that ran
 * before: the functions that returned into it, by their straight course, and the caller. False: no
 * more is known than already.
 */
bool across(struct across *out, const struct across_code *code, struct trace_values *values,
            size_t at);

#endif
