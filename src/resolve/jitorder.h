/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Overlapping lines of a JIT map made into what stands where now. For jitmap.c. */
#ifndef MISSTOP_RESOLVE_JITORDER_H
#define MISSTOP_RESOLVE_JITORDER_H

#include "resolve/jitmap.h"

/*
 * Of `count` lines in any order, pieces in ascending order without overlaps, each from the
 * latest line there: at most twice as many. NULL: out of memory; else to be freed.
 */
struct jit_symbol *jitorder_pieces(const struct jit_symbol *lines, size_t count, size_t *pieces);

#endif
