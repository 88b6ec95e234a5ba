/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The instructions that ran just before a sample, oldest first. Register values at any point are
 * found by undoing invertible changes, from a copy, or recomputed from older values. */
#ifndef MISSTOP_DECODE_TRACE_H
#define MISSTOP_DECODE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "decode/decoder.h"
#include "decode/function.h"
#include "decode/insn.h"

enum { TRACE_MAX = 40, TRACE_SEGMENTS_MAX = 8 };

/* A function that was called and has returned: instructions call + 1 to end - 1. Callee-saved
 * registers (System V ABI AMD64, 3.2.1) are the same at both ends. */
struct trace_segment {
    uint8_t call, end;
};

struct trace {
    const struct insn **insns;
    uint32_t *written;        /* count + 1: registers written by an instruction or a later one */
    uint32_t entry_registers; /* one of these registers had the function's address; 0: not known */
    uint8_t count;
    uint8_t segment_count;
    struct trace_segment segments[TRACE_SEGMENTS_MAX];
};

/* Fills `written`. Call when all instructions are present. */
void trace_seal(const struct trace *trace);

/* One evaluation; the flags record what it relied on. */
struct trace_values {
    const struct trace *trace;
    const uint64_t *regs; /* after the last instruction */
    const struct decode_target *target;
    uint32_t unknown_registers; /* mask of unknown registers */
    uint32_t tid;
    const unsigned char *stack; /* from the stack pointer up, at the sample; NULL: none */
    uint32_t stack_bytes;
    uint16_t steps_left;
    bool used_inversion;
    bool used_reread;
    bool returned; /* functions have returned: memory below the stack pointer is unusable */
    /* used the frame of a leaf function, which is not in the sample's stack */
    bool used_leaf_frame;
    bool used_stale_memory; /* used memory that may have been written since */
    bool no_segment;
    bool no_register;
};

/* Reads current memory, or the recorded stack. Returns false if not known. */
bool trace_memory(struct trace_values *values, uint64_t address, void *out, size_t size);

/* Finds the value of a register before instruction `at` of the trace (count: at the sample). */
bool trace_register(struct trace_values *values, uint8_t reg, size_t at, uint64_t *value);

/* Computes the address of a memory operand of instruction `at`, before it ran. */
bool trace_address(struct trace_values *values, const struct insn_memory *memory, size_t at,
                   uint64_t *address);

enum trace_agreement {
    TRACE_REFUTED, /* contradicted by a copy, constant, comparison or jump */
    TRACE_DOUBTED, /* contradicted if memory is unchanged */
    TRACE_AGREES   /* not contradicted */
};
enum trace_agreement trace_agrees(const struct trace_values *values);

/* A trace that extends across calls: unoptimised code gets the address of an element from a
 * function (operator[], index()), and its small functions get it from the caller. */
enum { CALL_TRACE_MAX = 160 };

/* Finds the function around an address; NULL: no code. */
struct call_trace_code {
    const struct function *(*find)(void *context, uint64_t ip);
    void *context;
};

struct call_trace {
    struct trace trace;
    size_t at; /* index of the culprit */
    const struct insn *insns[CALL_TRACE_MAX];
    uint32_t written[CALL_TRACE_MAX + 1];
};

/* Extends the trace up to its culprit, instruction `at`, by the functions that returned into it,
 * along their fall-through path, and the caller. Returns false if this adds nothing. */
bool trace_extend_across_calls(struct call_trace *out, const struct call_trace_code *code,
                               struct trace_values *values, size_t at);

#endif
