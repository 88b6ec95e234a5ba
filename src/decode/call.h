/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Accesses of calls and returns, which name no operand: the stack slot of the return address, the
 * slot of a procedure linkage stub. For recipe.c. */
#ifndef MISSTOP_DECODE_CALL_H
#define MISSTOP_DECODE_CALL_H

#include "access.h"
#include "decode/calls.h"
#include "decode/trace.h"

#include <stdint.h>

/* Stack slot that a call or return used, by the stack pointer of then: the return address. */
enum reason call_slot(uint64_t address, enum access_kind kind, struct access *access);

/*
 * At a function's start, what ran before is the call. It pushed the return address; through a
 * stub, the stub's load of its slot came after. A call through memory also loaded its target, and
 * that it waited for: the likelier of the two. The bytes before the return address say which it
 * was. `values` stand at the entry, `stack` is the stack pointer there; `calls` may be NULL.
 */
enum reason call_entry(struct trace_values *values, struct calls *calls, uint64_t stack,
                       uint64_t entry, struct access *access);

#endif
