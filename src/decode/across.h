/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A trace that goes on across calls: code that is not optimised gets an element's address from a
 * function (operator[], index()), and its small functions get theirs from the caller. Made at the
 * sample, where the trace inside the function did not tell.
 */
#ifndef MISSTOP_DECODE_ACROSS_H
#define MISSTOP_DECODE_ACROSS_H

#include "decode/function.h"
#include "decode/trace.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
 * Fills `out` with the trace of `values`, whose culprit is instruction `at`, and what ran before:
 * the functions that returned into it, by their straight course, and the caller. False: there is
 * nothing more than is known already.
 */
bool across(struct across *out, const struct across_code *code, struct trace_values *values,
            size_t at);

#endif
