/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A register taken back from what it holds at the sample, over instructions whose effect can be
 * undone. For trace.c.
 */
#ifndef MISSTOP_DECODE_TRACE_UNDO_H
#define MISSTOP_DECODE_TRACE_UNDO_H

#include "decode/trace.h"

#include <stddef.h>
#include <stdint.h>

/* Its value just before instruction `at` of the trace; false: something in between lost it. */
bool trace_undo(struct trace_values *values, uint8_t reg, size_t at, uint64_t *value);

/* The low `width` bytes. */
uint64_t trace_truncate(uint64_t value, uint8_t width);

#endif
