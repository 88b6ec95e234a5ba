/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The element of a table by what was loaded from it: `mov (%rsi,%rax,8),%rax` has lost its index,
 * but the table's start is known, and what was loaded too. For recipe.c.
 */
#ifndef MISSTOP_DECODE_BY_VALUE_H
#define MISSTOP_DECODE_BY_VALUE_H

#include "decode/trace.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Where the load at `at` of the trace read. False: it is no load of a table's element, or of the
 * first 4 KiB of the table not exactly one element is what was loaded. Reads memory once or twice.
 */
bool by_value(struct trace_values *values, size_t at, uint64_t *address);

#endif
