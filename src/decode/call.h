/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Accesses of calls and returns, which name no operand: the stack slot of the return address, the
 * slot of a procedure linkage stub. For recipe.c. */
#ifndef MISSTOP_DECODE_CALL_H
#define MISSTOP_DECODE_CALL_H

#include "access.h"
#include "decode/decoder.h"

#include <stdint.h>

/* Stack slot that a call or return used, by the stack pointer of then: the return address. */
enum reason call_slot(uint64_t address, enum access_kind kind, struct access *access);

/*
 * At a function's start, what ran before is the call. It pushed the return address; through a
 * stub, the stub's load of its slot came after; a call through memory also loaded its target,
 * which is the likelier culprit and cannot be told from here. The bytes before the return
 * address say which it was.
 */
enum reason call_entry(uint64_t stack, uint64_t entry, const struct decode_target *target,
                       struct access *access);

#endif
